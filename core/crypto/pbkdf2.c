/* SPDX-License-Identifier: MIT */
#include "crypto/hash_internal.h"
#include "crypto/kdf.h"

/* Iterations per job: short enough for a vector section and to notice a cancel, long enough to hide run(). */
#define CHUNK 2048u
/* Output blocks that are derived side by side: bounds the memory of one call, not the length of the output. */
#define GROUP 16u

/*
 * From the second iteration on every HMAC is of one digest, so that all of it but the digest is known: the states
 * after the keyed blocks, and the last block or two (Whirlpool) with the padding.  An iteration is these two
 * compressions, without the driver of hash.c.
 */
struct fused {
	const struct cardea_platform *p;
	const struct cardea_compress_impl *impl;
	enum cardea_hash_id hash;
	size_t state_words, digest_len, block_len, tail_blocks;
	union cardea_hash_state inner, outer;
	uint8_t tail[CARDEA_MAX_TAIL]; /* the digest's place at its beginning */
	uint32_t chunk;                /* iterations of this run()            */
	struct {
		uint8_t u[CARDEA_MAX_DIGEST]; /* U_c, as bytes                        */
		uint8_t t[CARDEA_MAX_DIGEST]; /* the sum so far                       */
	} block[GROUP];
};
CARDEA_WIPE_OF(fused, struct fused);

static void fork_state(union cardea_hash_state *out, const union cardea_hash_state *in, size_t words)
{
	for (size_t i = 0; i < words; i++)
		out->w64[i] = in->w64[i];
}

static void iterate(void *arg, unsigned index)
{
	struct fused *f = arg;
	uint8_t tail[CARDEA_MAX_TAIL];
	union cardea_hash_state s;
	/* Summed as words of the state; they become bytes at the end, since that is a permutation of them. */
	uint64_t sum[CARDEA_MAX_DIGEST / 8] = { 0 };
	uint8_t *t = f->block[index].t;

	cardea_impl_begin(f->p, &f->impl->impl);
	memset(&s, 0, sizeof(s));
	memcpy(tail, f->tail, sizeof(tail));
	memcpy(tail, f->block[index].u, f->digest_len);
	for (uint32_t i = 0; i < f->chunk; i++) {
		fork_state(&s, &f->inner, f->state_words);
		f->impl->compress(&s, tail, f->tail_blocks, f->block_len);
		cardea_hash_digest(f->hash, tail, &s);
		fork_state(&s, &f->outer, f->state_words);
		f->impl->compress(&s, tail, f->tail_blocks, f->block_len);
		cardea_hash_digest(f->hash, tail, &s);
		for (size_t k = 0; k < CARDEA_ARRAY_LEN(sum); k++)
			sum[k] ^= s.w64[k];
	}
	memcpy(f->block[index].u, tail, f->digest_len);
	/* The state after the last compression is done with: it carries the sum through the conversion. */
	memcpy(s.w64, sum, sizeof(sum));
	cardea_hash_digest(f->hash, tail, &s);
	for (size_t i = 0; i < f->digest_len; i++)
		t[i] ^= tail[i];
	cardea_wipe(tail, sizeof(tail));
	cardea_wipe(&s, sizeof(s));
	cardea_wipe(sum, sizeof(sum));
	cardea_impl_end(f->p, &f->impl->impl);
}

/* The state after the keyed block of one half of HMAC, ready for a last message block with a digest. */
static size_t prepare(union cardea_hash_state *out, uint8_t tail[CARDEA_MAX_TAIL], const struct cardea_hash *keyed)
{
	struct cardea_hash h CARDEA_SECRET(hash) = *keyed;
	size_t n;

	/* BLAKE2 still holds the keyed block back. */
	if (h.fill > 0)
		h.impl->compress(&h.state, h.buf, 1, cardea_hash_block_len(h.id));
	memset(h.buf, 0, sizeof(h.buf));
	h.fill = (uint32_t)cardea_hash_digest_len(h.id);
	h.total = cardea_hash_block_len(h.id) + h.fill;
	n = cardea_hash_pad(&h, tail);
	*out = h.state;
	return n;
}

/* U_1 = HMAC(password, salt || index) for blocks first, first + 1, ...; numbered from 1 */
static void first_iteration(struct fused *f, const struct cardea_hmac *keyed, const uint8_t *salt, size_t salt_len,
                            uint64_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct cardea_hmac h CARDEA_SECRET(hmac) = *keyed;
		uint8_t number[4];

		cardea_put_be32(number, (uint32_t)(first + i));
		cardea_hmac_update(&h, salt, salt_len);
		cardea_hmac_update(&h, number, sizeof(number));
		cardea_hmac_final(&h, f->block[i].u);
		memcpy(f->block[i].t, f->block[i].u, f->digest_len);
	}
}

enum cardea_err cardea_pbkdf2(const struct cardea_suite *suite, const struct cardea_platform *p,
                              enum cardea_hash_id hash, uint8_t *out, size_t out_len, const uint8_t *pass,
                              size_t pass_len, const uint8_t *salt, size_t salt_len, uint32_t iterations,
                              unsigned slot)
{
	struct fused f CARDEA_SECRET(fused);
	struct cardea_hmac keyed CARDEA_SECRET(hmac);
	struct cardea_job job = { iterate, &f };
	uint64_t n_blocks, n_groups;
	struct cardea_progress progress = { .slot = slot };

	memset(&f, 0, sizeof(f));
	f.p = p;
	f.impl = suite->compress[cardea_hash_family(hash)];
	f.hash = hash;
	f.state_words = cardea_hash_state_words(f.impl->family);
	f.digest_len = cardea_hash_digest_len(hash);
	f.block_len = cardea_hash_block_len(hash);

	memset(out, 0, out_len);
	n_blocks = out_len / f.digest_len + (out_len % f.digest_len != 0);
	n_groups = n_blocks / GROUP + (n_blocks % GROUP != 0);
	if (n_blocks > UINT32_MAX || iterations == 0) {
		cardea_log(p, CARDEA_LOG_ERROR, "PBKDF2 of %zu bytes with %u iterations is not supported", out_len,
		           iterations);
		return CARDEA_ERR_UNSUPPORTED;
	}
	cardea_impl_begin(p, &f.impl->impl);
	cardea_hmac_init(&keyed, suite, hash, pass, pass_len);
	f.tail_blocks = prepare(&f.inner, f.tail, &keyed.inner);
	f.tail_blocks = prepare(&f.outer, f.tail, &keyed.outer);
	cardea_impl_end(p, &f.impl->impl);
	progress.total = n_groups * iterations;

	for (uint64_t first = 0; first < n_blocks; first += GROUP) {
		unsigned n = n_blocks - first < GROUP ? (unsigned)(n_blocks - first) : GROUP;

		cardea_impl_begin(p, &f.impl->impl);
		first_iteration(&f, &keyed, salt, salt_len, first + 1, n);
		cardea_impl_end(p, &f.impl->impl);
		progress.done++;
		for (uint32_t left = iterations - 1; left > 0; left -= f.chunk) {
			f.chunk = left < CHUNK ? left : CHUNK;
			p->run(p->ctx, &job, n);
			progress.done += f.chunk;
			if (p->progress != NULL && p->progress(p->ctx, &progress) != 0) {
				memset(out, 0, out_len);
				return CARDEA_ERR_CANCELLED;
			}
		}
		for (unsigned i = 0; i < n; i++) {
			size_t at = (size_t)(first + i) * f.digest_len;

			memcpy(out + at, f.block[i].t, cardea_min_size(out_len - at, f.digest_len));
		}
	}
	return CARDEA_OK;
}
