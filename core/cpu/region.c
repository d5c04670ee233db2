/* SPDX-License-Identifier: MIT */
/*
 * The instructions here read and write vector state as memory images, never as C values: the file is compiled for
 * general registers like the rest of the core.
 */
#include "cpu/region.h"

#define CR0_EM (1u << 2)
#define CR0_TS (1u << 3)
#define CR4_OSFXSR (1u << 9)
#define CR4_OSXMMEXCPT (1u << 10)
#define CR4_OSXSAVE (1u << 18)
#define FLAG_IF (1u << 9)

#define SSE_STATE (CARDEA_XCR0_X87 | CARDEA_XCR0_SSE)
#define OUR_STATE (SSE_STATE | CARDEA_XCR0_AVX | CARDEA_XCR0_AVX512)

#define MXCSR_DEFAULT 0x1f80u /* all exceptions masked, round to nearest */
#define FCW_DEFAULT 0x037fu
#define MXCSR_OFFSET 24u      /* in the FXSAVE image */
#define FCW_OFFSET 0u

static uint64_t xgetbv(void)
{
	uint32_t low, high;

	__asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

static void xsetbv(uint64_t value)
{
	__asm__ __volatile__("xsetbv" : : "a"((uint32_t)value), "d"((uint32_t)(value >> 32)), "c"(0) : "memory");
}

static uint64_t read_cr0(void)
{
	uint64_t v;

	__asm__ __volatile__("mov %%cr0, %0" : "=r"(v));
	return v;
}

static void write_cr0(uint64_t v)
{
	__asm__ __volatile__("mov %0, %%cr0" : : "r"(v) : "memory");
}

static uint64_t read_cr4(void)
{
	uint64_t v;

	__asm__ __volatile__("mov %%cr4, %0" : "=r"(v));
	return v;
}

static void write_cr4(uint64_t v)
{
	__asm__ __volatile__("mov %0, %%cr4" : : "r"(v) : "memory");
}

static void xsave(uint8_t *area, uint32_t mask)
{
	__asm__ __volatile__("xsave64 (%0)" : : "r"(area), "a"(mask), "d"(0) : "memory");
}

static void xrstor(const uint8_t *area, uint32_t mask)
{
	__asm__ __volatile__("xrstor64 (%0)" : : "r"(area), "a"(mask), "d"(0) : "memory");
}

/* An image in which everything is in its initial state: XSTATE_BV is 0; MXCSR is loaded all the same. */
static void make_clean(uint8_t *area)
{
	memset(area, 0, CARDEA_REGION_AREA);
	memcpy(area + FCW_OFFSET, &(uint16_t){ FCW_DEFAULT }, 2);
	cardea_put_le32(area + MXCSR_OFFSET, MXCSR_DEFAULT);
}

static void load_defaults(void)
{
	const uint32_t mxcsr = MXCSR_DEFAULT;

	__asm__ __volatile__("fninit; ldmxcsr %0; cld" : : "m"(mxcsr) : "memory");
}

static bool has_xsave(void)
{
	uint32_t r[4];

	cardea_cpuid_read(0, r);
	if (r[0] < 0xd)
		return false;
	cardea_cpuid_read(1, r);
	return (r[2] & 1u << 26) != 0;
}

/* Of these XCR0 bits what belongs together: AVX-512 all or none, and not without AVX. */
static uint32_t consistent(uint32_t state)
{
	if ((state & CARDEA_XCR0_AVX) == 0 || (state & CARDEA_XCR0_AVX512) != CARDEA_XCR0_AVX512)
		state &= ~CARDEA_XCR0_AVX512;
	return state;
}

uint32_t cardea_region_init(struct cardea_region *r, uint32_t allow)
{
	uint32_t regs[4];

	memset(r, 0, sizeof(*r));
	make_clean(r->clean);
	r->want = SSE_STATE;
	r->xsave = has_xsave();
	if (r->xsave) {
		cardea_cpuid_read(0xd, regs);
		r->want = consistent((regs[0] & OUR_STATE & allow) | SSE_STATE);
	}
	r->ready = true;
	return r->want;
}

void cardea_region_begin(struct cardea_region *r)
{
	uint64_t flags;

	__asm__ __volatile__("pushfq; pop %0; cli" : "=r"(flags) : : "memory");
	/* A nested region would overwrite what the outer one saved: stop rather than lose somebody's registers. */
	if (!r->ready || r->depth != 0)
		__builtin_trap();
	r->depth = 1;
	r->flags = flags;
	/* UEFI promises both clear; a lazy owner of the registers may have set TS. */
	r->cr0 = read_cr0();
	if ((r->cr0 & (CR0_EM | CR0_TS)) != 0)
		write_cr0(r->cr0 & ~(uint64_t)(CR0_EM | CR0_TS));
	r->cr4 = read_cr4();
	write_cr4(r->cr4 | CR4_OSFXSR | CR4_OSXMMEXCPT | (r->xsave ? CR4_OSXSAVE : 0));
	r->full = false;
	if (r->xsave) {
		r->xcr0 = xgetbv();
		xsetbv(r->xcr0 | r->want);
		/* Somebody else's upper halves may be alive when AVX was on already. */
		r->full = (r->cr4 & CR4_OSXSAVE) != 0 && (r->xcr0 & CARDEA_XCR0_AVX) != 0;
	}
	if (r->full)
		xsave(r->area, (uint32_t)(r->xcr0 | r->want) & OUR_STATE);
	else
		__asm__ __volatile__("fxsave64 (%0)" : : "r"(r->area) : "memory");
	load_defaults();
}

static void zero_sse(void)
{
	__asm__ __volatile__("pxor %%xmm0, %%xmm0; pxor %%xmm1, %%xmm1; pxor %%xmm2, %%xmm2; pxor %%xmm3, %%xmm3;"
	                     "pxor %%xmm4, %%xmm4; pxor %%xmm5, %%xmm5; pxor %%xmm6, %%xmm6; pxor %%xmm7, %%xmm7;"
	                     "pxor %%xmm8, %%xmm8; pxor %%xmm9, %%xmm9; pxor %%xmm10, %%xmm10; pxor %%xmm11, %%xmm11;"
	                     "pxor %%xmm12, %%xmm12; pxor %%xmm13, %%xmm13; pxor %%xmm14, %%xmm14; pxor %%xmm15, %%xmm15"
	                     : : : "memory");
}

void cardea_region_end(struct cardea_region *r)
{
	if (r->depth != 1)
		__builtin_trap();
	/* Registers first to zero, all of them, whatever the restore below leaves alone. */
	if (r->xsave)
		xrstor(r->clean, (uint32_t)(r->xcr0 | r->want) & OUR_STATE);
	else
		zero_sse();
	if (r->full)
		xrstor(r->area, (uint32_t)(r->xcr0 | r->want) & OUR_STATE);
	else
		__asm__ __volatile__("fxrstor64 (%0)" : : "r"(r->area) : "memory");
	if (r->xsave)
		xsetbv(r->xcr0);
	write_cr4(r->cr4);
	if ((r->cr0 & (CR0_EM | CR0_TS)) != 0)
		write_cr0(r->cr0);
	cardea_wipe(r->area, sizeof(r->area));
	r->depth = 0;
	if ((r->flags & FLAG_IF) != 0)
		__asm__ __volatile__("sti" : : : "memory");
}

uint32_t cardea_region_hosted(void)
{
	uint32_t r[4];

	cardea_cpuid_read(1, r);
	if ((r[2] & 1u << 27) == 0) /* OSXSAVE */
		return SSE_STATE;
	return consistent((uint32_t)xgetbv() & OUR_STATE);
}

void cardea_region_wipe(uint32_t state)
{
	_Alignas(64) uint8_t clean[CARDEA_REGION_AREA];
	uint32_t mxcsr;

	if ((state & ~SSE_STATE) == 0) {
		zero_sse();
		return;
	}
	make_clean(clean);
	__asm__ __volatile__("stmxcsr %0" : "=m"(mxcsr));
	cardea_put_le32(clean + MXCSR_OFFSET, mxcsr);
	/* Not x87: kernels do not use it, and its control word is the program's. */
	xrstor(clean, state & ~CARDEA_XCR0_X87);
}
