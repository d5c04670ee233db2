/* SPDX-License-Identifier: MIT */
/* Keccak-f[1600] and the absorbing of SHA-3, FIPS 202 sections 3 and 4. */
#include "crypto/hash_internal.h"

static const uint64_t round_constant[24] = {
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

static void keccak_f(uint64_t a[25])
{
	uint64_t b[25], c[5], d[5];

	for (unsigned r = 0; r < 24; r++) {
		/* theta: parities of columns, added as rho and pi move the lanes to their places in b */
		for (unsigned x = 0; x < 5; x++)
			c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
		d[0] = c[4] ^ cardea_rol64(c[1], 1);
		d[1] = c[0] ^ cardea_rol64(c[2], 1);
		d[2] = c[1] ^ cardea_rol64(c[3], 1);
		d[3] = c[2] ^ cardea_rol64(c[4], 1);
		d[4] = c[3] ^ cardea_rol64(c[0], 1);
		b[0] = a[0] ^ d[0];
		b[10] = cardea_rol64(a[1] ^ d[1], 1);
		b[20] = cardea_rol64(a[2] ^ d[2], 62);
		b[5] = cardea_rol64(a[3] ^ d[3], 28);
		b[15] = cardea_rol64(a[4] ^ d[4], 27);
		b[16] = cardea_rol64(a[5] ^ d[0], 36);
		b[1] = cardea_rol64(a[6] ^ d[1], 44);
		b[11] = cardea_rol64(a[7] ^ d[2], 6);
		b[21] = cardea_rol64(a[8] ^ d[3], 55);
		b[6] = cardea_rol64(a[9] ^ d[4], 20);
		b[7] = cardea_rol64(a[10] ^ d[0], 3);
		b[17] = cardea_rol64(a[11] ^ d[1], 10);
		b[2] = cardea_rol64(a[12] ^ d[2], 43);
		b[12] = cardea_rol64(a[13] ^ d[3], 25);
		b[22] = cardea_rol64(a[14] ^ d[4], 39);
		b[23] = cardea_rol64(a[15] ^ d[0], 41);
		b[8] = cardea_rol64(a[16] ^ d[1], 45);
		b[18] = cardea_rol64(a[17] ^ d[2], 15);
		b[3] = cardea_rol64(a[18] ^ d[3], 21);
		b[13] = cardea_rol64(a[19] ^ d[4], 8);
		b[14] = cardea_rol64(a[20] ^ d[0], 18);
		b[24] = cardea_rol64(a[21] ^ d[1], 2);
		b[9] = cardea_rol64(a[22] ^ d[2], 61);
		b[19] = cardea_rol64(a[23] ^ d[3], 56);
		b[4] = cardea_rol64(a[24] ^ d[4], 14);
		/* chi */
		for (unsigned y = 0; y < 25; y += 5) {
			a[y] = b[y] ^ (~b[y + 1] & b[y + 2]);
			a[y + 1] = b[y + 1] ^ (~b[y + 2] & b[y + 3]);
			a[y + 2] = b[y + 2] ^ (~b[y + 3] & b[y + 4]);
			a[y + 3] = b[y + 3] ^ (~b[y + 4] & b[y]);
			a[y + 4] = b[y + 4] ^ (~b[y] & b[y + 1]);
		}
		a[0] ^= round_constant[r];
	}
	cardea_wipe(b, sizeof(b));
	cardea_wipe(c, sizeof(c));
	cardea_wipe(d, sizeof(d));
}

static void compress(union cardea_hash_state *s, const uint8_t *blocks, size_t n, size_t block_len)
{
	for (; n > 0; n--, blocks += block_len) {
		for (size_t i = 0; i < block_len / 8; i++)
			s->w64[i] ^= cardea_le64(blocks + 8 * i);
		keccak_f(s->w64);
	}
}

const struct cardea_compress_impl cardea_keccak_c = {
	.impl = { .name = "c", .need = 0, .traits = CARDEA_TRAIT_CT },
	.family = CARDEA_COMPRESS_KECCAK,
	.compress = compress,
};
