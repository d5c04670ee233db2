/* SPDX-License-Identifier: MIT */
/*
 * An open volume: a range of a disk and the keys to it.  Read and written in units of `block_size`, the larger
 * of the encryption sector and the disk's block.
 */
#ifndef CARDEA_VOLUME_H
#define CARDEA_VOLUME_H

#include "crypto/crypt.h"

struct cardea_volume {
	const struct cardea_platform *platform;
	const struct cardea_disk *disk;
	uint64_t start;       /* bytes on the disk, a multiple of block_size of the disk      */
	uint64_t block_count; /* of the volume; bytes beyond the last whole block are left out */
	uint32_t block_size;  /* bytes                                                       */
	uint64_t iv_offset;   /* in 512-byte units                                           */
	struct cardea_crypt crypt;
	char uuid[41];
	char label[49];
};

/*
 * Reads or writes count blocks from `block` on.  Ranges outside the volume are CARDEA_ERR_FORMAT and touch
 * nothing.  Read: on error all of dst is zeroed.  Write: encrypts through pages of the platform's, src is not
 * modified; on error blocks before the failing one may have been written.
 */
enum cardea_err CARDEA_MUST_CHECK cardea_volume_read(const struct cardea_volume *v, uint64_t block, void *dst,
                                                     size_t count);
enum cardea_err CARDEA_MUST_CHECK cardea_volume_write(const struct cardea_volume *v, uint64_t block, const void *src,
                                                      size_t count);

/* Wipes everything.  Allowed on a zeroed struct. */
void cardea_volume_close(struct cardea_volume *v);

#endif
