/* SPDX-License-Identifier: MIT */
/*
 * What every file of the core shares: error codes, checked integers, byte order, spans, constant-time
 * helpers and wiping.  Nothing here knows a platform, allocates or keeps state.
 *
 * The core needs four functions from its surroundings, the ones that a freestanding GCC or clang may
 * call by itself: memcpy, memmove, memset, memcmp.  memcmp is never used on secrets.
 */
#ifndef CARDEA_BASE_H
#define CARDEA_BASE_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

void *memcpy(void *restrict out, const void *restrict in, size_t len);
void *memmove(void *out, const void *in, size_t len);
void *memset(void *out, int value, size_t len);
int memcmp(const void *a, const void *b, size_t len);

/*
 * Errors are few and meant for a caller who must act.  The reason goes to the platform's log at the
 * spot where it is found.
 */
enum cardea_err {
	CARDEA_OK = 0,
	CARDEA_ERR_IO = -1,           /* a device did not read or write what was asked              */
	CARDEA_ERR_NOMEM = -2,        /* not enough memory                                          */
	CARDEA_ERR_FORMAT = -3,       /* damaged, or not what it claims to be                       */
	CARDEA_ERR_UNSUPPORTED = -4,  /* well-formed, but needs something that is not built in      */
	CARDEA_ERR_KEY = -5,          /* no key slot opens with this passphrase or key: not a fault */
	CARDEA_ERR_CANCELLED = -6,    /* the platform's progress callback said stop                 */
	CARDEA_ERR_SELFTEST = -7,     /* an implementation, or all of a primitive's, gave wrong results */
};

#define CARDEA_MUST_CHECK __attribute__((warn_unused_result))
#define CARDEA_PAGE_SIZE 4096u
#define CARDEA_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static inline size_t cardea_min_size(size_t a, size_t b) { return a < b ? a : b; }

/* ---- byte order -------------------------------------------------------------------------------- */

/* __builtin_memcpy: under -ffreestanding a plain memcpy would be a call for every load and store. */
static inline uint16_t cardea_be16(const uint8_t *p) { return (uint16_t)((p[0] << 8) | p[1]); }

static inline uint32_t cardea_le32(const uint8_t *p)
{
	uint32_t v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t cardea_le64(const uint8_t *p)
{
	uint64_t v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t cardea_be32(const uint8_t *p) { return __builtin_bswap32(cardea_le32(p)); }
static inline uint64_t cardea_be64(const uint8_t *p) { return __builtin_bswap64(cardea_le64(p)); }
static inline void cardea_put_le32(uint8_t *p, uint32_t v) { __builtin_memcpy(p, &v, sizeof(v)); }
static inline void cardea_put_le64(uint8_t *p, uint64_t v) { __builtin_memcpy(p, &v, sizeof(v)); }
static inline void cardea_put_be32(uint8_t *p, uint32_t v) { cardea_put_le32(p, __builtin_bswap32(v)); }
static inline void cardea_put_be64(uint8_t *p, uint64_t v) { cardea_put_le64(p, __builtin_bswap64(v)); }

static inline uint32_t cardea_rol32(uint32_t v, unsigned n) { return (v << (n & 31)) | (v >> (-n & 31)); }
static inline uint32_t cardea_ror32(uint32_t v, unsigned n) { return (v >> (n & 31)) | (v << (-n & 31)); }
static inline uint64_t cardea_rol64(uint64_t v, unsigned n) { return (v << (n & 63)) | (v >> (-n & 63)); }
static inline uint64_t cardea_ror64(uint64_t v, unsigned n) { return (v >> (n & 63)) | (v << (-n & 63)); }

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the loads above are for x86_64");

/* ---- checked integers: true when the result does not fit ---------------------------------------- */

static inline bool CARDEA_MUST_CHECK cardea_add_overflows(uint64_t a, uint64_t b, uint64_t *out)
{
	return __builtin_add_overflow(a, b, out);
}

static inline bool CARDEA_MUST_CHECK cardea_mul_overflows(uint64_t a, uint64_t b, uint64_t *out)
{
	return __builtin_mul_overflow(a, b, out);
}

static inline bool cardea_is_pow2(uint64_t v) { return v != 0 && (v & (v - 1)) == 0; }

/* ---- constant time ------------------------------------------------------------------------------ */

/*
 * Hides where a value comes from, so that a compiler which knows that it is only ever 0 or all ones
 * does not turn the arithmetic around it into a branch.
 */
static inline uint64_t cardea_ct_barrier(uint64_t v)
{
	__asm__("" : "+r"(v));
	return v;
}

/* All ones when v is 0, else 0. */
static inline uint64_t cardea_ct_is_zero(uint64_t v)
{
	v = cardea_ct_barrier(v);
	return cardea_ct_barrier((uint64_t)0 - ((~v & (v - 1)) >> 63));
}

/* Whether two secrets of the same length are equal; takes the same time wherever they differ. */
static inline bool cardea_ct_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint64_t diff = 0;

	for (size_t i = 0; i < len; i++)
		diff |= (uint64_t)(a[i] ^ b[i]);
	return cardea_ct_is_zero(diff) != 0;
}

/* ---- wiping --------------------------------------------------------------------------------------- */

/* Zeroes len bytes; the compiler may not leave it out, though nothing reads them any more. */
static inline void cardea_wipe(void *p, size_t len)
{
	memset(p, 0, len);
	__asm__ __volatile__("" : : "r"(p) : "memory");
}

/*
 * Scope wipe: after CARDEA_WIPE_OF(name, type), a local declared as
 *         type x CARDEA_SECRET(name);
 * is wiped whenever its scope is left.
 */
#define CARDEA_WIPE_OF(name, type)                                                                     \
	static inline void cardea_wipe_##name(type *p) { cardea_wipe(p, sizeof(*p)); }                 \
	_Static_assert(sizeof(type) > 0, "")
#define CARDEA_SECRET(name) __attribute__((cleanup(cardea_wipe_##name)))

struct cardea_bytes64 { uint8_t b[64]; };
struct cardea_bytes128 { uint8_t b[128]; };
struct cardea_bytes4k { uint8_t b[4096]; };
CARDEA_WIPE_OF(bytes64, struct cardea_bytes64);
CARDEA_WIPE_OF(bytes128, struct cardea_bytes128);
CARDEA_WIPE_OF(bytes4k, struct cardea_bytes4k);

/* ---- text ------------------------------------------------------------------------------------------- */

/* Length of a string, at most max: for fixed fields that may lack their terminator. */
static inline size_t cardea_strnlen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n] != '\0')
		n++;
	return n;
}

static inline bool cardea_starts_with(const char *s, const char *prefix)
{
	while (*prefix != '\0' && *s == *prefix) {
		s++;
		prefix++;
	}
	return *prefix == '\0';
}

static inline bool cardea_streq(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/*
 * A small snprintf: %s %.*s %c %d %u %x with l or ll, %zu, %%, field width and zero padding.  Always
 * terminates (out_len >= 1).  Bytes of strings that are not printable ASCII come out as '?', so that text
 * from a disk cannot drive a terminal.  Returns the length written, without the terminator; text that
 * does not fit is cut.
 */
size_t __attribute__((format(printf, 3, 4))) cardea_format(char *out, size_t out_len, const char *fmt, ...);
size_t __attribute__((format(printf, 3, 0))) cardea_vformat(char *out, size_t out_len, const char *fmt,
                                                             __builtin_va_list args);

/*
 * Base64 with padding (RFC 4648 section 4), strict: no white space, no missing padding, unused bits zero.
 * Writes at most out_cap bytes and sets *out_len.  False when the text is not such, or longer than out_cap;
 * out is then zeroed.
 */
bool CARDEA_MUST_CHECK cardea_base64_decode(uint8_t *out, size_t out_cap, size_t *out_len, const char *text,
                                            size_t text_len);

#endif
