/* SPDX-License-Identifier: MIT */
/* The host program `cardea`: the core with libc around it. */
#ifndef CARDEA_HOST_H
#define CARDEA_HOST_H

#include <signal.h>
#include <stdio.h>
#include <sys/types.h>
#include "cardea.h"

enum exit_code {
	EXIT_DONE = 0,
	EXIT_USAGE = 1,
	EXIT_KEY = 2,
	EXIT_UNSUPPORTED = 3,
	EXIT_DAMAGED = 4,
	EXIT_IO = 5,
	EXIT_NOMEM = 6,
	EXIT_SELFTEST = 7,
	EXIT_INTERRUPTED = 130, /* as a shell reports SIGINT */
};

enum exit_code exit_code_of(enum cardea_err err);

/* ---- platform.c ------------------------------------------------------------------------------------------ */

extern struct cardea_platform host_platform; /* complete after host_setup */
extern volatile sig_atomic_t host_interrupted; /* set by SIGINT, SIGTERM, SIGHUP, SIGQUIT */

/* Signals, no core dumps, the vector state.  Call first. */
void host_setup(void);
/* Keeps secrets out of the swap area where the limit allows it. */
void host_lock(const void *p, size_t len);
/* What messages of the core are about: "disk.img", "disk.img, partition 2".  Copied. */
void host_log_subject(const char *subject);
void host_log_quiet(bool quiet);
/* A message of the program itself to standard error, "cardea: " before it. */
void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...);
void __attribute__((format(printf, 1, 2))) warn_user(const char *fmt, ...);
/* Fills *suite, by the options in the environment's CARDEA_CPU; complains when something is wrong. */
enum exit_code host_suite(struct cardea_suite *suite);

/* ---- options --------------------------------------------------------------------------------------------- */

struct options {
	const char *image, *header, *key_file, *uuid, *output, *input;
	uint64_t keyfile_offset, keyfile_size, volume_offset, range_offset, range_len, write_at;
	uint32_t partition, key_slot;
	bool has_keyfile_offset, has_keyfile_size, has_partition, has_volume_offset, has_range, json, cpu;
};

/* ---- image.c --------------------------------------------------------------------------------------------- */

struct image {
	const char *path;
	int fd;
	bool writable;
	struct cardea_disk disk;
};

/* Where a volume may lie in an image. */
struct container {
	struct cardea_extent where;
	unsigned partition;   /* 0: the whole image or a given offset */
	char partuuid[40];
	bool has_luks;        /* what image_containers found */
	char subject[256];    /* for messages */
};

#define MAX_CONTAINERS 256

enum exit_code image_open(struct image *img, const char *path, bool writable);
void image_close(struct image *img);
/*
 * All places in the image where a LUKS header may be looked for: the whole, when one is at its start or there is
 * no partition table, else the partitions.  Sets *n, and of each whether LUKS was found in it.
 */
enum exit_code image_containers(struct image *img, struct container *out, unsigned max, unsigned *n);
/* The one that the options name, or the only one that has LUKS.  `need_luks` is false with a detached header. */
enum exit_code image_select(struct image *img, const struct options *o, const struct cardea_suite *suite,
                            bool need_luks, struct container *out);

/* ---- open.c ---------------------------------------------------------------------------------------------- */

/* An image with its header read, maybe opened. */
struct session {
	struct cardea_suite suite;
	struct image img, header_img;
	struct container data;
	struct cardea_extent header;
	struct cardea_luks luks;
	struct cardea_volume volume;
	unsigned slot;
};

/* Opens the image, selects the volume and reads its header. */
enum exit_code session_read(struct session *s, const struct options *o, bool writable);
/* Then asks for the secret and unlocks. */
enum exit_code session_unlock(struct session *s, const struct options *o);
void session_close(struct session *s);

/* ---- passphrase.c ---------------------------------------------------------------------------------------- */

struct secret {
	uint8_t *bytes; /* pages of SECRET_CAP */
	size_t len;
};
#define SECRET_CAP (CARDEA_LUKS_MAX_PASSPHRASE + 1u)
#define MAX_TYPED 512u

/* From the key file that the options name, the terminal, or one line of standard input. */
enum exit_code secret_read(struct secret *s, const struct options *o, const char *prompt);
void secret_free(struct secret *s);

/* ---- commands -------------------------------------------------------------------------------------------- */

enum exit_code cmd_info(const struct options *o);
enum exit_code cmd_unlock(const struct options *o);
enum exit_code cmd_write(const struct options *o);
enum exit_code cmd_check(const struct options *o);
enum exit_code cmd_selftest(const struct options *o);

/* "argon2id, 4 passes, 1024 MiB, 4 lanes" */
void slot_kdf_text(char *out, size_t cap, const struct cardea_luks_slot *s);

#endif
