/* SPDX-License-Identifier: MIT */
#include "lib/status.h"

enum cardea_err efi_err_of(EFI_STATUS status)
{
	if (!EFI_ERROR(status))
		return CARDEA_OK;
	switch (status) {
	case EFI_OUT_OF_RESOURCES:
		return CARDEA_ERR_NOMEM;
	case EFI_UNSUPPORTED:
	case EFI_INCOMPATIBLE_VERSION:
		return CARDEA_ERR_UNSUPPORTED;
	case EFI_VOLUME_CORRUPTED:
	case EFI_COMPROMISED_DATA:
	case EFI_CRC_ERROR:
	case EFI_LOAD_ERROR:
		return CARDEA_ERR_FORMAT;
	case EFI_ABORTED:
		return CARDEA_ERR_CANCELLED;
	default:
		return CARDEA_ERR_IO;
	}
}

const char *efi_status_text(EFI_STATUS status)
{
	static char unknown[32];

	switch (status) {
	case EFI_SUCCESS: return "success";
	case EFI_LOAD_ERROR: return "load error";
	case EFI_INVALID_PARAMETER: return "invalid parameter";
	case EFI_UNSUPPORTED: return "not supported";
	case EFI_BAD_BUFFER_SIZE: return "bad buffer size";
	case EFI_BUFFER_TOO_SMALL: return "buffer too small";
	case EFI_NOT_READY: return "not ready";
	case EFI_DEVICE_ERROR: return "device error";
	case EFI_WRITE_PROTECTED: return "write-protected";
	case EFI_OUT_OF_RESOURCES: return "out of memory";
	case EFI_VOLUME_CORRUPTED: return "file system damaged";
	case EFI_VOLUME_FULL: return "file system full";
	case EFI_NO_MEDIA: return "no medium";
	case EFI_MEDIA_CHANGED: return "medium changed";
	case EFI_NOT_FOUND: return "not found";
	case EFI_ACCESS_DENIED: return "access denied";
	case EFI_NO_RESPONSE: return "no response";
	case EFI_TIMEOUT: return "timeout";
	case EFI_NOT_STARTED: return "not started";
	case EFI_ALREADY_STARTED: return "already started";
	case EFI_ABORTED: return "aborted";
	case EFI_INCOMPATIBLE_VERSION: return "incompatible version";
	case EFI_SECURITY_VIOLATION: return "refused by Secure Boot";
	case EFI_CRC_ERROR: return "checksum error";
	case EFI_END_OF_FILE: return "end of file";
	case EFI_COMPROMISED_DATA: return "compromised data";
	default: break;
	}
	cardea_format(unknown, sizeof(unknown), "%s 0x%llx", EFI_ERROR(status) ? "error" : "status",
	              (unsigned long long)status);
	return unknown;
}

const char *efi_err_text(enum cardea_err err)
{
	switch (err) {
	case CARDEA_OK: return "Done";
	case CARDEA_ERR_IO: return "The disk cannot be read";
	case CARDEA_ERR_NOMEM: return "There is not enough free memory to unlock this volume";
	case CARDEA_ERR_FORMAT: return "The volume is damaged";
	case CARDEA_ERR_UNSUPPORTED: return "The volume needs something that is not supported";
	case CARDEA_ERR_KEY: return "No key slot opens with this passphrase";
	case CARDEA_ERR_CANCELLED: return "Stopped";
	case CARDEA_ERR_SELFTEST: return "Self-tests failed";
	}
	return "Unknown error";
}
