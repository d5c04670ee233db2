/* SPDX-License-Identifier: MIT */
/* Secure Boot's revocation data; the Makefile puts the version into sbat.csv and calls the result sbat-version.csv. */
	.section .sbat, "a"
	.incbin "sbat-version.csv"
	.section .note.GNU-stack, "", @progbits
