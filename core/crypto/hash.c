/* SPDX-License-Identifier: MIT */
#include "crypto/hash_internal.h"
#include "crypto/suite.h"

/* How the last block is padded and the state becomes a digest. */
enum layout {
	MD_BE32,  /* 0x80, zeros, length big-endian; words big-endian       */
	MD_BE64,
	MD_LE32,  /* 0x80, zeros, length little-endian; words little-endian */
	MD_BYTES, /* as MD_BE, state in memory order                        */
	SPONGE,   /* 0x06, zeros, 0x80                                      */
	BLAKE2,   /* zeros; the last block is held back until the end       */
};

struct hash_info {
	const char *name;
	enum cardea_compress_id family;
	enum layout layout;
	uint8_t digest_len, block_len;
	uint8_t length_len; /* bytes of the length field */
};

static const struct hash_info infos[CARDEA_N_HASHES] = {
	[CARDEA_HASH_SHA1] = { "sha1", CARDEA_COMPRESS_SHA1, MD_BE32, 20, 64, 8 },
	[CARDEA_HASH_SHA224] = { "sha224", CARDEA_COMPRESS_SHA256, MD_BE32, 28, 64, 8 },
	[CARDEA_HASH_SHA256] = { "sha256", CARDEA_COMPRESS_SHA256, MD_BE32, 32, 64, 8 },
	[CARDEA_HASH_SHA384] = { "sha384", CARDEA_COMPRESS_SHA512, MD_BE64, 48, 128, 16 },
	[CARDEA_HASH_SHA512] = { "sha512", CARDEA_COMPRESS_SHA512, MD_BE64, 64, 128, 16 },
	[CARDEA_HASH_RIPEMD160] = { "ripemd160", CARDEA_COMPRESS_RIPEMD160, MD_LE32, 20, 64, 8 },
	[CARDEA_HASH_WHIRLPOOL] = { "whirlpool", CARDEA_COMPRESS_WHIRLPOOL, MD_BYTES, 64, 64, 32 },
	[CARDEA_HASH_SHA3_224] = { "sha3-224", CARDEA_COMPRESS_KECCAK, SPONGE, 28, 144, 0 },
	[CARDEA_HASH_SHA3_256] = { "sha3-256", CARDEA_COMPRESS_KECCAK, SPONGE, 32, 136, 0 },
	[CARDEA_HASH_SHA3_384] = { "sha3-384", CARDEA_COMPRESS_KECCAK, SPONGE, 48, 104, 0 },
	[CARDEA_HASH_SHA3_512] = { "sha3-512", CARDEA_COMPRESS_KECCAK, SPONGE, 64, 72, 0 },
	[CARDEA_HASH_BLAKE2B_512] = { "blake2b-512", CARDEA_COMPRESS_BLAKE2B, BLAKE2, 64, 128, 0 },
	[CARDEA_HASH_BLAKE2S_256] = { "blake2s-256", CARDEA_COMPRESS_BLAKE2S, BLAKE2, 32, 64, 0 },
};

/* ---- initial values (FIPS 180-4 section 5.3; BLAKE2's are those of SHA-512 and SHA-256) -------------------- */

static const uint32_t iv_sha1[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
static const uint32_t iv_sha224[8] = { 0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
	                               0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4 };
static const uint32_t iv_sha256[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
static const uint64_t iv_sha384[8] = { 0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17,
	                               0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511,
	                               0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4 };
static const uint64_t iv_sha512[8] = { 0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
	                               0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
	                               0x1f83d9abfb41bd6b, 0x5be0cd19137e2179 };

static void blake2_init(union cardea_hash_state *s, enum cardea_hash_id id, size_t out_len)
{
	/* Parameter block of RFC 7693 section 2.5: digest length, no key, fanout 1, depth 1. */
	uint32_t param = 0x01010000 ^ (uint32_t)out_len;

	memset(s, 0, sizeof(*s));
	if (id == CARDEA_HASH_BLAKE2B_512) {
		memcpy(s->w64, iv_sha512, sizeof(iv_sha512));
		s->w64[0] ^= param;
	} else {
		memcpy(s->w32, iv_sha256, sizeof(iv_sha256));
		s->w32[0] ^= param;
	}
	s->w64[CARDEA_BLAKE2_COUNT] = infos[id].block_len;
	s->w64[CARDEA_BLAKE2_LEN] = out_len;
}

static void state_init(union cardea_hash_state *s, enum cardea_hash_id id)
{
	memset(s, 0, sizeof(*s));
	switch (id) {
	case CARDEA_HASH_SHA1:
	case CARDEA_HASH_RIPEMD160: /* the same five words */
		memcpy(s->w32, iv_sha1, sizeof(iv_sha1));
		break;
	case CARDEA_HASH_SHA224:
		memcpy(s->w32, iv_sha224, sizeof(iv_sha224));
		break;
	case CARDEA_HASH_SHA256:
		memcpy(s->w32, iv_sha256, sizeof(iv_sha256));
		break;
	case CARDEA_HASH_SHA384:
		memcpy(s->w64, iv_sha384, sizeof(iv_sha384));
		break;
	case CARDEA_HASH_SHA512:
		memcpy(s->w64, iv_sha512, sizeof(iv_sha512));
		break;
	case CARDEA_HASH_BLAKE2B_512:
	case CARDEA_HASH_BLAKE2S_256:
		blake2_init(s, id, infos[id].digest_len);
		break;
	default: /* Whirlpool and Keccak start from zero */
		break;
	}
}

/* ---- names and lengths ------------------------------------------------------------------------------------- */

const char *cardea_hash_name(enum cardea_hash_id id) { return infos[id].name; }
size_t cardea_hash_digest_len(enum cardea_hash_id id) { return infos[id].digest_len; }
size_t cardea_hash_block_len(enum cardea_hash_id id) { return infos[id].block_len; }
enum cardea_compress_id cardea_hash_family(enum cardea_hash_id id) { return infos[id].family; }

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_name(const char *a, const char *b)
{
	while (*a != '\0' && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return *a == *b;
}

bool cardea_hash_by_name(enum cardea_hash_id *out, const char *name)
{
	for (unsigned i = 0; i < CARDEA_N_HASHES; i++) {
		if (same_name(infos[i].name, name)) {
			*out = (enum cardea_hash_id)i;
			return true;
		}
	}
	return false;
}

size_t cardea_hash_state_words(enum cardea_compress_id family)
{
	switch (family) {
	case CARDEA_COMPRESS_SHA1:
	case CARDEA_COMPRESS_RIPEMD160:
		return 3;
	case CARDEA_COMPRESS_SHA256:
		return 4;
	case CARDEA_COMPRESS_KECCAK:
		return 25;
	case CARDEA_COMPRESS_BLAKE2B:
	case CARDEA_COMPRESS_BLAKE2S:
		return CARDEA_BLAKE2_LEN + 1;
	default:
		return 8;
	}
}

/* ---- the driver -------------------------------------------------------------------------------------------- */

static void init_with(struct cardea_hash *h, const struct cardea_compress_impl *impl, enum cardea_hash_id id)
{
	memset(h, 0, sizeof(*h));
	state_init(&h->state, id);
	h->impl = impl;
	h->id = id;
}

void cardea_hash_init(struct cardea_hash *h, const struct cardea_suite *suite, enum cardea_hash_id id)
{
	init_with(h, suite->compress[infos[id].family], id);
}

void cardea_blake2b_init(struct cardea_hash *h, const struct cardea_suite *suite, size_t out_len)
{
	cardea_hash_init(h, suite, CARDEA_HASH_BLAKE2B_512);
	blake2_init(&h->state, CARDEA_HASH_BLAKE2B_512, out_len);
}

void cardea_hash_update(struct cardea_hash *h, const void *data, size_t len)
{
	const struct hash_info *info = &infos[h->id];
	size_t block_len = info->block_len, n;
	/* BLAKE2 may compress a full block only once it knows that more follows. */
	size_t keep = info->layout == BLAKE2;
	const uint8_t *in = data;

	if (len == 0)
		return;
	h->total += len;
	if (h->fill > 0) {
		n = cardea_min_size(len, block_len - h->fill);
		memcpy(h->buf + h->fill, in, n);
		h->fill += (uint32_t)n;
		in += n;
		len -= n;
		if (h->fill < block_len || len < keep)
			return;
		h->impl->compress(&h->state, h->buf, 1, block_len);
		h->fill = 0;
	}
	n = len > keep ? (len - keep) / block_len : 0;
	if (n > 0) {
		h->impl->compress(&h->state, in, n, block_len);
		in += n * block_len;
		len -= n * block_len;
	}
	if (len > 0) {
		memcpy(h->buf, in, len);
		h->fill = (uint32_t)len;
	}
}

size_t cardea_hash_pad(struct cardea_hash *h, uint8_t tail[CARDEA_MAX_TAIL])
{
	const struct hash_info *info = &infos[h->id];
	size_t block_len = info->block_len, n = 1, end;

	memset(tail, 0, CARDEA_MAX_TAIL);
	memcpy(tail, h->buf, h->fill);
	if (info->layout == BLAKE2) {
		h->state.w64[CARDEA_BLAKE2_COUNT] = h->total;
		h->state.w64[CARDEA_BLAKE2_FINAL] = ~(uint64_t)0;
		return 1;
	}
	if (info->layout == SPONGE) {
		tail[h->fill] = 0x06;
		tail[block_len - 1] |= 0x80;
		return 1;
	}
	tail[h->fill] = 0x80;
	if (h->fill + 1u + info->length_len > block_len)
		n = 2;
	end = n * block_len;
	if (info->layout == MD_LE32) {
		cardea_put_le64(tail + end - 8, h->total << 3);
	} else {
		cardea_put_be64(tail + end - 8, h->total << 3);
		if (info->length_len > 8)
			cardea_put_be64(tail + end - 16, h->total >> 61);
	}
	return n;
}

void cardea_hash_digest(enum cardea_hash_id id, uint8_t *out, const union cardea_hash_state *s)
{
	size_t len = infos[id].digest_len;

	switch (infos[id].layout) {
	case MD_BE32:
		for (size_t i = 0; i < len / 4; i++)
			cardea_put_be32(out + 4 * i, s->w32[i]);
		break;
	case MD_BE64:
		for (size_t i = 0; i < len / 8; i++)
			cardea_put_be64(out + 8 * i, s->w64[i]);
		break;
	default:
		memcpy(out, s, len);
		break;
	}
}

void cardea_hash_final(struct cardea_hash *h, uint8_t *out)
{
	uint8_t tail[CARDEA_MAX_TAIL];
	size_t n = cardea_hash_pad(h, tail);

	h->impl->compress(&h->state, tail, n, infos[h->id].block_len);
	if (infos[h->id].layout == BLAKE2)
		memcpy(out, &h->state, h->state.w64[CARDEA_BLAKE2_LEN]);
	else
		cardea_hash_digest(h->id, out, &h->state);
	cardea_wipe(tail, sizeof(tail));
	cardea_wipe(h, sizeof(*h));
}

void cardea_hash_once(const struct cardea_suite *suite, const struct cardea_platform *p, enum cardea_hash_id id,
                      uint8_t *out, const void *data, size_t len)
{
	const struct cardea_impl *impl = &suite->compress[infos[id].family]->impl;
	struct cardea_hash h;

	cardea_impl_begin(p, impl);
	cardea_hash_init(&h, suite, id);
	cardea_hash_update(&h, data, len);
	cardea_hash_final(&h, out);
	cardea_impl_end(p, impl);
}

/* ---- HMAC -------------------------------------------------------------------------------------------------- */

void cardea_hmac_init(struct cardea_hmac *h, const struct cardea_suite *suite, enum cardea_hash_id id,
                      const uint8_t *key, size_t key_len)
{
	size_t block_len = infos[id].block_len;
	uint8_t k[CARDEA_MAX_HASH_BLOCK] = { 0 };

	if (key_len > block_len) {
		cardea_hash_init(&h->inner, suite, id);
		cardea_hash_update(&h->inner, key, key_len);
		cardea_hash_final(&h->inner, k);
	} else if (key_len > 0) {
		memcpy(k, key, key_len);
	}
	for (size_t i = 0; i < block_len; i++)
		k[i] ^= 0x36;
	cardea_hash_init(&h->inner, suite, id);
	cardea_hash_update(&h->inner, k, block_len);
	for (size_t i = 0; i < block_len; i++)
		k[i] ^= 0x36 ^ 0x5c;
	cardea_hash_init(&h->outer, suite, id);
	cardea_hash_update(&h->outer, k, block_len);
	cardea_wipe(k, sizeof(k));
}

void cardea_hmac_update(struct cardea_hmac *h, const void *data, size_t len)
{
	cardea_hash_update(&h->inner, data, len);
}

void cardea_hmac_final(struct cardea_hmac *h, uint8_t *out)
{
	size_t len = infos[h->inner.id].digest_len;
	uint8_t digest[CARDEA_MAX_DIGEST];

	cardea_hash_final(&h->inner, digest);
	cardea_hash_update(&h->outer, digest, len);
	cardea_hash_final(&h->outer, out);
	cardea_wipe(digest, sizeof(digest));
}

/* ---- implementations --------------------------------------------------------------------------------------- */

static const struct cardea_impl *const sha1_impls[] = { &cardea_sha1_c.impl };
static const struct cardea_impl *const sha256_impls[] = { &cardea_sha256_c.impl };
static const struct cardea_impl *const sha512_impls[] = { &cardea_sha512_c.impl };
static const struct cardea_impl *const ripemd160_impls[] = { &cardea_ripemd160_c.impl };
static const struct cardea_impl *const whirlpool_impls[] = { &cardea_whirlpool_c.impl };
static const struct cardea_impl *const keccak_impls[] = { &cardea_keccak_c.impl };
static const struct cardea_impl *const blake2b_impls[] = { &cardea_blake2b_c.impl };
static const struct cardea_impl *const blake2s_impls[] = { &cardea_blake2s_c.impl };

/* The known answer of a family is for a message of several blocks, so that the loop over blocks is tested too. */
static const struct {
	const char *name;
	const struct cardea_impl *const *impls;
	size_t n_impls;
	enum cardea_hash_id hash;
	uint8_t digest[CARDEA_MAX_DIGEST];
} families[CARDEA_N_COMPRESS] = {
#define FAMILY(name, table) name, table, CARDEA_ARRAY_LEN(table)
	[CARDEA_COMPRESS_SHA1] = { FAMILY("sha1", sha1_impls), CARDEA_HASH_SHA1, {
		0x95, 0x41, 0xf9, 0xc7, 0x58, 0xb8, 0x29, 0xf3, 0xc2, 0x48, 0x36, 0x69, 0x2a, 0xaa, 0x18, 0xf7,
		0x43, 0x84, 0x78, 0x00 } },
	[CARDEA_COMPRESS_SHA256] = { FAMILY("sha256", sha256_impls), CARDEA_HASH_SHA256, {
		0xb5, 0x84, 0xa0, 0x5e, 0x1a, 0xf0, 0x3e, 0x9e, 0x22, 0x01, 0x55, 0x0d, 0xf4, 0x19, 0x26, 0x6f,
		0x1a, 0x18, 0x99, 0x3e, 0xb8, 0x99, 0x9f, 0xa9, 0x8b, 0xda, 0x4a, 0x14, 0x0d, 0xa3, 0x6a, 0x66 } },
	[CARDEA_COMPRESS_SHA512] = { FAMILY("sha512", sha512_impls), CARDEA_HASH_SHA512, {
		0x6e, 0x59, 0xd8, 0x6c, 0x93, 0xe5, 0xae, 0xe5, 0xe0, 0x8c, 0x8d, 0x6c, 0xa7, 0xb8, 0x4f, 0x8f,
		0x47, 0xfe, 0xc3, 0xfc, 0xe3, 0x09, 0xd1, 0x8e, 0x50, 0xac, 0xd7, 0x1b, 0xfa, 0xc8, 0x57, 0x03,
		0x8c, 0xce, 0xa4, 0x73, 0x30, 0x19, 0x19, 0x65, 0xf3, 0xec, 0x37, 0xea, 0xa5, 0xe4, 0x5f, 0x67,
		0x35, 0x6f, 0x3c, 0x32, 0x47, 0x5b, 0xb1, 0x52, 0x5b, 0x12, 0xa4, 0x3d, 0xc2, 0x40, 0x36, 0xb9 } },
	[CARDEA_COMPRESS_RIPEMD160] = { FAMILY("ripemd160", ripemd160_impls), CARDEA_HASH_RIPEMD160, {
		0xec, 0x84, 0x58, 0xed, 0x75, 0x33, 0x99, 0x0a, 0x19, 0xd3, 0x9e, 0xa0, 0xc5, 0x88, 0x0e, 0x4b,
		0x3f, 0x06, 0xa0, 0xb4 } },
	[CARDEA_COMPRESS_WHIRLPOOL] = { FAMILY("whirlpool", whirlpool_impls), CARDEA_HASH_WHIRLPOOL, {
		0x55, 0x6d, 0x72, 0xe0, 0x5e, 0x55, 0x62, 0xd5, 0xf1, 0xfa, 0x03, 0xa6, 0x37, 0x9e, 0xf5, 0xf6,
		0x1c, 0x3c, 0x32, 0x7a, 0xeb, 0x97, 0xca, 0xe5, 0xf5, 0x2d, 0xcd, 0xe6, 0xa1, 0x06, 0x5c, 0xa4,
		0xf6, 0x59, 0xee, 0x38, 0x4a, 0xdc, 0xe6, 0xc5, 0x6f, 0xca, 0xe8, 0x6a, 0x82, 0xcf, 0xc1, 0xee,
		0x32, 0x5f, 0xd2, 0x7c, 0x5e, 0x85, 0x99, 0xa9, 0x3c, 0xae, 0x4f, 0xdc, 0xc4, 0x7d, 0x6e, 0x80 } },
	[CARDEA_COMPRESS_KECCAK] = { FAMILY("sha3", keccak_impls), CARDEA_HASH_SHA3_512, {
		0x63, 0xd3, 0xae, 0xcf, 0xea, 0xd7, 0x86, 0xf5, 0x0a, 0x44, 0x54, 0x9d, 0xfb, 0x21, 0xb2, 0x32,
		0xe9, 0x61, 0xb5, 0x3d, 0x57, 0xb3, 0x01, 0x29, 0x90, 0x38, 0xa9, 0xf5, 0x5d, 0x27, 0x16, 0xb4,
		0xac, 0xdf, 0x3c, 0x98, 0x4f, 0xde, 0x4a, 0x34, 0x3f, 0x6e, 0x8f, 0x41, 0xcf, 0x9e, 0x5f, 0xae,
		0xfa, 0x3c, 0x88, 0x25, 0x1f, 0xf5, 0x80, 0xec, 0x65, 0x1a, 0xde, 0xfd, 0x28, 0x90, 0xb8, 0x75 } },
	[CARDEA_COMPRESS_BLAKE2B] = { FAMILY("blake2b", blake2b_impls), CARDEA_HASH_BLAKE2B_512, {
		0x42, 0x47, 0x45, 0xcc, 0xba, 0x3c, 0x75, 0x99, 0x84, 0x39, 0xb3, 0x66, 0x2b, 0x33, 0x8a, 0x1a,
		0xf4, 0x79, 0x0c, 0x6b, 0xbc, 0xf0, 0x27, 0x00, 0x7d, 0xb6, 0x34, 0x4f, 0xd6, 0xdd, 0xf2, 0x6d,
		0x2d, 0x49, 0xbf, 0x5c, 0xc7, 0x38, 0xe5, 0x3f, 0x35, 0x96, 0x65, 0x64, 0xef, 0xc4, 0x16, 0xde,
		0x24, 0x75, 0x03, 0xd0, 0x28, 0xc7, 0xc2, 0xff, 0xfb, 0xba, 0xa2, 0x78, 0xb9, 0xc3, 0x96, 0x8b } },
	[CARDEA_COMPRESS_BLAKE2S] = { FAMILY("blake2s", blake2s_impls), CARDEA_HASH_BLAKE2S_256, {
		0x4d, 0xa5, 0x25, 0x62, 0x0f, 0xfb, 0x4f, 0x53, 0x6f, 0xf7, 0x5d, 0xc6, 0x8a, 0x66, 0x40, 0xb5,
		0x96, 0xfc, 0x57, 0x6e, 0x44, 0xd7, 0xa9, 0x1c, 0x31, 0x31, 0xe6, 0xdf, 0x4c, 0xc2, 0xe7, 0x13 } },
#undef FAMILY
};

const struct cardea_impl *const *cardea_compress_impls(enum cardea_compress_id family, size_t *n)
{
	*n = families[family].n_impls;
	return families[family].impls;
}

const char *cardea_compress_name(enum cardea_compress_id family) { return families[family].name; }

bool cardea_compress_self_test(const struct cardea_impl *impl)
{
	/* The 896-bit message of FIPS 180-2 appendix C.2, three times. */
	static const char text[] = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
	                           "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
	enum { LEN = sizeof(text) - 1 };
	const struct cardea_compress_impl *compress = (const struct cardea_compress_impl *)(const void *)impl;
	enum cardea_compress_id family = compress->family;
	uint8_t message[3 * LEN], digest[CARDEA_MAX_DIGEST] = { 0 };
	struct cardea_hash h;

	for (unsigned i = 0; i < 3; i++)
		memcpy(message + i * LEN, text, LEN);
	init_with(&h, compress, families[family].hash);
	cardea_hash_update(&h, message, sizeof(message));
	cardea_hash_final(&h, digest);
	return cardea_ct_equal(digest, families[family].digest, infos[families[family].hash].digest_len);
}
