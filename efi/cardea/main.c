/* SPDX-License-Identifier: MIT */
/*
 * cardea.efi: finds LUKS volumes, asks for their passphrases, publishes what opens as disks of the firmware and
 * starts the boot program in the first that has one.
 */
#include "cardea/boot.h"
#include "cardea/console.h"
#include "cardea/menu.h"
#include "cardea/platform.h"
#include "lib/status.h"
#include "lib/text.h"

static struct cardea_suite suite;
static struct options options;

/* Which implementations are used; with the reasons when the load options have a say in it. */
static void show_suite(void)
{
	char text[256];

	if (options.cpu[0] == '\0') {
		size_t n = cardea_format(text, sizeof(text), "Using");

		for (unsigned i = 0; i < CARDEA_N_PRIMITIVES; i++)
			n += cardea_format(text + n, sizeof(text) - n, " %s=%s", cardea_primitive_name(i),
			                   cardea_suite_chosen(&suite, i)->name);
		efi_say("%s\n", text);
		return;
	}
	cardea_cpu_features_text(text, sizeof(text), suite.features);
	efi_say("CPU features that are used: %s\n", text);
	for (unsigned i = 0; i < CARDEA_N_PRIMITIVES; i++) {
		cardea_suite_describe(&suite, i, text, sizeof(text));
		efi_say("%s\n", text);
	}
}

static bool prepare(void)
{
	EFI_STATUS status = secrets_init();
	enum cardea_err err;

	if (EFI_ERROR(status)) {
		efi_say("Keys could not be wiped later (%s), so none is made.\n", efi_status_text(status));
		return false;
	}
	err = cardea_suite_init(&suite, &platform, options.cpu);
	if (err == CARDEA_ERR_UNSUPPORTED) {
		efi_say("The load option cpu=%s is ignored.\n", options.cpu);
		err = cardea_suite_init(&suite, &platform, NULL);
	}
	if (err != CARDEA_OK) {
		efi_put("The self-tests of the ciphers failed: this machine computes wrongly, or the program is damaged.\n"
		        "No volume is touched.\n");
		return false;
	}
	show_suite();
	return true;
}

/* All volumes in turn, until one starts something. */
static void unlock_all(void)
{
	struct volume *v = volumes_scan(&suite);

	if (v == NULL)
		efi_put("\nNo LUKS volume was found on any disk of this machine.\n");
	for (; v != NULL; v = v->next) {
		volume_show(v, &suite);
		if (v->state == VOLUME_LOCKED && volume_unlock(v, &suite) && boot_start(v, &options))
			return;
	}
}

EFI_STATUS efi_program(void)
{
	bool usable;

	/* Firmware resets the machine when a boot program takes long; a person at a prompt may. */
	env.bs->SetWatchdogTimer(0, 0, 0, NULL);
	console_init();
	efi_say("Cardea %s\n", CARDEA_VERSION);
	options_read(&options);
	platform_init();
	usable = prepare();
	if (usable)
		unlock_all();
	menu_run(usable ? &suite : NULL, &options);
	volumes_end();
	secrets_end();
	return EFI_ABORTED;
}
