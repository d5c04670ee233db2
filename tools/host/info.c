/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "host.h"

static const char *const kdf_names[] = {
	[CARDEA_KDF_PBKDF2] = "pbkdf2", [CARDEA_KDF_ARGON2I] = "argon2i", [CARDEA_KDF_ARGON2ID] = "argon2id",
};
static const char *const priority_names[] = {
	[CARDEA_SLOT_IGNORE] = "ignore", [CARDEA_SLOT_NORMAL] = "normal", [CARDEA_SLOT_PREFER] = "prefer",
};
static const char *const state_names[] = {
	[CARDEA_SLOT_EMPTY] = "empty",         [CARDEA_SLOT_USABLE] = "usable",
	[CARDEA_SLOT_UNBOUND] = "unbound",     [CARDEA_SLOT_UNSUPPORTED] = "unsupported",
	[CARDEA_SLOT_DAMAGED] = "damaged",
};

void slot_kdf_text(char *out, size_t cap, const struct cardea_luks_slot *s)
{
	if (s->kdf == CARDEA_KDF_PBKDF2)
		snprintf(out, cap, "pbkdf2-%s, %u iterations", cardea_hash_name(s->kdf_hash), s->iterations);
	else
		snprintf(out, cap, "%s, %u pass%s, %u KiB, %u lane%s", kdf_names[s->kdf], s->passes,
		         s->passes == 1 ? "" : "es", s->memory_kib, s->lanes, s->lanes == 1 ? "" : "s");
}

/* Fields of a damaged slot may be missing; then only its state is worth showing. */
static bool slot_known(const struct cardea_luks_slot *s)
{
	return s->state == CARDEA_SLOT_USABLE || s->state == CARDEA_SLOT_UNBOUND;
}

static uint64_t payload_len(const struct cardea_luks *l, const struct cardea_extent *data)
{
	if (l->data_len != 0)
		return l->data_len;
	return l->data_offset < data->len ? data->len - l->data_offset : 0;
}

static void print_text(const struct container *c, const struct cardea_luks *l, enum exit_code code, bool last)
{
	char kdf[128];

	printf("%s: ", c->subject);
	if (l->version == 0) {
		printf("no LUKS volume\n");
		return;
	}
	printf("LUKS%u\n", l->version);
	printf("  UUID:        %s\n", l->uuid);
	if (l->label[0] != '\0')
		printf("  Label:       %s\n", l->label);
	if (l->subsystem[0] != '\0')
		printf("  Subsystem:   %s\n", l->subsystem);
	if (c->partuuid[0] != '\0')
		printf("  PARTUUID:    %s\n", c->partuuid);
	if (l->spec_text[0] != '\0')
		printf("  Cipher:      %s, %u-bit key\n", l->spec_text, l->key_len * 8);
	if (code == EXIT_DONE) {
		printf("  Data:        at byte %llu, %llu bytes in sectors of %u\n", (unsigned long long)l->data_offset,
		       (unsigned long long)payload_len(l, &c->where), l->sector_len);
		if (l->version == 2)
			printf("  Header:      %s, sequence id %llu, %llu bytes\n", l->secondary ? "second" : "first",
			       (unsigned long long)l->seqid, (unsigned long long)l->header_len);
	} else {
		printf("  Can be opened: no (%s)\n", code == EXIT_UNSUPPORTED ? "not supported, see the message" :
		                                                               "damaged, see the message");
	}
	for (unsigned i = 0; code == EXIT_DONE && i < l->n_slots; i++) {
		const struct cardea_luks_slot *s = &l->slot[i];

		if (s->state == CARDEA_SLOT_EMPTY)
			continue;
		slot_kdf_text(kdf, sizeof(kdf), s);
		printf("  Key slot %-2u  %s%s%s%s\n", i, slot_known(s) ? kdf : state_names[s->state],
		       s->priority != CARDEA_SLOT_NORMAL ? ", priority " : "",
		       s->priority != CARDEA_SLOT_NORMAL ? priority_names[s->priority] : "",
		       s->state == CARDEA_SLOT_UNBOUND ? ", unbound" : "");
		if (s->why[0] != '\0')
			printf("               %s\n", s->why);
	}
	if (!last)
		putchar('\n');
}

static void json_string(const char *s)
{
	putchar('"');
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		if ((unsigned char)*s < 0x20)
			printf("\\u%04x", (unsigned)(unsigned char)*s);
		else
			putchar(*s);
	}
	putchar('"');
}

static void json_field(const char *name, const char *value)
{
	printf(", \"%s\": ", name);
	json_string(value);
}

static void print_json(const struct container *c, const struct cardea_luks *l, enum exit_code code)
{
	bool first = true;

	printf("    {\"version\": %u, \"offset\": %llu, \"length\": %llu, \"exit_code\": %d", l->version,
	       (unsigned long long)c->where.start, (unsigned long long)c->where.len, code);
	if (c->partition != 0)
		printf(", \"partition\": %u", c->partition);
	if (c->partuuid[0] != '\0')
		json_field("partuuid", c->partuuid);
	if (l->version != 0) {
		json_field("uuid", l->uuid);
		json_field("label", l->label);
		json_field("subsystem", l->subsystem);
		json_field("cipher", l->spec_text);
		printf(", \"key_bits\": %u", l->key_len * 8);
	}
	if (code == EXIT_DONE) {
		printf(", \"sector_size\": %u, \"data_offset\": %llu, \"data_length\": %llu, \"iv_offset\": %llu",
		       l->sector_len, (unsigned long long)l->data_offset,
		       (unsigned long long)payload_len(l, &c->where), (unsigned long long)l->iv_offset);
		printf(",\n     \"keyslots\": [");
		for (unsigned i = 0; i < l->n_slots; i++) {
			const struct cardea_luks_slot *s = &l->slot[i];

			if (s->state == CARDEA_SLOT_EMPTY)
				continue;
			printf("%s\n      {\"slot\": %u", first ? "" : ",", i);
			json_field("state", state_names[s->state]);
			json_field("priority", priority_names[s->priority]);
			if (s->why[0] != '\0')
				json_field("why", s->why);
			if (slot_known(s)) {
				json_field("kdf", kdf_names[s->kdf]);
				if (s->kdf == CARDEA_KDF_PBKDF2) {
					json_field("hash", cardea_hash_name(s->kdf_hash));
					printf(", \"iterations\": %u", s->iterations);
				} else {
					printf(", \"passes\": %u, \"memory_kib\": %u, \"lanes\": %u", s->passes,
					       s->memory_kib, s->lanes);
				}
				json_field("area_cipher", s->area_spec_text);
			}
			putchar('}');
			first = false;
		}
		printf("]");
	}
	putchar('}');
}

/* Which implementation of each primitive is used here, and why not a better one. */
static enum exit_code info_cpu(void)
{
	struct cardea_suite suite;
	enum exit_code code = host_suite(&suite);
	char text[256];

	if (code != EXIT_DONE)
		return code;
	cardea_cpu_features_text(text, sizeof(text), suite.features);
	printf("CPU features that are used: %s\n", text);
	for (unsigned i = 0; i < CARDEA_N_PRIMITIVES; i++) {
		cardea_suite_describe(&suite, i, text, sizeof(text));
		puts(text);
	}
	return EXIT_DONE;
}

enum exit_code cmd_info(const struct options *o)
{
	static struct container list[MAX_CONTAINERS];
	struct cardea_suite suite;
	struct image img, header = { .path = NULL };
	enum exit_code code, first_fault = EXIT_DONE;
	unsigned n = 1, shown = 0, good = 0;

	if (o->cpu)
		return info_cpu();
	code = host_suite(&suite);
	if (code == EXIT_DONE)
		code = image_open(&img, o->image, false);
	if (code != EXIT_DONE)
		return code;
	if (o->has_partition || o->has_volume_offset || o->uuid != NULL || o->header != NULL)
		code = image_select(&img, o, &suite, o->header == NULL, &list[0]);
	else
		code = image_containers(&img, list, MAX_CONTAINERS, &n);
	if (code == EXIT_DONE && o->header != NULL)
		code = image_open(&header, o->header, false);
	if (code != EXIT_DONE)
		goto out;
	if (o->json)
		printf("{\"volumes\": [\n");
	for (unsigned i = 0; i < n; i++) {
		struct cardea_extent where = list[i].where;
		struct cardea_luks luks;

		/* Partitions without LUKS are no fault of an image with several. */
		if (n > 1 && !list[i].has_luks)
			continue;
		if (o->header != NULL)
			where = (struct cardea_extent){ &header.disk, 0, cardea_disk_size(&header.disk) };
		host_log_subject(list[i].subject);
		code = exit_code_of(cardea_luks_read(&luks, &suite, &host_platform, &where, o->header != NULL));
		/* A volume that is cut short is still described. */
		if (code == EXIT_DONE) {
			good++;
			first_fault = first_fault != EXIT_DONE ? first_fault :
			              exit_code_of(cardea_luks_check_data(&luks, &host_platform, &list[i].where));
		} else if (first_fault == EXIT_DONE) {
			first_fault = code;
		}
		fflush(stderr);
		if (o->json) {
			if (shown != 0)
				printf(",\n");
			print_json(&list[i], &luks, code);
		} else {
			print_text(&list[i], &luks, code, i + 1 == n);
		}
		shown++;
	}
	if (o->json)
		printf("\n]}\n");
	if (shown == 0) {
		complain("%s: no LUKS volume in any of its %u partitions", o->image, n);
		first_fault = EXIT_DAMAGED;
	}
	code = first_fault;
out:
	image_close(&header);
	image_close(&img);
	return code;
}
