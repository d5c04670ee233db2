/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include "hex.h"

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

uint8_t *hex_bytes(const char *hex, size_t *len)
{
	size_t n = strcmp(hex, "-") == 0 ? 0 : strlen(hex);
	uint8_t *out = malloc(n / 2 + 1);

	*len = n / 2;
	for (size_t i = 0; out != NULL && i < n / 2; i++) {
		int hi = nibble(hex[2 * i]), lo = nibble(hex[2 * i + 1]);

		if (hi < 0 || lo < 0) {
			free(out);
			return NULL;
		}
		out[i] = (uint8_t)(hi << 4 | lo);
	}
	if (n % 2 != 0) {
		free(out);
		return NULL;
	}
	return out;
}
