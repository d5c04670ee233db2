/* SPDX-License-Identifier: MIT */
/* The only place that knows both enum cardea_err and EFI_STATUS. */
#ifndef EFI_LIB_STATUS_H
#define EFI_LIB_STATUS_H

#include "lib/env.h"

/* CARDEA_OK for success and warnings; what the core has no word for is CARDEA_ERR_IO. */
enum cardea_err efi_err_of(EFI_STATUS status);

/* "device error" and the like: lower case, to end a sentence with; "error 0x..." when unknown, kept until the
 * next call. */
const char *efi_status_text(EFI_STATUS status);

/* A sentence for a person, without the final full stop. */
const char *efi_err_text(enum cardea_err err);

#endif
