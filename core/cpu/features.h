/* SPDX-License-Identifier: MIT */
/*
 * CPU features as implementations need them: what CPUID reports *and* what the registers' state can be held for.
 * A feature that a CPU reports without the one that it builds on (AVX2 without AVX, AVX without XSAVE: virtual
 * machines do that) is not there.
 */
#ifndef CARDEA_FEATURES_H
#define CARDEA_FEATURES_H

#include "base/base.h"

/* XCR0 bits (Intel SDM volume 1, section 13.3), the meaning of cardea_platform.vec_state. */
#define CARDEA_XCR0_X87 (1u << 0)
#define CARDEA_XCR0_SSE (1u << 1)
#define CARDEA_XCR0_AVX (1u << 2)
#define CARDEA_XCR0_AVX512 (7u << 5) /* mask registers, upper halves of ZMM0-15, ZMM16-31: all or none */

enum cardea_cpu_feature {
	CARDEA_CPU_BMI2 = 1 << 0,      /* BMI1 and BMI2: general registers only    */
	CARDEA_CPU_ADX = 1 << 1,
	CARDEA_CPU_SSE2 = 1 << 2,
	CARDEA_CPU_SSSE3 = 1 << 3,
	CARDEA_CPU_SSE41 = 1 << 4,
	CARDEA_CPU_AES = 1 << 5,       /* AES-NI                                   */
	CARDEA_CPU_PCLMUL = 1 << 6,
	CARDEA_CPU_SHA = 1 << 7,       /* SHA-1 and SHA-256                        */
	CARDEA_CPU_AVX = 1 << 8,
	CARDEA_CPU_AVX2 = 1 << 9,
	CARDEA_CPU_VAES = 1 << 10,     /* on YMM; with AVX512 on ZMM too           */
	CARDEA_CPU_VPCLMUL = 1 << 11,
	CARDEA_CPU_GFNI = 1 << 12,
	CARDEA_CPU_AVX512 = 1 << 13,   /* F, BW, DQ and VL                         */
	CARDEA_CPU_VBMI = 1 << 14,     /* AVX512_VBMI                              */
	CARDEA_CPU_WIDE512 = 1 << 15,  /* 512-bit vectors do not slow this CPU down */
};
#define CARDEA_N_CPU_FEATURES 16u

/*
 * The features of the CPU that this runs on, as far as `vec_state` (XCR0 bits that can be in use) allows.  With 0
 * only those of general registers.
 */
uint32_t cardea_cpu_features(uint32_t vec_state);

/* The same from CPUID's registers, for tests: leaf 0 to 7. */
struct cardea_cpuid {
	uint32_t max_leaf;
	bool amd;               /* vendor AuthenticAMD or HygonGenuine */
	uint32_t leaf1_ecx, leaf1_edx, leaf7_ebx, leaf7_ecx, leaf7_edx;
};
uint32_t cardea_cpu_features_of(const struct cardea_cpuid *id, uint32_t vec_state);

/* One leaf of CPUID, subleaf 0: eax, ebx, ecx, edx.  Leaves above the maximum (leaf 0) give nonsense. */
void cardea_cpuid_read(uint32_t leaf, uint32_t out[4]);

/* Name of feature bit i (0 to CARDEA_N_CPU_FEATURES - 1): "ssse3", "avx512", ... */
const char *cardea_cpu_feature_name(unsigned i);

/* The bit of a name of len characters, or 0. */
uint32_t cardea_cpu_feature_by_name(const char *name, size_t len);

/* Without the features in `off`, nor those that build on them. */
uint32_t cardea_cpu_features_without(uint32_t features, uint32_t off);

/* The features' names with spaces between, or "none". */
void cardea_cpu_features_text(char *out, size_t cap, uint32_t features);

#endif
