/* SPDX-License-Identifier: MIT */
/*
 * The four functions that the core and the compilers need.  String instructions and not loops, because a
 * compiler is free to turn a loop that copies into a call of memcpy: of itself, here.
 */
#include "base/base.h"

void *memcpy(void *restrict out, const void *restrict in, size_t len)
{
	void *to = out;
	size_t words = len / 8;

	__asm__ __volatile__("rep movsq\n\tmov %3, %%rcx\n\trep movsb"
	                     : "+&D"(to), "+&S"(in), "+&c"(words)
	                     : "r"(len % 8)
	                     : "memory");
	return out;
}

void *memmove(void *out, const void *in, size_t len)
{
	uint8_t *to = out;
	const uint8_t *from = in;

	if ((uintptr_t)out - (uintptr_t)in >= len)
		return memcpy(out, in, len);
	/* Backwards: out begins inside what is read. */
	while (len > 0) {
		len--;
		to[len] = from[len];
		__asm__ __volatile__("" : : : "memory");
	}
	return out;
}

void *memset(void *out, int value, size_t len)
{
	void *to = out;
	size_t words = len / 8;

	__asm__ __volatile__("rep stosq\n\tmov %2, %%rcx\n\trep stosb"
	                     : "+&D"(to), "+&c"(words)
	                     : "r"(len % 8), "a"(0x0101010101010101u * (uint8_t)value)
	                     : "memory");
	return out;
}

int memcmp(const void *a, const void *b, size_t len)
{
	const uint8_t *x = a, *y = b;

	for (size_t i = 0; i < len; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}
