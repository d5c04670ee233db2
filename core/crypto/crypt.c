/* SPDX-License-Identifier: MIT */
/*
 * Sector encryption as dm-crypt does it.  The grammar of the strings and the IVs follow what the kernel's
 * documentation says and what volumes made by it contain; the corpus of images checks both.
 */
#include "crypto/crypt.h"
#include "crypto/modes.h"

/* ---- the specification ---------------------------------------------------------------------------------- */

/* A part of the string: not terminated. */
struct part {
	const char *s;
	size_t len;
};

static bool part_is(struct part a, const char *word)
{
	size_t i = 0;

	while (i < a.len && word[i] != '\0' && a.s[i] == word[i])
		i++;
	return i == a.len && word[i] == '\0';
}

static bool part_find(size_t *at, struct part a, char c)
{
	for (size_t i = 0; i < a.len; i++) {
		if (a.s[i] == c) {
			*at = i;
			return true;
		}
	}
	return false;
}

static bool part_find_last(size_t *at, struct part a, char c)
{
	for (size_t i = a.len; i > 0; i--) {
		if (a.s[i - 1] == c) {
			*at = i - 1;
			return true;
		}
	}
	return false;
}

/* Takes the part up to the first c off *rest; all of it when there is no c. */
static struct part part_split(struct part *rest, char c)
{
	struct part head = *rest;
	size_t at;

	if (!part_find(&at, *rest, c)) {
		*rest = (struct part){ rest->s + rest->len, 0 };
		return head;
	}
	head.len = at;
	*rest = (struct part){ rest->s + at + 1, rest->len - at - 1 };
	return head;
}

/* "name(inside)" */
static bool part_call(struct part *name, struct part *inside, struct part a)
{
	size_t at;

	if (a.len < 2 || a.s[a.len - 1] != ')' || !part_find(&at, a, '('))
		return false;
	*name = (struct part){ a.s, at };
	*inside = (struct part){ a.s + at + 1, a.len - at - 2 };
	return true;
}

/* What both forms of the string come down to. */
struct words {
	struct part cipher, mode, iv, iv_options;
};

#define SHOWN(p) (int)cardea_min_size((p).len, 80), (p).s

static enum cardea_err make_no_sense(const struct cardea_platform *p, const char *what, const char *text)
{
	cardea_log(p, CARDEA_LOG_ERROR, "%s: \"%s\" is not a cipher specification", what, text);
	return CARDEA_ERR_FORMAT;
}

/* cipher-mode-iv:options; "cipher" and "cipher-plain" are dm-crypt's first format and mean cbc-plain. */
static void split_plain(struct words *out, struct part text)
{
	static const struct part cbc = { "cbc", 3 }, plain = { "plain", 5 };

	out->cipher = part_split(&text, '-');
	out->mode = part_split(&text, '-');
	out->iv = part_split(&text, ':');
	out->iv_options = text;
	if (out->mode.len == 0 || (part_is(out->mode, "plain") && out->iv.len == 0)) {
		out->mode = cbc;
		out->iv = plain;
	}
}

/* The kernel's own names: mode(cipher)-iv:options, and essiv(mode(cipher),hash)-plain64. */
static bool split_capi(struct words *out, struct part text)
{
	static const struct part essiv = { "essiv", 5 };
	struct part name, inside;
	size_t at;

	*out = (struct words){ 0 };
	/* From the right: names of hashes have a '-' too. */
	if (part_find_last(&at, text, ':')) {
		out->iv_options = (struct part){ text.s + at + 1, text.len - at - 1 };
		text.len = at;
	}
	if (part_find_last(&at, text, '-') && text.s[text.len - 1] != ')') {
		out->iv = (struct part){ text.s + at + 1, text.len - at - 1 };
		text.len = at;
	}
	if (!part_call(&name, &inside, text))
		return false;
	if (part_is(name, "essiv") && part_find_last(&at, inside, ',')) {
		/* The template encrypts the IV that the generator makes, and ours is plain64. */
		if (!part_is(out->iv, "plain64"))
			return false;
		out->iv = essiv;
		out->iv_options = (struct part){ inside.s + at + 1, inside.len - at - 1 };
		inside.len = at;
		if (!part_call(&name, &inside, inside))
			return false;
	}
	out->mode = name;
	out->cipher = inside;
	return true;
}

struct name {
	const char *name;
	int id;
};

static bool lookup(int *out, struct part word, const struct name *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (part_is(word, names[i].name)) {
			*out = names[i].id;
			return true;
		}
	}
	return false;
}

static const struct name mode_names[] = {
	{ "ecb", CARDEA_MODE_ECB }, { "cbc", CARDEA_MODE_CBC }, { "ctr", CARDEA_MODE_CTR },
	{ "lrw", CARDEA_MODE_LRW }, { "xts", CARDEA_MODE_XTS },
};

static const struct name iv_names[] = {
	{ "null", CARDEA_IV_NULL },           { "plain", CARDEA_IV_PLAIN }, { "plain64", CARDEA_IV_PLAIN64 },
	{ "plain64be", CARDEA_IV_PLAIN64BE }, { "essiv", CARDEA_IV_ESSIV }, { "eboiv", CARDEA_IV_EBOIV },
	{ "benbi", CARDEA_IV_BENBI },
};

static const struct name cipher_names[] = {
	{ "aes", CARDEA_CIPHER_AES },
	{ "twofish", CARDEA_CIPHER_TWOFISH },
};

static bool is_cipher_key_len(size_t len)
{
	return len == 16 || len == 24 || len == 32;
}

/* The length of the cipher's key within a whole key of key_len, or 0 when it does not fit the mode. */
static size_t cipher_key_len(enum cardea_mode mode, size_t key_len)
{
	size_t len = key_len;

	if (mode == CARDEA_MODE_XTS)
		len = key_len % 2 == 0 ? key_len / 2 : 0;
	if (mode == CARDEA_MODE_LRW)
		len = key_len > CARDEA_BLOCK ? key_len - CARDEA_BLOCK : 0;
	return is_cipher_key_len(len) ? len : 0;
}

static enum cardea_err parse_essiv(struct cardea_spec *spec, struct part hash, const struct cardea_platform *p,
                                   const char *what)
{
	char name[32];
	size_t len;

	if (hash.len == 0) {
		cardea_log(p, CARDEA_LOG_ERROR, "%s: ESSIV names no hash", what);
		return CARDEA_ERR_FORMAT;
	}
	cardea_format(name, sizeof(name), "%.*s", SHOWN(hash));
	if (hash.len >= sizeof(name) || !cardea_hash_by_name(&spec->essiv_hash, name)) {
		cardea_log(p, CARDEA_LOG_ERROR, "%s: hash %.*s for ESSIV is not supported", what, SHOWN(hash));
		return CARDEA_ERR_UNSUPPORTED;
	}
	len = cardea_hash_digest_len(spec->essiv_hash);
	if (!is_cipher_key_len(len)) {
		cardea_log(p, CARDEA_LOG_ERROR, "%s: hash %s for ESSIV gives %zu bytes, which is no key of %s", what,
		           name, len, cardea_cipher_name(spec->cipher));
		return CARDEA_ERR_FORMAT;
	}
	return CARDEA_OK;
}

enum cardea_err cardea_spec_parse(struct cardea_spec *out, const char *text, size_t key_len,
                                  const struct cardea_platform *p, const char *what)
{
	struct part all = { text, cardea_strnlen(text, 256) };
	struct cardea_spec spec = { 0 };
	struct words w = { 0 };
	int cipher, mode, iv;

	*out = spec;
	if (all.len == 0 || all.len >= 256)
		return make_no_sense(p, what, text);
	if (all.len > 5 && part_is((struct part){ text, 5 }, "capi:")) {
		if (!split_capi(&w, (struct part){ text + 5, all.len - 5 })) {
			cardea_log(p, CARDEA_LOG_ERROR, "%s: cipher specification %s is not supported", what, text);
			return CARDEA_ERR_UNSUPPORTED;
		}
	} else {
		split_plain(&w, all);
	}
	if (w.cipher.len == 0)
		return make_no_sense(p, what, text);

	/* Adiantum names three ciphers; the mode says more. */
	if (part_is(w.mode, "adiantum") || part_is(w.mode, "hctr2")) {
		cardea_log(p, CARDEA_LOG_ERROR, "%s: mode %.*s is not supported", what, SHOWN(w.mode));
		return CARDEA_ERR_UNSUPPORTED;
	}
	if (!lookup(&cipher, w.cipher, cipher_names, CARDEA_ARRAY_LEN(cipher_names))) {
		cardea_log(p, CARDEA_LOG_ERROR, "%s: cipher %.*s is not supported (supported: aes, twofish)", what,
		           SHOWN(w.cipher));
		return CARDEA_ERR_UNSUPPORTED;
	}
	spec.cipher = (enum cardea_cipher_id)cipher;
	if (!lookup(&mode, w.mode, mode_names, CARDEA_ARRAY_LEN(mode_names))) {
		cardea_log(p, CARDEA_LOG_ERROR, "%s: mode %.*s is not supported (supported: xts, cbc, ctr, lrw, ecb)",
		           what, SHOWN(w.mode));
		return CARDEA_ERR_UNSUPPORTED;
	}
	spec.mode = (enum cardea_mode)mode;

	/* ECB has no IV, and dm-crypt ignores a generator that is named all the same. */
	if (spec.mode != CARDEA_MODE_ECB) {
		if (w.iv.len == 0) {
			cardea_log(p, CARDEA_LOG_ERROR, "%s: %s names no IV generator", what, text);
			return CARDEA_ERR_FORMAT;
		}
		if (!lookup(&iv, w.iv, iv_names, CARDEA_ARRAY_LEN(iv_names))) {
			cardea_log(p, CARDEA_LOG_ERROR, "%s: IV generator %.*s is not supported", what, SHOWN(w.iv));
			return CARDEA_ERR_UNSUPPORTED;
		}
		spec.iv = (enum cardea_iv)iv;
		/* EBOIV encrypts one block with the mode itself, and dm-crypt refuses it where a block is a byte. */
		if (spec.mode == CARDEA_MODE_CTR && spec.iv == CARDEA_IV_EBOIV) {
			cardea_log(p, CARDEA_LOG_ERROR, "%s: IV generator eboiv does not go with mode ctr", what);
			return CARDEA_ERR_FORMAT;
		}
	}
	if (spec.iv == CARDEA_IV_ESSIV) {
		enum cardea_err err = parse_essiv(&spec, w.iv_options, p, what);

		if (err != CARDEA_OK)
			return err;
	}
	if (cipher_key_len(spec.mode, key_len) == 0) {
		cardea_log(p, CARDEA_LOG_ERROR, "%s: %s does not take a key of %zu bits", what, text, key_len * 8);
		return CARDEA_ERR_FORMAT;
	}
	*out = spec;
	return CARDEA_OK;
}

/* ---- keys ------------------------------------------------------------------------------------------------- */

void cardea_crypt_init(struct cardea_crypt *out, const struct cardea_suite *suite, const struct cardea_platform *p,
                       const struct cardea_spec *spec, uint32_t sector_len, const uint8_t *key, size_t key_len)
{
	const struct cardea_cipher_impl *impl = suite->cipher[spec->cipher];
	size_t len = cipher_key_len(spec->mode, key_len);
	struct cardea_bytes64 salt CARDEA_SECRET(bytes64);

	memset(out, 0, sizeof(*out));
	out->impl = impl;
	out->spec = *spec;
	out->sector_len = sector_len;
	/* ESSIV: the hash is over all of the key, also where that is two keys. */
	if (spec->iv == CARDEA_IV_ESSIV)
		cardea_hash_once(suite, p, spec->essiv_hash, salt.b, key, key_len);

	cardea_impl_begin(p, &impl->impl);
	impl->expand(&out->key, key, len);
	if (spec->mode == CARDEA_MODE_XTS)
		impl->expand(&out->key2, key + len, len);
	if (spec->iv == CARDEA_IV_ESSIV)
		impl->expand(&out->iv_key, salt.b, cardea_hash_digest_len(spec->essiv_hash));
	cardea_impl_end(p, &impl->impl);
	if (spec->mode == CARDEA_MODE_LRW)
		memcpy(out->lrw_tweak, key + len, CARDEA_BLOCK);
}

/* ---- sectors --------------------------------------------------------------------------------------------- */

#define IV_BATCH 64u                /* sectors whose IVs are made together                             */
#define SECTION_LEN (256u * 1024)   /* bytes between vec_begin and vec_end: well under a millisecond */

static void run_mode(const struct cardea_crypt *c, const struct cardea_sectors *s, bool encrypt)
{
	const struct cardea_cipher_impl *impl = c->impl;

	switch (c->spec.mode) {
	case CARDEA_MODE_ECB:
		(encrypt ? impl->encrypt : impl->decrypt)(&c->key, s->out, s->in,
		                                          s->sectors * (s->sector_len / CARDEA_BLOCK));
		break;
	case CARDEA_MODE_CBC:
		if (encrypt && impl->cbc_encrypt != NULL)
			impl->cbc_encrypt(&c->key, s);
		else if (encrypt)
			cardea_cbc_encrypt(impl, &c->key, s);
		else if (impl->cbc_decrypt != NULL)
			impl->cbc_decrypt(&c->key, s);
		else
			cardea_cbc_decrypt(impl, &c->key, s);
		break;
	case CARDEA_MODE_CTR:
		cardea_ctr_crypt(impl, &c->key, s);
		break;
	case CARDEA_MODE_LRW:
		if (encrypt)
			cardea_lrw_encrypt(impl, &c->key, c->lrw_tweak, s);
		else
			cardea_lrw_decrypt(impl, &c->key, c->lrw_tweak, s);
		break;
	case CARDEA_MODE_XTS:
		if (encrypt && impl->xts_encrypt != NULL)
			impl->xts_encrypt(&c->key, &c->key2, s);
		else if (encrypt)
			cardea_xts_encrypt(impl, &c->key, &c->key2, s);
		else if (impl->xts_decrypt != NULL)
			impl->xts_decrypt(&c->key, &c->key2, s);
		else
			cardea_xts_decrypt(impl, &c->key, &c->key2, s);
		break;
	}
}

/*
 * The IVs of n sectors from number `sector` on, which counts 512 bytes.  Not inlined: its buffer
 * and those of the mode need not be on the stack together.
 */
static __attribute__((noinline)) void make_ivs(const struct cardea_crypt *c, uint8_t (*iv)[CARDEA_BLOCK], size_t n,
                                               uint64_t sector)
{
	uint64_t step = c->sector_len / 512;

	memset(iv, 0, n * CARDEA_BLOCK);
	for (size_t i = 0; i < n; i++, sector += step) {
		switch (c->spec.iv) {
		case CARDEA_IV_NULL:
			break;
		case CARDEA_IV_PLAIN:
			cardea_put_le32(iv[i], (uint32_t)sector);
			break;
		case CARDEA_IV_PLAIN64:
		case CARDEA_IV_ESSIV:
			cardea_put_le64(iv[i], sector);
			break;
		case CARDEA_IV_PLAIN64BE:
			cardea_put_be64(iv[i] + 8, sector);
			break;
		case CARDEA_IV_EBOIV:
			/* As in the kernel: with sectors of more than 512 bytes this is no byte offset any more. */
			cardea_put_le64(iv[i], sector * c->sector_len);
			break;
		case CARDEA_IV_BENBI:
			cardea_put_be64(iv[i] + 8, sector * (512 / CARDEA_BLOCK) + 1);
			break;
		}
	}
	if (c->spec.iv == CARDEA_IV_ESSIV)
		c->impl->encrypt(&c->iv_key, iv[0], iv[0], n);
	if (c->spec.iv == CARDEA_IV_EBOIV) {
		/* dm-crypt has the mode itself encrypt a block of zeros with this IV: in CBC, just the cipher. */
		uint8_t zero[IV_BATCH][CARDEA_BLOCK];
		struct cardea_sectors s = {
			.out = zero[0], .in = zero[0], .sectors = n, .sector_len = CARDEA_BLOCK,
			.iv = (const uint8_t(*)[CARDEA_BLOCK])iv,
		};

		memset(zero, 0, sizeof(zero));
		run_mode(c, &s, true);
		memcpy(iv, zero, n * CARDEA_BLOCK);
		cardea_wipe(zero, sizeof(zero));
	}
}

static void crypt_sectors(const struct cardea_crypt *c, const struct cardea_platform *p, uint8_t *out,
                          const uint8_t *in, size_t sectors, uint64_t iv_sector, bool encrypt)
{
	uint8_t iv[IV_BATCH][CARDEA_BLOCK];
	size_t sector_len = c->sector_len;

	while (sectors != 0) {
		size_t section = cardea_min_size(sectors, SECTION_LEN / sector_len);

		sectors -= section;
		cardea_impl_begin(p, &c->impl->impl);
		while (section != 0) {
			size_t n = cardea_min_size(section, IV_BATCH);
			struct cardea_sectors s = {
				.out = out, .in = in, .sectors = n, .sector_len = sector_len,
				.iv = (const uint8_t(*)[CARDEA_BLOCK])iv,
			};

			if (c->spec.mode != CARDEA_MODE_ECB)
				make_ivs(c, iv, n, iv_sector);
			run_mode(c, &s, encrypt);
			section -= n;
			out += n * sector_len;
			in += n * sector_len;
			iv_sector += n * (sector_len / 512);
		}
		cardea_impl_end(p, &c->impl->impl);
	}
	/* The IVs of ESSIV and EBOIV are secret. */
	cardea_wipe(iv, sizeof(iv));
}

void cardea_crypt_encrypt(const struct cardea_crypt *c, const struct cardea_platform *p, uint8_t *out,
                          const uint8_t *in, size_t sectors, uint64_t iv_sector)
{
	crypt_sectors(c, p, out, in, sectors, iv_sector, true);
}

void cardea_crypt_decrypt(const struct cardea_crypt *c, const struct cardea_platform *p, uint8_t *out,
                          const uint8_t *in, size_t sectors, uint64_t iv_sector)
{
	crypt_sectors(c, p, out, in, sectors, iv_sector, false);
}
