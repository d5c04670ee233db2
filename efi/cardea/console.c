/* SPDX-License-Identifier: MIT */
#include "cardea/console.h"
#include "lib/text.h"

#define SCAN_DELETE_KEY 0x08
#define SCAN_ESC_KEY 0x17

static EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL *ex; /* NULL: ConIn is used */

void console_init(void)
{
	SIMPLE_TEXT_OUTPUT_INTERFACE *out = env.st->ConOut;

	ex = efi_protocol(env.st->ConsoleInHandle, &efi_guid_text_input_ex);
	/* Firmware that fakes the protocol has no event behind it. */
	if (ex != NULL && env.bs->CheckEvent(ex->WaitForKeyEx) == EFI_INVALID_PARAMETER)
		ex = NULL;
	if (out != NULL) {
		out->ClearScreen(out);
		out->EnableCursor(out, TRUE);
	}
}

static void classify(struct key *out, uint16_t scan, uint16_t unit, bool ctrl)
{
	out->kind = KEY_NONE;
	out->unit = 0;
	if (scan == SCAN_ESC_KEY || unit == 0x1b) {
		out->kind = KEY_ESC;
	} else if (unit == '\r' || unit == '\n') {
		out->kind = KEY_ENTER;
	} else if (unit == '\b' || unit == 0x7f || scan == SCAN_DELETE_KEY) {
		/* Firmware takes one of the two codes that terminals send for Backspace for the Delete key. */
		out->kind = KEY_BACKSPACE;
	} else if (unit == 0x15 || (ctrl && (unit == 'u' || unit == 'U'))) {
		/* Keyboards report the letter and the modifier, terminals the control character. */
		out->kind = KEY_CLEAR;
	} else if (unit >= ' ' && !ctrl) {
		out->kind = KEY_CHAR;
		out->unit = unit;
	}
}

bool console_poll_key(struct key *out)
{
	if (ex != NULL) {
		EFI_KEY_DATA data = { .Key = { 0, 0 } };
		uint32_t shift;

		if (EFI_ERROR(ex->ReadKeyStrokeEx(ex, &data)))
			return false;
		shift = data.KeyState.KeyShiftState;
		/* Ctrl with AltGr is how some firmware reports AltGr: then the character counts. */
		classify(out, data.Key.ScanCode, data.Key.UnicodeChar,
		         (shift & EFI_SHIFT_STATE_VALID) != 0 &&
		         (shift & (EFI_LEFT_CONTROL_PRESSED | EFI_RIGHT_CONTROL_PRESSED)) != 0 &&
		         (shift & (EFI_LEFT_ALT_PRESSED | EFI_RIGHT_ALT_PRESSED)) == 0);
		cardea_wipe(&data, sizeof(data));
		return true;
	}
	if (env.st->ConIn != NULL) {
		EFI_INPUT_KEY key = { 0, 0 };

		if (EFI_ERROR(env.st->ConIn->ReadKeyStroke(env.st->ConIn, &key)))
			return false;
		classify(out, key.ScanCode, key.UnicodeChar, false);
		cardea_wipe(&key, sizeof(key));
		return true;
	}
	return false;
}

void console_wait_key(struct key *out)
{
	while (!console_poll_key(out)) {
		EFI_EVENT event = ex != NULL ? ex->WaitForKeyEx : env.st->ConIn != NULL ? env.st->ConIn->WaitForKey : NULL;
		UINTN index;

		/* Waiting by the event lets firmware put the CPU to sleep. */
		if (event == NULL || EFI_ERROR(env.bs->WaitForEvent(1, &event, &index)))
			env.bs->Stall(20000);
	}
}

/* ---- passphrase ------------------------------------------------------------------------------------- */

/* A field of '*' from the column on where it began, over as many lines as it takes. */
struct field {
	size_t start, columns, count;
};

static void field_begin(struct field *f, const char *prompt)
{
	efi_put(prompt);
	f->columns = efi_columns();
	f->start = efi_column();
	f->count = 0;
	/* Little room after a long prompt: begin below it. */
	if (f->start + 16 > f->columns) {
		efi_put("\n");
		f->start = 0;
	}
}

/* The last column stays free: consoles disagree on when a full line wraps. */
static bool at_line_start(const struct field *f)
{
	size_t first = f->columns - 1 - f->start, rest = f->columns - 1;

	return f->count >= first && (f->count - first) % rest == 0;
}

static void field_add(struct field *f)
{
	if (at_line_start(f))
		efi_put("\n");
	efi_put("*");
	f->count++;
}

static void field_remove(struct field *f)
{
	SIMPLE_TEXT_OUTPUT_INTERFACE *out = env.st->ConOut;

	efi_put("\b \b");
	f->count--;
	if (at_line_start(f) && out != NULL && out->Mode != NULL && out->Mode->CursorRow > 0)
		out->SetCursorPosition(out, f->columns - 1, (UINTN)out->Mode->CursorRow - 1);
}

/* Bytes of the last whole character. */
static size_t last_len(const struct passphrase *p)
{
	size_t n = 1;

	while (n < p->len && (p->bytes[p->len - n] & 0xc0) == 0x80)
		n++;
	return n;
}

static void remove_last(struct passphrase *p, struct field *f)
{
	size_t n = last_len(p);

	p->len -= n;
	cardea_wipe(p->bytes + p->len, n);
	field_remove(f);
}

/* Appends a key's unit; a pair of surrogates is one character.  False when there is no room. */
static bool append(struct passphrase *p, struct field *f, uint16_t unit, uint16_t *high)
{
	struct cardea_bytes64 utf8 CARDEA_SECRET(bytes64);
	uint32_t code = unit;
	size_t n;

	if (unit >= 0xd800 && unit < 0xdc00) {
		*high = unit;
		return true;
	}
	if (unit >= 0xdc00 && unit < 0xe000) {
		if (*high == 0)
			return true;
		code = 0x10000 + ((*high & 0x3ffu) << 10) + (unit & 0x3ffu);
	}
	*high = 0;
	n = efi_utf8_encode((char *)utf8.b, code);
	if (n > sizeof(p->bytes) - p->len)
		return false;
	memcpy(p->bytes + p->len, utf8.b, n);
	p->len += n;
	field_add(f);
	return true;
}

/* Says that no more fits, and draws the field anew. */
static void complain_full(struct field *f, const char *prompt)
{
	size_t count = f->count;

	efi_say("\nA passphrase is at most %u bytes long.  Press Enter, Backspace or Ctrl+U.\n", CONSOLE_MAX_PASSPHRASE);
	field_begin(f, prompt);
	while (f->count < count)
		field_add(f);
}

bool console_read_passphrase(struct passphrase *out, const char *prompt)
{
	struct field field;
	uint16_t high = 0;
	bool complained = false;
	struct key key;

	cardea_wipe(out, sizeof(*out));
	field_begin(&field, prompt);
	for (;;) {
		console_wait_key(&key);
		switch (key.kind) {
		case KEY_CHAR:
			if (!append(out, &field, key.unit, &high) && !complained) {
				complained = true;
				complain_full(&field, prompt);
			}
			break;
		case KEY_BACKSPACE:
			if (out->len > 0)
				remove_last(out, &field);
			break;
		case KEY_CLEAR:
			while (out->len > 0)
				remove_last(out, &field);
			break;
		case KEY_ENTER:
		case KEY_ESC:
			efi_put("\n");
			cardea_wipe(&high, sizeof(high));
			if (key.kind == KEY_ENTER)
				return true;
			cardea_wipe(out, sizeof(*out));
			return false;
		case KEY_NONE:
			break;
		}
		cardea_wipe(&key, sizeof(key));
	}
}

/* ---- choice ------------------------------------------------------------------------------------------- */

unsigned console_read_choice(const char *prompt, unsigned max)
{
	for (;;) {
		unsigned value = 0, digits = 0;
		struct key key = { KEY_NONE, 0 };

		efi_put(prompt);
		while (key.kind != KEY_ENTER) {
			console_wait_key(&key);
			if (key.kind == KEY_CHAR && key.unit >= '0' && key.unit <= '9' && digits < 3) {
				char digit[2] = { (char)key.unit, '\0' };

				value = value * 10 + (unsigned)(key.unit - '0');
				digits++;
				efi_put(digit);
			} else if (digits > 0 && (key.kind == KEY_BACKSPACE || key.kind == KEY_CLEAR)) {
				do {
					value /= 10;
					digits--;
					efi_put("\b \b");
				} while (key.kind == KEY_CLEAR && digits > 0);
			}
		}
		efi_put("\n");
		if (value >= 1 && value <= max)
			return value;
		efi_say("Please type a number from 1 to %u and press Enter.\n", max);
	}
}
