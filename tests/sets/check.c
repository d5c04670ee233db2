/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include "check.h"

void test_note(struct test *t, const char *fmt, ...)
{
	char line[256];
	va_list args;

	va_start(args, fmt);
	cardea_vformat(line, sizeof(line), fmt, args);
	va_end(args);
	t->note(t, line);
}

bool test_can_run(struct test *t, const char *primitive, const struct cardea_impl *impl)
{
	char missing[160];

	if (cardea_suite_can_run(t->suite, t->platform, impl))
		return true;
	cardea_cpu_features_text(missing, sizeof(missing), impl->need & ~t->suite->features);
	test_note(t, "%s: %s skipped: this CPU lacks %s", primitive, impl->name, missing);
	return false;
}

bool test_check(struct test *t, bool ok, const char *file, unsigned line, const char *expr)
{
	t->checks++;
	if (ok)
		return true;
	t->failures++;
	test_note(t, "%s:%u: %s", file, line, expr);
	return false;
}

static void note_hex(struct test *t, const char *what, const uint8_t *p, size_t at, size_t len)
{
	char text[16 * 3 + 1];
	size_t n = cardea_min_size(len - at, 16), used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		used += cardea_format(text + used, sizeof(text) - used, "%02x ", p[at + i]);
	test_note(t, "    %s, from byte %zu: %s", what, at, text);
}

bool test_check_mem(struct test *t, const void *got, const void *want, size_t len, const char *file, unsigned line,
                    const char *expr)
{
	const uint8_t *a = got, *b = want;
	size_t at = 0;

	while (at < len && a[at] == b[at])
		at++;
	if (test_check(t, at == len, file, line, expr))
		return true;
	note_hex(t, "got ", a, at, len);
	note_hex(t, "want", b, at, len);
	return false;
}

void test_fill(uint8_t *out, size_t len, uint64_t seed)
{
	/* Knuth's MMIX generator; the high bits are the good ones. */
	for (size_t i = 0; i < len; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		out[i] = (uint8_t)(seed >> 56);
	}
}

size_t test_hex(uint8_t *out, size_t cap, const char *hex)
{
	size_t digits = 0;

	for (; *hex != '\0' && digits / 2 < cap; hex++) {
		uint32_t c = (uint8_t)*hex, v;

		if (c >= '0' && c <= '9')
			v = c - '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			v = (c | 0x20) - 'a' + 10;
		else
			continue;
		out[digits / 2] = (uint8_t)(digits % 2 == 0 ? v << 4 : out[digits / 2] | v);
		digits++;
	}
	return digits / 2;
}
