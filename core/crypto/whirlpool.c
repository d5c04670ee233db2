/* SPDX-License-Identifier: MIT */
/*
 * Whirlpool (Barreto and Rijmen 2003, ISO/IEC 10118-3), bitsliced so that nothing is looked up.
 *
 * The state is a matrix of 8 by 8 bytes.  It is held as eight planes, one per bit of a byte, of 64 bits each, one
 * per byte: bit i of byte j of a plane belongs to row i, column j.  With that,
 *   SubBytes      is the S-box's own construction from 4-bit boxes, each as its algebraic normal form: 64 at once
 *   ShiftColumns  turns byte j of each plane by j bits
 *   MixRows       moves columns by turning whole planes by multiples of 8, and doubles by renaming planes
 * The key schedule is the same cipher with constants for keys, run beside the data.
 */
#include "crypto/hash_internal.h"

/* Row 0 of the key schedule's constants: byte j of word r is S[8 r + j]. */
static const uint64_t round_constant[10] = {
	0x4f01b887e8c62318, 0x52916f79f5d2a636, 0x357b0ca38e9bbc60, 0x57fe4b2ec2d7e01d,
	0xda4af09fe5377715, 0x856ba0b10a29c958, 0x67053ecbf4105dbd, 0xd8957da78b4127e4,
	0x9e4717dd667ceefb, 0x33835aad07bf2dca,
};

#define COLUMN_BYTES 0x0101010101010101u

/* E: 1 b 9 c d 6 f 3 e 8 7 4 a 2 5 0 */
static inline void box_e(uint64_t y[4], uint64_t x0, uint64_t x1, uint64_t x2, uint64_t x3)
{
	uint64_t x01 = x0 & x1, x02 = x0 & x2, x12 = x1 & x2, x03 = x0 & x3, x13 = x1 & x3, x23 = x2 & x3,
	         x012 = x01 & x2, x013 = x01 & x3, x023 = x02 & x3, x123 = x12 & x3;

	y[0] = ~(x01 ^ x02 ^ x3 ^ x13 ^ x023);
	y[1] = x0 ^ x01 ^ x12 ^ x3 ^ x013 ^ x023;
	y[2] = x01 ^ x2 ^ x3 ^ x03 ^ x023 ^ x123;
	y[3] = x0 ^ x1 ^ x01 ^ x2 ^ x12 ^ x012 ^ x3 ^ x03 ^ x013 ^ x23 ^ x023 ^ x123;
}

/* E^-1 */
static inline void box_e_inverse(uint64_t y[4], uint64_t x0, uint64_t x1, uint64_t x2, uint64_t x3)
{
	uint64_t x01 = x0 & x1, x02 = x0 & x2, x12 = x1 & x2, x03 = x0 & x3, x13 = x1 & x3, x23 = x2 & x3,
	         x012 = x01 & x2, x013 = x01 & x3, x023 = x02 & x3, x123 = x12 & x3;

	y[0] = ~(x0 ^ x01 ^ x012 ^ x13 ^ x013);
	y[1] = ~(x0 ^ x1 ^ x02 ^ x012 ^ x3 ^ x13 ^ x013 ^ x23 ^ x023 ^ x123);
	y[2] = ~(x0 ^ x01 ^ x2 ^ x12 ^ x012 ^ x3 ^ x03 ^ x13 ^ x23 ^ x023);
	y[3] = ~(x0 ^ x02 ^ x12 ^ x012 ^ x23);
}

/* R: 7 c b d e 4 9 f 6 3 8 a 2 5 1 0 */
static inline void box_r(uint64_t y[4], uint64_t x0, uint64_t x1, uint64_t x2, uint64_t x3)
{
	uint64_t x01 = x0 & x1, x02 = x0 & x2, x12 = x1 & x2, x03 = x0 & x3, x13 = x1 & x3, x23 = x2 & x3,
	         x012 = x01 & x2, x013 = x01 & x3, x023 = x02 & x3, x123 = x12 & x3;

	y[0] = ~(x0 ^ x01 ^ x2 ^ x02 ^ x12 ^ x012 ^ x3 ^ x23 ^ x023);
	y[1] = ~(x0 ^ x12 ^ x03 ^ x13 ^ x013 ^ x023 ^ x123);
	y[2] = ~(x1 ^ x01 ^ x03 ^ x23 ^ x123);
	y[3] = x0 ^ x1 ^ x01 ^ x2 ^ x12 ^ x03 ^ x013 ^ x23;
}

static void sub_bytes(uint64_t p[8])
{
	uint64_t a[4], b[4], r[4];

	box_e(a, p[4], p[5], p[6], p[7]);
	box_e_inverse(b, p[0], p[1], p[2], p[3]);
	box_r(r, a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]);
	box_e(p + 4, a[0] ^ r[0], a[1] ^ r[1], a[2] ^ r[2], a[3] ^ r[3]);
	box_e_inverse(p, b[0] ^ r[0], b[1] ^ r[1], b[2] ^ r[2], b[3] ^ r[3]);
}

/* Exchanges the bits of v that `mask` selects with those n above them. */
static inline uint64_t swap_bits(uint64_t v, unsigned n, uint64_t mask)
{
	uint64_t t = (v ^ (v >> n)) & mask;

	return v ^ t ^ (t << n);
}

/* Byte j turned left by j bits: by 4, 2 and 1 as the bits of j say. */
static inline uint64_t shift_columns(uint64_t v)
{
	v = swap_bits(v, 4, 0x0f0f0f0f00000000);
	v = (v & 0x0000ffff0000ffff) | ((v << 2) & 0xfcfc0000fcfc0000) | ((v >> 6) & 0x0303000003030000);
	return (v & 0x00ff00ff00ff00ff) | ((v << 1) & 0xfe00fe00fe00fe00) | ((v >> 7) & 0x0100010001000100);
}

/* x times each byte, modulo x^8 + x^4 + x^3 + x^2 + 1, onto out. */
static inline void add_double(uint64_t out[8], const uint64_t p[8])
{
	out[0] ^= p[7];
	out[1] ^= p[0];
	out[2] ^= p[1] ^ p[7];
	out[3] ^= p[2] ^ p[7];
	out[4] ^= p[3] ^ p[7];
	out[5] ^= p[4];
	out[6] ^= p[5];
	out[7] ^= p[6];
}

/*
 * ShiftColumns, then each row times cir(1, 1, 4, 1, 8, 5, 2, 9).  With c_k for the state moved by k columns,
 *   sum = (c0 + c1 + c3 + c5 + c7) + x (c6 + x (v2 + x v4)),   v = c0 + c3 and v2, v4 = v moved by 2 and 4,
 * where the first part is c0 plus c0 + c2 + c4 + c6 moved by one.
 */
static void shift_and_mix(uint64_t p[8])
{
	uint64_t w[8], v[8], u;

	for (unsigned i = 0; i < 8; i++) {
		p[i] = shift_columns(p[i]);
		v[i] = cardea_rol64(p[i] ^ cardea_rol64(p[i], 24), 16);
		w[i] = v[i];
		v[i] = cardea_rol64(v[i], 16);
	}
	add_double(w, v);
	for (unsigned i = 0; i < 8; i++)
		v[i] = cardea_rol64(p[i], 48);
	add_double(v, w);
	for (unsigned i = 0; i < 8; i++) {
		u = p[i] ^ cardea_rol64(p[i], 16);
		u ^= cardea_rol64(u, 32);
		p[i] ^= cardea_rol64(u, 8);
	}
	add_double(p, v);
}

/* Between rows and planes: in each byte position, the 8 by 8 bits of eight words transposed.  Its own inverse. */
static void transpose(uint64_t p[8])
{
	static const uint64_t masks[3] = { 0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f };

	for (unsigned k = 0; k < 3; k++) {
		unsigned n = 1u << k;

		for (unsigned i = 0; i < 8; i++) {
			uint64_t t;

			if (i & n)
				continue;
			t = ((p[i] >> n) ^ p[i + n]) & masks[k];
			p[i + n] ^= t;
			p[i] ^= t << n;
		}
	}
}

static void compress(union cardea_hash_state *s, const uint8_t *blocks, size_t n, size_t block_len)
{
	uint64_t h[8], key[8], state[8];

	for (unsigned i = 0; i < 8; i++)
		h[i] = s->w64[i];
	transpose(h);
	for (; n > 0; n--, blocks += block_len) {
		for (unsigned i = 0; i < 8; i++)
			state[i] = cardea_le64(blocks + 8 * i);
		transpose(state);
		/* Miyaguchi-Preneel: H' = W_H(m) + m + H. */
		for (unsigned i = 0; i < 8; i++) {
			key[i] = h[i];
			h[i] ^= state[i];
			state[i] ^= key[i];
		}
		for (unsigned r = 0; r < 10; r++) {
			sub_bytes(key);
			shift_and_mix(key);
			for (unsigned i = 0; i < 8; i++)
				key[i] ^= (round_constant[r] >> i) & COLUMN_BYTES;
			sub_bytes(state);
			shift_and_mix(state);
			for (unsigned i = 0; i < 8; i++)
				state[i] ^= key[i];
		}
		for (unsigned i = 0; i < 8; i++)
			h[i] ^= state[i];
	}
	transpose(h);
	for (unsigned i = 0; i < 8; i++)
		s->w64[i] = h[i];
	cardea_wipe(h, sizeof(h));
	cardea_wipe(key, sizeof(key));
	cardea_wipe(state, sizeof(state));
}

const struct cardea_compress_impl cardea_whirlpool_c = {
	.impl = { .name = "c", .need = 0, .traits = CARDEA_TRAIT_CT },
	.family = CARDEA_COMPRESS_WHIRLPOOL,
	.compress = compress,
};
