/* SPDX-License-Identifier: MIT */
/* What every kernel's file begins with. */
#ifndef CARDEA_ASM_MACROS_H
#define CARDEA_ASM_MACROS_H

/* An exported function: aligned, hidden (reached inside the image only), with type and size. */
.macro function name
	.globl \name
	.hidden \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
.endm

.macro end_function name
	.cfi_endproc
	.size \name, . - \name
.endm

.section .note.GNU-stack, "", @progbits
.text

#endif
