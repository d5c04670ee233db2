/* SPDX-License-Identifier: MIT */
/*
 * LUKS2 on-disk format 1.1.x, section 3: the JSON metadata to the model.  Every number gets its range where it
 * is read; sizes that must agree are compared; what is used later comes from the model only.
 *
 * Faults of one key slot make that slot unusable.  Faults of segments, digests and the configuration refuse the
 * volume, since they decide what the data means.
 */
#include "volume/luks_internal.h"
#include "base/json.h"

#define MAX_TOKENS 16384u
#define NONE CARDEA_JSON_NONE

struct reader {
	const struct cardea_json *j;
	const struct cardea_platform *p;
	struct cardea_luks *out;
	uint64_t container_len, keyslots_end;
	bool detached;
	uint32_t segment_key;      /* token of the name of the data segment */
	uint32_t segment;          /* token of the data segment             */
};

static enum cardea_err damaged(const struct reader *r, const char *what)
{
	cardea_log(r->p, CARDEA_LOG_ERROR, "damaged LUKS2 metadata: %s", what);
	return CARDEA_ERR_FORMAT;
}

static uint32_t get(const struct reader *r, uint32_t obj, const char *key)
{
	return cardea_json_get(r->j, obj, key);
}

static bool get_u32(const struct reader *r, uint32_t obj, const char *key, uint32_t min, uint32_t max, uint32_t *out)
{
	uint64_t v;
	bool ok = cardea_json_u64(r->j, get(r, obj, key), min, max, &v);

	*out = (uint32_t)v;
	return ok;
}

static bool get_str_u64(const struct reader *r, uint32_t obj, const char *key, uint64_t max, uint64_t *out)
{
	return cardea_json_str_u64(r->j, get(r, obj, key), 0, max, out);
}

/* Base64, also as writers put it that escape every '/'. */
static bool get_base64(const struct reader *r, uint32_t obj, const char *key, uint8_t *out, size_t cap, uint32_t *len)
{
	uint32_t tok = get(r, obj, key);
	char text[4 * 64];
	size_t n = 0, got = 0;
	bool ok = cardea_json_is(r->j, tok, CARDEA_JSON_STRING);

	for (uint32_t i = 0; ok && i < r->j->tokens[tok].len; i++) {
		const char *at = r->j->text + r->j->tokens[tok].start + i;
		char c = at[0];

		/* No escape ends the string, so that there is a character after it. */
		if (c == '\\' && at[1] == '/')
			continue;
		ok = n < sizeof(text);
		if (ok)
			text[n++] = c;
	}
	ok = ok && cardea_base64_decode(out, cap, &got, text, n) && got > 0;
	*len = (uint32_t)got;
	return ok;
}

/* For messages: a string of the metadata, or "?" when it is none that can be shown. */
static const char *shown(const struct reader *r, uint32_t tok, char *buf, size_t cap)
{
	if (!cardea_json_str(r->j, tok, buf, cap))
		cardea_format(buf, cap, "?");
	return buf;
}

/* A member's name as a number below `limit`: key slots and digests are objects with such names. */
static bool key_number(const struct reader *r, uint32_t key, uint32_t limit, uint32_t *out)
{
	uint64_t v;
	bool ok = cardea_json_str_u64(r->j, key, 0, limit - 1, &v);

	*out = (uint32_t)v;
	return ok;
}

/* ---- configuration ---------------------------------------------------------------------------------------- */

static enum cardea_err read_config(struct reader *r)
{
	uint32_t config = get(r, 0, "config"), req, k, v;
	uint64_t json_len, keyslots_len;
	struct cardea_json_iter it;
	char name[64];

	if (!get_str_u64(r, config, "json_size", LUKS2_MAX_HEADER, &json_len) ||
	    json_len != r->out->header_len - CARDEA_PAGE_SIZE)
		return damaged(r, "config.json_size is not that of the header");
	if (!get_str_u64(r, config, "keyslots_size", UINT64_MAX / 4, &keyslots_len) ||
	    keyslots_len % CARDEA_PAGE_SIZE != 0)
		return damaged(r, "config.keyslots_size");
	r->keyslots_end = 2 * r->out->header_len + keyslots_len;

	req = get(r, config, "requirements");
	if (req == NONE)
		return CARDEA_OK;
	if (!cardea_json_is(r->j, req, CARDEA_JSON_OBJECT))
		return damaged(r, "config.requirements");
	it = cardea_json_iter(r->j, req);
	while (cardea_json_next(r->j, &it, &k, &v)) {
		struct cardea_json_iter list = cardea_json_iter(r->j, v);

		if (!cardea_json_str_is(r->j, k, "mandatory") || !cardea_json_is(r->j, v, CARDEA_JSON_ARRAY))
			return damaged(r, "config.requirements");
		while (cardea_json_next(r->j, &list, &k, &v)) {
			shown(r, v, name, sizeof(name));
			cardea_log(r->p, CARDEA_LOG_ERROR, "requirement \"%s\" is not supported%s", name,
			           cardea_starts_with(name, "online-reencrypt") || cardea_starts_with(name, "offline-reencrypt") ?
			           ": a reencryption is in progress; finish it with cryptsetup first" : "");
			return CARDEA_ERR_UNSUPPORTED;
		}
	}
	return CARDEA_OK;
}

/* ---- the data segment --------------------------------------------------------------------------------------- */

/* "backup-..." segments describe the past or the future of a reencryption, not the data as it is. */
static bool is_backup(const struct reader *r, uint32_t seg)
{
	struct cardea_json_iter it = cardea_json_iter(r->j, get(r, seg, "flags"));
	uint32_t k, v;
	char flag[32];

	while (cardea_json_next(r->j, &it, &k, &v))
		if (cardea_json_str(r->j, v, flag, sizeof(flag)) && cardea_starts_with(flag, "backup-"))
			return true;
	return false;
}

static enum cardea_err find_segment(struct reader *r)
{
	struct cardea_json_iter it = cardea_json_iter(r->j, get(r, 0, "segments"));
	uint32_t k, v, n = 0;
	char type[32];

	if (!cardea_json_is(r->j, get(r, 0, "segments"), CARDEA_JSON_OBJECT))
		return damaged(r, "no segments");
	while (cardea_json_next(r->j, &it, &k, &v)) {
		uint32_t flags = get(r, v, "flags");

		if (flags != NONE && !cardea_json_is(r->j, flags, CARDEA_JSON_ARRAY))
			return damaged(r, "a segment's flags");
		if (is_backup(r, v))
			continue;
		if (!cardea_json_str_is(r->j, get(r, v, "type"), "crypt")) {
			cardea_log(r->p, CARDEA_LOG_ERROR, "segment type \"%s\" is not supported",
			           shown(r, get(r, v, "type"), type, sizeof(type)));
			return CARDEA_ERR_UNSUPPORTED;
		}
		r->segment_key = k;
		r->segment = v;
		n++;
	}
	if (n == 1)
		return CARDEA_OK;
	if (n == 0)
		return damaged(r, "no data segment");
	cardea_log(r->p, CARDEA_LOG_ERROR, "%u data segments are not supported (supported: one)", n);
	return CARDEA_ERR_UNSUPPORTED;
}

static enum cardea_err read_segment(struct reader *r)
{
	struct cardea_luks *out = r->out;
	uint32_t seg, integrity;
	enum cardea_err err = find_segment(r);
	char type[32];

	if (err != CARDEA_OK)
		return err;
	seg = r->segment;
	integrity = get(r, seg, "integrity");
	if (integrity != NONE) {
		cardea_log(r->p, CARDEA_LOG_ERROR, "integrity protection (%s) is not supported",
		           shown(r, get(r, integrity, "type"), type, sizeof(type)));
		return CARDEA_ERR_UNSUPPORTED;
	}
	if (!cardea_json_str(r->j, get(r, seg, "encryption"), out->spec_text, sizeof(out->spec_text)))
		return damaged(r, "the segment's encryption");
	if (!get_u32(r, seg, "sector_size", 512, CARDEA_MAX_SECTOR, &out->sector_len) ||
	    !cardea_is_pow2(out->sector_len))
		return damaged(r, "the segment's sector_size (512, 1024, 2048 or 4096)");
	if (!get_str_u64(r, seg, "offset", UINT64_MAX / 2, &out->data_offset) || out->data_offset % 512 != 0)
		return damaged(r, "the segment's offset");
	if (!get_str_u64(r, seg, "iv_tweak", UINT64_MAX, &out->iv_offset))
		return damaged(r, "the segment's iv_tweak");
	if (!cardea_json_str_is(r->j, get(r, seg, "size"), "dynamic") &&
	    (!get_str_u64(r, seg, "size", UINT64_MAX / 2, &out->data_len) || out->data_len == 0 ||
	     out->data_len % out->sector_len != 0))
		return damaged(r, "the segment's size");
	if (!r->detached && out->data_offset < r->keyslots_end) {
		if (out->data_offset == 0)
			return damaged(r, "the data offset is 0: this is a detached header, the data is on another device");
		return damaged(r, "the data segment overlaps the header");
	}
	return CARDEA_OK;
}

/* ---- digests ------------------------------------------------------------------------------------------------- */

/* Whether an array of strings holds the same text as the string token `key`. */
static bool lists(const struct reader *r, uint32_t array, uint32_t key)
{
	struct cardea_json_iter it = cardea_json_iter(r->j, array);
	const struct cardea_json_token *want = &r->j->tokens[key];
	uint32_t k, v;

	while (cardea_json_next(r->j, &it, &k, &v)) {
		const struct cardea_json_token *t = &r->j->tokens[v];

		if (t->type == CARDEA_JSON_STRING && t->len == want->len &&
		    memcmp(r->j->text + t->start, r->j->text + want->start, want->len) == 0)
			return true;
	}
	return false;
}

static enum cardea_err read_digests(struct reader *r)
{
	struct cardea_json_iter it = cardea_json_iter(r->j, get(r, 0, "digests"));
	uint32_t k, v, i;
	char name[32];

	if (!cardea_json_is(r->j, get(r, 0, "digests"), CARDEA_JSON_OBJECT))
		return damaged(r, "no digests");
	while (cardea_json_next(r->j, &it, &k, &v)) {
		struct cardea_luks_digest *d;

		if (!key_number(r, k, CARDEA_LUKS_MAX_DIGESTS, &i))
			return damaged(r, "the name of a digest");
		if (!cardea_json_is(r->j, get(r, v, "segments"), CARDEA_JSON_ARRAY) ||
		    !cardea_json_is(r->j, get(r, v, "keyslots"), CARDEA_JSON_ARRAY))
			return damaged(r, "the segments or key slots of a digest");
		d = &r->out->digest[i];
		d->of_data = lists(r, get(r, v, "segments"), r->segment_key);
		if (!d->of_data)
			continue; /* of a key that is not needed here, so neither is the digest */
		if (!cardea_json_str_is(r->j, get(r, v, "type"), "pbkdf2")) {
			cardea_log(r->p, CARDEA_LOG_ERROR, "digest type \"%s\" is not supported",
			           shown(r, get(r, v, "type"), name, sizeof(name)));
			return CARDEA_ERR_UNSUPPORTED;
		}
		if (!cardea_json_str(r->j, get(r, v, "hash"), name, sizeof(name)))
			return damaged(r, "the hash of a digest");
		if (!cardea_hash_by_name(&d->hash, name)) {
			cardea_log(r->p, CARDEA_LOG_ERROR, "digest %u: hash %s is not supported", i, name);
			return CARDEA_ERR_UNSUPPORTED;
		}
		if (!get_u32(r, v, "iterations", 1, UINT32_MAX, &d->iterations) ||
		    !get_base64(r, v, "salt", d->salt, sizeof(d->salt), &d->salt_len) ||
		    !get_base64(r, v, "digest", d->digest, sizeof(d->digest), &d->digest_len) || d->digest_len < 16)
			return damaged(r, "iterations, salt or value of a digest");
		d->present = true;
	}
	return CARDEA_OK;
}

/* Bit d for each digest of the data that lists this key slot. */
static uint32_t digests_of_slot(const struct reader *r, uint32_t slot_key)
{
	struct cardea_json_iter it = cardea_json_iter(r->j, get(r, 0, "digests"));
	uint32_t k, v, i, mask = 0;

	while (cardea_json_next(r->j, &it, &k, &v))
		if (key_number(r, k, CARDEA_LUKS_MAX_DIGESTS, &i) && r->out->digest[i].present &&
		    lists(r, get(r, v, "keyslots"), slot_key))
			mask |= 1u << i;
	return mask;
}

/* ---- key slots ------------------------------------------------------------------------------------------------ */

static bool slot_damaged(struct cardea_luks_slot *s, const char *what)
{
	cardea_luks_slot_fault(s, CARDEA_SLOT_DAMAGED, "its %s is missing or out of range", what);
	return false;
}

static bool slot_hash(struct reader *r, struct cardea_luks_slot *s, uint32_t tok, const char *what,
                      enum cardea_hash_id *out)
{
	char name[32];

	if (!cardea_json_str(r->j, tok, name, sizeof(name)))
		return slot_damaged(s, what);
	if (!cardea_hash_by_name(out, name)) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_UNSUPPORTED, "%s %s is not supported", what, name);
		return false;
	}
	return true;
}

static bool read_slot_kdf(struct reader *r, struct cardea_luks_slot *s, uint32_t kdf)
{
	uint32_t type = get(r, kdf, "type");
	char name[32];

	if (!get_base64(r, kdf, "salt", s->salt, sizeof(s->salt), &s->salt_len))
		return slot_damaged(s, "salt");
	if (cardea_json_str_is(r->j, type, "pbkdf2")) {
		s->kdf = CARDEA_KDF_PBKDF2;
		if (!get_u32(r, kdf, "iterations", 1, UINT32_MAX, &s->iterations))
			return slot_damaged(s, "number of iterations");
		return slot_hash(r, s, get(r, kdf, "hash"), "PBKDF2 hash", &s->kdf_hash);
	}
	if (!cardea_json_str_is(r->j, type, "argon2i") && !cardea_json_str_is(r->j, type, "argon2id")) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_UNSUPPORTED,
		                       "KDF %s is not supported (supported: pbkdf2, argon2i, argon2id)",
		                       shown(r, type, name, sizeof(name)));
		return false;
	}
	s->kdf = cardea_json_str_is(r->j, type, "argon2i") ? CARDEA_KDF_ARGON2I : CARDEA_KDF_ARGON2ID;
	if (!get_u32(r, kdf, "time", 1, UINT32_MAX, &s->passes))
		return slot_damaged(s, "Argon2 time cost");
	if (!get_u32(r, kdf, "cpus", 1, UINT32_MAX, &s->lanes))
		return slot_damaged(s, "Argon2 parallel cost");
	if (s->lanes > CARDEA_ARGON2_MAX_LANES) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_UNSUPPORTED, "Argon2 parallel cost %u is not supported (at most %u)",
		                       s->lanes, CARDEA_ARGON2_MAX_LANES);
		return false;
	}
	if (!get_u32(r, kdf, "memory", 8 * s->lanes, UINT32_MAX, &s->memory_kib))
		return slot_damaged(s, "Argon2 memory cost");
	return true;
}

static bool read_slot_area(struct reader *r, struct cardea_luks_slot *s, uint32_t area)
{
	char type[32];
	uint64_t end;

	if (!cardea_json_str_is(r->j, get(r, area, "type"), "raw")) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_UNSUPPORTED, "area type %s is not supported",
		                       shown(r, get(r, area, "type"), type, sizeof(type)));
		return false;
	}
	if (!get_str_u64(r, area, "offset", UINT64_MAX / 2, &s->area_offset) || s->area_offset % 512 != 0 ||
	    !get_str_u64(r, area, "size", LUKS_MAX_AREA, &s->area_len) || s->area_len % 512 != 0 ||
	    cardea_add_overflows(s->area_offset, s->area_len, &end) || s->area_offset < 2 * r->out->header_len ||
	    end > r->keyslots_end)
		return slot_damaged(s, "area");
	if (s->area_len < (uint64_t)s->stripes * s->key_len) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_DAMAGED, "its area of %llu bytes is too small for %u stripes of %u",
		                       (unsigned long long)s->area_len, s->stripes, s->key_len);
		return false;
	}
	if (end > r->container_len) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_DAMAGED, "its area ends at byte %llu, past the end of the device",
		                       (unsigned long long)end);
		return false;
	}
	if (!get_u32(r, area, "key_size", 1, CARDEA_MAX_KEY, &s->area_key_len))
		return slot_damaged(s, "area's key size");
	if (!cardea_json_str(r->j, get(r, area, "encryption"), s->area_spec_text, sizeof(s->area_spec_text)))
		return slot_damaged(s, "area's encryption");
	return cardea_luks_slot_spec(s);
}

/* Fills the slot; leaves it at the first fault, with state and reason set. */
static void read_slot(struct reader *r, struct cardea_luks_slot *s, uint32_t slot_key, uint32_t slot)
{
	uint32_t type = get(r, slot, "type"), prio = get(r, slot, "priority"), af = get(r, slot, "af");
	uint64_t v;
	char name[32];

	s->state = CARDEA_SLOT_USABLE;
	s->priority = CARDEA_SLOT_NORMAL;
	if (!cardea_json_str_is(r->j, type, "luks2")) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_UNSUPPORTED, "type %s is not supported",
		                       shown(r, type, name, sizeof(name)));
		return;
	}
	if (prio != NONE) {
		if (!cardea_json_u64(r->j, prio, CARDEA_SLOT_IGNORE, CARDEA_SLOT_PREFER, &v)) {
			slot_damaged(s, "priority");
			return;
		}
		s->priority = (enum cardea_slot_priority)v;
	}
	s->digests = digests_of_slot(r, slot_key);
	if (!get_u32(r, slot, "key_size", 1, CARDEA_MAX_KEY, &s->key_len)) {
		slot_damaged(s, "key size");
		return;
	}
	if (!cardea_json_str_is(r->j, get(r, af, "type"), "luks1")) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_UNSUPPORTED, "anti-forensic type %s is not supported",
		                       shown(r, get(r, af, "type"), name, sizeof(name)));
		return;
	}
	if (!get_u32(r, af, "stripes", 1, LUKS_MAX_AREA, &s->stripes)) {
		slot_damaged(s, "number of stripes");
		return;
	}
	if (!slot_hash(r, s, get(r, af, "hash"), "anti-forensic hash", &s->af_hash) ||
	    !read_slot_kdf(r, s, get(r, slot, "kdf")) || !read_slot_area(r, s, get(r, slot, "area")))
		return;
	if (s->digests == 0)
		cardea_luks_slot_fault(s, CARDEA_SLOT_UNBOUND, "it holds a key of no data segment (unbound)");
}

static enum cardea_err read_slots(struct reader *r)
{
	struct cardea_json_iter it = cardea_json_iter(r->j, get(r, 0, "keyslots"));
	uint32_t k, v, i;

	if (!cardea_json_is(r->j, get(r, 0, "keyslots"), CARDEA_JSON_OBJECT))
		return damaged(r, "no keyslots");
	r->out->n_slots = CARDEA_LUKS_MAX_SLOTS;
	while (cardea_json_next(r->j, &it, &k, &v)) {
		if (!key_number(r, k, CARDEA_LUKS_MAX_SLOTS, &i))
			return damaged(r, "the name of a key slot");
		if (cardea_json_str_is(r->j, get(r, v, "type"), "reencrypt")) {
			cardea_log(r->p, CARDEA_LOG_ERROR, "a reencryption is in progress (key slot %u), which is not "
			           "supported; finish it with cryptsetup first", i);
			return CARDEA_ERR_UNSUPPORTED;
		}
		read_slot(r, &r->out->slot[i], k, v);
	}
	cardea_luks_check_overlap(r->out);
	return CARDEA_OK;
}

/*
 * Segments do not say how long their key is: the slots do.  The first slot that can be used and whose key fits the
 * cipher decides; others that are bound to the data must agree.  Without any such slot one that cannot be used
 * still tells what the volume is.
 */
static enum cardea_err read_key_len(struct reader *r)
{
	struct cardea_luks *out = r->out;
	const struct cardea_platform silent = { .log = NULL };
	enum cardea_err err = CARDEA_ERR_FORMAT;
	unsigned bound = 0;

	for (int usable = 1; usable >= 0; usable--) {
		for (unsigned i = 0; i < out->n_slots; i++) {
			struct cardea_luks_slot *s = &out->slot[i];

			if (s->digests == 0 || s->key_len == 0 || (s->state == CARDEA_SLOT_USABLE) != (usable != 0))
				continue;
			bound = i + 1;
			if (out->key_len == 0) {
				err = cardea_spec_parse(&out->spec, out->spec_text, s->key_len, &silent, "");
				if (err == CARDEA_ERR_UNSUPPORTED)
					break;
				if (err == CARDEA_OK)
					out->key_len = s->key_len;
			}
			if (usable != 0 && s->key_len != out->key_len)
				cardea_luks_slot_fault(s, CARDEA_SLOT_DAMAGED, "its key of %u bytes does not fit the volume",
				                       s->key_len);
		}
	}
	if (out->key_len != 0)
		return CARDEA_OK;
	if (bound == 0)
		cardea_log(r->p, CARDEA_LOG_ERROR, "no key slot is bound to the data: nothing can open this volume");
	else /* once more, for the message */
		err = cardea_spec_parse(&out->spec, out->spec_text, out->slot[bound - 1].key_len, r->p, "data segment");
	return err;
}

enum cardea_err cardea_luks2_model(struct cardea_luks *out, const struct cardea_platform *p, const char *text,
                                   size_t text_len, uint64_t container_len, bool detached)
{
	const size_t tokens_len = MAX_TOKENS * sizeof(struct cardea_json_token);
	struct cardea_json_token *tokens = cardea_pages(p, tokens_len, "reading the LUKS2 metadata");
	struct cardea_json j;
	struct reader r = { .j = &j, .p = p, .out = out, .container_len = container_len, .detached = detached };
	const char *fault;
	enum cardea_err err;
	size_t at;

	if (tokens == NULL)
		return CARDEA_ERR_NOMEM;
	fault = cardea_json_parse(&j, tokens, MAX_TOKENS, text, text_len, &at);
	if (fault != NULL || !cardea_json_is(&j, 0, CARDEA_JSON_OBJECT)) {
		cardea_log(p, CARDEA_LOG_ERROR, "damaged LUKS2 metadata: %s at byte %zu of the JSON text",
		           fault != NULL ? fault : "no object", at);
		err = CARDEA_ERR_FORMAT;
	} else {
		err = read_config(&r);
		if (err == CARDEA_OK)
			err = read_segment(&r);
		if (err == CARDEA_OK)
			err = read_digests(&r);
		if (err == CARDEA_OK)
			err = read_slots(&r);
		if (err == CARDEA_OK)
			err = read_key_len(&r);
	}
	cardea_pages_free(p, tokens, tokens_len);
	return err;
}
