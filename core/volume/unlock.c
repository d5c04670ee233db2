/* SPDX-License-Identifier: MIT */
#include "volume/luks_internal.h"

struct attempt {
	const struct cardea_suite *suite;
	const struct cardea_platform *p;
	const struct cardea_luks *luks;
	const struct cardea_extent *header;
	const uint8_t *pass;
	size_t pass_len;
};

/* The passphrase to the key of a slot's area. */
static enum cardea_err derive(const struct attempt *a, unsigned i, uint8_t *out)
{
	const struct cardea_luks_slot *s = &a->luks->slot[i];
	struct cardea_argon2 argon2 = {
		.type = s->kdf == CARDEA_KDF_ARGON2I ? CARDEA_ARGON2I : CARDEA_ARGON2ID,
		.passes = s->passes,
		.memory_kib = s->memory_kib,
		.lanes = s->lanes,
	};

	if (s->kdf == CARDEA_KDF_PBKDF2)
		return cardea_pbkdf2(a->suite, a->p, s->kdf_hash, out, s->area_key_len, a->pass, a->pass_len, s->salt,
		                     s->salt_len, s->iterations, i);
	return cardea_argon2(a->suite, a->p, &argon2, out, s->area_key_len, a->pass, a->pass_len, s->salt,
	                     s->salt_len, i);
}

/* The area, decrypted and merged: a candidate for the volume key. */
static enum cardea_err read_area(const struct attempt *a, unsigned i, const uint8_t *area_key, uint8_t *out)
{
	const struct cardea_luks_slot *s = &a->luks->slot[i];
	const size_t used = (size_t)s->stripes * s->key_len;
	const size_t len = (used + 511) / 512 * 512;
	struct cardea_crypt crypt CARDEA_SECRET(crypt);
	uint8_t *area;
	enum cardea_err err;

	area = cardea_pages(a->p, len, "a key slot's area");
	if (area == NULL)
		return CARDEA_ERR_NOMEM;
	err = cardea_extent_read(a->header, s->area_offset, area, len);
	if (err == CARDEA_OK) {
		cardea_crypt_init(&crypt, a->suite, a->p, &s->area_spec, 512, area_key, s->area_key_len);
		cardea_crypt_decrypt(&crypt, a->p, area, area, len / 512, 0);
		cardea_af_merge(a->suite, a->p, s->af_hash, out, area, s->key_len, s->stripes);
	} else {
		memset(&crypt, 0, sizeof(crypt));
		cardea_log(a->p, CARDEA_LOG_ERROR, "key slot %u: its area cannot be read", i);
	}
	cardea_pages_free(a->p, area, len);
	return err;
}

/* Whether the candidate is the volume key, by a digest that binds this slot to the data. */
static enum cardea_err verify(const struct attempt *a, unsigned i, const uint8_t *key)
{
	const struct cardea_luks_slot *s = &a->luks->slot[i];
	struct cardea_bytes64 got CARDEA_SECRET(bytes64);

	for (unsigned d = 0; d < CARDEA_LUKS_MAX_DIGESTS; d++) {
		const struct cardea_luks_digest *dig = &a->luks->digest[d];
		enum cardea_err err;

		if (!dig->present || !dig->of_data || (s->digests >> d & 1) == 0)
			continue;
		err = cardea_pbkdf2(a->suite, a->p, dig->hash, got.b, dig->digest_len, key, s->key_len, dig->salt,
		                    dig->salt_len, dig->iterations, i);
		if (err != CARDEA_OK)
			return err;
		if (cardea_ct_equal(got.b, dig->digest, dig->digest_len))
			return CARDEA_OK;
	}
	return CARDEA_ERR_KEY;
}

static enum cardea_err try_slot(const struct attempt *a, unsigned i, uint8_t *key)
{
	struct cardea_bytes64 area_key CARDEA_SECRET(bytes64) = { { 0 } };
	enum cardea_err err;

	err = derive(a, i, area_key.b);
	if (err == CARDEA_OK)
		err = read_area(a, i, area_key.b, key);
	if (err == CARDEA_OK)
		err = verify(a, i, key);
	if (err != CARDEA_OK)
		cardea_wipe(key, CARDEA_MAX_KEY);
	return err;
}

static enum cardea_err try_slots(const struct attempt *a, uint32_t which, uint8_t *key, unsigned *slot)
{
	unsigned tried = 0, ignored = 0, present = 0;
	bool lacked_memory = false, unreadable = false;

	for (int prio = CARDEA_SLOT_PREFER; prio >= CARDEA_SLOT_IGNORE; prio--) {
		for (unsigned i = 0; i < a->luks->n_slots; i++) {
			const struct cardea_luks_slot *s = &a->luks->slot[i];
			enum cardea_err err;

			if (s->state == CARDEA_SLOT_EMPTY || (int)s->priority != prio ||
			    (which != CARDEA_ANY_SLOT && which != i))
				continue;
			present++;
			if (which == CARDEA_ANY_SLOT && prio == CARDEA_SLOT_IGNORE && s->state == CARDEA_SLOT_USABLE) {
				cardea_log(a->p, CARDEA_LOG_INFO, "key slot %u is not tried: its priority is \"ignore\", "
				           "so it opens only when it is named", i);
				ignored++;
				continue;
			}
			if (s->state != CARDEA_SLOT_USABLE) {
				cardea_log(a->p, CARDEA_LOG_WARNING, "key slot %u is not tried: %s", i, s->why);
				continue;
			}
			err = try_slot(a, i, key);
			tried += err != CARDEA_ERR_UNSUPPORTED;
			if (err == CARDEA_OK)
				*slot = i;
			if (err == CARDEA_ERR_NOMEM)
				lacked_memory = true;
			else if (err == CARDEA_ERR_IO)
				unreadable = true;
			else if (err != CARDEA_ERR_KEY && err != CARDEA_ERR_UNSUPPORTED)
				return err;
		}
	}
	if (unreadable)
		return CARDEA_ERR_IO;
	if (lacked_memory)
		return CARDEA_ERR_NOMEM;
	if (tried != 0)
		return CARDEA_ERR_KEY;
	if (ignored != 0) {
		cardea_log(a->p, CARDEA_LOG_ERROR, "all usable key slots have priority \"ignore\": name the one to try");
		return CARDEA_ERR_KEY;
	}
	if (present == 0) {
		cardea_log(a->p, CARDEA_LOG_ERROR, which == CARDEA_ANY_SLOT ?
		           "no key slot is in use: nothing can open this volume" : "this key slot is not in use");
		return CARDEA_ERR_KEY;
	}
	if (which == CARDEA_ANY_SLOT)
		cardea_log(a->p, CARDEA_LOG_ERROR, "no key slot can be tried");
	else
		cardea_log(a->p, CARDEA_LOG_ERROR, "key slot %u cannot be tried", which);
	return CARDEA_ERR_UNSUPPORTED;
}

enum cardea_err cardea_luks_unlock(struct cardea_volume *out, const struct cardea_suite *suite,
                                   const struct cardea_platform *p, const struct cardea_luks *luks,
                                   const struct cardea_extent *header, const struct cardea_extent *data,
                                   const uint8_t *pass, size_t pass_len, uint32_t which, unsigned *slot)
{
	const struct attempt a = { suite, p, luks, header, pass, pass_len };
	struct cardea_bytes64 key CARDEA_SECRET(bytes64) = { { 0 } };
	unsigned opened = 0;
	uint64_t len;
	enum cardea_err err;

	_Static_assert(sizeof(key) == CARDEA_MAX_KEY, "the longest volume key");
	memset(out, 0, sizeof(*out));
	err = cardea_luks_check_data(luks, p, data);
	if (err == CARDEA_OK)
		err = try_slots(&a, which, key.b, &opened);
	if (err != CARDEA_OK)
		return err;
	out->platform = p;
	out->disk = data->disk;
	out->start = data->start + luks->data_offset;
	out->block_size = data->disk->block_size > luks->sector_len ? data->disk->block_size : luks->sector_len;
	len = luks->data_len != 0 ? luks->data_len : data->len - luks->data_offset;
	out->block_count = len / out->block_size;
	out->iv_offset = luks->iv_offset;
	memcpy(out->uuid, luks->uuid, sizeof(out->uuid));
	memcpy(out->label, luks->label, sizeof(out->label));
	cardea_crypt_init(&out->crypt, suite, p, &luks->spec, luks->sector_len, key.b, luks->key_len);
	if (slot != NULL)
		*slot = opened;
	return CARDEA_OK;
}
