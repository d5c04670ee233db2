/* SPDX-License-Identifier: MIT */
/* SHA-224 and SHA-256, FIPS 180-4 section 6.2. */
#include "crypto/hash_internal.h"

/* Fractional parts of the cube roots of the first 64 primes. */
static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROTR(x, n) cardea_ror32((x), (n))
#define BIG0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define BIG1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define SMALL0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ ((x) >> 3))
#define SMALL1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ ((x) >> 10))
#define CH(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJ(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))

/* One round; instead of moving the eight words on, the callers rename them. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                          \
	do {                                                                                      \
		uint32_t t = (h) + BIG1(e) + CH(e, f, g) + k[r + (i)] + w[i];                       \
		(d) += t;                                                                         \
		(h) = t + BIG0(a) + MAJ(a, b, c);                                                 \
	} while (0)

/* The message schedule, in place: w[i] is W_t until then and W_(t+16) from here on. */
#define SCHEDULE(i) \
	(w[i] += SMALL0(w[((i) + 1) & 15]) + w[((i) + 9) & 15] + SMALL1(w[((i) + 14) & 15]))

#define EIGHT(i)                                                                                  \
	do {                                                                                      \
		ROUND(a, b, c, d, e, f, g, h, (i) + 0);                                           \
		ROUND(h, a, b, c, d, e, f, g, (i) + 1);                                           \
		ROUND(g, h, a, b, c, d, e, f, (i) + 2);                                           \
		ROUND(f, g, h, a, b, c, d, e, (i) + 3);                                           \
		ROUND(e, f, g, h, a, b, c, d, (i) + 4);                                           \
		ROUND(d, e, f, g, h, a, b, c, (i) + 5);                                           \
		ROUND(c, d, e, f, g, h, a, b, (i) + 6);                                           \
		ROUND(b, c, d, e, f, g, h, a, (i) + 7);                                           \
	} while (0)

#define SCHEDULE_EIGHT(i)                                                                         \
	do {                                                                                      \
		SCHEDULE((i) + 0);                                                                \
		SCHEDULE((i) + 1);                                                                \
		SCHEDULE((i) + 2);                                                                \
		SCHEDULE((i) + 3);                                                                \
		SCHEDULE((i) + 4);                                                                \
		SCHEDULE((i) + 5);                                                                \
		SCHEDULE((i) + 6);                                                                \
		SCHEDULE((i) + 7);                                                                \
	} while (0)

static void compress(union cardea_hash_state *s, const uint8_t *blocks, size_t n, size_t block_len)
{
	uint32_t w[16];

	for (; n > 0; n--, blocks += block_len) {
		uint32_t a = s->w32[0], b = s->w32[1], c = s->w32[2], d = s->w32[3];
		uint32_t e = s->w32[4], f = s->w32[5], g = s->w32[6], h = s->w32[7];

		for (unsigned i = 0; i < 16; i++)
			w[i] = cardea_be32(blocks + 4 * i);
		for (unsigned r = 0;; r += 16) {
			EIGHT(0);
			EIGHT(8);
			if (r == 48)
				break;
			SCHEDULE_EIGHT(0);
			SCHEDULE_EIGHT(8);
		}
		s->w32[0] += a;
		s->w32[1] += b;
		s->w32[2] += c;
		s->w32[3] += d;
		s->w32[4] += e;
		s->w32[5] += f;
		s->w32[6] += g;
		s->w32[7] += h;
	}
	cardea_wipe(w, sizeof(w));
}

const struct cardea_compress_impl cardea_sha256_c = {
	.impl = { .name = "c", .need = 0, .traits = CARDEA_TRAIT_CT },
	.family = CARDEA_COMPRESS_SHA256,
	.compress = compress,
};
