/* SPDX-License-Identifier: MIT */
/*
 * What the hash driver shares with PBKDF2, which runs the last compression of a hash millions of times and so
 * wants the padded blocks made once, and with the families' files.
 */
#ifndef CARDEA_HASH_INTERNAL_H
#define CARDEA_HASH_INTERNAL_H

#include "crypto/hash.h"

/*
 * How union cardea_hash_state is used:
 *   SHA-1, SHA-2, RIPEMD-160   w32[] or w64[]: the chaining words of the standard
 *   Whirlpool                  w64[i]: row i of the matrix, bytes in memory order
 *   Keccak                     w64[x + 5 y]: lane (x, y)
 *   BLAKE2b, BLAKE2s           w64[0..7] or w32[0..7]: h; both: w64[CARDEA_BLAKE2_COUNT] is the number of bytes up
 *                              to the end of the *next* block (compress adds block_len after each block that is
 *                              not the last), w64[CARDEA_BLAKE2_FINAL] is all ones before the last block, and
 *                              w64[CARDEA_BLAKE2_LEN] the digest's length, which compress leaves alone
 */
#define CARDEA_BLAKE2_COUNT 8
#define CARDEA_BLAKE2_FINAL 9
#define CARDEA_BLAKE2_LEN 10

/* The portable implementations, also the references of the tests. */
extern const struct cardea_compress_impl cardea_sha1_c;
extern const struct cardea_compress_impl cardea_sha256_c;
extern const struct cardea_compress_impl cardea_sha512_c;
extern const struct cardea_compress_impl cardea_ripemd160_c;
extern const struct cardea_compress_impl cardea_whirlpool_c;
extern const struct cardea_compress_impl cardea_keccak_c;
extern const struct cardea_compress_impl cardea_blake2b_c;
extern const struct cardea_compress_impl cardea_blake2s_c;

enum cardea_compress_id cardea_hash_family(enum cardea_hash_id id);

#define CARDEA_MAX_TAIL (2 * CARDEA_MAX_HASH_BLOCK)

/*
 * The last blocks of the message: what waits in h->buf, then the padding for h->total bytes; BLAKE2's counter
 * and final flag are set in h->state.  Returns how many blocks of tail are used: 1 or 2.
 */
size_t cardea_hash_pad(struct cardea_hash *h, uint8_t tail[CARDEA_MAX_TAIL]);

/* The digest's bytes from the state after the last block.  Writes cardea_hash_digest_len(id) bytes. */
void cardea_hash_digest(enum cardea_hash_id id, uint8_t *out, const union cardea_hash_state *s);

/* How many of w64[] the family uses: what has to be copied to fork a state. */
size_t cardea_hash_state_words(enum cardea_compress_id family);

#endif
