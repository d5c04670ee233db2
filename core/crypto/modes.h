/* SPDX-License-Identifier: MIT */
/*
 * Generic modes over any cipher_impl's encrypt and decrypt, batched so that wide implementations are fed:
 * tweaks of many sectors are encrypted together, and CBC encryption goes through several sectors side by
 * side.  Constant time when the cipher is.  The caller has opened the vector section, if any.
 */
#ifndef CARDEA_MODES_H
#define CARDEA_MODES_H

#include "crypto/cipher.h"

/* XTS (IEEE 1619-2018, whole blocks only): tweak = E_tweak(iv), multiplied by alpha from block to block. */
void cardea_xts_encrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const struct cardea_cipher_key *tweak, const struct cardea_sectors *s);
void cardea_xts_decrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const struct cardea_cipher_key *tweak, const struct cardea_sectors *s);

/* CBC (SP 800-38A 6.2), restarted with its IV at every sector. */
void cardea_cbc_encrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const struct cardea_sectors *s);
void cardea_cbc_decrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const struct cardea_sectors *s);

/* CTR (SP 800-38A 6.5), a 128-bit big-endian counter that starts at the IV at every sector; both directions. */
void cardea_ctr_crypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                      const struct cardea_sectors *s);

/*
 * LRW (IEEE P1619 draft 2006; Linux crypto/lrw.c): xor of K2 x index before and after, index = the IV as a
 * 128-bit big-endian number, one more per block, in GF(2^128) with the bit order of the draft.
 */
void cardea_lrw_encrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const uint8_t tweak[16], const struct cardea_sectors *s);
void cardea_lrw_decrypt(const struct cardea_cipher_impl *impl, const struct cardea_cipher_key *key,
                        const uint8_t tweak[16], const struct cardea_sectors *s);

#endif
