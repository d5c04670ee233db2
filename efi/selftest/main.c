/* SPDX-License-Identifier: MIT */
/*
 * selftest.efi: the core's test sets on this machine's firmware, as TAP on all consoles.  Ends with a verdict and
 * waits for a key; with the load option "exit" it ends the virtual machine instead, through QEMU's isa-debug-exit at
 * port 0xf4 (33: passed, 35: failed), else by shutting down.
 */
#include "check.h"
#include "lib/platform.h"
#include "lib/text.h"

static struct cardea_platform platform;

/* ---- exceptions ------------------------------------------------------------------------------------------ */

/*
 * Release builds of EDK2 stop silently on an exception.  Its CPU driver (a private protocol, absent elsewhere) lets
 * us say which one it was and where.
 */
struct cpu_arch {
	void *other[5];
	EFI_STATUS (EFIAPI *register_handler)(struct cpu_arch *this, UINTN vector,
	                                      void (EFIAPI *handler)(UINTN vector, void *context));
};

/* Offset of Rip in EFI_SYSTEM_CONTEXT_X64: error code, FXSAVE area, 6 debug and 6 control registers and so on. */
#define CONTEXT_RIP (8 + 512 + 8 * 19)

static bool exit_wanted;

static void out8(uint16_t port, uint8_t value)
{
	__asm__ __volatile__("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void end_machine(bool passed)
{
	if (!exit_wanted)
		return;
	out8(0xf4, passed ? 0x10 : 0x11);
	env.rt->ResetSystem(EfiResetShutdown, passed ? EFI_SUCCESS : EFI_ABORTED, 0, NULL);
}

static void EFIAPI on_exception(UINTN vector, void *context)
{
	uint64_t rip = cardea_le64((const uint8_t *)context + CONTEXT_RIP);

	efi_say("\nBail out! exception %u at image offset %llx\n", (unsigned)vector,
	        (unsigned long long)(rip - (uint64_t)(uintptr_t)env.loaded->ImageBase));
	end_machine(false);
	for (;;)
		__asm__ __volatile__("hlt");
}

/* NULL: takes the handlers back. */
static void hook_exceptions(void (EFIAPI *handler)(UINTN vector, void *context))
{
	static const uint8_t vectors[] = { 0, 6, 7, 13, 14, 16, 19 };
	EFI_GUID guid = { 0x26baccb1, 0x6f42, 0x11d4, { 0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 } };
	struct cpu_arch *cpu = NULL;

	if (EFI_ERROR(env.bs->LocateProtocol(&guid, NULL, (void **)&cpu)))
		return;
	for (size_t i = 0; i < sizeof(vectors); i++)
		cpu->register_handler(cpu, vectors[i], handler);
}

/* ---- processor state ------------------------------------------------------------------------------------- */

#define CR4_OSXSAVE (1u << 18)

struct cpu_state {
	uint64_t cr0, cr4, xcr0;
	uint32_t mxcsr;
	uint16_t fcw;
	bool interrupts;
};

static void read_state(struct cpu_state *s)
{
	uint64_t flags;
	uint32_t low, high;

	memset(s, 0, sizeof(*s));
	__asm__ __volatile__("mov %%cr0, %0" : "=r"(s->cr0));
	__asm__ __volatile__("mov %%cr4, %0" : "=r"(s->cr4));
	__asm__ __volatile__("pushfq; pop %0" : "=r"(flags));
	__asm__ __volatile__("fnstcw %0" : "=m"(s->fcw));
	__asm__ __volatile__("stmxcsr %0" : "=m"(s->mxcsr));
	if ((s->cr4 & CR4_OSXSAVE) != 0) {
		__asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
		s->xcr0 = (uint64_t)high << 32 | low;
	}
	s->interrupts = (flags & 1u << 9) != 0;
}

/* ---- the run --------------------------------------------------------------------------------------------- */

static void note(struct test *t, const char *line)
{
	(void)t;
	efi_say("# %s\n", line);
}

static bool has_option(const CHAR16 *word)
{
	const CHAR16 *text = env.loaded != NULL ? env.loaded->LoadOptions : NULL;
	size_t n = text != NULL ? env.loaded->LoadOptionsSize / sizeof(CHAR16) : 0, len = efi_len16(word, 32);

	for (size_t i = 0; i + len <= n; i++)
		if (memcmp(text + i, word, len * sizeof(CHAR16)) == 0)
			return true;
	return false;
}

static unsigned run_sets(const struct cardea_suite *suite)
{
	unsigned failed = 0;

	efi_say("1..%u\n", n_test_sets);
	for (unsigned i = 0; i < n_test_sets; i++) {
		struct test t = { .platform = &platform, .suite = suite, .note = note };
		uint64_t start = platform.clock_us(NULL);
		struct cpu_state before, after;

		read_state(&before);
		test_sets[i].run(&t);
		read_state(&after);
		/* A set must leave the processor as it found it. */
		test_check_mem(&t, &after, &before, sizeof(after), __FILE__, __LINE__,
		               "CR0, CR4, XCR0, MXCSR, FCW, IF are kept");
		efi_say("%sok %u - %s (%u checks, %llu ms)\n", t.failures != 0 ? "not " : "", i + 1, test_sets[i].name,
		        t.checks, (unsigned long long)((platform.clock_us(NULL) - start) / 1000));
		failed += t.failures != 0;
	}
	return failed;
}

static void wait_key(void)
{
	EFI_INPUT_KEY key;
	UINTN index;

	efi_put("Press a key.\n");
	if (env.st->ConIn == NULL)
		return;
	env.st->ConIn->Reset(env.st->ConIn, FALSE);
	while (EFI_ERROR(env.st->ConIn->ReadKeyStroke(env.st->ConIn, &key)))
		if (EFI_ERROR(env.bs->WaitForEvent(1, &env.st->ConIn->WaitForKey, &index)))
			return;
}

EFI_STATUS efi_program(void)
{
	struct cardea_suite suite;
	unsigned failed = 1;
	char text[256];

	env.bs->SetWatchdogTimer(0, 0, 0, NULL);
	exit_wanted = has_option(L"exit");
	efi_say("# Cardea %s self-test\n", CARDEA_VERSION);
	efi_platform_init(&platform);
	hook_exceptions(on_exception);
	if (cardea_suite_init(&suite, &platform, NULL) == CARDEA_OK) {
		cardea_cpu_features_text(text, sizeof(text), suite.features);
		efi_say("# features: %s\n", text);
		for (unsigned i = 0; i < CARDEA_N_PRIMITIVES; i++) {
			cardea_suite_describe(&suite, i, text, sizeof(text));
			efi_say("# using %s\n", text);
		}
		failed = run_sets(&suite);
	} else {
		efi_put("Bail out! no implementation of a primitive passes its self-test\n");
	}
	if (failed == 0)
		efi_put("\nAll tests passed: Cardea works on this machine.\n");
	else
		efi_put("\nTESTS FAILED: Cardea must not be used on this machine.  Please report the lines above.\n");
	end_machine(failed == 0);
	hook_exceptions(NULL);
	wait_key();
	return failed == 0 ? EFI_SUCCESS : EFI_ABORTED;
}
