/* SPDX-License-Identifier: MIT */
/* The core's platform on a POSIX host. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "cpu/region.h"
#include "host.h"

volatile sig_atomic_t host_interrupted;

static char subject[256];
static bool quiet, bar_shown;
static uint64_t bar_time;

static void on_signal(int sig)
{
	(void)sig;
	host_interrupted = 1;
}

void host_setup(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	/* No SA_RESTART: a read that waits for a passphrase is to end. */
	const struct sigaction sa = { .sa_handler = on_signal };
	const struct rlimit none = { 0, 0 };
	struct sigaction old;

	/* What the caller has us ignore (nohup) stays ignored. */
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(ends); i++)
		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(ends[i], &sa, NULL);
	/* Writes then fail with an error that is reported. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	host_platform.vec_state = cardea_region_hosted();
	/* Keys are in this process: no core dump, no ptrace by the same user. */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void host_log_subject(const char *s)
{
	snprintf(subject, sizeof(subject), "%s", s);
}

void host_log_quiet(bool q)
{
	quiet = q;
}

static void clear_bar(void)
{
	if (bar_shown)
		fputs("\r\033[K", stderr);
	bar_shown = false;
}

static void message(const char *kind, const char *fmt, va_list args)
{
	clear_bar();
	fprintf(stderr, "cardea: %s", kind);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

void complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message("", fmt, args);
	va_end(args);
}

void warn_user(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message("warning: ", fmt, args);
	va_end(args);
}

static void host_log(void *ctx, enum cardea_log_level level, const char *text)
{
	(void)ctx;
	if (quiet || level == CARDEA_LOG_INFO)
		return;
	if (level == CARDEA_LOG_WARNING)
		warn_user("%s%s%s", subject, subject[0] != '\0' ? ": " : "", text);
	else
		complain("%s%s%s", subject, subject[0] != '\0' ? ": " : "", text);
}

/* Memory that the machine could still give, in bytes; SIZE_MAX when it does not say. */
static size_t memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	unsigned long kib;
	size_t bytes = SIZE_MAX;
	char line[128];

	if (f == NULL)
		return bytes;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "MemAvailable: %lu kB", &kib) == 1)
			bytes = (size_t)kib * 1024;
	fclose(f);
	return bytes;
}

#define BIG (2u << 20)      /* from here on huge pages pay                 */
#define RESERVE (64u << 20) /* what the rest of the machine is left with   */

/*
 * The kernel promises more than it has, and kills when it is used: so what there is is looked at before, again
 * whenever that much has been taken.  (Limits of a control group are not seen.)
 */
static bool memory_granted(size_t len)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static size_t budget;
	bool ok;

	pthread_mutex_lock(&lock);
	if (len > budget) {
		budget = memory_available();
		budget = budget > RESERVE ? budget - RESERVE : 0;
	}
	ok = len <= budget;
	if (ok)
		budget -= len;
	pthread_mutex_unlock(&lock);
	return ok;
}

static void *host_pages(void *ctx, size_t count)
{
	size_t len = count * CARDEA_PAGE_SIZE;
	void *p;

	(void)ctx;
	if (count > SIZE_MAX / CARDEA_PAGE_SIZE || host_interrupted || !memory_granted(len))
		return NULL;
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, len, MADV_DONTDUMP);
	if (len >= BIG)
		madvise(p, len, MADV_HUGEPAGE);
	/* Taken at once, so that the next look at what is available counts it (Linux 5.14 and later). */
	madvise(p, len, MADV_POPULATE_WRITE);
	return p;
}

static void host_pages_free(void *ctx, void *p, size_t count)
{
	(void)ctx;
	munmap(p, count * CARDEA_PAGE_SIZE);
}

static unsigned host_cpus(void *ctx)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	(void)ctx;
	return n < 1 ? 1 : n > 64 ? 64 : (unsigned)n;
}

struct run {
	const struct cardea_job *job;
	unsigned count;
	atomic_uint next;
};

static void *worker(void *arg)
{
	struct run *r = arg;
	unsigned i;

	while ((i = atomic_fetch_add(&r->next, 1)) < r->count)
		r->job->fn(r->job->arg, i);
	return NULL;
}

static void host_run(void *ctx, const struct cardea_job *job, unsigned count)
{
	struct run r = { .job = job, .count = count };
	unsigned want = host_cpus(ctx), started = 0;
	pthread_t thread[64];

	if (want > count)
		want = count;
	while (started + 1 < want && pthread_create(&thread[started], NULL, worker, &r) == 0)
		started++;
	worker(&r);
	while (started > 0)
		pthread_join(thread[--started], NULL);
}

void host_lock(const void *p, size_t len)
{
	/* Best effort: RLIMIT_MEMLOCK is often small. */
	(void)!mlock(p, len);
}

static uint64_t host_clock_us(void *ctx)
{
	struct timespec t;

	(void)ctx;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static int host_progress(void *ctx, const struct cardea_progress *p)
{
	uint64_t now = host_clock_us(ctx);

	if (!quiet && p->total != 0 && now - bar_time > 250000 && isatty(STDERR_FILENO)) {
		bar_time = now;
		bar_shown = true;
		fprintf(stderr, "\rkey slot %u: %3u %% ", p->slot, (unsigned)(100 * p->done / p->total));
	}
	if (p->done == p->total)
		clear_bar();
	return host_interrupted;
}

/* The operating system looks after the registers; we only leave nothing in them. */
static void host_vec_begin(void *ctx)
{
	(void)ctx;
}

static void host_vec_end(void *ctx)
{
	(void)ctx;
	cardea_region_wipe(host_platform.vec_state);
}

struct cardea_platform host_platform = {
	.pages = host_pages,
	.pages_free = host_pages_free,
	.cpus = host_cpus,
	.run = host_run,
	.clock_us = host_clock_us,
	.progress = host_progress,
	.log = host_log,
	.vec_begin = host_vec_begin,
	.vec_end = host_vec_end,
};

enum exit_code host_suite(struct cardea_suite *suite)
{
	enum cardea_err err = cardea_suite_init(suite, &host_platform, getenv("CARDEA_CPU"));

	/* Words in CARDEA_CPU that are not understood. */
	return err == CARDEA_ERR_UNSUPPORTED ? EXIT_USAGE : exit_code_of(err);
}

enum exit_code exit_code_of(enum cardea_err err)
{
	switch (err) {
	case CARDEA_OK:
		return EXIT_DONE;
	case CARDEA_ERR_IO:
		return EXIT_IO;
	case CARDEA_ERR_NOMEM:
		return EXIT_NOMEM;
	case CARDEA_ERR_FORMAT:
		return EXIT_DAMAGED;
	case CARDEA_ERR_UNSUPPORTED:
		return EXIT_UNSUPPORTED;
	case CARDEA_ERR_KEY:
		return EXIT_KEY;
	case CARDEA_ERR_CANCELLED:
		return EXIT_INTERRUPTED;
	case CARDEA_ERR_SELFTEST:
		break;
	}
	return EXIT_SELFTEST;
}
