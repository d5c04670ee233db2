/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"

enum option_id {
	OPT_HEADER = 256, OPT_KEY_FILE, OPT_KEYFILE_OFFSET, OPT_KEYFILE_SIZE, OPT_KEY_SLOT, OPT_PARTITION, OPT_UUID,
	OPT_OFFSET_BYTES, OPT_VOLUME_OFFSET, OPT_OUTPUT, OPT_INPUT, OPT_RANGE, OPT_JSON, OPT_CPU, OPT_HELP, OPT_VERSION,
};

static const struct option long_options[] = {
	{ "header", required_argument, NULL, OPT_HEADER },
	{ "key-file", required_argument, NULL, OPT_KEY_FILE },
	{ "keyfile-offset", required_argument, NULL, OPT_KEYFILE_OFFSET },
	{ "keyfile-size", required_argument, NULL, OPT_KEYFILE_SIZE },
	{ "key-slot", required_argument, NULL, OPT_KEY_SLOT },
	{ "partition", required_argument, NULL, OPT_PARTITION },
	{ "uuid", required_argument, NULL, OPT_UUID },
	{ "offset-bytes", required_argument, NULL, OPT_OFFSET_BYTES },
	{ "volume-offset", required_argument, NULL, OPT_VOLUME_OFFSET },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "input", required_argument, NULL, OPT_INPUT },
	{ "range", required_argument, NULL, OPT_RANGE },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "cpu", no_argument, NULL, OPT_CPU },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

#define BIT(id) (1u << ((id) - OPT_HEADER))
#define SELECT (BIT(OPT_HEADER) | BIT(OPT_PARTITION) | BIT(OPT_UUID) | BIT(OPT_OFFSET_BYTES) | BIT(OPT_VOLUME_OFFSET))
#define SECRET (BIT(OPT_KEY_FILE) | BIT(OPT_KEYFILE_OFFSET) | BIT(OPT_KEYFILE_SIZE) | BIT(OPT_KEY_SLOT))

#define HELP_SELECT                                                                                     \
	"  --header FILE          the LUKS header is in FILE, IMAGE holds only the data\n"              \
	"  --partition N          the volume is partition N of IMAGE\n"                                 \
	"  --uuid UUID            the volume with this LUKS UUID\n"
#define HELP_OFFSET                                                                                     \
	"  --offset-bytes N       the volume begins N bytes into IMAGE\n"
#define HELP_SECRET                                                                                     \
	"  --key-file FILE        the key is the content of FILE, all of it; -: standard input\n"                          \
	"  --keyfile-offset N     ... from byte N on\n"                                                 \
	"  --keyfile-size N       ... N bytes\n"                                                        \
	"  --key-slot N           try key slot N only, whatever its priority\n"                         \
	"Without --key-file the passphrase is read from the terminal, without echo, or as one\n"        \
	"line from standard input when that is no terminal.\n"

static const struct command {
	const char *name;
	enum exit_code (*run)(const struct options *o);
	unsigned options;
	bool image;
	const char *help;
} commands[] = {
	{ "info", cmd_info, SELECT | BIT(OPT_JSON) | BIT(OPT_CPU), true,
	  "Usage: cardea info IMAGE [OPTION]...\n"
	  "       cardea info --cpu\n"
	  "Describes the LUKS volumes in IMAGE, a file or block device.\n\n" HELP_SELECT HELP_OFFSET
	  "  --json                 as JSON\n"
	  "  --cpu                  which implementations this CPU gets, and why not others;\n"
	  "                         CARDEA_CPU=-FEATURE,PRIMITIVE=NAME,... in the environment\n"
	  "                         takes features away or names implementations\n" },
	{ "unlock", cmd_unlock, SELECT | SECRET | BIT(OPT_OUTPUT) | BIT(OPT_RANGE), true,
	  "Usage: cardea unlock IMAGE [OPTION]...\n"
	  "Opens a LUKS volume and writes what is in it, decrypted, to standard output or a file.\n\n"
	  HELP_SELECT HELP_OFFSET
	  "  --output FILE          write to FILE, which appears only when it is complete\n"
	  "  --range OFFSET:LENGTH  only these bytes of the volume\n" HELP_SECRET },
	{ "write", cmd_write, SELECT | SECRET | BIT(OPT_INPUT), true,
	  "Usage: cardea write IMAGE --input FILE [OPTION]...\n"
	  "Opens a LUKS volume and writes FILE into it, encrypted.\n\n"
	  "  --input FILE           what to write\n"
	  "  --offset-bytes N       where in the opened volume, default 0\n" HELP_SELECT
	  "  --volume-offset N      the volume begins N bytes into IMAGE\n" HELP_SECRET },
	{ "check", cmd_check, SELECT, true,
	  "Usage: cardea check IMAGE [OPTION]...\n"
	  "Says whether Cardea can open the volume at boot, with which key slots, about how long\n"
	  "that takes on this machine and how much memory it needs.  Asks for no secret.\n\n" HELP_SELECT HELP_OFFSET },
	{ "selftest", cmd_selftest, 0, false,
	  "Usage: cardea selftest\n"
	  "Runs the core's tests on this machine and prints their results as TAP.\n" },
};

static const char main_help[] =
	"Usage: cardea COMMAND ...\n"
	"Opens LUKS1 and LUKS2 volumes without kernel support.\n\n"
	"  cardea info IMAGE          describe the volumes in an image or block device\n"
	"  cardea check IMAGE         can it be opened at boot, how long, how much memory\n"
	"  cardea unlock IMAGE        decrypt to standard output or a file\n"
	"  cardea write IMAGE         encrypt a file into a volume\n"
	"  cardea selftest            test this program on this machine\n"
	"  cardea --version\n\n"
	"`cardea COMMAND --help` lists a command's options.  Numbers may end in K, M or G (powers\n"
	"of 1024).\n\n"
	"Exit codes: 0 done, 1 usage, 2 no key slot opens, 3 not supported, 4 damaged, 5 I/O\n"
	"error, 6 out of memory, 7 self-test failed, 130 interrupted.\n";

/* A number with an optional K, M or G; false when it is not all of the text or does not fit. */
static bool number(const char *text, const char *end, uint64_t *out)
{
	uint64_t v = 0, unit = 1;

	if (text == end || *text < '0' || *text > '9')
		return false;
	for (; text < end && *text >= '0' && *text <= '9'; text++)
		if (cardea_mul_overflows(v, 10, &v) || cardea_add_overflows(v, (uint64_t)(*text - '0'), &v))
			return false;
	if (text + 1 == end) {
		unit = *text == 'K' ? 1u << 10 : *text == 'M' ? 1u << 20 : *text == 'G' ? 1u << 30 : 0;
		text++;
	}
	*out = v;
	return text == end && unit != 0 && !cardea_mul_overflows(v, unit, out);
}

static bool option_number(const char *name, const char *text, uint64_t max, uint64_t *out)
{
	if (number(text, text + strlen(text), out) && *out <= max)
		return true;
	complain("--%s: not a number from 0 to %llu: %s", name, (unsigned long long)max, text);
	return false;
}

static bool range(const char *text, struct options *o)
{
	const char *colon = strchr(text, ':');

	o->has_range = true;
	if (colon != NULL && number(text, colon, &o->range_offset) &&
	    number(colon + 1, text + strlen(text), &o->range_len))
		return true;
	complain("--range: OFFSET:LENGTH expected: %s", text);
	return false;
}

static bool set_option(struct options *o, const struct command *c, int id, const char *name, const char *arg)
{
	const uint64_t max = INT64_MAX;
	uint64_t v = 0;
	bool ok = true;

	switch (id) {
	case OPT_HEADER:
		o->header = arg;
		break;
	case OPT_KEY_FILE:
		o->key_file = arg;
		break;
	case OPT_KEYFILE_OFFSET:
		o->has_keyfile_offset = true;
		ok = option_number(name, arg, max, &o->keyfile_offset);
		break;
	case OPT_KEYFILE_SIZE:
		o->has_keyfile_size = true;
		ok = option_number(name, arg, max, &o->keyfile_size);
		break;
	case OPT_KEY_SLOT:
		ok = option_number(name, arg, CARDEA_LUKS_MAX_SLOTS - 1, &v);
		o->key_slot = (uint32_t)v;
		break;
	case OPT_PARTITION:
		ok = option_number(name, arg, UINT32_MAX, &v);
		o->has_partition = true;
		o->partition = (uint32_t)v;
		break;
	case OPT_UUID:
		o->uuid = arg;
		break;
	case OPT_OFFSET_BYTES:
		/* In `write` the place inside the opened volume. */
		if (c->run == cmd_write)
			return option_number(name, arg, max, &o->write_at);
		/* fallthrough */
	case OPT_VOLUME_OFFSET:
		o->has_volume_offset = true;
		ok = option_number(name, arg, max, &o->volume_offset);
		break;
	case OPT_OUTPUT:
		o->output = arg;
		break;
	case OPT_INPUT:
		o->input = arg;
		break;
	case OPT_RANGE:
		ok = range(arg, o);
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_CPU:
		o->cpu = true;
		break;
	default:
		break;
	}
	return ok;
}

static enum exit_code usage(const struct command *c)
{
	fprintf(stderr, "Try `cardea %s%s--help`.\n", c != NULL ? c->name : "", c != NULL ? " " : "");
	return EXIT_USAGE;
}

static enum exit_code check_options(const struct options *o, const struct command *c)
{
	if (c->image && o->image == NULL && !o->cpu)
		complain("which image?");
	else if (o->has_partition + o->has_volume_offset + (o->uuid != NULL) > 1)
		complain("--partition, --uuid and the volume's offset exclude each other");
	else if (o->uuid != NULL && o->header != NULL)
		complain("--uuid searches headers in the image; with --header the header is elsewhere");
	else if (o->key_file == NULL && (o->has_keyfile_offset || o->has_keyfile_size))
		complain("--keyfile-offset and --keyfile-size need --key-file");
	else if (o->output != NULL && o->output[0] == '\0')
		complain("--output: an empty name");
	else if (c->run == cmd_write && o->input == NULL)
		complain("which file is to be written?  --input FILE");
	else
		return EXIT_DONE;
	return usage(c);
}

static enum exit_code run(const struct command *c, int argc, char **argv)
{
	struct options o = { .key_slot = CARDEA_ANY_SLOT };
	int id, index = 0;

	while ((id = getopt_long(argc, argv, "", long_options, &index)) != -1) {
		if (id == '?')
			return usage(c);
		if (id == OPT_HELP) {
			fputs(c->help, stdout);
			return EXIT_DONE;
		}
		if (id == OPT_VERSION || (c->options & BIT(id)) == 0) {
			complain("%s has no option --%s", c->name, long_options[index].name);
			return usage(c);
		}
		if (!set_option(&o, c, id, long_options[index].name, optarg))
			return usage(c);
	}
	if (c->image && optind < argc)
		o.image = argv[optind++];
	if (optind < argc) {
		complain("unexpected argument: %s", argv[optind]);
		return usage(c);
	}
	if (check_options(&o, c) != EXIT_DONE)
		return EXIT_USAGE;
	return c->run(&o);
}

static enum exit_code dispatch(int argc, char **argv)
{
	if (argc < 2) {
		fputs(main_help, stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		fputs(main_help, stdout);
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("cardea %s\n", CARDEA_VERSION);
		return EXIT_DONE;
	}
	for (size_t i = 0; i < CARDEA_ARRAY_LEN(commands); i++) {
		if (strcmp(argv[1], commands[i].name) == 0) {
			static char name[32];

			/* getopt's own messages then read "cardea unlock: ...". */
			snprintf(name, sizeof(name), "cardea %s", commands[i].name);
			argv[1] = name;
			return run(&commands[i], argc - 1, argv + 1);
		}
	}
	complain("no such command: %s", argv[1]);
	return usage(NULL);
}

int main(int argc, char **argv)
{
	enum exit_code code;

	host_setup();
	code = dispatch(argc, argv);
	if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
		complain("writing to standard output: %s", strerror(errno));
		code = EXIT_IO;
	}
	return (int)code;
}
