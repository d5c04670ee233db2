/* SPDX-License-Identifier: MIT */
/* hello.efi: prints where it was started from and what is there.  It is what the demo keeps in its volume. */
#include "lib/path.h"
#include "lib/status.h"
#include "lib/text.h"

#define INFO_LEN 1024u

static void list_files(EFI_FILE_HANDLE root)
{
	static union {
		EFI_FILE_INFO info;
		uint8_t bytes[INFO_LEN];
	} entry;

	for (;;) {
		UINTN len = sizeof(entry);
		char name[128];

		if (EFI_ERROR(root->Read(root, &len, &entry)) || len == 0)
			return;
		efi_utf8(name, sizeof(name), entry.info.FileName, SIZE_MAX);
		if (entry.info.Attribute & EFI_FILE_DIRECTORY)
			efi_say("  %12s  %s\n", "directory", name);
		else
			efi_say("  %12llu  %s\n", (unsigned long long)entry.info.FileSize, name);
	}
}

static void show_first_line(EFI_FILE_HANDLE root, const CHAR16 *path)
{
	EFI_FILE_HANDLE file;
	char text[256], name[32];
	UINTN len = sizeof(text) - 1;

	if (EFI_ERROR(root->Open(root, &file, (CHAR16 *)(uintptr_t)path, EFI_FILE_MODE_READ, 0)))
		return;
	if (!EFI_ERROR(file->Read(file, &len, text))) {
		text[len] = '\0';
		for (size_t i = 0; i < len; i++)
			if (text[i] == '\n' || text[i] == '\r')
				text[i] = '\0';
		efi_utf8(name, sizeof(name), path, SIZE_MAX);
		efi_say("%s says: %s\n", name, text);
	}
	file->Close(file);
}

EFI_STATUS efi_program(void)
{
	EFI_HANDLE device = env.loaded != NULL ? env.loaded->DeviceHandle : NULL;
	EFI_FILE_IO_INTERFACE *fs = efi_protocol(device, &efi_guid_file_system);
	EFI_FILE_HANDLE root = NULL;
	EFI_STATUS status;
	char path[EFI_PATH_TEXT];

	efi_path_text(path, sizeof(path), efi_path_of(device));
	efi_say("\nHello.  This program was started from %s\n", path);
	status = fs == NULL ? EFI_UNSUPPORTED : fs->OpenVolume(fs, &root);
	if (EFI_ERROR(status)) {
		efi_say("Its file system cannot be opened: %s.\n", efi_status_text(status));
		return status;
	}
	efi_put("Files there:\n");
	list_files(root);
	show_first_line(root, L"\\HELLO.TXT");
	show_first_line(root, L"\\README.TXT");
	root->Close(root);
	efi_put("Cardea demo: this program was started from the encrypted volume.\n");
	return EFI_SUCCESS;
}
