/* SPDX-License-Identifier: MIT */
/*
 * Which implementation of each primitive is used.  Filled once by cardea_suite_init, const afterwards; the core
 * has no other place where such a choice is kept.
 */
#ifndef CARDEA_SUITE_H
#define CARDEA_SUITE_H

#include "crypto/cipher.h"
#include "crypto/hash.h"

struct cardea_argon2_impl;

struct cardea_suite {
	const struct cardea_cipher_impl *cipher[CARDEA_N_CIPHERS];
	const struct cardea_compress_impl *compress[CARDEA_N_COMPRESS];
	const struct cardea_argon2_impl *argon2;
};

/*
 * Chooses from each primitive's table by `features` (CPU features that may be used, already masked by what the
 * platform's vec_state can hold) and by each implementation's self-test.  CARDEA_ERR_SELFTEST when a primitive
 * has no implementation left; the message names it.
 */
enum cardea_err CARDEA_MUST_CHECK cardea_suite_init(struct cardea_suite *out, const struct cardea_platform *p,
                                                    uint32_t features);

#endif
