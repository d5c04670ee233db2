/* SPDX-License-Identifier: MIT */
/* What the implementations of ciphers share among themselves. */
#ifndef CARDEA_CIPHER_INTERNAL_H
#define CARDEA_CIPHER_INTERNAL_H

#include "cpu/features.h"
#include "crypto/cipher.h"

/* FIPS 197's key schedule, constant time, general registers: what all AES implementations use. */
void cardea_aes_expand_ct64(struct cardea_cipher_key *out, const uint8_t *key, size_t key_len);

extern const struct cardea_cipher_impl cardea_aes_aesni;

#endif
