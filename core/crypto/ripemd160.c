/* SPDX-License-Identifier: MIT */
/*
 * RIPEMD-160 (Dobbertin, Bosselaers, Preneel 1996): two lines of five rounds of sixteen steps, which take the
 * words of the message in different orders and meet at the end.
 */
#include "crypto/hash_internal.h"

#define F1(x, y, z) ((x) ^ (y) ^ (z))
#define F2(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define F3(x, y, z) (((x) | ~(y)) ^ (z))
#define F4(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define F5(x, y, z) ((x) ^ ((y) | ~(z)))

/* One step; instead of moving the five words on, the steps rename them. */
#define STEP(f, k, a, b, c, d, e, word, s)                                                \
	do {                                                                              \
		(a) = cardea_rol32((a) + f(b, c, d) + (word) + (k), (s)) + (e);           \
		(c) = cardea_rol32((c), 10);                                              \
	} while (0)

static void compress(union cardea_hash_state *state, const uint8_t *blocks, size_t n, size_t block_len)
{
	uint32_t *h = state->w32, x[16];

	for (; n > 0; n--, blocks += block_len) {
		uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
		uint32_t a2 = a, b2 = b, c2 = c, d2 = d, e2 = e, t;

		for (unsigned i = 0; i < 16; i++)
			x[i] = cardea_le32(blocks + 4 * i);
		/* round 1, left */
		STEP(F1, 0x00000000, a, b, c, d, e, x[0], 11);
		STEP(F1, 0x00000000, e, a, b, c, d, x[1], 14);
		STEP(F1, 0x00000000, d, e, a, b, c, x[2], 15);
		STEP(F1, 0x00000000, c, d, e, a, b, x[3], 12);
		STEP(F1, 0x00000000, b, c, d, e, a, x[4], 5);
		STEP(F1, 0x00000000, a, b, c, d, e, x[5], 8);
		STEP(F1, 0x00000000, e, a, b, c, d, x[6], 7);
		STEP(F1, 0x00000000, d, e, a, b, c, x[7], 9);
		STEP(F1, 0x00000000, c, d, e, a, b, x[8], 11);
		STEP(F1, 0x00000000, b, c, d, e, a, x[9], 13);
		STEP(F1, 0x00000000, a, b, c, d, e, x[10], 14);
		STEP(F1, 0x00000000, e, a, b, c, d, x[11], 15);
		STEP(F1, 0x00000000, d, e, a, b, c, x[12], 6);
		STEP(F1, 0x00000000, c, d, e, a, b, x[13], 7);
		STEP(F1, 0x00000000, b, c, d, e, a, x[14], 9);
		STEP(F1, 0x00000000, a, b, c, d, e, x[15], 8);
		/* round 1, right */
		STEP(F5, 0x50a28be6, a2, b2, c2, d2, e2, x[5], 8);
		STEP(F5, 0x50a28be6, e2, a2, b2, c2, d2, x[14], 9);
		STEP(F5, 0x50a28be6, d2, e2, a2, b2, c2, x[7], 9);
		STEP(F5, 0x50a28be6, c2, d2, e2, a2, b2, x[0], 11);
		STEP(F5, 0x50a28be6, b2, c2, d2, e2, a2, x[9], 13);
		STEP(F5, 0x50a28be6, a2, b2, c2, d2, e2, x[2], 15);
		STEP(F5, 0x50a28be6, e2, a2, b2, c2, d2, x[11], 15);
		STEP(F5, 0x50a28be6, d2, e2, a2, b2, c2, x[4], 5);
		STEP(F5, 0x50a28be6, c2, d2, e2, a2, b2, x[13], 7);
		STEP(F5, 0x50a28be6, b2, c2, d2, e2, a2, x[6], 7);
		STEP(F5, 0x50a28be6, a2, b2, c2, d2, e2, x[15], 8);
		STEP(F5, 0x50a28be6, e2, a2, b2, c2, d2, x[8], 11);
		STEP(F5, 0x50a28be6, d2, e2, a2, b2, c2, x[1], 14);
		STEP(F5, 0x50a28be6, c2, d2, e2, a2, b2, x[10], 14);
		STEP(F5, 0x50a28be6, b2, c2, d2, e2, a2, x[3], 12);
		STEP(F5, 0x50a28be6, a2, b2, c2, d2, e2, x[12], 6);
		/* round 2, left */
		STEP(F2, 0x5a827999, e, a, b, c, d, x[7], 7);
		STEP(F2, 0x5a827999, d, e, a, b, c, x[4], 6);
		STEP(F2, 0x5a827999, c, d, e, a, b, x[13], 8);
		STEP(F2, 0x5a827999, b, c, d, e, a, x[1], 13);
		STEP(F2, 0x5a827999, a, b, c, d, e, x[10], 11);
		STEP(F2, 0x5a827999, e, a, b, c, d, x[6], 9);
		STEP(F2, 0x5a827999, d, e, a, b, c, x[15], 7);
		STEP(F2, 0x5a827999, c, d, e, a, b, x[3], 15);
		STEP(F2, 0x5a827999, b, c, d, e, a, x[12], 7);
		STEP(F2, 0x5a827999, a, b, c, d, e, x[0], 12);
		STEP(F2, 0x5a827999, e, a, b, c, d, x[9], 15);
		STEP(F2, 0x5a827999, d, e, a, b, c, x[5], 9);
		STEP(F2, 0x5a827999, c, d, e, a, b, x[2], 11);
		STEP(F2, 0x5a827999, b, c, d, e, a, x[14], 7);
		STEP(F2, 0x5a827999, a, b, c, d, e, x[11], 13);
		STEP(F2, 0x5a827999, e, a, b, c, d, x[8], 12);
		/* round 2, right */
		STEP(F4, 0x5c4dd124, e2, a2, b2, c2, d2, x[6], 9);
		STEP(F4, 0x5c4dd124, d2, e2, a2, b2, c2, x[11], 13);
		STEP(F4, 0x5c4dd124, c2, d2, e2, a2, b2, x[3], 15);
		STEP(F4, 0x5c4dd124, b2, c2, d2, e2, a2, x[7], 7);
		STEP(F4, 0x5c4dd124, a2, b2, c2, d2, e2, x[0], 12);
		STEP(F4, 0x5c4dd124, e2, a2, b2, c2, d2, x[13], 8);
		STEP(F4, 0x5c4dd124, d2, e2, a2, b2, c2, x[5], 9);
		STEP(F4, 0x5c4dd124, c2, d2, e2, a2, b2, x[10], 11);
		STEP(F4, 0x5c4dd124, b2, c2, d2, e2, a2, x[14], 7);
		STEP(F4, 0x5c4dd124, a2, b2, c2, d2, e2, x[15], 7);
		STEP(F4, 0x5c4dd124, e2, a2, b2, c2, d2, x[8], 12);
		STEP(F4, 0x5c4dd124, d2, e2, a2, b2, c2, x[12], 7);
		STEP(F4, 0x5c4dd124, c2, d2, e2, a2, b2, x[4], 6);
		STEP(F4, 0x5c4dd124, b2, c2, d2, e2, a2, x[9], 15);
		STEP(F4, 0x5c4dd124, a2, b2, c2, d2, e2, x[1], 13);
		STEP(F4, 0x5c4dd124, e2, a2, b2, c2, d2, x[2], 11);
		/* round 3, left */
		STEP(F3, 0x6ed9eba1, d, e, a, b, c, x[3], 11);
		STEP(F3, 0x6ed9eba1, c, d, e, a, b, x[10], 13);
		STEP(F3, 0x6ed9eba1, b, c, d, e, a, x[14], 6);
		STEP(F3, 0x6ed9eba1, a, b, c, d, e, x[4], 7);
		STEP(F3, 0x6ed9eba1, e, a, b, c, d, x[9], 14);
		STEP(F3, 0x6ed9eba1, d, e, a, b, c, x[15], 9);
		STEP(F3, 0x6ed9eba1, c, d, e, a, b, x[8], 13);
		STEP(F3, 0x6ed9eba1, b, c, d, e, a, x[1], 15);
		STEP(F3, 0x6ed9eba1, a, b, c, d, e, x[2], 14);
		STEP(F3, 0x6ed9eba1, e, a, b, c, d, x[7], 8);
		STEP(F3, 0x6ed9eba1, d, e, a, b, c, x[0], 13);
		STEP(F3, 0x6ed9eba1, c, d, e, a, b, x[6], 6);
		STEP(F3, 0x6ed9eba1, b, c, d, e, a, x[13], 5);
		STEP(F3, 0x6ed9eba1, a, b, c, d, e, x[11], 12);
		STEP(F3, 0x6ed9eba1, e, a, b, c, d, x[5], 7);
		STEP(F3, 0x6ed9eba1, d, e, a, b, c, x[12], 5);
		/* round 3, right */
		STEP(F3, 0x6d703ef3, d2, e2, a2, b2, c2, x[15], 9);
		STEP(F3, 0x6d703ef3, c2, d2, e2, a2, b2, x[5], 7);
		STEP(F3, 0x6d703ef3, b2, c2, d2, e2, a2, x[1], 15);
		STEP(F3, 0x6d703ef3, a2, b2, c2, d2, e2, x[3], 11);
		STEP(F3, 0x6d703ef3, e2, a2, b2, c2, d2, x[7], 8);
		STEP(F3, 0x6d703ef3, d2, e2, a2, b2, c2, x[14], 6);
		STEP(F3, 0x6d703ef3, c2, d2, e2, a2, b2, x[6], 6);
		STEP(F3, 0x6d703ef3, b2, c2, d2, e2, a2, x[9], 14);
		STEP(F3, 0x6d703ef3, a2, b2, c2, d2, e2, x[11], 12);
		STEP(F3, 0x6d703ef3, e2, a2, b2, c2, d2, x[8], 13);
		STEP(F3, 0x6d703ef3, d2, e2, a2, b2, c2, x[12], 5);
		STEP(F3, 0x6d703ef3, c2, d2, e2, a2, b2, x[2], 14);
		STEP(F3, 0x6d703ef3, b2, c2, d2, e2, a2, x[10], 13);
		STEP(F3, 0x6d703ef3, a2, b2, c2, d2, e2, x[0], 13);
		STEP(F3, 0x6d703ef3, e2, a2, b2, c2, d2, x[4], 7);
		STEP(F3, 0x6d703ef3, d2, e2, a2, b2, c2, x[13], 5);
		/* round 4, left */
		STEP(F4, 0x8f1bbcdc, c, d, e, a, b, x[1], 11);
		STEP(F4, 0x8f1bbcdc, b, c, d, e, a, x[9], 12);
		STEP(F4, 0x8f1bbcdc, a, b, c, d, e, x[11], 14);
		STEP(F4, 0x8f1bbcdc, e, a, b, c, d, x[10], 15);
		STEP(F4, 0x8f1bbcdc, d, e, a, b, c, x[0], 14);
		STEP(F4, 0x8f1bbcdc, c, d, e, a, b, x[8], 15);
		STEP(F4, 0x8f1bbcdc, b, c, d, e, a, x[12], 9);
		STEP(F4, 0x8f1bbcdc, a, b, c, d, e, x[4], 8);
		STEP(F4, 0x8f1bbcdc, e, a, b, c, d, x[13], 9);
		STEP(F4, 0x8f1bbcdc, d, e, a, b, c, x[3], 14);
		STEP(F4, 0x8f1bbcdc, c, d, e, a, b, x[7], 5);
		STEP(F4, 0x8f1bbcdc, b, c, d, e, a, x[15], 6);
		STEP(F4, 0x8f1bbcdc, a, b, c, d, e, x[14], 8);
		STEP(F4, 0x8f1bbcdc, e, a, b, c, d, x[5], 6);
		STEP(F4, 0x8f1bbcdc, d, e, a, b, c, x[6], 5);
		STEP(F4, 0x8f1bbcdc, c, d, e, a, b, x[2], 12);
		/* round 4, right */
		STEP(F2, 0x7a6d76e9, c2, d2, e2, a2, b2, x[8], 15);
		STEP(F2, 0x7a6d76e9, b2, c2, d2, e2, a2, x[6], 5);
		STEP(F2, 0x7a6d76e9, a2, b2, c2, d2, e2, x[4], 8);
		STEP(F2, 0x7a6d76e9, e2, a2, b2, c2, d2, x[1], 11);
		STEP(F2, 0x7a6d76e9, d2, e2, a2, b2, c2, x[3], 14);
		STEP(F2, 0x7a6d76e9, c2, d2, e2, a2, b2, x[11], 14);
		STEP(F2, 0x7a6d76e9, b2, c2, d2, e2, a2, x[15], 6);
		STEP(F2, 0x7a6d76e9, a2, b2, c2, d2, e2, x[0], 14);
		STEP(F2, 0x7a6d76e9, e2, a2, b2, c2, d2, x[5], 6);
		STEP(F2, 0x7a6d76e9, d2, e2, a2, b2, c2, x[12], 9);
		STEP(F2, 0x7a6d76e9, c2, d2, e2, a2, b2, x[2], 12);
		STEP(F2, 0x7a6d76e9, b2, c2, d2, e2, a2, x[13], 9);
		STEP(F2, 0x7a6d76e9, a2, b2, c2, d2, e2, x[9], 12);
		STEP(F2, 0x7a6d76e9, e2, a2, b2, c2, d2, x[7], 5);
		STEP(F2, 0x7a6d76e9, d2, e2, a2, b2, c2, x[10], 15);
		STEP(F2, 0x7a6d76e9, c2, d2, e2, a2, b2, x[14], 8);
		/* round 5, left */
		STEP(F5, 0xa953fd4e, b, c, d, e, a, x[4], 9);
		STEP(F5, 0xa953fd4e, a, b, c, d, e, x[0], 15);
		STEP(F5, 0xa953fd4e, e, a, b, c, d, x[5], 5);
		STEP(F5, 0xa953fd4e, d, e, a, b, c, x[9], 11);
		STEP(F5, 0xa953fd4e, c, d, e, a, b, x[7], 6);
		STEP(F5, 0xa953fd4e, b, c, d, e, a, x[12], 8);
		STEP(F5, 0xa953fd4e, a, b, c, d, e, x[2], 13);
		STEP(F5, 0xa953fd4e, e, a, b, c, d, x[10], 12);
		STEP(F5, 0xa953fd4e, d, e, a, b, c, x[14], 5);
		STEP(F5, 0xa953fd4e, c, d, e, a, b, x[1], 12);
		STEP(F5, 0xa953fd4e, b, c, d, e, a, x[3], 13);
		STEP(F5, 0xa953fd4e, a, b, c, d, e, x[8], 14);
		STEP(F5, 0xa953fd4e, e, a, b, c, d, x[11], 11);
		STEP(F5, 0xa953fd4e, d, e, a, b, c, x[6], 8);
		STEP(F5, 0xa953fd4e, c, d, e, a, b, x[15], 5);
		STEP(F5, 0xa953fd4e, b, c, d, e, a, x[13], 6);
		/* round 5, right */
		STEP(F1, 0x00000000, b2, c2, d2, e2, a2, x[12], 8);
		STEP(F1, 0x00000000, a2, b2, c2, d2, e2, x[15], 5);
		STEP(F1, 0x00000000, e2, a2, b2, c2, d2, x[10], 12);
		STEP(F1, 0x00000000, d2, e2, a2, b2, c2, x[4], 9);
		STEP(F1, 0x00000000, c2, d2, e2, a2, b2, x[1], 12);
		STEP(F1, 0x00000000, b2, c2, d2, e2, a2, x[5], 5);
		STEP(F1, 0x00000000, a2, b2, c2, d2, e2, x[8], 14);
		STEP(F1, 0x00000000, e2, a2, b2, c2, d2, x[7], 6);
		STEP(F1, 0x00000000, d2, e2, a2, b2, c2, x[6], 8);
		STEP(F1, 0x00000000, c2, d2, e2, a2, b2, x[2], 13);
		STEP(F1, 0x00000000, b2, c2, d2, e2, a2, x[13], 6);
		STEP(F1, 0x00000000, a2, b2, c2, d2, e2, x[14], 5);
		STEP(F1, 0x00000000, e2, a2, b2, c2, d2, x[0], 15);
		STEP(F1, 0x00000000, d2, e2, a2, b2, c2, x[3], 13);
		STEP(F1, 0x00000000, c2, d2, e2, a2, b2, x[9], 11);
		STEP(F1, 0x00000000, b2, c2, d2, e2, a2, x[11], 11);
		t = h[1] + c + d2;
		h[1] = h[2] + d + e2;
		h[2] = h[3] + e + a2;
		h[3] = h[4] + a + b2;
		h[4] = h[0] + b + c2;
		h[0] = t;
	}
	cardea_wipe(x, sizeof(x));
}

const struct cardea_compress_impl cardea_ripemd160_c = {
	.impl = { .name = "c", .need = 0, .traits = CARDEA_TRAIT_CT },
	.family = CARDEA_COMPRESS_RIPEMD160,
	.compress = compress,
};
