/* SPDX-License-Identifier: MIT */
/* Hashes and HMAC: every implementation in the tables against published vectors and against folded lengths. */
#include "crypto/hash_internal.h"
#include "sets/sets.h"

/* Messages of FIPS 180-2 appendices A to C, also published for the other hashes. */
enum message { EMPTY, ABC, TWO_BLOCKS, MILLION };

static const char two_blocks_512[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
static const char two_blocks_1024[] = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                                      "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";

static const struct {
	enum cardea_hash_id hash;
	enum message message;
	const char *digest;
} vectors[] = {
	{ CARDEA_HASH_SHA1, EMPTY,
	  "da39a3ee5e6b4b0d3255bfef95601890afd80709" },
	{ CARDEA_HASH_SHA1, ABC,
	  "a9993e364706816aba3e25717850c26c9cd0d89d" },
	{ CARDEA_HASH_SHA1, TWO_BLOCKS,
	  "84983e441c3bd26ebaae4aa1f95129e5e54670f1" },
	{ CARDEA_HASH_SHA1, MILLION,
	  "34aa973cd4c4daa4f61eeb2bdbad27316534016f" },
	{ CARDEA_HASH_SHA224, EMPTY,
	  "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f" },
	{ CARDEA_HASH_SHA224, ABC,
	  "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7" },
	{ CARDEA_HASH_SHA224, TWO_BLOCKS,
	  "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525" },
	{ CARDEA_HASH_SHA224, MILLION,
	  "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67" },
	{ CARDEA_HASH_SHA256, EMPTY,
	  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ CARDEA_HASH_SHA256, ABC,
	  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ CARDEA_HASH_SHA256, TWO_BLOCKS,
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ CARDEA_HASH_SHA256, MILLION,
	  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
	{ CARDEA_HASH_SHA384, EMPTY,
	  "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da"
	  "274edebfe76f65fbd51ad2f14898b95b" },
	{ CARDEA_HASH_SHA384, ABC,
	  "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
	  "8086072ba1e7cc2358baeca134c825a7" },
	{ CARDEA_HASH_SHA384, TWO_BLOCKS,
	  "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712"
	  "fcc7c71a557e2db966c3e9fa91746039" },
	{ CARDEA_HASH_SHA384, MILLION,
	  "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b"
	  "07b8b3dc38ecc4ebae97ddd87f3d8985" },
	{ CARDEA_HASH_SHA512, EMPTY,
	  "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
	  "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e" },
	{ CARDEA_HASH_SHA512, ABC,
	  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	  "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f" },
	{ CARDEA_HASH_SHA512, TWO_BLOCKS,
	  "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
	  "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909" },
	{ CARDEA_HASH_SHA512, MILLION,
	  "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
	  "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b" },
	{ CARDEA_HASH_RIPEMD160, EMPTY,
	  "9c1185a5c5e9fc54612808977ee8f548b2258d31" },
	{ CARDEA_HASH_RIPEMD160, ABC,
	  "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc" },
	{ CARDEA_HASH_RIPEMD160, TWO_BLOCKS,
	  "12a053384a9c0c88e405a06c27dcf49ada62eb2b" },
	{ CARDEA_HASH_RIPEMD160, MILLION,
	  "52783243c1697bdbe16d37f97f68f08325dc1528" },
	{ CARDEA_HASH_WHIRLPOOL, EMPTY,
	  "19fa61d75522a4669b44e39c1d2e1726c530232130d407f89afee0964997f7a7"
	  "3e83be698b288febcf88e3e03c4f0757ea8964e59b63d93708b138cc42a66eb3" },
	{ CARDEA_HASH_WHIRLPOOL, ABC,
	  "4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c"
	  "7181eebdb6c57e277d0e34957114cbd6c797fc9d95d8b582d225292076d4eef5" },
	{ CARDEA_HASH_WHIRLPOOL, TWO_BLOCKS,
	  "526b2394d85683e24b29acd0fd37f7d5027f61366a1407262dc2a6a345d9e240"
	  "c017c1833db1e6db6a46bd444b0c69520c856e7c6e9c366d150a7da3aeb160d1" },
	{ CARDEA_HASH_WHIRLPOOL, MILLION,
	  "0c99005beb57eff50a7cf005560ddf5d29057fd86b20bfd62deca0f1ccea4af5"
	  "1fc15490eddc47af32bb2b66c34ff9ad8c6008ad677f77126953b226e4ed8b01" },
	{ CARDEA_HASH_SHA3_224, EMPTY,
	  "6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7" },
	{ CARDEA_HASH_SHA3_224, ABC,
	  "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf" },
	{ CARDEA_HASH_SHA3_224, TWO_BLOCKS,
	  "8a24108b154ada21c9fd5574494479ba5c7e7ab76ef264ead0fcce33" },
	{ CARDEA_HASH_SHA3_224, MILLION,
	  "d69335b93325192e516a912e6d19a15cb51c6ed5c15243e7a7fd653c" },
	{ CARDEA_HASH_SHA3_256, EMPTY,
	  "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a" },
	{ CARDEA_HASH_SHA3_256, ABC,
	  "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532" },
	{ CARDEA_HASH_SHA3_256, TWO_BLOCKS,
	  "41c0dba2a9d6240849100376a8235e2c82e1b9998a999e21db32dd97496d3376" },
	{ CARDEA_HASH_SHA3_256, MILLION,
	  "5c8875ae474a3634ba4fd55ec85bffd661f32aca75c6d699d0cdcb6c115891c1" },
	{ CARDEA_HASH_SHA3_384, EMPTY,
	  "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2a"
	  "c3713831264adb47fb6bd1e058d5f004" },
	{ CARDEA_HASH_SHA3_384, ABC,
	  "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b2"
	  "98d88cea927ac7f539f1edf228376d25" },
	{ CARDEA_HASH_SHA3_384, TWO_BLOCKS,
	  "991c665755eb3a4b6bbdfb75c78a492e8c56a22c5c4d7e429bfdbc32b9d4ad5a"
	  "a04a1f076e62fea19eef51acd0657c22" },
	{ CARDEA_HASH_SHA3_384, MILLION,
	  "eee9e24d78c1855337983451df97c8ad9eedf256c6334f8e948d252d5e0e7684"
	  "7aa0774ddb90a842190d2c558b4b8340" },
	{ CARDEA_HASH_SHA3_512, EMPTY,
	  "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a6"
	  "15b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26" },
	{ CARDEA_HASH_SHA3_512, ABC,
	  "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
	  "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0" },
	{ CARDEA_HASH_SHA3_512, TWO_BLOCKS,
	  "04a371e84ecfb5b8b77cb48610fca8182dd457ce6f326a0fd3d7ec2f1e91636d"
	  "ee691fbe0c985302ba1b0d8dc78c086346b533b49c030d99a27daf1139d6e75e" },
	{ CARDEA_HASH_SHA3_512, MILLION,
	  "3c3a876da14034ab60627c077bb98f7e120a2a5370212dffb3385a18d4f38859"
	  "ed311d0a9d5141ce9cc5c66ee689b266a8aa18ace8282a0e0db596c90b0a7b87" },
	{ CARDEA_HASH_BLAKE2B_512, EMPTY,
	  "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419"
	  "d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce" },
	{ CARDEA_HASH_BLAKE2B_512, ABC,
	  "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
	  "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923" },
	{ CARDEA_HASH_BLAKE2B_512, TWO_BLOCKS,
	  "ce741ac5930fe346811175c5227bb7bfcd47f42612fae46c0809514f9e0e3a11"
	  "ee1773287147cdeaeedff50709aa716341fe65240f4ad6777d6bfaf9726e5e52" },
	{ CARDEA_HASH_BLAKE2B_512, MILLION,
	  "98fb3efb7206fd19ebf69b6f312cf7b64e3b94dbe1a17107913975a793f177e1"
	  "d077609d7fba363cbba00d05f7aa4e4fa8715d6428104c0a75643b0ff3fd3eaf" },
	{ CARDEA_HASH_BLAKE2S_256, EMPTY,
	  "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9" },
	{ CARDEA_HASH_BLAKE2S_256, ABC,
	  "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982" },
	{ CARDEA_HASH_BLAKE2S_256, TWO_BLOCKS,
	  "6f4df5116a6f332edab1d9e10ee87df6557beab6259d7663f3bcd5722c13f189" },
	{ CARDEA_HASH_BLAKE2S_256, MILLION,
	  "bec0c0e6cde5b67acb73b81f79a67a4079ae1c60dac9d2661af18e9f8b50dfa5" },
};

/*
 * The hash of the digests of the messages of 0, 1, ... 300 bytes, each test_fill(length + 1); made with Python's
 * hashlib and with libgcrypt.
 */
#define FOLD_LENGTHS 301u
static const char *const folded[CARDEA_N_HASHES] = {
	[CARDEA_HASH_SHA1] =
		"a4cdcaca590c8ebef1eed942caa705fa1dd43bde",
	[CARDEA_HASH_SHA224] =
		"dd1848f2b113d2a272624b41425e5a2fa56c2c1d51cce1ab0786d8c7",
	[CARDEA_HASH_SHA256] =
		"824ef57089ca221714c06bfa73ac107754b9e4c78f12ec26c37b1d37296fd26b",
	[CARDEA_HASH_SHA384] =
		"9b454bb4fd4d6d6633796c1424878c7248ca438272a1810f86d20b782cf0b1c8"
		"e6170218e2cf46800541b70c4b534732",
	[CARDEA_HASH_SHA512] =
		"1190b55032e02046d11812756d1bca9e985569cfa131486faccc6955c59d8904"
		"765f5105cea3d01770d6cba29b4b5ce6250fd3d2d6821bcf358e9f95031924d9",
	[CARDEA_HASH_RIPEMD160] =
		"a3ac70a9cf30cb4c892a828e3bdb9809f4a43c02",
	[CARDEA_HASH_WHIRLPOOL] =
		"d15f6437ed2b1654f4b65b1eb92de39c47374432ce6de310d9c1c3f16cff8e16"
		"8c7e88afd6365dedb55b73192cbd35304ba20fad18c10fae4b5c8856f1321686",
	[CARDEA_HASH_SHA3_224] =
		"874237e53c5c7ee34c4a49cb11af09605edf2139edf99344a15ca63f",
	[CARDEA_HASH_SHA3_256] =
		"260090e76e5c9a0635777dc2e0363806dac58fb200e68ff5a9528b4acf833ef1",
	[CARDEA_HASH_SHA3_384] =
		"1036c5ba970ad0a0d49c88b6cdb95ac822bac39c6163f026ff6cdbabeb3543e9"
		"4ffcab3f779bc9744fa3fff722a81fdb",
	[CARDEA_HASH_SHA3_512] =
		"051b4674d50e991934323ecdd517fb5d2766d9c85c009b153fe0044b2d8e39ba"
		"8ce9c6c227b438e46485810c2dd285ce2b54002cffb8b10d52d7a0e34b32ff1b",
	[CARDEA_HASH_BLAKE2B_512] =
		"fae82242ecfdd8dc2c6a30877c04871a70d324276f131640c5ade3215ac137c6"
		"01425783a6180006cf2f1d93adda747a9f9b5492c6434edc63d0d3c297bfc4b2",
	[CARDEA_HASH_BLAKE2S_256] =
		"f389d05a8fde8d22e56080fafa805d259c175dbd4c09da5906efda382be75567",
};

/* Calls fn for each hash with each usable implementation in the suite. */
static void for_each(struct test *t, void (*fn)(struct test *t, const struct cardea_suite *s, enum cardea_hash_id id))
{
	for (unsigned id = 0; id < CARDEA_N_HASHES; id++) {
		enum cardea_compress_id family = cardea_hash_family((enum cardea_hash_id)id);
		struct cardea_suite suite = *t->suite;
		const struct cardea_impl *const *table;
		unsigned failures;
		size_t n;

		table = cardea_compress_impls(family, &n);
		for (size_t i = 0; i < n; i++) {
			suite.compress[family] = (const struct cardea_compress_impl *)(const void *)table[i];
			if (!test_can_run(t, cardea_compress_name(family), table[i]))
				continue;
			failures = t->failures;
			fn(t, &suite, (enum cardea_hash_id)id);
			if (t->failures != failures)
				test_note(t, "the above: %s, implementation %s",
				          cardea_hash_name((enum cardea_hash_id)id), table[i]->name);
		}
	}
}

static void digest_message(struct test *t, const struct cardea_suite *suite, enum cardea_hash_id id, uint8_t *out,
                           enum message message)
{
	const struct cardea_impl *impl = &suite->compress[cardea_hash_family(id)]->impl;
	const char *text = message == EMPTY ? "" : message == ABC ? "abc" : two_blocks_512;
	uint8_t a[1000];
	struct cardea_hash h;

	if (message == TWO_BLOCKS && cardea_hash_block_len(id) == 128)
		text = two_blocks_1024;
	if (message != MILLION) {
		cardea_hash_once(suite, t->platform, id, out, text, cardea_strnlen(text, sizeof(two_blocks_1024)));
		return;
	}
	memset(a, 'a', sizeof(a));
	cardea_impl_begin(t->platform, impl);
	cardea_hash_init(&h, suite, id);
	for (unsigned i = 0; i < 1000; i++)
		cardea_hash_update(&h, a, sizeof(a));
	cardea_hash_final(&h, out);
	cardea_impl_end(t->platform, impl);
}

static void test_vectors(struct test *t, const struct cardea_suite *suite, enum cardea_hash_id id)
{
	uint8_t want[CARDEA_MAX_DIGEST], got[CARDEA_MAX_DIGEST + 1];
	size_t len = cardea_hash_digest_len(id);

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(vectors); i++) {
		if (vectors[i].hash != id)
			continue;
		memset(got, 0x5a, sizeof(got));
		digest_message(t, suite, id, got, vectors[i].message);
		CHECK(test_hex(want, sizeof(want), vectors[i].digest) == len);
		CHECK_MEM(got, want, len);
		CHECK(got[len] == 0x5a);
	}
}

static void test_lengths(struct test *t, const struct cardea_suite *suite, enum cardea_hash_id id)
{
	const struct cardea_impl *impl = &suite->compress[cardea_hash_family(id)]->impl;
	uint8_t message[FOLD_LENGTHS + 1], once[CARDEA_MAX_DIGEST], split[CARDEA_MAX_DIGEST];
	size_t digest_len = cardea_hash_digest_len(id);
	struct cardea_hash fold, h;
	unsigned differ = 0;

	cardea_hash_init(&fold, suite, id);
	for (size_t len = 0; len < FOLD_LENGTHS; len++) {
		/* Odd lengths also at an odd address. */
		uint8_t *data = message + len % 2;

		test_fill(data, len, len + 1);
		cardea_hash_once(suite, t->platform, id, once, data, len);
		cardea_impl_begin(t->platform, impl);
		/* In two pieces, then in pieces of growing length, from a copy of the running hash. */
		for (size_t first = 0; first <= len; first += 1 + len / 7) {
			struct cardea_hash rest;
			size_t at = first;

			cardea_hash_init(&h, suite, id);
			cardea_hash_update(&h, data, first);
			rest = h;
			cardea_hash_update(&h, data + first, len - first);
			cardea_hash_final(&h, split);
			differ += !cardea_ct_equal(split, once, digest_len);
			for (size_t n = 0; at < len; at += n, n++) {
				n = cardea_min_size(n, len - at);
				cardea_hash_update(&rest, data + at, n);
			}
			cardea_hash_final(&rest, split);
			differ += !cardea_ct_equal(split, once, digest_len);
		}
		cardea_hash_update(&fold, once, digest_len);
		cardea_impl_end(t->platform, impl);
	}
	CHECK(differ == 0);
	cardea_impl_begin(t->platform, impl);
	cardea_hash_final(&fold, split);
	cardea_impl_end(t->platform, impl);
	CHECK(test_hex(once, sizeof(once), folded[id]) == digest_len);
	CHECK_MEM(split, once, digest_len);
}

static void test_self_test(struct test *t, const struct cardea_suite *suite, enum cardea_hash_id id)
{
	const struct cardea_compress_impl *good = suite->compress[cardea_hash_family(id)];

	cardea_impl_begin(t->platform, &good->impl);
	CHECK(cardea_compress_self_test(&good->impl));
	cardea_impl_end(t->platform, &good->impl);
}

static void compress_nothing(union cardea_hash_state *s, const uint8_t *blocks, size_t n, size_t block_len)
{
	(void)blocks;
	(void)block_len;
	s->w64[0] += n;
}

static void test_names(struct test *t)
{
	static const char *const unknown[] = { "", "sha", "sha2567", "sha25", "rmd160", "sha3", "md5", "sha256 " };
	enum cardea_hash_id id;

	for (unsigned i = 0; i < CARDEA_N_HASHES; i++) {
		id = CARDEA_N_HASHES;
		CHECK(cardea_hash_by_name(&id, cardea_hash_name((enum cardea_hash_id)i)) && id == i);
		CHECK(cardea_hash_digest_len((enum cardea_hash_id)i) <= CARDEA_MAX_DIGEST);
		CHECK(cardea_hash_block_len((enum cardea_hash_id)i) <= CARDEA_MAX_HASH_BLOCK);
	}
	CHECK(cardea_hash_by_name(&id, "SHA256") && id == CARDEA_HASH_SHA256);
	CHECK(cardea_hash_by_name(&id, "Whirlpool") && id == CARDEA_HASH_WHIRLPOOL);
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(unknown); i++)
		CHECK(!cardea_hash_by_name(&id, unknown[i]));
}

void test_hash(struct test *t)
{
	static const uint8_t short_digest[20] = {
		0x38, 0x42, 0x64, 0xf6, 0x76, 0xf3, 0x95, 0x36, 0x84, 0x05, 0x23, 0xf2, 0x84, 0x92, 0x1c, 0xdc,
		0x68, 0xb6, 0x84, 0x6b
	};
	const struct cardea_impl *blake2b = &t->suite->compress[CARDEA_COMPRESS_BLAKE2B]->impl;
	uint8_t out[CARDEA_MAX_DIGEST] = { 0 };
	struct cardea_hash h;

	test_names(t);
	for_each(t, test_self_test);
	for_each(t, test_vectors);
	for_each(t, test_lengths);

	/* A self-test that accepts everything would go unnoticed otherwise. */
	for (unsigned i = 0; i < CARDEA_N_COMPRESS; i++) {
		struct cardea_compress_impl bad = { .impl = { .name = "bad" }, .family = (enum cardea_compress_id)i,
			                            .compress = compress_nothing };

		CHECK(!cardea_compress_self_test(&bad.impl));
	}

	/* BLAKE2b of 20 bytes is no shortened BLAKE2b-512; nothing is written behind it. */
	cardea_impl_begin(t->platform, blake2b);
	cardea_blake2b_init(&h, t->suite, sizeof(short_digest));
	cardea_hash_update(&h, "abc", 3);
	cardea_hash_final(&h, out);
	cardea_impl_end(t->platform, blake2b);
	CHECK_MEM(out, short_digest, sizeof(short_digest));
	CHECK(out[sizeof(short_digest)] == 0);
	CHECK(h.impl == NULL && h.state.w64[0] == 0 && h.buf[0] == 0);
}

/* ---- HMAC -------------------------------------------------------------------------------------------------- */

/* Test cases 1, 2, 3 and 6 of RFC 4231 and RFC 2202, whose long key is shorter; RFC 2286 for RIPEMD-160. */
enum hmac_case { HI_THERE, JEFE, FIFTY, LONG_KEY, SHA1_LONG_KEY };

/* Of the hashes without published vectors: made with Python's hashlib and with libgcrypt. */
static const struct {
	enum cardea_hash_id hash;
	enum hmac_case which;
	const char *digest;
} hmac_vectors[] = {
	{ CARDEA_HASH_SHA1, HI_THERE,
	  "b617318655057264e28bc0b6fb378c8ef146be00" },
	{ CARDEA_HASH_SHA1, JEFE,
	  "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79" },
	{ CARDEA_HASH_SHA1, FIFTY,
	  "125d7342b9ac11cd91a39af48aa17b4f63f175d3" },
	{ CARDEA_HASH_SHA1, SHA1_LONG_KEY,
	  "aa4ae5e15272d00e95705637ce8a3b55ed402112" },
	{ CARDEA_HASH_SHA224, HI_THERE,
	  "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22" },
	{ CARDEA_HASH_SHA224, JEFE,
	  "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44" },
	{ CARDEA_HASH_SHA224, FIFTY,
	  "7fb3cb3588c6c1f6ffa9694d7d6ad2649365b0c1f65d69d1ec8333ea" },
	{ CARDEA_HASH_SHA224, LONG_KEY,
	  "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e" },
	{ CARDEA_HASH_SHA256, HI_THERE,
	  "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
	{ CARDEA_HASH_SHA256, JEFE,
	  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
	{ CARDEA_HASH_SHA256, FIFTY,
	  "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe" },
	{ CARDEA_HASH_SHA256, LONG_KEY,
	  "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" },
	{ CARDEA_HASH_SHA384, HI_THERE,
	  "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c"
	  "faea9ea9076ede7f4af152e8b2fa9cb6" },
	{ CARDEA_HASH_SHA384, JEFE,
	  "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
	  "8e2240ca5e69e2c78b3239ecfab21649" },
	{ CARDEA_HASH_SHA384, FIFTY,
	  "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b"
	  "2a5ab39dc13814b94e3ab6e101a34f27" },
	{ CARDEA_HASH_SHA384, LONG_KEY,
	  "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c6"
	  "0c2ef6ab4030fe8296248df163f44952" },
	{ CARDEA_HASH_SHA512, HI_THERE,
	  "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
	  "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854" },
	{ CARDEA_HASH_SHA512, JEFE,
	  "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
	  "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737" },
	{ CARDEA_HASH_SHA512, FIFTY,
	  "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
	  "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb" },
	{ CARDEA_HASH_SHA512, LONG_KEY,
	  "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
	  "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598" },
	{ CARDEA_HASH_RIPEMD160, HI_THERE,
	  "24cb4bd67d20fc1a5d2ed7732dcc39377f0a5668" },
	{ CARDEA_HASH_RIPEMD160, JEFE,
	  "dda6c0213a485a9e24f4742064a7f033b43c4069" },
	{ CARDEA_HASH_RIPEMD160, FIFTY,
	  "b0b105360de759960ab4f35298e116e295d8e7c1" },
	{ CARDEA_HASH_RIPEMD160, SHA1_LONG_KEY,
	  "6466ca07ac5eac29e1bd523e5ada7605b791fd8b" },
	{ CARDEA_HASH_WHIRLPOOL, HI_THERE,
	  "8a2c9b1ccf4b28660de78af9db15b7c94d129ec960ca9a950a665ea5e88362e2"
	  "4f4474354e18512d956d9bb7e6bbbb50b9ba0d3093b0a17c6ec2aa91e57169ce" },
	{ CARDEA_HASH_WHIRLPOOL, JEFE,
	  "3d595ccd1d4f4cfd045af53ba7d5c8283fee6ded6eaf1269071b6b4ea6480005"
	  "6b5077c6a942cfa1221bd4e5aed791276e5dd46a407d2b8007163d3e7cd1de66" },
	{ CARDEA_HASH_WHIRLPOOL, FIFTY,
	  "ea252f252e230e3d1950cf44679e31d9de70d1dec6f41dbe38a12d76e2b54cff"
	  "a2637f0408a48a0a387315ef1118055d373dc295bba3563276f846a0957fb823" },
	{ CARDEA_HASH_WHIRLPOOL, LONG_KEY,
	  "bf0c49ca78d52e92357e0ff1c2978f8820c9b4bcbbf5118179ca40385d51bd78"
	  "956d5a3ba7010effebcbaf5c431f1757742982bdeb69e6bfb415151ab2c2b43f" },
	{ CARDEA_HASH_SHA3_224, HI_THERE,
	  "3b16546bbc7be2706a031dcafd56373d9884367641d8c59af3c860f7" },
	{ CARDEA_HASH_SHA3_224, JEFE,
	  "7fdb8dd88bd2f60d1b798634ad386811c2cfc85bfaf5d52bbace5e66" },
	{ CARDEA_HASH_SHA3_224, FIFTY,
	  "676cfc7d16153638780390692be142d2df7ce924b909c0c08dbfdc1a" },
	{ CARDEA_HASH_SHA3_224, LONG_KEY,
	  "b4a1f04c00287a9b7f6075b313d279b833bc8f75124352d05fb9995f" },
	{ CARDEA_HASH_SHA3_256, HI_THERE,
	  "ba85192310dffa96e2a3a40e69774351140bb7185e1202cdcc917589f95e16bb" },
	{ CARDEA_HASH_SHA3_256, JEFE,
	  "c7d4072e788877ae3596bbb0da73b887c9171f93095b294ae857fbe2645e1ba5" },
	{ CARDEA_HASH_SHA3_256, FIFTY,
	  "84ec79124a27107865cedd8bd82da9965e5ed8c37b0ac98005a7f39ed58a4207" },
	{ CARDEA_HASH_SHA3_256, LONG_KEY,
	  "ed73a374b96c005235f948032f09674a58c0ce555cfc1f223b02356560312c3b" },
	{ CARDEA_HASH_SHA3_384, HI_THERE,
	  "68d2dcf7fd4ddd0a2240c8a437305f61fb7334cfb5d0226e1bc27dc10a2e723a"
	  "20d370b47743130e26ac7e3d532886bd" },
	{ CARDEA_HASH_SHA3_384, JEFE,
	  "f1101f8cbf9766fd6764d2ed61903f21ca9b18f57cf3e1a23ca13508a93243ce"
	  "48c045dc007f26a21b3f5e0e9df4c20a" },
	{ CARDEA_HASH_SHA3_384, FIFTY,
	  "275cd0e661bb8b151c64d288f1f782fb91a8abd56858d72babb2d476f0458373"
	  "b41b6ab5bf174bec422e53fc3135ac6e" },
	{ CARDEA_HASH_SHA3_384, LONG_KEY,
	  "0fc19513bf6bd878037016706a0e57bc528139836b9a42c3d419e498e0e1fb96"
	  "16fd669138d33a1105e07c72b6953bcc" },
	{ CARDEA_HASH_SHA3_512, HI_THERE,
	  "eb3fbd4b2eaab8f5c504bd3a41465aacec15770a7cabac531e482f860b5ec7ba"
	  "47ccb2c6f2afce8f88d22b6dc61380f23a668fd3888bb80537c0a0b86407689e" },
	{ CARDEA_HASH_SHA3_512, JEFE,
	  "5a4bfeab6166427c7a3647b747292b8384537cdb89afb3bf5665e4c5e709350b"
	  "287baec921fd7ca0ee7a0c31d022a95e1fc92ba9d77df883960275beb4e62024" },
	{ CARDEA_HASH_SHA3_512, FIFTY,
	  "309e99f9ec075ec6c6d475eda1180687fcf1531195802a99b5677449a8625182"
	  "851cb332afb6a89c411325fbcbcd42afcb7b6e5aab7ea42c660f97fd8584bf03" },
	{ CARDEA_HASH_SHA3_512, LONG_KEY,
	  "00f751a9e50695b090ed6911a4b65524951cdc15a73a5d58bb55215ea2cd839a"
	  "c79d2b44a39bafab27e83fde9e11f6340b11d991b1b91bf2eee7fc872426c3a4" },
	{ CARDEA_HASH_BLAKE2B_512, HI_THERE,
	  "358a6a184924894fc34bee5680eedf57d84a37bb38832f288e3b27dc63a98cc8"
	  "c91e76da476b508bc6b2d408a248857452906e4a20b48c6b4b55d2df0fe1dd24" },
	{ CARDEA_HASH_BLAKE2B_512, JEFE,
	  "6ff884f8ddc2a6586b3c98a4cd6ebdf14ec10204b6710073eb5865ade37a2643"
	  "b8807c1335d107ecdb9ffeaeb6828c4625ba172c66379efcd222c2de11727ab4" },
	{ CARDEA_HASH_BLAKE2B_512, FIFTY,
	  "f43bc62c7a99353c3b2c60e8ef24fbbd42e9547866dc9c5be4edc6f4a7d4bc0a"
	  "c620c2c60034d040f0dbaf86f9e9cd7891a095595eed55e2a996215f0c15c018" },
	{ CARDEA_HASH_BLAKE2B_512, LONG_KEY,
	  "a54b2943b2a20227d41ca46c0945af09bc1faefb2f49894c23aebc557fb79c48"
	  "89dca74408dc865086667aedee4a3185c53a49c80b814c4c5813ea0c8b38a8f8" },
	{ CARDEA_HASH_BLAKE2S_256, HI_THERE,
	  "65a8b7c5cc9136d424e82c37e2707e74e913c0655b99c75f40edf387453a3260" },
	{ CARDEA_HASH_BLAKE2S_256, JEFE,
	  "90b6281e2f3038c9056af0b4a7e763cae6fe5d9eb4386a0ec95237890c104ff0" },
	{ CARDEA_HASH_BLAKE2S_256, FIFTY,
	  "fcc4f59529502e34c3d8da3ffdab82966a2cb637ff5e9bd701135c2e9469e790" },
	{ CARDEA_HASH_BLAKE2S_256, LONG_KEY,
	  "d23d79394f53d536a096e6514447eeaabb05ded01be32c1937da6a8f7103bc4e" },
};

static const char long_key_text[] = "Test Using Larger Than Block-Size Key - Hash Key First";

static void test_hmac_vectors(struct test *t, const struct cardea_suite *suite, enum cardea_hash_id id)
{
	const struct cardea_impl *impl = &suite->compress[cardea_hash_family(id)]->impl;
	static const uint8_t key_len[] = { 20, 4, 20, 131, 80 };
	uint8_t key[131], data[64], want[CARDEA_MAX_DIGEST], got[CARDEA_MAX_DIGEST];
	struct cardea_hmac h;

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(hmac_vectors); i++) {
		size_t data_len = 0, len = cardea_hash_digest_len(id);

		if (hmac_vectors[i].hash != id)
			continue;
		memset(key, 0xaa, sizeof(key));
		switch (hmac_vectors[i].which) {
		case HI_THERE:
			memset(key, 0x0b, 20);
			data_len = 8;
			memcpy(data, "Hi There", data_len);
			break;
		case JEFE:
			memcpy(key, "Jefe", 4);
			data_len = 28;
			memcpy(data, "what do ya want for nothing?", data_len);
			break;
		case FIFTY:
			data_len = 50;
			memset(data, 0xdd, data_len);
			break;
		default:
			data_len = sizeof(long_key_text) - 1;
			memcpy(data, long_key_text, data_len);
			break;
		}
		for (size_t first = 0; first <= data_len; first++) {
			cardea_impl_begin(t->platform, impl);
			cardea_hmac_init(&h, suite, id, key, key_len[hmac_vectors[i].which]);
			cardea_hmac_update(&h, data, first);
			cardea_hmac_update(&h, data + first, data_len - first);
			cardea_hmac_final(&h, got);
			cardea_impl_end(t->platform, impl);
			CHECK(test_hex(want, sizeof(want), hmac_vectors[i].digest) == len);
			CHECK_MEM(got, want, len);
		}
	}
}

void test_hmac(struct test *t)
{
	for_each(t, test_hmac_vectors);
}
