/* SPDX-License-Identifier: MIT */
/* CPU features from made-up CPUID answers, and the choice among implementations. */
#include "sets/sets.h"

#define ALL_STATE (CARDEA_XCR0_X87 | CARDEA_XCR0_SSE | CARDEA_XCR0_AVX | CARDEA_XCR0_AVX512)
#define AVX_STATE (CARDEA_XCR0_X87 | CARDEA_XCR0_SSE | CARDEA_XCR0_AVX)
#define SSE_STATE (CARDEA_XCR0_X87 | CARDEA_XCR0_SSE)

/* Features of general registers, of SSE, of AVX, of 512 bits. */
#define GPR (CARDEA_CPU_BMI2 | CARDEA_CPU_ADX)
#define SSE                                                                                            \
	(CARDEA_CPU_SSE2 | CARDEA_CPU_SSSE3 | CARDEA_CPU_SSE41 | CARDEA_CPU_AES | CARDEA_CPU_PCLMUL |   \
	 CARDEA_CPU_SHA | CARDEA_CPU_GFNI)
#define AVX (CARDEA_CPU_AVX | CARDEA_CPU_AVX2 | CARDEA_CPU_VAES | CARDEA_CPU_VPCLMUL)
#define WIDE (CARDEA_CPU_AVX512 | CARDEA_CPU_VBMI)

#define L1C_XSAVE (1u << 26)
#define L1C_AVX (1u << 28)
#define L1C_SSSE3 (1u << 9)
#define L1D_SSE2 (1u << 26)
#define L7B_AVX2 (1u << 5)
#define L7B_AVX512BW (1u << 30)

void test_features(struct test *t)
{
	static const struct {
		const char *what;
		struct cardea_cpuid id;
		uint32_t state, want;
	} rows[] = {
		{ "everything", { 0xd, true, ~0u, ~0u, ~0u, ~0u, 0 }, ALL_STATE, GPR | SSE | AVX | WIDE | CARDEA_CPU_WIDE512 },
		{ "512 bits that cost", { 0xd, false, ~0u, ~0u, ~0u, ~0u, 0 }, ALL_STATE, GPR | SSE | AVX | WIDE },
		{ "and that do not", { 0xd, false, ~0u, ~0u, ~0u, ~0u, 1u << 23 }, ALL_STATE,
		  GPR | SSE | AVX | WIDE | CARDEA_CPU_WIDE512 },
		{ "no state at all", { 0xd, true, ~0u, ~0u, ~0u, ~0u, 0 }, 0, GPR },
		{ "FXSAVE only", { 0xd, true, ~0u, ~0u, ~0u, ~0u, 0 }, SSE_STATE, GPR | SSE },
		{ "no AVX-512 state", { 0xd, true, ~0u, ~0u, ~0u, ~0u, 0 }, AVX_STATE, GPR | SSE | AVX },
		{ "part of the AVX-512 state", { 0xd, true, ~0u, ~0u, ~0u, ~0u, 0 }, ALL_STATE & ~(1u << 6), GPR | SSE | AVX },
		{ "AVX-512 state without AVX's", { 0xd, true, ~0u, ~0u, ~0u, ~0u, 0 }, ALL_STATE & ~CARDEA_XCR0_AVX, GPR | SSE },
		{ "leaf 7 beyond the maximum", { 1, true, ~0u, ~0u, ~0u, ~0u, ~0u }, ALL_STATE,
		  (SSE & ~(uint32_t)(CARDEA_CPU_SHA | CARDEA_CPU_GFNI)) | CARDEA_CPU_AVX },
		{ "no leaf 1", { 0, true, ~0u, ~0u, ~0u, ~0u, ~0u }, ALL_STATE, 0 },
		{ "AVX without XSAVE", { 0xd, true, ~L1C_XSAVE, ~0u, ~0u, ~0u, 0 }, ALL_STATE, GPR | SSE },
		{ "AVX2 without AVX", { 0xd, true, ~L1C_AVX, ~0u, ~0u, ~0u, 0 }, ALL_STATE, GPR | SSE },
		{ "AVX-512 without AVX2", { 0xd, true, ~0u, ~0u, ~L7B_AVX2, ~0u, 0 }, ALL_STATE, GPR | SSE | CARDEA_CPU_AVX },
		{ "AVX-512 without BW", { 0xd, true, ~0u, ~0u, ~L7B_AVX512BW, ~0u, 0 }, ALL_STATE, GPR | SSE | AVX },
		{ "no SSSE3", { 0xd, true, ~L1C_SSSE3, ~0u, ~0u, ~0u, 0 }, ALL_STATE,
		  GPR | CARDEA_CPU_SSE2 | CARDEA_CPU_AES | CARDEA_CPU_PCLMUL | CARDEA_CPU_GFNI },
		{ "no SSE2", { 0xd, true, ~0u, ~L1D_SSE2, ~0u, ~0u, 0 }, ALL_STATE, GPR },
		{ "nothing", { 0xd, true, 0, 0, 0, 0, 0 }, ALL_STATE, 0 },
	};
	char text[160];

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(rows); i++) {
		uint32_t got = cardea_cpu_features_of(&rows[i].id, rows[i].state);

		if (!CHECK(got == rows[i].want)) {
			cardea_cpu_features_text(text, sizeof(text), got ^ rows[i].want);
			test_note(t, "    %s: differs in %s", rows[i].what, text);
		}
	}
	for (unsigned i = 0; i < CARDEA_N_CPU_FEATURES; i++) {
		const char *name = cardea_cpu_feature_name(i);

		CHECK(cardea_cpu_feature_by_name(name, cardea_strnlen(name, 99)) == 1u << i);
	}
	CHECK(cardea_cpu_feature_by_name("avx", 3) == CARDEA_CPU_AVX);
	CHECK(cardea_cpu_feature_by_name("avx2", 3) == CARDEA_CPU_AVX);
	CHECK(cardea_cpu_feature_by_name("avx9", 4) == 0 && cardea_cpu_feature_by_name("", 0) == 0);
	/* What builds on a feature goes with it. */
	CHECK(cardea_cpu_features_without(GPR | SSE | AVX | WIDE, CARDEA_CPU_AVX) == (GPR | SSE));
	CHECK(cardea_cpu_features_without(SSE | AVX, CARDEA_CPU_AES) ==
	      ((SSE | AVX) & ~(uint32_t)(CARDEA_CPU_AES | CARDEA_CPU_VAES)));
	CHECK(cardea_cpu_features_without(GPR | SSE | AVX | WIDE, CARDEA_CPU_SSE2) == GPR);
	cardea_cpu_features_text(text, sizeof(text), 0);
	CHECK(cardea_streq(text, "none"));
	cardea_cpu_features_text(text, sizeof(text), CARDEA_CPU_SSE2 | CARDEA_CPU_AVX);
	CHECK(cardea_streq(text, "sse2 avx"));
	/* Of this very CPU: with less state there is never more. */
	CHECK((cardea_cpu_features(0) & ~cardea_cpu_features(SSE_STATE)) == 0);
	CHECK((cardea_cpu_features(SSE_STATE) & ~cardea_cpu_features(ALL_STATE)) == 0);
	CHECK((cardea_cpu_features(0) & ~(uint32_t)GPR) == 0);
}

void test_suite(struct test *t)
{
	static const char *const good[] = { NULL, "", " ", "-avx2", "-avx2,-aes -ssse3", "twofish=c", ",-vbmi,,twofish=c " };
	static const char *const bad[] = { "avx2", "-", "-avx9", "+avx2", "aes", "aes=", "aes=x", "=c", "frob=c", "twofish=cc",
		                           "-avx2;-aes", "-avx2,frob" };
	struct cardea_platform p = *t->platform;
	struct cardea_suite s;
	char text[256];

	p.log = NULL;
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(good); i++)
		if (!CHECK(cardea_suite_init(&s, &p, good[i]) == CARDEA_OK))
			test_note(t, "    \"%s\"", good[i] != NULL ? good[i] : "");
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(bad); i++) {
		if (!CHECK(cardea_suite_init(&s, &p, bad[i]) == CARDEA_ERR_UNSUPPORTED))
			test_note(t, "    \"%s\"", bad[i]);
		for (unsigned k = 0; k < CARDEA_N_PRIMITIVES; k++)
			CHECK(cardea_suite_chosen(&s, k) == NULL);
	}
	/* Each implementation of each primitive can be named; exactly it is chosen, or it is said that it cannot run. */
	for (unsigned i = 0; i < CARDEA_N_PRIMITIVES; i++) {
		size_t n;
		const struct cardea_impl *const *table = cardea_primitive_impls(i, &n);

		CHECK(n > 0 && table[n - 1]->need == 0 && (table[n - 1]->traits & CARDEA_TRAIT_VECTOR) == 0);
		for (size_t k = 0; k < n; k++) {
			bool can = cardea_suite_can_run(t->suite, &p, table[k]);

			cardea_format(text, sizeof(text), "%s=%s", cardea_primitive_name(i), table[k]->name);
			CHECK(cardea_suite_init(&s, &p, text) == (can ? CARDEA_OK : CARDEA_ERR_UNSUPPORTED));
			if (!can)
				continue;
			CHECK(cardea_suite_chosen(&s, i) == table[k]);
			cardea_suite_describe(&s, i, text, sizeof(text));
			CHECK(cardea_starts_with(text, cardea_primitive_name(i)));
		}
		/* Without vectors only what needs none is left, and all that is said fits. */
		CHECK(cardea_suite_init(&s, &p, "-sse2,-bmi2,-adx") == CARDEA_OK);
		CHECK(cardea_suite_chosen(&s, i)->need == 0);
		cardea_suite_describe(&s, i, text, sizeof(text));
		CHECK(cardea_strnlen(text, sizeof(text)) < sizeof(text) - 1);
	}
	p.vec_state = 0;
	p.vec_begin = NULL;
	p.vec_end = NULL;
	CHECK(cardea_suite_init(&s, &p, NULL) == CARDEA_OK);
	for (unsigned i = 0; i < CARDEA_N_PRIMITIVES; i++)
		CHECK((cardea_suite_chosen(&s, i)->traits & CARDEA_TRAIT_VECTOR) == 0);
}
