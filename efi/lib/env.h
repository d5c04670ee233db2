/* SPDX-License-Identifier: MIT */
/*
 * What every UEFI program of ours starts with.  efi_main (env.c) is the image's entry; it fills `env` and calls
 * the program's own efi_program, whose result is what the image returns to its starter.
 */
#ifndef EFI_LIB_ENV_H
#define EFI_LIB_ENV_H

#include <efi.h>
#include "base/base.h"

struct efi_env {
	EFI_HANDLE image;
	EFI_SYSTEM_TABLE *st;
	EFI_BOOT_SERVICES *bs;
	EFI_RUNTIME_SERVICES *rt;
	EFI_LOADED_IMAGE *loaded; /* ourselves; NULL when the firmware does not say */
};

extern struct efi_env env;

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st);
EFI_STATUS efi_program(void);

/* Zeroed memory that outlives the image until it is freed, or NULL. */
void *efi_alloc(size_t len);
void efi_free(void *p);

/* The protocol's interface on this handle, or NULL. */
void *efi_protocol(EFI_HANDLE handle, const EFI_GUID *guid);

/* All handles with the protocol (all at all when guid is NULL); *handles is to be freed with efi_free. */
size_t efi_handles(const EFI_GUID *guid, EFI_HANDLE **handles);

extern const EFI_GUID efi_guid_block_io, efi_guid_device_path, efi_guid_device_path_to_text, efi_guid_file_info,
	efi_guid_file_system, efi_guid_global_variable, efi_guid_loaded_image, efi_guid_text_input_ex;

#endif
