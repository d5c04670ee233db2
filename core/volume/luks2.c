/* SPDX-License-Identifier: MIT */
/* LUKS2 on-disk format 1.1.x, section 2: the binary header, twice, and which of the two counts. */
#include "volume/luks_internal.h"

struct luks2_header {
	uint8_t magic[6], version[2], header_len[8], seqid[8], label[48], csum_alg[32], salt[64], uuid[40];
	uint8_t subsystem[48], header_offset[8], padding[184], csum[64], padding4096[7 * 512];
};

_Static_assert(sizeof(struct luks2_header) == 4096, "LUKS2 section 2.1");
_Static_assert(offsetof(struct luks2_header, uuid) == LUKS_UUID_OFFSET, "LUKS2 section 2.1");
_Static_assert(offsetof(struct luks2_header, header_offset) == 256, "LUKS2 section 2.1");
_Static_assert(offsetof(struct luks2_header, csum) == 448, "LUKS2 section 2.1");

/* One header with its JSON area, read whole and found good; or nothing, with what is wrong with it. */
struct copy {
	struct luks2_header *h; /* pages; the JSON text follows */
	size_t len;
	uint64_t seqid;
	bool unreadable;        /* the device gave an error */
	char fault[120];
};

static const char no_magic[] = "no LUKS2 magic";

static void copy_free(const struct cardea_platform *p, struct copy *c)
{
	cardea_pages_free(p, c->h, c->len);
	c->h = NULL;
}

static bool checksum_ok(struct copy *c, const struct cardea_suite *suite, const struct cardea_platform *p)
{
	uint8_t stored[64], got[CARDEA_MAX_DIGEST];
	enum cardea_hash_id id;
	char alg[33];

	cardea_luks_text(alg, c->h->csum_alg, sizeof(c->h->csum_alg));
	if (!cardea_hash_by_name(&id, alg)) {
		cardea_format(c->fault, sizeof(c->fault), "checksum algorithm %s is not supported", alg);
		return false;
	}
	/* The checksum is taken over the header with zeros in its own place. */
	memcpy(stored, c->h->csum, sizeof(stored));
	memset(c->h->csum, 0, sizeof(c->h->csum));
	cardea_hash_once(suite, p, id, got, c->h, c->len);
	memcpy(c->h->csum, stored, sizeof(stored));
	if (memcmp(stored, got, cardea_hash_digest_len(id)) != 0) {
		cardea_format(c->fault, sizeof(c->fault), "its %s checksum is wrong", alg);
		return false;
	}
	return true;
}

static enum cardea_err unreadable(struct copy *c)
{
	cardea_format(c->fault, sizeof(c->fault), "it cannot be read");
	c->unreadable = true;
	return CARDEA_OK;
}

/*
 * In the order of trust: the fixed header is sane, then the whole area is read, then its checksum.  A copy that
 * is not good leaves c->h NULL and says why: also one that the device cannot read, for there are two of them just
 * because sectors go bad.  Only a lack of memory is an error.
 */
static enum cardea_err read_copy(struct copy *c, const struct cardea_suite *suite, const struct cardea_platform *p,
                                 const struct cardea_extent *where, uint64_t at, const char *magic)
{
	struct luks2_header head;
	uint64_t len;
	enum cardea_err err;

	memset(c, 0, sizeof(*c));
	if (at + sizeof(head) > where->len) {
		cardea_format(c->fault, sizeof(c->fault), "it would lie past the end of the device");
		return CARDEA_OK;
	}
	err = cardea_extent_read(where, at, &head, sizeof(head));
	if (err != CARDEA_OK)
		return unreadable(c);
	if (memcmp(head.magic, magic, LUKS_MAGIC_LEN) != 0) {
		cardea_format(c->fault, sizeof(c->fault), "%s", no_magic);
		return CARDEA_OK;
	}
	if (cardea_be16(head.version) != 2) {
		cardea_format(c->fault, sizeof(c->fault), "version %u", cardea_be16(head.version));
		return CARDEA_OK;
	}
	len = cardea_be64(head.header_len);
	if (!cardea_is_pow2(len) || len < LUKS2_MIN_HEADER || len > LUKS2_MAX_HEADER) {
		cardea_format(c->fault, sizeof(c->fault), "a header of %llu bytes", (unsigned long long)len);
		return CARDEA_OK;
	}
	if (cardea_be64(head.header_offset) != at || (at != 0 && at != len)) {
		cardea_format(c->fault, sizeof(c->fault), "it says that it belongs at byte %llu",
		              (unsigned long long)cardea_be64(head.header_offset));
		return CARDEA_OK;
	}
	if (at + len > where->len) {
		cardea_format(c->fault, sizeof(c->fault), "the device ends inside it");
		return CARDEA_OK;
	}
	c->len = (size_t)len;
	c->h = cardea_pages(p, c->len, "a LUKS2 header");
	if (c->h == NULL)
		return CARDEA_ERR_NOMEM;
	err = cardea_extent_read(where, at, c->h, c->len);
	/* A device that gives different bytes the second time is not to be believed. */
	if (err == CARDEA_ERR_IO || (err == CARDEA_OK && memcmp(c->h, &head, sizeof(head)) != 0)) {
		copy_free(p, c);
		return unreadable(c);
	}
	if (err != CARDEA_OK || !checksum_ok(c, suite, p)) {
		copy_free(p, c);
		return err;
	}
	c->seqid = cardea_be64(head.seqid);
	return CARDEA_OK;
}

static enum cardea_err read_secondary(struct copy *c, const struct cardea_suite *suite,
                                      const struct cardea_platform *p, const struct cardea_extent *where,
                                      const struct copy *primary)
{
	enum cardea_err err;

	if (primary->h != NULL)
		return read_copy(c, suite, p, where, primary->len, LUKS2_MAGIC_2ND);
	/* Without a primary header the length is not known: look in all places where it may be. */
	for (uint64_t at = LUKS2_MIN_HEADER; at <= LUKS2_MAX_HEADER; at *= 2) {
		bool before = c->unreadable;

		err = read_copy(c, suite, p, where, at, LUKS2_MAGIC_2ND);
		c->unreadable |= before;
		if (err != CARDEA_OK || c->h != NULL)
			return err;
	}
	return CARDEA_OK;
}

enum cardea_err cardea_luks2_read(struct cardea_luks *out, const struct cardea_suite *suite,
                                  const struct cardea_platform *p, const struct cardea_extent *where, bool detached)
{
	struct copy first = { .h = NULL }, second = { .h = NULL }, *use;
	const char *other = NULL;
	enum cardea_err err;

	err = read_copy(&first, suite, p, where, 0, LUKS_MAGIC);
	if (err == CARDEA_OK)
		err = read_secondary(&second, suite, p, where, &first);
	if (err != CARDEA_OK)
		goto out;
	if (first.h == NULL)
		other = cardea_luks_other_signature(where);
	if (first.h == NULL && second.h == NULL) {
		err = CARDEA_ERR_FORMAT;
		if (first.unreadable || second.unreadable) {
			cardea_log(p, CARDEA_LOG_ERROR, "no LUKS2 header can be read: the device returns errors");
			err = CARDEA_ERR_IO;
		} else if (!cardea_streq(first.fault, no_magic)) {
			cardea_log(p, CARDEA_LOG_ERROR, "both LUKS2 headers are damaged: %s", first.fault);
		} else if (other != NULL) {
			cardea_log(p, CARDEA_LOG_ERROR, "this is not LUKS but %s, which is not supported", other);
			err = CARDEA_ERR_UNSUPPORTED;
		} else {
			cardea_log(p, CARDEA_LOG_ERROR, "no LUKS header here: not LUKS, or its header is destroyed");
		}
		goto out;
	}
	/* Something else was written over the start on purpose: what the second header says may be long past. */
	if (first.h == NULL && other != NULL) {
		cardea_log(p, CARDEA_LOG_ERROR, "the first LUKS2 header is gone and %s is in its place; the second "
		           "header is not trusted then", other);
		err = CARDEA_ERR_FORMAT;
		goto out;
	}
	use = second.h == NULL || (first.h != NULL && first.seqid >= second.seqid) ? &first : &second;
	if (first.h == NULL)
		cardea_log(p, CARDEA_LOG_WARNING, "the first LUKS2 header is damaged (%s); the second one is used",
		           first.fault);
	else if (second.h == NULL)
		cardea_log(p, CARDEA_LOG_WARNING, "the second LUKS2 header is damaged (%s); the first one is used",
		           second.fault);
	else if (first.seqid != second.seqid)
		cardea_log(p, CARDEA_LOG_WARNING, "the LUKS2 headers differ in age (%llu and %llu); the newer one is used",
		           (unsigned long long)first.seqid, (unsigned long long)second.seqid);
	out->version = 2;
	out->secondary = use == &second;
	out->seqid = use->seqid;
	out->header_len = use->len;
	cardea_luks_text(out->uuid, use->h->uuid, sizeof(use->h->uuid));
	cardea_luks_text(out->label, use->h->label, sizeof(use->h->label));
	cardea_luks_text(out->subsystem, use->h->subsystem, sizeof(use->h->subsystem));
	err = cardea_luks2_model(out, p, (const char *)use->h + sizeof(*use->h), use->len - sizeof(*use->h), where->len,
	                         detached);
out:
	copy_free(p, &first);
	copy_free(p, &second);
	return err;
}
