/* SPDX-License-Identifier: MIT */
/*
 * Included in front of every freestanding source by the Makefile.  -fvisibility=hidden reaches definitions only;
 * with this, compilers know that what other files define is in the same image, too, and need no GOT for its
 * address: a PE image has none.
 */
#ifndef __ASSEMBLER__

#include <stddef.h>

/* On the host these four come from libc. */
__attribute__((visibility("default"))) void *memcpy(void *restrict out, const void *restrict in, size_t len);
__attribute__((visibility("default"))) void *memmove(void *out, const void *in, size_t len);
__attribute__((visibility("default"))) void *memset(void *out, int value, size_t len);
__attribute__((visibility("default"))) int memcmp(const void *a, const void *b, size_t len);

#pragma GCC visibility push(hidden)

#endif
