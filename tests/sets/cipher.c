/* SPDX-License-Identifier: MIT */
/* AES and Twofish: every implementation in the tables against published vectors and against itself. */
#include "sets/sets.h"

static void expand(struct test *t, const struct cardea_cipher_impl *c, struct cardea_cipher_key *key,
                   const uint8_t *bytes, size_t len)
{
	cardea_impl_begin(t->platform, &c->impl);
	c->expand(key, bytes, len);
	cardea_impl_end(t->platform, &c->impl);
}

static void encrypt(struct test *t, const struct cardea_cipher_impl *c, const struct cardea_cipher_key *key,
                    uint8_t *out, const uint8_t *in, size_t blocks)
{
	cardea_impl_begin(t->platform, &c->impl);
	c->encrypt(key, out, in, blocks);
	cardea_impl_end(t->platform, &c->impl);
}

static void decrypt(struct test *t, const struct cardea_cipher_impl *c, const struct cardea_cipher_key *key,
                    uint8_t *out, const uint8_t *in, size_t blocks)
{
	cardea_impl_begin(t->platform, &c->impl);
	c->decrypt(key, out, in, blocks);
	cardea_impl_end(t->platform, &c->impl);
}

struct vector {
	const char *key, *plain, *cipher;
};

static void test_vectors(struct test *t, const struct cardea_cipher_impl *c, const struct vector *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t bytes[32], plain[16], cipher[16], got[16];
		struct cardea_cipher_key key;

		expand(t, c, &key, bytes, test_hex(bytes, sizeof(bytes), v[i].key));
		test_hex(plain, sizeof(plain), v[i].plain);
		test_hex(cipher, sizeof(cipher), v[i].cipher);
		encrypt(t, c, &key, got, plain, 1);
		CHECK_MEM(got, cipher, 16);
		decrypt(t, c, &key, got, cipher, 1);
		CHECK_MEM(got, plain, 16);
	}
}

#define MAX_BLOCKS 130u
#define MAX_LEN (MAX_BLOCKS * CARDEA_BLOCK)

/*
 * All counts of blocks against one at a time, in place and not, nothing written behind the end, and the same
 * from the portable implementation with the other's key.
 */
static void test_counts(struct test *t, const struct cardea_cipher_impl *c, const struct cardea_cipher_impl *portable)
{
	const size_t buffer = MAX_LEN + 64;
	uint8_t *mem = cardea_pages(t->platform, 5 * buffer, "test buffers");
	uint8_t *plain = mem, *want = mem + buffer, *got = mem + 2 * buffer, *guard = mem + 3 * buffer;
	uint8_t *back = mem + 4 * buffer;

	if (!CHECK(mem != NULL))
		return;
	for (size_t key_len = 16; key_len <= 32; key_len += 8) {
		struct cardea_cipher_key key, other;
		uint8_t bytes[32];
		unsigned bad = 0;

		test_fill(bytes, sizeof(bytes), 77 + key_len);
		test_fill(plain, buffer, key_len);
		expand(t, c, &key, bytes, key_len);
		expand(t, portable, &other, bytes, key_len);
		CHECK_MEM(&key, &other, sizeof(key));
		encrypt(t, portable, &key, guard, plain, MAX_BLOCKS);
		for (size_t i = 0; i < MAX_BLOCKS; i++)
			encrypt(t, c, &key, want + i * CARDEA_BLOCK, plain + i * CARDEA_BLOCK, 1);
		CHECK_MEM(want, guard, MAX_LEN);
		for (size_t i = 0; i < MAX_BLOCKS; i++)
			decrypt(t, c, &key, back + i * CARDEA_BLOCK, want + i * CARDEA_BLOCK, 1);
		CHECK_MEM(back, plain, MAX_LEN);
		test_fill(guard, buffer, 5);

		for (size_t n = 1; n <= MAX_BLOCKS; n++) {
			size_t len = n * CARDEA_BLOCK, shift = n % 16;

			/* Unaligned output, a guard behind it. */
			memcpy(got, guard, buffer);
			encrypt(t, c, &key, got + shift, plain, n);
			bad += memcmp(got, guard, shift) != 0 || memcmp(got + shift, want, len) != 0;
			bad += memcmp(got + shift + len, guard + shift + len, 16) != 0;
			decrypt(t, c, &key, got + shift, got + shift, n);
			bad += memcmp(got, guard, shift) != 0 || memcmp(got + shift, plain, len) != 0;
			bad += memcmp(got + shift + len, guard + shift + len, 16) != 0;

			memcpy(got + shift, plain, len);
			encrypt(t, c, &key, got + shift, got + shift, n);
			bad += memcmp(got + shift, want, len) != 0;
			decrypt(t, c, &key, back, got + shift, n);
			bad += memcmp(back, plain, len) != 0;
		}
		CHECK(bad == 0);
	}
	cardea_pages_free(t->platform, mem, 5 * buffer);
}

static void test_selftest(struct test *t, const struct cardea_cipher_impl *c)
{
	bool ok;

	cardea_impl_begin(t->platform, &c->impl);
	ok = cardea_cipher_self_test(&c->impl);
	cardea_impl_end(t->platform, &c->impl);
	CHECK(ok);
}

/* A cipher that is wrong in the last block of a run only has to be caught. */
static void broken_decrypt(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks)
{
	cardea_aes_ct64.decrypt(key, out, in, blocks);
	if (blocks > 2)
		out[blocks * CARDEA_BLOCK - 1] ^= 1;
}

void test_aes(struct test *t)
{
	/* FIPS 197, appendices B and C. */
	static const struct vector fips[] = {
		{ "2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734",
		  "3925841d02dc09fbdc118597196a0b32" },
		{ "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
		  "69c4e0d86a7b0430d8cdb78070b4c55a" },
		{ "000102030405060708090a0b0c0d0e0f1011121314151617", "00112233445566778899aabbccddeeff",
		  "dda97ca4864cdfe06eaf70a0ec0d7191" },
		{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		  "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089" },
	};
	/* FIPS 197, appendix A: the last four words of each key schedule. */
	static const struct {
		const char *key, *last;
	} schedules[] = {
		{ "2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6" },
		{ "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "e98ba06f448c773c8ecc720401002202" },
		{ "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
		  "fe4890d1e6188d0b046df344706c631e" },
	};
	const struct cardea_impl *const *table;
	struct cardea_cipher_impl broken = cardea_aes_ct64;
	size_t n;

	table = cardea_aes_impls(&n);
	CHECK(n > 0 && table[n - 1] == &cardea_aes_ct64.impl);
	for (size_t i = 0; i < n; i++) {
		const struct cardea_cipher_impl *c = (const void *)table[i];

		if (!test_can_run(t, cardea_cipher_name(c->cipher), &c->impl))
			continue;
		test_selftest(t, c);
		test_vectors(t, c, fips, CARDEA_ARRAY_LEN(fips));
		for (size_t j = 0; j < CARDEA_ARRAY_LEN(schedules); j++) {
			uint8_t bytes[32], want[16];
			struct cardea_cipher_key key;
			size_t len = test_hex(bytes, sizeof(bytes), schedules[j].key);

			expand(t, c, &key, bytes, len);
			test_hex(want, sizeof(want), schedules[j].last);
			CHECK(key.u.aes.rounds == len / 4 + 6);
			CHECK_MEM(key.u.aes.round_key[key.u.aes.rounds], want, 16);
		}
		test_counts(t, c, &cardea_aes_ct64);
	}
	broken.decrypt = broken_decrypt;
	CHECK(!cardea_cipher_self_test(&broken.impl));
}

/*
 * ecb_tbl.txt of the Twofish submission: each plain text is the cipher text before, each key the plain text
 * before, in front of what fits of the key before.  49 steps from zero; `last` is the published end.
 */
static void test_chain(struct test *t, const struct cardea_cipher_impl *c, size_t key_len, const char *last)
{
	uint8_t bytes[32] = { 0 }, plain[16] = { 0 }, cipher[16], back[16], want[16];
	struct cardea_cipher_key key;

	for (unsigned i = 1; i <= 49; i++) {
		expand(t, c, &key, bytes, key_len);
		encrypt(t, c, &key, cipher, plain, 1);
		decrypt(t, c, &key, back, cipher, 1);
		CHECK_MEM(back, plain, 16);
		memmove(bytes + 16, bytes, 16);
		memcpy(bytes, plain, 16);
		memcpy(plain, cipher, 16);
	}
	test_hex(want, sizeof(want), last);
	CHECK_MEM(cipher, want, 16);
}

void test_twofish(struct test *t)
{
	/* ecb_ival.txt of the submission. */
	static const struct vector ival[] = {
		{ "00000000000000000000000000000000", "00000000000000000000000000000000",
		  "9f589f5cf6122c32b6bfec2f2ae8c35a" },
		{ "0123456789abcdeffedcba98765432100011223344556677", "00000000000000000000000000000000",
		  "cfd1d2e5a9be9cdf501f13b892bd2248" },
		{ "0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff",
		  "00000000000000000000000000000000", "37527be0052334b89f0cfccae87cfa20" },
	};
	const struct cardea_impl *const *table;
	size_t n;

	table = cardea_twofish_impls(&n);
	CHECK(n > 0 && table[n - 1] == &cardea_twofish_c.impl);
	for (size_t i = 0; i < n; i++) {
		const struct cardea_cipher_impl *c = (const void *)table[i];
		struct cardea_cipher_key key;
		uint8_t zero[16] = { 0 };

		if (!test_can_run(t, cardea_cipher_name(c->cipher), &c->impl))
			continue;
		test_selftest(t, c);
		test_vectors(t, c, ival, CARDEA_ARRAY_LEN(ival));
		/* The subkeys that ecb_ival.txt prints for the zero key: first, last and one between. */
		expand(t, c, &key, zero, sizeof(zero));
		CHECK(key.u.twofish.k[0] == 0x52c54dde && key.u.twofish.k[1] == 0x11f0626d);
		CHECK(key.u.twofish.k[8] == 0xf98ffef9 && key.u.twofish.k[39] == 0x696ea672);
		test_chain(t, c, 16, "5d9d4eeffa9151575524f115815a12e0");
		test_chain(t, c, 24, "e75449212beef9f4a390bd860a640941");
		test_chain(t, c, 32, "37fe26ff1cf66175f5ddf4c33b97a205");
		test_counts(t, c, &cardea_twofish_c);
	}
}
