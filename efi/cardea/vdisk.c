/* SPDX-License-Identifier: MIT */
#include "cardea/vdisk.h"
#include "cardea/platform.h"
#include "lib/status.h"

/* 2ef85edd-bfa8-424a-b26b-63cc25876fa0: ours; the volume's UUID follows it in the path. */
#define VENDOR_GUID { 0x2ef85edd, 0xbfa8, 0x424a, { 0xb2, 0x6b, 0x63, 0xcc, 0x25, 0x87, 0x6f, 0xa0 } }

struct vdisk_path {
	VENDOR_DEVICE_PATH vendor;
	uint8_t uuid[16];
	uint8_t copy; /* not 0: another volume with this UUID is open, too */
	EFI_DEVICE_PATH end;
} __attribute__((packed));

/* Firmware refers to all of it, so that it is never in the image, which goes away. */
struct vdisk {
	EFI_BLOCK_IO bio; /* first: methods get its address */
	EFI_BLOCK_IO_MEDIA media;
	struct vdisk_path path;
	EFI_HANDLE handle;
	struct disk *disk;
	struct cardea_volume *volume;
};

static const EFI_GUID vendor_guid = VENDOR_GUID;

static struct vdisk *vdisk_of(EFI_BLOCK_IO *bio)
{
	return (struct vdisk *)bio;
}

/*
 * EFI_SUCCESS when the volume can be used.  The first one that finds another medium below drops the keys and
 * says so; from then on there is no medium.
 */
static EFI_STATUS check_medium(struct vdisk *v)
{
	if (!v->media.MediaPresent || v->volume->block_count == 0) {
		v->media.MediaPresent = FALSE;
		return EFI_NO_MEDIA;
	}
	if (disk_check(v->disk) == DISK_PRESENT)
		return EFI_SUCCESS;
	cardea_volume_close(v->volume);
	v->media.MediaPresent = FALSE;
	return v->disk->state == DISK_CHANGED ? EFI_MEDIA_CHANGED : EFI_NO_MEDIA;
}

/* What a caller may do wrong, in the order of the specification. */
static EFI_STATUS check_request(struct vdisk *v, uint32_t media_id, uint64_t lba, size_t len, const void *buffer)
{
	EFI_STATUS status = check_medium(v);
	uint64_t blocks;

	if (EFI_ERROR(status))
		return status;
	if (media_id != v->media.MediaId)
		return EFI_MEDIA_CHANGED;
	if (buffer == NULL)
		return EFI_INVALID_PARAMETER;
	if (len % v->media.BlockSize != 0)
		return EFI_BAD_BUFFER_SIZE;
	blocks = len / v->media.BlockSize;
	if (len > 0 && (lba > v->media.LastBlock || blocks > v->media.LastBlock - lba + 1))
		return EFI_INVALID_PARAMETER;
	return EFI_SUCCESS;
}

/* The disk below may have been taken away while we used it. */
static EFI_STATUS result(struct vdisk *v, enum cardea_err err)
{
	EFI_STATUS status;

	if (err == CARDEA_OK)
		return EFI_SUCCESS;
	status = check_medium(v);
	if (EFI_ERROR(status))
		return status;
	if (err == CARDEA_ERR_NOMEM)
		return EFI_OUT_OF_RESOURCES;
	return EFI_DEVICE_ERROR;
}

/*
 * Requests come at TPL_APPLICATION and TPL_CALLBACK, and one must not run in the middle of another: they share
 * the bounce buffer of the disk.
 */
static EFI_STATUS EFIAPI read_blocks(EFI_BLOCK_IO *this, UINT32 media_id, EFI_LBA lba, UINTN len, VOID *buffer)
{
	struct vdisk *v = vdisk_of(this);
	EFI_TPL tpl = env.bs->RaiseTPL(TPL_CALLBACK);
	EFI_STATUS status = check_request(v, media_id, lba, len, buffer);

	if (!EFI_ERROR(status) && len > 0) {
		status = result(v, cardea_volume_read(v->volume, lba, buffer, len / v->media.BlockSize));
		if (EFI_ERROR(status))
			memset(buffer, 0, len);
	}
	env.bs->RestoreTPL(tpl);
	return status;
}

static EFI_STATUS EFIAPI write_blocks(EFI_BLOCK_IO *this, UINT32 media_id, EFI_LBA lba, UINTN len, VOID *buffer)
{
	struct vdisk *v = vdisk_of(this);
	EFI_TPL tpl = env.bs->RaiseTPL(TPL_CALLBACK);
	EFI_STATUS status = check_request(v, media_id, lba, len, buffer);

	if (!EFI_ERROR(status) && v->media.ReadOnly)
		status = EFI_WRITE_PROTECTED;
	if (!EFI_ERROR(status) && len > 0) {
		status = result(v, cardea_volume_write(v->volume, lba, buffer, len / v->media.BlockSize));
		if (status == EFI_DEVICE_ERROR && v->disk->write_protected)
			status = EFI_WRITE_PROTECTED;
	}
	env.bs->RestoreTPL(tpl);
	return status;
}

static EFI_STATUS EFIAPI flush_blocks(EFI_BLOCK_IO *this)
{
	struct vdisk *v = vdisk_of(this);
	EFI_TPL tpl = env.bs->RaiseTPL(TPL_CALLBACK);
	EFI_STATUS status = check_medium(v);

	if (!EFI_ERROR(status))
		status = v->disk->bio->FlushBlocks(v->disk->bio);
	env.bs->RestoreTPL(tpl);
	return status;
}

static EFI_STATUS EFIAPI reset(EFI_BLOCK_IO *this, BOOLEAN extended)
{
	struct vdisk *v = vdisk_of(this);
	EFI_TPL tpl = env.bs->RaiseTPL(TPL_CALLBACK);
	EFI_STATUS status = check_medium(v);

	if (!EFI_ERROR(status))
		status = v->disk->bio->Reset(v->disk->bio, extended);
	env.bs->RestoreTPL(tpl);
	return status;
}

/* A UUID's 16 bytes as its text has them; text that is no UUID is folded into 16 bytes, still one path each. */
static void uuid_bytes(uint8_t out[16], const char *text)
{
	unsigned n = 0;

	memset(out, 0, 16);
	for (size_t i = 0; text[i] != '\0'; i++) {
		uint8_t c = (uint8_t)text[i];
		unsigned digit = c >= '0' && c <= '9' ? c - (unsigned)'0' : (c | 0x20u) >= 'a' && (c | 0x20u) <= 'f' ?
		                 (c | 0x20u) - 'a' + 10 : c == '-' ? 16 : c;

		if (digit == 16)
			continue;
		out[n / 2 % 16] = (uint8_t)(out[n / 2 % 16] ^ (n % 2 == 0 ? digit << 4 : digit));
		n++;
	}
}

static void set_path(struct vdisk_path *p, const char *uuid, uint8_t copy)
{
	const EFI_DEVICE_PATH end = { END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, { sizeof(end), 0 } };
	size_t len = offsetof(struct vdisk_path, copy) + (copy != 0);

	p->vendor.Header.Type = HARDWARE_DEVICE_PATH;
	p->vendor.Header.SubType = HW_VENDOR_DP;
	p->vendor.Header.Length[0] = (UINT8)len;
	p->vendor.Header.Length[1] = 0;
	p->vendor.Guid = vendor_guid;
	uuid_bytes(p->uuid, uuid);
	p->copy = copy;
	memcpy((uint8_t *)p + len, &end, sizeof(end));
}

static EFI_STATUS install(struct vdisk *v)
{
	EFI_GUID path_guid = efi_guid_device_path, bio_guid = efi_guid_block_io;

	return env.bs->InstallMultipleProtocolInterfaces(&v->handle, &path_guid, &v->path, &bio_guid, &v->bio, NULL);
}

EFI_STATUS vdisk_publish(struct vdisk **out, struct disk *disk, struct cardea_volume *volume)
{
	static uint32_t media_id;
	struct vdisk *v = efi_alloc(sizeof(*v));
	EFI_STATUS status = EFI_ALREADY_STARTED;

	*out = NULL;
	if (v == NULL)
		return EFI_OUT_OF_RESOURCES;
	v->disk = disk;
	v->volume = volume;
	v->media.MediaId = ++media_id;
	v->media.RemovableMedia = disk->bio->Media->RemovableMedia;
	v->media.MediaPresent = TRUE;
	v->media.ReadOnly = disk->disk.write == NULL;
	v->media.WriteCaching = disk->bio->Media->WriteCaching;
	v->media.BlockSize = volume->block_size;
	v->media.LastBlock = volume->block_count - 1;
	v->bio.Revision = EFI_BLOCK_IO_INTERFACE_REVISION;
	v->bio.Media = &v->media;
	v->bio.Reset = reset;
	v->bio.ReadBlocks = read_blocks;
	v->bio.WriteBlocks = write_blocks;
	v->bio.FlushBlocks = flush_blocks;
	/* Firmware refuses a device path that exists: a copy of an open volume gets one that differs. */
	for (unsigned copy = 0; copy < 256 && status == EFI_ALREADY_STARTED; copy++) {
		set_path(&v->path, volume->uuid, (uint8_t)copy);
		status = install(v);
	}
	if (EFI_ERROR(status)) {
		efi_free(v);
		return status;
	}
	*out = v;
	return EFI_SUCCESS;
}

/*
 * Code that answers EFI_NO_MEDIA, in memory that outlives the image: `mov $EFI_NO_MEDIA, %rax; ret` serves all
 * four methods.
 */
static void *no_media_code(void)
{
	const uint64_t answer = EFI_NO_MEDIA;
	EFI_PHYSICAL_ADDRESS address = 0;
	uint8_t *code;

	if (EFI_ERROR(env.bs->AllocatePages(AllocateAnyPages, EfiBootServicesCode, 1, &address)))
		return NULL;
	code = (uint8_t *)(uintptr_t)address;
	code[0] = 0x48;
	code[1] = 0xb8;
	memcpy(code + 2, &answer, sizeof(answer));
	code[10] = 0xc3;
	return code;
}

static void abandon(struct vdisk *v)
{
	union {
		void *code;
		EFI_BLOCK_RESET reset;
		EFI_BLOCK_READ read;
		EFI_BLOCK_WRITE write;
		EFI_BLOCK_FLUSH flush;
	} stub = { .code = no_media_code() };

	if (stub.code != NULL) {
		v->bio.Reset = stub.reset;
		v->bio.ReadBlocks = stub.read;
		v->bio.WriteBlocks = stub.write;
		v->bio.FlushBlocks = stub.flush;
	}
	cardea_log(&platform, CARDEA_LOG_WARNING, "the firmware does not let go of the disk; it stays, empty");
}

void vdisk_unpublish(struct vdisk *v)
{
	EFI_GUID path_guid = efi_guid_device_path, bio_guid = efi_guid_block_io;

	if (v == NULL)
		return;
	/* File systems write back what they hold when they are disconnected, so the volume still works here. */
	env.bs->DisconnectController(v->handle, NULL, NULL);
	if (v->media.MediaPresent && disk_check(v->disk) == DISK_PRESENT && v->disk->disk.write != NULL &&
	    EFI_ERROR(v->disk->bio->FlushBlocks(v->disk->bio)))
		cardea_log(&platform, CARDEA_LOG_ERROR, "%s: what was written last may not be on the disk", v->disk->name);
	v->media.MediaPresent = FALSE;
	if (!EFI_ERROR(env.bs->UninstallMultipleProtocolInterfaces(v->handle, &path_guid, &v->path, &bio_guid, &v->bio,
	                                                           NULL)))
		efi_free(v);
	else
		abandon(v);
}

EFI_HANDLE vdisk_handle(const struct vdisk *v)
{
	return v->handle;
}

bool vdisk_is_ours(const EFI_DEVICE_PATH *path)
{
	const VENDOR_DEVICE_PATH *node = (const VENDOR_DEVICE_PATH *)path;

	return path != NULL && path->Type == HARDWARE_DEVICE_PATH && path->SubType == HW_VENDOR_DP &&
	       efi_path_len(path) >= sizeof(*node) && memcmp(&node->Guid, &vendor_guid, sizeof(vendor_guid)) == 0;
}
