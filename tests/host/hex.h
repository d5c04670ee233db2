/* SPDX-License-Identifier: MIT */
/*
 * Every implementation of every primitive under one roof, for the host's test programs: list them, and make a
 * suite that uses a given one.
 */
#ifndef CARDEA_TEST_IMPLS_H
#define CARDEA_TEST_IMPLS_H

#include "crypto/hash_internal.h"
#include "crypto/modes.h"
#include "host.h"

/* "aes", "twofish", the eight families of hash compression, "argon2", in this order. */
#define N_PRIMITIVES (CARDEA_N_CIPHERS + CARDEA_N_COMPRESS + 1u)

const char *primitive_name(unsigned primitive);
/* The table of a primitive. */
const struct cardea_impl *const *primitive_impls(unsigned primitive, size_t *n);
/* Whether this CPU and the host's platform can run it. */
bool impl_usable(const struct cardea_impl *impl);
/* Makes the suite use `impl`, of that primitive's table. */
void suite_use(struct cardea_suite *suite, unsigned primitive, const struct cardea_impl *impl);

/* "0a1b.." or "-" for nothing, to bytes in a new buffer; NULL when it is no such text. */
uint8_t *hex_bytes(const char *hex, size_t *len);

#endif
