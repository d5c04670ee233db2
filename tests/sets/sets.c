/* SPDX-License-Identifier: MIT */
#include "sets/sets.h"

/* From the ground up, so that the first failure is the nearest to its cause. */
const struct test_set test_sets[] = {
	{ "base", test_base },     { "base64", test_base64 },   { "json", test_json },     { "features", test_features },
	{ "suite", test_suite }, { "hash", test_hash },     { "hmac", test_hmac },       { "aes", test_aes },       { "twofish", test_twofish },
	{ "modes", test_modes },   { "crypt", test_crypt },     { "pbkdf2", test_pbkdf2 }, { "argon2", test_argon2 },
	{ "af", test_af },         { "luks1", test_luks1 },     { "luks2", test_luks2 },   { "volume", test_volume },
};
const unsigned n_test_sets = CARDEA_ARRAY_LEN(test_sets);
