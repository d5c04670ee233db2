/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include "impls.h"

const char *primitive_name(unsigned primitive)
{
	if (primitive < CARDEA_N_CIPHERS)
		return cardea_cipher_name((enum cardea_cipher_id)primitive);
	if (primitive < CARDEA_N_CIPHERS + CARDEA_N_COMPRESS)
		return cardea_compress_name((enum cardea_compress_id)(primitive - CARDEA_N_CIPHERS));
	return "argon2";
}

const struct cardea_impl *const *primitive_impls(unsigned primitive, size_t *n)
{
	if (primitive == CARDEA_CIPHER_AES)
		return cardea_aes_impls(n);
	if (primitive == CARDEA_CIPHER_TWOFISH)
		return cardea_twofish_impls(n);
	if (primitive < CARDEA_N_CIPHERS + CARDEA_N_COMPRESS)
		return cardea_compress_impls((enum cardea_compress_id)(primitive - CARDEA_N_CIPHERS), n);
	return cardea_argon2_impls(n);
}

bool impl_usable(const struct cardea_impl *impl)
{
	const uint32_t features = 0; /* what host_suite gives to cardea_suite_init */

	return (impl->need & ~features) == 0 &&
	       (!(impl->traits & CARDEA_TRAIT_VECTOR) || host_platform.vec_begin != NULL);
}

void suite_use(struct cardea_suite *suite, unsigned primitive, const struct cardea_impl *impl)
{
	/* Every entry of a table begins with its struct cardea_impl, so that the pointers are the same. */
	if (primitive < CARDEA_N_CIPHERS)
		suite->cipher[primitive] = (const void *)impl;
	else if (primitive < CARDEA_N_CIPHERS + CARDEA_N_COMPRESS)
		suite->compress[primitive - CARDEA_N_CIPHERS] = (const void *)impl;
	else
		suite->argon2 = (const void *)impl;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

uint8_t *hex_bytes(const char *hex, size_t *len)
{
	size_t n = strcmp(hex, "-") == 0 ? 0 : strlen(hex);
	uint8_t *out = malloc(n / 2 + 1);

	*len = n / 2;
	for (size_t i = 0; out != NULL && i < n / 2; i++) {
		int hi = nibble(hex[2 * i]), lo = nibble(hex[2 * i + 1]);

		if (hi < 0 || lo < 0) {
			free(out);
			return NULL;
		}
		out[i] = (uint8_t)(hi << 4 | lo);
	}
	if (n % 2 != 0) {
		free(out);
		return NULL;
	}
	return out;
}
