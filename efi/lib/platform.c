/* SPDX-License-Identifier: MIT */
#include "cpu/region.h"
#include "lib/platform.h"

static uint64_t ticks_per_ms = 1;

static uint64_t ticks(void)
{
	uint32_t low, high;

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static uint64_t clock_us(void *ctx)
{
	uint64_t t = ticks();

	(void)ctx;
	/* In two steps, or days of uptime would overflow. */
	return t / ticks_per_ms * 1000 + t % ticks_per_ms * 1000 / ticks_per_ms;
}

/* Loader data and not boot services data: what an application allocates; both are free for the next system. */
static void *pages(void *ctx, size_t count)
{
	EFI_PHYSICAL_ADDRESS address = 0;

	(void)ctx;
	if (EFI_ERROR(env.bs->AllocatePages(AllocateAnyPages, EfiLoaderData, count, &address)))
		return NULL;
	return memset((void *)(uintptr_t)address, 0, count * CARDEA_PAGE_SIZE);
}

static void pages_free(void *ctx, void *p, size_t count)
{
	(void)ctx;
	env.bs->FreePages((EFI_PHYSICAL_ADDRESS)(uintptr_t)p, count);
}

static unsigned cpus(void *ctx)
{
	(void)ctx;
	return 1;
}

static void run(void *ctx, const struct cardea_job *job, unsigned count)
{
	(void)ctx;
	for (unsigned i = 0; i < count; i++)
		job->fn(job->arg, i);
}

/*
 * run() uses no other CPU, so that one region is enough.  Being compiled with -mgeneral-regs-only, nothing else saves
 * xmm6 to xmm15, which functions that firmware calls must keep: the region does.
 */
static struct cardea_region region;

static void vec_begin(void *ctx)
{
	(void)ctx;
	cardea_region_begin(&region);
}

static void vec_end(void *ctx)
{
	(void)ctx;
	cardea_region_end(&region);
}

void efi_platform_init(struct cardea_platform *p)
{
	uint64_t start = ticks();

	env.bs->Stall(10000);
	ticks_per_ms = (ticks() - start) / 10;
	if (ticks_per_ms == 0)
		ticks_per_ms = 1;
	p->pages = pages;
	p->pages_free = pages_free;
	p->cpus = cpus;
	p->run = run;
	p->clock_us = clock_us;
	p->vec_state = cardea_region_init(&region, UINT32_MAX);
	p->vec_begin = vec_begin;
	p->vec_end = vec_end;
}
