/* SPDX-License-Identifier: MIT */
#include "base/base.h"

/* Value of a base64 character, or 64.  Salts and digests are public: plain comparisons will do. */
static uint32_t value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint32_t)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (uint32_t)(c - 'a') + 26;
	if (c >= '0' && c <= '9')
		return (uint32_t)(c - '0') + 52;
	return c == '+' ? 62 : c == '/' ? 63 : 64;
}

static bool decode(uint8_t *out, size_t out_cap, size_t *out_len, const char *text, size_t text_len)
{
	size_t n = 0;

	if (text_len % 4 != 0)
		return false;
	for (size_t i = 0; i < text_len; i += 4) {
		bool last = i + 4 == text_len;
		size_t pad = last && text[i + 3] == '=' ? 1 + (size_t)(text[i + 2] == '=') : 0;
		uint32_t bits = 0;

		for (size_t k = 0; k < 4 - pad; k++) {
			uint32_t v = value(text[i + k]);

			if (v > 63)
				return false;
			bits |= v << (18 - 6 * k);
		}
		/* Bits under the padding must be zero, so that each value has one spelling. */
		if ((bits & ((1u << (8 * pad)) - 1)) != 0 || out_cap - n < 3 - pad)
			return false;
		for (size_t k = 0; k < 3 - pad; k++)
			out[n++] = (uint8_t)(bits >> (16 - 8 * k));
	}
	*out_len = n;
	return true;
}

bool cardea_base64_decode(uint8_t *out, size_t out_cap, size_t *out_len, const char *text, size_t text_len)
{
	*out_len = 0;
	if (decode(out, out_cap, out_len, text, text_len))
		return true;
	memset(out, 0, out_cap);
	return false;
}
