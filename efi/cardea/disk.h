/* SPDX-License-Identifier: MIT */
/* A firmware block device as the core's struct cardea_disk. */
#ifndef CARDEA_EFI_DISK_H
#define CARDEA_EFI_DISK_H

#include "cardea.h"
#include "lib/path.h"

enum disk_state {
	DISK_PRESENT,
	DISK_CHANGED, /* another medium, or none, is where ours was */
	DISK_GONE,    /* the device itself was taken away           */
};

struct disk {
	struct cardea_disk disk; /* write is NULL when the medium cannot be written */
	EFI_HANDLE handle;
	EFI_BLOCK_IO *bio;
	uint32_t media_id, io_align;
	enum disk_state state;   /* once it is not DISK_PRESENT, that is for ever */
	bool write_protected;    /* a write was refused for this reason          */
	void *bounce;            /* NULL: any buffer will do                     */
	char name[EFI_PATH_TEXT];
};

/*
 * CARDEA_ERR_IO when there is no medium, CARDEA_ERR_UNSUPPORTED for block sizes that the core does not read.
 * Nothing is logged: most devices of a computer are none of our business.
 */
enum cardea_err CARDEA_MUST_CHECK disk_open(struct disk *out, EFI_HANDLE handle);
void disk_close(struct disk *d);

/* Looks whether device and medium are still the ones that were opened. */
enum disk_state disk_check(struct disk *d);

#endif
