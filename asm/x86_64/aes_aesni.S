/* SPDX-License-Identifier: MIT */
/*
 * AES with the AES-NI instructions: eight blocks in flight, which hides the latency of a round.
 *
 * The expanded key is struct cardea_aes_key: round keys in FIPS 197's order, then the number of rounds.  aesdec wants
 * the equivalent inverse cipher's keys (FIPS 197, section 5.3.5), which are made on the stack for each call, and wiped.
 */
#include "macros.h"

.set KEY, %rdi
.set OUT, %rsi
.set IN, %rdx
.set BLOCKS, %rcx

.set ROUNDS_OFFSET, 240 /* asserted in core/crypto/aes_aesni.c */

/* %eax: number of rounds, kept.  %r8: first round key.  %r9, %r10d: running. */

/* One operation on the blocks in xmm0 to xmm\last, with the key in xmm8. */
.macro each op, last
	\op %xmm8, %xmm0
.if \last
	\op %xmm8, %xmm1
	\op %xmm8, %xmm2
	\op %xmm8, %xmm3
	\op %xmm8, %xmm4
	\op %xmm8, %xmm5
	\op %xmm8, %xmm6
	\op %xmm8, %xmm7
.endif
.endm

/* All rounds on 1 block (last = 0) or 8 (last = 7), with the schedule at %r8. */
.macro rounds op, op_last, last
	movdqu (%r8), %xmm8
	each pxor, \last
	lea 16(%r8), %r9
	lea -1(%rax), %r10d
.Lround\@:
	movdqu (%r9), %xmm8
	each \op, \last
	add $16, %r9
	dec %r10d
	jnz .Lround\@
	movdqu (%r9), %xmm8
	each \op_last, \last
.endm

.macro blocks op, op_last
.Leight\@:
	cmp $8, BLOCKS
	jb .Lsingle\@
	movdqu (IN), %xmm0
	movdqu 16(IN), %xmm1
	movdqu 32(IN), %xmm2
	movdqu 48(IN), %xmm3
	movdqu 64(IN), %xmm4
	movdqu 80(IN), %xmm5
	movdqu 96(IN), %xmm6
	movdqu 112(IN), %xmm7
	rounds \op, \op_last, 7
	movdqu %xmm0, (OUT)
	movdqu %xmm1, 16(OUT)
	movdqu %xmm2, 32(OUT)
	movdqu %xmm3, 48(OUT)
	movdqu %xmm4, 64(OUT)
	movdqu %xmm5, 80(OUT)
	movdqu %xmm6, 96(OUT)
	movdqu %xmm7, 112(OUT)
	add $128, IN
	add $128, OUT
	sub $8, BLOCKS
	jmp .Leight\@
.Lsingle\@:
	test BLOCKS, BLOCKS
	jz .Ldone\@
	movdqu (IN), %xmm0
	rounds \op, \op_last, 0
	movdqu %xmm0, (OUT)
	add $16, IN
	add $16, OUT
	dec BLOCKS
	jmp .Lsingle\@
.Ldone\@:
.endm

/*
 * void cardea_aes_encrypt_aesni(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks)
 *
 * In:       rdi key, rsi out, rdx in, rcx blocks
 * Clobbers: rax rcx rdx rsi r8 r9 r10, xmm0-xmm8, flags
 * Stack:    none
 * Needs:    aes, in a vector section
 * Memory:   any alignment; in == out or no overlap
 * Time:     depends on blocks and the size of the key only
 */
function cardea_aes_encrypt_aesni
	mov ROUNDS_OFFSET(KEY), %eax
	mov KEY, %r8
	blocks aesenc, aesenclast
	ret
end_function cardea_aes_encrypt_aesni

/*
 * void cardea_aes_decrypt_aesni(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks)
 *
 * In, Clobbers, Needs, Memory, Time: as above
 * Stack:    240 bytes and up to 8 for alignment: the inverse schedule, wiped
 */
function cardea_aes_decrypt_aesni
	push %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub $240, %rsp
	and $-16, %rsp
	mov ROUNDS_OFFSET(KEY), %eax
	/* Round keys from the last to the first, all but these two through InvMixColumns. */
	mov %eax, %r9d
	shl $4, %r9d
	add KEY, %r9
	mov %rsp, %r8
	movdqu (%r9), %xmm0
	movdqa %xmm0, (%r8)
.Lschedule:
	add $16, %r8
	sub $16, %r9
	cmp KEY, %r9
	je .Llast
	movdqu (%r9), %xmm0
	aesimc %xmm0, %xmm0
	movdqa %xmm0, (%r8)
	jmp .Lschedule
.Llast:
	movdqu (KEY), %xmm0
	movdqa %xmm0, (%r8)
	mov %rsp, %r8
	blocks aesdec, aesdeclast
	pxor %xmm0, %xmm0
	mov $15, %eax
.Lwipe:
	movdqa %xmm0, (%r8)
	add $16, %r8
	dec %eax
	jnz .Lwipe
	mov %rbp, %rsp
	.cfi_def_cfa_register %rsp
	pop %rbp
	.cfi_adjust_cfa_offset -8
	ret
end_function cardea_aes_decrypt_aesni
