/* SPDX-License-Identifier: MIT */
/*
 * The core as a filter, so that tests in Perl can drive it: one command a line on standard input, one line of
 * answer each on standard output, "error: ..." when it cannot be done.  Bytes are hexadecimal, "-" is none.  With
 * --quiet the core's messages are kept back.
 *
 *   impls PRIMITIVE                                   names of the usable implementations, best first
 *   use PRIMITIVE IMPL                                from now on
 *   primitives                                        all of them
 *   hash NAME HEX
 *   family NAME                                       the primitive that a hash uses
 *   blake2b LEN HEX
 *   hmac NAME KEY HEX
 *   pbkdf2 NAME PASS SALT ITERATIONS LEN
 *   argon2 TYPE PASSES KIB LANES PASS SALT LEN [SECRET AD]     TYPE: d, i, id
 *   ecb CIPHER enc|dec KEY HEX
 *   cbc|ctr|xts|lrw CIPHER enc|dec KEY IV HEX         one sector; xts: both keys, lrw: then the tweak key
 *   crypt SPEC SECTOR_LEN enc|dec KEY IVSECTOR HEX    whole sectors
 *   mct-ecb CIPHER enc|dec KEY HEX N                  N >= 2 times; the last two results
 *   mct-cbc CIPHER enc|dec|dec-avs KEY IV HEX N       the same (AES submission's rule; "-avs": AESAVS 6.4's)
 *   base64 TEXT
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "hex.h"

#define MAX_WORDS 16

static struct cardea_suite suite;
static char answer[4 << 20];

/* The words of a command and the buffers made from them, freed together after it. */
struct command {
	char *word[MAX_WORDS];
	unsigned n;
	uint8_t *buf[MAX_WORDS];
	const char *fault;
};

static void fail(struct command *c, const char *fault)
{
	if (c->fault == NULL)
		c->fault = fault;
}

static const char *word(struct command *c, unsigned i)
{
	if (i < c->n)
		return c->word[i];
	fail(c, "words are missing");
	return "-";
}

static uint8_t *bytes(struct command *c, unsigned i, size_t *len)
{
	c->buf[i] = hex_bytes(word(c, i), len);
	if (c->buf[i] != NULL)
		return c->buf[i];
	fail(c, "bad hexadecimal bytes");
	c->buf[i] = calloc(1, 1);
	*len = 0;
	return c->buf[i];
}

static uint64_t number(struct command *c, unsigned i, uint64_t min, uint64_t max)
{
	char *end;
	const char *text = word(c, i);
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno == 0 && end != text && *end == '\0' && v >= min && v <= max)
		return v;
	fail(c, "number missing or out of range");
	return min;
}

static void say_hex(const uint8_t *p, size_t len)
{
	size_t at = strlen(answer);

	for (size_t i = 0; i < len && at + 3 < sizeof(answer); i++, at += 2)
		snprintf(answer + at, 3, "%02x", p[i]);
	if (len == 0)
		strcat(answer, "-");
}

static unsigned primitive(struct command *c, unsigned i)
{
	for (unsigned k = 0; k < CARDEA_N_PRIMITIVES; k++)
		if (strcmp(word(c, i), cardea_primitive_name(k)) == 0)
			return k;
	fail(c, "no such primitive");
	return 0;
}

static const struct cardea_cipher_impl *cipher(struct command *c, unsigned i)
{
	unsigned k = primitive(c, i);

	if (k >= CARDEA_N_CIPHERS) {
		fail(c, "no cipher");
		k = 0;
	}
	return suite.cipher[k];
}

static enum cardea_hash_id hash_id(struct command *c, unsigned i)
{
	enum cardea_hash_id id;

	if (cardea_hash_by_name(&id, word(c, i)))
		return id;
	fail(c, "no such hash");
	return CARDEA_HASH_SHA1;
}

/* A direction: true to decrypt. */
static bool decrypts(struct command *c, unsigned i)
{
	const char *w = word(c, i);

	if (strcmp(w, "enc") != 0 && strncmp(w, "dec", 3) != 0)
		fail(c, "direction enc or dec expected");
	return w[0] == 'd';
}

static bool key_len_ok(size_t len)
{
	return len == 16 || len == 24 || len == 32;
}

static const struct cardea_impl *compress_of(enum cardea_hash_id id)
{
	return &suite.compress[cardea_hash_family(id)]->impl;
}

/* ---- commands ------------------------------------------------------------------------------------------------- */

static void cmd_primitives(struct command *c)
{
	(void)c;
	for (unsigned i = 0; i < CARDEA_N_PRIMITIVES; i++) {
		strcat(answer, i == 0 ? "" : " ");
		strcat(answer, cardea_primitive_name(i));
	}
}

static void cmd_impls(struct command *c)
{
	size_t n;
	const struct cardea_impl *const *table = cardea_primitive_impls(primitive(c, 1), &n);

	for (size_t i = 0; i < n; i++) {
		if (!cardea_suite_can_run(&suite, &host_platform, table[i]))
			continue;
		strcat(answer, answer[0] == '\0' ? "" : " ");
		strcat(answer, table[i]->name);
	}
}

static void cmd_use(struct command *c)
{
	unsigned p = primitive(c, 1);
	size_t n;
	const struct cardea_impl *const *table = cardea_primitive_impls(p, &n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(table[i]->name, word(c, 2)) == 0 && cardea_suite_can_run(&suite, &host_platform, table[i])) {
			cardea_suite_use(&suite, p, table[i]);
			strcat(answer, "ok");
			return;
		}
	}
	fail(c, "no such implementation that this CPU can run");
}

static void cmd_hash(struct command *c)
{
	enum cardea_hash_id id = hash_id(c, 1);
	uint8_t out[CARDEA_MAX_DIGEST];
	size_t len;
	const uint8_t *in = bytes(c, 2, &len);

	cardea_hash_once(&suite, &host_platform, id, out, in, len);
	say_hex(out, cardea_hash_digest_len(id));
}

static void cmd_family(struct command *c)
{
	strcat(answer, cardea_compress_name(cardea_hash_family(hash_id(c, 1))));
}

static void cmd_blake2b(struct command *c)
{
	size_t out_len = number(c, 1, 1, 64), len;
	const uint8_t *in = bytes(c, 2, &len);
	uint8_t out[64];
	struct cardea_hash h;

	cardea_impl_begin(&host_platform, &suite.compress[CARDEA_COMPRESS_BLAKE2B]->impl);
	cardea_blake2b_init(&h, &suite, out_len);
	cardea_hash_update(&h, in, len);
	cardea_hash_final(&h, out);
	cardea_impl_end(&host_platform, &suite.compress[CARDEA_COMPRESS_BLAKE2B]->impl);
	say_hex(out, out_len);
}

static void cmd_hmac(struct command *c)
{
	enum cardea_hash_id id = hash_id(c, 1);
	uint8_t out[CARDEA_MAX_DIGEST];
	size_t key_len, len;
	const uint8_t *key = bytes(c, 2, &key_len), *in = bytes(c, 3, &len);
	struct cardea_hmac h;

	cardea_impl_begin(&host_platform, compress_of(id));
	cardea_hmac_init(&h, &suite, id, key, key_len);
	cardea_hmac_update(&h, in, len);
	cardea_hmac_final(&h, out);
	cardea_impl_end(&host_platform, compress_of(id));
	say_hex(out, cardea_hash_digest_len(id));
}

static void cmd_pbkdf2(struct command *c)
{
	enum cardea_hash_id id = hash_id(c, 1);
	size_t pass_len, salt_len, out_len = number(c, 5, 1, 4096);
	const uint8_t *pass = bytes(c, 2, &pass_len), *salt = bytes(c, 3, &salt_len);
	uint32_t iterations = (uint32_t)number(c, 4, 1, UINT32_MAX);
	uint8_t out[4096];

	if (c->fault != NULL)
		return;
	if (cardea_pbkdf2(&suite, &host_platform, id, out, out_len, pass, pass_len, salt, salt_len, iterations, 0) !=
	    CARDEA_OK)
		fail(c, "cardea_pbkdf2 failed");
	say_hex(out, out_len);
}

static void cmd_argon2(struct command *c)
{
	const char *type = word(c, 1);
	struct cardea_argon2 a = {
		.type = strcmp(type, "id") == 0 ? CARDEA_ARGON2ID :
		        strcmp(type, "i") == 0 ? CARDEA_ARGON2I : CARDEA_ARGON2D,
		.passes = (uint32_t)number(c, 2, 0, UINT32_MAX),
		.memory_kib = (uint32_t)number(c, 3, 0, UINT32_MAX),
		.lanes = (uint32_t)number(c, 4, 0, UINT32_MAX),
	};
	size_t pass_len, salt_len, out_len = number(c, 7, 0, 2048);
	const uint8_t *pass = bytes(c, 5, &pass_len), *salt = bytes(c, 6, &salt_len);
	static uint8_t out[2048];
	enum cardea_err err;

	if (c->n > 8) {
		a.secret = bytes(c, 8, &a.secret_len);
		a.ad = bytes(c, 9, &a.ad_len);
	}
	if (c->fault != NULL)
		return;
	err = cardea_argon2(&suite, &host_platform, &a, out, out_len, pass, pass_len, salt, salt_len, 0);
	if (err != CARDEA_OK)
		fail(c, err == CARDEA_ERR_UNSUPPORTED ? "not supported" : "cardea_argon2 failed");
	say_hex(out, out_len);
}

static void cmd_ecb(struct command *c)
{
	const struct cardea_cipher_impl *impl = cipher(c, 1);
	bool dec = decrypts(c, 2);
	size_t key_len, len;
	const uint8_t *key = bytes(c, 3, &key_len);
	uint8_t *data = bytes(c, 4, &len);
	struct cardea_cipher_key k;

	if (!key_len_ok(key_len) || len % CARDEA_BLOCK != 0)
		fail(c, "bad length");
	if (c->fault != NULL)
		return;
	cardea_impl_begin(&host_platform, &impl->impl);
	impl->expand(&k, key, key_len);
	(dec ? impl->decrypt : impl->encrypt)(&k, data, data, len / CARDEA_BLOCK);
	cardea_impl_end(&host_platform, &impl->impl);
	say_hex(data, len);
}

/* The generic mode of modes.h, and where the implementation has its own, that as well: they have to agree. */
static void cmd_mode(struct command *c)
{
	const struct cardea_cipher_impl *impl = cipher(c, 1);
	char mode = c->word[0][0] == 'c' ? c->word[0][1] : c->word[0][0]; /* b, t, x, l */
	bool dec = decrypts(c, 2);
	size_t key_len, one, iv_len, len;
	const uint8_t *key = bytes(c, 3, &key_len), *iv_bytes = bytes(c, 4, &iv_len);
	const uint8_t *in = bytes(c, 5, &len);
	uint8_t *out = calloc(2, len + 1), *own = out + len, iv[1][16];
	struct cardea_cipher_key k, tweak;
	struct cardea_sectors s = { out, in, 1, len, (const uint8_t(*)[16])iv }, s2 = s;
	void (*own_xts)(const struct cardea_cipher_key *, const struct cardea_cipher_key *,
	                const struct cardea_sectors *) =
		mode != 'x' ? NULL : dec ? impl->xts_decrypt : impl->xts_encrypt;
	void (*own_cbc)(const struct cardea_cipher_key *, const struct cardea_sectors *) =
		mode != 'b' ? NULL : dec ? impl->cbc_decrypt : impl->cbc_encrypt;

	c->buf[0] = out; /* freed with the others */
	s2.out = own;
	one = mode == 'x' ? key_len / 2 : mode == 'l' ? key_len - 16 : key_len;
	if (!key_len_ok(one) || (mode == 'x' && key_len % 2 != 0) || iv_len != 16 || len == 0 ||
	    len % CARDEA_BLOCK != 0)
		fail(c, "bad length");
	if (c->fault != NULL)
		return;
	memcpy(iv[0], iv_bytes, 16);
	cardea_impl_begin(&host_platform, &impl->impl);
	impl->expand(&k, key, one);
	if (mode == 'x') {
		impl->expand(&tweak, key + one, one);
		(dec ? cardea_xts_decrypt : cardea_xts_encrypt)(impl, &k, &tweak, &s);
	} else if (mode == 'l') {
		(dec ? cardea_lrw_decrypt : cardea_lrw_encrypt)(impl, &k, key + one, &s);
	} else if (mode == 'b') {
		(dec ? cardea_cbc_decrypt : cardea_cbc_encrypt)(impl, &k, &s);
	} else {
		cardea_ctr_crypt(impl, &k, &s);
	}
	if (own_xts != NULL)
		own_xts(&k, &tweak, &s2);
	if (own_cbc != NULL)
		own_cbc(&k, &s2);
	cardea_impl_end(&host_platform, &impl->impl);
	if ((own_xts != NULL || own_cbc != NULL) && memcmp(out, own, len) != 0)
		fail(c, "the implementation's own mode differs from the generic one");
	say_hex(out, len);
}

static void cmd_crypt(struct command *c)
{
	uint32_t sector_len = (uint32_t)number(c, 2, 512, CARDEA_MAX_SECTOR);
	bool dec = decrypts(c, 3);
	size_t key_len, len;
	const uint8_t *key = bytes(c, 4, &key_len);
	uint64_t iv_sector = number(c, 5, 0, UINT64_MAX);
	uint8_t *data = bytes(c, 6, &len);
	struct cardea_spec spec;
	struct cardea_crypt crypt;

	if (!cardea_is_pow2(sector_len) || len % sector_len != 0)
		fail(c, "bad length");
	else if (cardea_spec_parse(&spec, word(c, 1), key_len, &host_platform, "vectool") != CARDEA_OK)
		fail(c, "cardea_spec_parse refuses it");
	if (c->fault != NULL)
		return;
	cardea_crypt_init(&crypt, &suite, &host_platform, &spec, sector_len, key, key_len);
	(dec ? cardea_crypt_decrypt : cardea_crypt_encrypt)(&crypt, &host_platform, data, data, len / sector_len,
	                                                   iv_sector);
	say_hex(data, len);
}

/* Monte Carlo tests of the AES submissions and of AESAVS 6.4: each result is, or is mixed into, the next input. */
static void cmd_mct(struct command *c)
{
	bool cbc = strcmp(c->word[0], "mct-cbc") == 0, avs = c->n > 2 && strcmp(c->word[2], "dec-avs") == 0;
	const struct cardea_cipher_impl *impl = cipher(c, 1);
	bool dec = decrypts(c, 2);
	size_t key_len, iv_len = 16, len;
	const uint8_t *key = bytes(c, 3, &key_len), *iv = cbc ? bytes(c, 4, &iv_len) : NULL;
	const uint8_t *first = bytes(c, cbc ? 5 : 4, &len);
	uint64_t n = number(c, cbc ? 6 : 5, 2, 100000000);
	uint8_t in[16], out[16], last[16], before[16], chain[16] = { 0 };
	struct cardea_cipher_key k;

	if (!key_len_ok(key_len) || len != 16 || iv_len != 16)
		fail(c, "bad length");
	if (c->fault != NULL)
		return;
	memcpy(in, first, 16);
	if (cbc)
		memcpy(chain, iv, 16);
	memcpy(last, chain, 16);
	memset(before, 0, 16);
	cardea_impl_begin(&host_platform, &impl->impl);
	impl->expand(&k, key, key_len);
	for (uint64_t j = 0; j < n; j++) {
		/* `last` and `before` are the results of the calls j - 1 and j - 2; last is the IV for j = 0. */
		for (unsigned i = 0; i < 16; i++)
			out[i] = (uint8_t)(in[i] ^ (dec ? 0 : chain[i]));
		(dec ? impl->decrypt : impl->encrypt)(&k, out, out, 1);
		for (unsigned i = 0; i < 16; i++)
			out[i] = (uint8_t)(out[i] ^ (dec ? chain[i] : 0));
		if (cbc)
			memcpy(chain, dec ? in : out, 16);
		memcpy(in, cbc && (!dec || avs) ? last : out, 16);
		memcpy(before, last, 16);
		memcpy(last, out, 16);
	}
	cardea_impl_end(&host_platform, &impl->impl);
	say_hex(before, 16);
	strcat(answer, " ");
	say_hex(last, 16);
}

static void cmd_base64(struct command *c)
{
	const char *text = c->n > 1 ? c->word[1] : "";
	uint8_t out[4096];
	size_t len;

	if (cardea_base64_decode(out, sizeof(out), &len, text, strlen(text)))
		say_hex(out, len);
	else
		fail(c, "not base64");
}

static void run(struct command *c)
{
	static const struct {
		const char *name;
		void (*fn)(struct command *c);
	} commands[] = {
		{ "primitives", cmd_primitives }, { "impls", cmd_impls }, { "use", cmd_use }, { "hash", cmd_hash },
		{ "family", cmd_family }, { "blake2b", cmd_blake2b }, { "hmac", cmd_hmac }, { "pbkdf2", cmd_pbkdf2 },
		{ "argon2", cmd_argon2 }, { "ecb", cmd_ecb }, { "cbc", cmd_mode }, { "ctr", cmd_mode },
		{ "xts", cmd_mode }, { "lrw", cmd_mode }, { "crypt", cmd_crypt }, { "mct-ecb", cmd_mct },
		{ "mct-cbc", cmd_mct }, { "base64", cmd_base64 },
	};

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(commands); i++) {
		if (strcmp(c->word[0], commands[i].name) == 0) {
			commands[i].fn(c);
			return;
		}
	}
	fail(c, "no such command");
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t cap = 0;

	host_log_subject("vectool");
	host_log_quiet(argc > 1 && strcmp(argv[1], "--quiet") == 0);
	host_setup();
	if (host_suite(&suite) != EXIT_DONE)
		return EXIT_SELFTEST;
	while (getline(&line, &cap, stdin) > 0) {
		struct command c = { .n = 0 };
		char *save;

		for (char *w = strtok_r(line, " \n", &save); w != NULL && c.n < MAX_WORDS;
		     w = strtok_r(NULL, " \n", &save))
			c.word[c.n++] = w;
		if (c.n == 0)
			continue;
		answer[0] = '\0';
		run(&c);
		if (c.fault != NULL)
			printf("error: %s\n", c.fault);
		else
			puts(answer);
		fflush(stdout);
		for (unsigned i = 0; i < MAX_WORDS; i++)
			free(c.buf[i]);
	}
	free(line);
	return EXIT_DONE;
}
