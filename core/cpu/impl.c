/* SPDX-License-Identifier: MIT */
#include "cpu/impl.h"

static bool passes(const struct cardea_platform *p, const struct cardea_impl *impl,
                   bool (*self_test)(const struct cardea_impl *))
{
	bool ok;

	if (self_test == NULL)
		return true;
	cardea_impl_begin(p, impl);
	ok = self_test(impl);
	cardea_impl_end(p, impl);
	return ok;
}

const struct cardea_impl *cardea_impl_select(const struct cardea_platform *p, const char *primitive,
                                             const struct cardea_impl *const *table, size_t n, uint32_t features,
                                             bool (*self_test)(const struct cardea_impl *))
{
	for (size_t i = 0; i < n; i++) {
		const struct cardea_impl *impl = table[i];

		if ((impl->need & ~features) != 0)
			continue;
		/* A vector kernel without its feature bits would be a mistake in a table: do not call through NULL. */
		if ((impl->traits & CARDEA_TRAIT_VECTOR) && (p->vec_begin == NULL || p->vec_end == NULL))
			continue;
		if (passes(p, impl, self_test)) {
			cardea_log(p, CARDEA_LOG_INFO, "%s: %s", primitive, impl->name);
			return impl;
		}
		cardea_log(p, CARDEA_LOG_WARNING,
		           "%s: implementation %s gives wrong results on this CPU and is not used", primitive,
		           impl->name);
	}
	return NULL;
}
