/* SPDX-License-Identifier: MIT */
/*
 * selftest.efi: the core's test sets on this machine's firmware, as TAP on all consoles.  Ends with a verdict and
 * waits for a key.  With the load option "exit", or where there is a debug console as Bochs has it (port 0xe9 reads as
 * 0xe9), it ends the virtual machine instead: through QEMU's isa-debug-exit at port 0xf4 (33: passed, 35: failed), else
 * by shutting down.
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

static uint8_t in8(uint16_t port)
{
	uint8_t value;

	__asm__ __volatile__("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
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

/*
 * Registers that firmware's code may have something in: patterns planted in all of them must survive a bulk call that
 * uses vector registers itself.  Between plant and fetch nothing but that call may touch them, which holds because all
 * C is compiled for general registers.
 */
static void plant_xmm(const uint8_t p[256])
{
	__asm__ __volatile__("movdqu (%0), %%xmm0; movdqu 16(%0), %%xmm1; movdqu 32(%0), %%xmm2; movdqu 48(%0), %%xmm3;"
	                     "movdqu 64(%0), %%xmm4; movdqu 80(%0), %%xmm5; movdqu 96(%0), %%xmm6; movdqu 112(%0), %%xmm7;"
	                     "movdqu 128(%0), %%xmm8; movdqu 144(%0), %%xmm9; movdqu 160(%0), %%xmm10;"
	                     "movdqu 176(%0), %%xmm11; movdqu 192(%0), %%xmm12; movdqu 208(%0), %%xmm13;"
	                     "movdqu 224(%0), %%xmm14; movdqu 240(%0), %%xmm15" : : "r"(p) : "memory");
}

static void fetch_xmm(uint8_t p[256])
{
	__asm__ __volatile__("movdqu %%xmm0, (%0); movdqu %%xmm1, 16(%0); movdqu %%xmm2, 32(%0); movdqu %%xmm3, 48(%0);"
	                     "movdqu %%xmm4, 64(%0); movdqu %%xmm5, 80(%0); movdqu %%xmm6, 96(%0); movdqu %%xmm7, 112(%0);"
	                     "movdqu %%xmm8, 128(%0); movdqu %%xmm9, 144(%0); movdqu %%xmm10, 160(%0);"
	                     "movdqu %%xmm11, 176(%0); movdqu %%xmm12, 192(%0); movdqu %%xmm13, 208(%0);"
	                     "movdqu %%xmm14, 224(%0); movdqu %%xmm15, 240(%0)" : : "r"(p) : "memory");
}

static void plant_ymm(const uint8_t p[512])
{
	__asm__ __volatile__("vmovdqu (%0), %%ymm0; vmovdqu 32(%0), %%ymm1; vmovdqu 64(%0), %%ymm2;"
	                     "vmovdqu 96(%0), %%ymm3; vmovdqu 128(%0), %%ymm4; vmovdqu 160(%0), %%ymm5;"
	                     "vmovdqu 192(%0), %%ymm6; vmovdqu 224(%0), %%ymm7; vmovdqu 256(%0), %%ymm8;"
	                     "vmovdqu 288(%0), %%ymm9; vmovdqu 320(%0), %%ymm10; vmovdqu 352(%0), %%ymm11;"
	                     "vmovdqu 384(%0), %%ymm12; vmovdqu 416(%0), %%ymm13; vmovdqu 448(%0), %%ymm14;"
	                     "vmovdqu 480(%0), %%ymm15" : : "r"(p) : "memory");
}

static void fetch_ymm(uint8_t p[512])
{
	__asm__ __volatile__("vmovdqu %%ymm0, (%0); vmovdqu %%ymm1, 32(%0); vmovdqu %%ymm2, 64(%0);"
	                     "vmovdqu %%ymm3, 96(%0); vmovdqu %%ymm4, 128(%0); vmovdqu %%ymm5, 160(%0);"
	                     "vmovdqu %%ymm6, 192(%0); vmovdqu %%ymm7, 224(%0); vmovdqu %%ymm8, 256(%0);"
	                     "vmovdqu %%ymm9, 288(%0); vmovdqu %%ymm10, 320(%0); vmovdqu %%ymm11, 352(%0);"
	                     "vmovdqu %%ymm12, 384(%0); vmovdqu %%ymm13, 416(%0); vmovdqu %%ymm14, 448(%0);"
	                     "vmovdqu %%ymm15, 480(%0)" : : "r"(p) : "memory");
}

struct bulk {
	struct cardea_crypt crypt;
	uint8_t data[16384], plain[16384];
};

/* Encrypts and decrypts; true when the data came back. */
static bool bulk_call(struct bulk *b)
{
	cardea_crypt_encrypt(&b->crypt, &platform, b->data, b->plain, sizeof(b->data) / 512, 7);
	if (memcmp(b->data, b->plain, sizeof(b->data)) == 0)
		return false;
	cardea_crypt_decrypt(&b->crypt, &platform, b->data, b->data, sizeof(b->data) / 512, 7);
	return memcmp(b->data, b->plain, sizeof(b->data)) == 0;
}

static void raise_avx(uint64_t *cr4, uint64_t *xcr0)
{
	uint32_t low, high;

	__asm__ __volatile__("mov %%cr4, %0" : "=r"(*cr4));
	__asm__ __volatile__("mov %0, %%cr4" : : "r"(*cr4 | CR4_OSXSAVE));
	__asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	*xcr0 = (uint64_t)high << 32 | low;
	__asm__ __volatile__("xsetbv" : : "a"(low | 7), "d"(high), "c"(0));
}

static void lower_avx(uint64_t cr4, uint64_t xcr0)
{
	__asm__ __volatile__("vzeroall");
	__asm__ __volatile__("xsetbv" : : "a"((uint32_t)xcr0), "d"((uint32_t)(xcr0 >> 32)), "c"(0));
	__asm__ __volatile__("mov %0, %%cr4" : : "r"(cr4));
}

static void check_registers(struct test *t, const struct cardea_suite *suite, const char *spec_text)
{
	static struct bulk b;
	static uint8_t want[512], got[512], key[64];
	struct cardea_spec spec;
	struct cpu_state before, after;
	uint64_t cr4, xcr0;
	EFI_TPL tpl;
	bool ok;

	test_fill(want, sizeof(want), 5);
	test_fill(key, sizeof(key), 6);
	test_fill(b.plain, sizeof(b.plain), 7);
	if (!CHECK(cardea_spec_parse(&spec, spec_text, 64, &platform, "test") == CARDEA_OK))
		return;
	cardea_crypt_init(&b.crypt, suite, &platform, &spec, 512, key, 64);
	/* No callback of the firmware's may come between: it may use the registers, too. */
	tpl = env.bs->RaiseTPL(TPL_HIGH_LEVEL);
	plant_xmm(want);
	ok = bulk_call(&b);
	fetch_xmm(got);
	env.bs->RestoreTPL(tpl);
	CHECK(ok);
	CHECK_MEM(got, want, 256);
	/* With interrupts on, as programs run: state around it as it was, and data right whatever callbacks do. */
	read_state(&before);
	for (unsigned i = 0; i < 50; i++)
		CHECK(bulk_call(&b));
	read_state(&after);
	CHECK_MEM(&after, &before, sizeof(after));
	/* Another owner: OSXSAVE and AVX are on, and the upper halves are in use. */
	if ((suite->cpu & CARDEA_CPU_AVX) == 0)
		return;
	tpl = env.bs->RaiseTPL(TPL_HIGH_LEVEL);
	raise_avx(&cr4, &xcr0);
	read_state(&before);
	plant_ymm(want);
	ok = bulk_call(&b);
	fetch_ymm(got);
	read_state(&after);
	lower_avx(cr4, xcr0);
	env.bs->RestoreTPL(tpl);
	CHECK(ok);
	CHECK_MEM(got, want, 512);
	CHECK_MEM(&after, &before, sizeof(after));
}

/* A firmware timer that fires all the time while long work runs, and uses vector registers itself. */
static volatile unsigned ticks_seen;
static bool callback_avx;

static VOID EFIAPI on_tick(EFI_EVENT event, VOID *context)
{
	static const uint8_t junk[512] = { 0xa5, 0x5a };
	uint64_t cr4, xcr0;

	(void)event;
	(void)context;
	ticks_seen++;
	if (callback_avx) {
		raise_avx(&cr4, &xcr0);
		plant_ymm(junk);
		lower_avx(cr4, xcr0);
	}
}

static void check_timer(struct test *t, const struct cardea_suite *suite)
{
	static const uint8_t salt[16] = { 1 };
	uint8_t want[64], got[64];
	EFI_EVENT event;

	CHECK(cardea_pbkdf2(suite, &platform, CARDEA_HASH_SHA256, want, 64, salt, 16, salt, 16, 20000, 0) == CARDEA_OK);
	callback_avx = (suite->cpu & CARDEA_CPU_AVX) != 0;
	ticks_seen = 0;
	if (!CHECK(!EFI_ERROR(env.bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_NOTIFY, on_tick, NULL, &event))))
		return;
	env.bs->SetTimer(event, TimerPeriodic, 10000); /* 1 ms */
	for (unsigned i = 0; i < 20; i++) {
		CHECK(cardea_pbkdf2(suite, &platform, CARDEA_HASH_SHA256, got, 64, salt, 16, salt, 16, 20000, 0) == CARDEA_OK);
		CHECK_MEM(got, want, 64);
		check_registers(t, suite, "aes-xts-plain64");
	}
	env.bs->CloseEvent(event);
	CHECK(ticks_seen > 0);
	test_note(t, "the timer fired %u times", ticks_seen);
}

static void test_registers(struct test *t)
{
	check_registers(t, t->suite, "aes-xts-plain64");
	check_registers(t, t->suite, "twofish-xts-plain64");
	check_timer(t, t->suite);
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

static bool run_set(const struct cardea_suite *suite, const struct test_set *set, unsigned number)
{
	struct test t = { .platform = &platform, .suite = suite, .note = note };
	uint64_t start = platform.clock_us(NULL);
	struct cpu_state before, after;

	read_state(&before);
	set->run(&t);
	read_state(&after);
	/* A set must leave the processor as it found it. */
	test_check_mem(&t, &after, &before, sizeof(after), __FILE__, __LINE__, "CR0, CR4, XCR0, MXCSR, FCW, IF are kept");
	efi_say("%sok %u - %s (%u checks, %llu ms)\n", t.failures != 0 ? "not " : "", number, set->name, t.checks,
	        (unsigned long long)((platform.clock_us(NULL) - start) / 1000));
	return t.failures == 0;
}

static unsigned run_sets(const struct cardea_suite *suite)
{
	const struct test_set registers = { "registers", test_registers };
	unsigned failed = 0;

	efi_say("1..%u\n", n_test_sets + 1);
	failed += !run_set(suite, &registers, 1);
	for (unsigned i = 0; i < n_test_sets; i++)
		failed += !run_set(suite, &test_sets[i], i + 2);
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
	exit_wanted = has_option(L"exit") || in8(0xe9) == 0xe9;
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
