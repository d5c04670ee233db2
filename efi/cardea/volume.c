/* SPDX-License-Identifier: MIT */
#include "cardea/console.h"
#include "cardea/platform.h"
#include "cardea/volumes.h"
#include "lib/status.h"
#include "lib/text.h"

static unsigned usable_slots(const struct cardea_luks *luks)
{
	unsigned n = 0;

	for (unsigned i = 0; i < luks->n_slots; i++)
		n += luks->slot[i].state == CARDEA_SLOT_USABLE && luks->slot[i].priority != CARDEA_SLOT_IGNORE;
	return n;
}

enum cardea_err volume_read(struct volume *v, const struct cardea_suite *suite)
{
	enum cardea_err err;

	if (v->subject[0] == '\0')
		cardea_format(v->subject, sizeof(v->subject), "LUKS%u volume", v->version);
	platform_subject(v->subject);
	err = cardea_luks_read(&v->luks, suite, &platform, &v->extent, false);
	if (v->luks.uuid[0] != '\0')
		cardea_format(v->subject, sizeof(v->subject), "Volume %s", v->luks.uuid);
	if (err == CARDEA_OK)
		err = cardea_luks_check_data(&v->luks, &platform, &v->extent);
	v->state = err == CARDEA_OK && usable_slots(&v->luks) > 0 ? VOLUME_LOCKED : VOLUME_UNUSABLE;
	platform_subject(NULL);
	return err;
}

void volume_show(struct volume *v, const struct cardea_suite *suite)
{
	const struct cardea_luks *luks = &v->luks;
	enum cardea_err err;

	efi_say("\nOn %s:\n", v->disk.name);
	efi_say("LUKS%u volume%s%s", v->version, luks->uuid[0] != '\0' ? " " : "", luks->uuid);
	if (luks->label[0] != '\0')
		efi_say(", label \"%s\"", luks->label);
	if (luks->spec_text[0] != '\0')
		efi_say(", %s, %u-bit key", luks->spec_text, luks->key_len * 8);
	efi_put("\n");
	/* The scan read it in silence; now what is to be said about it follows its name. */
	err = volume_read(v, suite);
	if (err != CARDEA_OK) {
		efi_say("%s.  Skipped.\n", efi_err_text(err));
		return;
	}
	if (v->state == VOLUME_LOCKED)
		return;
	efi_put("None of its key slots can be used:\n");
	for (unsigned i = 0; i < luks->n_slots; i++)
		if (luks->slot[i].state == CARDEA_SLOT_UNSUPPORTED || luks->slot[i].state == CARDEA_SLOT_DAMAGED)
			efi_say("  key slot %u: %s\n", i, luks->slot[i].why);
		else if (luks->slot[i].state == CARDEA_SLOT_UNBOUND)
			efi_say("  key slot %u: holds no key of this volume's data\n", i);
		else if (luks->slot[i].state == CARDEA_SLOT_USABLE)
			efi_say("  key slot %u: its priority is \"ignore\"\n", i);
	efi_put("Skipped.\n");
}

/* The volume as a disk of the firmware, with what firmware finds on it. */
static bool publish(struct volume *v)
{
	EFI_STATUS status = vdisk_publish(&v->vdisk, &v->disk, &v->open);

	if (EFI_ERROR(status)) {
		efi_say("It cannot be made a disk of the firmware: %s.\n", efi_status_text(status));
		secrets_remove(&v->secret);
		return false;
	}
	v->state = VOLUME_OPEN;
	/* No driver at all is in order: not every volume holds a file system that firmware reads. */
	env.bs->ConnectController(vdisk_handle(v->vdisk), NULL, NULL, TRUE);
	return true;
}

static enum cardea_err try(struct volume *v, const struct cardea_suite *suite, const struct passphrase *pass)
{
	uint64_t start = platform.clock_us(platform.ctx), ms;
	enum cardea_err err;
	unsigned slot = 0;

	efi_put("Unlocking ...\n");
	platform_subject(v->subject);
	platform_progress_begin();
	secrets_add(&v->secret, &v->open, sizeof(v->open));
	err = cardea_luks_unlock(&v->open, suite, &platform, &v->luks, &v->extent, &v->extent, pass->bytes, pass->len,
	                         CARDEA_ANY_SLOT, &slot);
	platform_progress_end();
	platform_subject(NULL);
	ms = (platform.clock_us(platform.ctx) - start) / 1000;
	if (err != CARDEA_OK)
		secrets_remove(&v->secret);
	else
		efi_say("Volume %s is open (key slot %u, %llu ms).\n", v->luks.uuid, slot, (unsigned long long)ms);
	return err;
}

bool volume_unlock(struct volume *v, const struct cardea_suite *suite)
{
	static struct passphrase pass;
	struct secret secret = { 0 };
	enum cardea_err err = CARDEA_ERR_KEY;
	char prompt[96];

	cardea_format(prompt, sizeof(prompt), "Passphrase for LUKS%u volume %s (Esc skips): ", v->version, v->luks.uuid);
	while (err != CARDEA_OK) {
		bool entered;

		if (disk_check(&v->disk) != DISK_PRESENT) {
			efi_say("%s: its disk is gone.\n", v->subject);
			return false;
		}
		secrets_add(&secret, &pass, sizeof(pass));
		entered = console_read_passphrase(&pass, prompt);
		err = entered ? try(v, suite, &pass) : CARDEA_ERR_CANCELLED;
		secrets_remove(&secret);
		if (!entered) {
			efi_say("Volume %s stays locked.\n", v->luks.uuid);
			return false;
		}
		if (err == CARDEA_ERR_KEY)
			efi_put("No key slot opens with this passphrase. Try again, or press Esc to skip this volume.\n");
		else if (err == CARDEA_ERR_CANCELLED)
			efi_put("Stopped. Try again, or press Esc to skip this volume.\n");
		else if (err != CARDEA_OK)
			efi_say("%s. Try again, or press Esc to skip this volume.\n", efi_err_text(err));
	}
	return publish(v);
}
