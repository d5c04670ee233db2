/* SPDX-License-Identifier: MIT */
/* BLAKE2b and BLAKE2s, RFC 7693 section 3.2. */
#include "crypto/hash_internal.h"

static const uint8_t sigma[10][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
};

/* The initial values of SHA-512 and SHA-256 (FIPS 180-4 section 5.3). */
static const uint64_t iv_b[8] = { 0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	                          0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179 };
static const uint32_t iv_s[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

/* The mixing function of RFC 7693 section 3.1 with the rotations r1 to r4 of the word size. */
#define MIX(ror, r1, r2, r3, r4, a, b, c, d, x, y)                                            \
	do {                                                                                  \
		v[a] += v[b] + (x);                                                           \
		v[d] = ror(v[d] ^ v[a], r1);                                                  \
		v[c] += v[d];                                                                 \
		v[b] = ror(v[b] ^ v[c], r2);                                                  \
		v[a] += v[b] + (y);                                                           \
		v[d] = ror(v[d] ^ v[a], r3);                                                  \
		v[c] += v[d];                                                                 \
		v[b] = ror(v[b] ^ v[c], r4);                                                  \
	} while (0)
#define MIX_B(a, b, c, d, x, y) MIX(cardea_ror64, 32, 24, 16, 63, a, b, c, d, x, y)
#define MIX_S(a, b, c, d, x, y) MIX(cardea_ror32, 16, 12, 8, 7, a, b, c, d, x, y)

/* r is a constant, so that sigma is resolved when this is compiled. */
#define ROUND(mix, r)                                                                         \
	do {                                                                                  \
		mix(0, 4, 8, 12, m[sigma[r][0]], m[sigma[r][1]]);                             \
		mix(1, 5, 9, 13, m[sigma[r][2]], m[sigma[r][3]]);                             \
		mix(2, 6, 10, 14, m[sigma[r][4]], m[sigma[r][5]]);                            \
		mix(3, 7, 11, 15, m[sigma[r][6]], m[sigma[r][7]]);                            \
		mix(0, 5, 10, 15, m[sigma[r][8]], m[sigma[r][9]]);                            \
		mix(1, 6, 11, 12, m[sigma[r][10]], m[sigma[r][11]]);                          \
		mix(2, 7, 8, 13, m[sigma[r][12]], m[sigma[r][13]]);                           \
		mix(3, 4, 9, 14, m[sigma[r][14]], m[sigma[r][15]]);                           \
	} while (0)
#define TEN_ROUNDS(mix)                                                                       \
	do {                                                                                  \
		ROUND(mix, 0);                                                                \
		ROUND(mix, 1);                                                                \
		ROUND(mix, 2);                                                                \
		ROUND(mix, 3);                                                                \
		ROUND(mix, 4);                                                                \
		ROUND(mix, 5);                                                                \
		ROUND(mix, 6);                                                                \
		ROUND(mix, 7);                                                                \
		ROUND(mix, 8);                                                                \
		ROUND(mix, 9);                                                                \
	} while (0)

static void compress_b(union cardea_hash_state *s, const uint8_t *blocks, size_t n, size_t block_len)
{
	uint64_t v[16], m[16], *h = s->w64;

	for (; n > 0; n--, blocks += block_len) {
		for (unsigned i = 0; i < 16; i++)
			m[i] = cardea_le64(blocks + 8 * i);
		for (unsigned i = 0; i < 8; i++) {
			v[i] = h[i];
			v[i + 8] = iv_b[i];
		}
		/* The high half of the counter stays 0: 2^64 bytes are never hashed. */
		v[12] ^= s->w64[CARDEA_BLAKE2_COUNT];
		v[14] ^= s->w64[CARDEA_BLAKE2_FINAL];
		TEN_ROUNDS(MIX_B);
		ROUND(MIX_B, 0);
		ROUND(MIX_B, 1);
		for (unsigned i = 0; i < 8; i++)
			h[i] ^= v[i] ^ v[i + 8];
		s->w64[CARDEA_BLAKE2_COUNT] += block_len;
	}
	cardea_wipe(v, sizeof(v));
	cardea_wipe(m, sizeof(m));
}

static void compress_s(union cardea_hash_state *s, const uint8_t *blocks, size_t n, size_t block_len)
{
	uint32_t v[16], m[16], *h = s->w32;

	for (; n > 0; n--, blocks += block_len) {
		for (unsigned i = 0; i < 16; i++)
			m[i] = cardea_le32(blocks + 4 * i);
		for (unsigned i = 0; i < 8; i++) {
			v[i] = h[i];
			v[i + 8] = iv_s[i];
		}
		v[12] ^= (uint32_t)s->w64[CARDEA_BLAKE2_COUNT];
		v[13] ^= (uint32_t)(s->w64[CARDEA_BLAKE2_COUNT] >> 32);
		v[14] ^= (uint32_t)s->w64[CARDEA_BLAKE2_FINAL];
		TEN_ROUNDS(MIX_S);
		for (unsigned i = 0; i < 8; i++)
			h[i] ^= v[i] ^ v[i + 8];
		s->w64[CARDEA_BLAKE2_COUNT] += block_len;
	}
	cardea_wipe(v, sizeof(v));
	cardea_wipe(m, sizeof(m));
}

const struct cardea_compress_impl cardea_blake2b_c = {
	.impl = { .name = "c", .need = 0, .traits = CARDEA_TRAIT_CT },
	.family = CARDEA_COMPRESS_BLAKE2B,
	.compress = compress_b,
};

const struct cardea_compress_impl cardea_blake2s_c = {
	.impl = { .name = "c", .need = 0, .traits = CARDEA_TRAIT_CT },
	.family = CARDEA_COMPRESS_BLAKE2S,
	.compress = compress_s,
};
