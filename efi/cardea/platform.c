/* SPDX-License-Identifier: MIT */
#include "cardea/console.h"
#include "cardea/platform.h"
#include "lib/platform.h"
#include "lib/text.h"

#define POLL_US 50000u   /* how often keys are looked at: consoles on slow ports are slow to ask */
#define DRAW_US 250000u
#define FIRST_US 400000u /* nothing is drawn for what is over at once */

static struct {
	const char *subject;
	bool quiet;
	/* The running derivation. */
	bool active, cancelled;
	unsigned slot;
	uint64_t slot_start, last_poll, last_draw;
	size_t line_len;
} state;

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
	uint64_t now = platform.clock_us(ctx);
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

struct cardea_platform platform = {
	.progress = progress,
	.log = log_line,
};

void platform_init(void)
{
	efi_platform_init(&platform);
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
	state.last_poll = state.last_draw = platform.clock_us(NULL);
}

void platform_progress_end(void)
{
	erase_line();
	state.active = false;
}
