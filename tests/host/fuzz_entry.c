/* SPDX-License-Identifier: MIT */
/* libFuzzer's entry points around one function of fuzz.h: -DFUZZ_TARGET=fuzz_luks. */
#include <string.h>
#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t cap);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_setup();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	FUZZ_TARGET(data, len);
	return 0;
}

/* Half of the time, one value of the JSON text for another; else libFuzzer's own. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	size_t head = 2, n;
	uint64_t state = seed;

	if (FUZZ_TARGET == fuzz_luks && len > 2 && (data[0] & FUZZ_PARTS))
		head += FUZZ_PARTS_HEADER;
	if ((FUZZ_TARGET != fuzz_luks && FUZZ_TARGET != fuzz_json) || len <= head || fuzz_random(&state) % 2)
		return LLVMFuzzerMutate(data, len, cap);
	/* JSON of the header may be followed by zeros. */
	for (n = len; n > head && data[n - 1] == 0; n--)
		;
	n = fuzz_mutate_json((char *)data + head, n - head, cap - head, (uint32_t)fuzz_random(&state),
	                     (uint32_t)fuzz_random(&state) % (2 * fuzz_n_interesting));
	return n != 0 ? head + n : LLVMFuzzerMutate(data, len, cap);
}
