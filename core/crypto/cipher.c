/* SPDX-License-Identifier: MIT */
/* The tables of implementations of the block ciphers, and their self-test. */
#include "crypto/cipher_internal.h"

/* Best first, the portable one last. */
static const struct cardea_impl *const aes_impls[] = {
	&cardea_aes_aesni.impl,
	&cardea_aes_ct64.impl,
};

static const struct cardea_impl *const twofish_impls[] = {
	&cardea_twofish_c.impl,
};

_Static_assert(offsetof(struct cardea_cipher_impl, impl) == 0, "tables hold pointers to the first member");

const struct cardea_impl *const *cardea_aes_impls(size_t *n)
{
	*n = CARDEA_ARRAY_LEN(aes_impls);
	return aes_impls;
}

const struct cardea_impl *const *cardea_twofish_impls(size_t *n)
{
	*n = CARDEA_ARRAY_LEN(twofish_impls);
	return twofish_impls;
}

const char *cardea_cipher_name(enum cardea_cipher_id id)
{
	return id == CARDEA_CIPHER_AES ? "aes" : "twofish";
}

/*
 * Wide implementations have other code for whole batches, for what is left, and for each size of key, so all
 * of it is run: a batch and one block, blocks alone, three keys, compared among themselves and, for
 * the first block, with the published answer.
 */
#define TEST_BATCH 128u

/*
 * Key 000102.., plain text 00112233..: FIPS 197, appendix C, with 16, 24 and 32 bytes of key.  The same for
 * Twofish, by nettle 3.8 and, but for 192 bits, libgcrypt 1.10.
 */
static const uint8_t answers[CARDEA_N_CIPHERS][3][CARDEA_BLOCK] = {
	[CARDEA_CIPHER_AES] = {
		{ 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a },
		{ 0xdd, 0xa9, 0x7c, 0xa4, 0x86, 0x4c, 0xdf, 0xe0, 0x6e, 0xaf, 0x70, 0xa0, 0xec, 0x0d, 0x71, 0x91 },
		{ 0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89 },
	},
	[CARDEA_CIPHER_TWOFISH] = {
		{ 0xdf, 0x84, 0x51, 0xd2, 0x6e, 0x05, 0x04, 0xbc, 0x19, 0xb0, 0xa9, 0x3b, 0x04, 0x9e, 0x32, 0x03 },
		{ 0x4a, 0xfc, 0x65, 0x4c, 0xe4, 0x5e, 0x2e, 0x65, 0xd6, 0x71, 0x6b, 0x8c, 0x60, 0x57, 0xc4, 0xf2 },
		{ 0xb7, 0xb5, 0xfb, 0x57, 0xec, 0x44, 0x6a, 0x11, 0xcb, 0xb7, 0xe6, 0x29, 0x23, 0x42, 0x53, 0x7b },
	},
};

static bool test_key(const struct cardea_cipher_impl *impl, unsigned size)
{
	uint8_t plain[(TEST_BATCH + 1) * CARDEA_BLOCK], out[sizeof(plain)], one[CARDEA_BLOCK], bytes[32];
	struct cardea_cipher_key key CARDEA_SECRET(cipher_key);
	size_t blocks = cardea_min_size(impl->batch, TEST_BATCH) + 1;

	/* Whatever was on the stack before must not matter. */
	memset(&key, 0xa5, sizeof(key));
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	impl->expand(&key, bytes, 16 + 8 * (size_t)size);
	for (size_t i = 0; i < blocks * CARDEA_BLOCK; i++)
		plain[i] = (uint8_t)((i % CARDEA_BLOCK) * 0x11 + i / CARDEA_BLOCK * 0x1d);
	impl->encrypt(&key, out, plain, blocks);
	if (memcmp(out, answers[impl->cipher][size], CARDEA_BLOCK) != 0)
		return false;
	for (size_t i = 0; i < blocks; i++) {
		impl->encrypt(&key, one, plain + i * CARDEA_BLOCK, 1);
		if (memcmp(one, out + i * CARDEA_BLOCK, CARDEA_BLOCK) != 0)
			return false;
		impl->decrypt(&key, one, one, 1);
		if (memcmp(one, plain + i * CARDEA_BLOCK, CARDEA_BLOCK) != 0)
			return false;
	}
	impl->decrypt(&key, out, out, blocks);
	return memcmp(out, plain, blocks * CARDEA_BLOCK) == 0;
}

bool cardea_cipher_self_test(const struct cardea_impl *impl)
{
	const struct cardea_cipher_impl *c = (const struct cardea_cipher_impl *)(const void *)impl;

	for (unsigned size = 0; size < 3; size++) {
		if (!test_key(c, size))
			return false;
	}
	return true;
}
