/* SPDX-License-Identifier: MIT */
/*
 * Readers of foreign bytes under test: each takes any input, checks what the headers promise, and aborts with a
 * message when a promise is broken.  fuzz_entry.c feeds them from libFuzzer, fuzz_smoke.c from a short list of
 * mutations.
 */
#ifndef CARDEA_TEST_FUZZ_H
#define CARDEA_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Once, before the others. */
void fuzz_setup(void);

/*
 * cardea_luks_probe, cardea_luks_read, cardea_luks_check_data.  The input begins with two bytes, FUZZ_*, then:
 *   without FUZZ_PARTS  the start of a disk, zeros after it
 *   with FUZZ_PARTS     the first 512 bytes of a LUKS2 header, then its JSON text; both headers are made from them,
 *                       with magic, sizes and checksums put right, so that mutations reach the JSON reader
 */
#define FUZZ_PARTS 0x01
#define FUZZ_DETACHED 0x02
#define FUZZ_SIZE(n) ((n) << 2 & 0x0c)  /* of the disk: 32 MiB, 4 MiB, just the input, 1 TiB           */
#define FUZZ_BAD_FIRST 0x10             /* damage the first header or the second                      */
#define FUZZ_BAD_SECOND 0x20
#define FUZZ_NEWER_SECOND 0x40
#define FUZZ_BLOCK_4096 0x80            /* else blocks of 512 bytes                                   */
/* Second byte. */
#define FUZZ_HEADER(n) ((n) & 0x0f)     /* header of 16 KiB << n; n above 8 is 0                    */
#define FUZZ_SHIFTED 0x10               /* the container begins 1 MiB into the disk                   */
#define FUZZ_NOMEM(n) ((n) << 5 & 0xe0) /* the n-th request for memory fails                        */
#define FUZZ_PARTS_HEADER 512u
void fuzz_luks(const uint8_t *data, size_t len);

/* cardea_json_parse and everything that reads its tokens.  First two bytes: how many tokens there may be. */
void fuzz_json(const uint8_t *data, size_t len);

/* cardea_base64_decode.  First byte: the capacity of the output. */
void fuzz_base64(const uint8_t *data, size_t len);

/* cardea_spec_parse, and a sector through whatever it accepts.  First byte: the length of the key. */
void fuzz_spec(const uint8_t *data, size_t len);

/*
 * Replaces value `which` (taken modulo their number) of the JSON text by interesting value `with`, or, from
 * fuzz_n_interesting on, by another value of the text.  Returns the new length, 0 when the text is no JSON or the
 * result would not fit.
 */
size_t fuzz_mutate_json(char *text, size_t len, size_t cap, uint32_t which, uint32_t with);
extern const uint32_t fuzz_n_interesting;
/* How many values the text has; 0 when it is no JSON. */
uint32_t fuzz_json_values(const char *text, size_t len);

/* splitmix64 */
static inline uint64_t fuzz_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

#endif
