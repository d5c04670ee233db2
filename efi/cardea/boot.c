/* SPDX-License-Identifier: MIT */
#include "cardea/boot.h"
#include "cardea/platform.h"
#include "lib/status.h"
#include "lib/text.h"

#define WATCHDOG_SECONDS 300 /* what firmware arms before it starts a boot program */

static bool has_file(EFI_HANDLE handle, const CHAR16 *path)
{
	EFI_FILE_IO_INTERFACE *fs = efi_protocol(handle, &efi_guid_file_system);
	EFI_FILE_HANDLE root = NULL, file = NULL;
	bool found;

	if (fs == NULL || EFI_ERROR(fs->OpenVolume(fs, &root)))
		return false;
	found = !EFI_ERROR(root->Open(root, &file, (CHAR16 *)(uintptr_t)path, EFI_FILE_MODE_READ, 0));
	if (found)
		file->Close(file);
	root->Close(root);
	return found;
}

EFI_HANDLE boot_find(const struct volume *v, const struct options *o)
{
	const EFI_DEVICE_PATH *ours = v->state == VOLUME_OPEN ? efi_path_of(vdisk_handle(v->vdisk)) : NULL;
	EFI_HANDLE *handles, found = NULL;
	size_t n;

	if (ours == NULL)
		return NULL;
	n = efi_handles(&efi_guid_file_system, &handles);
	for (size_t i = 0; i < n && found == NULL; i++) {
		const EFI_DEVICE_PATH *path = efi_path_of(handles[i]);

		if (path != NULL && efi_path_starts_with(path, ours) && has_file(handles[i], o->program))
			found = handles[i];
	}
	efi_free(handles);
	return found;
}

static EFI_STATUS load(EFI_HANDLE fs, const struct options *o, EFI_HANDLE *image)
{
	EFI_DEVICE_PATH *path = efi_path_with_file(efi_path_of(fs), o->program, efi_len16(o->program, OPTIONS_PATH));
	EFI_STATUS status;

	*image = NULL;
	if (path == NULL)
		return EFI_OUT_OF_RESOURCES;
	status = env.bs->LoadImage(FALSE, env.image, path, NULL, 0, image);
	efi_free(path);
	/* Loaded, but not allowed to run: to be given back. */
	if (EFI_ERROR(status) && status == EFI_SECURITY_VIOLATION && *image != NULL)
		env.bs->UnloadImage(*image);
	return status;
}

static bool secure_boot(void)
{
	EFI_GUID guid = efi_guid_global_variable;
	UINTN len = sizeof(uint8_t);
	uint8_t on = 0;

	return !EFI_ERROR(env.rt->GetVariable((CHAR16 *)(uintptr_t)L"SecureBoot", &guid, NULL, &len, &on)) && on == 1;
}

bool boot_start(const struct volume *v, const struct options *o)
{
	EFI_HANDLE fs = boot_find(v, o), image;
	CHAR16 *exit_data = NULL;
	UINTN exit_len = 0;
	EFI_STATUS status;
	char name[OPTIONS_PATH];

	efi_utf8(name, sizeof(name), o->program, OPTIONS_PATH);
	if (fs == NULL) {
		efi_say("There is no %s in it to start.\n", name);
		return false;
	}
	efi_say("Starting %s\n  from volume %s.\n", name, v->luks.uuid);
	status = load(fs, o, &image);
	if (EFI_ERROR(status)) {
		efi_say("%s cannot be loaded: %s.\n", name, efi_status_text(status));
		/* Firmware answers either, by its policy. */
		if (secure_boot() && (status == EFI_ACCESS_DENIED || status == EFI_SECURITY_VIOLATION))
			efi_put("Secure Boot is on, and it is not signed with a key that this machine trusts.\n");
		return false;
	}
	platform_quiet(true);
	env.bs->SetWatchdogTimer(WATCHDOG_SECONDS, 0, 0, NULL);
	status = env.bs->StartImage(image, &exit_len, &exit_data);
	env.bs->SetWatchdogTimer(0, 0, 0, NULL);
	platform_quiet(false);
	efi_free(exit_data);
	efi_say("\n%s ended: %s.\n", name, efi_status_text(status));
	return true;
}
