/* SPDX-License-Identifier: MIT */
/*
 * Load options: words after the program's name.
 *
 *   boot=\path\to.efi, or just \path\to.efi     what to start from an opened volume
 *   cpu=-avx2,twofish=c                         take CPU features away, name implementations (crypto/suite.h)
 */
#ifndef CARDEA_EFI_OPTIONS_H
#define CARDEA_EFI_OPTIONS_H

#include "lib/env.h"

#define OPTIONS_PATH 256u

struct options {
	CHAR16 program[OPTIONS_PATH]; /* from the root of a file system, with a backslash first */
	char cpu[128];
};

/* From the loaded image; what is not understood is said on the screen. */
void options_read(struct options *out);

#endif
