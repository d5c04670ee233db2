/* SPDX-License-Identifier: MIT */
#include "crypto/hash_internal.h"
#include "crypto/kdf.h"

/* Bytes that are hashed before the vector section is left for a moment: well below a millisecond of work. */
#define SECTION (32u * 1024)

/* H1 of the specification: each digest's length of d becomes the hash of its number and itself, the last one cut. */
static void diffuse(const struct cardea_suite *suite, enum cardea_hash_id hash, uint8_t *d, size_t len)
{
	size_t digest_len = cardea_hash_digest_len(hash);
	struct cardea_bytes64 digest CARDEA_SECRET(bytes64);
	uint32_t number = 0;

	_Static_assert(sizeof(digest) >= CARDEA_MAX_DIGEST, "");
	while (len > 0) {
		size_t n = cardea_min_size(len, digest_len);
		struct cardea_hash h;
		uint8_t prefix[4];

		cardea_put_be32(prefix, number++);
		cardea_hash_init(&h, suite, hash);
		cardea_hash_update(&h, prefix, sizeof(prefix));
		cardea_hash_update(&h, d, n);
		cardea_hash_final(&h, digest.b);
		memcpy(d, digest.b, n);
		d += n;
		len -= n;
	}
}

void cardea_af_merge(const struct cardea_suite *suite, const struct cardea_platform *p, enum cardea_hash_id hash,
                     uint8_t *out, const uint8_t *in, size_t key_len, uint32_t stripes)
{
	const struct cardea_impl *impl = &suite->compress[cardea_hash_family(hash)]->impl;
	size_t in_section = 0;

	memset(out, 0, key_len);
	if (stripes == 0)
		return;
	cardea_impl_begin(p, impl);
	for (uint32_t i = 0; i < stripes - 1; i++) {
		for (size_t k = 0; k < key_len; k++)
			out[k] ^= in[k];
		in += key_len;
		diffuse(suite, hash, out, key_len);
		in_section += key_len;
		if (in_section >= SECTION) {
			cardea_impl_end(p, impl);
			cardea_impl_begin(p, impl);
			in_section = 0;
		}
	}
	cardea_impl_end(p, impl);
	for (size_t k = 0; k < key_len; k++)
		out[k] ^= in[k];
}
