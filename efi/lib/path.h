/* SPDX-License-Identifier: MIT */
/* Device paths.  Firmware's paths are trusted to be as long as they say; nodes shorter than a header end them. */
#ifndef EFI_LIB_PATH_H
#define EFI_LIB_PATH_H

#include "lib/env.h"

#define EFI_PATH_TEXT 160u

/* Of this handle, or NULL. */
EFI_DEVICE_PATH *efi_path_of(EFI_HANDLE handle);

/* Bytes, without the end node. */
size_t efi_path_len(const EFI_DEVICE_PATH *path);

/* Whether `path` is `prefix`, or lies below it. */
bool efi_path_starts_with(const EFI_DEVICE_PATH *path, const EFI_DEVICE_PATH *prefix);

/* path + a file's node, to be freed with efi_free; NULL when there is no memory.  len units, no terminator. */
EFI_DEVICE_PATH *efi_path_with_file(const EFI_DEVICE_PATH *path, const CHAR16 *file, size_t len);

/* As text; cut when it is longer. */
void efi_path_text(char *out, size_t cap, const EFI_DEVICE_PATH *path);

#endif
