/* SPDX-License-Identifier: MIT */
/*
 * AES (FIPS 197), bitsliced: four blocks in eight 64-bit words, general registers only.
 *
 * Word b ("plane b") holds bit b of all 64 bytes.  Which byte a bit of a plane belongs to:
 *
 *         bits 5-4: row    bit 3: low bit of the column    bits 2-1: block    bit 0: high bit of the column
 *
 * With rows on top, the row rotations of MixColumns are rotations of the whole word.  With the column split,
 * ShiftRows is two exchanges of bits: every odd row flips the low bit of its columns, and the high bit flips
 * where that carries and in row 2.
 *
 * The S-box is the straight-line program of Boyar and Peralta, "A small depth-16 circuit for the AES S-box"
 * (2012) and "A new combinational logic minimization technique" (2010): 32 ANDs, the rest linear.  Its middle,
 * the inversion in GF(2^8), serves the inverse S-box as well, between two other linear layers: theirs composed
 * with the inverse of the affine map, then shortened by a greedy search.  The constant 63h of the affine map is
 * invariant under MixColumns and ShiftRows, so it lives in the bitsliced round keys and costs nothing.
 */
#include "crypto/cipher_internal.h"

#define BLOCKS 4u
#define MAX_ROUND_KEYS 15u
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

/* Round keys as planes, each repeated for the four blocks. */
struct sliced_keys {
	uint64_t plane[MAX_ROUND_KEYS][8];
};
CARDEA_WIPE_OF(sliced_keys, struct sliced_keys);

struct state {
	uint64_t q[8];
};
CARDEA_WIPE_OF(aes_state, struct state);

/* Exchanges bits of *a under mask << n with bits of *b under mask. */
INLINE void exchange(uint64_t *a, uint64_t *b, unsigned n, uint64_t mask)
{
	uint64_t t = ((*a >> n) ^ *b) & mask;

	*b ^= t;
	*a ^= t << n;
}

/* Exchanges bits of x under mask with those n places higher. */
INLINE uint64_t exchange_within(uint64_t x, unsigned n, uint64_t mask)
{
	uint64_t t = ((x >> n) ^ x) & mask;

	return x ^ t ^ (t << n);
}

/*
 * Between eight words of bytes and eight planes: exchanges the three bits of a word's number (block, high bit
 * of the column) with the three that number a bit in its byte.  Its own inverse.
 */
INLINE void transpose(uint64_t q[8])
{
	UNROLL
	for (unsigned i = 0; i < 8; i += 2)
		exchange(&q[i], &q[i + 1], 1, 0x5555555555555555u);
	UNROLL
	for (unsigned i = 0; i < 8; i += 4) {
		exchange(&q[i], &q[i + 2], 2, 0x3333333333333333u);
		exchange(&q[i + 1], &q[i + 3], 2, 0x3333333333333333u);
	}
	UNROLL
	for (unsigned i = 0; i < 4; i++)
		exchange(&q[i], &q[i + 4], 4, 0x0f0f0f0f0f0f0f0fu);
}

/* Bytes of a half block come as column, row; rows are wanted on top. */
INLINE uint64_t rows_up(uint64_t x)
{
	x = exchange_within(x, 16, 0x00000000ffff0000u);
	return exchange_within(x, 8, 0x0000ff000000ff00u);
}

INLINE uint64_t rows_down(uint64_t x)
{
	x = exchange_within(x, 8, 0x0000ff000000ff00u);
	return exchange_within(x, 16, 0x00000000ffff0000u);
}

INLINE void load(uint64_t q[8], const uint8_t *in)
{
	UNROLL
	for (unsigned i = 0; i < 8; i++)
		q[i] = rows_up(cardea_le64(in + 8 * i));
	transpose(q);
}

INLINE void store(uint8_t *out, uint64_t q[8])
{
	transpose(q);
	UNROLL
	for (unsigned i = 0; i < 8; i++)
		cardea_put_le64(out + 8 * i, rows_down(q[i]));
}

/* The non-linear middle of both S-boxes: y[0] to y[21] are linear in the input, the output is linear in z. */
INLINE void invert(uint64_t z[18], const uint64_t y[22])
{
	uint64_t m12_15 = y[12] & y[15], m13_16 = y[13] & y[16], m9_11 = y[9] & y[11];
	uint64_t a = (y[3] & y[6]) ^ m12_15, b = (y[4] & y[0]) ^ m12_15;
	uint64_t c = (y[5] & y[1]) ^ m13_16, d = (y[2] & y[7]) ^ m13_16;
	uint64_t e = (y[14] & y[17]) ^ m9_11, f = (y[8] & y[10]) ^ m9_11;
	uint64_t t21 = a ^ e ^ y[20], t22 = b ^ f ^ y[19], t23 = c ^ e ^ y[21], t24 = d ^ f ^ y[18];
	uint64_t t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26;
	uint64_t t29 = (t25 & t27) ^ t22;
	uint64_t t33 = ((t22 ^ t26) & (t23 ^ t24)) ^ t24;
	uint64_t t36 = t24 & (t27 ^ t33);
	uint64_t t37 = t36 ^ t23 ^ t33;
	uint64_t t40 = t25 ^ (t29 & (t27 ^ t36));
	uint64_t t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37, t45 = t42 ^ t41;

	z[0] = t44 & y[15];
	z[1] = t37 & y[6];
	z[2] = t33 & y[0];
	z[3] = t43 & y[16];
	z[4] = t40 & y[1];
	z[5] = t29 & y[7];
	z[6] = t42 & y[11];
	z[7] = t45 & y[17];
	z[8] = t41 & y[10];
	z[9] = t44 & y[12];
	z[10] = t37 & y[3];
	z[11] = t33 & y[4];
	z[12] = t43 & y[13];
	z[13] = t40 & y[5];
	z[14] = t29 & y[2];
	z[15] = t42 & y[9];
	z[16] = t45 & y[14];
	z[17] = t41 & y[8];
}

/* S(x) + 63h.  In the paper's numbering x0 and s0 are the most significant bits. */
INLINE void sub_bytes(uint64_t q[8])
{
	uint64_t x0 = q[7], x1 = q[6], x2 = q[5], x3 = q[4], x4 = q[3], x5 = q[2], x6 = q[1], x7 = q[0];
	uint64_t y[22], z[18];
	uint64_t t0 = x1 ^ x2, t1;
	uint64_t t46, t48, t53, t54, t57, t58, t59, t61, t62, t63, t64, t65, t66, s3;

	y[0] = x7;
	y[14] = x3 ^ x5;
	y[13] = x0 ^ x6;
	y[9] = x0 ^ x3;
	y[8] = x0 ^ x5;
	y[1] = t0 ^ x7;
	y[4] = y[1] ^ x3;
	y[12] = y[13] ^ y[14];
	y[2] = y[1] ^ x0;
	y[5] = y[1] ^ x6;
	y[3] = y[5] ^ y[8];
	t1 = x4 ^ y[12];
	y[15] = t1 ^ x5;
	y[20] = t1 ^ x1;
	y[6] = y[15] ^ x7;
	y[10] = y[15] ^ t0;
	y[11] = y[20] ^ y[9];
	y[7] = x7 ^ y[11];
	y[17] = y[10] ^ y[11];
	y[19] = y[10] ^ y[8];
	y[16] = t0 ^ y[11];
	y[21] = y[13] ^ y[16];
	y[18] = x0 ^ y[16];

	invert(z, y);

	t46 = z[15] ^ z[16];
	t48 = z[5] ^ z[13];
	t53 = z[0] ^ z[3];
	t54 = z[6] ^ z[7];
	t57 = z[2] ^ z[12] ^ t53;
	t58 = z[4] ^ t46;
	t59 = z[3] ^ t54;
	t61 = z[14] ^ t57;
	t62 = z[7] ^ z[8] ^ t58;
	t63 = z[9] ^ z[10] ^ t58;
	t64 = z[4] ^ t59;
	t65 = t61 ^ t62;
	t66 = z[1] ^ t63;
	s3 = t53 ^ t66;
	q[7] = t59 ^ t63;
	q[6] = t64 ^ s3;
	q[5] = z[16] ^ z[17] ^ t64 ^ t65;
	q[4] = s3;
	q[3] = z[2] ^ z[5] ^ t66;
	q[2] = z[10] ^ z[11] ^ t65;
	q[1] = z[12] ^ t48 ^ t62;
	q[0] = t48 ^ t46 ^ t57;
}

/* The inverse S-box of x + 63h. */
INLINE void inv_sub_bytes(uint64_t q[8])
{
	uint64_t x0 = q[7], x1 = q[6], x2 = q[5], x3 = q[4], x4 = q[3], x5 = q[2], x6 = q[1], x7 = q[0];
	uint64_t y[22], z[18];
	uint64_t u = x0 ^ x5;
	uint64_t p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p11, p13, p15, p23;

	y[19] = x4 ^ x7;
	y[5] = x1 ^ x3;
	y[1] = x3 ^ y[19];
	y[8] = x0 ^ x1;
	y[3] = y[5] ^ y[8];
	y[10] = y[19] ^ y[8];
	y[6] = x0 ^ y[5];
	y[14] = x4 ^ y[6];
	y[9] = y[8] ^ y[14];
	y[13] = x6 ^ y[1];
	y[2] = y[5] ^ y[13];
	y[12] = y[14] ^ y[13];
	y[18] = x2 ^ y[9];
	y[7] = y[2] ^ y[18];
	y[4] = y[9] ^ y[2];
	y[21] = x6 ^ y[7];
	y[16] = y[1] ^ y[7];
	y[20] = y[2] ^ u;
	y[0] = x2 ^ u;
	y[11] = y[9] ^ y[20];
	y[17] = y[10] ^ y[11];
	y[15] = y[16] ^ y[17];

	invert(z, y);

	p0 = z[6] ^ z[15];
	p1 = z[12] ^ p0;
	p2 = z[16] ^ p1;
	p3 = z[8] ^ z[13];
	p4 = z[3] ^ p2;
	p5 = z[1] ^ z[4];
	p6 = z[2] ^ z[10];
	p7 = z[0] ^ p2;
	p8 = z[5] ^ p3;
	p9 = z[11] ^ z[17];
	p11 = z[4] ^ z[7] ^ z[13];
	p13 = z[14] ^ p5 ^ p6;
	p15 = z[0] ^ p6 ^ p11;
	p23 = z[9] ^ p3 ^ p13;
	q[7] = p4 ^ p8;
	q[6] = p0 ^ z[3] ^ z[17] ^ p23;
	q[5] = z[11] ^ p4 ^ z[8] ^ p13;
	q[4] = p3 ^ z[2] ^ p7;
	q[3] = p15 ^ p9 ^ z[5] ^ p1;
	q[2] = p8 ^ p5 ^ p7;
	q[1] = p4 ^ p11;
	q[0] = z[9] ^ z[15] ^ p9;
}

#define ODD_ROWS 0x00ff000000ff0000u
#define COLUMN_CARRIES 0x0055555555000000u

INLINE void shift_rows(uint64_t q[8])
{
	UNROLL
	for (unsigned i = 0; i < 8; i++)
		q[i] = exchange_within(exchange_within(q[i], 8, ODD_ROWS), 1, COLUMN_CARRIES);
}

INLINE void inv_shift_rows(uint64_t q[8])
{
	UNROLL
	for (unsigned i = 0; i < 8; i++)
		q[i] = exchange_within(exchange_within(q[i], 1, COLUMN_CARRIES), 8, ODD_ROWS);
}

/* A row becomes 2 a0 + 3 a1 + a2 + a3 = 2 (a0 + a1) + a1 + (a2 + a3). */
INLINE void mix_columns(uint64_t q[8])
{
	uint64_t next[8], sum[8];

	UNROLL
	for (unsigned i = 0; i < 8; i++) {
		next[i] = cardea_ror64(q[i], 16);
		sum[i] = q[i] ^ next[i];
	}
	UNROLL
	for (unsigned i = 0; i < 8; i++) {
		q[i] = next[i] ^ cardea_ror64(sum[i], 32) ^ sum[(i + 7) % 8];
		if (i == 1 || i == 3 || i == 4)
			q[i] ^= sum[7];
	}
}

/* The inverse matrix is the forward one times (05, 00, 04, 00): first a0 + 4 (a0 + a2). */
INLINE void inv_mix_columns(uint64_t q[8])
{
	uint64_t s[8];

	UNROLL
	for (unsigned i = 0; i < 8; i++)
		s[i] = q[i] ^ cardea_ror64(q[i], 32);
	q[0] ^= s[6];
	q[1] ^= s[6] ^ s[7];
	q[2] ^= s[0] ^ s[7];
	q[3] ^= s[1] ^ s[6];
	q[4] ^= s[2] ^ s[6] ^ s[7];
	q[5] ^= s[3] ^ s[7];
	q[6] ^= s[4];
	q[7] ^= s[5];
	mix_columns(q);
}

INLINE void add_round_key(uint64_t q[8], const uint64_t k[8])
{
	UNROLL
	for (unsigned i = 0; i < 8; i++)
		q[i] ^= k[i];
}

/*
 * Four round keys are transposed at once as if they were four blocks, then each is spread over all blocks.
 * 63h goes into all but the first: the one after a SubBytes, or before an inverse SubBytes.
 */
static __attribute__((noinline)) void slice_keys(struct sliced_keys *out, const struct cardea_aes_key *key)
{
	struct state s CARDEA_SECRET(aes_state);
	struct cardea_bytes64 four CARDEA_SECRET(bytes64);
	uint32_t n = key->rounds + 1;

	for (uint32_t first = 0; first < n; first += BLOCKS) {
		uint32_t count = n - first < BLOCKS ? n - first : BLOCKS;

		memset(&four, 0, sizeof(four));
		memcpy(four.b, key->round_key[first], count * CARDEA_BLOCK);
		load(s.q, four.b);
		for (uint32_t j = 0; j < count; j++) {
			uint64_t *k = out->plane[first + j];

			UNROLL
			for (unsigned i = 0; i < 8; i++)
				k[i] = ((s.q[i] >> (2 * j)) & 0x0303030303030303u) * 0x55;
			if (first + j == 0)
				continue;
			UNROLL
			for (unsigned i = 0; i < 8; i++)
				k[i] ^= (0x63u >> i) & 1 ? ~(uint64_t)0 : 0;
		}
	}
}

static __attribute__((noinline)) void encrypt_four(const struct sliced_keys *k, uint32_t rounds, uint8_t *out,
                                                   const uint8_t *in)
{
	struct state s CARDEA_SECRET(aes_state);

	load(s.q, in);
	add_round_key(s.q, k->plane[0]);
	for (uint32_t r = 1; r < rounds; r++) {
		sub_bytes(s.q);
		shift_rows(s.q);
		mix_columns(s.q);
		add_round_key(s.q, k->plane[r]);
	}
	sub_bytes(s.q);
	shift_rows(s.q);
	add_round_key(s.q, k->plane[rounds]);
	store(out, s.q);
}

static __attribute__((noinline)) void decrypt_four(const struct sliced_keys *k, uint32_t rounds, uint8_t *out,
                                                   const uint8_t *in)
{
	struct state s CARDEA_SECRET(aes_state);

	load(s.q, in);
	add_round_key(s.q, k->plane[rounds]);
	for (uint32_t r = rounds - 1; r > 0; r--) {
		inv_shift_rows(s.q);
		inv_sub_bytes(s.q);
		add_round_key(s.q, k->plane[r]);
		inv_mix_columns(s.q);
	}
	inv_shift_rows(s.q);
	inv_sub_bytes(s.q);
	add_round_key(s.q, k->plane[0]);
	store(out, s.q);
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

typedef void four_fn(const struct sliced_keys *k, uint32_t rounds, uint8_t *out, const uint8_t *in);

INLINE void crypt_blocks(four_fn *four, const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in,
                         size_t blocks)
{
	struct sliced_keys k CARDEA_SECRET(sliced_keys);
	struct cardea_bytes64 last CARDEA_SECRET(bytes64);
	uint32_t rounds = key->u.aes.rounds;

	slice_keys(&k, &key->u.aes);
	for (; blocks >= BLOCKS; blocks -= BLOCKS) {
		four(&k, rounds, out, in);
		in += BLOCKS * CARDEA_BLOCK;
		out += BLOCKS * CARDEA_BLOCK;
	}
	if (blocks != 0) {
		memset(&last, 0, sizeof(last));
		memcpy(last.b, in, blocks * CARDEA_BLOCK);
		four(&k, rounds, last.b, last.b);
		memcpy(out, last.b, blocks * CARDEA_BLOCK);
	}
	wipe_frames();
}

static void ct64_encrypt(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks)
{
	crypt_blocks(encrypt_four, key, out, in, blocks);
}

static void ct64_decrypt(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks)
{
	crypt_blocks(decrypt_four, key, out, in, blocks);
}

/* SubWord of FIPS 197 section 5.2 through the same circuit, in place. */
static __attribute__((noinline)) void sub_word(uint8_t word[4])
{
	struct state s CARDEA_SECRET(aes_state);
	struct cardea_bytes64 buf CARDEA_SECRET(bytes64);

	memset(&buf, 0, sizeof(buf));
	memcpy(buf.b, word, 4);
	load(s.q, buf.b);
	sub_bytes(s.q);
	store(buf.b, s.q);
	for (unsigned i = 0; i < 4; i++)
		word[i] = buf.b[i] ^ 0x63;
}

void cardea_aes_expand_ct64(struct cardea_cipher_key *out, const uint8_t *key, size_t key_len)
{
	struct cardea_aes_key *k = &out->u.aes;
	uint8_t *w = k->round_key[0];
	uint8_t word[4], rcon = 1;
	size_t len;

	memset(out, 0, sizeof(*out));
	k->rounds = (uint32_t)(key_len / 4 + 6);
	len = (k->rounds + 1) * CARDEA_BLOCK;
	memcpy(w, key, key_len);
	for (size_t i = key_len; i < len; i += 4) {
		memcpy(word, w + i - 4, 4);
		if (i % key_len == 0) {
			uint8_t first = word[0];

			memmove(word, word + 1, 3);
			word[3] = first;
			sub_word(word);
			word[0] ^= rcon;
			/* Ten constants at most are used: 01, 02, .. 80, 1B, 36. */
			rcon = (uint8_t)((rcon << 1) ^ (rcon & 0x80 ? 0x1b : 0));
		} else if (key_len == 32 && i % key_len == 16) {
			sub_word(word);
		}
		for (unsigned j = 0; j < 4; j++)
			w[i + j] = w[i + j - key_len] ^ word[j];
	}
	cardea_wipe(word, sizeof(word));
	wipe_frames();
}

const struct cardea_cipher_impl cardea_aes_ct64 = {
	.impl = { .name = "ct64", .traits = CARDEA_TRAIT_CT },
	.cipher = CARDEA_CIPHER_AES,
	.expand = cardea_aes_expand_ct64,
	.encrypt = ct64_encrypt,
	.decrypt = ct64_decrypt,
	.batch = BLOCKS,
};
