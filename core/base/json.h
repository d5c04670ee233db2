/* SPDX-License-Identifier: MIT */
/*
 * A bounded JSON reader (RFC 8259).  The text is cut into tokens once, into an array of the caller's, and
 * is never modified; everything after that works on tokens.  No recursion, no allocation.  Duplicate
 * keys, more than CARDEA_JSON_DEPTH levels, and anything after the value other than zero bytes or white
 * space are rejected.  Strings are compared as they stand (escapes other than \" \\ \/ are only
 * accepted in values that nobody looks up).
 */
#ifndef CARDEA_JSON_H
#define CARDEA_JSON_H

#include "base/base.h"

#define CARDEA_JSON_DEPTH 16
#define CARDEA_JSON_NONE UINT32_MAX

enum cardea_json_type {
	CARDEA_JSON_OBJECT,
	CARDEA_JSON_ARRAY,
	CARDEA_JSON_STRING, /* start and len exclude the quotes */
	CARDEA_JSON_NUMBER,
	CARDEA_JSON_TRUE,
	CARDEA_JSON_FALSE,
	CARDEA_JSON_NULL,
};

struct cardea_json_token {
	enum cardea_json_type type;
	uint32_t start, len; /* in the text */
	uint32_t n;          /* members of an object, elements of an array */
	uint32_t next;       /* index of the token after this one and all that it holds */
};

struct cardea_json {
	const char *text;
	const struct cardea_json_token *tokens;
	uint32_t n_tokens;
};

/*
 * Cuts text[0..text_len) into tokens; the first is the whole value.  NULL when well-formed, else a short
 * description of the fault, with *at its position.
 */
const char *CARDEA_MUST_CHECK cardea_json_parse(struct cardea_json *out, struct cardea_json_token *tokens,
                                                uint32_t max_tokens, const char *text, size_t text_len,
                                                size_t *at);

/* Token of the value that object `obj` holds under `key`, or CARDEA_JSON_NONE; also when obj is no object. */
uint32_t cardea_json_get(const struct cardea_json *j, uint32_t obj, const char *key);

/*
 * Walks an object or array: *it starts at 0; each call gives the next member's key (NULL pointer and 0 for
 * arrays) and value token, false after the last.
 */
struct cardea_json_iter {
	uint32_t at, end;
	bool object;
};
struct cardea_json_iter cardea_json_iter(const struct cardea_json *j, uint32_t container);
bool cardea_json_next(const struct cardea_json *j, struct cardea_json_iter *it, uint32_t *key, uint32_t *value);

bool cardea_json_is(const struct cardea_json *j, uint32_t tok, enum cardea_json_type type);
/* Whether the token is a string with this text. */
bool cardea_json_str_is(const struct cardea_json *j, uint32_t tok, const char *text);
/* Copies a string of printable characters without escapes and terminates it; false when it is none or does not fit. */
bool CARDEA_MUST_CHECK cardea_json_str(const struct cardea_json *j, uint32_t tok, char *out, size_t out_cap);
/* An integer in [min, max], written as a JSON number. */
bool CARDEA_MUST_CHECK cardea_json_u64(const struct cardea_json *j, uint32_t tok, uint64_t min, uint64_t max,
                                       uint64_t *out);
/* The same written as a decimal string, as LUKS2 does with everything that may exceed 32 bits. */
bool CARDEA_MUST_CHECK cardea_json_str_u64(const struct cardea_json *j, uint32_t tok, uint64_t min, uint64_t max,
                                           uint64_t *out);

#endif
