/* SPDX-License-Identifier: MIT */
/*
 * The generic modes.  All work on a run of blocks at a time, RUN of them, that does not stop at the end of a
 * sector: a wide cipher gets full batches of 512-byte sectors too.  IVs that a cipher has to encrypt first
 * (XTS) are encrypted SIDE at a time.
 *
 * The stack of a call: 3 KiB, for LRW 4 KiB, and what the cipher needs.
 */
#include "crypto/modes.h"

#define RUN 128u  /* blocks */
#define SIDE 64u  /* sectors */

typedef void blocks_fn(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks);

struct run {
	uint8_t b[RUN][CARDEA_BLOCK];
};
CARDEA_WIPE_OF(run, struct run);

struct side {
	uint8_t b[SIDE][CARDEA_BLOCK];
};
CARDEA_WIPE_OF(side, struct side);

static void xor_block(uint8_t out[CARDEA_BLOCK], const uint8_t a[CARDEA_BLOCK], const uint8_t b[CARDEA_BLOCK])
{
	cardea_put_le64(out, cardea_le64(a) ^ cardea_le64(b));
	cardea_put_le64(out + 8, cardea_le64(a + 8) ^ cardea_le64(b + 8));
}

/* out = in + mask, for a run. */
static void xor_run(uint8_t *out, const uint8_t *in, const struct run *mask, size_t blocks)
{
	for (size_t i = 0; i < blocks; i++)
		xor_block(out + i * CARDEA_BLOCK, in + i * CARDEA_BLOCK, mask->b[i]);
}

/* What XTS and LRW share: f(x + mask) + mask. */
static void masked_run(blocks_fn *f, const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in,
                       const struct run *mask, size_t blocks)
{
	xor_run(out, in, mask, blocks);
	f(key, out, out, blocks);
	xor_run(out, out, mask, blocks);
}

/* ---- XTS ------------------------------------------------------------------------------------------------ */

struct tweak {
	uint64_t low, high;
};
CARDEA_WIPE_OF(tweak, struct tweak);

/* Times alpha, IEEE 1619-2018 section 5.2: a little-endian number, x^128 = x^7 + x^2 + x + 1. */
static void next_tweak(struct tweak *t)
{
	uint64_t carry = cardea_ct_barrier((uint64_t)0 - (t->high >> 63));

	t->high = (t->high << 1) | (t->low >> 63);
	t->low = (t->low << 1) ^ (carry & 0x87);
}

static void xts(const struct cardea_cipher_impl *impl, blocks_fn *f, const struct cardea_cipher_key *key,
                const struct cardea_cipher_key *tweak_key, const struct cardea_sectors *s)
{
	struct side first CARDEA_SECRET(side);
	struct run tweaks CARDEA_SECRET(run);
	struct tweak t CARDEA_SECRET(tweak) = { 0, 0 };
	size_t sector_blocks = s->sector_len / CARDEA_BLOCK;
	size_t total = s->sectors * sector_blocks, sector = 0, in_sector = 0, offset = 0;

	while (total != 0) {
		size_t n = cardea_min_size(total, RUN);

		for (size_t i = 0; i < n; i++) {
			if (in_sector == 0) {
				if (sector % SIDE == 0)
					impl->encrypt(tweak_key, first.b[0], s->iv[sector],
					              cardea_min_size(s->sectors - sector, SIDE));
				t.low = cardea_le64(first.b[sector % SIDE]);
				t.high = cardea_le64(first.b[sector % SIDE] + 8);
				sector++;
			}
			cardea_put_le64(tweaks.b[i], t.low);
			cardea_put_le64(tweaks.b[i] + 8, t.high);
			next_tweak(&t);
			if (++in_sector == sector_blocks)
				in_sector = 0;
		}
		masked_run(f, key, s->out + offset, s->in + offset, &tweaks, n);
		offset += n * CARDEA_BLOCK;
		total -= n;
	}
}

void cardea_xts_encrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const struct cardea_cipher_key *tweak, const struct cardea_sectors *s)
{
	xts(impl, impl->encrypt, key, tweak, s);
}

void cardea_xts_decrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const struct cardea_cipher_key *tweak, const struct cardea_sectors *s)
{
	xts(impl, impl->decrypt, key, tweak, s);
}

/* ---- CBC ------------------------------------------------------------------------------------------------- */

/*
 * A block depends on the one before it in its sector only: block j of many sectors goes through the cipher
 * together.
 */
void cardea_cbc_encrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const struct cardea_sectors *s)
{
	struct side chain CARDEA_SECRET(side);

	for (size_t first = 0; first < s->sectors; first += SIDE) {
		size_t n = cardea_min_size(s->sectors - first, SIDE);
		size_t base = first * s->sector_len;

		memcpy(chain.b, s->iv[first], n * CARDEA_BLOCK);
		for (size_t j = 0; j < s->sector_len; j += CARDEA_BLOCK) {
			for (size_t i = 0; i < n; i++)
				xor_block(chain.b[i], chain.b[i], s->in + base + i * s->sector_len + j);
			impl->encrypt(key, chain.b[0], chain.b[0], n);
			for (size_t i = 0; i < n; i++)
				memcpy(s->out + base + i * s->sector_len + j, chain.b[i], CARDEA_BLOCK);
		}
	}
}

/* The cipher text is kept until the next block's plain text has been made: out may be in. */
void cardea_cbc_decrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const struct cardea_sectors *s)
{
	struct run in;
	uint8_t last[CARDEA_BLOCK];
	size_t sector_blocks = s->sector_len / CARDEA_BLOCK;
	size_t total = s->sectors * sector_blocks, sector = 0, in_sector = 0, offset = 0;

	memset(last, 0, sizeof(last));
	while (total != 0) {
		size_t n = cardea_min_size(total, RUN);

		memcpy(in.b, s->in + offset, n * CARDEA_BLOCK);
		impl->decrypt(key, s->out + offset, in.b[0], n);
		for (size_t i = 0; i < n; i++) {
			uint8_t *out = s->out + offset + i * CARDEA_BLOCK;
			const uint8_t *before = i == 0 ? last : in.b[i - 1];

			if (in_sector == 0)
				before = s->iv[sector++];
			xor_block(out, out, before);
			if (++in_sector == sector_blocks)
				in_sector = 0;
		}
		memcpy(last, in.b[n - 1], sizeof(last));
		offset += n * CARDEA_BLOCK;
		total -= n;
	}
}

/* ---- CTR ------------------------------------------------------------------------------------------------- */

void cardea_ctr_crypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                      const struct cardea_sectors *s)
{
	struct run stream CARDEA_SECRET(run);
	uint64_t low = 0, high = 0;
	size_t sector_blocks = s->sector_len / CARDEA_BLOCK;
	size_t total = s->sectors * sector_blocks, sector = 0, in_sector = 0, offset = 0;

	while (total != 0) {
		size_t n = cardea_min_size(total, RUN);

		for (size_t i = 0; i < n; i++) {
			if (in_sector == 0) {
				high = cardea_be64(s->iv[sector]);
				low = cardea_be64(s->iv[sector] + 8);
				sector++;
			}
			cardea_put_be64(stream.b[i], high);
			cardea_put_be64(stream.b[i] + 8, low);
			high += ++low == 0;
			if (++in_sector == sector_blocks)
				in_sector = 0;
		}
		impl->encrypt(key, stream.b[0], stream.b[0], n);
		xor_run(s->out + offset, s->in + offset, &stream, n);
		offset += n * CARDEA_BLOCK;
		total -= n;
	}
}

/* ---- LRW ------------------------------------------------------------------------------------------------- */

/*
 * GF(2^128) as Linux has it for LRW (gf128mul's "bbe"): a big-endian number, bit i stands for x^i,
 * x^128 = x^7 + x^2 + x + 1.
 */
struct element {
	uint64_t high, low;
};

CARDEA_WIPE_OF(element, struct element);

/* K2 times 1 + x + .. + x^i: what the mask changes by when the index grows and its bits 0 to i turn. */
struct lrw_steps {
	struct element of[128];
};
CARDEA_WIPE_OF(lrw_steps, struct lrw_steps);

static void times_x(struct element *e)
{
	uint64_t carry = cardea_ct_barrier((uint64_t)0 - (e->high >> 63));

	e->high = (e->high << 1) | (e->low >> 63);
	e->low = (e->low << 1) ^ (carry & 0x87);
}

static void lrw_steps_init(struct lrw_steps *out, const uint8_t tweak[16])
{
	struct element e CARDEA_SECRET(element) = { cardea_be64(tweak), cardea_be64(tweak + 8) };
	struct element sum CARDEA_SECRET(element) = { 0, 0 };

	for (unsigned i = 0; i < 128; i++) {
		sum.high ^= e.high;
		sum.low ^= e.low;
		out->of[i] = sum;
		times_x(&e);
	}
}

/* K2 times the index.  The index is public, K2 is not: which powers are summed up may show. */
static void lrw_multiply(struct element *out, const uint8_t tweak[16], uint64_t high, uint64_t low)
{
	struct element e CARDEA_SECRET(element) = { cardea_be64(tweak), cardea_be64(tweak + 8) };

	*out = (struct element){ 0, 0 };
	for (unsigned i = 0; i < 128; i++) {
		if ((((i < 64 ? low : high) >> (i % 64)) & 1) != 0) {
			out->high ^= e.high;
			out->low ^= e.low;
		}
		times_x(&e);
	}
}

static void lrw(blocks_fn *f, const struct cardea_cipher_key *key, const uint8_t tweak[16],
                const struct cardea_sectors *s)
{
	struct lrw_steps steps CARDEA_SECRET(lrw_steps);
	struct run masks CARDEA_SECRET(run);
	struct element e CARDEA_SECRET(element) = { 0, 0 };
	uint64_t high = 0, low = 0;
	size_t sector_blocks = s->sector_len / CARDEA_BLOCK;
	size_t total = s->sectors * sector_blocks, sector = 0, in_sector = 0, offset = 0;

	lrw_steps_init(&steps, tweak);
	while (total != 0) {
		size_t n = cardea_min_size(total, RUN);

		for (size_t i = 0; i < n; i++) {
			unsigned ones;

			if (in_sector == 0) {
				high = cardea_be64(s->iv[sector]);
				low = cardea_be64(s->iv[sector] + 8);
				lrw_multiply(&e, tweak, high, low);
				sector++;
			}
			cardea_put_be64(masks.b[i], e.high);
			cardea_put_be64(masks.b[i] + 8, e.low);
			/* Adding one turns the ones at the end of the index and the zero before them. */
			if (~low != 0)
				ones = (unsigned)__builtin_ctzll(~low);
			else
				ones = ~high != 0 ? 64 + (unsigned)__builtin_ctzll(~high) : 127;
			e.high ^= steps.of[ones].high;
			e.low ^= steps.of[ones].low;
			high += ++low == 0;
			if (++in_sector == sector_blocks)
				in_sector = 0;
		}
		masked_run(f, key, s->out + offset, s->in + offset, &masks, n);
		offset += n * CARDEA_BLOCK;
		total -= n;
	}
}

void cardea_lrw_encrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const uint8_t tweak[16], const struct cardea_sectors *s)
{
	lrw(impl->encrypt, key, tweak, s);
}

void cardea_lrw_decrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const uint8_t tweak[16], const struct cardea_sectors *s)
{
	lrw(impl->decrypt, key, tweak, s);
}
