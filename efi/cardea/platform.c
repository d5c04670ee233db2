/* SPDX-License-Identifier: MIT */
#include "cardea/console.h"
#include "cardea/platform.h"
#include "lib/text.h"

#define POLL_US 50000u   /* how often keys are looked at: consoles on slow ports are slow to ask */
#define DRAW_US 250000u
#define FIRST_US 400000u /* nothing is drawn for what is over at once */

static struct {
	const char *subject;
	bool quiet;
	uint64_t ticks_per_ms;
	/* The running derivation. */
	bool active, cancelled;
	unsigned slot;
	uint64_t slot_start, last_poll, last_draw;
	size_t line_len;
} state;

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
	return t / state.ticks_per_ms * 1000 + t % state.ticks_per_ms * 1000 / state.ticks_per_ms;
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

/* Removes the progress line, so that what comes next starts in its place. */
static void erase_line(void)
{
	char blank[80];

	if (state.line_len == 0)
		return;
	memset(blank, ' ', sizeof(blank));
	blank[cardea_min_size(state.line_len, sizeof(blank) - 1)] = '\0';
	efi_put("\r");
	efi_put(blank);
	efi_put("\r");
	state.line_len = 0;
}

static void draw(const struct cardea_progress *p, uint64_t now)
{
	uint64_t percent = p->total == 0 ? 0 : p->done >= p->total ? 100 : p->done * 100 / p->total;
	uint64_t spent = now - state.slot_start, left = 0;
	char line[78];
	size_t len;

	if (p->done > 0 && p->done < p->total)
		left = spent / 1000 * (p->total - p->done) / p->done / 1000 + 1;
	len = cardea_format(line, sizeof(line), "\r  key slot %u: %3u%%", p->slot, (unsigned)percent);
	if (left > 0)
		len += cardea_format(line + len, sizeof(line) - len, ", about %u s left", (unsigned)left);
	len += cardea_format(line + len, sizeof(line) - len, ", Esc stops");
	/* Blanks over what a longer line before left. */
	while (len - 1 < state.line_len && len + 1 < sizeof(line))
		line[len++] = ' ';
	line[len] = '\0';
	efi_put(line);
	state.line_len = len - 1;
}

static int progress(void *ctx, const struct cardea_progress *p)
{
	uint64_t now = clock_us(ctx);
	struct key key;

	if (!state.active)
		return 0;
	if (p->slot != state.slot) {
		state.slot = p->slot;
		state.slot_start = now;
	}
	if (now - state.last_poll >= POLL_US) {
		state.last_poll = now;
		/* Other keys are dropped: typed ahead they would answer a question that was not asked yet. */
		while (console_poll_key(&key))
			state.cancelled |= key.kind == KEY_ESC;
	}
	if (state.cancelled)
		return 1;
	if (now - state.slot_start >= FIRST_US && now - state.last_draw >= DRAW_US) {
		state.last_draw = now;
		draw(p, now);
	}
	return 0;
}

static void log_line(void *ctx, enum cardea_log_level level, const char *message)
{
	(void)ctx;
	if (state.quiet || (level == CARDEA_LOG_INFO && state.subject == NULL))
		return;
	erase_line();
	efi_say("%s%s", state.subject != NULL ? state.subject : "", state.subject != NULL ? ": " : "");
	efi_say("%s%s\n", level == CARDEA_LOG_WARNING ? "warning: " : "", message);
}

/*
 * vec_state 0 and no vec_begin: implementations that use general registers only.  Vector sections belong here
 * (docs/architecture.md); note that nothing between firmware's call and them saves xmm6 to xmm15, which ms_abi
 * wants kept, because everything is compiled with -mgeneral-regs-only.
 */
struct cardea_platform platform = {
	.pages = pages,
	.pages_free = pages_free,
	.cpus = cpus,
	.run = run,
	.clock_us = clock_us,
	.progress = progress,
	.log = log_line,
};

void platform_init(void)
{
	uint64_t start = ticks();

	env.bs->Stall(10000);
	state.ticks_per_ms = (ticks() - start) / 10;
	if (state.ticks_per_ms == 0)
		state.ticks_per_ms = 1;
}

void platform_subject(const char *subject)
{
	state.subject = subject;
}

void platform_quiet(bool quiet)
{
	state.quiet = quiet;
}

void platform_progress_begin(void)
{
	state.active = true;
	state.cancelled = false;
	state.slot = UINT32_MAX;
	state.last_poll = state.last_draw = clock_us(NULL);
}

void platform_progress_end(void)
{
	erase_line();
	state.active = false;
}
