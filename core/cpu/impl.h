/* SPDX-License-Identifier: MIT */
/*
 * Many implementations per primitive, one chosen at run time.  Each primitive has one const table of
 * implementations, best first and the portable one last, whose entries begin with struct cardea_impl.
 * An implementation is used only if the CPU features that it needs are there, their state can be held, and
 * its own self-test passes (crypto/suite.h).
 */
#ifndef CARDEA_IMPL_H
#define CARDEA_IMPL_H

#include "base/platform.h"

enum cardea_impl_traits {
	CARDEA_TRAIT_CT = 1 << 0,     /* constant time: no branch and no address depends on a secret    */
	CARDEA_TRAIT_VECTOR = 1 << 1, /* uses vector registers: runs between vec_begin and vec_end only */
};

struct cardea_impl {
	const char *name; /* in logs, in overrides, in test and benchmark output        */
	uint32_t need;    /* CPU features: all of them, or it is never called           */
	uint32_t traits;  /* enum cardea_impl_traits                                    */
};

/* Open and close a vector section when this implementation uses one; nothing else does (architecture.md). */
static inline void cardea_impl_begin(const struct cardea_platform *p, const struct cardea_impl *impl)
{
	if (impl->traits & CARDEA_TRAIT_VECTOR)
		p->vec_begin(p->ctx);
}

static inline void cardea_impl_end(const struct cardea_platform *p, const struct cardea_impl *impl)
{
	if (impl->traits & CARDEA_TRAIT_VECTOR)
		p->vec_end(p->ctx);
}

#endif
