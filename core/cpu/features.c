/* SPDX-License-Identifier: MIT */
#include "cpu/features.h"

/* Where CPUID has a feature, what it builds on, and the state that it needs. */
struct feature {
	const char *name;
	uint32_t needs;     /* features                                    */
	uint32_t state;     /* XCR0 bits                                   */
	uint8_t word;       /* 0 leaf1.ecx, 1 leaf1.edx, 2 leaf7.ebx, 3 leaf7.ecx */
	uint32_t bits;      /* all of them                                 */
};

#define SSE_STATE CARDEA_XCR0_SSE
#define AVX_STATE (CARDEA_XCR0_SSE | CARDEA_XCR0_AVX)
#define AVX512_STATE (AVX_STATE | CARDEA_XCR0_AVX512)

/* In the order of the bits, so that what a feature builds on comes before it.  Intel SDM volume 2, CPUID. */
static const struct feature table[CARDEA_N_CPU_FEATURES] = {
	{ "bmi2", 0, 0, 2, 1u << 3 | 1u << 8 },
	{ "adx", 0, 0, 2, 1u << 19 },
	{ "sse2", 0, SSE_STATE, 1, 1u << 26 },
	{ "ssse3", CARDEA_CPU_SSE2, SSE_STATE, 0, 1u << 9 },
	{ "sse4.1", CARDEA_CPU_SSSE3, SSE_STATE, 0, 1u << 19 },
	{ "aes", CARDEA_CPU_SSE2, SSE_STATE, 0, 1u << 25 },
	{ "pclmul", CARDEA_CPU_SSE2, SSE_STATE, 0, 1u << 1 },
	{ "sha", CARDEA_CPU_SSE41, SSE_STATE, 2, 1u << 29 },
	/* AVX instructions are undefined without XSAVE (bit 26): there is no XCR0 to enable them in. */
	{ "avx", CARDEA_CPU_SSE41, AVX_STATE, 0, 1u << 28 | 1u << 26 },
	{ "avx2", CARDEA_CPU_AVX, AVX_STATE, 2, 1u << 5 },
	{ "vaes", CARDEA_CPU_AVX2 | CARDEA_CPU_AES, AVX_STATE, 3, 1u << 9 },
	{ "vpclmul", CARDEA_CPU_AVX2 | CARDEA_CPU_PCLMUL, AVX_STATE, 3, 1u << 10 },
	{ "gfni", CARDEA_CPU_SSE2, SSE_STATE, 3, 1u << 8 },
	{ "avx512", CARDEA_CPU_AVX2, AVX512_STATE, 2, 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31 },
	{ "vbmi", CARDEA_CPU_AVX512, AVX512_STATE, 3, 1u << 1 },
	{ "wide512", CARDEA_CPU_AVX512, AVX512_STATE, 3, 0 },
};

_Static_assert(CARDEA_CPU_WIDE512 == 1 << (CARDEA_N_CPU_FEATURES - 1), "the table has a line for each bit");

/*
 * Intel's cores before Sapphire Rapids lower their clock, for milliseconds and for all code, when 512-bit registers
 * are used.  AVX512_FP16 (leaf 7, edx bit 23) came with the first one that does not; AMD's never did.
 */
static bool wide512(const struct cardea_cpuid *id)
{
	return id->amd || (id->leaf7_edx & 1u << 23) != 0;
}

uint32_t cardea_cpu_features_of(const struct cardea_cpuid *id, uint32_t vec_state)
{
	const uint32_t word[4] = {
		id->max_leaf >= 1 ? id->leaf1_ecx : 0, id->max_leaf >= 1 ? id->leaf1_edx : 0,
		id->max_leaf >= 7 ? id->leaf7_ebx : 0, id->max_leaf >= 7 ? id->leaf7_ecx : 0,
	};
	uint32_t features = 0;

	for (unsigned i = 0; i < CARDEA_N_CPU_FEATURES; i++) {
		const struct feature *f = &table[i];

		if ((word[f->word] & f->bits) == f->bits && (features & f->needs) == f->needs &&
		    (vec_state & f->state) == f->state && (1u << i != CARDEA_CPU_WIDE512 || wide512(id)))
			features |= 1u << i;
	}
	return features;
}

void cardea_cpuid_read(uint32_t leaf, uint32_t out[4])
{
	/* Subleaf 0: leaves 7 and 0xd have several. */
	__asm__ __volatile__("cpuid" : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3]) : "a"(leaf), "c"(0));
}

uint32_t cardea_cpu_features(uint32_t vec_state)
{
	struct cardea_cpuid id = { 0 };
	uint32_t r[4];

	/* Leaves above the maximum repeat the last one on some CPUs: asking for them would read nonsense. */
	cardea_cpuid_read(0, r);
	id.max_leaf = r[0];
	/* "Auth" and "Hygo", the beginnings of AuthenticAMD and HygonGenuine. */
	id.amd = r[1] == 0x68747541 || r[1] == 0x6f677948;
	if (id.max_leaf >= 1) {
		cardea_cpuid_read(1, r);
		id.leaf1_ecx = r[2];
		id.leaf1_edx = r[3];
	}
	if (id.max_leaf >= 7) {
		cardea_cpuid_read(7, r);
		id.leaf7_ebx = r[1];
		id.leaf7_ecx = r[2];
		id.leaf7_edx = r[3];
	}
	return cardea_cpu_features_of(&id, vec_state);
}

const char *cardea_cpu_feature_name(unsigned i)
{
	return table[i].name;
}

uint32_t cardea_cpu_feature_by_name(const char *name, size_t len)
{
	for (unsigned i = 0; i < CARDEA_N_CPU_FEATURES; i++)
		if (cardea_strnlen(table[i].name, len + 1) == len && memcmp(table[i].name, name, len) == 0)
			return 1u << i;
	return 0;
}

uint32_t cardea_cpu_features_without(uint32_t features, uint32_t off)
{
	features &= ~off;
	for (unsigned i = 0; i < CARDEA_N_CPU_FEATURES; i++)
		if ((features & table[i].needs) != table[i].needs)
			features &= ~(1u << i);
	return features;
}

void cardea_cpu_features_text(char *out, size_t cap, uint32_t features)
{
	size_t n = cardea_format(out, cap, features == 0 ? "none" : "%s", "");

	for (unsigned i = 0; i < CARDEA_N_CPU_FEATURES; i++)
		if ((features >> i & 1) != 0)
			n += cardea_format(out + n, cap - n, "%s%s", n != 0 ? " " : "", table[i].name);
}
