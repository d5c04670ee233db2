/* SPDX-License-Identifier: MIT */
#include "lib/env.h"

struct efi_env env;

const EFI_GUID efi_guid_block_io = EFI_BLOCK_IO_PROTOCOL_GUID;
const EFI_GUID efi_guid_device_path = EFI_DEVICE_PATH_PROTOCOL_GUID;
const EFI_GUID efi_guid_device_path_to_text = EFI_DEVICE_PATH_TO_TEXT_PROTOCOL_GUID;
const EFI_GUID efi_guid_file_info = EFI_FILE_INFO_ID;
const EFI_GUID efi_guid_file_system = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
const EFI_GUID efi_guid_global_variable = EFI_GLOBAL_VARIABLE;
const EFI_GUID efi_guid_loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;
const EFI_GUID efi_guid_text_input_ex = EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL_GUID;

/* An absolute address: without any, ld makes no .reloc section, and firmware refuses such images. */
static void *const volatile keep_reloc __attribute__((used)) = &env;

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st)
{
	env.image = image;
	env.st = st;
	env.bs = st->BootServices;
	env.rt = st->RuntimeServices;
	env.loaded = efi_protocol(image, &efi_guid_loaded_image);
	return efi_program();
}

void *efi_alloc(size_t len)
{
	void *p = NULL;

	if (EFI_ERROR(env.bs->AllocatePool(EfiBootServicesData, len, &p)))
		return NULL;
	return memset(p, 0, len);
}

void efi_free(void *p)
{
	if (p != NULL)
		env.bs->FreePool(p);
}

void *efi_protocol(EFI_HANDLE handle, const EFI_GUID *guid)
{
	EFI_GUID copy = *guid;
	void *interface = NULL;

	if (handle == NULL || EFI_ERROR(env.bs->HandleProtocol(handle, &copy, &interface)))
		return NULL;
	return interface;
}

size_t efi_handles(const EFI_GUID *guid, EFI_HANDLE **handles)
{
	EFI_GUID copy = guid != NULL ? *guid : (EFI_GUID){ 0 };
	UINTN n = 0;

	*handles = NULL;
	if (EFI_ERROR(env.bs->LocateHandleBuffer(guid != NULL ? ByProtocol : AllHandles, guid != NULL ? &copy : NULL,
	                                         NULL, &n, handles)))
		return 0;
	return n;
}
