/* SPDX-License-Identifier: MIT */
/* LUKS1 on-disk format 1.2.3, figures 1 to 4. */
#include "volume/luks_internal.h"

struct luks1_slot {
	uint8_t active[4], iterations[4], salt[32], material_sector[4], stripes[4];
};

struct luks1_header {
	uint8_t magic[6], version[2], cipher_name[32], cipher_mode[32], hash[32], payload_sector[4], key_len[4];
	uint8_t digest[20], digest_salt[32], digest_iterations[4], uuid[40];
	struct luks1_slot slot[8];
};

_Static_assert(sizeof(struct luks1_slot) == 48, "LUKS1 figure 3");
_Static_assert(sizeof(struct luks1_header) == 592, "LUKS1 figure 1");
_Static_assert(offsetof(struct luks1_header, uuid) == LUKS_UUID_OFFSET, "LUKS1 figure 1");

#define SLOT_ENABLED 0x00ac71f3u
#define SLOT_DISABLED 0x0000deadu
#define SECTOR 512u

static void read_slot(struct cardea_luks *out, unsigned i, const struct luks1_slot *disk, enum cardea_hash_id hash,
                      uint64_t area_limit)
{
	struct cardea_luks_slot *s = &out->slot[i];
	uint32_t active = cardea_be32(disk->active);
	uint64_t end;

	s->priority = CARDEA_SLOT_NORMAL;
	s->kdf = CARDEA_KDF_PBKDF2;
	s->kdf_hash = s->af_hash = hash;
	if (active == SLOT_DISABLED)
		return; /* CARDEA_SLOT_EMPTY */
	s->state = CARDEA_SLOT_USABLE;
	s->digests = 1;
	s->iterations = cardea_be32(disk->iterations);
	s->stripes = cardea_be32(disk->stripes);
	s->key_len = s->area_key_len = out->key_len;
	s->area_offset = (uint64_t)cardea_be32(disk->material_sector) * SECTOR;
	s->salt_len = sizeof(disk->salt);
	memcpy(s->salt, disk->salt, sizeof(disk->salt));
	s->area_spec = out->spec;
	memcpy(s->area_spec_text, out->spec_text, sizeof(s->area_spec_text));
	if (active != SLOT_ENABLED) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_DAMAGED, "its state is neither enabled nor disabled (%x)", active);
		return;
	}
	if (s->iterations == 0) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_DAMAGED, "0 iterations");
		return;
	}
	if (s->stripes == 0 || (uint64_t)s->stripes * s->key_len > LUKS_MAX_AREA) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_DAMAGED, "%u stripes", s->stripes);
		return;
	}
	s->area_len = ((uint64_t)s->stripes * s->key_len + SECTOR - 1) / SECTOR * SECTOR;
	end = s->area_offset + s->area_len;
	if (s->area_offset < sizeof(struct luks1_header) || end > area_limit) {
		cardea_luks_slot_fault(s, CARDEA_SLOT_DAMAGED,
		                       "its area (bytes %llu to %llu) is not between the header and byte %llu",
		                       (unsigned long long)s->area_offset, (unsigned long long)end,
		                       (unsigned long long)area_limit);
	}
}

enum cardea_err cardea_luks1_read(struct cardea_luks *out, const struct cardea_platform *p,
                                  const struct cardea_extent *where, bool detached)
{
	struct luks1_header h;
	struct cardea_luks_digest *d = &out->digest[0];
	char name[33], mode[33], hash_name[33];
	enum cardea_hash_id hash;
	uint64_t area_limit;
	enum cardea_err err;

	err = cardea_extent_read(where, 0, &h, sizeof(h));
	if (err != CARDEA_OK)
		return err;
	out->version = 1;
	cardea_luks_text(out->uuid, h.uuid, sizeof(h.uuid));
	cardea_luks_text(name, h.cipher_name, sizeof(h.cipher_name));
	cardea_luks_text(mode, h.cipher_mode, sizeof(h.cipher_mode));
	cardea_luks_text(hash_name, h.hash, sizeof(h.hash));
	cardea_format(out->spec_text, sizeof(out->spec_text), "%s-%s", name, mode);
	out->key_len = cardea_be32(h.key_len);
	if (out->key_len == 0 || out->key_len > CARDEA_MAX_KEY) {
		cardea_log(p, CARDEA_LOG_ERROR, "damaged LUKS1 header: a key of %u bytes", out->key_len);
		return CARDEA_ERR_FORMAT;
	}
	err = cardea_spec_parse(&out->spec, out->spec_text, out->key_len, p, "LUKS1 header");
	if (err != CARDEA_OK)
		return err;
	if (!cardea_hash_by_name(&hash, hash_name)) {
		cardea_log(p, CARDEA_LOG_ERROR, "LUKS1 header: hash %s is not supported", hash_name);
		return CARDEA_ERR_UNSUPPORTED;
	}
	out->sector_len = SECTOR;
	out->data_offset = (uint64_t)cardea_be32(h.payload_sector) * SECTOR;
	if (out->data_offset == 0 && !detached) {
		cardea_log(p, CARDEA_LOG_ERROR, "LUKS1 header: the data offset is 0: this is a detached header, the data "
		           "is on another device");
		return CARDEA_ERR_FORMAT;
	}
	if (out->data_offset != 0 && out->data_offset < sizeof(h)) {
		cardea_log(p, CARDEA_LOG_ERROR, "damaged LUKS1 header: the data begins inside the header");
		return CARDEA_ERR_FORMAT;
	}
	d->present = d->of_data = true;
	d->hash = hash;
	d->iterations = cardea_be32(h.digest_iterations);
	d->salt_len = sizeof(h.digest_salt);
	memcpy(d->salt, h.digest_salt, sizeof(h.digest_salt));
	d->digest_len = sizeof(h.digest);
	memcpy(d->digest, h.digest, sizeof(h.digest));
	if (d->iterations == 0) {
		cardea_log(p, CARDEA_LOG_ERROR, "damaged LUKS1 header: 0 iterations for the digest of the volume key");
		return CARDEA_ERR_FORMAT;
	}
	/* Key material lies before the data when both are on one device. */
	area_limit = detached || out->data_offset > where->len ? where->len : out->data_offset;
	out->n_slots = 8;
	for (unsigned i = 0; i < out->n_slots; i++)
		read_slot(out, i, &h.slot[i], hash, area_limit);
	cardea_luks_check_overlap(out);
	return CARDEA_OK;
}
