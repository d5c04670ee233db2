/* SPDX-License-Identifier: MIT */
/* Starting a program from an open volume. */
#ifndef CARDEA_EFI_BOOT_H
#define CARDEA_EFI_BOOT_H

#include "cardea/options.h"
#include "cardea/volumes.h"

/* The file system on the volume (or on a partition in it) that holds the program, or NULL. */
EFI_HANDLE boot_find(const struct volume *v, const struct options *o);

/* Starts it, and says how it ended when it comes back.  False when it could not be started: it says why. */
bool boot_start(const struct volume *v, const struct options *o);

#endif
