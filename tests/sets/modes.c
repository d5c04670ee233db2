/* SPDX-License-Identifier: MIT */
/* Modes of operation and dm-crypt's sectors, over every implementation of the ciphers. */
#include "crypto/modes.h"
#include "sets/sets.h"

/* All tables in a row; NULL behind the end. */
static const struct cardea_cipher_impl *implementation(size_t i)
{
	size_t n;
	const struct cardea_impl *const *table = cardea_aes_impls(&n);

	if (i >= n) {
		i -= n;
		table = cardea_twofish_impls(&n);
	}
	return i < n ? (const void *)table[i] : NULL;
}

/* A fold of long results into 64 bits, for vectors that would fill pages.  Not a hash, but any change shows. */
static uint64_t fold(const uint8_t *p, size_t len)
{
	uint64_t a = 0;

	for (size_t i = 0; i < len; i += 8)
		a = cardea_rol64((a ^ cardea_le64(p + i)) * 0x9e3779b97f4a7c15u + 0x7f4a7c15u, 29);
	return a;
}

/* Both keys of a mode: the second is XTS's tweak key, LRW's K2 is bytes. */
struct keys {
	struct cardea_cipher_key key, key2;
	uint8_t k2[16];
};

/* fused: what the implementation brings along, where it does; else the generic mode. */
static void run(struct test *t, const struct cardea_cipher_impl *c, enum cardea_mode mode, bool encrypt, bool fused,
                const struct keys *k, const struct cardea_sectors *s)
{
	cardea_impl_begin(t->platform, &c->impl);
	switch (mode) {
	case CARDEA_MODE_ECB:
		(encrypt ? c->encrypt : c->decrypt)(&k->key, s->out, s->in,
		                                    s->sectors * (s->sector_len / CARDEA_BLOCK));
		break;
	case CARDEA_MODE_CBC:
		if (fused && (encrypt ? c->cbc_encrypt : c->cbc_decrypt) != NULL)
			(encrypt ? c->cbc_encrypt : c->cbc_decrypt)(&k->key, s);
		else if (encrypt)
			cardea_cbc_encrypt(c, &k->key, s);
		else
			cardea_cbc_decrypt(c, &k->key, s);
		break;
	case CARDEA_MODE_CTR:
		cardea_ctr_crypt(c, &k->key, s);
		break;
	case CARDEA_MODE_LRW:
		if (encrypt)
			cardea_lrw_encrypt(c, &k->key, k->k2, s);
		else
			cardea_lrw_decrypt(c, &k->key, k->k2, s);
		break;
	case CARDEA_MODE_XTS:
		if (fused && (encrypt ? c->xts_encrypt : c->xts_decrypt) != NULL)
			(encrypt ? c->xts_encrypt : c->xts_decrypt)(&k->key, &k->key2, s);
		else if (encrypt)
			cardea_xts_encrypt(c, &k->key, &k->key2, s);
		else
			cardea_xts_decrypt(c, &k->key, &k->key2, s);
		break;
	}
	cardea_impl_end(t->platform, &c->impl);
}

static void set_keys(struct test *t, const struct cardea_cipher_impl *c, struct keys *k, const uint8_t *key, size_t len,
                     const uint8_t *key2, size_t key2_len)
{
	cardea_impl_begin(t->platform, &c->impl);
	c->expand(&k->key, key, len);
	if (key2_len == len)
		c->expand(&k->key2, key2, len);
	else
		k->key2 = k->key;
	cardea_impl_end(t->platform, &c->impl);
	memcpy(k->k2, key2, 16);
}

/* ---- published vectors (AES) ------------------------------------------------------------------------------- */

/* SP 800-38A, F.2 (CBC) and F.5 (CTR): four blocks, the same plain text everywhere. */
static const struct {
	enum cardea_mode mode;
	const char *key, *cipher;
} sp800_38a[] = {
	{ CARDEA_MODE_CBC, "2b7e151628aed2a6abf7158809cf4f3c",
	  "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
	  "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7" },
	{ CARDEA_MODE_CBC, "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
	  "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
	  "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd" },
	{ CARDEA_MODE_CBC, "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
	  "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
	  "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b" },
	{ CARDEA_MODE_CTR, "2b7e151628aed2a6abf7158809cf4f3c",
	  "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
	  "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee" },
	{ CARDEA_MODE_CTR, "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
	  "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
	  "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050" },
	{ CARDEA_MODE_CTR, "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
	  "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
	  "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6" },
};

/* IEEE 1619-2007, annex B: vectors 1 to 3 and those of 512 bytes, folded. */
static const struct {
	const char *keys, *iv, *plain, *cipher; /* plain NULL: 512 bytes 00, 01, .. FF, 00, .. */
	uint64_t folded;
} ieee1619[] = {
	{ "00000000000000000000000000000000 00000000000000000000000000000000", "00000000000000000000000000000000",
	  "0000000000000000000000000000000000000000000000000000000000000000",
	  "917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e", 0 },
	{ "11111111111111111111111111111111 22222222222222222222222222222222", "33333333330000000000000000000000",
	  "4444444444444444444444444444444444444444444444444444444444444444",
	  "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0", 0 },
	{ "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0 22222222222222222222222222222222", "33333333330000000000000000000000",
	  "4444444444444444444444444444444444444444444444444444444444444444",
	  "af85336b597afc1a900b2eb21ec949d292df4c047e0b21532186a5971a227a89", 0 },
	{ "27182818284590452353602874713526 31415926535897932384626433832795", "00000000000000000000000000000000",
	  NULL, "27a7479befa1d476", 0x556a37f66d982b44 },
	{ "2718281828459045235360287471352662497757247093699959574966967627"
	  "3141592653589793238462643383279502884197169399375105820974944592", "ff000000000000000000000000000000",
	  NULL, "1c3b3a102f770386", 0xd2f7dc1b08f65597 },
	{ "2718281828459045235360287471352662497757247093699959574966967627"
	  "3141592653589793238462643383279502884197169399375105820974944592", "ffffffffff0000000000000000000000",
	  NULL, "64497e5a831e4a93", 0x8f85f4d10b0216db },
};

/* IEEE P1619 draft, LRW-AES: key, K2, index; the same 16 bytes of plain text. */
static const struct {
	const char *key, *k2, *iv, *cipher;
} p1619_lrw[] = {
	{ "4562ac25f828176d4c268414b5680185", "258e2a05e73e9d03ee5a830ccc094c87", "00000000000000000000000000000001",
	  "f1b273cd65a3df5fe95d489254634eb8" },
	{ "59704714f557478cd779e80f54887944", "0d48f0b7b15a53ea1caa6b29c2cafbaf", "00000000000000000000000000000002",
	  "00c82bae95bbcde5274f0769b260e136" },
	{ "d82a9134b26a565030fe69e2377f9847", "cdf90b160c648fb6b00d0d1bae85871f", "00000000000000000000000200000000",
	  "76322183ed8ff182f9596203690e5e01" },
};

static void both_ways(struct test *t, const struct cardea_cipher_impl *c, enum cardea_mode mode, const struct keys *k,
                      const uint8_t iv[16], const uint8_t *plain, const uint8_t *cipher, size_t cipher_len, size_t len,
                      uint64_t folded)
{
	for (unsigned fused = 0; fused < 2; fused++) {
		uint8_t got[512];
		struct cardea_sectors s = {
			.out = got, .in = plain, .sectors = 1, .sector_len = len,
			.iv = (const uint8_t(*)[16])(const void *)iv,
		};

		run(t, c, mode, true, fused, k, &s);
		CHECK_MEM(got, cipher, cipher_len);
		CHECK(folded == 0 || fold(got, len) == folded);
		s.in = got;
		run(t, c, mode, false, fused, k, &s);
		CHECK_MEM(got, plain, len);
	}
}

static void test_published(struct test *t, const struct cardea_cipher_impl *c)
{
	uint8_t key[64], plain[512], cipher[64], iv[16];
	struct keys k;

	test_hex(plain, sizeof(plain), "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
	                               "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(sp800_38a); i++) {
		bool ctr = sp800_38a[i].mode == CARDEA_MODE_CTR;
		size_t len = test_hex(key, sizeof(key), sp800_38a[i].key);

		set_keys(t, c, &k, key, len, key, len);
		test_hex(iv, sizeof(iv), ctr ? "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff" : "000102030405060708090a0b0c0d0e0f");
		test_hex(cipher, sizeof(cipher), sp800_38a[i].cipher);
		both_ways(t, c, sp800_38a[i].mode, &k, iv, plain, cipher, 64, 64, 0);
	}
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(ieee1619); i++) {
		size_t len = test_hex(key, sizeof(key), ieee1619[i].keys) / 2, plain_len = sizeof(plain);

		set_keys(t, c, &k, key, len, key + len, len);
		test_hex(iv, sizeof(iv), ieee1619[i].iv);
		for (size_t j = 0; j < sizeof(plain); j++)
			plain[j] = (uint8_t)j;
		if (ieee1619[i].plain != NULL)
			plain_len = test_hex(plain, sizeof(plain), ieee1619[i].plain);
		both_ways(t, c, CARDEA_MODE_XTS, &k, iv, plain, cipher,
		          test_hex(cipher, sizeof(cipher), ieee1619[i].cipher), plain_len, ieee1619[i].folded);
	}
	test_hex(plain, sizeof(plain), "30313233343536373839414243444546");
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(p1619_lrw); i++) {
		test_hex(key, 16, p1619_lrw[i].key);
		test_hex(key + 16, 16, p1619_lrw[i].k2);
		set_keys(t, c, &k, key, 16, key + 16, 16);
		test_hex(iv, sizeof(iv), p1619_lrw[i].iv);
		test_hex(cipher, sizeof(cipher), p1619_lrw[i].cipher);
		both_ways(t, c, CARDEA_MODE_LRW, &k, iv, plain, cipher, 16, 16, 0);
	}
}

/* ---- many sectors against one, in place against not, there and back --------------------------------------- */

#define MODES_LEN 40960u

static void test_sectors(struct test *t, const struct cardea_cipher_impl *c)
{
	static const struct {
		size_t sectors, sector_len;
	} shapes[] = {
		{ 1, 16 }, { 130, 16 }, { 67, 48 }, { 1, 512 }, { 3, 512 }, { 63, 512 }, { 64, 512 }, { 65, 512 },
		{ 80, 512 }, { 5, 1024 }, { 40, 1024 }, { 7, 2048 }, { 1, 4096 }, { 10, 4096 }, { 0, 512 },
	};
	const size_t ivs_len = 160 * 16;
	uint8_t *mem = cardea_pages(t->platform, 4 * MODES_LEN + ivs_len, "test buffers");
	uint8_t *plain = mem, *many = plain + MODES_LEN, *single = many + MODES_LEN, *place = single + MODES_LEN;
	uint8_t *ivs = place + MODES_LEN;
	uint8_t key[32];
	struct keys k;

	if (!CHECK(mem != NULL))
		return;
	test_fill(plain, MODES_LEN, 1);
	test_fill(ivs, ivs_len, 2);
	/* Counters that carry over 64 and over 128 bits, in CTR and LRW. */
	memset(ivs + 16, 0xff, 31);
	ivs[31] = 0xfe;
	test_fill(key, sizeof(key), 3);
	set_keys(t, c, &k, key, 32, plain, 32);
	for (enum cardea_mode mode = CARDEA_MODE_ECB; mode <= CARDEA_MODE_XTS; mode++) {
		for (size_t i = 0; i < CARDEA_ARRAY_LEN(shapes); i++) {
			size_t len = shapes[i].sectors * shapes[i].sector_len;
			struct cardea_sectors s = {
				.out = many, .in = plain,
				.sectors = shapes[i].sectors, .sector_len = shapes[i].sector_len,
				.iv = (const uint8_t(*)[16])(const void *)ivs,
			};

			memset(many, 0, MODES_LEN);
			run(t, c, mode, true, true, &k, &s);
			for (size_t j = 0; j < shapes[i].sectors; j++) {
				struct cardea_sectors one = {
					.out = single + j * s.sector_len, .in = plain + j * s.sector_len,
					.sectors = 1, .sector_len = s.sector_len,
					.iv = (const uint8_t(*)[16])(const void *)(ivs + 16 * j),
				};

				run(t, c, mode, true, false, &k, &one);
			}
			CHECK_MEM(many, single, len);
			CHECK(len == MODES_LEN || many[len] == 0);
			memcpy(place, plain, len);
			s.in = s.out = place;
			run(t, c, mode, true, true, &k, &s);
			CHECK_MEM(place, many, len);
			run(t, c, mode, false, true, &k, &s);
			CHECK_MEM(place, plain, len);
			s.in = many;
			s.out = single;
			run(t, c, mode, false, true, &k, &s);
			CHECK_MEM(single, plain, len);
		}
	}
	cardea_pages_free(t->platform, mem, 4 * MODES_LEN + ivs_len);
}

/*
 * A sector of n blocks in CTR or LRW is n sectors of one block whose IVs count up, also over 64 bits and from the
 * end to zero.
 */
static void test_counters(struct test *t, const struct cardea_cipher_impl *c)
{
	enum { BLOCKS = 9 };
	static const char *const starts[] = {
		"00000000000000000000000000000000", "000000000000000000000000000000fc",
		"0000000000000000fffffffffffffffb", "00000000fffffffffffffffffffffffd",
		"7ffffffffffffffffffffffffffffffe", "fffffffffffffffffffffffffffffffa",
	};
	static const enum cardea_mode modes[] = { CARDEA_MODE_CTR, CARDEA_MODE_LRW };
	uint8_t key[32], plain[BLOCKS * CARDEA_BLOCK], out[sizeof(plain)], want[sizeof(plain)];
	uint8_t ivs[BLOCKS][CARDEA_BLOCK];
	struct keys k;

	test_fill(key, sizeof(key), 8);
	test_fill(plain, sizeof(plain), 9);
	set_keys(t, c, &k, key, 16, key + 16, 16);
	for (size_t m = 0; m < CARDEA_ARRAY_LEN(modes); m++) {
		for (size_t i = 0; i < CARDEA_ARRAY_LEN(starts); i++) {
			struct cardea_sectors s = {
				.out = out, .in = plain, .sectors = 1, .sector_len = sizeof(plain),
				.iv = (const uint8_t(*)[16])ivs,
			};

			test_hex(ivs[0], CARDEA_BLOCK, starts[i]);
			for (size_t j = 1; j < BLOCKS; j++) {
				memcpy(ivs[j], ivs[j - 1], CARDEA_BLOCK);
				for (size_t b = CARDEA_BLOCK; b > 0 && ++ivs[j][b - 1] == 0; b--)
					;
			}
			run(t, c, modes[m], true, true, &k, &s);
			s.out = want;
			s.sectors = BLOCKS;
			s.sector_len = CARDEA_BLOCK;
			run(t, c, modes[m], true, true, &k, &s);
			CHECK_MEM(out, want, sizeof(out));
		}
	}
}

void test_modes(struct test *t)
{
	const struct cardea_cipher_impl *c;

	for (size_t i = 0; (c = implementation(i)) != NULL; i++) {
		if (!test_can_run(t, cardea_cipher_name(c->cipher), &c->impl))
			continue;
		if (c->cipher == CARDEA_CIPHER_AES)
			test_published(t, c);
		test_sectors(t, c);
		test_counters(t, c);
	}
}

/* ---- cipher specifications -------------------------------------------------------------------------------- */

struct logged {
	char line[256];
};

static void keep_line(void *ctx, enum cardea_log_level level, const char *message)
{
	struct logged *l = ctx;

	(void)level;
	cardea_format(l->line, sizeof(l->line), "%s", message);
}

static bool contains(const char *text, const char *part)
{
	for (; *text != '\0'; text++) {
		size_t i = 0;

		while (part[i] != '\0' && text[i] == part[i])
			i++;
		if (part[i] == '\0')
			return true;
	}
	return false;
}

static void test_accepted(struct test *t)
{
	static const struct {
		const char *text;
		size_t key_len;
		struct cardea_spec spec;
	} rows[] = {
#define AES CARDEA_CIPHER_AES
#define TWOFISH CARDEA_CIPHER_TWOFISH
#define SPEC(cipher, mode, iv) { cipher, CARDEA_MODE_##mode, CARDEA_IV_##iv, 0 }
#define SPEC_ESSIV(cipher, mode, hash) { cipher, CARDEA_MODE_##mode, CARDEA_IV_ESSIV, CARDEA_HASH_##hash }
		{ "aes-xts-plain64", 64, SPEC(AES, XTS, PLAIN64) },
		{ "aes-xts-plain64", 48, SPEC(AES, XTS, PLAIN64) },
		{ "aes-xts-plain", 32, SPEC(AES, XTS, PLAIN) },
		{ "aes-cbc-essiv:sha256", 16, SPEC_ESSIV(AES, CBC, SHA256) },
		{ "aes-cbc-essiv:SHA256", 24, SPEC_ESSIV(AES, CBC, SHA256) },
		{ "aes-cbc-essiv:sha3-256", 32, SPEC_ESSIV(AES, CBC, SHA3_256) },
		{ "twofish-cbc-plain", 24, SPEC(TWOFISH, CBC, PLAIN) },
		{ "twofish-xts-plain64", 64, SPEC(TWOFISH, XTS, PLAIN64) },
		{ "aes-ecb", 32, SPEC(AES, ECB, NULL) },
		{ "aes-ecb-plain", 16, SPEC(AES, ECB, NULL) },
		{ "aes-lrw-benbi", 32, SPEC(AES, LRW, BENBI) },
		{ "twofish-lrw-benbi", 48, SPEC(TWOFISH, LRW, BENBI) },
		{ "aes-ctr-plain64", 32, SPEC(AES, CTR, PLAIN64) },
		{ "aes-cbc-eboiv", 32, SPEC(AES, CBC, EBOIV) },
		{ "aes-xts-essiv:sha256", 64, SPEC_ESSIV(AES, XTS, SHA256) },
		{ "aes-cbc-null", 16, SPEC(AES, CBC, NULL) },
		{ "aes-cbc-plain64be", 16, SPEC(AES, CBC, PLAIN64BE) },
		{ "aes-plain", 32, SPEC(AES, CBC, PLAIN) },
		{ "aes", 32, SPEC(AES, CBC, PLAIN) },
		{ "capi:xts(aes)-plain64", 64, SPEC(AES, XTS, PLAIN64) },
		{ "capi:cbc(aes)-essiv:sha256", 32, SPEC_ESSIV(AES, CBC, SHA256) },
		{ "capi:cbc(twofish)-essiv:sha3-256", 32, SPEC_ESSIV(TWOFISH, CBC, SHA3_256) },
		{ "capi:essiv(cbc(aes),sha256)-plain64", 32, SPEC_ESSIV(AES, CBC, SHA256) },
		{ "capi:ecb(aes)", 32, SPEC(AES, ECB, NULL) },
		{ "capi:ecb(aes)-null", 32, SPEC(AES, ECB, NULL) },
	};

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(rows); i++) {
		struct logged log = { "" };
		const struct cardea_platform p = { .ctx = &log, .log = keep_line };
		struct cardea_spec got;
		enum cardea_err err = cardea_spec_parse(&got, rows[i].text, rows[i].key_len, &p, "segment 0");

		if (!CHECK(err == CARDEA_OK) || !CHECK(got.cipher == rows[i].spec.cipher) ||
		    !CHECK(got.mode == rows[i].spec.mode) || !CHECK(got.iv == rows[i].spec.iv) ||
		    !CHECK(got.essiv_hash == rows[i].spec.essiv_hash))
			test_note(t, "%s: %s", rows[i].text, log.line);
	}
}

static void test_refused(struct test *t)
{
	static const struct {
		const char *text;
		size_t key_len;
		enum cardea_err err;
		const char *message; /* part of it */
	} rows[] = {
		{ "serpent-xts-plain64", 64, CARDEA_ERR_UNSUPPORTED,
		  "segment 0: cipher serpent is not supported (supported: aes, twofish)" },
		{ "cipher_null-ecb", 32, CARDEA_ERR_UNSUPPORTED, "cipher cipher_null is not supported" },
		{ "xchacha12,aes-adiantum-plain64", 32, CARDEA_ERR_UNSUPPORTED, "mode adiantum is not supported" },
		{ "capi:adiantum(xchacha12,aes)-plain64", 32, CARDEA_ERR_UNSUPPORTED,
		  "mode adiantum is not supported" },
		{ "aes-gcm-random", 32, CARDEA_ERR_UNSUPPORTED, "mode gcm is not supported" },
		{ "aegis128-random", 16, CARDEA_ERR_UNSUPPORTED, "cipher aegis128 is not supported" },
		{ "aes-cbc-lmk", 64, CARDEA_ERR_UNSUPPORTED, "IV generator lmk is not supported" },
		{ "aes-xts-random", 64, CARDEA_ERR_UNSUPPORTED, "IV generator random is not supported" },
		{ "aes-cbc-essiv:sha9", 32, CARDEA_ERR_UNSUPPORTED, "hash sha9 for ESSIV is not supported" },
		{ "aes-cbc-essiv:a-name-that-is-longer-than-any-hash", 32, CARDEA_ERR_UNSUPPORTED,
		  "for ESSIV is not supported" },
		{ "aes-cbc-essiv", 32, CARDEA_ERR_FORMAT, "ESSIV names no hash" },
		{ "aes-cbc-essiv:sha1", 32, CARDEA_ERR_FORMAT, "gives 20 bytes, which is no key of aes" },
		{ "aes-cbc-essiv:sha512", 32, CARDEA_ERR_FORMAT, "gives 64 bytes" },
		{ "aes-xts", 64, CARDEA_ERR_FORMAT, "names no IV generator" },
		{ "aes-ctr-eboiv", 32, CARDEA_ERR_FORMAT, "does not go with mode ctr" },
		{ "AES-xts-plain64", 64, CARDEA_ERR_UNSUPPORTED, "cipher AES is not supported" },
		{ "aes:64-cbc-plain", 32, CARDEA_ERR_UNSUPPORTED, "cipher aes:64 is not supported" },
		{ "aes-xts-plain64", 16, CARDEA_ERR_FORMAT, "aes-xts-plain64 does not take a key of 128 bits" },
		{ "aes-xts-plain64", 33, CARDEA_ERR_FORMAT, "264 bits" },
		{ "aes-xts-plain64", 0, CARDEA_ERR_FORMAT, "0 bits" },
		{ "aes-cbc-plain64", 64, CARDEA_ERR_FORMAT, "512 bits" },
		{ "aes-lrw-benbi", 16, CARDEA_ERR_FORMAT, "128 bits" },
		{ "aes-lrw-benbi", 64, CARDEA_ERR_FORMAT, "512 bits" },
		{ "twofish-ecb", 20, CARDEA_ERR_FORMAT, "160 bits" },
		{ "capi:xts(serpent)-plain64", 64, CARDEA_ERR_UNSUPPORTED, "cipher serpent" },
		{ "capi:rfc7539(chacha20,poly1305)-random", 32, CARDEA_ERR_UNSUPPORTED, "is not supported" },
		{ "capi:xts-aes-aesni-plain64", 64, CARDEA_ERR_UNSUPPORTED, "is not supported" },
		{ "capi:essiv(cbc(aes),sha256)-plain", 32, CARDEA_ERR_UNSUPPORTED, "is not supported" },
		{ "capi:essiv(cbc(aes),sha9)-plain64", 32, CARDEA_ERR_UNSUPPORTED, "hash sha9" },
		{ "capi:cbc(aes)", 32, CARDEA_ERR_FORMAT, "names no IV generator" },
		{ "capi:()", 32, CARDEA_ERR_FORMAT, "is not a cipher specification" },
		{ "capi:)", 32, CARDEA_ERR_UNSUPPORTED, "" },
		{ "capi:-", 32, CARDEA_ERR_UNSUPPORTED, "" },
		{ "capi:", 32, CARDEA_ERR_UNSUPPORTED, "" },
		{ "", 32, CARDEA_ERR_FORMAT, "is not a cipher specification" },
		{ "-", 32, CARDEA_ERR_FORMAT, "is not a cipher specification" },
		{ "--:", 32, CARDEA_ERR_FORMAT, "is not a cipher specification" },
	};
	char longest[400];

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(rows); i++) {
		struct logged log = { "" };
		const struct cardea_platform p = { .ctx = &log, .log = keep_line };
		struct cardea_spec got, zero = { 0 };
		enum cardea_err err;

		memset(&got, 0xff, sizeof(got));
		err = cardea_spec_parse(&got, rows[i].text, rows[i].key_len, &p, "segment 0");
		if (!CHECK(err == rows[i].err) || !CHECK(contains(log.line, rows[i].message)) ||
		    !CHECK(memcmp(&got, &zero, sizeof(got)) == 0))
			test_note(t, "%s (%zu): %s", rows[i].text, rows[i].key_len, log.line);
	}
	memset(longest, 'a', sizeof(longest));
	for (size_t len = 0; len < sizeof(longest); len++) {
		struct logged log = { "" };
		const struct cardea_platform p = { .ctx = &log, .log = keep_line };
		struct cardea_spec got;

		longest[len] = '\0';
		CHECK(cardea_spec_parse(&got, longest, 32, &p, "segment 0") != CARDEA_OK);
		CHECK(log.line[0] != '\0');
		longest[len] = 'a';
	}
}

/* ---- whole volumes ---------------------------------------------------------------------------------------- */

/*
 * Made apart from this code, by a script: key = test_fill(key_len, 1000 + key_len), plain text =
 * test_fill(.., 2000 + sector_len), IVs by the definitions of dm-crypt in Python, ciphers by OpenSSL 3 for AES
 * and libgcrypt 1.10 for Twofish (LRW: Python around ECB); the cipher text is folded.
 */
static const struct {
	const char *spec;
	size_t key_len;
	uint32_t sector_len;
	size_t sectors;
	uint64_t iv_sector;
	uint64_t folded;
} volumes[] = {
	{ "aes-cbc-essiv:sha256", 16, 512, 3, 0, 0xb9a663503f4ad2f7 },
	{ "aes-cbc-essiv:sha256", 32, 512, 70, 0x200000005, 0xd2bb212732119ac3 },
	{ "aes-cbc-essiv:sha256", 32, 4096, 2, 8, 0xa3bc9c87ddce8475 },
	{ "aes-cbc-plain", 32, 512, 3, 0xfffffffe, 0x12a52f6dc03cbc89 },
	{ "aes-cbc-plain64", 24, 512, 3, 0xfffffffe, 0x56cb948818a7a44d },
	{ "aes-cbc-plain64be", 32, 1024, 3, 0x123456789a, 0x4512098c4309343b },
	{ "aes-cbc-null", 16, 512, 2, 7, 0x16cbf73d4e014f01 },
	{ "aes-cbc-eboiv", 32, 512, 3, 77, 0xf7a3bf8a7eb22abc },
	{ "aes-cbc-eboiv", 32, 4096, 2, 80, 0x6c6a28ccf74e3520 },
	{ "aes-xts-plain64", 64, 512, 67, 0xfffffffd, 0x313678a49585eb41 },
	{ "aes-xts-plain", 32, 512, 4, 0xfffffffe, 0x0e11feb3e1259e3b },
	{ "aes-xts-plain64", 64, 4096, 3, 40, 0xb6f3c77da34e51e8 },
	{ "aes-xts-plain64", 32, 2048, 3, 4, 0x18204ffd3394c75d },
	{ "aes-xts-essiv:sha256", 64, 512, 3, 1000, 0xa36869a2a5b398ff },
	{ "aes-xts-eboiv", 64, 512, 3, 1000, 0x191c462220cc2efa },
	{ "aes-ctr-plain64", 32, 512, 3, 0x10000000000, 0xeb54676ac4d77262 },
	{ "aes-ctr-essiv:sha256", 16, 512, 2, 9, 0x1b4d60a94864857e },
	{ "aes-lrw-benbi", 32, 512, 5, 0, 0xd174511b8cdd9259 },
	{ "aes-lrw-benbi", 48, 4096, 2, 0x800000000, 0x619f392b131b6597 },
	{ "aes-lrw-plain64be", 40, 512, 2, 3, 0x9962f51a825ca5e9 },
	{ "aes-xts-plain64", 64, 1024, 70, 6, 0xb86424e96a90258b },
	{ "twofish-xts-plain64", 64, 1024, 70, 6, 0x737f0cc9403e113e },
	{ "twofish-cbc-essiv:sha256", 32, 512, 70, 1, 0x05b4c713253adcc9 },
	{ "twofish-cbc-plain64", 16, 512, 3, 6, 0x76f399c7c05325a3 },
	{ "twofish-xts-plain64", 64, 4096, 2, 0x1234567800, 0xa211d89cf3360297 },
	{ "twofish-xts-plain64", 32, 512, 67, 0xfffffffd, 0xfb959d3fd125b0a0 },
	{ "twofish-cbc-eboiv", 32, 512, 3, 5, 0x5aff9cd5c36ba4fd },
	{ "twofish-xts-essiv:sha256", 64, 512, 3, 1, 0x0cbd64de3a00948e },
};

#define CRYPT_LEN 73728u

static void test_volume_vectors(struct test *t, const struct cardea_cipher_impl *c, uint8_t *plain, uint8_t *out,
                                uint8_t *single)
{
	struct cardea_suite suite = *t->suite;

	suite.cipher[c->cipher] = c;
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(volumes); i++) {
		size_t len = volumes[i].sectors * volumes[i].sector_len, sector_len = volumes[i].sector_len;
		uint64_t first = volumes[i].iv_sector;
		uint8_t key[64];
		struct cardea_crypt crypt;
		struct cardea_spec spec;

		if (!CHECK(cardea_spec_parse(&spec, volumes[i].spec, volumes[i].key_len, t->platform, "vector") ==
		           CARDEA_OK))
			continue;
		if (spec.cipher != c->cipher)
			continue;
		test_fill(key, volumes[i].key_len, 1000 + volumes[i].key_len);
		test_fill(plain, len, 2000 + sector_len);
		cardea_crypt_init(&crypt, &suite, t->platform, &spec, volumes[i].sector_len, key, volumes[i].key_len);
		cardea_crypt_encrypt(&crypt, t->platform, out, plain, volumes[i].sectors, first);
		if (!CHECK(fold(out, len) == volumes[i].folded))
			test_note(t, "%s, sectors of %zu: %llx", volumes[i].spec, sector_len,
			          (unsigned long long)fold(out, len));
		for (size_t j = 0; j < volumes[i].sectors; j++)
			cardea_crypt_encrypt(&crypt, t->platform, single + j * sector_len, plain + j * sector_len, 1,
			                     first + j * (sector_len / 512));
		CHECK_MEM(single, out, len);
		cardea_crypt_decrypt(&crypt, t->platform, single, out, volumes[i].sectors, first);
		CHECK_MEM(single, plain, len);
		cardea_crypt_decrypt(&crypt, t->platform, out, out, volumes[i].sectors, first);
		CHECK_MEM(out, plain, len);
		cardea_wipe_crypt(&crypt);
	}
}

/* plain wraps at 2^32 sectors, plain64 does not; below they agree. */
static void test_wrap(struct test *t, const struct cardea_cipher_impl *c, uint8_t *plain, uint8_t *out, uint8_t *other)
{
	static const char *const names[2][2] = {
		{ "aes-xts-plain", "aes-xts-plain64" },
		{ "twofish-xts-plain", "twofish-xts-plain64" },
	};
	struct cardea_suite suite = *t->suite;
	struct cardea_crypt crypt[2];
	uint8_t key[32];

	suite.cipher[c->cipher] = c;
	test_fill(key, sizeof(key), 4);
	test_fill(plain, 2048, 5);
	for (unsigned i = 0; i < 2; i++) {
		struct cardea_spec spec;

		if (!CHECK(cardea_spec_parse(&spec, names[c->cipher][i], 32, t->platform, "test") == CARDEA_OK))
			return;
		cardea_crypt_init(&crypt[i], &suite, t->platform, &spec, 512, key, 32);
	}
	cardea_crypt_encrypt(&crypt[0], t->platform, out, plain, 4, 0xfffffffe);
	cardea_crypt_encrypt(&crypt[1], t->platform, other, plain, 4, 0xfffffffe);
	CHECK_MEM(out, other, 1024);
	CHECK(memcmp(out + 1024, other + 1024, 512) != 0);
	cardea_crypt_encrypt(&crypt[1], t->platform, other + 1024, plain + 1024, 2, 0);
	CHECK_MEM(out, other, 2048);
}

void test_crypt(struct test *t)
{
	uint8_t *mem = cardea_pages(t->platform, 3 * CRYPT_LEN, "test buffers");
	const struct cardea_cipher_impl *c;

	test_accepted(t);
	test_refused(t);
	if (!CHECK(mem != NULL))
		return;
	for (size_t i = 0; (c = implementation(i)) != NULL; i++) {
		if (!test_can_run(t, cardea_cipher_name(c->cipher), &c->impl))
			continue;
		test_volume_vectors(t, c, mem, mem + CRYPT_LEN, mem + 2 * CRYPT_LEN);
		test_wrap(t, c, mem, mem + CRYPT_LEN, mem + 2 * CRYPT_LEN);
	}
	cardea_pages_free(t->platform, mem, 3 * CRYPT_LEN);
}
