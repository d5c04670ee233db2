/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "sets/sets.h"

/* The text that cardea_format makes, in a buffer with a canary behind its end. */
#define FORMAT_IS(cap, want, ...)                                                                      \
	do {                                                                                           \
		char buf_[80];                                                                         \
		memset(buf_, '#', sizeof(buf_));                                                       \
		size_t n_ = cardea_format(buf_, (cap), __VA_ARGS__);                                   \
		CHECK(cardea_streq(buf_, want));                                                       \
		CHECK(n_ == sizeof(want) - 1);                                                         \
		CHECK(buf_[cap] == '#');                                                               \
	} while (0)

static void test_format(struct test *t)
{
	FORMAT_IS(64, "key slot 3: sha256", "key slot %u: %s", 3u, "sha256");
	FORMAT_IS(64, "-7|0|18446744073709551615|ff", "%d|%u|%llu|%x", -7, 0u, 18446744073709551615ull, 255u);
	FORMAT_IS(64, "-9223372036854775808", "%lld", (long long)INT64_MIN);
	FORMAT_IS(64, "[  42][42  ][0042][00ab]", "[%4u][%-4u][%04u][%04x]", 42u, 42u, 42u, 171u);
	FORMAT_IS(64, "[  ab][ab  ][abc]", "[%4s][%-4s][%.*s]", "ab", "ab", 3, "abcdef");
	FORMAT_IS(64, "100 % of x", "%d %% of %c", 100, 'x');
	/* Text that is not printable cannot drive a terminal. */
	FORMAT_IS(64, "a?[2Jb?c", "%s", "a\033[2Jb\xff" "c");
	/* Cut, never overrun. */
	FORMAT_IS(5, "1234", "%s", "123456");
	FORMAT_IS(1, "", "%u", 7u);
	FORMAT_IS(4, "12a", "%u%s", 12u, "abc");
}

void test_base(struct test *t)
{
	static const uint8_t bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint8_t out[8];
	uint64_t sum;

	CHECK(cardea_be16(bytes) == 0x0102);
	CHECK(cardea_be32(bytes) == 0x01020304);
	CHECK(cardea_le32(bytes) == 0x04030201);
	CHECK(cardea_be64(bytes) == 0x0102030405060708);
	CHECK(cardea_le64(bytes) == 0x0807060504030201);
	cardea_put_be64(out, 0x0102030405060708);
	CHECK_MEM(out, bytes, 8);
	cardea_put_le32(out, 0x04030201);
	CHECK_MEM(out, bytes, 4);
	CHECK(cardea_rol32(0x80000001, 1) == 3 && cardea_ror32(3, 1) == 0x80000001 && cardea_rol32(5, 0) == 5);
	CHECK(cardea_rol64(1, 63) == 1ull << 63 && cardea_ror64(1, 1) == 1ull << 63);
	CHECK(cardea_add_overflows(UINT64_MAX, 1, &sum) && !cardea_add_overflows(UINT64_MAX, 0, &sum));
	CHECK(cardea_mul_overflows(1ull << 32, 1ull << 32, &sum) && !cardea_mul_overflows(1ull << 32, 3, &sum));
	CHECK(cardea_is_pow2(4096) && !cardea_is_pow2(0) && !cardea_is_pow2(513));
	CHECK(cardea_ct_is_zero(0) == UINT64_MAX);
	for (unsigned i = 0; i < 64; i++)
		CHECK(cardea_ct_is_zero(1ull << i) == 0);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		memcpy(out, bytes, sizeof(out));
		CHECK(cardea_ct_equal(out, bytes, sizeof(out)));
		out[i] ^= 0x80;
		CHECK(!cardea_ct_equal(out, bytes, sizeof(out)));
		CHECK(cardea_ct_equal(out, bytes, i));
	}
	test_format(t);
}

/* RFC 4648 section 10, then what a strict decoder refuses. */
void test_base64(struct test *t)
{
	static const struct {
		const char *text, *want; /* want NULL: refused */
	} rows[] = {
		{ "", "" }, { "Zg==", "f" }, { "Zm8=", "fo" }, { "Zm9v", "foo" }, { "Zm9vYg==", "foob" },
		{ "Zm9vYmE=", "fooba" }, { "Zm9vYmFy", "foobar" }, { "+/+/", "\xfb\xff\xbf" },
		{ "Zg", NULL }, { "Zg=", NULL }, { "Zg===", NULL }, { "Z===", NULL }, { "====", NULL },
		{ "Zh==", NULL }, { "Zm9=", NULL }, { "Zm9v\n", NULL }, { " Zm9v", NULL }, { "Zm-v", NULL },
		{ "Zg==Zg==", NULL }, { "Zm=v", NULL }, { "Zm9vYmFyYmFy", NULL /* longer than the buffer */ },
	};

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(rows); i++) {
		uint8_t out[8];
		size_t n = 99;
		bool ok;

		memset(out, '#', sizeof(out));
		ok = cardea_base64_decode(out, 6, &n, rows[i].text, cardea_strnlen(rows[i].text, 99));
		CHECK(ok == (rows[i].want != NULL));
		CHECK(out[6] == '#' && out[7] == '#');
		if (ok && rows[i].want != NULL) {
			CHECK(n == cardea_strnlen(rows[i].want, 99));
			CHECK_MEM(out, rows[i].want, n);
		} else {
			CHECK(n == 0 && out[0] == 0 && out[5] == 0);
		}
	}
}

static const char *parse(struct cardea_json *j, struct cardea_json_token *tok, uint32_t max, const char *text)
{
	size_t at;

	return cardea_json_parse(j, tok, max, text, cardea_strnlen(text, 4096), &at);
}

static void test_json_refused(struct test *t)
{
	/* RFC 8259's grammar at its edges, and what a bounded reader adds. */
	static const char *const good[] = {
		"{}", "[]", " [1, -2.5e+3,0,true ,false,null,\"\"] ", "\"\\u00e9\\n\\\\\"", "{\"a\":{\"a\":[{}]}}", "0", "-0",
		"[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
	};
	static const char *const bad[] = {
		"", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
		"{a:1}", "{1:2}", "{\"a\":1 \"b\":2}", "[1 2]", "[1}", "{\"a\":1]", "01", "1.", ".5", "1e", "+1", "-",
		"nul", "tru", "True", "\"", "\"\\\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u12", "\"\t\"", "1 2", "{} x",
		"{\"a\":1,\"a\":2}", "{\"a\":1,\"b\":{\"a\":1,\"c\":2,\"a\":3}}",
		"[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]",
	};
	struct cardea_json_token tok[40];
	struct cardea_json j;

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(good); i++)
		if (!CHECK(parse(&j, tok, 40, good[i]) == NULL))
			test_note(t, "    %s", good[i]);
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(bad); i++)
		if (!CHECK(parse(&j, tok, 40, bad[i]) != NULL && j.n_tokens == 0))
			test_note(t, "    %s", bad[i]);
	/* Exactly enough tokens, and one too few. */
	CHECK(parse(&j, tok, 6, "{\"a\":[1,2],\"b\":3}") != NULL);
	CHECK(parse(&j, tok, 7, "{\"a\":[1,2],\"b\":3}") == NULL);
}

void test_json(struct test *t)
{
	static const char text[] = "{\"n\": 7, \"big\": \"18446744073709551615\", \"neg\": -1, \"list\": [\"x\", {}, 3], "
	                           "\"s\": \"plain\", \"esc\": \"a\\/b\", \"zero\": \"00\", \"empty\": \"\"}";
	struct cardea_json_token tok[40];
	struct cardea_json_iter it;
	struct cardea_json j;
	uint32_t k, v, n = 0;
	char buf[8];
	uint64_t u;

	test_json_refused(t);
	CHECK(parse(&j, tok, 40, text) == NULL);
	CHECK(j.tokens[0].n == 8 && j.tokens[0].next == j.n_tokens);
	CHECK(cardea_json_u64(&j, cardea_json_get(&j, 0, "n"), 0, 7, &u) && u == 7);
	CHECK(!cardea_json_u64(&j, cardea_json_get(&j, 0, "n"), 0, 6, &u));
	CHECK(!cardea_json_u64(&j, cardea_json_get(&j, 0, "n"), 8, 9, &u));
	CHECK(!cardea_json_u64(&j, cardea_json_get(&j, 0, "neg"), 0, UINT64_MAX, &u));
	CHECK(!cardea_json_u64(&j, cardea_json_get(&j, 0, "big"), 0, UINT64_MAX, &u));
	CHECK(cardea_json_str_u64(&j, cardea_json_get(&j, 0, "big"), 0, UINT64_MAX, &u) && u == UINT64_MAX);
	CHECK(!cardea_json_str_u64(&j, cardea_json_get(&j, 0, "zero"), 0, UINT64_MAX, &u));
	CHECK(!cardea_json_str_u64(&j, cardea_json_get(&j, 0, "empty"), 0, UINT64_MAX, &u));
	CHECK(!cardea_json_str_u64(&j, cardea_json_get(&j, 0, "n"), 0, UINT64_MAX, &u));
	CHECK(cardea_json_get(&j, 0, "absent") == CARDEA_JSON_NONE);
	CHECK(cardea_json_get(&j, CARDEA_JSON_NONE, "n") == CARDEA_JSON_NONE);
	CHECK(cardea_json_get(&j, cardea_json_get(&j, 0, "s"), "n") == CARDEA_JSON_NONE);
	/* A key is found as a key only, never as a value. */
	CHECK(cardea_json_get(&j, 0, "plain") == CARDEA_JSON_NONE);
	CHECK(cardea_json_str(&j, cardea_json_get(&j, 0, "s"), buf, 6) && cardea_streq(buf, "plain"));
	CHECK(!cardea_json_str(&j, cardea_json_get(&j, 0, "s"), buf, 5));
	CHECK(!cardea_json_str(&j, cardea_json_get(&j, 0, "esc"), buf, 8));
	CHECK(cardea_json_str_is(&j, cardea_json_get(&j, 0, "s"), "plain"));
	CHECK(!cardea_json_str_is(&j, cardea_json_get(&j, 0, "s"), "plai"));
	it = cardea_json_iter(&j, cardea_json_get(&j, 0, "list"));
	while (cardea_json_next(&j, &it, &k, &v)) {
		CHECK(k == CARDEA_JSON_NONE);
		CHECK(j.tokens[v].type == (n == 0 ? CARDEA_JSON_STRING : n == 1 ? CARDEA_JSON_OBJECT : CARDEA_JSON_NUMBER));
		n++;
	}
	CHECK(n == 3);
	it = cardea_json_iter(&j, CARDEA_JSON_NONE);
	CHECK(!cardea_json_next(&j, &it, &k, &v));
}
