/* SPDX-License-Identifier: MIT */
/* The core's platform on boot services. */
#ifndef CARDEA_EFI_PLATFORM_H
#define CARDEA_EFI_PLATFORM_H

#include "cardea.h"
#include "lib/env.h"

extern struct cardea_platform platform;

/* Calibrates the clock. */
void platform_init(void);

/*
 * Which volume or disk the messages are about ("Volume 1234...", "Disk PciRoot..."); NULL: none, and only errors
 * and warnings are shown.  The string must stay.
 */
void platform_subject(const char *subject);

/* While quiet, messages are dropped: the screen belongs to a program that we started. */
void platform_quiet(bool quiet);

/* Between these, progress is drawn and Esc cancels. */
void platform_progress_begin(void);
void platform_progress_end(void);

#endif
