/* SPDX-License-Identifier: MIT */
/*
 * LUKS volumes made in memory, then damaged in one place at a time: what is read, refused and opened.  Real
 * volumes made by cryptsetup, the kernel and QEMU are read by the host's tests; this set also runs in firmware.
 */
#include "sets/sets.h"

#define DISK_LEN (128u << 10)
#define STRIPES 20u
#define PASS "correct horse"

/* ---- a disk in memory that can be told to fail ----------------------------------------------------------- */

struct mem_disk {
	struct cardea_disk disk;
	uint8_t *bytes;
	uint64_t calls, fail_at; /* the fail_at-th read or write fails; 0: none */
	bool fail_for_good;      /* and all after it */
};

static bool fails(struct mem_disk *m)
{
	m->calls++;
	return m->fail_at != 0 && (m->fail_for_good ? m->calls >= m->fail_at : m->calls == m->fail_at);
}

static enum cardea_err mem_read(void *ctx, uint64_t block, void *dst, size_t count)
{
	struct mem_disk *m = ctx;

	if (fails(m))
		return CARDEA_ERR_IO;
	memcpy(dst, m->bytes + block * m->disk.block_size, count * m->disk.block_size);
	return CARDEA_OK;
}

static enum cardea_err mem_write(void *ctx, uint64_t block, const void *src, size_t count)
{
	struct mem_disk *m = ctx;

	if (fails(m))
		return CARDEA_ERR_IO;
	memcpy(m->bytes + block * m->disk.block_size, src, count * m->disk.block_size);
	return CARDEA_OK;
}

static bool mem_open(struct mem_disk *m, struct test *t, uint32_t block_size)
{
	*m = (struct mem_disk){ .bytes = cardea_pages(t->platform, DISK_LEN, "test") };
	m->disk = (struct cardea_disk){ m, block_size, DISK_LEN / block_size, mem_read, mem_write };
	return CHECK(m->bytes != NULL);
}

static struct cardea_extent whole(struct mem_disk *m)
{
	return (struct cardea_extent){ &m->disk, 0, DISK_LEN };
}

/* A platform that runs out of pages at the fail_at-th request. */
struct poor {
	const struct cardea_platform *rich;
	unsigned calls, fail_at;
};

static void *poor_pages(void *ctx, size_t count)
{
	struct poor *p = ctx;

	return ++p->calls == p->fail_at ? NULL : p->rich->pages(p->rich->ctx, count);
}

static void poor_pages_free(void *ctx, void *pages, size_t count)
{
	struct poor *p = ctx;

	p->rich->pages_free(p->rich->ctx, pages, count);
}

static unsigned poor_cpus(void *ctx)
{
	(void)ctx;
	return 1;
}

static void poor_run(void *ctx, const struct cardea_job *job, unsigned count)
{
	(void)ctx;
	for (unsigned i = 0; i < count; i++)
		job->fn(job->arg, i);
}

static uint64_t poor_clock(void *ctx)
{
	(void)ctx;
	return 0;
}

static struct cardea_platform poor_platform(struct poor *p, struct test *t, unsigned fail_at)
{
	*p = (struct poor){ t->platform, 0, fail_at };
	return (struct cardea_platform){ .ctx = p, .pages = poor_pages, .pages_free = poor_pages_free, .cpus = poor_cpus,
	                                 .run = poor_run, .clock_us = poor_clock };
}

/* ---- writing volumes --------------------------------------------------------------------------------------- */

/* AF split (LUKS1 2.4) with stripes that are not random: the last one is what makes the sum come out. */
static void af_split(struct test *t, enum cardea_hash_id hash, uint8_t *out, const uint8_t *key, size_t len)
{
	uint8_t merged[CARDEA_MAX_KEY];

	test_fill(out, len * (STRIPES - 1), 77);
	memset(out + len * (STRIPES - 1), 0, len);
	/* Merging with a last stripe of zeros gives the diffused sum; xored with the key it is the last stripe. */
	cardea_af_merge(t->suite, t->platform, hash, merged, out, len, STRIPES);
	for (size_t i = 0; i < len; i++)
		out[len * (STRIPES - 1) + i] = merged[i] ^ key[i];
}

static void write_slot(struct test *t, uint8_t *area, const char *spec_text, enum cardea_hash_id hash,
                       const uint8_t *area_key, const uint8_t *key, size_t key_len)
{
	struct cardea_crypt crypt;
	struct cardea_spec spec;
	size_t sectors = (key_len * STRIPES + 511) / 512;

	memset(area, 0, sectors * 512);
	af_split(t, hash, area, key, key_len);
	CHECK(cardea_spec_parse(&spec, spec_text, key_len, t->platform, "test") == CARDEA_OK);
	cardea_crypt_init(&crypt, t->suite, t->platform, &spec, 512, area_key, key_len);
	cardea_crypt_encrypt(&crypt, t->platform, area, area, sectors, 0);
}

#define L1_SLOT 5u
#define L1_AREA 8u      /* sectors */
#define L1_DATA 64u
#define L1_KEY_LEN 32u

/* LUKS1, aes-xts-plain64, sha256, one slot. */
static void make_luks1(struct test *t, struct mem_disk *m, const uint8_t key[32])
{
	uint8_t *h = m->bytes, area_key[64];
	uint8_t *slot = h + 208 + L1_SLOT * 48;

	memset(h, 0, DISK_LEN);
	memcpy(h, "LUKS\xba\xbe\0\1", 8);
	memcpy(h + 8, "aes", 3);
	memcpy(h + 40, "xts-plain64", 11);
	memcpy(h + 72, "sha256", 6);
	cardea_put_be32(h + 104, L1_DATA);
	cardea_put_be32(h + 108, L1_KEY_LEN);
	test_fill(h + 132, 32, 3);
	cardea_put_be32(h + 164, 5);
	memcpy(h + 168, "12345678-1234-1234-1234-123456789abc", 36);
	CHECK(cardea_pbkdf2(t->suite, t->platform, CARDEA_HASH_SHA256, h + 112, 20, key, L1_KEY_LEN, h + 132, 32, 5, 0) ==
	      CARDEA_OK);
	for (unsigned i = 0; i < 8; i++)
		cardea_put_be32(h + 208 + i * 48, 0xdead);
	cardea_put_be32(slot, 0xac71f3);
	cardea_put_be32(slot + 4, 7);
	test_fill(slot + 8, 32, 4);
	cardea_put_be32(slot + 40, L1_AREA);
	cardea_put_be32(slot + 44, STRIPES);
	CHECK(cardea_pbkdf2(t->suite, t->platform, CARDEA_HASH_SHA256, area_key, L1_KEY_LEN, (const uint8_t *)PASS,
	                    sizeof(PASS) - 1, slot + 8, 32, 7, 0) == CARDEA_OK);
	write_slot(t, h + L1_AREA * 512, "aes-xts-plain64", CARDEA_HASH_SHA256, area_key, key, L1_KEY_LEN);
}

static enum cardea_err unlock(struct test *t, struct mem_disk *m, const struct cardea_luks *luks, const char *pass,
                              uint32_t which, struct cardea_volume *v, unsigned *slot)
{
	struct cardea_extent e = whole(m);

	return cardea_luks_unlock(v, t->suite, t->platform, luks, &e, &e, (const uint8_t *)pass, cardea_strnlen(pass, 99),
	                          which, slot);
}

struct change {
	uint16_t offset, len;
	const char *bytes;
	enum cardea_err read, open; /* what cardea_luks_read and then cardea_luks_unlock answer */
};

void test_luks1(struct test *t)
{
	static const struct change rows[] = {
		{ 0, 1, "M", CARDEA_ERR_FORMAT, 0 },                     /* magic        */
		{ 6, 2, "\0\3", CARDEA_ERR_UNSUPPORTED, 0 },             /* version      */
		{ 8, 4, "aesx", CARDEA_ERR_UNSUPPORTED, 0 },             /* cipher name  */
		{ 8, 4, "\x01\x02\x03\x04", CARDEA_ERR_UNSUPPORTED, 0 },
		{ 40, 3, "gcm", CARDEA_ERR_UNSUPPORTED, 0 },             /* mode         */
		{ 40, 11, "xts-plain99", CARDEA_ERR_UNSUPPORTED, 0 },    /* IV generator */
		{ 72, 6, "sha999", CARDEA_ERR_UNSUPPORTED, 0 },          /* hash         */
		{ 104, 4, "\0\0\0\0", CARDEA_ERR_FORMAT, 0 },            /* data offset  */
		{ 104, 4, "\0\0\0\1", CARDEA_ERR_FORMAT, 0 },
		{ 104, 4, "\0\1\0\0", CARDEA_OK, CARDEA_ERR_FORMAT },    /* past the end */
		{ 104, 4, "\xff\xff\xff\xff", CARDEA_OK, CARDEA_ERR_FORMAT },
		{ 108, 4, "\0\0\0\0", CARDEA_ERR_FORMAT, 0 },            /* key bytes    */
		{ 108, 4, "\0\0\0\x21", CARDEA_ERR_FORMAT, 0 },
		{ 108, 4, "\0\0\x10\0", CARDEA_ERR_FORMAT, 0 },
		{ 112, 1, "\x99", CARDEA_OK, CARDEA_ERR_KEY },           /* digest       */
		{ 164, 4, "\0\0\0\0", CARDEA_ERR_FORMAT, 0 },
		{ 448, 4, "\0\0\xde\xad", CARDEA_OK, CARDEA_ERR_KEY },   /* slot: no other is in use */
		{ 448, 4, "\0\1\2\3", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
		{ 452, 4, "\0\0\0\0", CARDEA_OK, CARDEA_ERR_UNSUPPORTED }, /* iterations */
		{ 456, 1, "\x99", CARDEA_OK, CARDEA_ERR_KEY },           /* salt         */
		{ 488, 4, "\0\0\0\0", CARDEA_OK, CARDEA_ERR_UNSUPPORTED }, /* area       */
		{ 488, 4, "\0\0\0\x3f", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
		{ 488, 4, "\xff\xff\xff\xff", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
		{ 492, 4, "\0\0\0\0", CARDEA_OK, CARDEA_ERR_UNSUPPORTED }, /* stripes    */
		{ 492, 4, "\x10\0\0\0", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
		{ 4096, 1, "\x99", CARDEA_OK, CARDEA_ERR_KEY },          /* key material */
	};
	struct cardea_luks luks;
	struct cardea_volume v;
	struct cardea_extent e;
	struct mem_disk m;
	uint8_t key[L1_KEY_LEN], plain[1024], got[1024];
	unsigned slot = 99, version;

	if (!mem_open(&m, t, 512))
		return;
	e = whole(&m);
	test_fill(key, sizeof(key), 1);
	make_luks1(t, &m, key);
	CHECK(cardea_luks_probe(&e, false, &version) == CARDEA_OK && version == 1);
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_OK);
	CHECK(luks.version == 1 && luks.key_len == 32 && luks.data_offset == L1_DATA * 512 && luks.n_slots == 8);
	CHECK(cardea_streq(luks.uuid, "12345678-1234-1234-1234-123456789abc"));
	CHECK(luks.slot[L1_SLOT].state == CARDEA_SLOT_USABLE && luks.slot[0].state == CARDEA_SLOT_EMPTY);
	CHECK(unlock(t, &m, &luks, "wrong", CARDEA_ANY_SLOT, &v, NULL) == CARDEA_ERR_KEY);
	CHECK(unlock(t, &m, &luks, "", CARDEA_ANY_SLOT, &v, NULL) == CARDEA_ERR_KEY);
	CHECK(unlock(t, &m, &luks, PASS, 2, &v, NULL) == CARDEA_ERR_KEY);
	CHECK(unlock(t, &m, &luks, PASS, L1_SLOT, &v, &slot) == CARDEA_OK && slot == L1_SLOT);
	CHECK(unlock(t, &m, &luks, PASS, CARDEA_ANY_SLOT, &v, &slot) == CARDEA_OK && slot == L1_SLOT);
	CHECK(v.block_size == 512 && v.block_count == DISK_LEN / 512 - L1_DATA);
	/* What is written comes back, and is not on the disk as it is. */
	test_fill(plain, sizeof(plain), 9);
	CHECK(cardea_volume_write(&v, 3, plain, 2) == CARDEA_OK);
	CHECK(memcmp(m.bytes + (L1_DATA + 3) * 512, plain, sizeof(plain)) != 0);
	CHECK(cardea_volume_read(&v, 3, got, 2) == CARDEA_OK);
	CHECK_MEM(got, plain, sizeof(plain));
	cardea_volume_close(&v);

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(rows); i++) {
		enum cardea_err err;

		make_luks1(t, &m, key);
		memcpy(m.bytes + rows[i].offset, rows[i].bytes, rows[i].len);
		err = cardea_luks_read(&luks, t->suite, t->platform, &e, false);
		if (!CHECK(err == rows[i].read))
			test_note(t, "    row %zu: read says %d", i, (int)err);
		if (err != CARDEA_OK)
			continue;
		err = unlock(t, &m, &luks, PASS, CARDEA_ANY_SLOT, &v, NULL);
		if (!CHECK(err == rows[i].open))
			test_note(t, "    row %zu: unlock says %d", i, (int)err);
	}
	/* Two slots on one area: the second is not believed. */
	make_luks1(t, &m, key);
	memcpy(m.bytes + 208 + 6 * 48, m.bytes + 208 + L1_SLOT * 48, 48);
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_OK);
	CHECK(luks.slot[5].state == CARDEA_SLOT_USABLE && luks.slot[6].state == CARDEA_SLOT_DAMAGED);
	cardea_pages_free(t->platform, m.bytes, DISK_LEN);
}

/* ---- LUKS2 -------------------------------------------------------------------------------------------------- */

#define L2_HEADER 16384u
#define L2_AREA (2 * L2_HEADER)
#define L2_DATA 49152u
#define L2_KEY_LEN 64u

/* Salt of 16 bytes 0..15 everywhere; the digest is filled in. */
#define SALT64 "AAECAwQFBgcICQoLDA0ODw=="

static const char l2_json[] =
	"{\"keyslots\":{\"0\":{\"type\":\"luks2\",\"key_size\":64,\"af\":{\"type\":\"luks1\",\"stripes\":20,\"hash\":\"sha512\"},"
	"\"area\":{\"type\":\"raw\",\"offset\":\"32768\",\"size\":\"4096\",\"encryption\":\"twofish-xts-plain64\",\"key_size\":64},"
	"\"kdf\":{\"type\":\"argon2id\",\"time\":1,\"memory\":64,\"cpus\":2,\"salt\":\"" SALT64 "\"}},"
	"\"1\":{\"type\":\"luks2\",\"key_size\":64,\"priority\":2,\"af\":{\"type\":\"luks1\",\"stripes\":20,\"hash\":\"sha512\"},"
	"\"area\":{\"type\":\"raw\",\"offset\":\"36864\",\"size\":\"4096\",\"encryption\":\"twofish-xts-plain64\",\"key_size\":64},"
	"\"kdf\":{\"type\":\"scrypt\",\"salt\":\"" SALT64 "\"}},"
	"\"2\":{\"type\":\"luks2\",\"key_size\":64,\"af\":{\"type\":\"luks1\",\"stripes\":20,\"hash\":\"sha512\"},"
	"\"area\":{\"type\":\"raw\",\"offset\":\"40960\",\"size\":\"4096\",\"encryption\":\"twofish-xts-plain64\",\"key_size\":64},"
	"\"kdf\":{\"type\":\"pbkdf2\",\"hash\":\"sha256\",\"iterations\":2,\"salt\":\"" SALT64 "\"}}},"
	"\"tokens\":{\"0\":{\"type\":\"x\",\"keyslots\":[],\"deep\":[[[[{\"a\":null}]]]]}},"
	"\"segments\":{\"0\":{\"type\":\"crypt\",\"offset\":\"49152\",\"size\":\"dynamic\",\"iv_tweak\":\"0\","
	"\"encryption\":\"twofish-xts-plain64\",\"sector_size\":4096}},"
	"\"digests\":{\"0\":{\"type\":\"pbkdf2\",\"keyslots\":[\"0\",\"1\"],\"segments\":[\"0\"],\"hash\":\"sha256\","
	"\"iterations\":3,\"salt\":\"" SALT64 "\",\"digest\":\"@DIGEST@\"}},"
	"\"config\":{\"json_size\":\"12288\",\"keyslots_size\":\"16384\"}}";

static void base64(char *out, const uint8_t *in, size_t len)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)in[i] << 16 | (i + 1 < len ? (uint32_t)in[i + 1] << 8 : 0) | (i + 2 < len ? in[i + 2] : 0);

		for (unsigned k = 0; k < 4; k++)
			*out++ = i + k > len ? '=' : alphabet[v >> (18 - 6 * k) & 63];
	}
	*out = '\0';
}

/* Copies `text` with the first occurrence of `from` replaced; false when there is none. */
static bool replaced(char *out, const char *text, const char *from, const char *to)
{
	size_t len = cardea_strnlen(text, L2_HEADER), n = cardea_strnlen(from, L2_HEADER);

	for (size_t i = 0; i + n <= len; i++) {
		if (memcmp(text + i, from, n) == 0) {
			size_t m = cardea_strnlen(to, L2_HEADER);

			memmove(out + i + m, text + i + n, len - i - n + 1);
			memmove(out, text, i);
			memcpy(out + i, to, m);
			return true;
		}
	}
	memmove(out, text, len + 1);
	return false;
}

static void seal(struct test *t, uint8_t *h)
{
	uint8_t sum[64] = { 0 };

	memset(h + 448, 0, 64);
	cardea_hash_once(t->suite, t->platform, CARDEA_HASH_SHA256, sum, h, L2_HEADER);
	memcpy(h + 448, sum, 64);
}

static void write_l2_header(struct test *t, uint8_t *h, bool second, uint64_t seqid, const char *json)
{
	memset(h, 0, L2_HEADER);
	memcpy(h, second ? "SKUL\xba\xbe\0\2" : "LUKS\xba\xbe\0\2", 8);
	cardea_put_be64(h + 8, L2_HEADER);
	cardea_put_be64(h + 16, seqid);
	memcpy(h + 24, "label", 5);
	memcpy(h + 72, "sha256", 6);
	memcpy(h + 168, "abcdef01-1234-1234-1234-123456789abc", 36);
	cardea_put_be64(h + 256, second ? L2_HEADER : 0);
	memcpy(h + 4096, json, cardea_strnlen(json, L2_HEADER - 4096));
	seal(t, h);
}

/* Both headers with this JSON after replacing `from` by `to` (NULL: as it is). */
static void make_luks2(struct test *t, struct mem_disk *m, const uint8_t *key, const char *from, const char *to)
{
	struct cardea_argon2 a = { .type = CARDEA_ARGON2ID, .passes = 1, .memory_kib = 64, .lanes = 2 };
	uint8_t salt[16], area_key[64], digest[32];
	char text[48], *json = (char *)m->bytes + DISK_LEN - L2_HEADER; /* scratch, cleared again */

	memset(m->bytes, 0, DISK_LEN);
	for (unsigned i = 0; i < 16; i++)
		salt[i] = (uint8_t)i;
	CHECK(cardea_pbkdf2(t->suite, t->platform, CARDEA_HASH_SHA256, digest, 32, key, L2_KEY_LEN, salt, 16, 3, 0) ==
	      CARDEA_OK);
	base64(text, digest, 32);
	CHECK(replaced(json, l2_json, "@DIGEST@", text));
	if (from != NULL && !CHECK(replaced(json, json, from, to)))
		test_note(t, "    %s", from);
	write_l2_header(t, m->bytes, false, 4, json);
	write_l2_header(t, m->bytes + L2_HEADER, true, 4, json);
	memset(json, 0, L2_HEADER);
	CHECK(cardea_argon2(t->suite, t->platform, &a, area_key, 64, (const uint8_t *)PASS, sizeof(PASS) - 1, salt, 16, 0) ==
	      CARDEA_OK);
	write_slot(t, m->bytes + L2_AREA, "twofish-xts-plain64", CARDEA_HASH_SHA512, area_key, key, L2_KEY_LEN);
}

struct edit {
	const char *from, *to;
	enum cardea_err read, open;
};

static const struct edit l2_edits[] = {
	/* Odd, but in order. */
	{ "\"tokens\":{", "\"tokens\":{ \"31\":{}, ", CARDEA_OK, CARDEA_OK },
	{ "\"config\":{", "\"config\":{\"flags\":[\"no-read-workqueue\"],", CARDEA_OK, CARDEA_OK },
	{ "\"config\":{", "\"config\":{\"requirements\":{},", CARDEA_OK, CARDEA_OK },
	{ "\"config\":{", "\"config\":{\"requirements\":{\"mandatory\":[]},", CARDEA_OK, CARDEA_OK },
	{ "\"size\":\"dynamic\"", "\"size\":\"65536\"", CARDEA_OK, CARDEA_OK },
	{ "\"salt\":\"" SALT64 "\",\"digest\"", "\"salt\" : \"" SALT64 "\" , \"digest\"", CARDEA_OK, CARDEA_OK },
	{ "\"segments\":{\"0\":{\"type\":\"crypt\",\"offset\":\"49152\"",
	  "\"segments\":{\"1\":{\"flags\":[\"backup-final\"],\"type\":\"linear\"},\"0\":{\"type\":\"crypt\",\"offset\":\"49152\"",
	  CARDEA_OK, CARDEA_OK },
	/* Refused by name. */
	{ "\"config\":{", "\"config\":{\"requirements\":{\"mandatory\":[\"online-reencrypt-v2\"]},", CARDEA_ERR_UNSUPPORTED, 0 },
	{ "\"config\":{", "\"config\":{\"requirements\":{\"mandatory\":[\"x\"]},", CARDEA_ERR_UNSUPPORTED, 0 },
	{ "\"sector_size\":4096", "\"sector_size\":4096,\"integrity\":{\"type\":\"hmac(sha256)\"}", CARDEA_ERR_UNSUPPORTED, 0 },
	{ "\"2\":{\"type\":\"luks2\"", "\"2\":{\"type\":\"reencrypt\"", CARDEA_ERR_UNSUPPORTED, 0 },
	{ "\"type\":\"crypt\"", "\"type\":\"linear\"", CARDEA_ERR_UNSUPPORTED, 0 },
	{ "\"segments\":{\"0\":", "\"segments\":{\"1\":{\"type\":\"crypt\"},\"0\":", CARDEA_ERR_UNSUPPORTED, 0 },
	{ "\"encryption\":\"twofish-xts-plain64\",\"sector_size\"", "\"encryption\":\"serpent-xts-plain64\",\"sector_size\"",
	  CARDEA_ERR_UNSUPPORTED, 0 },
	{ "\"encryption\":\"twofish-xts-plain64\",\"sector_size\"", "\"encryption\":\"cipher_null-ecb\",\"sector_size\"",
	  CARDEA_ERR_UNSUPPORTED, 0 },
	{ "\"digests\":{\"0\":{\"type\":\"pbkdf2\"", "\"digests\":{\"0\":{\"type\":\"new\"", CARDEA_ERR_UNSUPPORTED, 0 },
	{ "\"segments\":[\"0\"],\"hash\":\"sha256\"", "\"segments\":[\"0\"],\"hash\":\"sm3\"", CARDEA_ERR_UNSUPPORTED, 0 },
	/* Damaged. */
	{ "{\"keyslots\":{", "{\"keyslots\":{,", CARDEA_ERR_FORMAT, 0 },
	{ "{\"keyslots\":{", "{\"keyslots\":[],\"x\":{", CARDEA_ERR_FORMAT, 0 },
	{ "\"segments\":{\"0\"", "\"segmentz\":{\"0\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"digests\":{\"0\"", "\"digestz\":{\"0\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"digests\":{\"0\"", "\"digests\":{\"32\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"keyslots\":{\"0\"", "\"keyslots\":{\"32\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"keyslots\":{\"0\"", "\"keyslots\":{\"00\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"json_size\":\"12288\"", "\"json_size\":\"12289\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"keyslots_size\":\"16384\"", "\"keyslots_size\":\"16385\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"keyslots_size\":\"16384\"", "\"keyslots_size\":\"20480\"", CARDEA_ERR_FORMAT, 0 }, /* reaches into the data */
	{ "\"offset\":\"49152\"", "\"offset\":\"0\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"offset\":\"49152\"", "\"offset\":\"4096\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"offset\":\"49152\"", "\"offset\":\"49153\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"offset\":\"49152\"", "\"offset\":\"18446744073709551616\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"offset\":\"49152\"", "\"offset\":\"1048576\"", CARDEA_OK, CARDEA_ERR_FORMAT },
	{ "\"size\":\"dynamic\"", "\"size\":\"0\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"size\":\"dynamic\"", "\"size\":\"512\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"size\":\"dynamic\"", "\"size\":\"1048576\"", CARDEA_OK, CARDEA_ERR_FORMAT },
	{ "\"sector_size\":4096", "\"sector_size\":8192", CARDEA_ERR_FORMAT, 0 },
	{ "\"sector_size\":4096", "\"sector_size\":1536", CARDEA_ERR_FORMAT, 0 },
	{ "\"sector_size\":4096", "\"sector_size\":0", CARDEA_ERR_FORMAT, 0 },
	{ "\"iv_tweak\":\"0\"", "\"iv_tweak\":\"-1\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"iterations\":3", "\"iterations\":0", CARDEA_ERR_FORMAT, 0 },
	{ "\"digest\":\"", "\"digest\":\"*", CARDEA_ERR_FORMAT, 0 },
	{ "\"iterations\":3,\"salt\":\"AAEC", "\"iterations\":3,\"salt\":\"AA\\b", CARDEA_ERR_FORMAT, 0 },
	{ "\"keyslots\":[\"0\",\"1\"]", "\"keyslots\":[]", CARDEA_ERR_FORMAT, 0 }, /* nothing opens the data */
	/* One slot out of order: the volume is read, the slot is not tried. */
	{ "\"time\":1", "\"time\":0", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"memory\":64", "\"memory\":15", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"memory\":64", "\"memory\":4294967296", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"config\":{", "\"config\":{\"requirements\":\"online-reencrypt\",", CARDEA_ERR_FORMAT, 0 },
	{ "\"config\":{", "\"config\":{\"requirements\":null,", CARDEA_ERR_FORMAT, 0 },
	{ "\"type\":\"crypt\"", "\"type\":\"crypt\",\"flags\":\"backup-final\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"segments\":[\"0\"]", "\"segments\":\"0\"", CARDEA_ERR_FORMAT, 0 },
	{ "\"keyslots\":[\"0\",\"1\"]", "\"keyslots\":{\"0\":\"0\"}", CARDEA_ERR_FORMAT, 0 },
	{ "\"cpus\":2", "\"cpus\":65", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"cpus\":2", "\"cpus\":1", CARDEA_OK, CARDEA_ERR_KEY },
	{ "\"argon2id\"", "\"argon2i\"", CARDEA_OK, CARDEA_ERR_KEY },
	{ "\"argon2id\"", "\"argon2d\"", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"stripes\":20", "\"stripes\":0", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"stripes\":20", "\"stripes\":65", CARDEA_OK, CARDEA_ERR_UNSUPPORTED }, /* 65 x 64 > 4096 */
	{ "\"stripes\":20", "\"stripes\":64", CARDEA_OK, CARDEA_ERR_KEY },
	{ "\"hash\":\"sha512\"", "\"hash\":\"sm3\"", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"offset\":\"32768\"", "\"offset\":\"28672\"", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"offset\":\"32768\"", "\"offset\":\"49152\"", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"offset\":\"32768\"", "\"offset\":\"9223372036854775807\"", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"size\":\"4096\"", "\"size\":\"18446744073709551615\"", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"encryption\":\"twofish-xts-plain64\",\"key_size\":64", "\"encryption\":\"camellia-xts-plain64\",\"key_size\":64",
	  CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
	{ "\"0\":{\"type\":\"luks2\",\"key_size\":64", "\"0\":{\"type\":\"luks2\",\"key_size\":65", CARDEA_OK,
	  CARDEA_ERR_UNSUPPORTED },
	{ "\"key_size\":64,\"af\"", "\"key_size\":64,\"priority\":0,\"af\"", CARDEA_OK, CARDEA_ERR_KEY },
	{ "\"key_size\":64,\"af\"", "\"key_size\":64,\"priority\":3,\"af\"", CARDEA_OK, CARDEA_ERR_UNSUPPORTED },
};

static void test_luks2_edits(struct test *t, struct mem_disk *m, const uint8_t *key)
{
	struct cardea_extent e = whole(m);
	struct cardea_luks luks;
	struct cardea_volume v;

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(l2_edits); i++) {
		const struct edit *ed = &l2_edits[i];
		enum cardea_err err;

		make_luks2(t, m, key, ed->from, ed->to);
		err = cardea_luks_read(&luks, t->suite, t->platform, &e, false);
		if (!CHECK(err == ed->read))
			test_note(t, "    %s -> %s: read says %d", ed->from, ed->to, (int)err);
		if (err != CARDEA_OK)
			continue;
		err = unlock(t, m, &luks, PASS, CARDEA_ANY_SLOT, &v, NULL);
		if (!CHECK(err == ed->open))
			test_note(t, "    %s -> %s: unlock says %d", ed->from, ed->to, (int)err);
		cardea_volume_close(&v);
	}
}

/* A slot that cannot be used does not decide for the volume: slot 1 is the first bound one that is in order. */
static void test_luks2_odd_slots(struct test *t, struct mem_disk *m, const uint8_t *key)
{
	/* What slot 0 is turned into; slot 1 becomes what slot 0 was. */
	static const char *const odd[] = {
		"\"key_size\":32,\"af\":{\"type\":\"luks1\",\"stripes\":0", "\"key_size\":33,\"af\":{\"type\":\"luks1\",\"stripes\":20",
		"\"key_size\":16,\"af\":{\"type\":\"luks1\",\"stripes\":20", "\"key_size\":0,\"af\":{\"type\":\"luks1\",\"stripes\":20",
	};
	static const char good[] =
		"\"key_size\":64,\"af\":{\"type\":\"luks1\",\"stripes\":20,\"hash\":\"sha512\"},\"area\":{\"type\":\"raw\","
		"\"offset\":\"32768\"";
	static const char kdf[] = "\"type\":\"argon2id\",\"time\":1,\"memory\":64,\"cpus\":2";
	struct cardea_extent e = whole(m);
	struct cardea_luks luks;
	struct cardea_volume v;
	char slot0[256];
	unsigned slot = 99;

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(odd); i++) {
		char *json = (char *)m->bytes + 4096;

		make_luks2(t, m, key, "\"2\":{\"type\":\"luks2\"", "\"9\":{\"type\":\"odd\"");
		/* Slot 0 gets another area and the odd values, slot 1 the area and KDF that slot 0 had. */
		cardea_format(slot0, sizeof(slot0), "%s,\"hash\":\"sha512\"},\"area\":{\"type\":\"raw\",\"offset\":\"45056\"",
		              odd[i]);
		CHECK(replaced(json, json, good, slot0));
		CHECK(replaced(json, json, "\"offset\":\"36864\"", "\"offset\":\"32768\""));
		CHECK(replaced(json, json, "\"type\":\"scrypt\"", kdf));
		seal(t, m->bytes);
		memset(m->bytes + L2_HEADER, 0, L2_HEADER);
		CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_OK && luks.key_len == 64);
		CHECK(luks.slot[0].state == CARDEA_SLOT_DAMAGED && luks.slot[1].state == CARDEA_SLOT_USABLE);
		CHECK(unlock(t, m, &luks, PASS, CARDEA_ANY_SLOT, &v, &slot) == CARDEA_OK && slot == 1);
		cardea_volume_close(&v);
	}
}

/* Which header counts: both good, one damaged, one older, one gone, something else written over the first. */
static void test_luks2_headers(struct test *t, struct mem_disk *m, const uint8_t *key)
{
	static const struct {
		const char *what;
		uint64_t seqid[2];
		bool wreck[2], mbr;
		enum cardea_err err;
		bool secondary;
	} rows[] = {
		{ "both", { 4, 4 }, { false, false }, false, CARDEA_OK, false },
		{ "second newer", { 4, 5 }, { false, false }, false, CARDEA_OK, true },
		{ "first newer", { 5, 4 }, { false, false }, false, CARDEA_OK, false },
		{ "first damaged", { 5, 4 }, { true, false }, false, CARDEA_OK, true },
		{ "second damaged", { 4, 5 }, { false, true }, false, CARDEA_OK, false },
		{ "both damaged", { 4, 4 }, { true, true }, false, CARDEA_ERR_FORMAT, false },
		{ "boot sector over the first", { 4, 4 }, { true, false }, true, CARDEA_ERR_FORMAT, false },
		{ "boot code in the second only", { 4, 4 }, { false, true }, false, CARDEA_OK, false },
	};
	struct cardea_extent e = whole(m);
	struct cardea_luks luks;

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(rows); i++) {
		unsigned version;

		make_luks2(t, m, key, NULL, NULL);
		for (unsigned k = 0; k < 2; k++) {
			uint8_t *h = m->bytes + k * L2_HEADER;

			cardea_put_be64(h + 16, rows[i].seqid[k]);
			seal(t, h);
			if (rows[i].wreck[k])
				h[4096 + 100] ^= 1;
		}
		if (rows[i].mbr) {
			memset(m->bytes, 0, 512);
			memcpy(m->bytes + 510, "\x55\xaa", 2);
			CHECK(cardea_luks_probe(&e, true, &version) == CARDEA_OK && version == 0);
		} else {
			CHECK(cardea_luks_probe(&e, true, &version) == CARDEA_OK && version == 2);
		}
		if (!CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == rows[i].err &&
		           luks.secondary == rows[i].secondary))
			test_note(t, "    %s", rows[i].what);
	}
	/* The first area all zero: found by its second header alone, but only by a thorough probe. */
	make_luks2(t, m, key, NULL, NULL);
	memset(m->bytes, 0, L2_HEADER);
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_OK && luks.secondary);
	m->bytes[L2_HEADER + 8] = 0xff; /* header length */
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_ERR_FORMAT);
	memset(m->bytes, 0, DISK_LEN);
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_ERR_FORMAT);
	/* Too short for what it says. */
	make_luks2(t, m, key, NULL, NULL);
	e.len = 2 * L2_HEADER - 512;
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_OK);
	CHECK(luks.slot[0].state == CARDEA_SLOT_DAMAGED);
	e.len = L2_HEADER - 512;
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_ERR_FORMAT);
	e.len = 512;
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_ERR_FORMAT);
}

/* The k-th transfer or page request fails, for every k: an error of the right kind, and nothing opened. */
static void test_luks2_failures(struct test *t, struct mem_disk *m, const uint8_t *key)
{
	static const uint8_t zero[sizeof(struct cardea_volume)];
	struct cardea_extent e = whole(m);
	struct cardea_luks luks;
	struct cardea_volume v;
	uint64_t calls;

	make_luks2(t, m, key, NULL, NULL);
	m->calls = 0;
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_OK);
	CHECK(unlock(t, m, &luks, PASS, CARDEA_ANY_SLOT, &v, NULL) == CARDEA_OK);
	calls = m->calls;
	CHECK(calls > 4);
	for (m->fail_at = 1; m->fail_at <= calls; m->fail_at++) {
		bool in_header;
		enum cardea_err err;

		m->calls = 0;
		err = cardea_luks_read(&luks, t->suite, t->platform, &e, false);
		/* There are two headers for that: one that cannot be read leaves the other. */
		CHECK(err == CARDEA_OK);
		in_header = m->calls >= m->fail_at;
		err = unlock(t, m, &luks, PASS, CARDEA_ANY_SLOT, &v, NULL);
		CHECK(err == (in_header ? CARDEA_OK : CARDEA_ERR_IO));
	}
	CHECK_MEM(&v, zero, sizeof(v));
	/* Neither can be read. */
	m->calls = 0;
	m->fail_at = 1;
	m->fail_for_good = true;
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_ERR_IO);
	m->fail_for_good = false;
	m->fail_at = 0;
	for (unsigned k = 1;; k++) {
		struct poor poor;
		struct cardea_platform p = poor_platform(&poor, t, k);
		enum cardea_err err = cardea_luks_read(&luks, t->suite, &p, &e, false);

		if (err == CARDEA_OK)
			err = cardea_luks_unlock(&v, t->suite, &p, &luks, &e, &e, (const uint8_t *)PASS, sizeof(PASS) - 1,
			                         CARDEA_ANY_SLOT, NULL);
		if (poor.calls < k) {
			CHECK(err == CARDEA_OK && k > 4);
			break;
		}
		/* Argon2 may do with smaller pieces; everything else says that memory is short. */
		CHECK(err == CARDEA_ERR_NOMEM || err == CARDEA_OK);
	}
	cardea_volume_close(&v);
}

void test_luks2(struct test *t)
{
	struct cardea_luks luks;
	struct cardea_volume v;
	struct cardea_extent e;
	struct mem_disk m;
	uint8_t key[L2_KEY_LEN];
	unsigned slot = 99;

	if (!mem_open(&m, t, 512))
		return;
	e = whole(&m);
	test_fill(key, sizeof(key), 2);
	make_luks2(t, &m, key, NULL, NULL);
	CHECK(cardea_luks_read(&luks, t->suite, t->platform, &e, false) == CARDEA_OK);
	CHECK(luks.version == 2 && luks.seqid == 4 && luks.sector_len == 4096 && luks.key_len == 64);
	CHECK(cardea_streq(luks.label, "label") && luks.data_offset == L2_DATA && luks.data_len == 0);
	CHECK(luks.slot[0].state == CARDEA_SLOT_USABLE && luks.slot[0].kdf == CARDEA_KDF_ARGON2ID);
	CHECK(luks.slot[1].state == CARDEA_SLOT_UNSUPPORTED && luks.slot[1].priority == CARDEA_SLOT_PREFER);
	CHECK(luks.slot[2].state == CARDEA_SLOT_UNBOUND && luks.slot[3].state == CARDEA_SLOT_EMPTY);
	CHECK(unlock(t, &m, &luks, "wrong", CARDEA_ANY_SLOT, &v, NULL) == CARDEA_ERR_KEY);
	CHECK(unlock(t, &m, &luks, PASS, 1, &v, NULL) == CARDEA_ERR_UNSUPPORTED);
	CHECK(unlock(t, &m, &luks, PASS, CARDEA_ANY_SLOT, &v, &slot) == CARDEA_OK && slot == 0);
	CHECK(v.block_size == 4096 && v.block_count == (DISK_LEN - L2_DATA) / 4096);
	cardea_volume_close(&v);
	test_luks2_edits(t, &m, key);
	test_luks2_odd_slots(t, &m, key);
	test_luks2_headers(t, &m, key);
	test_luks2_failures(t, &m, key);
	cardea_pages_free(t->platform, m.bytes, DISK_LEN);
}

/* ---- sectors ------------------------------------------------------------------------------------------------ */

/* Every combination of disk block and encryption sector against a plain computation over the whole volume. */
static void test_volume_sizes(struct test *t, uint32_t block_size, uint32_t sector_len, const char *spec_text)
{
	struct cardea_volume v = { .platform = t->platform, .start = 8192, .iv_offset = 5 };
	const size_t len = 48u << 10;
	struct cardea_spec spec;
	struct mem_disk m;
	uint8_t key[32], outside = 0, left = 0, *plain = cardea_pages(t->platform, 2 * len, "test"), *got = plain + len;

	if (!CHECK(plain != NULL) || !mem_open(&m, t, block_size))
		return;
	test_fill(key, sizeof(key), 11);
	test_fill(plain, len, 12);
	CHECK(cardea_spec_parse(&spec, spec_text, sizeof(key), t->platform, "test") == CARDEA_OK);
	cardea_crypt_init(&v.crypt, t->suite, t->platform, &spec, sector_len, key, sizeof(key));
	v.disk = &m.disk;
	v.block_size = block_size > sector_len ? block_size : sector_len;
	v.block_count = len / v.block_size;
	/* Written whole, read block by block; and the disk holds what cardea_crypt makes of it. */
	CHECK(cardea_volume_write(&v, 0, plain, v.block_count) == CARDEA_OK);
	cardea_crypt_encrypt(&v.crypt, t->platform, got, plain, len / sector_len, v.iv_offset);
	CHECK_MEM(m.bytes + v.start, got, len);
	memset(got, 0, len);
	for (uint64_t i = 0; i < v.block_count; i++)
		CHECK(cardea_volume_read(&v, i, got + i * v.block_size, 1) == CARDEA_OK);
	CHECK_MEM(got, plain, len);
	/* Written in the other grain. */
	memset(m.bytes, 0, DISK_LEN);
	for (uint64_t i = v.block_count; i-- > 0;)
		CHECK(cardea_volume_write(&v, i, plain + i * v.block_size, 1) == CARDEA_OK);
	CHECK(cardea_volume_read(&v, 0, got, v.block_count) == CARDEA_OK);
	CHECK_MEM(got, plain, len);
	/* Nothing around the volume was touched. */
	for (size_t i = 0; i < v.start; i++)
		outside |= m.bytes[i] | m.bytes[v.start + len + i];
	CHECK(outside == 0);
	/* Outside, empty, failing. */
	CHECK(cardea_volume_read(&v, v.block_count, got, 1) == CARDEA_ERR_FORMAT);
	CHECK(cardea_volume_read(&v, UINT64_MAX, got, 2) == CARDEA_ERR_FORMAT);
	CHECK(cardea_volume_read(&v, 1, got, SIZE_MAX) == CARDEA_ERR_FORMAT);
	CHECK(cardea_volume_write(&v, v.block_count - 1, got, 2) == CARDEA_ERR_FORMAT);
	CHECK(cardea_volume_read(&v, v.block_count, got, 0) == CARDEA_OK);
	m.calls = 0;
	m.fail_at = 1;
	memset(got, 0xee, len);
	CHECK(cardea_volume_read(&v, 0, got, 2) == CARDEA_ERR_IO);
	for (size_t i = 0; i < 2 * v.block_size; i++)
		left |= got[i];
	CHECK(left == 0);
	CHECK(got[2 * v.block_size] == 0xee);
	m.calls = 0;
	CHECK(cardea_volume_write(&v, 0, plain, 1) == CARDEA_ERR_IO);
	m.disk.write = NULL;
	CHECK(cardea_volume_write(&v, 0, plain, 1) == CARDEA_ERR_IO);
	cardea_volume_close(&v);
	cardea_pages_free(t->platform, m.bytes, DISK_LEN);
	cardea_pages_free(t->platform, plain, 2 * len);
}

static void test_disk_bytes(struct test *t)
{
	static const uint32_t sizes[] = { 512, 1024, 4096 };
	uint8_t want[9000], got[9001];

	for (size_t s = 0; s < CARDEA_ARRAY_LEN(sizes); s++) {
		struct mem_disk m;

		if (!mem_open(&m, t, sizes[s]))
			return;
		test_fill(m.bytes, DISK_LEN, s);
		for (size_t at = 0; at < 4200; at += 263) {
			for (size_t len = 0; len < sizeof(want); len += 449) {
				memcpy(want, m.bytes + at, len);
				got[len] = 0xee;
				CHECK(cardea_disk_read_bytes(&m.disk, at, got, len) == CARDEA_OK);
				CHECK_MEM(got, want, len);
				CHECK(got[len] == 0xee);
			}
		}
		got[0] = 1;
		CHECK(cardea_disk_read_bytes(&m.disk, DISK_LEN - 1, got, 2) == CARDEA_ERR_FORMAT && got[0] == 0);
		CHECK(cardea_disk_read_bytes(&m.disk, UINT64_MAX, got, 2) == CARDEA_ERR_FORMAT);
		CHECK(cardea_disk_read_bytes(&m.disk, DISK_LEN - 1, got, 1) == CARDEA_OK);
		cardea_pages_free(t->platform, m.bytes, DISK_LEN);
	}
}

void test_volume(struct test *t)
{
	static const uint32_t blocks[] = { 512, 4096 }, sectors[] = { 512, 1024, 2048, 4096 };
	static const char *const specs[] = { "aes-xts-plain64", "twofish-cbc-essiv:sha256", "aes-cbc-plain" };

	test_disk_bytes(t);
	for (size_t b = 0; b < CARDEA_ARRAY_LEN(blocks); b++)
		for (size_t s = 0; s < CARDEA_ARRAY_LEN(sectors); s++)
			for (size_t k = 0; k < CARDEA_ARRAY_LEN(specs); k++)
				test_volume_sizes(t, blocks[b], sectors[s], specs[k]);
}
