/* SPDX-License-Identifier: MIT */
/*
 * Vector regions for platforms that own the CPU (firmware applications, boot loaders): what their vec_begin and
 * vec_end do.  Between the two, vector registers can be used; before and after, everything is as it was found, and
 * no key or data is left in a register.
 *
 * Why all of it (measured on EDK2 and QEMU, docs/architecture.md): the UEFI specification fixes only MXCSR, the x87
 * control word and CR0; firmware saves 512 bytes with FXSAVE on an interrupt and then runs callbacks with interrupts
 * on, which may use any register; firmware modules that are loaded while OSXSAVE is on may believe that it stays
 * on; and functions that firmware calls must keep xmm6 to xmm15.
 *
 * Runs at CPL 0.  Interrupts are off inside, so that regions are to last a millisecond at most, and no firmware
 * function may be called.  One struct per CPU; regions do not nest.
 */
#ifndef CARDEA_REGION_H
#define CARDEA_REGION_H

#include "cpu/features.h"

/* XSAVE's standard format with the AVX-512 state ends at 2688 bytes; what lies between is reserved (SDM 1, 13.4). */
#define CARDEA_REGION_AREA 2816u

struct cardea_region {
	_Alignas(64) uint8_t area[CARDEA_REGION_AREA]; /* the state that was found     */
	_Alignas(64) uint8_t clean[CARDEA_REGION_AREA]; /* an image of initial state     */
	bool ready, xsave;
	uint32_t want;        /* XCR0 bits to be on inside                                        */
	/* While inside. */
	uint32_t depth;
	bool full;            /* area was filled by XSAVE, not FXSAVE                             */
	uint64_t flags, cr0, cr4, xcr0;
};

/*
 * Looks at the CPU that it runs on.  `allow`: XCR0 bits that may be raised.  Returns the bits that can be in use
 * inside: vec_state.
 */
uint32_t cardea_region_init(struct cardea_region *r, uint32_t allow);

/* Opens and closes.  Both must run on the CPU that initialised r. */
void cardea_region_begin(struct cardea_region *r);
void cardea_region_end(struct cardea_region *r);

/*
 * For hosted platforms, where the operating system looks after the state: zeroes all vector and mask registers that
 * `state` (XCR0 bits, as XGETBV says) covers; MXCSR and the x87 control word stay.  Any privilege level.
 */
void cardea_region_wipe(uint32_t state);

/* XCR0 bits of ours that are on now, for hosted platforms; SSE alone when the CPU has no XSAVE. */
uint32_t cardea_region_hosted(void);

#endif
