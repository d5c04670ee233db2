/* SPDX-License-Identifier: MIT */
#include "crypto/suite.h"
#include "crypto/kdf.h"

/* The entry for one primitive, or NULL with a message. */
static const void *choose(const struct cardea_platform *p, const char *primitive,
                          const struct cardea_impl *const *table, size_t n, uint32_t features,
                          bool (*self_test)(const struct cardea_impl *))
{
	const struct cardea_impl *impl = cardea_impl_select(p, primitive, table, n, features, self_test);

	if (impl == NULL)
		cardea_log(p, CARDEA_LOG_ERROR, "%s: no implementation passes its self-test", primitive);
	return impl;
}

enum cardea_err cardea_suite_init(struct cardea_suite *out, const struct cardea_platform *p, uint32_t features)
{
	const struct cardea_impl *const *table;
	bool ok = true;
	size_t n;

	/* Every entry of a table begins with its struct cardea_impl, so that the pointers are the same. */
	for (unsigned i = 0; i < CARDEA_N_CIPHERS; i++) {
		enum cardea_cipher_id id = (enum cardea_cipher_id)i;

		table = id == CARDEA_CIPHER_AES ? cardea_aes_impls(&n) : cardea_twofish_impls(&n);
		out->cipher[id] = choose(p, cardea_cipher_name(id), table, n, features, cardea_cipher_self_test);
		ok = ok && out->cipher[id] != NULL;
	}
	for (unsigned i = 0; i < CARDEA_N_COMPRESS; i++) {
		enum cardea_compress_id id = (enum cardea_compress_id)i;

		table = cardea_compress_impls(id, &n);
		out->compress[id] = choose(p, cardea_compress_name(id), table, n, features, cardea_compress_self_test);
		ok = ok && out->compress[id] != NULL;
	}
	table = cardea_argon2_impls(&n);
	out->argon2 = choose(p, "argon2", table, n, features, cardea_argon2_self_test);
	ok = ok && out->argon2 != NULL;
	if (!ok) {
		/* Nothing of a suite that is not whole can be used by mistake. */
		memset(out, 0, sizeof(*out));
		return CARDEA_ERR_SELFTEST;
	}
	return CARDEA_OK;
}
