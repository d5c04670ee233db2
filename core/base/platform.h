/* SPDX-License-Identifier: MIT */
/*
 * The two structs through which the core sees the world.  Whoever embeds it fills them; see
 * docs/embedding.md.
 */
#ifndef CARDEA_PLATFORM_H
#define CARDEA_PLATFORM_H

#include "base/base.h"

/* Work that is split over CPUs: fn(arg, i) once for each index.  fn only computes: no platform call. */
struct cardea_job {
	void (*fn)(void *arg, unsigned index);
	void *arg;
};

/* How far a key derivation is.  done and total are in the same arbitrary unit. */
struct cardea_progress {
	unsigned slot;
	uint64_t done, total;
};

enum cardea_log_level {
	CARDEA_LOG_ERROR,   /* why something was refused or failed                 */
	CARDEA_LOG_WARNING, /* it goes on, but the user should know                */
	CARDEA_LOG_INFO,    /* what was chosen                                     */
};

struct cardea_platform {
	void *ctx;
	/* count zeroed 4 KiB pages, adjacent, or NULL.  Need not be below 4 GiB. */
	void *(*pages)(void *ctx, size_t count);
	/* Takes back what pages() gave, same count.  The core has wiped it already. */
	void (*pages_free)(void *ctx, void *p, size_t count);
	/* How many CPUs run() can use; 1 when it is a plain loop. */
	unsigned (*cpus)(void *ctx);
	/* job->fn(job->arg, i) once for each i < count, in any order, on any CPU; returns when all have. */
	void (*run)(void *ctx, const struct cardea_job *job, unsigned count);
	/*
	 * Vector state: the XCR0 bits usable between vec_begin and vec_end (docs/architecture.md, "Vector
	 * sections").  0 with both functions NULL when there is none: only implementations that use general
	 * registers are chosen then.  Never nested.
	 */
	uint32_t vec_state;
	void (*vec_begin)(void *ctx);
	void (*vec_end)(void *ctx);
	/* Microseconds since some fixed moment. */
	uint64_t (*clock_us)(void *ctx);
	/* Called every few milliseconds of a key derivation.  Nonzero: stop (CARDEA_ERR_CANCELLED).  May be NULL. */
	int (*progress)(void *ctx, const struct cardea_progress *p);
	/* One line of text without line end, printable ASCII, never a secret.  May be NULL. */
	void (*log)(void *ctx, enum cardea_log_level level, const char *message);
};

/* A device that is read and written in whole blocks. */
struct cardea_disk {
	void *ctx;
	uint32_t block_size;   /* power of two, 512 to CARDEA_PAGE_SIZE */
	uint64_t block_count;
	/*
	 * count blocks from `block` on, all inside the device.  Any buffer alignment.  On error nothing is
	 * promised of dst.  write may be NULL: read-only.
	 */
	enum cardea_err (*read)(void *ctx, uint64_t block, void *dst, size_t count);
	enum cardea_err (*write)(void *ctx, uint64_t block, const void *src, size_t count);
};

/* Formats (cardea_format's rules) and logs one line; longer than 255 characters is cut. */
void __attribute__((format(printf, 3, 4)))
cardea_log(const struct cardea_platform *p, enum cardea_log_level level, const char *fmt, ...);

/* Zeroed pages for len bytes (len > 0), or NULL with a message that names `what` and the size. */
void *cardea_pages(const struct cardea_platform *p, size_t len, const char *what);

/* Wipes and gives back what cardea_pages(len) gave; NULL is allowed. */
void cardea_pages_free(const struct cardea_platform *p, void *pages, size_t len);

/* The device's size in bytes. */
uint64_t cardea_disk_size(const struct cardea_disk *d);

/*
 * Reads len bytes at byte `offset`, any alignment, through a bounce buffer for partial blocks.
 * CARDEA_ERR_FORMAT when the range is not inside the device; dst is zeroed on every error.
 */
enum cardea_err CARDEA_MUST_CHECK cardea_disk_read_bytes(const struct cardea_disk *d, uint64_t offset, void *dst,
                                                         size_t len);

#endif
