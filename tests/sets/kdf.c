/* SPDX-License-Identifier: MIT */
/* PBKDF2, Argon2 and the anti-forensic merge, with every implementation of what they are made of. */
#include "crypto/hash_internal.h"
#include "sets/sets.h"

/* ---- a platform around the runner's, with limits that a test sets -------------------------------------------- */

struct fake {
	const struct cardea_platform *real;
	size_t max_run;     /* pages: longer requests are refused     */
	size_t budget;      /* pages: what is there in all            */
	size_t in_use;
	unsigned refuse;    /* the so-manieth request is refused; 0: none */
	unsigned requests;
	unsigned polls, cancel_at; /* the so-manieth poll cancels; 0: none */
	unsigned errors;    /* messages of level error                */
	bool backwards;     /* progress that goes back or beyond its total */
	struct cardea_progress last;
	struct cardea_platform platform;
};

static void *fake_pages(void *ctx, size_t count)
{
	struct fake *f = ctx;
	void *p;

	if (++f->requests == f->refuse || count > f->max_run || count > f->budget - f->in_use)
		return NULL;
	p = f->real->pages(f->real->ctx, count);
	if (p != NULL)
		f->in_use += count;
	return p;
}

static void fake_pages_free(void *ctx, void *p, size_t count)
{
	struct fake *f = ctx;

	f->in_use -= count;
	f->real->pages_free(f->real->ctx, p, count);
}

static unsigned fake_cpus(void *ctx)
{
	(void)ctx;
	return 1;
}

/* Last index first: nothing may rely on the order. */
static void fake_run(void *ctx, const struct cardea_job *job, unsigned count)
{
	(void)ctx;
	while (count-- > 0)
		job->fn(job->arg, count);
}

static void fake_vec_begin(void *ctx)
{
	struct fake *f = ctx;

	f->real->vec_begin(f->real->ctx);
}

static void fake_vec_end(void *ctx)
{
	struct fake *f = ctx;

	f->real->vec_end(f->real->ctx);
}

static int fake_progress(void *ctx, const struct cardea_progress *p)
{
	struct fake *f = ctx;

	if (p->done < f->last.done || p->done > p->total)
		f->backwards = true;
	f->last = *p;
	return ++f->polls == f->cancel_at;
}

static void fake_log(void *ctx, enum cardea_log_level level, const char *message)
{
	struct fake *f = ctx;

	(void)message;
	f->errors += level == CARDEA_LOG_ERROR;
}

static void fake_init(struct fake *f, const struct cardea_platform *real)
{
	memset(f, 0, sizeof(*f));
	f->real = real;
	f->max_run = SIZE_MAX;
	f->budget = SIZE_MAX;
	f->platform = *real;
	f->platform.ctx = f;
	f->platform.pages = fake_pages;
	f->platform.pages_free = fake_pages_free;
	f->platform.cpus = fake_cpus;
	f->platform.run = fake_run;
	f->platform.vec_begin = real->vec_begin != NULL ? fake_vec_begin : NULL;
	f->platform.vec_end = real->vec_end != NULL ? fake_vec_end : NULL;
	f->platform.progress = fake_progress;
	f->platform.log = fake_log;
}

/* ---- helpers --------------------------------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != 0)
			return false;
	return true;
}

/* Long outputs are compared by their SHA-256. */
static void check_sha256(struct test *t, const uint8_t *data, size_t len, const char *want_hex)
{
	uint8_t got[32], want[32];

	cardea_hash_once(t->suite, t->platform, CARDEA_HASH_SHA256, got, data, len);
	CHECK(test_hex(want, sizeof(want), want_hex) == sizeof(want));
	CHECK_MEM(got, want, sizeof(want));
}

/* ---- PBKDF2 ---------------------------------------------------------------------------------------------------- */

/* RFC 6070 (without the case of 2^24 iterations), RFC 7914 section 11; SHA-512: OpenSSL. */
static const struct {
	enum cardea_hash_id hash;
	const char *pass;
	uint8_t pass_len;
	const char *salt;
	uint8_t salt_len;
	uint32_t iterations;
	uint8_t out_len;
	const char *out;
} pbkdf2_vectors[] = {
	{ CARDEA_HASH_SHA1, "password", 8, "salt", 4, 1, 20,
	  "0c60c80f961f0e71f3a9b524af6012062fe037a6" },
	{ CARDEA_HASH_SHA1, "password", 8, "salt", 4, 2, 20,
	  "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957" },
	{ CARDEA_HASH_SHA1, "password", 8, "salt", 4, 4096, 20,
	  "4b007901b765489abead49d926f721d065a429c1" },
	{ CARDEA_HASH_SHA1, "passwordPASSWORDpassword", 24, "saltSALTsaltSALTsaltSALTsaltSALTsalt", 36, 4096, 25,
	  "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038" },
	{ CARDEA_HASH_SHA1, "pass\0word", 9, "sa\0lt", 5, 4096, 16,
	  "56fa6aa75548099dcc37d7f03425e0c3" },
	{ CARDEA_HASH_SHA256, "passwd", 6, "salt", 4, 1, 64,
	  "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
	  "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783" },
	{ CARDEA_HASH_SHA256, "Password", 8, "NaCl", 4, 80000, 64,
	  "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
	  "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d" },
	{ CARDEA_HASH_SHA512, "password", 8, "salt", 4, 1, 64,
	  "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"
	  "c02d470a285a0501bad999bfe943c08f050235d7d68b1da55e63f73b60a57fce" },
	{ CARDEA_HASH_SHA512, "password", 8, "salt", 4, 4096, 64,
	  "d197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5"
	  "143f30602641b3d55cd335988cb36b84376060ecd532e039b742a239434af2d5" },
};

/*
 * SHA-256 of the output for "correct horse", "battery staple": 1000 bytes after 3 iterations (more output blocks
 * than are derived side by side), 64 bytes after 2050 (more iterations than one job does).  Made with Python's
 * hashlib and libgcrypt.
 */
static const char *const pbkdf2_digests[CARDEA_N_HASHES][2] = {
	[CARDEA_HASH_SHA1] = {
		"2cd36e8105b4d3a3151ab9848ec5fe001f1fbcf613302b88d82a0779df270af4",
		"73703f0698f6312c0afb07a6c2cc4d301cb5e87695808f63a0891ac4a3a16cf3" },
	[CARDEA_HASH_SHA224] = {
		"48f29f6d080e1674ddf0210d3bbf101e0b354d9693cbbc66aac3f46755b5d08b",
		"0a2193873cf45d0c1f76abb2d6564a1d433a2d80c5bc0b1159e546561693c8e3" },
	[CARDEA_HASH_SHA256] = {
		"f2e44f1754f541adc3062f41eb718f12309c3d57da7f13c96e868bea8b359843",
		"e5031daa4a33f4b7c800fe18263295b6d5201f1eddbdbd7f3231a105c4584358" },
	[CARDEA_HASH_SHA384] = {
		"81361a23fedd8b8dd83f2d1a48acbbed705fac73fd14da7d089be4c30ee47f80",
		"0ef03743224b2188e3102c648d8607db73ab317ae153cef84081d13db7c6f086" },
	[CARDEA_HASH_SHA512] = {
		"e9cd3827b2726c68e81fc28bacd8cd5a46f564a38f926dc3a399ac5be39ab84c",
		"c83452c66e28c7a5fa9d06bb94f08202b43fa3f7e7d021deca4c35ef728dad6c" },
	[CARDEA_HASH_RIPEMD160] = {
		"e501ef448af1789ebc101beccc748b83e20db20d8b48f53d6183a597444e9ebc",
		"f579d4a1f124af99db703e5d4140674dddbfba77fa955246a8c0bf3bb4bc5767" },
	[CARDEA_HASH_WHIRLPOOL] = {
		"916e830faa39a64da3693a5de3095a9a1b987e18b3f2c358a51343af3add2ef1",
		"7e2f4487214fda87a09363aa6b795c1ef86c4eee26f7d16c0f5291d63b9d4461" },
	[CARDEA_HASH_SHA3_224] = {
		"5a96c81e16dc78c40986bcb4c99aafc0da041f13cdbda60340b5673ab35835e6",
		"375493f0d59342431e200a6f62b0fb60176cc3cf78a2e817e9b8b4df56feaae1" },
	[CARDEA_HASH_SHA3_256] = {
		"8847ec422fda548d499292ae3f222d495789290dab955326c2eac8bd0b628766",
		"5f5227837c5c5cc79fcd7f229f96d3b4f8192c68dae40be7602a199d3dad7fe2" },
	[CARDEA_HASH_SHA3_384] = {
		"0ffa6061611b6ac4fdb0b04fde6a44461762eb7295d70ec9cd62d9ad6792add9",
		"11da6b9ba922b4f5c1191ce15e33eb7a574fbd5aa488ea1c1da271b4c3f9ccbf" },
	[CARDEA_HASH_SHA3_512] = {
		"b1bb9464eb24fcd0f719f3adef93b3e6d50d21937af8298ae8fef089c6767c57",
		"3b5053c0401c1aa375c0393e9b21f6d94d468120fc7d22eb39b8b9ca2b8eba8c" },
	[CARDEA_HASH_BLAKE2B_512] = {
		"77d74389669dedba9ccc08fbb769ae330bdc8c21635828bad30b3033494ee317",
		"3f91865d9f666ce26ddf9cbeab6cae25cb90f62f76193d76d7a0ed71e088695d" },
	[CARDEA_HASH_BLAKE2S_256] = {
		"f6e5ee902ba458d3b480686d6b9b98b5d15be566e4766c2436c8405d3f9eb76c",
		"0335c92f369230a8bea7a292c72380339836da1e2a7a8bc13c96e2c307683b0e" },
};

static const uint8_t horse[] = "correct horse", staple[] = "battery staple";

static enum cardea_err derive(const struct cardea_suite *suite, const struct cardea_platform *p,
                              enum cardea_hash_id hash, uint8_t *out, size_t out_len, uint32_t iterations)
{
	return cardea_pbkdf2(suite, p, hash, out, out_len, horse, sizeof(horse) - 1, staple, sizeof(staple) - 1,
	                     iterations, 5);
}

static void test_pbkdf2_hash(struct test *t, const struct cardea_suite *suite, enum cardea_hash_id hash)
{
	uint8_t out[1001], want[64];

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(pbkdf2_vectors); i++) {
		if (pbkdf2_vectors[i].hash != hash)
			continue;
		CHECK(cardea_pbkdf2(suite, t->platform, hash, out, pbkdf2_vectors[i].out_len,
		                    (const uint8_t *)pbkdf2_vectors[i].pass, pbkdf2_vectors[i].pass_len,
		                    (const uint8_t *)pbkdf2_vectors[i].salt, pbkdf2_vectors[i].salt_len,
		                    pbkdf2_vectors[i].iterations, 0) == CARDEA_OK);
		CHECK(test_hex(want, sizeof(want), pbkdf2_vectors[i].out) == pbkdf2_vectors[i].out_len);
		CHECK_MEM(out, want, pbkdf2_vectors[i].out_len);
	}
	out[1000] = 0x5a;
	CHECK(derive(suite, t->platform, hash, out, 1000, 3) == CARDEA_OK);
	CHECK(out[1000] == 0x5a);
	check_sha256(t, out, 1000, pbkdf2_digests[hash][0]);
	CHECK(derive(suite, t->platform, hash, out, 64, 2050) == CARDEA_OK);
	check_sha256(t, out, 64, pbkdf2_digests[hash][1]);
}

void test_pbkdf2(struct test *t)
{
	struct fake f;
	uint8_t out[1000];

	for (unsigned id = 0; id < CARDEA_N_HASHES; id++) {
		enum cardea_compress_id family = cardea_hash_family((enum cardea_hash_id)id);
		struct cardea_suite suite = *t->suite;
		const struct cardea_impl *const *table;
		size_t n;

		table = cardea_compress_impls(family, &n);
		for (size_t i = 0; i < n; i++) {
			unsigned failures = t->failures;

			suite.compress[family] = (const struct cardea_compress_impl *)(const void *)table[i];
			if (!test_can_run(t, cardea_compress_name(family), table[i]))
				continue;
			test_pbkdf2_hash(t, &suite, (enum cardea_hash_id)id);
			if (t->failures != failures)
				test_note(t, "the above: %s, implementation %s",
				          cardea_hash_name((enum cardea_hash_id)id), table[i]->name);
		}
	}

	/* Progress ends at its total, and names the slot; no memory is asked for. */
	fake_init(&f, t->platform);
	f.max_run = 0;
	CHECK(derive(t->suite, &f.platform, CARDEA_HASH_SHA1, out, sizeof(out), 2100) == CARDEA_OK);
	CHECK(!f.backwards && f.last.slot == 5 && f.last.total > 0 && f.last.done == f.last.total);
	/* Cancelled at the first poll and at the last. */
	for (unsigned polls = f.polls, at = 1; at <= polls; at += polls - 1) {
		fake_init(&f, t->platform);
		f.cancel_at = at;
		memset(out, 0x5a, sizeof(out));
		CHECK(derive(t->suite, &f.platform, CARDEA_HASH_SHA1, out, sizeof(out), 2100) == CARDEA_ERR_CANCELLED);
		CHECK(is_zero(out, sizeof(out)));
		CHECK(f.polls == at);
	}
	memset(out, 0x5a, sizeof(out));
	CHECK(derive(t->suite, &f.platform, CARDEA_HASH_SHA1, out, sizeof(out), 0) == CARDEA_ERR_UNSUPPORTED);
	CHECK(is_zero(out, sizeof(out)) && f.errors == 1);
}

/* ---- Argon2 ---------------------------------------------------------------------------------------------------- */

/*
 * Pass "passphrase", salt "somesalt12345678": SHA-256 of the tag.  Made with libargon2; memory that is no multiple
 * of four lanes, odd lengths of tags, one lane and the most.
 */
static const struct argon2_vector {
	enum cardea_argon2_type type;
	uint32_t passes, memory_kib, lanes;
	uint16_t out_len;
	const char *digest;
} argon2_vectors[] = {
	{ CARDEA_ARGON2I, 1, 8, 1, 32,
	  "4e26f656816811fad62b744abb33be423aa4b679aa57f107f986099d3a4e99e1" },
	{ CARDEA_ARGON2ID, 1, 9, 1, 4,
	  "e191c9f9162ed74d54eba2564531ff250c7361a0fd454660940cd083c15a33a9" },
	{ CARDEA_ARGON2ID, 3, 2048, 2, 96,
	  "da90e8660ce3e6bf98bab4e9739548024237df6e4645e6ed1bdab4daef559169" },
	{ CARDEA_ARGON2I, 2, 1000, 3, 65,
	  "c39ccd2eb41319fb09216854e0c74a6ddd0daf0cabab7bcfe58dcb16dab97138" },
	{ CARDEA_ARGON2ID, 2, 5003, 7, 33,
	  "f2ade469143764c898e8e38c30a12b5c9a115ae250fef917ce363ab952e8af0c" },
	{ CARDEA_ARGON2ID, 4, 4096, 1, 64,
	  "acfd14cee0628891517930df5e808568a813426ee8f506a9b67eeddd7ba3d7cc" },
	{ CARDEA_ARGON2I, 4, 4096, 4, 64,
	  "d98b172915e54ca56d99fc3f2761ecb3748c9ba1746e4cc7225b5a25b7c06dba" },
	{ CARDEA_ARGON2ID, 1, 520, 64, 16,
	  "90ebd7ccfc6147f24e2e560bd34a0c375d8b002c4ea37f32060309b8f361a69b" },
	{ CARDEA_ARGON2ID, 2, 300, 1, 1024,
	  "77457b0954b6621e42c70989ee425d0c97f8e2730a8a8040a620cc8ef0a073bb" },
};

static enum cardea_err argon2_vector(const struct cardea_suite *suite, const struct cardea_platform *p,
                                     const struct argon2_vector *v, uint8_t *out)
{
	static const uint8_t pass[] = "passphrase", salt[] = "somesalt12345678";
	struct cardea_argon2 params = { .type = v->type, .passes = v->passes, .memory_kib = v->memory_kib,
		                        .lanes = v->lanes };

	return cardea_argon2(suite, p, &params, out, v->out_len, pass, sizeof(pass) - 1, salt, sizeof(salt) - 1, 3);
}

/* RFC 9106 sections 5.2 and 5.3. */
static void test_argon2_rfc(struct test *t, const struct cardea_suite *suite)
{
	static const char *const tags[] = {
		[CARDEA_ARGON2I] = "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8",
		[CARDEA_ARGON2ID] = "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659",
	};
	uint8_t pass[32], salt[16], secret[8], ad[12], out[32], want[32];
	struct cardea_argon2 params = { .passes = 3, .memory_kib = 32, .lanes = 4, .secret = secret,
		                        .secret_len = sizeof(secret), .ad = ad, .ad_len = sizeof(ad) };

	memset(pass, 1, sizeof(pass));
	memset(salt, 2, sizeof(salt));
	memset(secret, 3, sizeof(secret));
	memset(ad, 4, sizeof(ad));
	for (unsigned type = CARDEA_ARGON2I; type <= CARDEA_ARGON2ID; type++) {
		params.type = (enum cardea_argon2_type)type;
		CHECK(cardea_argon2(suite, t->platform, &params, out, sizeof(out), pass, sizeof(pass), salt,
		                    sizeof(salt), 0) == CARDEA_OK);
		CHECK(test_hex(want, sizeof(want), tags[type]) == sizeof(want));
		CHECK_MEM(out, want, sizeof(want));
	}
}

/* G of one implementation against the portable one, with all overlaps that the contract allows. */
static void test_argon2_fill(struct test *t, const struct cardea_argon2_impl *impl,
                             const struct cardea_argon2_impl *portable)
{
	uint64_t x[128], y[128], want[128], got[128];
	unsigned differ = 0;

	for (unsigned i = 0; i < 64; i++) {
		bool with_xor = i % 2 != 0;

		test_fill((uint8_t *)x, sizeof(x), 3 * i + 1);
		test_fill((uint8_t *)y, sizeof(y), 3 * i + 2);
		test_fill((uint8_t *)want, sizeof(want), 3 * i + 3);
		memcpy(got, want, sizeof(got));
		portable->fill(want, x, y, with_xor);
		cardea_impl_begin(t->platform, &impl->impl);
		impl->fill(got, x, y, with_xor);
		cardea_impl_end(t->platform, &impl->impl);
		differ += memcmp(got, want, sizeof(got)) != 0;
		portable->fill(want, x, y, false);
		memcpy(got, i % 4 < 2 ? x : y, sizeof(got));
		cardea_impl_begin(t->platform, &impl->impl);
		impl->fill(got, i % 4 < 2 ? got : x, i % 4 < 2 ? y : got, false);
		cardea_impl_end(t->platform, &impl->impl);
		differ += memcmp(got, want, sizeof(got)) != 0;
	}
	CHECK(differ == 0);
}

/* The same tag wherever the memory lies, and all of it given back. */
static void test_argon2_fragments(struct test *t, const struct argon2_vector *v)
{
	static const size_t max_runs[] = { 1, 2, 7, 16, 100, 255, 256, 300, 700 };
	uint8_t out[1024];
	struct fake f;

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(max_runs); i++) {
		fake_init(&f, t->platform);
		f.max_run = max_runs[i];
		CHECK(argon2_vector(t->suite, &f.platform, v, out) == CARDEA_OK);
		check_sha256(t, out, v->out_len, v->digest);
		CHECK(f.in_use == 0 && !f.backwards && f.last.done == f.last.total && f.last.slot == 3);
	}
}

/* Errors leave nothing in the output and no page behind. */
static void test_argon2_errors(struct test *t, const struct argon2_vector *v)
{
	struct cardea_argon2 params = { .type = CARDEA_ARGON2D, .passes = 1, .memory_kib = 8, .lanes = 1 };
	const struct { struct cardea_argon2 params; size_t out_len; } refused[] = {
		{ { .type = CARDEA_ARGON2D, .passes = 1, .memory_kib = 8, .lanes = 1 }, 32 },
		{ { .type = CARDEA_ARGON2ID, .passes = 0, .memory_kib = 8, .lanes = 1 }, 32 },
		{ { .type = CARDEA_ARGON2ID, .passes = 1, .memory_kib = 15, .lanes = 2 }, 32 },
		{ { .type = CARDEA_ARGON2ID, .passes = 1, .memory_kib = 8, .lanes = 0 }, 32 },
		{ { .type = CARDEA_ARGON2ID, .passes = 1, .memory_kib = 4096, .lanes = 65 }, 32 },
		{ { .type = CARDEA_ARGON2ID, .passes = 1, .memory_kib = 8, .lanes = 1 }, 3 },
		{ { .type = CARDEA_ARGON2ID, .passes = 1, .memory_kib = 8, .lanes = 1 }, 1025 },
	};
	unsigned requests, polls;
	uint8_t out[1025];
	struct fake f;

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(refused); i++) {
		fake_init(&f, t->platform);
		params = refused[i].params;
		memset(out, 0x5a, sizeof(out));
		CHECK(cardea_argon2(t->suite, &f.platform, &params, out, refused[i].out_len, horse, 4, staple, 8, 0) ==
		      CARDEA_ERR_UNSUPPORTED);
		CHECK(is_zero(out, refused[i].out_len) && f.errors == 1 && f.requests == 0);
	}

	/* Not enough: none, some, all but the index. */
	for (size_t budget = 0; budget <= v->memory_kib / 4; budget += v->memory_kib / 16) {
		fake_init(&f, t->platform);
		f.budget = budget;
		memset(out, 0x5a, sizeof(out));
		CHECK(argon2_vector(t->suite, &f.platform, v, out) == CARDEA_ERR_NOMEM);
		CHECK(is_zero(out, v->out_len) && f.in_use == 0 && f.errors >= 1 && f.polls == 0);
	}

	/* Any single request refused: less memory at once, or an error; never a wrong tag. */
	fake_init(&f, t->platform);
	f.max_run = 100;
	CHECK(argon2_vector(t->suite, &f.platform, v, out) == CARDEA_OK);
	requests = f.requests;
	polls = f.polls;
	for (unsigned at = 1; at <= requests; at++) {
		enum cardea_err err;

		fake_init(&f, t->platform);
		f.max_run = 100;
		f.refuse = at;
		err = argon2_vector(t->suite, &f.platform, v, out);
		if (err == CARDEA_OK)
			check_sha256(t, out, v->out_len, v->digest);
		else
			CHECK(err == CARDEA_ERR_NOMEM && is_zero(out, v->out_len));
		CHECK(f.in_use == 0);
	}

	for (unsigned at = 1; at <= polls; at += polls - 1) {
		fake_init(&f, t->platform);
		f.cancel_at = at;
		memset(out, 0x5a, sizeof(out));
		CHECK(argon2_vector(t->suite, &f.platform, v, out) == CARDEA_ERR_CANCELLED);
		CHECK(is_zero(out, v->out_len) && f.in_use == 0 && f.polls == at);
	}
}

static void fill_nothing(uint64_t out[128], const uint64_t x[128], const uint64_t y[128], bool with_xor)
{
	(void)with_xor;
	out[0] = x[0] ^ y[0];
}

void test_argon2(struct test *t)
{
	const struct cardea_argon2_impl bad = { .impl = { .name = "bad" }, .fill = fill_nothing };
	const struct cardea_impl *const *table;
	size_t n;

	table = cardea_argon2_impls(&n);
	for (size_t i = 0; i < n; i++) {
		struct cardea_suite suite = *t->suite;
		unsigned failures = t->failures;
		uint8_t out[1024];

		suite.argon2 = (const struct cardea_argon2_impl *)(const void *)table[i];
		if (!test_can_run(t, "argon2", table[i]))
			continue;
		cardea_impl_begin(t->platform, table[i]);
		CHECK(cardea_argon2_self_test(table[i]));
		cardea_impl_end(t->platform, table[i]);
		test_argon2_fill(t, suite.argon2, (const struct cardea_argon2_impl *)(const void *)table[n - 1]);
		test_argon2_rfc(t, &suite);
		for (size_t k = 0; k < CARDEA_ARRAY_LEN(argon2_vectors); k++) {
			CHECK(argon2_vector(&suite, t->platform, &argon2_vectors[k], out) == CARDEA_OK);
			check_sha256(t, out, argon2_vectors[k].out_len, argon2_vectors[k].digest);
		}
		if (t->failures != failures)
			test_note(t, "the above: argon2, implementation %s", table[i]->name);
	}
	CHECK(!cardea_argon2_self_test(&bad.impl));
	for (size_t k = 0; k < CARDEA_ARRAY_LEN(argon2_vectors); k++)
		test_argon2_fragments(t, &argon2_vectors[k]);
	test_argon2_errors(t, &argon2_vectors[5]);
}

/* ---- anti-forensic merge ---------------------------------------------------------------------------------------- */

/* Of 9 stripes of 50 bytes, test_fill(7).  Made with Python's hashlib and libgcrypt. */
static const char *const merged[CARDEA_N_HASHES] = {
	[CARDEA_HASH_SHA1] = "15275ef6846c73e46146300055b95379568843930b7c5e7daa"
		"761794930623f5979d3801b3d76886b5c2084b476a095a35f4",
	[CARDEA_HASH_SHA224] = "52a721d58e9e6febd3d6bc6cb1359702fbb85b6fed59b9afe6"
		"e95c85083d4faa23337e1943d231e8a3a05fa48f4c5a439b91",
	[CARDEA_HASH_SHA256] = "1b03e44d0b5dbbf01e508e450620ac98635fd29b34cdd1096c"
		"cb8b9d9972dc7655d460e5bf10005a9ba67e091d75a2a79914",
	[CARDEA_HASH_SHA384] = "ec1957ced20fc89190abaef40885d03814a1049604a4811655"
		"655e982c144bf5882cdd94f3dbf37daf49e65fe7784fb1484d",
	[CARDEA_HASH_SHA512] = "8665eabcc03f790ccc72189c2a08ebe171a1960b70e644fe93"
		"5887b54f52412513f51657f743083b7508ca29316bea1128d1",
	[CARDEA_HASH_RIPEMD160] = "50a8ce96e2d116fa0ab13cd9f0fb3f52979eb82bc3096d09a5"
		"1f5684e0d5270edfd8b0c0dfdf7d1643326b97fdf03af44419",
	[CARDEA_HASH_WHIRLPOOL] = "9f147150a0f473fd80e97c78a013078f3683359d02f1c1cde9"
		"b08634c2dd26b96dc5dbb3a22c7e253e2783fd7fc851aa5d2b",
	[CARDEA_HASH_SHA3_224] = "7fab89e48655cd0e2defa3ec986f05fba6808f315ff1dfddd7"
		"e58bef58a012a6a3569b2d15d08e49160f13c36f553b1b7252",
	[CARDEA_HASH_SHA3_256] = "e5e07e76d5f18725ba874310145a4f8c27c21e7f7bbd1eef83"
		"69a44d321c01cb34df1fe31816f150e25e9c3b8d7509752b3c",
	[CARDEA_HASH_SHA3_384] = "1add785c2d811e03fab1430659a4af79b20ea06ff80721b1c3"
		"c9957c8fd0c66c43f9f5d20a200a0f4fe1b11b646537860e3f",
	[CARDEA_HASH_SHA3_512] = "98155ce815d918c8eff55c487ce79bea895a138e7713263be1"
		"4b71f132d15c715a8740e28b5c5a7f0333c8752357fd3a807d",
	[CARDEA_HASH_BLAKE2B_512] = "3d9250322cbdf8da909ecbad8fcb89041ba2457a6b19b8fe35"
		"412bc6c3ec12acbf92fcc55cf5506414bb16d2d2cc01815ab2",
	[CARDEA_HASH_BLAKE2S_256] = "d778cee912f781b72302af81cdd72086874f3a1e7f46f564ab"
		"bc92e08028cc373f9b37474506b7f69d8b6d64a504ff89aaeb",
};

/* H1 of the LUKS1 specification once more, without cleverness. */
static void diffuse(struct test *t, enum cardea_hash_id hash, uint8_t *d, size_t len)
{
	uint8_t in[4 + CARDEA_MAX_DIGEST], digest[CARDEA_MAX_DIGEST];
	size_t digest_len = cardea_hash_digest_len(hash);

	for (size_t at = 0; at < len; at += digest_len) {
		size_t n = cardea_min_size(digest_len, len - at);

		cardea_put_be32(in, (uint32_t)(at / digest_len));
		memcpy(in + 4, d + at, n);
		cardea_hash_once(t->suite, t->platform, hash, digest, in, 4 + n);
		memcpy(d + at, digest, n);
	}
}

/* Splits: random stripes, and a last one such that the merge gives the key. */
static void split(struct test *t, enum cardea_hash_id hash, uint8_t *out, const uint8_t *key, size_t key_len,
                  uint32_t stripes)
{
	uint8_t d[64] = { 0 };

	test_fill(out, key_len * (stripes - 1), stripes);
	for (uint32_t i = 0; i < stripes - 1; i++) {
		for (size_t k = 0; k < key_len; k++)
			d[k] ^= out[i * key_len + k];
		diffuse(t, hash, d, key_len);
	}
	for (size_t k = 0; k < key_len; k++)
		out[(stripes - 1) * key_len + k] = d[k] ^ key[k];
}

void test_af(struct test *t)
{
	static const struct { uint8_t key_len; uint16_t stripes; } shapes[] = {
		{ 1, 2 }, { 16, 1 }, { 16, 3 }, { 20, 5 }, { 32, 4000 }, { 50, 7 }, { 64, 4000 },
	};
	const size_t len = 64 * 4000;
	uint8_t *stripes = cardea_pages(t->platform, len, "the test's stripes");
	uint8_t key[64], got[65], want[50];

	if (!CHECK(stripes != NULL))
		return;
	for (unsigned id = 0; id < CARDEA_N_HASHES; id++) {
		enum cardea_hash_id hash = (enum cardea_hash_id)id;

		for (size_t i = 0; i < CARDEA_ARRAY_LEN(shapes); i++) {
			size_t key_len = shapes[i].key_len;

			/* The long ones: with what LUKS defaults to, past and present. */
			if (shapes[i].stripes == 4000 && hash != CARDEA_HASH_SHA1 && hash != CARDEA_HASH_SHA256)
				continue;
			test_fill(key, sizeof(key), id + i);
			split(t, hash, stripes, key, key_len, shapes[i].stripes);
			memset(got, 0x5a, sizeof(got));
			cardea_af_merge(t->suite, t->platform, hash, got, stripes, key_len, shapes[i].stripes);
			CHECK_MEM(got, key, key_len);
			CHECK(got[key_len] == 0x5a);
		}
		test_fill(stripes, 9 * sizeof(want), 7);
		CHECK(test_hex(want, sizeof(want), merged[id]) == sizeof(want));
		cardea_af_merge(t->suite, t->platform, hash, got, stripes, sizeof(want), 9);
		CHECK_MEM(got, want, sizeof(want));
	}
	cardea_pages_free(t->platform, stripes, len);
}
