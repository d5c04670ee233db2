/* SPDX-License-Identifier: MIT */
/* The test sets, by name.  sets.c puts them in order. */
#ifndef CARDEA_SETS_H
#define CARDEA_SETS_H

#include "check.h"

void test_base(struct test *t);
void test_base64(struct test *t);
void test_json(struct test *t);
void test_features(struct test *t);
void test_suite(struct test *t);
void test_hash(struct test *t);
void test_hmac(struct test *t);
void test_pbkdf2(struct test *t);
void test_argon2(struct test *t);
void test_af(struct test *t);
void test_aes(struct test *t);
void test_twofish(struct test *t);
void test_modes(struct test *t);
void test_crypt(struct test *t);
void test_luks1(struct test *t);
void test_luks2(struct test *t);
void test_volume(struct test *t);

#endif
