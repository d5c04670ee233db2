/* SPDX-License-Identifier: MIT */
#include "lib/path.h"
#include "lib/text.h"

EFI_DEVICE_PATH *efi_path_of(EFI_HANDLE handle)
{
	return efi_protocol(handle, &efi_guid_device_path);
}

static size_t node_len(const EFI_DEVICE_PATH *node)
{
	return (size_t)(node->Length[0] | node->Length[1] << 8);
}

static bool is_end(const EFI_DEVICE_PATH *node)
{
	return (node->Type & EFI_DP_TYPE_MASK) == END_DEVICE_PATH_TYPE || node_len(node) < sizeof(*node);
}

size_t efi_path_len(const EFI_DEVICE_PATH *path)
{
	size_t len = 0;

	while (!is_end((const EFI_DEVICE_PATH *)((const uint8_t *)path + len)))
		len += node_len((const EFI_DEVICE_PATH *)((const uint8_t *)path + len));
	return len;
}

bool efi_path_starts_with(const EFI_DEVICE_PATH *path, const EFI_DEVICE_PATH *prefix)
{
	size_t len = efi_path_len(prefix);

	/* Nodes carry their length, so equal bytes are equal nodes. */
	return efi_path_len(path) >= len && memcmp(path, prefix, len) == 0;
}

EFI_DEVICE_PATH *efi_path_with_file(const EFI_DEVICE_PATH *path, const CHAR16 *file, size_t len)
{
	size_t path_len = efi_path_len(path), node = sizeof(*path) + (len + 1) * sizeof(CHAR16);
	uint8_t *out = node > UINT16_MAX ? NULL : efi_alloc(path_len + node + sizeof(*path));
	EFI_DEVICE_PATH file_node = { MEDIA_DEVICE_PATH, MEDIA_FILEPATH_DP,
	                              { (UINT8)(node & 0xff), (UINT8)(node >> 8) } };
	const EFI_DEVICE_PATH end = { END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, { sizeof(end), 0 } };

	if (out == NULL)
		return NULL;
	memcpy(out, path, path_len);
	memcpy(out + path_len, &file_node, sizeof(file_node));
	memcpy(out + path_len + sizeof(file_node), file, len * sizeof(CHAR16));
	memcpy(out + path_len + node, &end, sizeof(end));
	return (EFI_DEVICE_PATH *)out;
}

/* For firmware without the text protocol: type, subtype and the rest in hexadecimal. */
static void plain_text(char *out, size_t cap, const EFI_DEVICE_PATH *path)
{
	size_t len = 0;

	out[0] = '\0';
	while (!is_end(path) && len + 1 < cap) {
		const uint8_t *node = (const uint8_t *)path;

		len += cardea_format(out + len, cap - len, "%sPath(%u,%u", len > 0 ? "/" : "", path->Type, path->SubType);
		for (size_t i = sizeof(*path); i < node_len(path) && len + 1 < cap; i++)
			len += cardea_format(out + len, cap - len, "%s%02x", i == sizeof(*path) ? "," : "", node[i]);
		len += cardea_format(out + len, cap - len, ")");
		path = (const EFI_DEVICE_PATH *)(node + node_len(path));
	}
}

void efi_path_text(char *out, size_t cap, const EFI_DEVICE_PATH *path)
{
	EFI_GUID guid = efi_guid_device_path_to_text;
	EFI_DEVICE_PATH_TO_TEXT_PROTOCOL *text = NULL;
	CHAR16 *string;

	if (path == NULL) {
		cardea_format(out, cap, "a device without a path");
		return;
	}
	if (EFI_ERROR(env.bs->LocateProtocol(&guid, NULL, (void **)&text)) || text == NULL) {
		plain_text(out, cap, path);
		return;
	}
	string = text->ConvertDevicePathToText(path, FALSE, FALSE);
	if (string == NULL) {
		plain_text(out, cap, path);
		return;
	}
	efi_utf8(out, cap, string, SIZE_MAX);
	efi_free(string);
}
