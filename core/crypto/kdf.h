/* SPDX-License-Identifier: MIT */
/*
 * Key derivation from passphrases: PBKDF2-HMAC (RFC 8018 section 5.2) and Argon2i, Argon2id version 1.3
 * (RFC 9106).  Both poll the platform's progress callback every few milliseconds, spread work with the
 * platform's run, wipe all that they used, and zero `out` on error.  They open vector sections themselves.
 *
 * Constant time: PBKDF2 in password and salt.  Argon2i in the password; Argon2id only in the first half of its
 * first pass, then the addresses of memory depend on the password: that is its definition.
 */
#ifndef CARDEA_KDF_H
#define CARDEA_KDF_H

#include "crypto/suite.h"

/* iterations >= 1, any lengths.  slot is only handed on to the progress callback. */
enum cardea_err CARDEA_MUST_CHECK
cardea_pbkdf2(const struct cardea_suite *suite, const struct cardea_platform *p, enum cardea_hash_id hash,
              uint8_t *out, size_t out_len, const uint8_t *pass, size_t pass_len, const uint8_t *salt, size_t salt_len,
              uint32_t iterations, unsigned slot);

enum cardea_argon2_type { CARDEA_ARGON2D = 0, CARDEA_ARGON2I = 1, CARDEA_ARGON2ID = 2 };

#define CARDEA_ARGON2_MAX_LANES 64u
#define CARDEA_ARGON2_BLOCK 1024u

struct cardea_argon2 {
	enum cardea_argon2_type type; /* I or ID; D is refused */
	uint32_t passes;              /* t >= 1                                                    */
	uint32_t memory_kib;          /* m >= 8 p                                                 */
	uint32_t lanes;               /* p, 1 to CARDEA_ARGON2_MAX_LANES                          */
	/* Optional secret and associated data of RFC 9106 (LUKS2 uses neither). */
	const uint8_t *secret, *ad;
	size_t secret_len, ad_len;
};

/*
 * Memory comes from the platform as a list of page runs, as large as it gives them, so that it works in
 * fragmented memory and above 4 GiB.  CARDEA_ERR_NOMEM names how much was needed and how much there was.
 * Parameters outside the ranges above: CARDEA_ERR_UNSUPPORTED with a message.  out_len 4 to 1024.
 */
enum cardea_err CARDEA_MUST_CHECK
cardea_argon2(const struct cardea_suite *suite, const struct cardea_platform *p, const struct cardea_argon2 *params,
              uint8_t *out, size_t out_len, const uint8_t *pass, size_t pass_len, const uint8_t *salt, size_t salt_len,
              unsigned slot);

/* The block compression G of RFC 9106 section 3.5: out = G(x, y), xored onto out's old value when with_xor. */
struct cardea_argon2_impl {
	struct cardea_impl impl;
	void (*fill)(uint64_t out[128], const uint64_t x[128], const uint64_t y[128], bool with_xor);
};
const struct cardea_impl *const *cardea_argon2_impls(size_t *n);
bool cardea_argon2_self_test(const struct cardea_impl *impl);

/*
 * Anti-forensic merge (LUKS1 on-disk format 1.2.3, section 2.4): stripes * key_len bytes to key_len.  in and
 * out do not overlap.
 */
void cardea_af_merge(const struct cardea_suite *suite, const struct cardea_platform *p, enum cardea_hash_id hash,
                     uint8_t *out, const uint8_t *in, size_t key_len, uint32_t stripes);

#endif
