/* SPDX-License-Identifier: MIT */
/* The part of the core's platform that all our EFI programs share: memory, time, work. */
#ifndef EFI_LIB_PLATFORM_H
#define EFI_LIB_PLATFORM_H

#include "base/platform.h"
#include "lib/env.h"

/* Fills everything but progress and log.  Takes 10 ms, to measure the speed of the time-stamp counter. */
void efi_platform_init(struct cardea_platform *p);

#endif
