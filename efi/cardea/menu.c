/* SPDX-License-Identifier: MIT */
#include "cardea/console.h"
#include "cardea/menu.h"
#include "lib/status.h"
#include "lib/text.h"

#define MAX_CHOICES 200u

enum action { ACT_UNLOCK, ACT_START, ACT_SCAN, ACT_SETUP, ACT_RESTART, ACT_POWER_OFF, ACT_LEAVE };

struct choice {
	enum action action;
	struct volume *volume;
};

struct menu {
	struct choice choice[MAX_CHOICES];
	unsigned n;
};

/* Whether another volume has the same UUID, so that only the disk tells them apart. */
static bool is_copy(const struct volume *v)
{
	for (const struct volume *o = volumes_first(); o != NULL; o = o->next)
		if (o != v && cardea_streq(o->luks.uuid, v->luks.uuid))
			return true;
	return false;
}

static void add(struct menu *m, enum action action, struct volume *v, const char *text)
{
	/* The last places are for the ways out. */
	if (m->n + (v != NULL ? 6u : 0u) >= MAX_CHOICES)
		return;
	m->choice[m->n].action = action;
	m->choice[m->n].volume = v;
	m->n++;
	efi_say("%3u  %s%s%s%s%s\n", m->n, text, v != NULL ? " " : "", v != NULL ? v->luks.uuid : "",
	        v != NULL && is_copy(v) ? " on " : "", v != NULL && is_copy(v) ? v->disk.name : "");
}

static bool setup_supported(void)
{
	EFI_GUID guid = efi_guid_global_variable;
	UINTN len = sizeof(uint64_t);
	uint64_t supported = 0;

	return !EFI_ERROR(env.rt->GetVariable((CHAR16 *)(uintptr_t)L"OsIndicationsSupported", &guid, NULL, &len,
	                                      &supported)) &&
	       (supported & EFI_OS_INDICATIONS_BOOT_TO_FW_UI) != 0;
}

static void list_volumes(void)
{
	for (const struct volume *v = volumes_first(); v != NULL; v = v->next)
		efi_say("  LUKS%u volume %s: %s%s%s%s\n", v->version, v->luks.uuid[0] != '\0' ? v->luks.uuid : v->disk.name,
		        v->state == VOLUME_OPEN ? "open" : v->state == VOLUME_LOCKED ? "locked" : "cannot be used",
		        v->luks.label[0] != '\0' ? " (" : "", v->luks.label, v->luks.label[0] != '\0' ? ")" : "");
}

static void show(struct menu *m, const struct cardea_suite *suite, const struct options *o)
{
	m->n = 0;
	efi_put("\nWhat now?\n");
	if (suite != NULL) {
		list_volumes();
		for (struct volume *v = volumes_first(); v != NULL; v = v->next) {
			if (v->state == VOLUME_LOCKED)
				add(m, ACT_UNLOCK, v, "Unlock volume");
			else if (v->state == VOLUME_OPEN && boot_find(v, o) != NULL)
				add(m, ACT_START, v, "Start the program in volume");
		}
		add(m, ACT_SCAN, NULL, "Look for volumes again");
	}
	if (setup_supported())
		add(m, ACT_SETUP, NULL, "Restart into the firmware's setup");
	add(m, ACT_RESTART, NULL, "Restart");
	add(m, ACT_POWER_OFF, NULL, "Power off");
	add(m, ACT_LEAVE, NULL, "Leave: the firmware goes on with its next boot entry");
}

/* Returns only when firmware does not do it. */
static void reset(EFI_RESET_TYPE type)
{
	volumes_end();
	secrets_end();
	env.rt->ResetSystem(type, EFI_SUCCESS, 0, NULL);
	efi_put("The firmware did not do this.\n");
	if (EFI_ERROR(secrets_init()))
		efi_put("Please switch the machine off.\n");
}

static void restart_into_setup(void)
{
	const UINT32 attributes = EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS |
	                          EFI_VARIABLE_RUNTIME_ACCESS;
	CHAR16 *name = (CHAR16 *)(uintptr_t)L"OsIndications";
	EFI_GUID guid = efi_guid_global_variable;
	UINTN len = sizeof(uint64_t);
	uint64_t value = 0;
	EFI_STATUS status;

	if (EFI_ERROR(env.rt->GetVariable(name, &guid, NULL, &len, &value)))
		value = 0;
	value |= EFI_OS_INDICATIONS_BOOT_TO_FW_UI;
	status = env.rt->SetVariable(name, &guid, attributes, sizeof(value), &value);
	if (EFI_ERROR(status))
		efi_say("The firmware does not take the request: %s.\n", efi_status_text(status));
	else
		reset(EfiResetCold);
}

static void unlock(struct volume *v, const struct cardea_suite *suite, const struct options *o)
{
	if (volume_unlock(v, suite))
		boot_start(v, o);
}

static void scan(const struct cardea_suite *suite)
{
	unsigned n = 0;

	for (struct volume *v = volumes_scan(suite); v != NULL; v = v->next, n++)
		if (v->state != VOLUME_OPEN)
			volume_show(v, suite);
	if (n == 0)
		efi_put("No LUKS volume was found on any disk of this machine.\n");
}

void menu_run(const struct cardea_suite *suite, const struct options *o)
{
	static struct menu m;

	for (;;) {
		const struct choice *c;

		volumes_reap();
		show(&m, suite, o);
		c = &m.choice[console_read_choice("Number, then Enter: ", m.n) - 1];
		volumes_reap();
		/* The choice's volume may just have been taken back. */
		if (c->volume != NULL) {
			const struct volume *v = volumes_first();

			while (v != NULL && v != c->volume)
				v = v->next;
			if (v == NULL)
				continue;
		}
		switch (c->action) {
		case ACT_UNLOCK:
			unlock(c->volume, suite, o);
			break;
		case ACT_START:
			boot_start(c->volume, o);
			break;
		case ACT_SCAN:
			scan(suite);
			break;
		case ACT_SETUP:
			restart_into_setup();
			break;
		case ACT_RESTART:
			reset(EfiResetCold);
			break;
		case ACT_POWER_OFF:
			reset(EfiResetShutdown);
			break;
		case ACT_LEAVE:
			return;
		}
	}
}
