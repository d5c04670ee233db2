/* SPDX-License-Identifier: MIT */
/* What luks.c, luks1.c, luks2*.c and unlock.c share. */
#ifndef CARDEA_LUKS_INTERNAL_H
#define CARDEA_LUKS_INTERNAL_H

#include "volume/luks.h"

/* First sector of both formats: magic, big-endian version (LUKS1 1.2.3 figure 1; LUKS2 1.1.x section 2.1). */
#define LUKS_MAGIC "LUKS\xba\xbe"
#define LUKS2_MAGIC_2ND "SKUL\xba\xbe"
#define LUKS_MAGIC_LEN 6u
#define LUKS_UUID_OFFSET 168u /* the same in both */
#define LUKS_UUID_LEN 40u

#define LUKS2_MIN_HEADER 0x4000u
#define LUKS2_MAX_HEADER 0x400000u

/* An AF area bigger than this is not believed: 64-byte key times 65536 stripes. */
#define LUKS_MAX_AREA (4u << 20)

/* Reads inside an extent; CARDEA_ERR_FORMAT when the range is not inside it. */
enum cardea_err CARDEA_MUST_CHECK cardea_extent_read(const struct cardea_extent *e, uint64_t offset, void *dst,
                                                     size_t len);

/* A fixed field of text: up to its terminator, what is not printable ASCII as '?'.  out has len + 1 bytes. */
void cardea_luks_text(char *out, const uint8_t *field, size_t len);

/*
 * Name of another format whose signature stands where it would be overwritten by, or overwrite, a LUKS2
 * header; NULL when none can be seen.  Reads at most the first 128 KiB.
 */
const char *cardea_luks_other_signature(const struct cardea_extent *e);

/* Marks a slot, with the reason. */
void __attribute__((format(printf, 3, 4)))
cardea_luks_slot_fault(struct cardea_luks_slot *s, enum cardea_slot_state state, const char *fmt, ...);

/* Parses s->area_spec_text for s->area_key_len; a refusal becomes the slot's state and reason. */
bool CARDEA_MUST_CHECK cardea_luks_slot_spec(struct cardea_luks_slot *s);

/* Areas of different slots must not overlap: the higher-numbered one of a pair is marked damaged. */
void cardea_luks_check_overlap(struct cardea_luks *luks);

enum cardea_err CARDEA_MUST_CHECK cardea_luks1_read(struct cardea_luks *out, const struct cardea_platform *p,
                                                    const struct cardea_extent *where, bool detached);
enum cardea_err CARDEA_MUST_CHECK cardea_luks2_read(struct cardea_luks *out, const struct cardea_suite *suite,
                                                    const struct cardea_platform *p,
                                                    const struct cardea_extent *where, bool detached);

/* luks2_json.c: the JSON area of a header whose checksum was right, to the model. */
enum cardea_err CARDEA_MUST_CHECK cardea_luks2_model(struct cardea_luks *out, const struct cardea_platform *p,
                                                     const char *text, size_t text_len, uint64_t container_len,
                                                     bool detached);

#endif
