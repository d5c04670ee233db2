/* SPDX-License-Identifier: MIT */
#include "cardea/disk.h"
#include "cardea/platform.h"
#include "lib/status.h"

/* Some controllers take no more at once, and a request should not hold up timers for long. */
#define MAX_REQUEST (1u << 20)
#define BOUNCE_LEN (64u << 10)

enum disk_state disk_check(struct disk *d)
{
	if (d->state != DISK_PRESENT)
		return d->state;
	/* A handle that firmware removed, or took the protocol from: d->bio points to freed memory then. */
	if (efi_protocol(d->handle, &efi_guid_block_io) != d->bio)
		d->state = DISK_GONE;
	/* Its size too: firmware may reuse both addresses for another disk. */
	else if (!d->bio->Media->MediaPresent || d->bio->Media->MediaId != d->media_id ||
	         d->bio->Media->BlockSize != d->disk.block_size || d->bio->Media->LastBlock != d->disk.block_count - 1)
		d->state = DISK_CHANGED;
	return d->state;
}

static enum cardea_err transfer_failed(struct disk *d, EFI_STATUS status, uint64_t block, const char *what)
{
	if (status == EFI_MEDIA_CHANGED || status == EFI_NO_MEDIA)
		d->state = DISK_CHANGED;
	d->write_protected |= status == EFI_WRITE_PROTECTED;
	cardea_log(&platform, CARDEA_LOG_ERROR, "%s: %s at block %llu failed: %s", d->name, what,
	           (unsigned long long)block, efi_status_text(status));
	return efi_err_of(status) == CARDEA_ERR_NOMEM ? CARDEA_ERR_NOMEM : CARDEA_ERR_IO;
}

static bool aligned(const struct disk *d, const void *p)
{
	return d->io_align <= 1 || (uintptr_t)p % d->io_align == 0;
}

/*
 * One request, or why there was none.  Disks are removed by timer callbacks: at TPL_CALLBACK none comes between the
 * look at the disk and its use.
 */
static EFI_STATUS transfer(struct disk *d, bool write, uint64_t block, void *buffer, size_t blocks)
{
	EFI_TPL tpl = env.bs->RaiseTPL(TPL_CALLBACK);
	enum disk_state state = disk_check(d);
	EFI_STATUS status = state == DISK_PRESENT ? EFI_SUCCESS : state == DISK_GONE ? EFI_NOT_FOUND : EFI_MEDIA_CHANGED;

	if (!EFI_ERROR(status))
		status = (write ? d->bio->WriteBlocks : d->bio->ReadBlocks)(d->bio, d->media_id, block,
		                                                             blocks * d->disk.block_size, buffer);
	env.bs->RestoreTPL(tpl);
	return status;
}

static enum cardea_err read_blocks(void *ctx, uint64_t block, void *dst, size_t count)
{
	struct disk *d = ctx;
	uint8_t *out = dst;

	while (count > 0) {
		bool direct = aligned(d, out);
		size_t n = cardea_min_size(count, (direct ? MAX_REQUEST : BOUNCE_LEN) / d->disk.block_size);
		EFI_STATUS status = transfer(d, false, block, direct ? out : d->bounce, n);

		if (EFI_ERROR(status))
			return transfer_failed(d, status, block, "reading");
		if (!direct)
			memcpy(out, d->bounce, n * d->disk.block_size);
		out += n * d->disk.block_size;
		block += n;
		count -= n;
	}
	return CARDEA_OK;
}

static enum cardea_err write_blocks(void *ctx, uint64_t block, const void *src, size_t count)
{
	struct disk *d = ctx;
	const uint8_t *in = src;

	while (count > 0) {
		bool direct = aligned(d, in);
		size_t n = cardea_min_size(count, (direct ? MAX_REQUEST : BOUNCE_LEN) / d->disk.block_size);
		EFI_STATUS status;

		if (!direct)
			memcpy(d->bounce, in, n * d->disk.block_size);
		/* The firmware's prototype lacks const; it does not write there. */
		status = transfer(d, true, block, direct ? (void *)(uintptr_t)in : d->bounce, n);
		if (EFI_ERROR(status))
			return transfer_failed(d, status, block, "writing");
		in += n * d->disk.block_size;
		block += n;
		count -= n;
	}
	return CARDEA_OK;
}

enum cardea_err disk_open(struct disk *d, EFI_HANDLE handle)
{
	EFI_BLOCK_IO_MEDIA *media;

	memset(d, 0, sizeof(*d));
	d->handle = handle;
	d->bio = efi_protocol(handle, &efi_guid_block_io);
	if (d->bio == NULL || d->bio->Media == NULL || !d->bio->Media->MediaPresent)
		return CARDEA_ERR_IO;
	media = d->bio->Media;
	if (!cardea_is_pow2(media->BlockSize) || media->BlockSize < 512 || media->BlockSize > CARDEA_PAGE_SIZE ||
	    media->LastBlock >= UINT64_MAX / media->BlockSize)
		return CARDEA_ERR_UNSUPPORTED;
	/* Pages are aligned for everything but alignments that no device has. */
	if (media->IoAlign > CARDEA_PAGE_SIZE || (media->IoAlign > 1 && !cardea_is_pow2(media->IoAlign)))
		return CARDEA_ERR_UNSUPPORTED;
	efi_path_text(d->name, sizeof(d->name), efi_path_of(handle));
	d->media_id = media->MediaId;
	d->io_align = media->IoAlign;
	d->disk.ctx = d;
	d->disk.block_size = media->BlockSize;
	d->disk.block_count = media->LastBlock + 1;
	d->disk.read = read_blocks;
	d->disk.write = media->ReadOnly ? NULL : write_blocks;
	if (media->IoAlign > 1) {
		d->bounce = platform.pages(platform.ctx, BOUNCE_LEN / CARDEA_PAGE_SIZE);
		if (d->bounce == NULL)
			return CARDEA_ERR_NOMEM;
	}
	return CARDEA_OK;
}

void disk_close(struct disk *d)
{
	if (d->bounce != NULL)
		platform.pages_free(platform.ctx, d->bounce, BOUNCE_LEN / CARDEA_PAGE_SIZE);
	d->bounce = NULL;
}
