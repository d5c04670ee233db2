/* SPDX-License-Identifier: MIT */
/*
 * Twofish (Schneier, Kelsey, Whiting, Wagner, Hall, Ferguson: "Twofish: A 128-Bit Block Cipher", 1998),
 * bitsliced over 32 blocks in general registers: constant time, where the usual key-dependent tables leak the
 * key through the cache.
 *
 * A word of the state is 32 planes, one per bit; each lane (bit of a plane) is a block.  A plane has 64 lanes:
 * the low half works on the first word of a pair and the high half on the second, kept rotated left by 8, so
 * that one pass of g() gives both of its values of a round:
 *
 *         x[i] = bit i of R0 in lanes 0-31, bit i of ROL(R1, 8) in lanes 32-63
 *
 * Rotations within a word only rename planes.  q0 and q1 are evaluated from their 4-bit tables (section 4.3.5),
 * each of which is a circuit of 16 to 18 gates, found by a program of ours: M. Kwan's search ("Reducing the
 * gate count of bitslice DES", 2000), randomised, over AND, OR, XOR and NOT.  The MDS matrix needs only halvings
 * in GF(2^8), because 5B = 1 + 1/4 and EF = 1 + 1/2 + 1/4.  The additions are ripple-carry adders on planes.
 *
 * The key schedule runs through the same h(): lane j is A_j, lane 32 + j is B_j, with a key of its own for each
 * half.
 */
#include "crypto/cipher.h"

#define LANES 32u
#define LOW 0x00000000ffffffffu
#define HIGH 0xffffffff00000000u
#define ROUNDS 16u
#define INLINE static inline __attribute__((always_inline))

/*
 * GCC at -O2 keeps short loops over an array of planes as they are, and the planes in memory; unrolled, they are
 * plain variables (twice as fast).  clang does that by itself.
 */
#ifdef __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

/* 64 lanes of a word; byte n is planes 8 n to 8 n + 7. */
struct planes {
	uint64_t p[32];
};

/* What the key turns into for a call: planes whose lanes are all equal within a half. */
struct sliced_key {
	struct planes s[4];          /* xored between the layers of h(), s[0] last      */
	struct planes k[4 + ROUNDS]; /* input whitening (2), output whitening (2), rounds */
};
CARDEA_WIPE_OF(sliced_key, struct sliced_key);

/* ---- q0 and q1 ----------------------------------------------------------------------------------------- */

/* x0 is the least significant bit of a table's index, y0 of its value. */
/* 8 1 7 D 6 F 3 2 0 B 5 9 E C A 4 */
INLINE void q0_t0(uint64_t y[4], const uint64_t x[4])
{
	uint64_t t0 = x[3] & x[0], t1 = t0 ^ x[2], t2 = t0 | x[1], t3 = t1 ^ t2, t4 = x[3] ^ x[0];
	uint64_t t5 = t4 | x[2], t6 = ~t5, t7 = t6 & x[1], t8 = t1 ^ t7, t9 = t8 | t6, t10 = t9 ^ x[3];
	uint64_t t11 = t5 ^ x[0], t12 = t11 | x[1], t13 = t10 ^ t12, t14 = t10 & t2, t15 = t14 ^ x[0];

	y[0] = t15;
	y[1] = t8;
	y[2] = t3;
	y[3] = t13;
}

/* E C B 8 1 2 3 5 F 4 A 6 7 0 9 D */
INLINE void q0_t1(uint64_t y[4], const uint64_t x[4])
{
	uint64_t t0 = ~x[2], t1 = x[1] ^ x[0], t2 = t1 & x[2], t3 = x[0] ^ t2, t4 = t3 & x[3], t5 = t0 ^ t4;
	uint64_t t6 = x[3] ^ x[1], t7 = t6 | t5, t8 = t4 | x[0], t9 = t7 ^ t8, t10 = t7 ^ t1, t11 = t9 | t0;
	uint64_t t12 = t11 & x[0], t13 = t10 ^ t12, t14 = t2 & x[0], t15 = t9 & t6, t16 = t15 | x[2];
	uint64_t t17 = t14 ^ t16;

	y[0] = t17;
	y[1] = t9;
	y[2] = t13;
	y[3] = t5;
}

/* B A 5 E 6 D 9 0 C 8 F 3 2 4 7 1 */
INLINE void q0_t2(uint64_t y[4], const uint64_t x[4])
{
	uint64_t t0 = x[3] ^ x[1], t1 = t0 | x[2], t2 = ~t1, t3 = t2 ^ x[0], t4 = t3 | x[3], t5 = t0 ^ t4;
	uint64_t t6 = t3 ^ x[1], t7 = t6 ^ x[2], t8 = t7 ^ t4, t9 = ~t7, t10 = t9 | t2, t11 = t6 & x[3];
	uint64_t t12 = t10 ^ t11, t13 = t12 | x[0], t14 = t0 & x[3], t15 = t14 | x[2], t16 = t13 ^ t15;

	y[0] = t5;
	y[1] = t16;
	y[2] = t8;
	y[3] = t12;
}

/* D 7 F 4 1 2 6 E 9 B 3 0 8 5 C A */
INLINE void q0_t3(uint64_t y[4], const uint64_t x[4])
{
	uint64_t t0 = ~x[2], t1 = t0 | x[1], t2 = t0 | x[0], t3 = t2 & x[3], t4 = t1 ^ t3, t5 = t2 ^ x[2];
	uint64_t t6 = t5 & x[1], t7 = x[0] ^ t6, t8 = t4 & x[3], t9 = t7 ^ t8, t10 = t6 ^ t4, t11 = t7 & t0;
	uint64_t t12 = t11 | x[3], t13 = t10 ^ t12, t14 = t13 | t9, t15 = t14 ^ x[2];

	y[0] = t15;
	y[1] = t9;
	y[2] = t4;
	y[3] = t13;
}

/* 2 8 B D F 7 6 E 3 1 9 4 0 A C 5 */
INLINE void q1_t0(uint64_t y[4], const uint64_t x[4])
{
	uint64_t t0 = x[3] ^ x[0], t1 = t0 ^ x[1], t2 = t1 & x[0], t3 = t2 ^ t0, t4 = t3 | x[2], t5 = t1 ^ t4;
	uint64_t t6 = t5 & x[3], t7 = t6 | x[0], t8 = t1 ^ t7, t9 = t8 ^ x[2], t10 = t6 & x[2], t11 = t10 ^ t0;
	uint64_t t12 = t11 & x[3], t13 = t4 ^ t12, t14 = ~t7, t15 = t11 & x[2], t16 = t14 ^ t15;

	y[0] = t9;
	y[1] = t16;
	y[2] = t13;
	y[3] = t5;
}

/* 1 E 2 B 4 C 3 7 6 D A 5 F 9 0 8 */
INLINE void q1_t1(uint64_t y[4], const uint64_t x[4])
{
	uint64_t t0 = x[3] & x[2], t1 = t0 | x[0], t2 = x[2] & x[0], t3 = t2 ^ x[3], t4 = t3 & x[1];
	uint64_t t5 = t1 ^ t4, t6 = x[3] ^ x[1], t7 = t5 | x[2], t8 = t6 ^ t7, t9 = ~t8, t10 = t8 | t3;
	uint64_t t11 = t8 & x[1], t12 = t10 ^ t11, t13 = t12 ^ t1, t14 = t13 | t8, t15 = t14 ^ x[2];

	y[0] = t9;
	y[1] = t15;
	y[2] = t12;
	y[3] = t5;
}

/* 4 C 7 5 1 6 9 A 0 E D 8 2 B 3 F */
INLINE void q1_t2(uint64_t y[4], const uint64_t x[4])
{
	uint64_t t0 = x[3] ^ x[1], t1 = t0 ^ x[0], t2 = t1 & x[3], t3 = ~t2, t4 = t1 ^ x[2], t5 = t4 | x[1];
	uint64_t t6 = t5 & x[2], t7 = t3 ^ t6, t8 = t6 ^ t5, t9 = x[3] | x[0], t10 = t8 ^ t9, t11 = t8 | t2;
	uint64_t t12 = t11 ^ t0, t13 = t11 | x[0], t14 = t13 ^ t2, t15 = t14 & x[1], t16 = t6 ^ t15;

	y[0] = t16;
	y[1] = t10;
	y[2] = t7;
	y[3] = t12;
}

/* B 9 5 1 C 3 D E 6 4 7 F 2 0 8 A */
INLINE void q1_t3(uint64_t y[4], const uint64_t x[4])
{
	uint64_t t0 = x[3] | x[0], t1 = t0 & x[2], t2 = x[3] ^ x[2], t3 = ~t2, t4 = t3 | x[1], t5 = t1 ^ t4;
	uint64_t t6 = x[3] | x[2], t7 = t6 ^ x[1], t8 = t5 ^ t0, t9 = t8 | x[0], t10 = t7 ^ t9, t11 = t8 ^ x[1];
	uint64_t t12 = t7 | x[2], t13 = t12 & x[0], t14 = t11 ^ t13, t15 = t11 | t10, t16 = t15 ^ t3;

	y[0] = t5;
	y[1] = t14;
	y[2] = t16;
	y[3] = t10;
}

typedef void table_fn(uint64_t y[4], const uint64_t x[4]);

/* The linear mixing of both rounds: a' = a + b, b' = a + ROR4(b, 1) + 8 a. */
INLINE void mix(uint64_t a[4], uint64_t b[4], const uint64_t a_in[4], const uint64_t b_in[4])
{
	UNROLL
	for (unsigned i = 0; i < 4; i++) {
		a[i] = a_in[i] ^ b_in[i];
		b[i] = a_in[i] ^ b_in[(i + 1) % 4];
	}
	b[3] ^= a_in[0];
}

/* Section 4.3.5.  a is the high half of the byte that comes in, the low half of what goes out. */
INLINE void q_body(table_fn *t0, table_fn *t1, table_fn *t2, table_fn *t3, uint64_t out[8], const uint64_t in[8])
{
	uint64_t a[4], b[4], c[4], d[4];

	mix(a, b, in + 4, in);
	t0(c, a);
	t1(d, b);
	mix(a, b, c, d);
	t2(out, a);
	t3(out + 4, b);
}

INLINE void q0_body(uint64_t out[8], const uint64_t in[8])
{
	q_body(q0_t0, q0_t1, q0_t2, q0_t3, out, in);
}

INLINE void q1_body(uint64_t out[8], const uint64_t in[8])
{
	q_body(q1_t0, q1_t1, q1_t2, q1_t3, out, in);
}

/* Called, not inlined: 20 copies per round would not fit the instruction cache's fast part. */
static __attribute__((noinline)) void q0(uint64_t out[8], const uint64_t in[8])
{
	q0_body(out, in);
}

static __attribute__((noinline)) void q1(uint64_t out[8], const uint64_t in[8])
{
	q1_body(out, in);
}

/* y = q(y) + k */
static __attribute__((noinline)) void q0_key(uint64_t y[8], const uint64_t in[8], const uint64_t k[8])
{
	uint64_t t[8];

	q0_body(t, in);
	UNROLL
	for (unsigned i = 0; i < 8; i++)
		y[i] = t[i] ^ k[i];
}

static __attribute__((noinline)) void q1_key(uint64_t y[8], const uint64_t in[8], const uint64_t k[8])
{
	uint64_t t[8];

	q1_body(t, in);
	UNROLL
	for (unsigned i = 0; i < 8; i++)
		y[i] = t[i] ^ k[i];
}

/* ---- h, which is also g ------------------------------------------------------------------------------- */

/* out = a / 2 + b, in GF(2^8) modulo x^8 + x^6 + x^5 + x^3 + 1. */
INLINE void halve_add(uint64_t out[8], const uint64_t a[8], const uint64_t b[8])
{
	uint64_t a0 = a[0];

	out[0] = a[1] ^ b[0];
	out[1] = a[2] ^ b[1];
	out[2] = a[3] ^ a0 ^ b[2];
	out[3] = a[4] ^ b[3];
	out[4] = a[5] ^ a0 ^ b[4];
	out[5] = a[6] ^ a0 ^ b[5];
	out[6] = a[7] ^ b[6];
	out[7] = a0 ^ b[7];
}

INLINE void add(uint64_t out[8], const uint64_t a[8], const uint64_t b[8])
{
	UNROLL
	for (unsigned i = 0; i < 8; i++)
		out[i] = a[i] ^ b[i];
}

/*
 * With 5B = 1 + 1/4 and EF = 1 + 1/2 + 1/4 each row of the MDS matrix is the sum of all four bytes, plus half
 * of (some of them plus half of others).
 */
INLINE void mds(uint64_t z[32], const uint64_t y[32])
{
	const uint64_t *y0 = y, *y1 = y + 8, *y2 = y + 16, *y3 = y + 24;
	uint64_t y01[8], y12[8], y03[8], y02[8], sum[8], t[8], u[8];

	add(y01, y0, y1);
	add(y12, y1, y2);
	add(y03, y0, y3);
	add(y02, y0, y2);
	add(sum, y12, y03);

	/* 01 EF 5B 5B: y1/2 + (y1 + y2 + y3)/4 */
	add(t, sum, y0);
	halve_add(u, t, y1);
	halve_add(z, u, sum);
	/* 5B EF EF 01: (y1 + y2)/2 + (y0 + y1 + y2)/4 */
	add(t, sum, y3);
	halve_add(u, t, y12);
	halve_add(z + 8, u, sum);
	/* EF 5B 01 EF: (y0 + y3)/2 + (y0 + y1 + y3)/4 */
	add(t, y01, y3);
	halve_add(u, t, y03);
	halve_add(z + 16, u, sum);
	/* EF 01 EF 5B: (y0 + y2)/2 + (y0 + y2 + y3)/4 */
	add(t, y02, y3);
	halve_add(u, t, y02);
	halve_add(z + 24, u, sum);
}

/* h(x) of section 4.3.2 with n key words: s[n - 1] first, s[0] last.  tmp: the caller's, to be wiped by it. */
static __attribute__((noinline)) void h(uint64_t out[32], const uint64_t x[32], const struct planes *s, uint32_t n,
                                        struct planes *tmp)
{
	uint64_t *y0 = tmp->p, *y1 = tmp->p + 8, *y2 = tmp->p + 16, *y3 = tmp->p + 24;
	const uint64_t *i0 = x, *i1 = x + 8, *i2 = x + 16, *i3 = x + 24;

	if (n == 4) {
		q1_key(y0, i0, s[3].p);
		q0_key(y1, i1, s[3].p + 8);
		q0_key(y2, i2, s[3].p + 16);
		q1_key(y3, i3, s[3].p + 24);
		i0 = y0;
		i1 = y1;
		i2 = y2;
		i3 = y3;
	}
	if (n >= 3) {
		q1_key(y0, i0, s[2].p);
		q1_key(y1, i1, s[2].p + 8);
		q0_key(y2, i2, s[2].p + 16);
		q0_key(y3, i3, s[2].p + 24);
		i0 = y0;
		i1 = y1;
		i2 = y2;
		i3 = y3;
	}
	q0_key(y0, i0, s[1].p);
	q1_key(y1, i1, s[1].p + 8);
	q0_key(y2, i2, s[1].p + 16);
	q1_key(y3, i3, s[1].p + 24);
	q0_key(y0, y0, s[0].p);
	q0_key(y1, y1, s[0].p + 8);
	q1_key(y2, y2, s[0].p + 16);
	q1_key(y3, y3, s[0].p + 24);
	q1(y0, y0);
	q0(y1, y1);
	q1(y2, y2);
	q0(y3, y3);
	mds(out, tmp->p);
}

/* ---- between words and planes -------------------------------------------------------------------------- */

/* Transposes the two 32 x 32 bit matrices in the halves of 32 words.  Its own inverse. */
static void transpose(uint64_t m[32])
{
	static const uint64_t mask[5] = {
		0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu, 0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu,
	};

	for (unsigned level = 0; level < 5; level++) {
		unsigned n = 1u << level;

		for (unsigned i = 0; i < 32; i = (i + n + 1) & ~n) {
			uint64_t t = ((m[i] >> n) ^ m[i + n]) & mask[level];

			m[i + n] ^= t;
			m[i] ^= t << n;
		}
	}
}

/* Planes in which each lane of the low half has the bits of `low`, each of the high half those of `high`. */
INLINE void fill_planes(struct planes *out, uint32_t low, uint32_t high)
{
	UNROLL
	for (unsigned i = 0; i < 32; i++) {
		uint64_t bits = ((low >> i) & 1) | (uint64_t)((high >> i) & 1) << 32;

		out->p[i] = (bits << 32) - bits;
	}
}

/*
 * The words of a pair as they are kept between rounds: the second rotated left by 8.  The key is whitening in
 * the same shape.
 */
INLINE void load_pair(uint64_t p[32], const uint8_t *in, const uint64_t key[32], struct planes *tmp)
{
	UNROLL
	for (unsigned i = 0; i < LANES; i++)
		tmp->p[i] = cardea_le64(in + i * CARDEA_BLOCK);
	transpose(tmp->p);
	UNROLL
	for (unsigned i = 0; i < 32; i++)
		p[i] = ((tmp->p[i] & LOW) | (tmp->p[(i + 24) % 32] & HIGH)) ^ key[i];
}

INLINE void store_pair(uint8_t *out, const uint64_t p[32], const uint64_t key[32], struct planes *tmp)
{
	UNROLL
	for (unsigned i = 0; i < 32; i++) {
		unsigned j = (i + 8) % 32;

		tmp->p[i] = ((p[i] ^ key[i]) & LOW) | ((p[j] ^ key[j]) & HIGH);
	}
	transpose(tmp->p);
	UNROLL
	for (unsigned i = 0; i < LANES; i++)
		cardea_put_le64(out + i * CARDEA_BLOCK, tmp->p[i]);
}

/* ---- rounds ----------------------------------------------------------------------------------------------- */

/*
 * F0 = T0 + T1 + K0 in the low half, F1 = T0 + 2 T1 + K1 in the high half, where t has T0 and T1 in its
 * halves: the pseudo-Hadamard transform and the addition of the round key.  2 T1 is a plane further down.
 */
INLINE void pht_add(uint64_t f[32], const uint64_t t[32], const uint64_t k[32])
{
	uint64_t carry1 = 0, carry2 = 0, below = 0;

	UNROLL
	for (unsigned i = 0; i < 32; i++) {
		uint64_t a = (t[i] & LOW) | (t[i] << 32);
		uint64_t b = (t[i] >> 32) | (below & HIGH);
		uint64_t half = a ^ b, s = half ^ carry1;

		below = t[i];
		carry1 = (a & b) | (carry1 & half);
		half = s ^ k[i];
		f[i] = half ^ carry2;
		carry2 = (s & k[i]) | (carry2 & half);
	}
}

struct work {
	struct planes p, q, t, f;
};
CARDEA_WIPE_OF(work, struct work);

/* R2 = ROR(R2 + F0, 1), R3 = ROL(R3, 1) + F1; the second word of a pair is kept rotated by 8. */
static void encrypt_round(uint64_t x[32], const uint64_t y[32], const struct sliced_key *k, uint32_t n, unsigned r,
                          struct work *w)
{
	uint64_t *f = w->f.p, first = x[0], before;

	h(w->t.p, y, k->s, n, &w->f);
	pht_add(f, w->t.p, k->k[4 + r].p);
	before = x[31];
	UNROLL
	for (unsigned i = 0; i < 32; i++) {
		uint64_t here = x[i], after = i == 31 ? first : x[i + 1];
		uint64_t low = after ^ f[(i + 1) % 32], high = before ^ f[(i + 24) % 32];

		before = here;
		x[i] = (low & LOW) | (high & HIGH);
	}
}

/* R2 = ROL(R2, 1) + F0, R3 = ROR(R3 + F1, 1). */
static void decrypt_round(uint64_t x[32], const uint64_t y[32], const struct sliced_key *k, uint32_t n, unsigned r,
                          struct work *w)
{
	uint64_t *f = w->f.p, first = x[0], before;

	h(w->t.p, y, k->s, n, &w->f);
	pht_add(f, w->t.p, k->k[4 + r].p);
	before = x[31];
	UNROLL
	for (unsigned i = 0; i < 32; i++) {
		uint64_t here = x[i], after = i == 31 ? first : x[i + 1];
		uint64_t low = before ^ f[i], high = after ^ f[(i + 25) % 32];

		before = here;
		x[i] = (low & LOW) | (high & HIGH);
	}
}

static __attribute__((noinline)) void encrypt_batch(const struct sliced_key *k, uint32_t n, uint8_t *out,
                                                    const uint8_t *in, struct work *w)
{
	load_pair(w->p.p, in, k->k[0].p, &w->t);
	load_pair(w->q.p, in + 8, k->k[1].p, &w->t);
	for (unsigned r = 0; r < ROUNDS; r += 2) {
		encrypt_round(w->q.p, w->p.p, k, n, r, w);
		encrypt_round(w->p.p, w->q.p, k, n, r + 1, w);
	}
	store_pair(out, w->q.p, k->k[2].p, &w->t);
	store_pair(out + 8, w->p.p, k->k[3].p, &w->t);
}

static __attribute__((noinline)) void decrypt_batch(const struct sliced_key *k, uint32_t n, uint8_t *out,
                                                    const uint8_t *in, struct work *w)
{
	load_pair(w->q.p, in, k->k[2].p, &w->t);
	load_pair(w->p.p, in + 8, k->k[3].p, &w->t);
	for (unsigned r = ROUNDS; r > 0; r -= 2) {
		decrypt_round(w->p.p, w->q.p, k, n, r - 1, w);
		decrypt_round(w->q.p, w->p.p, k, n, r - 2, w);
	}
	store_pair(out, w->p.p, k->k[0].p, &w->t);
	store_pair(out + 8, w->q.p, k->k[1].p, &w->t);
}

static __attribute__((noinline)) void slice_key(struct sliced_key *out, const struct cardea_twofish_key *key)
{
	for (uint32_t i = 0; i < key->n_s; i++) {
		uint32_t s = cardea_le32(key->s[i]);

		fill_planes(&out->s[i], s, s);
	}
	for (unsigned i = 0; i < 4; i++)
		fill_planes(&out->k[i], key->k[2 * i], cardea_rol32(key->k[2 * i + 1], 8));
	for (unsigned i = 4; i < 4 + ROUNDS; i++)
		fill_planes(&out->k[i], key->k[2 * i], key->k[2 * i + 1]);
}

/*
 * Wipes what the functions below have spilled: the same stretch of stack, right under the caller's frame, as
 * the frames that they had.
 */
static __attribute__((noinline)) void wipe_frames(void)
{
	uint8_t frames[1024];

	cardea_wipe(frames, sizeof(frames));
}

typedef void batch_fn(const struct sliced_key *k, uint32_t n, uint8_t *out, const uint8_t *in, struct work *w);

struct last_batch {
	uint8_t b[LANES * CARDEA_BLOCK];
};
CARDEA_WIPE_OF(last_batch, struct last_batch);

static void crypt_blocks(batch_fn *batch, const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in,
                         size_t blocks)
{
	struct sliced_key k CARDEA_SECRET(sliced_key);
	struct work w CARDEA_SECRET(work);
	struct last_batch last CARDEA_SECRET(last_batch);
	uint32_t n = key->u.twofish.n_s;

	slice_key(&k, &key->u.twofish);
	for (; blocks >= LANES; blocks -= LANES) {
		batch(&k, n, out, in, &w);
		in += sizeof(last);
		out += sizeof(last);
	}
	if (blocks != 0) {
		memset(&last, 0, sizeof(last));
		memcpy(last.b, in, blocks * CARDEA_BLOCK);
		batch(&k, n, last.b, last.b, &w);
		memcpy(out, last.b, blocks * CARDEA_BLOCK);
	}
	wipe_frames();
}

static void c_encrypt(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks)
{
	crypt_blocks(encrypt_batch, key, out, in, blocks);
}

static void c_decrypt(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks)
{
	crypt_blocks(decrypt_batch, key, out, in, blocks);
}

/* ---- key schedule --------------------------------------------------------------------------------------------- */

/* a x c modulo x^8 + x^6 + x^3 + x^2 + 1; c is a constant of the matrix, a is secret. */
static uint32_t rs_mul(uint32_t a, uint32_t c)
{
	uint32_t r = 0;

	for (; c != 0; c >>= 1) {
		r ^= a * (c & 1);
		a = (a << 1) ^ (0x14d * (a >> 7));
	}
	return r;
}

/* Section 4.3: a word of the S-boxes' key from eight bytes of the key, by a Reed-Solomon code. */
static __attribute__((noinline)) void rs_encode(uint8_t out[4], const uint8_t key[8])
{
	static const uint8_t rs[4][8] = {
		{ 0x01, 0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e },
		{ 0xa4, 0x56, 0x82, 0xf3, 0x1e, 0xc6, 0x68, 0xe5 },
		{ 0x02, 0xa1, 0xfc, 0xc1, 0x47, 0xae, 0x3d, 0x19 },
		{ 0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e, 0x03 },
	};

	for (unsigned i = 0; i < 4; i++) {
		uint32_t sum = 0;

		for (unsigned j = 0; j < 8; j++)
			sum ^= rs_mul(key[j], rs[i][j]);
		out[i] = (uint8_t)sum;
	}
}

static void c_expand(struct cardea_cipher_key *out, const uint8_t *key, size_t key_len)
{
	struct cardea_twofish_key *k = &out->u.twofish;
	struct sliced_key s CARDEA_SECRET(sliced_key);
	struct work w CARDEA_SECRET(work);
	uint32_t n = (uint32_t)(key_len / 8);

	memset(out, 0, sizeof(*out));
	k->n_s = n;
	/* The paper lists them backwards: the last eight bytes of the key give the word that is xored last. */
	for (uint32_t i = 0; i < n; i++)
		rs_encode(k->s[n - 1 - i], key + 8 * i);

	/* A_j = h(2j times 01010101h, even words of the key), B_j = ROL(h(2j + 1 ..., odd words), 8). */
	for (uint32_t i = 0; i < n; i++)
		fill_planes(&s.s[i], cardea_le32(key + 8 * i), cardea_le32(key + 8 * i + 4));
	memset(&w.p, 0, sizeof(w.p));
	for (uint32_t j = 0; j < 20; j++) {
		uint64_t lane = (uint64_t)2 * j | (uint64_t)(2 * j + 1) << 32;

		w.p.p[j] = lane * 0x01010101u;
	}
	transpose(w.p.p);
	h(w.t.p, w.p.p, s.s, n, &w.f);
	transpose(w.t.p);
	for (uint32_t j = 0; j < 20; j++) {
		uint32_t a = (uint32_t)w.t.p[j], b = cardea_rol32((uint32_t)(w.t.p[j] >> 32), 8);

		k->k[2 * j] = a + b;
		k->k[2 * j + 1] = cardea_rol32(a + 2 * b, 9);
	}
	wipe_frames();
}

const struct cardea_cipher_impl cardea_twofish_c = {
	.impl = { .name = "c", .traits = CARDEA_TRAIT_CT },
	.cipher = CARDEA_CIPHER_TWOFISH,
	.expand = c_expand,
	.encrypt = c_encrypt,
	.decrypt = c_decrypt,
	.batch = LANES,
};
