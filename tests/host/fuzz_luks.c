/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "cardea.h"
#include "fuzz.h"

#define MUST(expr) ((expr) ? (void)0 : broken(#expr, __FILE__, __LINE__))

static void __attribute__((noreturn)) broken(const char *expr, const char *file, int line)
{
	fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, expr);
	abort();
}

/* ---- platform ------------------------------------------------------------------------------------------------- */

static struct cardea_suite suite;
static unsigned errors_logged, live_pages, requests, fail_at;

static bool printable(const char *s, size_t cap)
{
	size_t len = cardea_strnlen(s, cap);

	for (size_t i = 0; i < len; i++)
		if (s[i] < ' ' || s[i] > '~')
			return false;
	return len < cap;
}

/* The count stands in the page before, so that pages_free can check it and everything is inside one ASan object. */
static void *fuzz_pages(void *ctx, size_t count)
{
	uint8_t *p;

	(void)ctx;
	MUST(count > 0);
	if (++requests == fail_at || count > (64u << 20) / CARDEA_PAGE_SIZE)
		return NULL;
	p = aligned_alloc(CARDEA_PAGE_SIZE, (count + 1) * CARDEA_PAGE_SIZE);
	MUST(p != NULL);
	memset(p, 0, (count + 1) * CARDEA_PAGE_SIZE);
	memcpy(p, &count, sizeof(count));
	live_pages += (unsigned)count;
	return p + CARDEA_PAGE_SIZE;
}

static bool all_zero(const void *p, size_t len)
{
	const uint8_t *b = p;

	return len == 0 || (b[0] == 0 && memcmp(b, b + 1, len - 1) == 0);
}

static void fuzz_pages_free(void *ctx, void *p, size_t count)
{
	uint8_t *base = (uint8_t *)p - CARDEA_PAGE_SIZE;
	size_t was;

	(void)ctx;
	memcpy(&was, base, sizeof(was));
	MUST(was == count);
	MUST(all_zero(p, count * CARDEA_PAGE_SIZE));
	live_pages -= (unsigned)count;
	free(base);
}

static unsigned fuzz_cpus(void *ctx)
{
	(void)ctx;
	return 1;
}

static void fuzz_run(void *ctx, const struct cardea_job *job, unsigned count)
{
	(void)ctx;
	for (unsigned i = 0; i < count; i++)
		job->fn(job->arg, i);
}

static uint64_t fuzz_clock(void *ctx)
{
	(void)ctx;
	return 0;
}

static void fuzz_log(void *ctx, enum cardea_log_level level, const char *message)
{
	(void)ctx;
	MUST(printable(message, 256) && message[0] != '\0');
	errors_logged += level == CARDEA_LOG_ERROR;
	if (getenv("CARDEA_FUZZ_LOG") != NULL)
		fprintf(stderr, "# %s\n", message);
}

static const struct cardea_platform platform = {
	.pages = fuzz_pages,
	.pages_free = fuzz_pages_free,
	.cpus = fuzz_cpus,
	.run = fuzz_run,
	.clock_us = fuzz_clock,
	.log = fuzz_log,
};

void fuzz_setup(void)
{
	MUST(cardea_suite_init(&suite, &platform, NULL) == CARDEA_OK);
}

static void begin(void)
{
	errors_logged = live_pages = requests = fail_at = 0;
}

/* ---- LUKS ----------------------------------------------------------------------------------------------------- */

/* A disk that begins with these bytes, after `shift` others, and is zero elsewhere. */
struct memory {
	const uint8_t *bytes;
	size_t len;
	uint64_t shift;
	const struct cardea_disk *disk;
};

static enum cardea_err memory_read(void *ctx, uint64_t block, void *dst, size_t count)
{
	const struct memory *m = ctx;
	uint64_t at = block * m->disk->block_size, end = m->shift + m->len;
	size_t len = count * m->disk->block_size;

	MUST(count > 0 && block < m->disk->block_count && count <= m->disk->block_count - block);
	memset(dst, 0, len);
	/* The shift is whole blocks. */
	if (at >= m->shift && at < end)
		memcpy(dst, m->bytes + (at - m->shift), cardea_min_size(len, (size_t)(end - at)));
	return CARDEA_OK;
}

static void put_checksum(uint8_t *header, size_t len)
{
	char alg[33];
	enum cardea_hash_id id;
	uint8_t sum[CARDEA_MAX_DIGEST];

	memcpy(alg, header + 72, 32);
	alg[32] = '\0';
	if (!cardea_hash_by_name(&id, alg)) {
		id = CARDEA_HASH_SHA256;
		memset(header + 72, 0, 32);
		memcpy(header + 72, "sha256", 6);
	}
	memset(header + 448, 0, 64);
	cardea_hash_once(&suite, &platform, id, sum, header, len);
	memcpy(header + 448, sum, cardea_hash_digest_len(id));
}

/* Both headers from one binary header and one text. */
static uint8_t *from_parts(const uint8_t *data, size_t len, size_t *out_len, uint8_t how, uint8_t how2)
{
	size_t n = how2 & 0x0f, header_len = (size_t)0x4000 << (n > 8 ? 0 : n), text_len;
	uint8_t *image = calloc(2, header_len);

	MUST(image != NULL);
	*out_len = 2 * header_len;
	memcpy(image, data, cardea_min_size(len, FUZZ_PARTS_HEADER));
	text_len = len > FUZZ_PARTS_HEADER ? cardea_min_size(len - FUZZ_PARTS_HEADER, header_len - 4096) : 0;
	memcpy(image + 4096, data + len - (len > FUZZ_PARTS_HEADER ? len - FUZZ_PARTS_HEADER : 0), text_len);
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *h = image + i * header_len;

		if (i == 1)
			memcpy(h, image, header_len);
		memcpy(h, i == 0 ? "LUKS\xba\xbe\0\2" : "SKUL\xba\xbe\0\2", 8);
		cardea_put_be64(h + 8, header_len);
		cardea_put_be64(h + 256, i * header_len);
		if (i == 1 && (how & FUZZ_NEWER_SECOND))
			cardea_put_be64(h + 16, cardea_be64(h + 16) + 1);
		put_checksum(h, header_len);
		if (how & (i == 0 ? FUZZ_BAD_FIRST : FUZZ_BAD_SECOND))
			h[448] ^= 1;
	}
	return image;
}

static bool cipher_key_len(size_t n)
{
	return n == 16 || n == 24 || n == 32;
}

/* What cardea_spec_parse promises when it accepts. */
static void check_spec(const struct cardea_spec *s, size_t key_len)
{
	MUST(s->cipher < CARDEA_N_CIPHERS);
	MUST(s->mode <= CARDEA_MODE_XTS);
	MUST(s->iv <= CARDEA_IV_BENBI);
	if (s->mode == CARDEA_MODE_XTS)
		MUST(key_len % 2 == 0 && cipher_key_len(key_len / 2));
	else if (s->mode == CARDEA_MODE_LRW)
		MUST(key_len >= 16 && cipher_key_len(key_len - 16));
	else
		MUST(cipher_key_len(key_len));
	if (s->mode != CARDEA_MODE_ECB && s->iv == CARDEA_IV_ESSIV)
		MUST(s->essiv_hash < CARDEA_N_HASHES && cipher_key_len(cardea_hash_digest_len(s->essiv_hash)));
}

/* The text of an accepted spec gives the same again. */
static void check_spec_text(const char *text, size_t cap, const struct cardea_spec *want, size_t key_len)
{
	struct cardea_spec got;

	MUST(printable(text, cap) && text[0] != '\0');
	MUST(cardea_spec_parse(&got, text, key_len, &platform, "again") == CARDEA_OK);
	MUST(got.cipher == want->cipher && got.mode == want->mode && got.iv == want->iv);
	MUST(got.iv != CARDEA_IV_ESSIV || got.essiv_hash == want->essiv_hash);
	check_spec(want, key_len);
}

static void check_slot(const struct cardea_luks *l, const struct cardea_luks_slot *s, uint64_t container_len)
{
	MUST(s->state <= CARDEA_SLOT_DAMAGED);
	MUST(s->priority <= CARDEA_SLOT_PREFER);
	MUST(printable(s->why, sizeof(s->why)));
	MUST(cardea_strnlen(s->area_spec_text, sizeof(s->area_spec_text)) < sizeof(s->area_spec_text));
	if (s->state == CARDEA_SLOT_UNBOUND || s->state == CARDEA_SLOT_UNSUPPORTED || s->state == CARDEA_SLOT_DAMAGED)
		MUST(s->why[0] != '\0');
	if (s->state != CARDEA_SLOT_USABLE)
		return;
	if (s->kdf == CARDEA_KDF_PBKDF2) {
		MUST(s->iterations >= 1);
		MUST(s->kdf_hash < CARDEA_N_HASHES);
	} else {
		MUST(s->kdf == CARDEA_KDF_ARGON2I || s->kdf == CARDEA_KDF_ARGON2ID);
		MUST(s->passes >= 1);
		MUST(s->lanes >= 1 && s->lanes <= CARDEA_ARGON2_MAX_LANES);
		MUST(s->memory_kib >= 8 * s->lanes);
	}
	MUST(s->af_hash < CARDEA_N_HASHES);
	MUST(s->stripes >= 1);
	MUST(s->key_len == l->key_len);
	MUST(s->area_key_len >= 1 && s->area_key_len <= CARDEA_MAX_KEY);
	MUST(s->salt_len >= 1 && s->salt_len <= sizeof(s->salt));
	MUST((uint64_t)s->stripes * s->key_len <= s->area_len);
	MUST(s->area_len <= 4u << 20);
	MUST(s->area_offset % 512 == 0);
	MUST(s->area_offset < container_len && s->area_len <= container_len - s->area_offset);
	if (l->version == 2)
		MUST(s->area_offset >= 2 * l->header_len);
	MUST(s->digests != 0);
	for (unsigned d = 0; d < CARDEA_LUKS_MAX_DIGESTS; d++)
		if (s->digests >> d & 1)
			MUST(l->digest[d].present && l->digest[d].of_data);
	check_spec_text(s->area_spec_text, sizeof(s->area_spec_text), &s->area_spec, s->area_key_len);
}

static void check_model(const struct cardea_luks *l, const struct cardea_extent *where, bool detached)
{
	MUST(l->version == 1 || l->version == 2);
	MUST(l->start == where->start);
	MUST(l->key_len >= 1 && l->key_len <= CARDEA_MAX_KEY);
	MUST(cardea_is_pow2(l->sector_len) && l->sector_len >= 512 && l->sector_len <= CARDEA_MAX_SECTOR);
	MUST(l->data_offset % 512 == 0 && l->data_offset <= UINT64_MAX / 2);
	MUST(l->data_len % l->sector_len == 0 && l->data_len <= UINT64_MAX / 2);
	MUST(detached || l->data_offset != 0);
	check_spec_text(l->spec_text, sizeof(l->spec_text), &l->spec, l->key_len);
	if (l->version == 2) {
		MUST(cardea_is_pow2(l->header_len) && l->header_len >= 0x4000 && l->header_len <= 0x400000);
		MUST(detached || l->data_offset >= 2 * l->header_len);
	}
	MUST(l->n_slots == (l->version == 1 ? 8 : 32));
	for (unsigned i = 0; i < CARDEA_LUKS_MAX_SLOTS; i++) {
		const struct cardea_luks_slot *a = &l->slot[i];

		check_slot(l, a, where->len);
		MUST(i < l->n_slots || a->state == CARDEA_SLOT_EMPTY);
		for (unsigned k = 0; k < i; k++) {
			const struct cardea_luks_slot *b = &l->slot[k];

			MUST(a->state != CARDEA_SLOT_USABLE || b->state != CARDEA_SLOT_USABLE ||
			     a->area_offset + a->area_len <= b->area_offset ||
			     b->area_offset + b->area_len <= a->area_offset);
		}
	}
	for (unsigned i = 0; i < CARDEA_LUKS_MAX_DIGESTS; i++) {
		const struct cardea_luks_digest *d = &l->digest[i];

		if (!d->present)
			continue;
		MUST(d->of_data && d->hash < CARDEA_N_HASHES && d->iterations >= 1);
		MUST(d->salt_len >= 1 && d->salt_len <= sizeof(d->salt));
		MUST(d->digest_len >= 16 && d->digest_len <= sizeof(d->digest));
	}
}

void fuzz_luks(const uint8_t *data, size_t len)
{
	/* Static: the model is big, and a stack that is poisoned first would cost more than the reading. */
	static struct cardea_luks first, second;
	struct cardea_disk disk = { .read = memory_read };
	struct memory m = { .disk = &disk };
	uint64_t sizes[4] = { 32u << 20, 4u << 20, 0, (uint64_t)1 << 40 };
	unsigned version, quick_version;
	struct cardea_extent where;
	enum cardea_err err, err2;
	uint8_t how, how2, *image = NULL;
	uint64_t size;

	if (len < 2)
		return;
	begin();
	how = data[0];
	how2 = data[1];
	if (how & FUZZ_PARTS) {
		image = from_parts(data + 2, len - 2, &m.len, how, how2);
		m.bytes = image;
	} else {
		m.bytes = data + 2;
		m.len = len - 2;
	}
	m.shift = how2 & FUZZ_SHIFTED ? 1u << 20 : 0;
	disk.block_size = how & FUZZ_BLOCK_4096 ? 4096 : 512;
	size = sizes[how >> 2 & 3];
	if (size == 0)
		size = m.len;
	disk.block_count = (m.shift + size + disk.block_size - 1) / disk.block_size;
	disk.ctx = &m;
	where = (struct cardea_extent){ &disk, m.shift, size };

	begin();
	memset(&first, 0xa5, sizeof(first));
	fail_at = how2 >> 5;
	err = cardea_luks_read(&first, &suite, &platform, &where, how & FUZZ_DETACHED);
	MUST(live_pages == 0);
	MUST(err <= CARDEA_OK && err >= CARDEA_ERR_SELFTEST);
	MUST(err == CARDEA_OK || err == CARDEA_ERR_FORMAT || err == CARDEA_ERR_UNSUPPORTED ||
	     (err == CARDEA_ERR_NOMEM && fail_at != 0));
	MUST(err == CARDEA_OK || errors_logged > 0);
	MUST(printable(first.uuid, sizeof(first.uuid)));
	MUST(printable(first.label, sizeof(first.label)));
	MUST(printable(first.subsystem, sizeof(first.subsystem)));

	/* The same again, from other old contents. */
	begin();
	memset(&second, 0x5a, sizeof(second));
	fail_at = how2 >> 5;
	err2 = cardea_luks_read(&second, &suite, &platform, &where, how & FUZZ_DETACHED);
	MUST(err2 == err && memcmp(&first, &second, sizeof(first)) == 0);

	MUST(cardea_luks_probe(&where, true, &version) == CARDEA_OK);
	MUST(cardea_luks_probe(&where, false, &quick_version) == CARDEA_OK);
	MUST(quick_version == 0 || quick_version == version);
	if (err == CARDEA_OK) {
		uint64_t unit = disk.block_size > first.sector_len ? disk.block_size : first.sector_len;

		fail_at = 0;
		check_model(&first, &where, how & FUZZ_DETACHED);
		MUST(version == first.version || version != 1);
		errors_logged = 0;
		err = cardea_luks_check_data(&first, &platform, &where);
		MUST(err == CARDEA_OK || err == CARDEA_ERR_FORMAT || err == CARDEA_ERR_UNSUPPORTED);
		MUST(errors_logged == (err != CARDEA_OK));
		if (err == CARDEA_OK) {
			MUST(first.data_offset <= size);
			MUST((first.data_len != 0 ? first.data_len : unit) <= size - first.data_offset);
			MUST((where.start + first.data_offset) % disk.block_size == 0);
		}
	} else {
		/* "On error *out holds what could be read of version, uuid, label and spec_text, ... else zeros." */
		first.version = 0;
		memset(first.uuid, 0, sizeof(first.uuid));
		memset(first.label, 0, sizeof(first.label));
		memset(first.spec_text, 0, sizeof(first.spec_text));
		MUST(all_zero(&first, sizeof(first)));
	}
	free(image);
}

/* ---- JSON ----------------------------------------------------------------------------------------------------- */

/* A second opinion on what JSON is, by recursion: the position after the value, or NULL. */
static const char *ref_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

static const char *ref_string(const char *p, const char *end)
{
	if (p == end || *p++ != '"')
		return NULL;
	for (; p < end && *p != '"'; p++) {
		if ((unsigned char)*p < 0x20)
			return NULL;
		if (*p != '\\')
			continue;
		if (++p == end || strchr("\"\\/bfnrtu", *p) == NULL || *p == '\0')
			return NULL;
		for (unsigned i = 0, n = *p == 'u' ? 4 : 0; i < n; i++)
			if (++p == end || strchr("0123456789abcdefABCDEF", *p) == NULL || *p == '\0')
				return NULL;
	}
	return p < end ? p + 1 : NULL;
}

static const char *ref_digits(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p == from ? NULL : p;
}

static const char *ref_number(const char *p, const char *end)
{
	p += p < end && *p == '-';
	p = p < end && *p == '0' ? p + 1 : ref_digits(p, end);
	if (p != NULL && p < end && *p == '.')
		p = ref_digits(p + 1, end);
	if (p != NULL && p < end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		p = ref_digits(p, end);
	}
	return p;
}

static const char *ref_value(const char *p, const char *end, unsigned depth)
{
	static const char *const words[] = { "true", "false", "null" };
	char close;

	p = ref_space(p, end);
	if (p == end || depth > 1000)
		return NULL;
	if (*p == '"')
		return ref_string(p, end);
	for (unsigned i = 0; i < 3; i++)
		if ((size_t)(end - p) >= strlen(words[i]) && memcmp(p, words[i], strlen(words[i])) == 0)
			return p + strlen(words[i]);
	if (*p != '{' && *p != '[')
		return ref_number(p, end);
	close = *p == '{' ? '}' : ']';
	p = ref_space(p + 1, end);
	if (p < end && *p == close)
		return p + 1;
	for (;; p++) {
		if (close == '}') {
			p = ref_string(ref_space(p, end), end);
			if (p == NULL)
				return NULL;
			p = ref_space(p, end);
			if (p == end || *p++ != ':')
				return NULL;
		}
		p = ref_value(p, end, depth + 1);
		if (p == NULL)
			return NULL;
		p = ref_space(p, end);
		if (p == end || (*p != ',' && *p != close))
			return NULL;
		if (*p == close)
			return p + 1;
	}
}

static bool ref_json(const char *text, size_t len)
{
	const char *end = text + len, *p = ref_value(text, end, 0);

	for (; p != NULL && p < end; p++)
		if (*p != '\0' && *p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')
			return false;
	return p != NULL;
}

static void check_numbers(const struct cardea_json *j, uint32_t tok)
{
	static const uint64_t ranges[][2] = { { 0, UINT64_MAX }, { 1, UINT32_MAX }, { 512, 4096 }, { 0, 0 } };
	uint64_t v;

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(ranges); i++) {
		char text[32];
		bool number = cardea_json_u64(j, tok, ranges[i][0], ranges[i][1], &v);

		MUST(number ? v >= ranges[i][0] && v <= ranges[i][1] : v == 0);
		if (!number) {
			number = cardea_json_str_u64(j, tok, ranges[i][0], ranges[i][1], &v);
			MUST(number ? v >= ranges[i][0] && v <= ranges[i][1] : v == 0);
		}
		/* The one decimal spelling of this number. */
		snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
		MUST(!number || (strlen(text) == j->tokens[tok].len &&
		                 memcmp(text, j->text + j->tokens[tok].start, strlen(text)) == 0));
	}
}

static bool same_text(const struct cardea_json *j, uint32_t a, uint32_t b)
{
	const struct cardea_json_token *x = &j->tokens[a], *y = &j->tokens[b];

	return x->len == y->len && memcmp(j->text + x->start, j->text + y->start, x->len) == 0;
}

/* One token and all in it; returns how many. */
static uint32_t check_token(const struct cardea_json *j, uint32_t tok, size_t from, size_t to, unsigned depth)
{
	const struct cardea_json_token *t = &j->tokens[tok];
	struct cardea_json_iter it = cardea_json_iter(j, tok);
	bool box = t->type == CARDEA_JSON_OBJECT || t->type == CARDEA_JSON_ARRAY;
	uint32_t n = 0, seen = 1, k, v, k2, v2;
	char small[8], big[300];

	MUST(depth <= CARDEA_JSON_DEPTH);
	MUST(t->type <= CARDEA_JSON_NULL);
	MUST(t->start >= from && t->start <= to && t->len <= to - t->start);
	MUST(t->next > tok && t->next <= j->n_tokens);
	MUST(box || t->next == tok + 1);
	if (t->type == CARDEA_JSON_STRING)
		MUST(t->start > 0 && j->text[t->start - 1] == '"' && j->text[t->start + t->len] == '"');
	if (box)
		MUST(t->len >= 2 && strchr("}]", j->text[t->start + t->len - 1]) != NULL);
	check_numbers(j, tok);
	if (cardea_json_str(j, tok, big, sizeof(big)))
		MUST(printable(big, sizeof(big)) && cardea_json_str_is(j, tok, big) && strlen(big) == t->len);
	else
		MUST(big[0] == '\0');
	if (cardea_json_str(j, tok, small, sizeof(small)))
		MUST(strlen(small) == t->len);
	while (cardea_json_next(j, &it, &k, &v)) {
		MUST((k == CARDEA_JSON_NONE) == (t->type == CARDEA_JSON_ARRAY));
		if (k != CARDEA_JSON_NONE) {
			struct cardea_json_iter it2 = cardea_json_iter(j, tok);

			MUST(cardea_json_is(j, k, CARDEA_JSON_STRING));
			seen += check_token(j, k, t->start, t->start + t->len, depth);
			/* No other member has this key; cardea_json_get finds this one. */
			while (t->n <= 64 && cardea_json_next(j, &it2, &k2, &v2))
				MUST(k2 == k || !same_text(j, k2, k));
			if (cardea_json_str(j, k, big, sizeof(big)))
				MUST(cardea_json_get(j, tok, big) == v);
		}
		seen += check_token(j, v, t->start, t->start + t->len,
		                    depth + (j->tokens[v].type <= CARDEA_JSON_ARRAY));
		n++;
	}
	MUST(n == t->n || !box);
	MUST(tok + seen == t->next);
	return seen;
}

void fuzz_json(const uint8_t *data, size_t len)
{
	size_t text_len, at = SIZE_MAX;
	uint32_t max;
	struct cardea_json j;
	struct cardea_json_token *tokens;
	const char *fault;
	char *text;

	if (len < 2)
		return;
	max = 1 + (uint32_t)(data[0] | data[1] << 8) % 4096;
	text_len = len - 2;
	/* Both just as big as they are said to be, so that ASan sees one byte more. */
	text = malloc(text_len + (text_len == 0));
	tokens = malloc(max * sizeof(*tokens));
	MUST(text != NULL && tokens != NULL);
	memcpy(text, data + 2, text_len);
	memset(tokens, 0xa5, max * sizeof(*tokens));
	begin();
	fault = cardea_json_parse(&j, tokens, max, text, text_len, &at);
	MUST(at <= text_len);
	MUST(memcmp(text, data + 2, text_len) == 0);
	if (fault == NULL) {
		MUST(ref_json(text, text_len));
		MUST(j.n_tokens >= 1 && j.n_tokens <= max && tokens[0].next == j.n_tokens);
		check_token(&j, 0, 0, text_len, tokens[0].type <= CARDEA_JSON_ARRAY);
	} else {
		MUST(j.n_tokens == 0);
		MUST(cardea_json_get(&j, 0, "config") == CARDEA_JSON_NONE);
		MUST(!ref_json(text, text_len) || strcmp(fault, "duplicate key") == 0 ||
		     strcmp(fault, "nested too deeply") == 0 || strcmp(fault, "too many values") == 0);
	}
	free(tokens);
	free(text);
}

/* ---- base64 --------------------------------------------------------------------------------------------------- */

static size_t encode(char *out, const uint8_t *in, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = 0;

	for (size_t i = 0; i < len; i += 3) {
		size_t got = cardea_min_size(3, len - i);
		uint32_t bits = (uint32_t)in[i] << 16;

		if (got > 1)
			bits |= (uint32_t)in[i + 1] << 8;
		if (got > 2)
			bits |= in[i + 2];

		for (size_t k = 0; k < 4; k++)
			out[n++] = k <= got ? digits[bits >> (18 - 6 * k) & 63] : '=';
	}
	return n;
}

void fuzz_base64(const uint8_t *data, size_t len)
{
	size_t cap, text_len, got, n;
	uint8_t *out;
	char *text, *again;

	if (len < 1)
		return;
	cap = data[0];
	text_len = len - 1;
	text = malloc(text_len + (text_len == 0));
	again = malloc((text_len + 2) / 3 * 4 + 300 / 3 * 4);
	out = malloc(cap + (cap == 0));
	MUST(text != NULL && out != NULL && again != NULL);
	memcpy(text, data + 1, text_len);
	memset(out, 0xa5, cap);
	got = SIZE_MAX;
	if (cardea_base64_decode(out, cap, &got, text, text_len)) {
		/* Every value has one spelling. */
		MUST(got <= cap);
		MUST(encode(again, out, got) == text_len && memcmp(again, text, text_len) == 0);
	} else {
		MUST(got == 0 && all_zero(out, cap));
	}
	/* And whatever is encoded comes back when there is room for it. */
	n = encode(again, (const uint8_t *)text, text_len);
	if (cardea_base64_decode(out, cap, &got, again, n))
		MUST(got == text_len && memcmp(out, text, got) == 0);
	else
		MUST(text_len > cap && all_zero(out, cap));
	free(out);
	free(again);
	free(text);
}

/* ---- cipher specs --------------------------------------------------------------------------------------------- */

void fuzz_spec(const uint8_t *data, size_t len)
{
	struct cardea_spec spec, old;
	struct cardea_crypt crypt;
	uint8_t key[256], plain[1024], got[1024];
	size_t key_len;
	char *text;
	enum cardea_err err;

	if (len < 1)
		return;
	key_len = data[0];
	text = malloc(len);
	MUST(text != NULL);
	memcpy(text, data + 1, len - 1);
	text[len - 1] = '\0';
	memset(&old, 0xa5, sizeof(old));
	spec = old;
	begin();
	err = cardea_spec_parse(&spec, text, key_len, &platform, "fuzz");
	MUST(err == CARDEA_OK || err == CARDEA_ERR_FORMAT || err == CARDEA_ERR_UNSUPPORTED);
	if (err != CARDEA_OK) {
		MUST(errors_logged == 1);
		MUST(all_zero(&spec, sizeof(spec)) || memcmp(&spec, &old, sizeof(spec)) == 0);
	} else {
		MUST(errors_logged == 0);
		check_spec(&spec, key_len);
		for (size_t i = 0; i < sizeof(plain); i++)
			plain[i] = (uint8_t)(i * 7 + len);
		for (size_t i = 0; i < sizeof(key); i++)
			key[i] = (uint8_t)(i * 5 + 1);
		memcpy(got, plain, sizeof(got));
		cardea_crypt_init(&crypt, &suite, &platform, &spec, 512, key, key_len);
		cardea_crypt_encrypt(&crypt, &platform, got, got, 2, 12345);
		MUST(memcmp(got, plain, sizeof(got)) != 0);
		cardea_crypt_decrypt(&crypt, &platform, got, got, 2, 12345);
		MUST(memcmp(got, plain, sizeof(got)) == 0);
	}
	free(text);
}

/* ---- mutations ------------------------------------------------------------------------------------------------ */

static const char *const interesting[] = {
	"0", "1", "-1", "2", "7", "8", "31", "32", "33", "63", "64", "65", "255", "256", "511", "512", "1024", "4095",
	"4096", "4097", "8192", "65536", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
	"18446744073709551615", "18446744073709551616", "1e3", "1.0", "00", "true", "false", "null", "{}", "[]",
	"[\"0\"]",
	"\"\"", "\"0\"", "\"1\"", "\"32\"", "\"512\"", "\"4096\"", "\"12288\"", "\"16384\"", "\"32768\"", "\"258048\"",
	"\"16744448\"", "\"33554432\"", "\"4194304\"", "\"9223372036854775807\"", "\"9223372036854771712\"",
	"\"18446744073709551104\"", "\"18446744073709551615\"", "\"18446744073709551616\"", "\"dynamic\"", "\"luks2\"",
	"\"reencrypt\"", "\"crypt\"", "\"linear\"", "\"raw\"", "\"luks1\"", "\"pbkdf2\"", "\"argon2i\"", "\"argon2id\"",
	"\"argon2d\"", "\"sha1\"", "\"sha256\"", "\"whirlpool\"", "\"md5\"", "\"aes-xts-plain64\"",
	"\"aes-cbc-essiv:sha256\"",
	"\"twofish-lrw-benbi\"", "\"serpent-xts-plain64\"", "\"capi:xts(aes)-plain64\"", "\"cipher_null-ecb\"",
	"\"AAAAAAAAAAAAAAAAAAAAAA==\"",
	"\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"",
	"\"\\u0000\"", "\"\\/\"", "\"\x7f\xff\"", "{\"mandatory\":[\"online-reencrypt-v2\"]}", "{\"type\":\"aead\"}",
	"[\"backup-final\"]", "{\"0\":{},\"1\":{}}",
};
const uint32_t fuzz_n_interesting = CARDEA_ARRAY_LEN(interesting);

#define MUTATE_TOKENS 4096u

static uint32_t tokens_of(struct cardea_json *j, struct cardea_json_token *tokens, const char *text, size_t len)
{
	size_t at;

	return cardea_json_parse(j, tokens, MUTATE_TOKENS, text, len, &at) == NULL ? j->n_tokens : 0;
}

uint32_t fuzz_json_values(const char *text, size_t len)
{
	static struct cardea_json_token tokens[MUTATE_TOKENS];
	struct cardea_json j;

	return tokens_of(&j, tokens, text, len);
}

/* Where a token stands in the text, quotes included. */
static void span(const struct cardea_json_token *t, size_t *start, size_t *len)
{
	size_t quote = t->type == CARDEA_JSON_STRING;

	*start = t->start - quote;
	*len = t->len + 2 * quote;
}

size_t fuzz_mutate_json(char *text, size_t len, size_t cap, uint32_t which, uint32_t with)
{
	static struct cardea_json_token tokens[MUTATE_TOKENS];
	struct cardea_json j;
	uint32_t n = tokens_of(&j, tokens, text, len);
	size_t start, old_len, new_len, end;
	char *copy;

	if (n == 0)
		return 0;
	span(&tokens[which % n], &start, &old_len);
	if (with < fuzz_n_interesting) {
		new_len = strlen(interesting[with]);
		copy = malloc(new_len + 1);
		MUST(copy != NULL);
		memcpy(copy, interesting[with], new_len);
	} else {
		size_t from;

		span(&tokens[(with - fuzz_n_interesting) % n], &from, &new_len);
		copy = malloc(new_len + 1);
		MUST(copy != NULL);
		memcpy(copy, text + from, new_len);
	}
	end = start + old_len;
	if (len - old_len + new_len > cap) {
		free(copy);
		return 0;
	}
	memmove(text + start + new_len, text + end, len - end);
	memcpy(text + start, copy, new_len);
	free(copy);
	return len - old_len + new_len;
}
