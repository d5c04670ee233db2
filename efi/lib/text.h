/* SPDX-License-Identifier: MIT */
/* Text to the firmware's console. */
#ifndef EFI_LIB_TEXT_H
#define EFI_LIB_TEXT_H

#include "lib/env.h"

/*
 * Writes UTF-8 text at the cursor; '\n' begins a new line.  Lines that are too long for the console are broken
 * at spaces and go on two columns in.  What UCS-2 cannot hold comes out as '?'.
 */
void efi_put(const char *text);

/* The same through cardea_format; at most 511 bytes. */
void __attribute__((format(printf, 1, 2))) efi_say(const char *fmt, ...);

/* Width of the console in characters, and the cursor's column. */
size_t efi_columns(void);
size_t efi_column(void);

/* UTF-16 to UTF-8, cut at a whole character when it does not fit; always terminates (cap >= 1). */
size_t efi_utf8(char *out, size_t cap, const CHAR16 *in, size_t in_len);

/* Bytes of one code point in UTF-8, written to out. */
size_t efi_utf8_encode(char out[4], uint32_t code);

/* Length in units, at most max. */
size_t efi_len16(const CHAR16 *s, size_t max);

#endif
