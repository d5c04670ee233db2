/* SPDX-License-Identifier: MIT */
/*
 * Sector encryption as dm-crypt does it: a cipher, a mode and an IV generator, named by a string like
 * "aes-xts-plain64" or "twofish-cbc-essiv:sha256" (kernel documentation, admin-guide/device-mapper/dm-crypt).
 *
 * | mode | key                                     | IV generators                                      |
 * | xts  | two cipher keys of equal size           | plain, plain64, plain64be, essiv:HASH, eboiv, benbi, null |
 * | cbc  | one cipher key                          | the same                                                  |
 * | ctr  | one cipher key                          | the same but eboiv                                        |
 * | lrw  | a cipher key, then a 16-byte tweak key  | the same (benbi is the usual one)                         |
 * | ecb  | one cipher key                          | none; one that is named is ignored, as dm-crypt does      |
 */
#ifndef CARDEA_CRYPT_H
#define CARDEA_CRYPT_H

#include "crypto/suite.h"

#define CARDEA_MAX_KEY 64u /* bytes of a volume key, the longest: two AES-256 or Twofish-256 keys */
#define CARDEA_MAX_SECTOR 4096u

enum cardea_mode { CARDEA_MODE_ECB, CARDEA_MODE_CBC, CARDEA_MODE_CTR, CARDEA_MODE_LRW, CARDEA_MODE_XTS };

enum cardea_iv {
	CARDEA_IV_NULL,      /* zero                                                                       */
	CARDEA_IV_PLAIN,     /* low 32 bits of the sector number, little-endian                            */
	CARDEA_IV_PLAIN64,   /* 64 bits, little-endian                                                     */
	CARDEA_IV_PLAIN64BE, /* 64 bits, big-endian, in the last 8 bytes                                   */
	CARDEA_IV_ESSIV,     /* plain64, encrypted with the cipher keyed by HASH(key)                      */
	CARDEA_IV_EBOIV,     /* sector number times sector_len, 64 bits, little-endian, encrypted with the key */
	CARDEA_IV_BENBI,     /* number of the sector's first 16-byte block, from 1, 64 bits big-endian, last 8 bytes */
};

struct cardea_spec {
	enum cardea_cipher_id cipher;
	enum cardea_mode mode;
	enum cardea_iv iv;
	enum cardea_hash_id essiv_hash; /* when iv is ESSIV */
};

/*
 * Reads such a string, also in dm-crypt's "capi:MODE(CIPHER)-IV" form, and checks that a key of key_len bytes
 * fits.  CARDEA_ERR_UNSUPPORTED, with a message to the log that names the part that is not built in and what
 * `what` is ("key slot 3", "segment 0"); CARDEA_ERR_FORMAT when it makes no sense at all.
 */
enum cardea_err CARDEA_MUST_CHECK cardea_spec_parse(struct cardea_spec *out, const char *text, size_t key_len,
                                                    const struct cardea_platform *p, const char *what);

/* Expanded keys of one mapping.  The caller's, may be copied; to be wiped. */
struct cardea_crypt {
	const struct cardea_cipher_impl *impl;
	struct cardea_spec spec;
	uint32_t sector_len;          /* bytes: 512, 1024, 2048 or 4096 */
	struct cardea_cipher_key key; /* data                            */
	struct cardea_cipher_key key2; /* XTS: tweak key                 */
	struct cardea_cipher_key iv_key; /* ESSIV                         */
	uint8_t lrw_tweak[16];
};
CARDEA_WIPE_OF(crypt, struct cardea_crypt);

/*
 * Expands `key` for a spec that cardea_spec_parse accepted with this key_len.  XTS with two equal halves is
 * accepted, as dm-crypt accepts it outside FIPS mode.  Opens a vector section where the implementation needs one.
 */
void cardea_crypt_init(struct cardea_crypt *out, const struct cardea_suite *suite, const struct cardea_platform *p,
                       const struct cardea_spec *spec, uint32_t sector_len, const uint8_t *key, size_t key_len);

/*
 * Encrypts or decrypts whole sectors.  iv_sector is the number of the first one as dm-crypt counts: in units of
 * 512 bytes from the start of the mapping plus its iv_offset, whatever sector_len is.  in == out or no overlap.
 * Opens vector sections of bounded length itself.
 */
void cardea_crypt_encrypt(const struct cardea_crypt *c, const struct cardea_platform *p, uint8_t *out,
                          const uint8_t *in, size_t sectors, uint64_t iv_sector);
void cardea_crypt_decrypt(const struct cardea_crypt *c, const struct cardea_platform *p, uint8_t *out,
                          const uint8_t *in, size_t sectors, uint64_t iv_sector);

#endif
