/* SPDX-License-Identifier: MIT */
#include "cardea/platform.h"
#include "cardea/volumes.h"
#include "lib/text.h"

static struct volume *first;

/* Firmware connects only what it needs to boot; the volume may be on another disk. */
static void connect_all(void)
{
	EFI_HANDLE *handles;
	size_t n = efi_handles(NULL, &handles);

	for (size_t i = 0; i < n; i++)
		env.bs->ConnectController(handles[i], NULL, NULL, TRUE);
	efi_free(handles);
}

static bool has_partitions(EFI_HANDLE disk, const EFI_HANDLE *handles, size_t n)
{
	const EFI_DEVICE_PATH *path = efi_path_of(disk);

	for (size_t i = 0; i < n && path != NULL; i++) {
		const EFI_DEVICE_PATH *other = efi_path_of(handles[i]);

		if (handles[i] != disk && other != NULL && efi_path_starts_with(other, path))
			return true;
	}
	return false;
}

static struct volume *find(EFI_HANDLE handle)
{
	for (struct volume *v = first; v != NULL; v = v->next)
		if (v->disk.handle == handle)
			return v;
	return NULL;
}

static void append(struct volume *v)
{
	struct volume **at = &first;

	while (*at != NULL)
		at = &(*at)->next;
	*at = v;
}

/*
 * A LUKS header at the start.  LUKS2's second header counts only where nothing else is: a disk that was divided or
 * formatted later may still hold one.
 */
static void look_at(EFI_HANDLE handle, const EFI_HANDLE *handles, size_t n, const struct cardea_suite *suite)
{
	struct volume *v = find(handle);
	bool in_use;

	if (v != NULL && disk_check(&v->disk) == DISK_PRESENT) {
		v->seen = true;
		return;
	}
	if (vdisk_is_ours(efi_path_of(handle)))
		return;
	v = efi_alloc(sizeof(*v));
	if (v == NULL || disk_open(&v->disk, handle) != CARDEA_OK)
		goto none;
	v->extent.disk = &v->disk.disk;
	v->extent.len = cardea_disk_size(&v->disk.disk);
	in_use = has_partitions(handle, handles, n) || efi_protocol(handle, &efi_guid_file_system) != NULL;
	/* What is wrong is said when the volume is shown, under its name. */
	platform_quiet(true);
	if (cardea_luks_probe(&v->extent, !in_use, &v->version) != CARDEA_OK || v->version == 0 ||
	    volume_read(v, suite) == CARDEA_ERR_NOMEM) {
		platform_quiet(false);
		goto none;
	}
	platform_quiet(false);
	v->seen = true;
	append(v);
	return;
none:
	if (v != NULL)
		disk_close(&v->disk);
	efi_free(v);
}

static void drop(struct volume **at)
{
	struct volume *v = *at;

	*at = v->next;
	if (v->state == VOLUME_OPEN)
		efi_say("%s: its disk is gone; the volume is closed.\n", v->subject);
	vdisk_unpublish(v->vdisk);
	secrets_remove(&v->secret);
	disk_close(&v->disk);
	cardea_wipe(v, sizeof(*v));
	efi_free(v);
}

/* The same container under a disk's and a partition's handle: the one that is further down stays. */
static bool is_double(const struct volume *v)
{
	const EFI_DEVICE_PATH *path = efi_path_of(v->disk.handle);

	for (const struct volume *o = first; o != NULL; o = o->next) {
		const EFI_DEVICE_PATH *other = efi_path_of(o->disk.handle);

		if (o != v && path != NULL && other != NULL && efi_path_starts_with(other, path) &&
		    o->luks.uuid[0] != '\0' && cardea_streq(o->luks.uuid, v->luks.uuid) && v->state != VOLUME_OPEN)
			return true;
	}
	return false;
}

struct volume *volumes_scan(const struct cardea_suite *suite)
{
	EFI_HANDLE *handles;
	struct volume **at = &first;
	size_t n;

	connect_all();
	n = efi_handles(&efi_guid_block_io, &handles);
	for (struct volume *v = first; v != NULL; v = v->next)
		v->seen = false;
	for (size_t i = 0; i < n; i++)
		look_at(handles[i], handles, n, suite);
	efi_free(handles);
	while (*at != NULL) {
		if ((*at)->seen && !is_double(*at))
			at = &(*at)->next;
		else
			drop(at);
	}
	return first;
}

struct volume *volumes_first(void)
{
	return first;
}

void volumes_reap(void)
{
	struct volume **at = &first;

	while (*at != NULL) {
		if (disk_check(&(*at)->disk) == DISK_PRESENT)
			at = &(*at)->next;
		else
			drop(at);
	}
}

void volumes_end(void)
{
	while (first != NULL) {
		first->state = VOLUME_LOCKED;
		drop(&first);
	}
}
