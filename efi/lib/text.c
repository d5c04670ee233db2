/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include "lib/text.h"

size_t efi_columns(void)
{
	SIMPLE_TEXT_OUTPUT_INTERFACE *out = env.st->ConOut;
	UINTN columns = 0, rows = 0;

	if (out == NULL || out->Mode == NULL ||
	    EFI_ERROR(out->QueryMode(out, (UINTN)out->Mode->Mode, &columns, &rows)) || columns < 40)
		return 80;
	return columns;
}

size_t efi_column(void)
{
	SIMPLE_TEXT_OUTPUT_INTERFACE *out = env.st->ConOut;

	return out == NULL || out->Mode == NULL || out->Mode->CursorColumn < 0 ? 0 : (size_t)out->Mode->CursorColumn;
}

size_t efi_len16(const CHAR16 *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n] != 0)
		n++;
	return n;
}

size_t efi_utf8_encode(char out[4], uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | (c >> 6));
		out[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | (c >> 12));
		out[1] = (char)(0x80 | ((c >> 6) & 63));
		out[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | ((c >> 18) & 7));
	out[1] = (char)(0x80 | ((c >> 12) & 63));
	out[2] = (char)(0x80 | ((c >> 6) & 63));
	out[3] = (char)(0x80 | (c & 63));
	return 4;
}

size_t efi_utf8(char *out, size_t cap, const CHAR16 *in, size_t in_len)
{
	size_t len = 0;

	for (size_t i = 0; i < in_len && in[i] != 0; i++) {
		uint32_t c = in[i];
		char bytes[4];
		size_t n;

		if (c >= 0xd800 && c < 0xdc00 && i + 1 < in_len && in[i + 1] >= 0xdc00 && in[i + 1] < 0xe000)
			c = 0x10000 + ((c & 0x3ff) << 10) + (in[++i] & 0x3ffu);
		else if (c >= 0xd800 && c < 0xe000)
			c = '?';
		n = efi_utf8_encode(bytes, c);
		if (n >= cap - len)
			break;
		memcpy(out + len, bytes, n);
		len += n;
	}
	out[len] = '\0';
	return len;
}

/* The next code point of well-formed UTF-8; anything else counts byte by byte as '?'. */
static uint32_t decode(const char **text)
{
	const uint8_t *s = (const uint8_t *)*text;
	unsigned more = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : s[0] >= 0xc0 ? 1 : 0;
	uint32_t c = s[0] & (0x3fu >> more);

	if (s[0] < 0x80 || more == 0) {
		*text += 1;
		return s[0] < 0x80 ? s[0] : '?';
	}
	for (unsigned i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80) {
			*text += 1;
			return '?';
		}
		c = c << 6 | (s[i] & 63u);
	}
	*text += more + 1;
	return c < 0x10000 ? c : '?';
}

#define CHUNK 128

struct line {
	CHAR16 buf[CHUNK + 8];
	size_t len, column, columns;
};

static void flush(struct line *l)
{
	SIMPLE_TEXT_OUTPUT_INTERFACE *out = env.st->ConOut;

	l->buf[l->len] = 0;
	if (l->len > 0 && out != NULL)
		out->OutputString(out, l->buf);
	l->len = 0;
}

static void put(struct line *l, uint32_t c)
{
	if (l->len >= CHUNK)
		flush(l);
	if (c == '\n') {
		l->buf[l->len++] = '\r';
		l->column = 0;
	} else if (c == '\r') {
		l->column = 0;
	} else if (c >= ' ') {
		l->column++;
	}
	l->buf[l->len++] = (CHAR16)c;
}

/* Columns up to the next place where a line may be broken; control characters have none. */
static size_t word_len(const char *text)
{
	size_t n = 0;

	for (; (uint8_t)*text > ' '; text++)
		n += ((uint8_t)*text & 0xc0) != 0x80;
	return n;
}

void efi_put(const char *text)
{
	struct line l = { .column = efi_column(), .columns = efi_columns() };
	bool word_start = true;

	while (*text != '\0') {
		size_t len = word_start && *text != ' ' ? word_len(text) : 0;

		/* A word longer than a line is left to the console's own wrapping. */
		if (len > 0 && l.column > 2 && l.column + len >= l.columns && len + 2 < l.columns) {
			if (l.len > 0 && l.buf[l.len - 1] == ' ')
				l.len--;
			put(&l, '\n');
			put(&l, ' ');
			put(&l, ' ');
		}
		word_start = *text == ' ' || *text == '\n' || *text == '\r';
		put(&l, decode(&text));
	}
	flush(&l);
}

void efi_say(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	cardea_vformat(text, sizeof(text), fmt, args);
	va_end(args);
	efi_put(text);
}
