/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include "base/base.h"

struct sink {
	char *out;
	size_t cap, len; /* cap without the terminator */
};

static void put(struct sink *s, char c)
{
	if (s->len < s->cap)
		s->out[s->len++] = c;
}

static void put_padded(struct sink *s, const char *text, size_t len, size_t width, bool left, char pad)
{
	for (size_t i = len; !left && i < width; i++)
		put(s, pad);
	for (size_t i = 0; i < len; i++)
		put(s, text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
	for (size_t i = len; left && i < width; i++)
		put(s, ' ');
}

/* Digits of v from the end of a buffer that holds 64 bits in any base; returns their start. */
static char *digits(char end[20], uint64_t v, unsigned base)
{
	char *p = end + 20;

	do {
		*--p = "0123456789abcdef"[v % base];
		v /= base;
	} while (v != 0);
	return p;
}

size_t cardea_vformat(char *out, size_t out_len, const char *fmt, va_list args)
{
	struct sink s = { out, out_len - 1, 0 };

	for (; *fmt != '\0'; fmt++) {
		bool left = false, wide = false, precise = false;
		size_t width = 0, precision = 0;
		char pad = ' ', buf[21], *text;
		uint64_t v;

		if (*fmt != '%') {
			put(&s, *fmt);
			continue;
		}
		fmt++;
		for (; *fmt == '-' || *fmt == '0'; fmt++) {
			left |= *fmt == '-';
			pad = *fmt;
		}
		for (; *fmt >= '0' && *fmt <= '9'; fmt++)
			width = width * 10 + (size_t)(*fmt - '0');
		if (fmt[0] == '.' && fmt[1] == '*') {
			int p = va_arg(args, int);

			precise = true;
			precision = p > 0 ? (size_t)p : 0;
			fmt += 2;
		}
		for (; *fmt == 'l' || *fmt == 'z'; fmt++)
			wide = true;
		pad = pad == '0' && !left ? '0' : ' ';
		switch (*fmt) {
		case 's':
			text = va_arg(args, char *);
			put_padded(&s, text, cardea_strnlen(text, precise ? precision : SIZE_MAX), width, left, ' ');
			break;
		case 'c':
			buf[0] = (char)va_arg(args, int);
			put_padded(&s, buf, 1, width, left, ' ');
			break;
		case 'd':
		case 'u':
		case 'x':
			if (*fmt == 'd') {
				int64_t d = wide ? va_arg(args, int64_t) : va_arg(args, int);

				v = d < 0 ? 0 - (uint64_t)d : (uint64_t)d;
				text = digits(buf + 1, v, 10);
				if (d < 0)
					*--text = '-';
			} else {
				v = wide ? va_arg(args, uint64_t) : va_arg(args, unsigned);
				text = digits(buf + 1, v, *fmt == 'x' ? 16 : 10);
			}
			put_padded(&s, text, (size_t)(buf + 21 - text), width, left, pad);
			break;
		case '\0':
			fmt--;
			break;
		default: /* also %% */
			put(&s, *fmt);
			break;
		}
	}
	out[s.len] = '\0';
	return s.len;
}

size_t cardea_format(char *out, size_t out_len, const char *fmt, ...)
{
	va_list args;
	size_t n;

	va_start(args, fmt);
	n = cardea_vformat(out, out_len, fmt, args);
	va_end(args);
	return n;
}
