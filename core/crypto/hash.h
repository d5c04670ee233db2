/* SPDX-License-Identifier: MIT */
/*
 * Hash functions, HMAC and their names as cryptsetup and the kernel write them.
 *
 * | hash                             | standard                  | digest     | block |
 * | sha1                             | FIPS 180-4                | 20         | 64    |
 * | sha224 sha256                    | FIPS 180-4                | 28 32      | 64    |
 * | sha384 sha512                    | FIPS 180-4                | 48 64      | 128   |
 * | ripemd160                        | Dobbertin et al. 1996     | 20         | 64    |
 * | whirlpool                        | ISO/IEC 10118-3:2004      | 64         | 64    |
 * | sha3-224 -256 -384 -512          | FIPS 202                  | 28..64     | 144..72 |
 * | blake2b-512, blake2s-256         | RFC 7693                  | 64, 32     | 128, 64 |
 *
 * All are constant time in the data (whirlpool: bitsliced or computed, no tables indexed by data).
 */
#ifndef CARDEA_HASH_H
#define CARDEA_HASH_H

#include "cpu/impl.h"

enum cardea_hash_id {
	CARDEA_HASH_SHA1,
	CARDEA_HASH_SHA224,
	CARDEA_HASH_SHA256,
	CARDEA_HASH_SHA384,
	CARDEA_HASH_SHA512,
	CARDEA_HASH_RIPEMD160,
	CARDEA_HASH_WHIRLPOOL,
	CARDEA_HASH_SHA3_224,
	CARDEA_HASH_SHA3_256,
	CARDEA_HASH_SHA3_384,
	CARDEA_HASH_SHA3_512,
	CARDEA_HASH_BLAKE2B_512,
	CARDEA_HASH_BLAKE2S_256,
	CARDEA_N_HASHES
};

#define CARDEA_MAX_DIGEST 64u
#define CARDEA_MAX_HASH_BLOCK 144u

/* What differs between CPUs: the compression function of a family, over whole blocks. */
enum cardea_compress_id {
	CARDEA_COMPRESS_SHA1,
	CARDEA_COMPRESS_SHA256, /* also SHA-224 */
	CARDEA_COMPRESS_SHA512, /* also SHA-384 */
	CARDEA_COMPRESS_RIPEMD160,
	CARDEA_COMPRESS_WHIRLPOOL,
	CARDEA_COMPRESS_KECCAK,
	CARDEA_COMPRESS_BLAKE2B,
	CARDEA_COMPRESS_BLAKE2S,
	CARDEA_N_COMPRESS
};

/* Chaining value of any family; words in the machine's byte order. */
union cardea_hash_state {
	uint32_t w32[16];
	uint64_t w64[25];
};

struct cardea_compress_impl {
	struct cardea_impl impl;
	enum cardea_compress_id family;
	/*
	 * n whole blocks into the state.  block_len is the hash's (it differs only within SHA-3).  BLAKE2 keeps
	 * its counter and final flag in the state (hash.c says where).
	 */
	void (*compress)(union cardea_hash_state *s, const uint8_t *blocks, size_t n, size_t block_len);
};

struct cardea_suite;

/* A running hash: the caller's, may be copied to fork it.  Wiped by cardea_hash_final. */
struct cardea_hash {
	union cardea_hash_state state;
	const struct cardea_compress_impl *impl;
	uint64_t total; /* bytes so far */
	enum cardea_hash_id id;
	uint32_t fill;  /* bytes waiting in buf */
	uint8_t buf[CARDEA_MAX_HASH_BLOCK];
};
CARDEA_WIPE_OF(hash, struct cardea_hash);

/* Properties by id. */
const char *cardea_hash_name(enum cardea_hash_id id);
size_t cardea_hash_digest_len(enum cardea_hash_id id);
size_t cardea_hash_block_len(enum cardea_hash_id id);

/* By the name that cryptsetup writes, without regard to case; false when it is not built in. */
bool CARDEA_MUST_CHECK cardea_hash_by_name(enum cardea_hash_id *out, const char *name);

/* These three open no vector section: the caller does when the implementation needs one (KDFs do). */
void cardea_hash_init(struct cardea_hash *h, const struct cardea_suite *suite, enum cardea_hash_id id);
void cardea_hash_update(struct cardea_hash *h, const void *data, size_t len);
/* Writes digest_len bytes and wipes h. */
void cardea_hash_final(struct cardea_hash *h, uint8_t *out);
/* init, update, final, with the vector section around them. */
void cardea_hash_once(const struct cardea_suite *suite, const struct cardea_platform *p, enum cardea_hash_id id,
                      uint8_t *out, const void *data, size_t len);

/* HMAC (RFC 2104), also the keyed inner and outer midstates that PBKDF2 keeps.  Wiped by cardea_hmac_final. */
struct cardea_hmac {
	struct cardea_hash inner, outer;
};
CARDEA_WIPE_OF(hmac, struct cardea_hmac);
void cardea_hmac_init(struct cardea_hmac *h, const struct cardea_suite *suite, enum cardea_hash_id id,
                      const uint8_t *key, size_t key_len);
void cardea_hmac_update(struct cardea_hmac *h, const void *data, size_t len);
void cardea_hmac_final(struct cardea_hmac *h, uint8_t *out);

/*
 * BLAKE2b with a digest of out_len (1 to 64) bytes, without a key (RFC 7693): Argon2's H.  A running hash that
 * is updated and finished with the functions above.
 */
void cardea_blake2b_init(struct cardea_hash *h, const struct cardea_suite *suite, size_t out_len);

/* Best first, portable last, of one family. */
const struct cardea_impl *const *cardea_compress_impls(enum cardea_compress_id family, size_t *n);
/* One known answer per family, for cardea_impl_select. */
bool cardea_compress_self_test(const struct cardea_impl *impl);
const char *cardea_compress_name(enum cardea_compress_id family);

#endif
