/* SPDX-License-Identifier: MIT */
/*
 * Block ciphers of 16-byte blocks.
 *
 * | cipher  | implementation | constant time | how                                             |
 * | AES     | aesni          | yes           | AES-NI, eight blocks in flight                  |
 * | AES     | ct64           | yes           | bitsliced, four blocks in eight 64-bit words    |
 * | Twofish | c              | yes           | bitsliced, 32 blocks in 64-bit lanes            |
 *
 * All implementations of a cipher share one expanded key, so that one can decrypt what another encrypted.
 * Kernels are pure computation: they open no vector section, they are called from cardea_crypt_* (crypt.h),
 * which does.
 */
#ifndef CARDEA_CIPHER_H
#define CARDEA_CIPHER_H

#include "cpu/impl.h"

#define CARDEA_BLOCK 16u

enum cardea_cipher_id { CARDEA_CIPHER_AES, CARDEA_CIPHER_TWOFISH, CARDEA_N_CIPHERS };

/* FIPS 197 section 5.2: the key schedule as big-endian words in memory order. */
struct cardea_aes_key {
	uint8_t round_key[15][16];
	uint32_t rounds; /* 10, 12 or 14 */
};

/* Twofish paper, section 4.3. */
struct cardea_twofish_key {
	uint32_t k[40];     /* K0..K39: whitening, then two per round                                        */
	uint8_t s[4][4];    /* s[i]: the paper's L_i in g() = h(X, S): S_(n_s - 1 - i); s[n_s - 1] first, s[0] last */
	uint32_t n_s;       /* 2, 3 or 4: 128, 192, 256 bits                                               */
};

struct cardea_cipher_key {
	union {
		struct cardea_aes_key aes;
		struct cardea_twofish_key twofish;
	} u;
};
CARDEA_WIPE_OF(cipher_key, struct cardea_cipher_key);

/*
 * Whole sectors, each with its own IV (CBC, ...) or tweak before encryption (XTS, LRW).  in == out or no
 * overlap.  Sectors are adjacent in both buffers.
 */
struct cardea_sectors {
	uint8_t *out;
	const uint8_t *in;
	size_t sectors;
	size_t sector_len;          /* bytes: a multiple of 16 */
	const uint8_t (*iv)[16];    /* one per sector         */
};

struct cardea_cipher_impl {
	struct cardea_impl impl;
	enum cardea_cipher_id cipher;
	/* key_len 16, 24 or 32.  Constant time in the key's value. */
	void (*expand)(struct cardea_cipher_key *out, const uint8_t *key, size_t key_len);
	/* Independent blocks (ECB).  in == out or no overlap. */
	void (*encrypt)(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks);
	void (*decrypt)(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks);
	/* How many blocks a call of encrypt or decrypt should have at least to run at full speed. */
	size_t batch;
	/*
	 * Modes fused into the implementation; NULL: the generic one over encrypt and decrypt (modes.c).
	 * tweak: the second key of XTS.
	 */
	void (*xts_encrypt)(const struct cardea_cipher_key *key, const struct cardea_cipher_key *tweak,
	                    const struct cardea_sectors *s);
	void (*xts_decrypt)(const struct cardea_cipher_key *key, const struct cardea_cipher_key *tweak,
	                    const struct cardea_sectors *s);
	void (*cbc_encrypt)(const struct cardea_cipher_key *key, const struct cardea_sectors *s);
	void (*cbc_decrypt)(const struct cardea_cipher_key *key, const struct cardea_sectors *s);
};

/* Best first, portable last.  *n: how many. */
const struct cardea_impl *const *cardea_aes_impls(size_t *n);
const struct cardea_impl *const *cardea_twofish_impls(size_t *n);

/* Known answers in both directions and an odd number of blocks, for cardea_impl_select. */
bool cardea_cipher_self_test(const struct cardea_impl *impl);

/* "aes", "twofish". */
const char *cardea_cipher_name(enum cardea_cipher_id id);

/* The portable implementations, also the references of the tests. */
extern const struct cardea_cipher_impl cardea_aes_ct64;
extern const struct cardea_cipher_impl cardea_twofish_c;

#endif
