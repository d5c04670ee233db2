/* SPDX-License-Identifier: MIT */
/* The LUKS volumes that were found, and what was done with them. */
#ifndef CARDEA_EFI_VOLUMES_H
#define CARDEA_EFI_VOLUMES_H

#include "cardea/secrets.h"
#include "cardea/vdisk.h"

enum volume_state {
	VOLUME_LOCKED,
	VOLUME_OPEN,
	VOLUME_UNUSABLE, /* damaged or not supported: why was logged when it was looked at */
};

struct volume {
	struct volume *next;
	enum volume_state state;
	unsigned version;          /* of LUKS, 1 or 2 */
	bool seen;                 /* by the scan that runs   */
	struct disk disk;
	struct cardea_extent extent;
	struct cardea_luks luks;
	char subject[64];          /* what its messages begin with */
	/* VOLUME_OPEN */
	struct cardea_volume open;
	struct secret secret;      /* keeps `open` */
	struct vdisk *vdisk;
};

/*
 * Looks at every disk and partition of the firmware, after having it connect them all.  Volumes found before are
 * kept when they are still there, and taken back when not; new ones come last.  Returns the first.
 */
struct volume *volumes_scan(const struct cardea_suite *suite);
struct volume *volumes_first(void);

/* Reads the header: `luks`, `state` and `subject`. */
enum cardea_err volume_read(struct volume *v, const struct cardea_suite *suite);

/* Reads the header again and prints what the volume is; problems are logged.  Sets its state. */
void volume_show(struct volume *v, const struct cardea_suite *suite);

/* Asks until the volume opens or Esc is pressed; publishes it.  True when it is open. */
bool volume_unlock(struct volume *v, const struct cardea_suite *suite);

/* Takes back volumes whose disk is gone or changed. */
void volumes_reap(void);

/* Takes back everything and forgets all volumes. */
void volumes_end(void);

#endif
