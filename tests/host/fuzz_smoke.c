/* SPDX-License-Identifier: MIT */
/*
 * The fuzz targets without a fuzzer: the same few thousand inputs in every run, each one field away from a good
 * header, text or name.  TAP on standard output; a broken promise aborts.  With file names, runs the target named
 * first on each of them: "fuzz_smoke luks crash-..." repeats what libFuzzer found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cardea.h"
#include "fuzz.h"

static uint64_t state = 1;
static unsigned points;
static unsigned long runs;

static void point(const char *name)
{
	printf("ok %u - %s (%lu inputs)\n", ++points, name, runs);
	fflush(stdout);
	runs = 0;
}

/* From a block of just that size, so that ASan sees one byte more. */
static void run(void (*target)(const uint8_t *, size_t), const void *data, size_t len)
{
	uint8_t *exact = malloc(len + (len == 0));

	memcpy(exact, data, len);
	target(exact, len);
	free(exact);
	runs++;
}

/* ---- good inputs ---------------------------------------------------------------------------------------------- */

#define SALT "\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\""

static const char luks2_json[] =
	"{\"keyslots\":{"
	"\"0\":{\"type\":\"luks2\",\"key_size\":64,\"af\":{\"type\":\"luks1\",\"stripes\":4000,\"hash\":\"sha256\"},"
	"\"area\":{\"type\":\"raw\",\"offset\":\"32768\",\"size\":\"258048\","
	"\"encryption\":\"aes-xts-plain64\",\"key_size\":64},"
	"\"kdf\":{\"type\":\"argon2id\",\"time\":4,\"memory\":65536,\"cpus\":4,\"salt\":" SALT "}},"
	"\"1\":{\"type\":\"luks2\",\"key_size\":64,\"priority\":2,"
	"\"af\":{\"type\":\"luks1\",\"stripes\":4000,\"hash\":\"sha512\"},"
	"\"area\":{\"type\":\"raw\",\"offset\":\"290816\",\"size\":\"258048\","
	"\"encryption\":\"twofish-cbc-essiv:sha256\",\"key_size\":32},"
	"\"kdf\":{\"type\":\"pbkdf2\",\"hash\":\"sha256\",\"iterations\":1000,\"salt\":" SALT "}}},"
	"\"tokens\":{\"0\":{\"type\":\"luks2-keyring\",\"keyslots\":[\"0\"],\"key_description\":\"a\"}},"
	"\"segments\":{\"0\":{\"type\":\"crypt\",\"offset\":\"16777216\",\"size\":\"dynamic\",\"iv_tweak\":\"0\","
	"\"encryption\":\"aes-xts-plain64\",\"sector_size\":512}},"
	"\"digests\":{\"0\":{\"type\":\"pbkdf2\",\"keyslots\":[\"0\",\"1\"],\"segments\":[\"0\"],\"hash\":\"sha256\","
	"\"iterations\":1000,\"salt\":" SALT ",\"digest\":" SALT "}},"
	"\"config\":{\"json_size\":\"12288\",\"keyslots_size\":\"16744448\",\"flags\":[\"allow-discards\"]}}";

static const char other_json[] =
	" [ 1 , -2.5e+3 , \"a\\u00e9\\\"\\/\\\\\\b\\f\\n\\r\\t\" , "
	"{ \"x\" : [ [ ] , { } , null , true , false ] , \"\" : 0 } ] ";

static const char *const specs[] = {
	"aes-xts-plain64", "aes-xts-essiv:sha256", "aes-cbc-essiv:sha256", "aes-cbc-plain", "aes-cbc-null", "aes-ecb",
	"aes-lrw-benbi", "aes-ctr-plain64", "aes-cbc-eboiv", "aes-xts-plain64be", "twofish-xts-plain64",
	"twofish-cbc-essiv:sha256", "twofish-lrw-benbi", "twofish-ctr-plain", "twofish-ecb", "capi:xts(aes)-plain64",
	"capi:cbc(twofish)-essiv:sha256", "capi:ecb(aes)", "capi:essiv(cbc(aes),sha256)-plain64", "aes-cbc-tcw",
	"aes-cbc-lmk", "aes-cbc-essiv:whirlpool", "aes-cbc-essiv:", "aes-cbc-essiv:md5", "aes", "aes-", "aes--", "-",
	":",
	"aes-xts", "aes-xts-random", "serpent-xts-plain64", "xchacha12,aes-adiantum-plain64", "null-ecb",
	"cipher_null-ecb",
	"aes:64-cbc-lmk", "capi:", "capi:xts", "capi:xts(", "capi:xts()", "capi:xts(aes", "capi:gcm(aes)-random",
	"aes-hctr2-plain64", "AES-XTS-PLAIN64", "aes-xts-plain64-plain64", "aes-xts-plain64:sha256", "",
};

#define HEADER_CAP 8192u

/* Two bytes of fuzz_luks, then a LUKS2 header in parts. */
static size_t luks2_input(uint8_t out[HEADER_CAP], uint8_t how, uint8_t how2)
{
	memset(out, 0, 2 + FUZZ_PARTS_HEADER);
	out[0] = how | FUZZ_PARTS;
	out[1] = how2;
	out[2 + 23] = 3; /* sequence id */
	memcpy(out + 2 + 24, "label", 5);
	memcpy(out + 2 + 72, "sha256", 6);
	memcpy(out + 2 + 168, "01234567-89ab-cdef-0123-456789abcdef", 36);
	memcpy(out + 2 + 208, "subsystem", 9);
	memcpy(out + 2 + FUZZ_PARTS_HEADER, luks2_json, sizeof(luks2_json) - 1);
	return 2 + FUZZ_PARTS_HEADER + sizeof(luks2_json) - 1;
}

#define LUKS1_HEADER 592u

static size_t luks1_input(uint8_t out[2 + LUKS1_HEADER], uint8_t how, uint8_t how2)
{
	uint8_t *h = out + 2;

	memset(out, 0, 2 + LUKS1_HEADER);
	out[0] = how;
	out[1] = how2;
	memcpy(h, "LUKS\xba\xbe\0\1", 8);
	memcpy(h + 8, "aes", 3);
	memcpy(h + 40, "xts-plain64", 11);
	memcpy(h + 72, "sha256", 6);
	cardea_put_be32(h + 104, 4096);
	cardea_put_be32(h + 108, 64);
	cardea_put_be32(h + 164, 1000);
	memcpy(h + 168, "01234567-89ab-cdef-0123-456789abcdef", 36);
	for (uint32_t i = 0; i < 8; i++) {
		uint8_t *s = h + 208 + 48 * i;

		cardea_put_be32(s, i < 3 ? 0x00ac71f3 : 0x0000dead);
		cardea_put_be32(s + 4, 1000 + i);
		cardea_put_be32(s + 40, 8 + 504 * i);
		cardea_put_be32(s + 44, 4000);
	}
	return 2 + LUKS1_HEADER;
}

/* ---- mutations ------------------------------------------------------------------------------------------------ */

static const uint32_t words[] = {
	0, 1, 7, 8, 15, 16, 31, 32, 48, 63, 64, 65, 511, 512, 4000, 4095, 4096, 65535, 65536, 65537, 0x7fffffff,
	0x80000000, 0xfffffff8, 0xffffffff,
};
static const uint8_t octets[] = { 0, 1, ' ', '-', '0', ':', 'a', 0x7f, 0x80, 0xff };

/* Each byte in turn set to each of `octets`, then each aligned word; all of the bytes from `from` to `to`. */
static void each_field(void (*target)(const uint8_t *, size_t), uint8_t *data, size_t len, size_t from, size_t to,
                       size_t step)
{
	for (size_t at = from; at < to; at += step) {
		uint8_t old = data[at];

		for (size_t i = 0; i < sizeof(octets); i++) {
			data[at] = octets[i];
			run(target, data, len);
		}
		data[at] = old;
	}
	for (size_t at = from; at + 4 <= to; at += 4 * step) {
		uint8_t old[4];

		memcpy(old, data + at, 4);
		for (size_t i = 0; i < CARDEA_ARRAY_LEN(words); i++) {
			cardea_put_be32(data + at, words[i]);
			run(target, data, len);
		}
		memcpy(data + at, old, 4);
	}
}

static void random_bytes(void (*target)(const uint8_t *, size_t), const uint8_t *data, size_t len, unsigned times)
{
	uint8_t *copy = malloc(len + 1);

	for (unsigned n = 0; n < times; n++) {
		unsigned changes = 1 + (unsigned)(fuzz_random(&state) % 4);

		memcpy(copy, data, len);
		for (unsigned i = 0; i < changes; i++)
			copy[fuzz_random(&state) % len] = (uint8_t)fuzz_random(&state);
		run(target, copy, fuzz_random(&state) % 4 == 0 ? (size_t)(fuzz_random(&state) % (len + 1)) : len);
	}
	free(copy);
}

/* ---- points --------------------------------------------------------------------------------------------------- */

static void luks1(void)
{
	uint8_t in[2 + LUKS1_HEADER];
	size_t len;

	for (unsigned how = 0; how < 256; how++) {
		len = luks1_input(in, (uint8_t)(how & 0xfe), (uint8_t)fuzz_random(&state));
		run(fuzz_luks, in, len);
	}
	len = luks1_input(in, 0, 0);
	each_field(fuzz_luks, in, len, 2, len, 1);
	len = luks1_input(in, FUZZ_DETACHED | FUZZ_SIZE(3), FUZZ_SHIFTED);
	each_field(fuzz_luks, in, len, 2 + 104, len, 4);
	len = luks1_input(in, 0, 0);
	for (size_t n = 0; n <= len; n++)
		run(fuzz_luks, in, n);
	random_bytes(fuzz_luks, in, len, 1000);
	point("LUKS1 headers");
}

static void luks2(void)
{
	uint8_t in[HEADER_CAP], copy[HEADER_CAP];
	const size_t head = 2 + FUZZ_PARTS_HEADER;
	size_t len;
	uint32_t n;

	for (unsigned how = 0; how < 256; how++) {
		len = luks2_input(in, (uint8_t)how, (uint8_t)fuzz_random(&state) & 0xf3);
		run(fuzz_luks, in, len);
	}
	point("LUKS2 headers, all arrangements of the two");
	len = luks2_input(in, 0, 0);
	each_field(fuzz_luks, in, len, 2, head, 7);
	point("LUKS2 headers, fields of the binary header");
	n = fuzz_json_values(luks2_json, sizeof(luks2_json) - 1);
	for (uint32_t which = 0; which < n; which++) {
		for (uint32_t with = 0; with < fuzz_n_interesting; with++) {
			size_t got;

			/* All of them would take a minute. */
			if ((which + with) % 3 != 0)
				continue;
			memcpy(copy, in, len);
			got = fuzz_mutate_json((char *)copy + head, len - head, sizeof(copy) - head, which, with);
			run(fuzz_luks, copy, got != 0 ? head + got : len);
		}
	}
	point("LUKS2 headers, one value of the metadata replaced");
	for (unsigned i = 0; i < 1000; i++) {
		size_t got = len;

		memcpy(copy, in, len);
		copy[0] = (uint8_t)fuzz_random(&state) | FUZZ_PARTS;
		copy[1] = (uint8_t)fuzz_random(&state) & 0xf1;
		for (unsigned k = 0; k < 3; k++) {
			size_t next = fuzz_mutate_json((char *)copy + head, got - head, sizeof(copy) - head,
			                               (uint32_t)fuzz_random(&state),
			                               (uint32_t)fuzz_random(&state) % (2 * fuzz_n_interesting));

			got = next != 0 ? head + next : got;
		}
		run(fuzz_luks, copy, got);
	}
	random_bytes(fuzz_luks, in, len, 500);
	point("LUKS2 headers, several values and random bytes");
}

static void json(void)
{
	static const char *const texts[] = { luks2_json, other_json };
	uint8_t in[HEADER_CAP];

	for (unsigned t = 0; t < 2; t++) {
		size_t len = strlen(texts[t]);

		in[0] = 0xff;
		in[1] = 0;
		memcpy(in + 2, texts[t], len);
		for (size_t n = 0; n <= len; n++)
			run(fuzz_json, in, 2 + n);
		for (unsigned max = 0; max < 256; max++) {
			in[0] = (uint8_t)max;
			run(fuzz_json, in, 2 + len);
		}
		each_field(fuzz_json, in, 2 + len, 2, 2 + len, t == 0 ? 7 : 1);
		random_bytes(fuzz_json, in, 2 + len, 4000);
	}
	for (size_t depth = 1; depth <= 40; depth++) {
		memset(in + 2, '[', depth);
		memset(in + 2 + depth, ']', depth);
		run(fuzz_json, in, 2 + 2 * depth);
		run(fuzz_json, in, 2 + 2 * depth - 1);
	}
	for (unsigned i = 0; i < 20000; i++) {
		static const char alphabet[] = "{}[]\",:\\0123-+.eEtrufalsn \n\001u";
		size_t len = fuzz_random(&state) % 24;

		in[0] = (uint8_t)fuzz_random(&state) % 16;
		for (size_t k = 0; k < len; k++)
			in[2 + k] = (uint8_t)alphabet[fuzz_random(&state) % sizeof(alphabet)];
		run(fuzz_json, in, 2 + len);
	}
	point("JSON texts");
}

static void base64(void)
{
	static const char digits[] = "AZaz09+/==Bw-_ \n\377";
	uint8_t in[400];

	for (unsigned i = 0; i < 50000; i++) {
		size_t len = fuzz_random(&state) % (i % 10 == 0 ? 380 : 12);
		bool text = fuzz_random(&state) & 1;

		in[0] = (uint8_t)(i % 3 == 0 ? 255 : fuzz_random(&state) % 70);
		for (size_t k = 0; k < len; k++)
			in[1 + k] = (uint8_t)(text ? (unsigned char)digits[fuzz_random(&state) % (sizeof(digits) - 1)]
			                           : fuzz_random(&state));
		run(fuzz_base64, in, 1 + len);
	}
	point("base64 texts");
}

static void spec(void)
{
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(specs); i++) {
		uint8_t in[128];
		size_t len = strlen(specs[i]);

		memcpy(in + 1, specs[i], len);
		for (unsigned key_len = 0; key_len < 140; key_len++) {
			in[0] = (uint8_t)key_len;
			run(fuzz_spec, in, 1 + len);
		}
		in[0] = i % 2 ? 32 : 64;
		for (size_t n = 0; n <= len; n++)
			run(fuzz_spec, in, 1 + n);
		if (len > 0)
			each_field(fuzz_spec, in, 1 + len, 1, 1 + len, 1);
	}
	point("cipher specifications");
}

static int repeat(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*target)(const uint8_t *, size_t);
	} targets[] = {
		{ "luks", fuzz_luks }, { "json", fuzz_json }, { "base64", fuzz_base64 }, { "spec", fuzz_spec },
	};

	for (size_t t = 0; t < CARDEA_ARRAY_LEN(targets); t++) {
		if (strcmp(argv[1], targets[t].name) != 0)
			continue;
		for (int i = 2; i < argc; i++) {
			static uint8_t data[1 << 20];
			FILE *f = fopen(argv[i], "rb");

			if (f == NULL) {
				perror(argv[i]);
				return 1;
			}
			run(targets[t].target, data, fread(data, 1, sizeof(data), f));
			fclose(f);
		}
		return 0;
	}
	fprintf(stderr, "usage: fuzz_smoke [luks|json|base64|spec FILE...]\n");
	return 1;
}

int main(int argc, char **argv)
{
	fuzz_setup();
	if (argc > 1)
		return repeat(argc, argv);
	luks1();
	luks2();
	json();
	base64();
	spec();
	printf("1..%u\n", points);
	return 0;
}
