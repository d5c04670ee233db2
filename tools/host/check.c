/* SPDX-License-Identifier: MIT */
/* Whether Cardea can open a volume at boot: which slots, about how long, how much memory.  Needs no secret. */
#include "host.h"

#define SAMPLE_US 100000

static double seconds_since(uint64_t start)
{
	return (double)(host_platform.clock_us(NULL) - start) / 1e6;
}

/* Seconds for one iteration of PBKDF2 with this slot's hash and key length, measured for a tenth of a second. */
static double pbkdf2_iteration(const struct session *s, enum cardea_hash_id hash, uint32_t key_len)
{
	static const uint8_t sample[16];
	uint8_t out[CARDEA_MAX_KEY];
	uint32_t iterations = 1000;

	for (;;) {
		uint64_t start = host_platform.clock_us(NULL);
		double took;

		if (cardea_pbkdf2(&s->suite, &host_platform, hash, out, key_len, sample, sizeof(sample), sample,
		                  sizeof(sample), iterations, 0) != CARDEA_OK)
			return 0;
		took = seconds_since(start);
		if (took * 1e6 >= SAMPLE_US || iterations > UINT32_MAX / 4)
			return took / iterations;
		iterations *= 4;
	}
}

/*
 * Seconds for the slot's Argon2, from one pass over at most 64 MiB.  Larger memory misses caches more often, so
 * this is "about".
 */
static double argon2_time(const struct session *s, const struct cardea_luks_slot *slot)
{
	static const uint8_t sample[16];
	struct cardea_argon2 a = {
		.type = slot->kdf == CARDEA_KDF_ARGON2I ? CARDEA_ARGON2I : CARDEA_ARGON2ID,
		.passes = 1,
		.memory_kib = slot->memory_kib < 65536 ? slot->memory_kib : 65536,
		.lanes = slot->lanes,
	};
	uint64_t start = host_platform.clock_us(NULL);
	uint8_t out[32];

	if (cardea_argon2(&s->suite, &host_platform, &a, out, sizeof(out), sample, sizeof(sample), sample, sizeof(sample),
	                  0) != CARDEA_OK)
		return 0;
	return seconds_since(start) * slot->passes * ((double)slot->memory_kib / a.memory_kib);
}

static double slot_time(const struct session *s, const struct cardea_luks_slot *slot)
{
	const struct cardea_luks_digest *d = NULL;
	double t;

	for (unsigned i = 0; i < CARDEA_LUKS_MAX_DIGESTS; i++)
		if (s->luks.digest[i].present && (slot->digests >> i & 1) != 0)
			d = &s->luks.digest[i];
	if (slot->kdf == CARDEA_KDF_PBKDF2)
		t = pbkdf2_iteration(s, slot->kdf_hash, slot->area_key_len) * slot->iterations;
	else
		t = argon2_time(s, slot);
	if (d != NULL)
		t += pbkdf2_iteration(s, d->hash, d->digest_len) * d->iterations;
	return t;
}

enum exit_code cmd_check(const struct options *o)
{
	struct session s;
	enum exit_code code = session_read(&s, o, false);
	unsigned usable = 0, ignored = 0;
	char kdf[128];

	if (code == EXIT_DONE)
		code = exit_code_of(cardea_luks_check_data(&s.luks, &host_platform, &s.data.where));
	for (unsigned i = 0; code == EXIT_DONE && i < s.luks.n_slots; i++) {
		const struct cardea_luks_slot *slot = &s.luks.slot[i];

		if (slot->state == CARDEA_SLOT_EMPTY)
			continue;
		if (slot->state != CARDEA_SLOT_USABLE) {
			printf("key slot %u: cannot be used: %s\n", i, slot->why);
			continue;
		}
		slot_kdf_text(kdf, sizeof(kdf), slot);
		printf("key slot %u: %s: about %.1f s on this machine", i, kdf, slot_time(&s, slot));
		if (slot->kdf != CARDEA_KDF_PBKDF2)
			printf(", needs %u MiB of free memory", (slot->memory_kib + 1023) / 1024);
		printf("%s\n", slot->priority == CARDEA_SLOT_IGNORE ? ", opens only when it is named (priority ignore)" : "");
		usable++;
		ignored += slot->priority == CARDEA_SLOT_IGNORE;
	}
	if (code == EXIT_DONE && usable == ignored) {
		complain("%s: %s", s.data.subject, usable == 0 ? "no key slot can be used" :
		                                                 "all usable key slots have priority \"ignore\"");
		code = usable == 0 ? EXIT_UNSUPPORTED : EXIT_KEY;
	}
	if (code == EXIT_DONE)
		printf("%s: LUKS%u %s (%s): Cardea can open this at boot\n", s.data.subject, s.luks.version, s.luks.uuid,
		       s.luks.spec_text);
	else if (code != EXIT_USAGE && code != EXIT_IO)
		printf("%s: Cardea cannot open this at boot\n", s.data.subject[0] != '\0' ? s.data.subject : o->image);
	session_close(&s);
	return code;
}
