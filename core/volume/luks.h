/* SPDX-License-Identifier: MIT */
/*
 * LUKS1 (on-disk format 1.2.3) and LUKS2 (on-disk format 1.1.x) volumes.
 *
 *   cardea_luks_read     the header: probe, checks, a model of plain integers; needs no secret
 *   cardea_luks_unlock   a passphrase or key bytes to the volume key, and a struct cardea_volume
 *   cardea_volume_*      sectors (volume.h)
 *
 * Nothing is ever repaired or written by these.
 */
#ifndef CARDEA_LUKS_H
#define CARDEA_LUKS_H

#include "crypto/crypt.h"
#include "crypto/kdf.h"
#include "volume/volume.h"

#define CARDEA_LUKS_MAX_SLOTS 32u
#define CARDEA_LUKS_MAX_DIGESTS 32u
#define CARDEA_LUKS_MAX_PASSPHRASE (8u << 20) /* bytes of a key file, as cryptsetup limits them */
#define CARDEA_SPEC_TEXT 80u
#define CARDEA_LUKS_WHY 160u

enum cardea_luks_kdf { CARDEA_KDF_PBKDF2, CARDEA_KDF_ARGON2I, CARDEA_KDF_ARGON2ID };

enum cardea_slot_priority { CARDEA_SLOT_IGNORE = 0, CARDEA_SLOT_NORMAL = 1, CARDEA_SLOT_PREFER = 2 };

/* Why a slot is not tried. */
enum cardea_slot_state {
	CARDEA_SLOT_EMPTY,       /* no such slot                                                           */
	CARDEA_SLOT_USABLE,
	CARDEA_SLOT_UNBOUND,     /* holds a key of no data segment                                         */
	CARDEA_SLOT_UNSUPPORTED, /* `why` names what is not built in                                       */
	CARDEA_SLOT_DAMAGED,     /* `why` says what is wrong                                               */
};

struct cardea_luks_slot {
	enum cardea_slot_state state;
	enum cardea_slot_priority priority;
	enum cardea_luks_kdf kdf;
	enum cardea_hash_id kdf_hash;  /* PBKDF2 */
	enum cardea_hash_id af_hash;
	uint32_t iterations;           /* PBKDF2 */
	uint32_t passes, memory_kib, lanes; /* Argon2 */
	uint32_t stripes;
	uint32_t key_len;              /* bytes of the volume key in it   */
	uint32_t area_key_len;         /* bytes of the key of its area    */
	uint64_t area_offset, area_len; /* bytes, from the header's start */
	struct cardea_spec area_spec;
	char area_spec_text[CARDEA_SPEC_TEXT];
	uint8_t salt[64];
	uint32_t salt_len;
	uint32_t digests;              /* LUKS2: bit d set: bound by digest d */
	char why[CARDEA_LUKS_WHY];
};

struct cardea_luks_digest {
	bool present;
	bool of_data;                  /* of the data segment's key */
	enum cardea_hash_id hash;
	uint32_t iterations;
	uint8_t salt[64], digest[64];
	uint32_t salt_len, digest_len;
};

struct cardea_luks {
	unsigned version;              /* 1 or 2 */
	char uuid[41];
	char label[49], subsystem[49]; /* LUKS2 */
	uint64_t start;                /* where the header is on its disk, bytes */
	bool secondary;                /* LUKS2: read from the second header     */
	uint64_t seqid;
	uint64_t header_len;           /* LUKS2: bytes of one header with its JSON */
	/* The data: cipher and place. */
	struct cardea_spec spec;
	char spec_text[CARDEA_SPEC_TEXT];
	uint32_t key_len;              /* bytes */
	uint32_t sector_len;
	uint64_t data_offset;          /* bytes, from the data container's start                          */
	uint64_t data_len;             /* bytes; 0: to the end of the container                            */
	uint64_t iv_offset;            /* in 512-byte units                                              */
	unsigned n_slots;              /* 8 or 32 */
	struct cardea_luks_slot slot[CARDEA_LUKS_MAX_SLOTS];
	struct cardea_luks_digest digest[CARDEA_LUKS_MAX_DIGESTS];
};

/* Where a LUKS container lies: the whole disk, or a part of it. */
struct cardea_extent {
	const struct cardea_disk *disk;
	uint64_t start, len;           /* bytes */
};

/*
 * Cheap test for a LUKS header at the start of the extent: reads one sector, and the secondary LUKS2 header's
 * known places only when `thorough`.  Sets *version to 0 when there is none.  CARDEA_ERR_IO when the first sector
 * cannot be read and nothing else was found.
 */
enum cardea_err CARDEA_MUST_CHECK cardea_luks_probe(const struct cardea_extent *where, bool thorough,
                                                    unsigned *version);

/*
 * Reads and validates the header at the start of `where`.  Of LUKS2's two headers checksum and sequence id
 * decide.  `detached`: the data is elsewhere, so that a data offset of 0 is in order.
 * CARDEA_ERR_FORMAT damaged or no LUKS; CARDEA_ERR_UNSUPPORTED requirements, integrity, reencryption, unknown
 * segments, cipher, mode: each with a message that names it.  A slot that cannot be used is no error here: its
 * state and `why` say so.  On error *out holds what could be read of version, uuid, label and spec_text, for
 * messages, else zeros.
 */
enum cardea_err CARDEA_MUST_CHECK cardea_luks_read(struct cardea_luks *out, const struct cardea_suite *suite,
                                                   const struct cardea_platform *p,
                                                   const struct cardea_extent *where, bool detached);

/*
 * Whether the data that the header describes fits its container and the blocks of the container's disk;
 * CARDEA_ERR_FORMAT (cut short) or CARDEA_ERR_UNSUPPORTED (not on block boundaries) with a message.
 * cardea_luks_unlock does this before it spends time; callers may, before they ask for a passphrase.
 */
enum cardea_err CARDEA_MUST_CHECK cardea_luks_check_data(const struct cardea_luks *luks,
                                                         const struct cardea_platform *p,
                                                         const struct cardea_extent *data);

#define CARDEA_ANY_SLOT UINT32_MAX

/*
 * Tries the key slots with these bytes (a passphrase or a key file's content): the one named, or all by
 * priority without the ignored ones, lowest number first.  `header` and `data` are the same extent unless the
 * header is detached.  On CARDEA_OK *out is an open volume, *slot (may be NULL) the slot that opened, and *out
 * refers to data->disk, which must outlive it.  CARDEA_ERR_KEY: no slot that could be tried opens.
 * CARDEA_ERR_UNSUPPORTED: none could be tried.  CARDEA_ERR_IO, CARDEA_ERR_NOMEM: none opened, and at least one could
 * not be read or lacked memory.  CARDEA_ERR_CANCELLED and CARDEA_ERR_FORMAT (cut short) end the whole attempt.
 */
enum cardea_err CARDEA_MUST_CHECK
cardea_luks_unlock(struct cardea_volume *out, const struct cardea_suite *suite, const struct cardea_platform *p,
                   const struct cardea_luks *luks, const struct cardea_extent *header, const struct cardea_extent *data,
                   const uint8_t *pass, size_t pass_len, uint32_t which, unsigned *slot);

#endif
