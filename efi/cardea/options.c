/* SPDX-License-Identifier: MIT */
#include "cardea/options.h"
#include "lib/path.h"
#include "lib/text.h"

static const CHAR16 default_program[] = L"\\EFI\\BOOT\\BOOTX64.EFI";

static CHAR16 lower(CHAR16 c)
{
	return c >= 'A' && c <= 'Z' ? (CHAR16)(c + 32) : c;
}

/* Whether the text is `word`, ignoring case. */
static bool same(const CHAR16 *text, size_t len, const CHAR16 *word, size_t word_len)
{
	if (len != word_len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (lower(text[i]) != lower(word[i]))
			return false;
	return true;
}

/* The part after the last separator. */
static const CHAR16 *base_name(const CHAR16 *path, size_t *len)
{
	size_t start = 0;

	for (size_t i = 0; i < *len; i++)
		if (path[i] == '\\' || path[i] == '/' || path[i] == ':')
			start = i + 1;
	*len -= start;
	return path + start;
}

static bool ends_with_efi(const CHAR16 *word, size_t len)
{
	return len > 4 && same(word + len - 4, 4, L".efi", 4);
}

/* Shells pass the command's name as the first word, as it was typed: with or without path and ".efi". */
static bool is_own_name(const CHAR16 *word, size_t len)
{
	const EFI_DEVICE_PATH *path = env.loaded->FilePath;
	const CHAR16 *own;
	size_t own_len;

	if (path == NULL || path->Type != MEDIA_DEVICE_PATH || path->SubType != MEDIA_FILEPATH_DP)
		return false;
	own = (const CHAR16 *)(path + 1);
	own_len = efi_len16(own, (efi_path_len(path) - sizeof(*path)) / sizeof(*own));
	own = base_name(own, &own_len);
	word = base_name(word, &len);
	return same(word, len, own, own_len) || (ends_with_efi(own, own_len) && same(word, len, own, own_len - 4));
}

static bool set_program(struct options *o, const CHAR16 *path, size_t len)
{
	size_t n = 0;

	if (len == 0 || len + 2 > OPTIONS_PATH)
		return false;
	if (path[0] != '\\' && path[0] != '/')
		o->program[n++] = '\\';
	for (size_t i = 0; i < len; i++)
		o->program[n++] = path[i] == '/' ? '\\' : path[i];
	o->program[n] = 0;
	return true;
}

/* Appends to what earlier words said. */
static bool set_cpu(struct options *o, const CHAR16 *text, size_t len)
{
	size_t n = cardea_strnlen(o->cpu, sizeof(o->cpu));

	if (n + len + 2 > sizeof(o->cpu))
		return false;
	if (n > 0)
		o->cpu[n++] = ',';
	for (size_t i = 0; i < len; i++)
		o->cpu[n++] = text[i] < 0x80 ? (char)text[i] : '?';
	o->cpu[n] = '\0';
	return true;
}

static bool read_word(struct options *o, const CHAR16 *word, size_t len)
{
	static const CHAR16 boot[] = L"boot=", cpu[] = L"cpu=";
	const size_t boot_len = CARDEA_ARRAY_LEN(boot) - 1, cpu_len = CARDEA_ARRAY_LEN(cpu) - 1;

	if (len > boot_len && same(word, boot_len, boot, boot_len))
		return set_program(o, word + boot_len, len - boot_len);
	if (len > cpu_len && same(word, cpu_len, cpu, cpu_len))
		return set_cpu(o, word + cpu_len, len - cpu_len);
	if (word[0] == '\\' || word[0] == '/' || ends_with_efi(word, len))
		return set_program(o, word, len);
	return false;
}

/* Boot entries may carry bytes that are no text at all. */
static bool is_text(const CHAR16 *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '\n')
			return false;
	return true;
}

void options_read(struct options *o)
{
	const CHAR16 *text;
	size_t len, at = 0;
	bool first = true;

	memcpy(o->program, default_program, sizeof(default_program));
	o->cpu[0] = '\0';
	if (env.loaded == NULL || env.loaded->LoadOptions == NULL || env.loaded->LoadOptionsSize < sizeof(CHAR16))
		return;
	text = env.loaded->LoadOptions;
	len = efi_len16(text, env.loaded->LoadOptionsSize / sizeof(CHAR16));
	if (!is_text(text, len)) {
		efi_put("The load options are no text and are ignored.\n");
		return;
	}
	for (;;) {
		size_t start;
		char shown[64];

		while (at < len && text[at] <= ' ')
			at++;
		if (at == len)
			return;
		for (start = at; at < len && text[at] > ' ';)
			at++;
		if (!(first && is_own_name(text + start, at - start)) && !read_word(o, text + start, at - start)) {
			efi_utf8(shown, sizeof(shown), text + start, at - start);
			efi_say("Load option \"%s\" is not known and is ignored.\n", shown);
		}
		first = false;
	}
}
