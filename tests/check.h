/* SPDX-License-Identifier: MIT */
/*
 * The one test mechanism, freestanding: sets of checks that any runner links, be it the host's or a UEFI
 * application.  CHECK counts and reports file, line and expression without stopping; a set is one TAP test
 * point, a failing check a diagnostic line under it.
 */
#ifndef CARDEA_CHECK_H
#define CARDEA_CHECK_H

#include "cardea.h"

struct test {
	const struct cardea_platform *platform;
	const struct cardea_suite *suite;
	unsigned checks, failures; /* of the running set */
	void (*note)(struct test *t, const char *line); /* a diagnostic line, "# " is the runner's */
	void *ctx;
};

struct test_set {
	const char *name;
	void (*run)(struct test *t);
};

/* All sets in the order in which they run: base, cpu, crypto, volume.  tests/sets/sets.c. */
extern const struct test_set test_sets[];
extern const unsigned n_test_sets;

bool test_check(struct test *t, bool ok, const char *file, unsigned line, const char *expr);
/* Compares and shows the first differing bytes in hex. */
bool test_check_mem(struct test *t, const void *got, const void *want, size_t len, const char *file, unsigned line,
                    const char *expr);
/* A diagnostic line, for example an implementation that is skipped by name because the CPU lacks a feature. */
void __attribute__((format(printf, 2, 3))) test_note(struct test *t, const char *fmt, ...);

/* Whether this implementation can run here; when not, a note that it is skipped and what is missing. */
bool test_can_run(struct test *t, const char *primitive, const struct cardea_impl *impl);

/* Deterministic bytes for tests: a 64-bit linear congruential generator from `seed`. */
void test_fill(uint8_t *out, size_t len, uint64_t seed);
/* "0a1b.." to bytes; spaces allowed; returns the length.  For vectors typed as text. */
size_t test_hex(uint8_t *out, size_t cap, const char *hex);

#define CHECK(expr) test_check(t, (expr), __FILE__, __LINE__, #expr)
#define CHECK_MEM(got, want, len) test_check_mem(t, (got), (want), (len), __FILE__, __LINE__, #got " == " #want)

#endif
