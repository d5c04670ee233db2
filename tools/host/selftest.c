/* SPDX-License-Identifier: MIT */
/* The test sets on this host, as TAP. */
#include "check.h"
#include "host.h"

static void note(struct test *t, const char *line)
{
	(void)t;
	printf("# %s\n", line);
}

enum exit_code cmd_selftest(const struct options *o)
{
	struct cardea_suite suite;
	unsigned failed = 0;
	enum exit_code code = host_suite(&suite);

	(void)o;
	if (code != EXIT_DONE)
		return code;
	/* Sets feed bad input on purpose; its messages would only confuse. */
	host_log_quiet(true);
	printf("1..%u\n", n_test_sets);
	for (unsigned i = 0; i < n_test_sets; i++) {
		struct test t = { .platform = &host_platform, .suite = &suite, .note = note };

		test_sets[i].run(&t);
		printf("%sok %u - %s (%u checks)\n", t.failures != 0 ? "not " : "", i + 1, test_sets[i].name, t.checks);
		fflush(stdout);
		failed += t.failures != 0;
	}
	if (failed != 0)
		complain("self-test: %u of %u sets failed", failed, n_test_sets);
	return failed == 0 ? EXIT_DONE : EXIT_SELFTEST;
}
