/* SPDX-License-Identifier: MIT */
/* SHA-1, FIPS 180-4 section 6.1. */
#include "crypto/hash_internal.h"

#define CH(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define MAJ(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))

#define LOAD(t) (w[t] = cardea_be32(blocks + 4 * (t)))
#define SCHEDULE(t)                                                                                      \
	(w[(t) & 15] = cardea_rol32(w[((t) + 13) & 15] ^ w[((t) + 8) & 15] ^ w[((t) + 2) & 15] ^ w[(t) & 15], 1))

/* One round; instead of moving the five words on, the callers rename them. */
#define ROUND(f, k, word, a, b, c, d, e)                                                                 \
	do {                                                                                             \
		(e) += cardea_rol32((a), 5) + f((b), (c), (d)) + (k) + (word);                           \
		(b) = cardea_rol32((b), 30);                                                             \
	} while (0)
#define FIVE(f, k, next, t)                                                                              \
	do {                                                                                             \
		ROUND(f, k, next((t) + 0), a, b, c, d, e);                                               \
		ROUND(f, k, next((t) + 1), e, a, b, c, d);                                               \
		ROUND(f, k, next((t) + 2), d, e, a, b, c);                                               \
		ROUND(f, k, next((t) + 3), c, d, e, a, b);                                               \
		ROUND(f, k, next((t) + 4), b, c, d, e, a);                                               \
	} while (0)
#define TWENTY(f, k, t)                                                                                  \
	do {                                                                                             \
		FIVE(f, k, SCHEDULE, (t) + 0);                                                           \
		FIVE(f, k, SCHEDULE, (t) + 5);                                                           \
		FIVE(f, k, SCHEDULE, (t) + 10);                                                          \
		FIVE(f, k, SCHEDULE, (t) + 15);                                                          \
	} while (0)

static void compress(union cardea_hash_state *s, const uint8_t *blocks, size_t n, size_t block_len)
{
	uint32_t w[16];

	for (; n > 0; n--, blocks += block_len) {
		uint32_t a = s->w32[0], b = s->w32[1], c = s->w32[2], d = s->w32[3], e = s->w32[4];

		FIVE(CH, 0x5a827999, LOAD, 0);
		FIVE(CH, 0x5a827999, LOAD, 5);
		FIVE(CH, 0x5a827999, LOAD, 10);
		ROUND(CH, 0x5a827999, LOAD(15), a, b, c, d, e);
		ROUND(CH, 0x5a827999, SCHEDULE(16), e, a, b, c, d);
		ROUND(CH, 0x5a827999, SCHEDULE(17), d, e, a, b, c);
		ROUND(CH, 0x5a827999, SCHEDULE(18), c, d, e, a, b);
		ROUND(CH, 0x5a827999, SCHEDULE(19), b, c, d, e, a);
		TWENTY(PARITY, 0x6ed9eba1, 20);
		TWENTY(MAJ, 0x8f1bbcdc, 40);
		TWENTY(PARITY, 0xca62c1d6, 60);
		s->w32[0] += a;
		s->w32[1] += b;
		s->w32[2] += c;
		s->w32[3] += d;
		s->w32[4] += e;
	}
	cardea_wipe(w, sizeof(w));
}

const struct cardea_compress_impl cardea_sha1_c = {
	.impl = { .name = "c", .need = 0, .traits = CARDEA_TRAIT_CT },
	.family = CARDEA_COMPRESS_SHA1,
	.compress = compress,
};
