/* SPDX-License-Identifier: MIT */
/*
 * Which implementation of each primitive is used.  Filled once by cardea_suite_init, const afterwards; the core
 * has no other place where such a choice is kept.
 */
#ifndef CARDEA_SUITE_H
#define CARDEA_SUITE_H

#include "cpu/features.h"
#include "crypto/cipher.h"
#include "crypto/hash.h"

struct cardea_argon2_impl;

/* Primitives with tables of implementations: the ciphers, the families of hash compression, Argon2's block. */
#define CARDEA_N_PRIMITIVES (CARDEA_N_CIPHERS + CARDEA_N_COMPRESS + 1u)

struct cardea_suite {
	const struct cardea_cipher_impl *cipher[CARDEA_N_CIPHERS];
	const struct cardea_compress_impl *compress[CARDEA_N_COMPRESS];
	const struct cardea_argon2_impl *argon2;
	/* How it came about, for cardea_suite_describe. */
	uint32_t cpu;      /* features of the CPU that the platform can hold the state of */
	uint32_t features; /* the same without those that were switched off               */
	uint32_t failed[CARDEA_N_PRIMITIVES]; /* bit i: implementation i failed its self-test    */
	bool named[CARDEA_N_PRIMITIVES];      /* chosen by the options                           */
};

/*
 * Chooses from each primitive's table the first implementation whose needs the CPU meets, as far as p->vec_state
 * allows, and that passes its self-test.
 *
 * `options` (NULL: none) are words with commas or spaces between:
 *     -FEATURE          as if the CPU lacked it, and what builds on it: "-avx2", "-aes"
 *     PRIMITIVE=NAME    this implementation: "twofish=c"
 * CARDEA_ERR_UNSUPPORTED, with a message, for words that are not understood or that ask for what this CPU cannot run.
 * CARDEA_ERR_SELFTEST when a primitive has no implementation left; the message names it.  On error *out is zeroed.
 */
enum cardea_err CARDEA_MUST_CHECK cardea_suite_init(struct cardea_suite *out, const struct cardea_platform *p,
                                                    const char *options);

/* "aes", "twofish", "sha1", ..., "argon2" for i below CARDEA_N_PRIMITIVES; its table, best first. */
const char *cardea_primitive_name(unsigned i);
const struct cardea_impl *const *cardea_primitive_impls(unsigned i, size_t *n);

/* What the suite uses for primitive i; and makes it use an entry of that primitive's table: for tests. */
const struct cardea_impl *cardea_suite_chosen(const struct cardea_suite *s, unsigned i);
void cardea_suite_use(struct cardea_suite *s, unsigned i, const struct cardea_impl *impl);

/* Whether this implementation can run in this suite: the needs of `impl` are among its features. */
bool cardea_suite_can_run(const struct cardea_suite *s, const struct cardea_platform *p,
                          const struct cardea_impl *impl);

/*
 * What was chosen for primitive i, and why none of the better ones: "aes: ct64 (aesni: the CPU lacks aes)".
 * cap of 256 is enough.
 */
void cardea_suite_describe(const struct cardea_suite *s, unsigned i, char *out, size_t cap);

#endif
