/* SPDX-License-Identifier: MIT */
/*
 * The core against libgcrypt, OpenSSL, nettle and libargon2 on random data, for every implementation of every
 * primitive that this CPU can run.  TAP on standard output.
 *
 *   crosscheck [SEED]
 *
 * The seed is printed; each test point begins from it anew, so that a failure can be repeated.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <argon2.h>
#include <gcrypt.h>
#include <nettle/cbc.h>
#include <nettle/ctr.h>
#include <nettle/twofish.h>
#include <nettle/xts.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include "hex.h"

#define MAX_DATA (130u * CARDEA_BLOCK)
#define GUARD 32u

static uint64_t seed, rng;
static struct cardea_suite suite;
static unsigned points, bad_points;

/* ---- random --------------------------------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t rand64(void)
{
	uint64_t z = rng += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static size_t rand_to(size_t max)
{
	return (size_t)(rand64() % (max + 1));
}

static void rand_bytes(uint8_t *p, size_t len)
{
	/* Now and then all zeros or all ones: carries and corner cases of counters. */
	unsigned kind = (unsigned)rand_to(19);

	for (size_t i = 0; i < len; i++)
		p[i] = kind == 0 ? 0 : kind == 1 ? 0xff : (uint8_t)rand64();
}

/* ---- TAP ------------------------------------------------------------------------------------------------------ */

struct point {
	char name[160];
	unsigned checks, bad;
};

static void __attribute__((format(printf, 2, 3))) point_begin(struct point *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(t->name, sizeof(t->name), fmt, args);
	va_end(args);
	t->checks = t->bad = 0;
	rng = seed;
}

static void point_end(const struct point *t)
{
	points++;
	bad_points += t->bad != 0 || t->checks == 0;
	printf("%sok %u - %s (%u checks)\n", t->bad == 0 && t->checks != 0 ? "" : "not ", points, t->name, t->checks);
	if (t->bad > 5)
		printf("# %u of %u checks failed\n", t->bad, t->checks);
	fflush(stdout);
}

static void __attribute__((format(printf, 3, 4))) check(struct point *t, bool ok, const char *fmt, ...)
{
	va_list args;

	t->checks++;
	if (ok || t->bad++ >= 5)
		return;
	printf("# %s: ", t->name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void __attribute__((format(printf, 1, 2), noreturn)) bail(const char *fmt, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

/* ---- reference ciphers ---------------------------------------------------------------------------------------- */

enum reference { REF_GCRYPT, REF_OPENSSL, REF_NETTLE, N_REFS };
static const char *const ref_names[] = { "libgcrypt", "OpenSSL", "nettle" };
static const char *const mode_names[] = { "ecb", "cbc", "ctr", "lrw", "xts" };

/* What is asked of a library: one sector. */
struct request {
	enum cardea_cipher_id cipher;
	enum cardea_mode mode; /* ECB, CBC, CTR or XTS */
	bool dec;
	const uint8_t *key;
	size_t key_len; /* of XTS: both together */
	const uint8_t *iv;
	const uint8_t *in;
	uint8_t *out;
	size_t len;
};

static bool by_gcrypt(const struct request *r)
{
	static const int modes[] = {
		[CARDEA_MODE_ECB] = GCRY_CIPHER_MODE_ECB, [CARDEA_MODE_CBC] = GCRY_CIPHER_MODE_CBC,
		[CARDEA_MODE_CTR] = GCRY_CIPHER_MODE_CTR, [CARDEA_MODE_XTS] = GCRY_CIPHER_MODE_XTS,
	};
	size_t one = r->mode == CARDEA_MODE_XTS ? r->key_len / 2 : r->key_len;
	gcry_cipher_hd_t h;
	gcry_error_t err;
	int algo;

	if (r->cipher == CARDEA_CIPHER_AES)
		algo = one == 16 ? GCRY_CIPHER_AES128 : one == 24 ? GCRY_CIPHER_AES192 : GCRY_CIPHER_AES256;
	else if (one != 24)
		algo = one == 16 ? GCRY_CIPHER_TWOFISH128 : GCRY_CIPHER_TWOFISH;
	else
		return false;
	if (gcry_cipher_open(&h, algo, modes[r->mode], 0) != 0)
		return false;
	err = gcry_cipher_setkey(h, r->key, r->key_len);
	if (err == 0 && r->mode == CARDEA_MODE_CTR)
		err = gcry_cipher_setctr(h, r->iv, 16);
	else if (err == 0 && r->mode != CARDEA_MODE_ECB)
		err = gcry_cipher_setiv(h, r->iv, 16);
	if (err == 0)
		err = r->dec ? gcry_cipher_decrypt(h, r->out, r->len, r->in, r->len)
		             : gcry_cipher_encrypt(h, r->out, r->len, r->in, r->len);
	gcry_cipher_close(h);
	return err == 0;
}

static bool by_openssl(const struct request *r)
{
	size_t one = r->mode == CARDEA_MODE_XTS ? r->key_len / 2 : r->key_len;
	const EVP_CIPHER *c = NULL;
	EVP_CIPHER_CTX *ctx;
	int n = 0;
	bool ok;

	if (r->cipher != CARDEA_CIPHER_AES)
		return false;
	switch (r->mode) {
	case CARDEA_MODE_ECB:
		c = one == 16 ? EVP_aes_128_ecb() : one == 24 ? EVP_aes_192_ecb() : EVP_aes_256_ecb();
		break;
	case CARDEA_MODE_CBC:
		c = one == 16 ? EVP_aes_128_cbc() : one == 24 ? EVP_aes_192_cbc() : EVP_aes_256_cbc();
		break;
	case CARDEA_MODE_CTR:
		c = one == 16 ? EVP_aes_128_ctr() : one == 24 ? EVP_aes_192_ctr() : EVP_aes_256_ctr();
		break;
	case CARDEA_MODE_XTS:
		c = one == 16 ? EVP_aes_128_xts() : one == 32 ? EVP_aes_256_xts() : NULL;
		/* OpenSSL refuses equal halves. */
		if (memcmp(r->key, r->key + one, one) == 0)
			c = NULL;
		break;
	case CARDEA_MODE_LRW:
		break;
	}
	if (c == NULL)
		return false;
	ctx = EVP_CIPHER_CTX_new();
	ok = ctx != NULL && EVP_CipherInit_ex(ctx, c, NULL, r->key, r->iv, !r->dec) == 1 &&
	     EVP_CIPHER_CTX_set_padding(ctx, 0) == 1 && EVP_CipherUpdate(ctx, r->out, &n, r->in, (int)r->len) == 1 &&
	     (size_t)n == r->len;
	EVP_CIPHER_CTX_free(ctx);
	return ok;
}

static bool by_nettle(const struct request *r)
{
	nettle_cipher_func *enc = (nettle_cipher_func *)(void *)twofish_encrypt;
	nettle_cipher_func *dec = (nettle_cipher_func *)(void *)twofish_decrypt;
	size_t one = r->mode == CARDEA_MODE_XTS ? r->key_len / 2 : r->key_len;
	struct twofish_ctx k, tweak;
	uint8_t iv[16];

	if (r->cipher != CARDEA_CIPHER_TWOFISH)
		return false;
	twofish_set_key(&k, one, r->key);
	memcpy(iv, r->iv, 16);
	switch (r->mode) {
	case CARDEA_MODE_ECB:
		(r->dec ? twofish_decrypt : twofish_encrypt)(&k, r->len, r->out, r->in);
		return true;
	case CARDEA_MODE_CBC:
		if (r->dec)
			nettle_cbc_decrypt(&k, dec, 16, iv, r->len, r->out, r->in);
		else
			nettle_cbc_encrypt(&k, enc, 16, iv, r->len, r->out, r->in);
		return true;
	case CARDEA_MODE_CTR:
		nettle_ctr_crypt(&k, enc, 16, iv, r->len, r->out, r->in);
		return true;
	case CARDEA_MODE_XTS:
		twofish_set_key(&tweak, one, r->key + one);
		if (r->dec)
			nettle_xts_decrypt_message(&k, &tweak, dec, enc, iv, r->len, r->out, r->in);
		else
			nettle_xts_encrypt_message(&k, &tweak, enc, iv, r->len, r->out, r->in);
		return true;
	case CARDEA_MODE_LRW:
		break;
	}
	return false;
}

static bool by(enum reference ref, const struct request *r)
{
	return ref == REF_GCRYPT ? by_gcrypt(r) : ref == REF_OPENSSL ? by_openssl(r) : by_nettle(r);
}

/* By the first library that can; all ciphers and key sizes are in one of them. */
static void by_any(const struct request *r)
{
	for (int ref = 0; ref < N_REFS; ref++)
		if (by((enum reference)ref, r))
			return;
	bail("no library for %s-%s with a key of %zu bytes", cardea_cipher_name(r->cipher), mode_names[r->mode],
	     r->key_len);
}

/* ---- LRW: no library has it ----------------------------------------------------------------------------------- */

/*
 * x times y in GF(2^128) modulo x^128 + x^7 + x^2 + x + 1, both as big-endian numbers whose bit 0 is the
 * coefficient of x^0, bit by bit.
 */
static void gf_mul(uint8_t out[16], const uint8_t x[16], const uint8_t y[16])
{
	uint8_t r[16] = { 0 };

	for (unsigned bit = 0; bit < 128; bit++) {
		unsigned carry = r[0] >> 7;

		for (unsigned i = 0; i < 16; i++)
			r[i] = (uint8_t)(r[i] << 1 | (i < 15 ? r[i + 1] >> 7 : 0));
		r[15] = (uint8_t)(r[15] ^ (carry ? 0x87 : 0));
		if (y[bit / 8] >> (7 - bit % 8) & 1)
			for (unsigned i = 0; i < 16; i++)
				r[i] ^= x[i];
	}
	memcpy(out, r, 16);
}

static void lrw_by_ecb(const struct request *r, const uint8_t tweak[16])
{
	uint8_t index[16], mask[16], block[16];

	memcpy(index, r->iv, 16);
	for (size_t at = 0; at < r->len; at += 16) {
		struct request one = *r;

		gf_mul(mask, tweak, index);
		for (unsigned i = 0; i < 16; i++)
			block[i] = (uint8_t)(r->in[at + i] ^ mask[i]);
		one.mode = CARDEA_MODE_ECB;
		one.in = block;
		one.out = r->out + at;
		one.len = 16;
		by_any(&one);
		for (unsigned i = 0; i < 16; i++)
			r->out[at + i] ^= mask[i];
		for (unsigned i = 16; i-- > 0 && ++index[i] == 0;)
			;
	}
}

/* ---- ciphers and modes ---------------------------------------------------------------------------------------- */

/* One call, with the vector section open. */
struct call {
	const struct cardea_cipher_impl *impl;
	struct cardea_cipher_key key, tweak;
	const uint8_t *lrw_tweak;
	bool dec;
	struct cardea_sectors s;
};

static void do_ecb(const struct call *c)
{
	(c->dec ? c->impl->decrypt : c->impl->encrypt)(&c->key, c->s.out, c->s.in,
	                                               c->s.sectors * c->s.sector_len / CARDEA_BLOCK);
}

/* An implementation's own mode, where it has one, takes turns with the generic one. */
static void do_cbc(const struct call *c)
{
	void (*own)(const struct cardea_cipher_key *, const struct cardea_sectors *) =
		c->dec ? c->impl->cbc_decrypt : c->impl->cbc_encrypt;

	if (own != NULL && rand_to(1))
		own(&c->key, &c->s);
	else
		(c->dec ? cardea_cbc_decrypt : cardea_cbc_encrypt)(c->impl, &c->key, &c->s);
}

static void do_ctr(const struct call *c)
{
	cardea_ctr_crypt(c->impl, &c->key, &c->s);
}

static void do_lrw(const struct call *c)
{
	(c->dec ? cardea_lrw_decrypt : cardea_lrw_encrypt)(c->impl, &c->key, c->lrw_tweak, &c->s);
}

static void do_xts(const struct call *c)
{
	void (*own)(const struct cardea_cipher_key *, const struct cardea_cipher_key *, const struct cardea_sectors *) =
		c->dec ? c->impl->xts_decrypt : c->impl->xts_encrypt;

	if (own != NULL && rand_to(1))
		own(&c->key, &c->tweak, &c->s);
	else
		(c->dec ? cardea_xts_decrypt : cardea_xts_encrypt)(c->impl, &c->key, &c->tweak, &c->s);
}

static void (*const mode_fns[])(const struct call *c) = {
	[CARDEA_MODE_ECB] = do_ecb, [CARDEA_MODE_CBC] = do_cbc, [CARDEA_MODE_CTR] = do_ctr,
	[CARDEA_MODE_LRW] = do_lrw, [CARDEA_MODE_XTS] = do_xts,
};

static size_t total_key_len(enum cardea_mode mode, size_t one)
{
	return mode == CARDEA_MODE_XTS ? 2 * one : mode == CARDEA_MODE_LRW ? one + 16 : one;
}

/* Sectors of `len` bytes in all, by the library. */
static bool reference_sectors(int ref, const struct request *r, size_t sectors, size_t sector_len,
                              const uint8_t (*iv)[16])
{
	for (size_t i = 0; i < sectors; i++) {
		struct request one = *r;

		one.iv = iv[i];
		one.in = r->in + i * sector_len;
		one.out = r->out + i * sector_len;
		one.len = sector_len;
		if (r->mode == CARDEA_MODE_LRW) {
			one.key_len -= 16;
			lrw_by_ecb(&one, r->key + one.key_len);
		} else if (!by((enum reference)ref, &one)) {
			return false;
		}
	}
	return true;
}

/*
 * One random call: `sectors` sectors of `sector_len`, at random alignment, sometimes in place, with a guard after the
 * output.  Checks nothing when the library does not have this cipher, mode and length of key.
 */
static void check_sectors(struct point *t, const struct cardea_cipher_impl *impl, enum cardea_mode mode, size_t one,
                          int ref, size_t sectors, size_t sector_len)
{
	static uint8_t in_buf[16 * CARDEA_MAX_SECTOR + MAX_DATA + 64], want[sizeof(in_buf)];
	static uint8_t out_buf[sizeof(in_buf) + GUARD], iv[256][16];
	size_t len = sectors * sector_len, key_len = total_key_len(mode, one);
	uint8_t key[CARDEA_MAX_KEY], *in = in_buf + rand_to(31), *out = out_buf + rand_to(31), guard[GUARD];
	bool dec = rand64() & 1, in_place = rand_to(3) == 0;
	struct call c = {
		.impl = impl,
		.lrw_tweak = key + one,
		.dec = dec,
		.s = { out, in_place ? out : in, sectors, sector_len, (const uint8_t(*)[16])iv },
	};
	struct request r = { impl->cipher, mode, dec, key, key_len, iv[0], in, want, len };

	rand_bytes(key, key_len);
	rand_bytes(in, len);
	rand_bytes(iv[0], 16 * sectors);
	memset(guard, 0xa5, sizeof(guard));
	memset(out, 0x5a, len);
	memcpy(out + len, guard, sizeof(guard));
	if (!reference_sectors(ref, &r, sectors, sector_len, c.s.iv))
		return;
	if (in_place)
		memcpy(out, in, len);
	cardea_impl_begin(&host_platform, &impl->impl);
	impl->expand(&c.key, key, one);
	if (mode == CARDEA_MODE_XTS)
		impl->expand(&c.tweak, key + one, one);
	mode_fns[mode](&c);
	cardea_impl_end(&host_platform, &impl->impl);
	check(t, memcmp(out, want, len) == 0, "%s %zu x %zu bytes%s differ", dec ? "decrypt" : "encrypt", sectors,
	      sector_len, in_place ? " in place" : "");
	check(t, memcmp(out + len, guard, sizeof(guard)) == 0, "%zu x %zu bytes: wrote past the end", sectors,
	      sector_len);
}

static void cipher_points(const struct cardea_cipher_impl *impl)
{
	static const size_t key_lens[] = { 16, 24, 32 };

	for (unsigned m = 0; m < CARDEA_ARRAY_LEN(mode_fns); m++) {
		enum cardea_mode mode = (enum cardea_mode)m;

		for (unsigned k = 0; k < 3; k++) {
			for (int ref = 0; ref < N_REFS; ref++) {
				struct point t;

				/* LRW goes over ECB of whichever library has the cipher. */
				if (mode == CARDEA_MODE_LRW && ref != 0)
					continue;
				point_begin(&t, "%s %s-%s, %zu-bit key, with %s", impl->impl.name,
				            cardea_cipher_name(impl->cipher), mode_names[mode], 8 * key_lens[k],
				            mode == CARDEA_MODE_LRW ? "a reference over ECB" : ref_names[ref]);
				for (size_t blocks = 1; blocks <= 130; blocks++) {
					check_sectors(&t, impl, mode, key_lens[k], ref, 1, blocks * CARDEA_BLOCK);
					if (t.checks == 0)
						break; /* not in this library */
				}
				for (size_t n = 0; t.checks != 0 && n < 30; n++)
					check_sectors(&t, impl, mode, key_lens[k], ref, 1 + rand_to(63),
					              CARDEA_BLOCK * (1 + rand_to(31)));
				for (size_t n = 0; t.checks != 0 && n < 4; n++)
					check_sectors(&t, impl, mode, key_lens[k], ref, 1 + rand_to(8),
					              (size_t)512 << n);
				if (t.checks != 0)
					point_end(&t);
			}
		}
	}
}

/* Every pair: what one implementation encrypts another decrypts. */
static void pair_point(const struct cardea_cipher_impl *a, const struct cardea_cipher_impl *b)
{
	uint8_t plain[MAX_DATA], got[MAX_DATA], key[32];
	struct cardea_cipher_key k;
	struct point t;

	point_begin(&t, "%s: %s encrypts, %s decrypts", cardea_cipher_name(a->cipher), a->impl.name, b->impl.name);
	for (size_t blocks = 1; blocks <= 130; blocks++) {
		size_t key_len = 16 + 8 * rand_to(2);

		rand_bytes(plain, sizeof(plain));
		rand_bytes(key, sizeof(key));
		cardea_impl_begin(&host_platform, &a->impl);
		a->expand(&k, key, key_len);
		a->encrypt(&k, got, plain, blocks);
		cardea_impl_end(&host_platform, &a->impl);
		cardea_impl_begin(&host_platform, &b->impl);
		b->decrypt(&k, got, got, blocks);
		cardea_impl_end(&host_platform, &b->impl);
		check(&t, memcmp(got, plain, blocks * CARDEA_BLOCK) == 0, "%zu blocks", blocks);
	}
	point_end(&t);
}

/* ---- hashes --------------------------------------------------------------------------------------------------- */

static const struct {
	enum cardea_hash_id id;
	const char *openssl; /* NULL: libgcrypt has it */
	int gcrypt;
} hashes[] = {
	{ CARDEA_HASH_SHA1, "SHA1", GCRY_MD_SHA1 },
	{ CARDEA_HASH_SHA224, "SHA224", GCRY_MD_SHA224 },
	{ CARDEA_HASH_SHA256, "SHA256", GCRY_MD_SHA256 },
	{ CARDEA_HASH_SHA384, "SHA384", GCRY_MD_SHA384 },
	{ CARDEA_HASH_SHA512, "SHA512", GCRY_MD_SHA512 },
	{ CARDEA_HASH_RIPEMD160, NULL, GCRY_MD_RMD160 },
	{ CARDEA_HASH_WHIRLPOOL, NULL, GCRY_MD_WHIRLPOOL },
	{ CARDEA_HASH_SHA3_224, "SHA3-224", GCRY_MD_SHA3_224 },
	{ CARDEA_HASH_SHA3_256, "SHA3-256", GCRY_MD_SHA3_256 },
	{ CARDEA_HASH_SHA3_384, "SHA3-384", GCRY_MD_SHA3_384 },
	{ CARDEA_HASH_SHA3_512, "SHA3-512", GCRY_MD_SHA3_512 },
	{ CARDEA_HASH_BLAKE2B_512, "BLAKE2b512", GCRY_MD_BLAKE2B_512 },
	{ CARDEA_HASH_BLAKE2S_256, "BLAKE2s256", GCRY_MD_BLAKE2S_256 },
};

_Static_assert(CARDEA_ARRAY_LEN(hashes) == CARDEA_N_HASHES, "all hashes");

static const EVP_MD *openssl_md(unsigned h)
{
	const EVP_MD *md = EVP_get_digestbyname(hashes[h].openssl);

	if (md == NULL)
		bail("OpenSSL has no %s", hashes[h].openssl);
	return md;
}

static void reference_hash(unsigned h, uint8_t *out, const uint8_t *in, size_t len)
{
	if (hashes[h].openssl == NULL)
		gcry_md_hash_buffer(hashes[h].gcrypt, out, in, len);
	else if (EVP_Digest(in, len, out, NULL, openssl_md(h), NULL) != 1)
		bail("EVP_Digest %s", hashes[h].openssl);
}

static void reference_hmac(unsigned h, uint8_t *out, const uint8_t *key, size_t key_len, const uint8_t *in, size_t len)
{
	gcry_md_hd_t md;
	unsigned n;

	if (hashes[h].openssl != NULL) {
		if (HMAC(openssl_md(h), key, (int)key_len, in, len, out, &n) == NULL)
			bail("HMAC %s", hashes[h].openssl);
		return;
	}
	if (gcry_md_open(&md, hashes[h].gcrypt, GCRY_MD_FLAG_HMAC) != 0 || gcry_md_setkey(md, key, key_len) != 0)
		bail("gcry_md HMAC %s", cardea_hash_name(hashes[h].id));
	gcry_md_write(md, in, len);
	memcpy(out, gcry_md_read(md, 0), cardea_hash_digest_len(hashes[h].id));
	gcry_md_close(md);
}

static void reference_pbkdf2(unsigned h, uint8_t *out, size_t out_len, const uint8_t *pass, size_t pass_len,
                             const uint8_t *salt, size_t salt_len, uint32_t iterations)
{
	if (hashes[h].openssl != NULL) {
		if (PKCS5_PBKDF2_HMAC((const char *)pass, (int)pass_len, salt, (int)salt_len, (int)iterations,
		                      openssl_md(h), (int)out_len, out) != 1)
			bail("PKCS5_PBKDF2_HMAC %s", hashes[h].openssl);
	} else if (gcry_kdf_derive(pass, pass_len, GCRY_KDF_PBKDF2, hashes[h].gcrypt, salt, salt_len, iterations,
	                           out_len, out) != 0) {
		bail("gcry_kdf_derive %s", cardea_hash_name(hashes[h].id));
	}
}

/* The whole input in random pieces, some of them empty. */
static void update_in_pieces(void (*update)(void *ctx, const uint8_t *p, size_t len), void *ctx, const uint8_t *in,
                             size_t len)
{
	size_t most = 1 + rand_to(299);

	for (size_t at = 0; at < len;) {
		size_t n = rand_to(cardea_min_size(most, len - at));

		update(ctx, in + at, n);
		at += n;
	}
}

static void update_hash(void *ctx, const uint8_t *p, size_t len)
{
	cardea_hash_update(ctx, p, len);
}

static void update_hmac(void *ctx, const uint8_t *p, size_t len)
{
	cardea_hmac_update(ctx, p, len);
}

static void hash_points(unsigned h, const struct cardea_impl *impl)
{
	static uint8_t data[70000];
	enum cardea_hash_id id = hashes[h].id;
	const size_t digest_len = cardea_hash_digest_len(id);
	const char *name = cardea_hash_name(id), *with = hashes[h].openssl != NULL ? "OpenSSL" : "libgcrypt";
	uint8_t got[256 + GUARD], want[256 + GUARD], key[300];
	struct point t;

	point_begin(&t, "%s %s, all lengths to 1000, with %s", impl->name, name, with);
	for (size_t len = 0; len <= 1000; len++) {
		const uint8_t *in = data + rand_to(15);
		struct cardea_hash sum;

		rand_bytes(data, sizeof(key) + 1000);
		memset(got, 0xa5, sizeof(got));
		memset(want, 0xa5, sizeof(want));
		reference_hash(h, want, in, len);
		cardea_hash_once(&suite, &host_platform, id, got, in, len);
		check(&t, memcmp(got, want, sizeof(got)) == 0, "%zu bytes at once", len);
		memset(got, 0xa5, sizeof(got));
		cardea_impl_begin(&host_platform, impl);
		cardea_hash_init(&sum, &suite, id);
		update_in_pieces(update_hash, &sum, in, len);
		cardea_hash_final(&sum, got);
		cardea_impl_end(&host_platform, impl);
		check(&t, memcmp(got, want, sizeof(got)) == 0, "%zu bytes in pieces", len);
	}
	for (unsigned n = 0; n < 10; n++) {
		size_t len = 1001 + rand_to(sizeof(data) - 1001);

		rand_bytes(data, len);
		reference_hash(h, want, data, len);
		cardea_hash_once(&suite, &host_platform, id, got, data, len);
		check(&t, memcmp(got, want, digest_len) == 0, "%zu bytes", len);
	}
	point_end(&t);

	point_begin(&t, "%s HMAC-%s, keys to 300 bytes, with %s", impl->name, name, with);
	for (size_t key_len = 0; key_len <= sizeof(key); key_len++) {
		size_t len = rand_to(500);
		struct cardea_hmac mac;

		rand_bytes(key, sizeof(key));
		rand_bytes(data, len);
		reference_hmac(h, want, key, key_len, data, len);
		cardea_impl_begin(&host_platform, impl);
		cardea_hmac_init(&mac, &suite, id, key, key_len);
		update_in_pieces(update_hmac, &mac, data, len);
		cardea_hmac_final(&mac, got);
		cardea_impl_end(&host_platform, impl);
		check(&t, memcmp(got, want, digest_len) == 0, "a key of %zu, %zu bytes", key_len, len);
	}
	point_end(&t);

	point_begin(&t, "%s PBKDF2-%s with %s", impl->name, name, with);
	for (unsigned n = 0; n < 60; n++) {
		/* libgcrypt refuses an empty salt. */
		size_t pass_len = rand_to(n % 4 == 0 ? 300 : 40), salt_len = 1 + rand_to(n % 3 == 0 ? 200 : 63);
		size_t out_len = 1 + rand_to(199);
		uint32_t iterations = 1 + (uint32_t)rand_to(n % 10 == 0 ? 1000 : 20);

		/* ... and an empty passphrase. */
		pass_len += pass_len == 0 && hashes[h].openssl == NULL;
		rand_bytes(key, sizeof(key));
		rand_bytes(data, 300);
		memset(got, 0xa5, sizeof(got));
		memset(want, 0xa5, sizeof(want));
		reference_pbkdf2(h, want, out_len, key, pass_len, data, salt_len, iterations);
		check(&t, cardea_pbkdf2(&suite, &host_platform, id, got, out_len, key, pass_len, data, salt_len,
		                        iterations, 0) == CARDEA_OK, "an error");
		check(&t, memcmp(got, want, sizeof(got)) == 0,
		      "passphrase %zu, salt %zu, %u iterations, %zu bytes", pass_len, salt_len, iterations, out_len);
	}
	point_end(&t);
}

/* ---- Argon2 --------------------------------------------------------------------------------------------------- */

static void argon2_point(const struct cardea_impl *impl, enum cardea_argon2_type type)
{
	uint8_t pass[300], salt[100], secret[50], ad[50], got[300], want[300];
	struct point t;

	point_begin(&t, "%s Argon2%s with libargon2", impl->name, type == CARDEA_ARGON2I ? "i" : "id");
	for (unsigned n = 0; n < 120; n++) {
		uint32_t lanes = 1 + (uint32_t)rand_to(7);
		struct cardea_argon2 a = {
			.type = type,
			.passes = 1 + (uint32_t)rand_to(3),
			.memory_kib = 8 * lanes + (uint32_t)rand_to(n % 8 == 0 ? 3000 : 300),
			.lanes = lanes,
			.secret = secret,
			.ad = ad,
			.secret_len = n % 2 ? rand_to(50) : 0,
			.ad_len = n % 2 ? rand_to(50) : 0,
		};
		size_t pass_len = rand_to(sizeof(pass)), salt_len = 8 + rand_to(sizeof(salt) - 8);
		size_t out_len = 4 + rand_to(n % 2 ? 60 : 252);
		argon2_context c = {
			.out = want, .outlen = (uint32_t)out_len,
			.pwd = pass, .pwdlen = (uint32_t)pass_len,
			.salt = salt, .saltlen = (uint32_t)salt_len,
			.secret = secret, .secretlen = (uint32_t)a.secret_len,
			.ad = ad, .adlen = (uint32_t)a.ad_len,
			.t_cost = a.passes, .m_cost = a.memory_kib, .lanes = lanes, .threads = 1,
			.version = ARGON2_VERSION_13, .flags = ARGON2_DEFAULT_FLAGS,
		};

		rand_bytes(pass, sizeof(pass));
		rand_bytes(salt, sizeof(salt));
		rand_bytes(secret, sizeof(secret));
		rand_bytes(ad, sizeof(ad));
		memset(got, 0xa5, sizeof(got));
		memset(want, 0xa5, sizeof(want));
		if (argon2_ctx(&c, type == CARDEA_ARGON2I ? Argon2_i : Argon2_id) != ARGON2_OK)
			bail("argon2_ctx");
		check(&t, cardea_argon2(&suite, &host_platform, &a, got, out_len, pass, pass_len, salt, salt_len, 0) ==
		      CARDEA_OK, "an error");
		check(&t, memcmp(got, want, sizeof(got)) == 0, "t=%u m=%u p=%u passphrase %zu, salt %zu, %zu bytes",
		      a.passes, a.memory_kib, lanes, pass_len, salt_len, out_len);
	}
	point_end(&t);
}

/* ---- sectors as dm-crypt does them ---------------------------------------------------------------------------- */

/* The IV of one sector, from the kernel's description (drivers/md/dm-crypt.c, "Different IV generation algorithms"). */
static void reference_iv(const struct cardea_spec *spec, uint8_t iv[16], const uint8_t *key, size_t key_len,
                         uint32_t sector_len, uint64_t sector)
{
	uint8_t in[16] = { 0 }, zero[16] = { 0 }, digest[64];
	struct request r = { spec->cipher, CARDEA_MODE_ECB, false, key, key_len, in, in, iv, 16 };

	memset(iv, 0, 16);
	switch (spec->iv) {
	case CARDEA_IV_NULL:
		break;
	case CARDEA_IV_PLAIN:
		cardea_put_le32(iv, (uint32_t)sector);
		break;
	case CARDEA_IV_PLAIN64:
		cardea_put_le64(iv, sector);
		break;
	case CARDEA_IV_PLAIN64BE:
		cardea_put_be64(iv + 8, sector);
		break;
	case CARDEA_IV_BENBI:
		cardea_put_be64(iv + 8, sector * 32 + 1);
		break;
	case CARDEA_IV_ESSIV:
		reference_hash(spec->essiv_hash, digest, key, key_len);
		cardea_put_le64(in, sector);
		r.key = digest;
		r.key_len = cardea_hash_digest_len(spec->essiv_hash);
		by_any(&r);
		break;
	case CARDEA_IV_EBOIV:
		/*
		 * crypt_iv_eboiv_gen multiplies by the size of the sector, though it counts in units of 512 bytes, and
		 * encrypts a block of zeros in the volume's own mode with the result as IV.
		 */
		cardea_put_le64(in, sector * sector_len);
		r.mode = spec->mode;
		r.in = zero;
		by_any(&r);
		break;
	}
}

static void crypt_point(const struct cardea_impl *impl, const char *text, size_t key_len)
{
	static uint8_t in[16 * CARDEA_MAX_SECTOR], got[sizeof(in)], want[sizeof(in)];
	struct cardea_spec spec;
	struct point t;

	point_begin(&t, "%s %s, %zu-bit key, sectors of 512 to 4096", impl->name, text, 8 * key_len);
	check(&t, cardea_spec_parse(&spec, text, key_len, &host_platform, "crosscheck") == CARDEA_OK, "not parsed");
	for (unsigned n = 0; t.bad == 0 && n < 16; n++) {
		uint32_t sector_len = 512u << n % 4;
		size_t sectors = 1 + rand_to(n < 4 ? 2 : sizeof(in) / sector_len - 1);
		uint64_t first = n % 3 == 0 ? rand64() : n % 3 == 1 ? 0xfffffff0 + rand_to(31) : rand_to(100);
		uint8_t key[CARDEA_MAX_KEY];
		struct cardea_crypt crypt;
		bool dec = n / 4 % 2;

		rand_bytes(key, key_len);
		rand_bytes(in, sizeof(in));
		cardea_crypt_init(&crypt, &suite, &host_platform, &spec, sector_len, key, key_len);
		for (size_t i = 0; i < sectors; i++) {
			uint8_t iv[1][16];
			struct request r = { spec.cipher, spec.mode, dec, key, key_len, iv[0], in + i * sector_len,
			                     want + i * sector_len, sector_len };

			reference_iv(&spec, iv[0], key, key_len, sector_len, first + i * (sector_len / 512));
			if (spec.mode == CARDEA_MODE_LRW) {
				r.key_len -= 16;
				lrw_by_ecb(&r, key + r.key_len);
			} else {
				by_any(&r);
			}
		}
		memset(got, 0xa5, sizeof(got));
		if (n % 2)
			memcpy(got, in, sectors * sector_len);
		(dec ? cardea_crypt_decrypt : cardea_crypt_encrypt)(&crypt, &host_platform, got, n % 2 ? got : in,
		                                                   sectors, first);
		check(&t, memcmp(got, want, sectors * sector_len) == 0, "%s %zu sectors of %u from %llu",
		      dec ? "decrypt" : "encrypt", sectors, sector_len, (unsigned long long)first);
	}
	point_end(&t);
}

static void crypt_points(const struct cardea_cipher_impl *impl)
{
	static const struct {
		const char *mode;
		size_t key_len;
	} modes[] = {
		{ "xts-plain64", 32 }, { "xts-plain64", 48 }, { "xts-plain64", 64 }, { "xts-plain", 64 },
		{ "xts-plain64be", 32 }, { "xts-benbi", 64 }, { "xts-essiv:sha256", 64 }, { "xts-null", 64 },
		{ "cbc-plain", 16 }, { "cbc-plain64", 32 }, { "cbc-plain64be", 24 }, { "cbc-null", 32 },
		{ "cbc-essiv:sha256", 16 }, { "cbc-essiv:sha256", 24 }, { "cbc-essiv:sha256", 32 },
		{ "cbc-essiv:sha3-256", 32 }, { "cbc-essiv:blake2s-256", 32 }, { "cbc-essiv:sha224", 0 },
		{ "cbc-eboiv", 16 }, { "cbc-eboiv", 32 }, { "xts-eboiv", 64 }, { "cbc-benbi", 32 },
		{ "ctr-plain64", 16 }, { "ctr-plain", 32 }, { "ctr-plain64be", 32 }, { "ctr-essiv:sha256", 32 },
		{ "lrw-benbi", 32 }, { "lrw-benbi", 40 }, { "lrw-benbi", 48 }, { "lrw-plain64", 48 }, { "ecb", 32 },
	};
	struct cardea_spec spec;
	char text[80];

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(modes); i++) {
		snprintf(text, sizeof(text), "%s-%s", cardea_cipher_name(impl->cipher), modes[i].mode);
		if (modes[i].key_len != 0) {
			crypt_point(&impl->impl, text, modes[i].key_len);
		} else {
			struct point t;

			/* A digest that is no key of the cipher. */
			point_begin(&t, "%s with a 256-bit key is refused", text);
			host_log_quiet(true);
			check(&t, cardea_spec_parse(&spec, text, 32, &host_platform, "crosscheck") != CARDEA_OK,
			      "accepted");
			host_log_quiet(false);
			point_end(&t);
		}
	}
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static void primitive_points(unsigned primitive)
{
	size_t n;
	const struct cardea_impl *const *table = cardea_primitive_impls(primitive, &n);
	const struct cardea_suite before = suite;

	for (size_t i = 0; i < n; i++) {
		if (!cardea_suite_can_run(&suite, &host_platform, table[i])) {
			printf("# %s %s is skipped: this CPU cannot run it\n", cardea_primitive_name(primitive),
			       table[i]->name);
			continue;
		}
		cardea_suite_use(&suite, primitive, table[i]);
		if (primitive < CARDEA_N_CIPHERS) {
			cipher_points((const void *)table[i]);
			crypt_points((const void *)table[i]);
			for (size_t k = 0; k < n; k++)
				if (cardea_suite_can_run(&suite, &host_platform, table[k]))
					pair_point((const void *)table[i], (const void *)table[k]);
		} else if (primitive < CARDEA_N_CIPHERS + CARDEA_N_COMPRESS) {
			for (unsigned h = 0; h < CARDEA_N_HASHES; h++)
				if ((unsigned)cardea_hash_family(hashes[h].id) == primitive - CARDEA_N_CIPHERS)
					hash_points(h, table[i]);
		} else {
			argon2_point(table[i], CARDEA_ARGON2I);
			argon2_point(table[i], CARDEA_ARGON2ID);
		}
	}
	suite = before;
}

int main(int argc, char **argv)
{
	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
	printf("# seed %llu: crosscheck %llu repeats this run\n", (unsigned long long)seed, (unsigned long long)seed);
	if (gcry_check_version(NULL) == NULL)
		bail("libgcrypt");
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	host_log_subject("crosscheck");
	host_setup();
	if (host_suite(&suite) != EXIT_DONE)
		bail("the core's self-test fails");
	for (unsigned i = 0; i < CARDEA_N_PRIMITIVES; i++)
		primitive_points(i);
	printf("1..%u\n", points);
	return bad_points != 0;
}
