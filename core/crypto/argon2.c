/* SPDX-License-Identifier: MIT */
/*
 * Argon2i and Argon2id, RFC 9106.  First the block compression G, then the memory, then the passes.
 */
#include "crypto/hash_internal.h"
#include "crypto/kdf.h"

#define WORDS (CARDEA_ARGON2_BLOCK / 8)
#define VERSION 0x13u
#define SLICES 4u

/* ---- G (section 3.5) --------------------------------------------------------------------------------------- */

/* BLAKE2b's addition with a product mixed in (section 3.6): a + b + 2 lo(a) lo(b). */
static inline uint64_t mul_add(uint64_t a, uint64_t b)
{
	return a + b + 2 * ((a & 0xffffffff) * (b & 0xffffffff));
}

#define GB(a, b, c, d)                                                                             \
	do {                                                                                       \
		(a) = mul_add(a, b);                                                               \
		(d) = cardea_ror64((d) ^ (a), 32);                                                 \
		(c) = mul_add(c, d);                                                               \
		(b) = cardea_ror64((b) ^ (c), 24);                                                 \
		(a) = mul_add(a, b);                                                               \
		(d) = cardea_ror64((d) ^ (a), 16);                                                 \
		(c) = mul_add(c, d);                                                               \
		(b) = cardea_ror64((b) ^ (c), 63);                                                 \
	} while (0)

/* P on eight registers of two words, `step` words apart: a row (2) or a column (16) of the 8 by 8 matrix. */
static inline __attribute__((always_inline)) void permute(uint64_t *v, size_t step)
{
#define V(i) v[step * ((i) / 2) + (i) % 2]
	GB(V(0), V(4), V(8), V(12));
	GB(V(1), V(5), V(9), V(13));
	GB(V(2), V(6), V(10), V(14));
	GB(V(3), V(7), V(11), V(15));
	GB(V(0), V(5), V(10), V(15));
	GB(V(1), V(6), V(11), V(12));
	GB(V(2), V(7), V(8), V(13));
	GB(V(3), V(4), V(9), V(14));
#undef V
}

static void fill(uint64_t out[128], const uint64_t x[128], const uint64_t y[128], bool with_xor)
{
	uint64_t z[WORDS];

	for (unsigned i = 0; i < WORDS; i++)
		z[i] = x[i] ^ y[i];
	for (unsigned i = 0; i < 8; i++)
		permute(z + 16 * i, 2);
	for (unsigned i = 0; i < 8; i++)
		permute(z + 2 * i, 16);
	/* out may be x or y: each word is read before it is written */
	if (with_xor) {
		for (unsigned i = 0; i < WORDS; i++)
			out[i] ^= x[i] ^ y[i] ^ z[i];
	} else {
		for (unsigned i = 0; i < WORDS; i++)
			out[i] = x[i] ^ y[i] ^ z[i];
	}
	cardea_wipe(z, sizeof(z));
}

static const struct cardea_argon2_impl argon2_c = {
	.impl = { .name = "c", .need = 0, .traits = CARDEA_TRAIT_CT },
	.fill = fill,
};

static const struct cardea_impl *const impls[] = { &argon2_c.impl };

const struct cardea_impl *const *cardea_argon2_impls(size_t *n)
{
	*n = CARDEA_ARRAY_LEN(impls);
	return impls;
}

bool cardea_argon2_self_test(const struct cardea_impl *impl)
{
	const struct cardea_argon2_impl *argon2 = (const struct cardea_argon2_impl *)(const void *)impl;
	/*
	 * Made with an independent G in Python that gives the tags of RFC 9106: x[i] = (i + 1) c, y[i] = (i + 1)^2 c,
	 * then out = G(x, y), out = G(out, x) + out; the words of out summed with weights 1, 2, 3...
	 */
	const uint64_t c = 0x9e3779b97f4a7c15, want = 0x7743eafc90b7fc4e;
	uint64_t x[WORDS], y[WORDS], out[WORDS], sum = 0;

	for (uint64_t i = 0; i < WORDS; i++) {
		x[i] = (i + 1) * c;
		y[i] = (i + 1) * (i + 1) * c;
	}
	argon2->fill(out, x, y, false);
	argon2->fill(out, out, x, true);
	for (uint64_t i = 0; i < WORDS; i++)
		sum += (i + 1) * out[i];
	return sum == want;
}

/* ---- memory ------------------------------------------------------------------------------------------------ */

/*
 * The matrix of blocks lies in runs of pages of whatever sizes the platform could give.  An index of chunks of
 * 2^chunk_shift blocks finds a block: every run but the last is a whole number of chunks long.  Chunks are as large
 * as the smallest run allows, so that the index is short and stays in the cache.  It has two levels, so that it is
 * made of single pages even where memory is in such small pieces that it is long.
 */
struct run {
	void *pages;
	size_t n;
};

#define RUNS_PER_PAGE ((CARDEA_PAGE_SIZE - 16) / sizeof(struct run))

/* The runs, in pages that are chained, so that the list too needs no more than single pages. */
struct run_list {
	struct run_list *next;
	size_t n;
	struct run run[RUNS_PER_PAGE];
};
_Static_assert(sizeof(struct run_list) <= CARDEA_PAGE_SIZE, "a page each");

#define INDEX_SHIFT 9u /* log2 of the pointers in a page */
#define INDEX_LEN ((size_t)1 << INDEX_SHIFT)
_Static_assert(INDEX_LEN * sizeof(uint64_t *) == CARDEA_PAGE_SIZE, "a page each");

struct memory {
	uint64_t ***index;    /* n_index pages of INDEX_LEN chunks */
	size_t n_index;
	unsigned chunk_shift; /* log2 of the blocks in a chunk     */
	size_t got;           /* pages in all runs                 */
	struct run_list *first, *last;
};

#define PAGE_BLOCKS_SHIFT 2u /* four blocks in a page */
_Static_assert(CARDEA_PAGE_SIZE == CARDEA_ARGON2_BLOCK << PAGE_BLOCKS_SHIFT, "");

static void memory_free(struct memory *m, const struct cardea_platform *p)
{
	if (m->index != NULL) {
		for (size_t i = 0; i < m->n_index; i++)
			cardea_pages_free(p, m->index[i], CARDEA_PAGE_SIZE);
		cardea_pages_free(p, m->index, m->n_index * sizeof(*m->index));
	}
	for (struct run_list *l = m->first, *next; l != NULL; l = next) {
		next = l->next;
		for (size_t i = 0; i < l->n; i++)
			cardea_pages_free(p, l->run[i].pages, l->run[i].n * CARDEA_PAGE_SIZE);
		cardea_pages_free(p, l, CARDEA_PAGE_SIZE);
	}
	memset(m, 0, sizeof(*m));
}

/* Takes one run of n pages; false when there is none. */
static bool take_run(struct memory *m, const struct cardea_platform *p, size_t n)
{
	struct run_list *l = m->last;
	void *pages;

	if (l == NULL || l->n == RUNS_PER_PAGE) {
		l = p->pages(p->ctx, 1);
		if (l == NULL)
			return false;
		if (m->last != NULL)
			m->last->next = l;
		else
			m->first = l;
		m->last = l;
	}
	pages = p->pages(p->ctx, n);
	if (pages == NULL)
		return false;
	l->run[l->n++] = (struct run){ pages, n };
	m->got += n;
	return true;
}

/*
 * Takes the largest runs that there are, by asking for all and then halving what is refused.  Lengths are kept whole
 * in the largest of these chunk sizes that still gets anywhere.
 */
static bool take_runs(struct memory *m, const struct cardea_platform *p, size_t need)
{
	static const unsigned shifts[] = { 10, 6, PAGE_BLOCKS_SHIFT };
	size_t want = need;

	for (unsigned i = 0; i < CARDEA_ARRAY_LEN(shifts); i++) {
		size_t chunk_pages = (size_t)1 << (shifts[i] - PAGE_BLOCKS_SHIFT);

		m->chunk_shift = shifts[i];
		for (;;) {
			size_t left = need - m->got;

			if (left == 0)
				return true;
			/* Only what takes all that is left need not be whole chunks. */
			if (want >= left)
				want = left;
			else
				want -= want % chunk_pages;
			if (want == 0)
				break;
			if (!take_run(m, p, want))
				want /= 2;
		}
		/* All sizes of this chunk were refused: from just below it down again with the next. */
		want = chunk_pages / 2;
	}
	return false;
}

static bool index_chunks(struct memory *m, const struct cardea_platform *p)
{
	size_t chunk_pages = (size_t)1 << (m->chunk_shift - PAGE_BLOCKS_SHIFT), at = 0;
	size_t n_chunks = (m->got + chunk_pages - 1) / chunk_pages;

	m->n_index = (n_chunks + INDEX_LEN - 1) / INDEX_LEN;
	m->index = cardea_pages(p, m->n_index * sizeof(*m->index), "the index of Argon2's memory");
	if (m->index == NULL)
		return false;
	for (size_t i = 0; i < m->n_index; i++) {
		m->index[i] = cardea_pages(p, CARDEA_PAGE_SIZE, "the index of Argon2's memory");
		if (m->index[i] == NULL)
			return false;
	}
	for (struct run_list *l = m->first; l != NULL; l = l->next) {
		for (size_t i = 0; i < l->n; i++) {
			uint64_t *run = l->run[i].pages;

			for (size_t n = 0; n < l->run[i].n; n += chunk_pages, at++)
				m->index[at / INDEX_LEN][at % INDEX_LEN] = run + n * (CARDEA_PAGE_SIZE / sizeof(*run));
		}
	}
	return true;
}

static inline uint64_t *block_at(const struct memory *m, uint32_t block)
{
	size_t chunk = block >> m->chunk_shift, in_chunk = block & ((1u << m->chunk_shift) - 1);

	return m->index[chunk / INDEX_LEN][chunk % INDEX_LEN] + in_chunk * WORDS;
}

/* ---- passes (section 3.4) ---------------------------------------------------------------------------------- */

struct pass {
	const struct cardea_platform *p;
	const struct cardea_argon2_impl *impl;
	struct memory memory;
	enum cardea_argon2_type type;
	uint32_t passes, lanes;
	uint32_t blocks;      /* m'              */
	uint32_t lane_len;    /* q               */
	uint32_t segment_len; /* q / 4           */
	uint32_t pass, slice;
	uint32_t from, to;    /* of the segment: what this run() fills.  from is a multiple of WORDS. */
};

/* Where in the lane the block lies that column `index` of the segment refers to (section 3.4.2). */
static uint32_t reference(const struct pass *a, uint32_t index, uint32_t j1, bool same_lane)
{
	uint32_t area, start = 0;
	uint64_t x = ((uint64_t)j1 * j1) >> 32;

	if (a->pass == 0) {
		area = a->slice * a->segment_len;
	} else {
		area = a->lane_len - a->segment_len;
		start = a->slice == SLICES - 1 ? 0 : (a->slice + 1) * a->segment_len;
	}
	if (same_lane)
		area += index - 1;
	else if (index == 0)
		area--;
	start += area - 1 - (uint32_t)((area * x) >> 32);
	return start >= a->lane_len ? start - a->lane_len : start;
}

/* Fills columns from..to of one lane's segment. */
static void fill_lane(void *arg, unsigned lane)
{
	static const uint64_t zero[WORDS];
	const struct pass *a = arg;
	const struct memory *m = &a->memory;
	bool independent = a->type == CARDEA_ARGON2I || (a->pass == 0 && a->slice < SLICES / 2);
	uint32_t row = lane * a->lane_len, column = a->slice * a->segment_len + a->from;
	uint64_t input[WORDS], address[WORDS];
	uint64_t *prev = block_at(m, row + (column == 0 ? a->lane_len : column) - 1);

	cardea_impl_begin(a->p, &a->impl->impl);
	if (independent) {
		memset(input, 0, sizeof(input));
		input[0] = a->pass;
		input[1] = lane;
		input[2] = a->slice;
		input[3] = a->blocks;
		input[4] = a->passes;
		input[5] = a->type;
		input[6] = a->from / WORDS;
	}
	for (uint32_t i = a->from; i < a->to; i++, column++) {
		uint64_t *block = block_at(m, row + column), j;
		uint32_t ref_lane;

		if (independent && i % WORDS == 0) {
			input[6]++;
			a->impl->fill(address, zero, input, false);
			a->impl->fill(address, zero, address, false);
		}
		if (a->pass == 0 && column < 2) {
			/* filled from the password */
			prev = block;
			continue;
		}
		j = independent ? address[i % WORDS] : prev[0];
		ref_lane = a->pass == 0 && a->slice == 0 ? lane : (uint32_t)(j >> 32) % a->lanes;
		a->impl->fill(block, prev,
		              block_at(m, ref_lane * a->lane_len + reference(a, i, (uint32_t)j, ref_lane == lane)),
		              a->pass > 0);
		prev = block;
	}
	cardea_impl_end(a->p, &a->impl->impl);
}

static enum cardea_err run_passes(struct pass *a, unsigned slot)
{
	struct cardea_job job = { fill_lane, a };
	struct cardea_progress progress = { .slot = slot, .total = (uint64_t)a->passes * a->blocks };
	/* Blocks per lane and run(): about 4096 in all, a few milliseconds, in whole address blocks. */
	uint32_t chunk = 4096 / a->lanes / WORDS * WORDS;

	if (chunk > 1024)
		chunk = 1024;
	if (chunk < WORDS)
		chunk = WORDS;
	for (a->pass = 0; a->pass < a->passes; a->pass++) {
		for (a->slice = 0; a->slice < SLICES; a->slice++) {
			for (a->from = 0; a->from < a->segment_len; a->from = a->to) {
				a->to = a->segment_len - a->from > chunk ? a->from + chunk : a->segment_len;
				a->p->run(a->p->ctx, &job, a->lanes);
				progress.done += (uint64_t)(a->to - a->from) * a->lanes;
				if (a->p->progress != NULL && a->p->progress(a->p->ctx, &progress) != 0)
					return CARDEA_ERR_CANCELLED;
			}
		}
	}
	return CARDEA_OK;
}

/* ---- hashing in and out (sections 3.2 and 3.3) ------------------------------------------------------------------ */

static void update_le32(struct cardea_hash *h, uint64_t v)
{
	uint8_t b[4];

	cardea_put_le32(b, (uint32_t)v);
	cardea_hash_update(h, b, sizeof(b));
}

static void update_field(struct cardea_hash *h, const uint8_t *data, size_t len)
{
	update_le32(h, len);
	cardea_hash_update(h, data, len);
}

/* H': BLAKE2b drawn out to any length by chaining, 32 bytes of each link. */
static void long_hash(const struct cardea_suite *suite, uint8_t *out, size_t out_len, const void *in, size_t in_len)
{
	struct cardea_bytes64 v CARDEA_SECRET(bytes64);
	struct cardea_hash h;

	cardea_blake2b_init(&h, suite, cardea_min_size(out_len, 64));
	update_le32(&h, out_len);
	cardea_hash_update(&h, in, in_len);
	cardea_hash_final(&h, v.b);
	while (out_len > 64) {
		memcpy(out, v.b, 32);
		out += 32;
		out_len -= 32;
		cardea_blake2b_init(&h, suite, cardea_min_size(out_len, 64));
		cardea_hash_update(&h, v.b, 64);
		cardea_hash_final(&h, v.b);
	}
	memcpy(out, v.b, out_len);
}

/* H0, then the first two blocks of each lane. */
static void hash_in(struct pass *a, const struct cardea_suite *suite, const struct cardea_argon2 *params,
                    size_t out_len, const uint8_t *pass, size_t pass_len, const uint8_t *salt, size_t salt_len)
{
	struct {
		uint8_t h0[64], column[4], lane[4];
	} seed;
	struct cardea_hash h;

	_Static_assert(sizeof(seed) == 72, "hashed as it lies");
	cardea_blake2b_init(&h, suite, 64);
	update_le32(&h, params->lanes);
	update_le32(&h, out_len);
	update_le32(&h, params->memory_kib);
	update_le32(&h, params->passes);
	update_le32(&h, VERSION);
	update_le32(&h, params->type);
	update_field(&h, pass, pass_len);
	update_field(&h, salt, salt_len);
	update_field(&h, params->secret, params->secret_len);
	update_field(&h, params->ad, params->ad_len);
	cardea_hash_final(&h, seed.h0);
	for (uint32_t lane = 0; lane < a->lanes; lane++) {
		cardea_put_le32(seed.lane, lane);
		for (uint32_t column = 0; column < 2; column++) {
			cardea_put_le32(seed.column, column);
			long_hash(suite, (uint8_t *)block_at(&a->memory, lane * a->lane_len + column),
			          CARDEA_ARGON2_BLOCK, &seed, sizeof(seed));
		}
	}
	cardea_wipe(&seed, sizeof(seed));
}

/* The tag, from the sum of the lanes' last blocks. */
static void hash_out(const struct pass *a, const struct cardea_suite *suite, uint8_t *out, size_t out_len)
{
	uint64_t sum[WORDS] = { 0 };

	for (uint32_t lane = 0; lane < a->lanes; lane++) {
		const uint64_t *last = block_at(&a->memory, (lane + 1) * a->lane_len - 1);

		for (unsigned i = 0; i < WORDS; i++)
			sum[i] ^= last[i];
	}
	long_hash(suite, out, out_len, sum, sizeof(sum));
	cardea_wipe(sum, sizeof(sum));
}

static enum cardea_err check_params(const struct cardea_platform *p, const struct cardea_argon2 *params,
                                    size_t out_len, size_t pass_len, size_t salt_len, unsigned slot)
{
	if (params->type != CARDEA_ARGON2I && params->type != CARDEA_ARGON2ID) {
		cardea_log(p, CARDEA_LOG_ERROR,
		           "key slot %u: Argon2 type %d is not supported, only Argon2i and Argon2id", slot,
		           (int)params->type);
		return CARDEA_ERR_UNSUPPORTED;
	}
	if (params->lanes < 1 || params->lanes > CARDEA_ARGON2_MAX_LANES || params->passes < 1 ||
	    params->memory_kib < 8 * params->lanes) {
		cardea_log(p, CARDEA_LOG_ERROR,
		           "key slot %u: Argon2 with time %u, memory %u KiB, %u lanes is not supported "
		           "(at least 1 pass, 1 to %u lanes, 8 KiB for each)",
		           slot, params->passes, params->memory_kib, params->lanes, CARDEA_ARGON2_MAX_LANES);
		return CARDEA_ERR_UNSUPPORTED;
	}
	if (out_len < 4 || out_len > 1024 || pass_len > UINT32_MAX || salt_len > UINT32_MAX ||
	    params->secret_len > UINT32_MAX || params->ad_len > UINT32_MAX) {
		cardea_log(p, CARDEA_LOG_ERROR, "key slot %u: Argon2 for a key of %zu bytes is not supported", slot,
		           out_len);
		return CARDEA_ERR_UNSUPPORTED;
	}
	return CARDEA_OK;
}

enum cardea_err cardea_argon2(const struct cardea_suite *suite, const struct cardea_platform *p,
                              const struct cardea_argon2 *params, uint8_t *out, size_t out_len, const uint8_t *pass,
                              size_t pass_len, const uint8_t *salt, size_t salt_len, unsigned slot)
{
	const struct cardea_impl *blake2b = &suite->compress[CARDEA_COMPRESS_BLAKE2B]->impl;
	struct pass a = { .p = p, .impl = suite->argon2 };
	enum cardea_err err = check_params(p, params, out_len, pass_len, salt_len, slot);
	size_t need, got;

	memset(out, 0, out_len);
	if (err != CARDEA_OK)
		return err;
	a.type = params->type;
	a.passes = params->passes;
	a.lanes = params->lanes;
	a.segment_len = params->memory_kib / (SLICES * a.lanes);
	a.lane_len = a.segment_len * SLICES;
	a.blocks = a.lane_len * a.lanes;

	need = a.blocks >> PAGE_BLOCKS_SHIFT;
	if (!take_runs(&a.memory, p, need) || !index_chunks(&a.memory, p)) {
		got = a.memory.got;
		memory_free(&a.memory, p);
		cardea_log(p, CARDEA_LOG_ERROR,
		           "key slot %u needs %zu MiB of memory for Argon2%s, only %zu MiB could be had", slot,
		           (need + 255) / 256, a.type == CARDEA_ARGON2I ? "i" : "id", got / 256);
		return CARDEA_ERR_NOMEM;
	}
	cardea_impl_begin(p, blake2b);
	hash_in(&a, suite, params, out_len, pass, pass_len, salt, salt_len);
	cardea_impl_end(p, blake2b);
	err = run_passes(&a, slot);
	if (err == CARDEA_OK) {
		cardea_impl_begin(p, blake2b);
		hash_out(&a, suite, out, out_len);
		cardea_impl_end(p, blake2b);
	}
	memory_free(&a.memory, p);
	return err;
}
