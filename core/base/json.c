/* SPDX-License-Identifier: MIT */
#include "base/json.h"

struct parser {
	const char *text;
	size_t len, at;
	struct cardea_json_token *tok;
	uint32_t max, n;
};

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static void skip_space(struct parser *p)
{
	while (p->at < p->len && is_space(p->text[p->at]))
		p->at++;
}

/* The character here, or 0 at the end. */
static char here(const struct parser *p) { return p->at < p->len ? p->text[p->at] : '\0'; }

static const char *scan_string(struct parser *p, struct cardea_json_token *t)
{
	t->start = (uint32_t)++p->at;
	while (p->at < p->len && p->text[p->at] != '"') {
		char c = p->text[p->at++];

		if ((unsigned char)c < 0x20)
			return "control character in a string";
		if (c != '\\')
			continue;
		c = here(p);
		if (c == 'u') {
			for (int i = 1; i <= 4; i++)
				if (p->at + (size_t)i >= p->len || !is_hex(p->text[p->at + (size_t)i]))
					return "bad \\u escape";
			p->at += 5;
		} else if (c == '"' || c == '\\' || c == '/' || c == 'b' || c == 'f' || c == 'n' || c == 'r' ||
		           c == 't') {
			p->at++;
		} else {
			return "bad escape in a string";
		}
	}
	if (p->at >= p->len)
		return "string without end";
	t->len = (uint32_t)p->at - t->start;
	p->at++;
	return NULL;
}

static size_t scan_digits(struct parser *p)
{
	size_t n = 0;

	for (; is_digit(here(p)); p->at++)
		n++;
	return n;
}

static const char *scan_number(struct parser *p, struct cardea_json_token *t)
{
	size_t n;

	t->start = (uint32_t)p->at;
	if (here(p) == '-')
		p->at++;
	n = scan_digits(p);
	if (n == 0 || (n > 1 && p->text[p->at - n] == '0'))
		return "bad number";
	if (here(p) == '.') {
		p->at++;
		if (scan_digits(p) == 0)
			return "bad number";
	}
	if (here(p) == 'e' || here(p) == 'E') {
		p->at++;
		if (here(p) == '+' || here(p) == '-')
			p->at++;
		if (scan_digits(p) == 0)
			return "bad number";
	}
	t->len = (uint32_t)p->at - t->start;
	return NULL;
}

static const char *scan_word(struct parser *p, struct cardea_json_token *t)
{
	static const struct {
		const char *word;
		uint32_t len;
		enum cardea_json_type type;
	} words[] = {
		{ "true", 4, CARDEA_JSON_TRUE }, { "false", 5, CARDEA_JSON_FALSE }, { "null", 4, CARDEA_JSON_NULL },
	};

	for (size_t i = 0; i < CARDEA_ARRAY_LEN(words); i++) {
		if (p->len - p->at >= words[i].len && memcmp(p->text + p->at, words[i].word, words[i].len) == 0) {
			t->type = words[i].type;
			t->start = (uint32_t)p->at;
			t->len = words[i].len;
			p->at += words[i].len;
			return NULL;
		}
	}
	return "value expected";
}

/* Whether the key that was just read stands in this object already.  Keys are compared as they stand. */
static bool is_duplicate(const struct parser *p, uint32_t obj, uint32_t key)
{
	const struct cardea_json_token *k = &p->tok[key];

	for (uint32_t i = obj + 1; i < key; i = p->tok[i + 1].next)
		if (p->tok[i].len == k->len && memcmp(p->text + p->tok[i].start, p->text + k->start, k->len) == 0)
			return true;
	return false;
}

static const char *parse(struct parser *p)
{
	uint32_t open[CARDEA_JSON_DEPTH]; /* indices of the containers that are not closed yet */
	unsigned depth = 0;

	for (;;) {
		struct cardea_json_token *t;
		const char *fault;
		char c;

		/* A value, with its key before it inside an object. */
		skip_space(p);
		if (depth > 0 && p->tok[open[depth - 1]].type == CARDEA_JSON_OBJECT) {
			if (here(p) != '"')
				return "key expected";
			if (p->n == p->max)
				return "too many values";
			t = &p->tok[p->n++];
			*t = (struct cardea_json_token){ .type = CARDEA_JSON_STRING, .next = p->n };
			fault = scan_string(p, t);
			if (fault != NULL)
				return fault;
			if (is_duplicate(p, open[depth - 1], p->n - 1))
				return "duplicate key";
			skip_space(p);
			if (here(p) != ':')
				return "':' expected";
			p->at++;
			skip_space(p);
		}
		if (p->n == p->max)
			return "too many values";
		t = &p->tok[p->n++];
		*t = (struct cardea_json_token){ .start = (uint32_t)p->at, .next = p->n };
		c = here(p);
		if (c == '{' || c == '[') {
			if (depth == CARDEA_JSON_DEPTH)
				return "nested too deeply";
			t->type = c == '{' ? CARDEA_JSON_OBJECT : CARDEA_JSON_ARRAY;
			open[depth++] = p->n - 1;
			p->at++;
			skip_space(p);
			if (here(p) != (c == '{' ? '}' : ']'))
				continue;
		} else {
			if (c == '"') {
				t->type = CARDEA_JSON_STRING;
				fault = scan_string(p, t);
			} else if (c == '-' || is_digit(c)) {
				t->type = CARDEA_JSON_NUMBER;
				fault = scan_number(p, t);
			} else {
				fault = scan_word(p, t);
			}
			if (fault != NULL)
				return fault;
			if (depth == 0)
				return NULL;
			p->tok[open[depth - 1]].n++;
		}
		/* Then a comma, or the ends of any number of containers. */
		for (;;) {
			struct cardea_json_token *box = &p->tok[open[depth - 1]];

			skip_space(p);
			c = here(p);
			if (c == ',') {
				p->at++;
				break;
			}
			if (c != (box->type == CARDEA_JSON_OBJECT ? '}' : ']'))
				return "',' or end expected";
			p->at++;
			box->len = (uint32_t)p->at - box->start;
			box->next = p->n;
			if (--depth == 0)
				return NULL;
			p->tok[open[depth - 1]].n++;
		}
	}
}

const char *cardea_json_parse(struct cardea_json *out, struct cardea_json_token *tokens, uint32_t max_tokens,
                              const char *text, size_t text_len, size_t *at)
{
	struct parser p = { text, text_len, 0, tokens, max_tokens, 0 };
	const char *fault;

	*out = (struct cardea_json){ text, tokens, 0 };
	if (text_len > UINT32_MAX)
		return "too long";
	fault = parse(&p);
	for (; fault == NULL && p.at < text_len; p.at++)
		if (text[p.at] != '\0' && !is_space(text[p.at]))
			fault = "something follows the value";
	*at = p.at;
	if (fault == NULL)
		out->n_tokens = p.n;
	return fault;
}

bool cardea_json_is(const struct cardea_json *j, uint32_t tok, enum cardea_json_type type)
{
	return tok < j->n_tokens && j->tokens[tok].type == type;
}

struct cardea_json_iter cardea_json_iter(const struct cardea_json *j, uint32_t container)
{
	bool object = cardea_json_is(j, container, CARDEA_JSON_OBJECT);

	if (!object && !cardea_json_is(j, container, CARDEA_JSON_ARRAY))
		return (struct cardea_json_iter){ 0, 0, false };
	return (struct cardea_json_iter){ container + 1, j->tokens[container].next, object };
}

bool cardea_json_next(const struct cardea_json *j, struct cardea_json_iter *it, uint32_t *key, uint32_t *value)
{
	*key = *value = CARDEA_JSON_NONE;
	if (it->at >= it->end)
		return false;
	if (it->object)
		*key = it->at++;
	*value = it->at;
	it->at = j->tokens[it->at].next;
	return true;
}

bool cardea_json_str_is(const struct cardea_json *j, uint32_t tok, const char *text)
{
	size_t len = cardea_strnlen(text, SIZE_MAX);

	return cardea_json_is(j, tok, CARDEA_JSON_STRING) && j->tokens[tok].len == len &&
	       memcmp(j->text + j->tokens[tok].start, text, len) == 0;
}

uint32_t cardea_json_get(const struct cardea_json *j, uint32_t obj, const char *key)
{
	struct cardea_json_iter it = cardea_json_iter(j, obj);
	uint32_t k, v;

	while (it.object && cardea_json_next(j, &it, &k, &v))
		if (cardea_json_str_is(j, k, key))
			return v;
	return CARDEA_JSON_NONE;
}

bool cardea_json_str(const struct cardea_json *j, uint32_t tok, char *out, size_t out_cap)
{
	const struct cardea_json_token *t;

	out[0] = '\0';
	if (!cardea_json_is(j, tok, CARDEA_JSON_STRING))
		return false;
	t = &j->tokens[tok];
	if (t->len >= out_cap)
		return false;
	for (uint32_t i = 0; i < t->len; i++) {
		char c = j->text[t->start + i];

		if (c < ' ' || c > '~' || c == '\\') {
			out[0] = '\0';
			return false;
		}
		out[i] = c;
	}
	out[t->len] = '\0';
	return true;
}

static bool decimal(const char *s, size_t len, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	*out = 0;
	if (len == 0 || (len > 1 && s[0] == '0'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_digit(s[i]) || cardea_mul_overflows(v, 10, &v) ||
		    cardea_add_overflows(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	if (v < min || v > max)
		return false;
	*out = v;
	return true;
}

bool cardea_json_u64(const struct cardea_json *j, uint32_t tok, uint64_t min, uint64_t max, uint64_t *out)
{
	*out = 0;
	return cardea_json_is(j, tok, CARDEA_JSON_NUMBER) &&
	       decimal(j->text + j->tokens[tok].start, j->tokens[tok].len, min, max, out);
}

bool cardea_json_str_u64(const struct cardea_json *j, uint32_t tok, uint64_t min, uint64_t max, uint64_t *out)
{
	*out = 0;
	return cardea_json_is(j, tok, CARDEA_JSON_STRING) &&
	       decimal(j->text + j->tokens[tok].start, j->tokens[tok].len, min, max, out);
}
