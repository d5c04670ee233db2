/* SPDX-License-Identifier: MIT */
#include "crypto/suite.h"
#include "crypto/kdf.h"

/* ---- the primitives under one number ------------------------------------------------------------------------ */

#define FIRST_COMPRESS CARDEA_N_CIPHERS
#define ARGON2 (CARDEA_N_CIPHERS + CARDEA_N_COMPRESS)

const char *cardea_primitive_name(unsigned i)
{
	if (i < FIRST_COMPRESS)
		return cardea_cipher_name((enum cardea_cipher_id)i);
	if (i < ARGON2)
		return cardea_compress_name((enum cardea_compress_id)(i - FIRST_COMPRESS));
	return "argon2";
}

const struct cardea_impl *const *cardea_primitive_impls(unsigned i, size_t *n)
{
	if (i == CARDEA_CIPHER_AES)
		return cardea_aes_impls(n);
	if (i == CARDEA_CIPHER_TWOFISH)
		return cardea_twofish_impls(n);
	if (i < ARGON2)
		return cardea_compress_impls((enum cardea_compress_id)(i - FIRST_COMPRESS), n);
	return cardea_argon2_impls(n);
}

static bool self_test(unsigned i, const struct cardea_impl *impl)
{
	if (i < FIRST_COMPRESS)
		return cardea_cipher_self_test(impl);
	if (i < ARGON2)
		return cardea_compress_self_test(impl);
	return cardea_argon2_self_test(impl);
}

/* Every entry of a table begins with its struct cardea_impl, so that the pointers are the same. */
const struct cardea_impl *cardea_suite_chosen(const struct cardea_suite *s, unsigned i)
{
	if (i < FIRST_COMPRESS)
		return (const void *)s->cipher[i];
	if (i < ARGON2)
		return (const void *)s->compress[i - FIRST_COMPRESS];
	return (const void *)s->argon2;
}

void cardea_suite_use(struct cardea_suite *s, unsigned i, const struct cardea_impl *impl)
{
	if (i < FIRST_COMPRESS)
		s->cipher[i] = (const void *)impl;
	else if (i < ARGON2)
		s->compress[i - FIRST_COMPRESS] = (const void *)impl;
	else
		s->argon2 = (const void *)impl;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* What the options ask for. */
struct wishes {
	uint32_t off;
	const struct cardea_impl *named[CARDEA_N_PRIMITIVES];
};

static bool word_is(const char *word, size_t len, const char *text)
{
	return cardea_strnlen(text, len + 1) == len && memcmp(word, text, len) == 0;
}

static bool read_word(struct wishes *w, const char *word, size_t len)
{
	size_t split = 0, n;

	if (word[0] == '-') {
		uint32_t feature = cardea_cpu_feature_by_name(word + 1, len - 1);

		w->off |= feature;
		return feature != 0;
	}
	while (split < len && word[split] != '=')
		split++;
	for (unsigned i = 0; split < len && i < CARDEA_N_PRIMITIVES; i++) {
		const struct cardea_impl *const *table = cardea_primitive_impls(i, &n);

		if (!word_is(word, split, cardea_primitive_name(i)))
			continue;
		for (size_t k = 0; k < n; k++)
			if (word_is(word + split + 1, len - split - 1, table[k]->name))
				w->named[i] = table[k];
		return w->named[i] != NULL;
	}
	return false;
}

static enum cardea_err read_options(struct wishes *w, const struct cardea_platform *p, const char *text)
{
	*w = (struct wishes){ 0 };
	while (text != NULL && *text != '\0') {
		size_t len = 0;

		while (text[len] != '\0' && text[len] != ',' && text[len] != ' ')
			len++;
		if (len > 0 && !read_word(w, text, len)) {
			cardea_log(p, CARDEA_LOG_ERROR, "CPU option \"%.*s\" is neither -FEATURE nor PRIMITIVE=IMPLEMENTATION "
			           "of any that there is", (int)cardea_min_size(len, 60), text);
			return CARDEA_ERR_UNSUPPORTED;
		}
		text += len + (text[len] != '\0');
	}
	return CARDEA_OK;
}

/* ---- the choice ------------------------------------------------------------------------------------------------- */

bool cardea_suite_can_run(const struct cardea_suite *s, const struct cardea_platform *p, const struct cardea_impl *impl)
{
	/* That wide vectors slow the CPU down is a reason not to choose them, none not to run them. */
	uint32_t missing = impl->need & ~s->features & ~(uint32_t)CARDEA_CPU_WIDE512;

	/* A vector kernel without its feature bits would be a mistake in a table: do not call through NULL. */
	return missing == 0 &&
	       ((impl->traits & CARDEA_TRAIT_VECTOR) == 0 || (p->vec_begin != NULL && p->vec_end != NULL));
}

static bool passes(const struct cardea_platform *p, unsigned i, const struct cardea_impl *impl)
{
	bool ok;

	cardea_impl_begin(p, impl);
	ok = self_test(i, impl);
	cardea_impl_end(p, impl);
	if (!ok)
		cardea_log(p, CARDEA_LOG_WARNING, "%s: implementation %s gives wrong results on this CPU and is not used",
		           cardea_primitive_name(i), impl->name);
	return ok;
}

static void choose(struct cardea_suite *s, const struct cardea_platform *p, unsigned i)
{
	size_t n;
	const struct cardea_impl *const *table = cardea_primitive_impls(i, &n);

	for (size_t k = 0; k < n; k++) {
		const struct cardea_impl *impl = table[k];

		if (!cardea_suite_can_run(s, p, impl) || (impl->need & ~s->features) != 0)
			continue;
		if (passes(p, i, impl)) {
			cardea_suite_use(s, i, impl);
			return;
		}
		s->failed[i] |= 1u << k;
	}
}

static enum cardea_err choose_named(struct cardea_suite *s, const struct cardea_platform *p, unsigned i,
                                    const struct cardea_impl *impl)
{
	char missing[160];

	if (!cardea_suite_can_run(s, p, impl)) {
		cardea_cpu_features_text(missing, sizeof(missing), impl->need & ~s->features);
		cardea_log(p, CARDEA_LOG_ERROR, "%s=%s cannot be used here: missing %s", cardea_primitive_name(i), impl->name,
		           missing);
		return CARDEA_ERR_UNSUPPORTED;
	}
	s->named[i] = true;
	if (passes(p, i, impl))
		cardea_suite_use(s, i, impl);
	return CARDEA_OK;
}

enum cardea_err cardea_suite_init(struct cardea_suite *out, const struct cardea_platform *p, const char *options)
{
	struct wishes wishes;
	enum cardea_err err = read_options(&wishes, p, options);

	memset(out, 0, sizeof(*out));
	out->cpu = cardea_cpu_features(p->vec_state);
	out->features = cardea_cpu_features_without(out->cpu, wishes.off);
	for (unsigned i = 0; i < CARDEA_N_PRIMITIVES && err == CARDEA_OK; i++) {
		if (wishes.named[i] != NULL)
			err = choose_named(out, p, i, wishes.named[i]);
		else
			choose(out, p, i);
		if (err == CARDEA_OK && cardea_suite_chosen(out, i) == NULL) {
			cardea_log(p, CARDEA_LOG_ERROR, "%s: no implementation passes its self-test", cardea_primitive_name(i));
			err = CARDEA_ERR_SELFTEST;
		}
	}
	/* Nothing of a suite that is not whole can be used by mistake. */
	if (err != CARDEA_OK)
		memset(out, 0, sizeof(*out));
	return err;
}

void cardea_suite_describe(const struct cardea_suite *s, unsigned i, char *out, size_t cap)
{
	const struct cardea_impl *chosen = cardea_suite_chosen(s, i);
	char features[160];
	size_t n, len;
	const struct cardea_impl *const *table = cardea_primitive_impls(i, &n);

	len = cardea_format(out, cap, "%s: %s%s", cardea_primitive_name(i), chosen->name, s->named[i] ? " (as asked)" : "");
	for (size_t k = 0; k < n && table[k] != chosen; k++) {
		uint32_t off = table[k]->need & s->cpu & ~s->features, lacks = table[k]->need & ~s->cpu;
		const char *why = s->failed[i] >> k & 1 ? "failed its self-test" : "not asked for";

		features[0] = '\0';
		if ((s->failed[i] >> k & 1) == 0 && (lacks | off) != 0) {
			why = lacks == CARDEA_CPU_WIDE512 ? "slows this CPU down" :
			      lacks != 0 ? "the CPU lacks " : "switched off: ";
			if (lacks != CARDEA_CPU_WIDE512)
				cardea_cpu_features_text(features, sizeof(features), lacks != 0 ? lacks : off);
		}
		len += cardea_format(out + len, cap - len, "%s%s: %s%s", k == 0 ? " (" : "; ", table[k]->name, why, features);
	}
	if (n > 0 && table[0] != chosen)
		cardea_format(out + len, cap - len, ")");
}
