/* SPDX-License-Identifier: MIT */
/*
 * An open volume as a disk of the firmware: EFI_BLOCK_IO_PROTOCOL and a vendor hardware device path of our own on
 * a new handle.  Such a path is taken for a hard disk by boot loaders, which a path below a partition is not.
 */
#ifndef CARDEA_EFI_VDISK_H
#define CARDEA_EFI_VDISK_H

#include "cardea/disk.h"

struct vdisk;

/*
 * Publishes; *out is the new disk, whose handle vdisk_handle gives.  disk and volume must stay where they are until
 * vdisk_unpublish; a volume that is wiped before (block_count 0) answers EFI_NO_MEDIA.
 */
EFI_STATUS vdisk_publish(struct vdisk **out, struct disk *disk, struct cardea_volume *volume);

/*
 * Disconnects what is on it and takes it back.  When firmware does not let go, the handle stays for ever and
 * answers EFI_NO_MEDIA; either way disk and volume are not referred to any more.
 */
void vdisk_unpublish(struct vdisk *v);

EFI_HANDLE vdisk_handle(const struct vdisk *v);

/* Whether this path is one of ours, or lies below one. */
bool vdisk_is_ours(const EFI_DEVICE_PATH *path);

#endif
