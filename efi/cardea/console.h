/* SPDX-License-Identifier: MIT */
/*
 * Keys and what is typed.  Keys come from one protocol only, SimpleTextInputEx where it works and else
 * SimpleTextInput: firmware that emulates one by the other loses keys or hangs when both are read.
 */
#ifndef CARDEA_EFI_CONSOLE_H
#define CARDEA_EFI_CONSOLE_H

#include "lib/env.h"

#define CONSOLE_MAX_PASSPHRASE 512u /* bytes of UTF-8 */

enum key_kind {
	KEY_NONE,      /* nothing that we have a use for */
	KEY_CHAR,      /* unit holds a UTF-16 unit       */
	KEY_ENTER,
	KEY_ESC,
	KEY_BACKSPACE,
	KEY_CLEAR,     /* Ctrl+U                         */
};

struct key {
	enum key_kind kind;
	uint16_t unit;
};

struct passphrase {
	size_t len;
	uint8_t bytes[CONSOLE_MAX_PASSPHRASE];
};
CARDEA_WIPE_OF(passphrase, struct passphrase);

/* Decides where keys are read from. */
void console_init(void);

/* Sleeps until a key is pressed. */
void console_wait_key(struct key *out);

/* False when none is waiting. */
bool console_poll_key(struct key *out);

/*
 * Asks for a passphrase, shown as '*'.  False when Esc was pressed; *out is then wiped.  An empty passphrase is
 * one too: there are volumes with such.
 */
bool console_read_passphrase(struct passphrase *out, const char *prompt);

/* A number from 1 to max, typed and ended by Enter. */
unsigned console_read_choice(const char *prompt, unsigned max);

#endif
