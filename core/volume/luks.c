/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include "volume/luks_internal.h"

enum cardea_err cardea_extent_read(const struct cardea_extent *e, uint64_t offset, void *dst, size_t len)
{
	uint64_t end;

	if (cardea_add_overflows(offset, len, &end) || end > e->len) {
		memset(dst, 0, len);
		return CARDEA_ERR_FORMAT;
	}
	return cardea_disk_read_bytes(e->disk, e->start + offset, dst, len);
}

void cardea_luks_text(char *out, const uint8_t *field, size_t len)
{
	size_t n = 0;

	for (; n < len && field[n] != 0; n++)
		out[n] = field[n] >= ' ' && field[n] <= '~' ? (char)field[n] : '?';
	out[n] = '\0';
}

void cardea_luks_slot_fault(struct cardea_luks_slot *s, enum cardea_slot_state state, const char *fmt, ...)
{
	va_list args;

	s->state = state;
	va_start(args, fmt);
	cardea_vformat(s->why, sizeof(s->why), fmt, args);
	va_end(args);
}

/* A log that keeps the last message as a slot's reason. */
static void log_to_slot(void *ctx, enum cardea_log_level level, const char *message)
{
	struct cardea_luks_slot *s = ctx;

	(void)level;
	cardea_format(s->why, sizeof(s->why), "%s", message);
}

bool cardea_luks_slot_spec(struct cardea_luks_slot *s)
{
	const struct cardea_platform to_slot = { .ctx = s, .log = log_to_slot };
	enum cardea_err err = cardea_spec_parse(&s->area_spec, s->area_spec_text, s->area_key_len, &to_slot,
	                                        "its area");

	if (err != CARDEA_OK)
		s->state = err == CARDEA_ERR_UNSUPPORTED ? CARDEA_SLOT_UNSUPPORTED : CARDEA_SLOT_DAMAGED;
	return err == CARDEA_OK;
}

void cardea_luks_check_overlap(struct cardea_luks *luks)
{
	for (unsigned i = 1; i < luks->n_slots; i++) {
		struct cardea_luks_slot *a = &luks->slot[i];

		for (unsigned k = 0; k < i && a->state == CARDEA_SLOT_USABLE; k++) {
			const struct cardea_luks_slot *b = &luks->slot[k];

			if (b->state != CARDEA_SLOT_EMPTY && b->state != CARDEA_SLOT_DAMAGED && b->area_len != 0 &&
			    a->area_offset < b->area_offset + b->area_len &&
			    b->area_offset < a->area_offset + a->area_len)
				cardea_luks_slot_fault(a, CARDEA_SLOT_DAMAGED, "its area overlaps that of key slot %u", k);
		}
	}
}

const char *cardea_luks_other_signature(const struct cardea_extent *e)
{
	static const struct {
		uint32_t offset;
		const char *bytes;
		size_t len;
		const char *name;
	} known[] = {
		{ 510, "\x55\xaa", 2, "a partition table or boot sector" },
		{ 0, "XFSB", 4, "an XFS file system" },
		{ 512, "LABELONE", 8, "an LVM2 physical volume" },
		{ 512, "EFI PART", 8, "a GUID partition table" },
		{ 1024 + 56, "\x53\xef", 2, "an ext2/3/4 file system" },
		{ 4086, "SWAPSPACE2", 10, "a swap area" },
		{ 4096, "EFI PART", 8, "a GUID partition table" },
		{ 4096, "\xfc\x4e\x2b\xa9", 4, "a RAID member" },
		{ 65536 + 64, "_BHRfS_M", 8, "a Btrfs file system" },
	};
	uint8_t buf[16];

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(known); i++)
		if (cardea_extent_read(e, known[i].offset, buf, known[i].len) == CARDEA_OK &&
		    memcmp(buf, known[i].bytes, known[i].len) == 0)
			return known[i].name;
	return NULL;
}

/* Whether a secondary LUKS2 header stands at one of the offsets that the format allows. */
static bool has_secondary(const struct cardea_extent *where)
{
	uint8_t head[8];

	for (uint64_t at = LUKS2_MIN_HEADER; at <= LUKS2_MAX_HEADER && at + CARDEA_PAGE_SIZE <= where->len; at *= 2)
		if (cardea_extent_read(where, at, head, sizeof(head)) == CARDEA_OK &&
		    memcmp(head, LUKS2_MAGIC_2ND, LUKS_MAGIC_LEN) == 0 && cardea_be16(head + 6) == 2)
			return true;
	return false;
}

enum cardea_err cardea_luks_probe(const struct cardea_extent *where, bool thorough, unsigned *version)
{
	uint8_t head[8];
	enum cardea_err err;

	*version = 0;
	if (where->len < CARDEA_PAGE_SIZE)
		return CARDEA_OK;
	err = cardea_extent_read(where, 0, head, sizeof(head));
	if (err == CARDEA_OK && memcmp(head, LUKS_MAGIC, LUKS_MAGIC_LEN) == 0) {
		*version = cardea_be16(head + 6);
		return CARDEA_OK;
	}
	/* The first sector may be just what cannot be read. */
	if (thorough && has_secondary(where) && cardea_luks_other_signature(where) == NULL) {
		*version = 2;
		return CARDEA_OK;
	}
	return err;
}

static enum cardea_err read_header(struct cardea_luks *out, const struct cardea_suite *suite,
                                   const struct cardea_platform *p, const struct cardea_extent *where, bool detached)
{
	uint8_t head[8];
	enum cardea_err read, err;
	unsigned version;

	if (where->len < CARDEA_PAGE_SIZE) {
		cardea_log(p, CARDEA_LOG_ERROR, "too small for a LUKS header: %llu bytes", (unsigned long long)where->len);
		return CARDEA_ERR_FORMAT;
	}
	read = cardea_extent_read(where, 0, head, sizeof(head));
	version = read == CARDEA_OK && memcmp(head, LUKS_MAGIC, LUKS_MAGIC_LEN) == 0 ? cardea_be16(head + 6) : 2;
	if (version == 1)
		return cardea_luks1_read(out, p, where, detached);
	/* Unreadable, without a magic, or with a version that cannot be: a secondary LUKS2 header may still be there. */
	err = cardea_luks2_read(out, suite, p, where, detached);
	if (read != CARDEA_OK && err == CARDEA_ERR_FORMAT) {
		cardea_log(p, CARDEA_LOG_ERROR, "the first sector cannot be read");
		return read;
	}
	if (version == 2 || err != CARDEA_ERR_FORMAT)
		return err;
	cardea_log(p, CARDEA_LOG_ERROR, "LUKS version %u is not supported (supported: 1, 2)", version);
	return CARDEA_ERR_UNSUPPORTED;
}

/* Of a header that is refused only what messages need. */
static void keep_names(struct cardea_luks *l)
{
	unsigned version = l->version;
	char uuid[sizeof(l->uuid)], label[sizeof(l->label)], spec_text[sizeof(l->spec_text)];

	memcpy(uuid, l->uuid, sizeof(uuid));
	memcpy(label, l->label, sizeof(label));
	memcpy(spec_text, l->spec_text, sizeof(spec_text));
	memset(l, 0, sizeof(*l));
	l->version = version;
	memcpy(l->uuid, uuid, sizeof(uuid));
	memcpy(l->label, label, sizeof(label));
	memcpy(l->spec_text, spec_text, sizeof(spec_text));
}

enum cardea_err cardea_luks_read(struct cardea_luks *out, const struct cardea_suite *suite,
                                 const struct cardea_platform *p, const struct cardea_extent *where, bool detached)
{
	enum cardea_err err;

	memset(out, 0, sizeof(*out));
	out->start = where->start;
	err = read_header(out, suite, p, where, detached);
	if (err != CARDEA_OK)
		keep_names(out);
	return err;
}

enum cardea_err cardea_luks_check_data(const struct cardea_luks *luks, const struct cardea_platform *p,
                                       const struct cardea_extent *data)
{
	uint32_t unit = data->disk->block_size > luks->sector_len ? data->disk->block_size : luks->sector_len;
	uint64_t end;

	if (cardea_add_overflows(luks->data_offset, luks->data_len != 0 ? luks->data_len : unit, &end) ||
	    end > data->len) {
		cardea_log(p, CARDEA_LOG_ERROR,
		           "cut short: the data begins at byte %llu and %s %llu, but there are only %llu bytes",
		           (unsigned long long)luks->data_offset,
		           luks->data_len != 0 ? "has a length of" : "needs a sector of",
		           (unsigned long long)(luks->data_len != 0 ? luks->data_len : unit),
		           (unsigned long long)data->len);
		return CARDEA_ERR_FORMAT;
	}
	if ((data->start + luks->data_offset) % data->disk->block_size != 0) {
		cardea_log(p, CARDEA_LOG_ERROR, "the data begins at byte %llu, which is not supported on a disk of "
		           "%u-byte blocks", (unsigned long long)(data->start + luks->data_offset),
		           data->disk->block_size);
		return CARDEA_ERR_UNSUPPORTED;
	}
	return CARDEA_OK;
}
