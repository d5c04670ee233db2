/* SPDX-License-Identifier: MIT */
/*
 * Every secret that lives longer than one call is registered here, so that each way out of the program wipes all
 * of them: return, reset, and ExitBootServices by a system that was started.
 */
#ifndef CARDEA_EFI_SECRETS_H
#define CARDEA_EFI_SECRETS_H

#include "lib/env.h"

/* Belongs to the owner of the memory; zeroed while it is not registered. */
struct secret {
	struct secret *next;
	void *p;
	size_t len;
};

/* Arms the wipe at ExitBootServices.  Without it nothing may be unlocked. */
EFI_STATUS secrets_init(void);
void secrets_add(struct secret *s, void *p, size_t len);

/* Wipes this one and forgets it; allowed on one that is not registered. */
void secrets_remove(struct secret *s);

/* Wipes all, and disarms. */
void secrets_end(void);

#endif
