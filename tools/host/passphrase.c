/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include "host.h"

void secret_free(struct secret *s)
{
	cardea_pages_free(&host_platform, s->bytes, SECRET_CAP);
	*s = (struct secret){ NULL, 0 };
}

/* Up to cap bytes; -1 with errno on error. */
static ssize_t read_up_to(int fd, uint8_t *out, size_t cap)
{
	size_t n = 0;

	while (n < cap) {
		ssize_t got = read(fd, out + n, cap - n);

		if (got < 0 && errno == EINTR && !host_interrupted)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

/* Skips bytes also where seeking is impossible (a pipe). */
static int skip(int fd, uint64_t n, uint8_t *scratch)
{
	if (lseek(fd, (off_t)n, SEEK_SET) >= 0)
		return 0;
	while (n > 0) {
		ssize_t got = read_up_to(fd, scratch, cardea_min_size((size_t)n, CARDEA_PAGE_SIZE));

		if (got <= 0)
			return (int)got;
		n -= (uint64_t)got;
	}
	return 0;
}

static enum exit_code read_key_file(struct secret *s, const struct options *o)
{
	uint64_t want = o->has_keyfile_size ? o->keyfile_size : SECRET_CAP;
	enum exit_code code = EXIT_IO;
	struct stat st;
	ssize_t n = -1;
	int fd;

	if (o->has_keyfile_size && (want == 0 || want > CARDEA_LUKS_MAX_PASSPHRASE)) {
		complain("--keyfile-size must be from 1 to %u", CARDEA_LUKS_MAX_PASSPHRASE);
		return EXIT_USAGE;
	}
	fd = strcmp(o->key_file, "-") == 0 ? dup(STDIN_FILENO) : open(o->key_file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0) {
		if (host_interrupted)
			code = EXIT_INTERRUPTED;
		else
			complain("key file %s: %s", o->key_file, strerror(errno));
		goto out;
	}
	if (S_ISDIR(st.st_mode)) {
		complain("key file %s: is a directory", o->key_file);
		goto out;
	}
	if (!o->has_keyfile_size && !S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) {
		complain("key file %s is a device: --keyfile-size is needed", o->key_file);
		code = EXIT_USAGE;
		goto out;
	}
	if (o->keyfile_offset != 0 && skip(fd, o->keyfile_offset, s->bytes) != 0) {
		complain("key file %s: %s", o->key_file, strerror(errno));
		goto out;
	}
	n = read_up_to(fd, s->bytes, (size_t)want);
	if (n < 0 && host_interrupted)
		code = EXIT_INTERRUPTED;
	else if (n < 0)
		complain("key file %s: %s", o->key_file, strerror(errno));
	else if (n > (ssize_t)CARDEA_LUKS_MAX_PASSPHRASE)
		complain("key file %s: longer than %u bytes", o->key_file, CARDEA_LUKS_MAX_PASSPHRASE);
	else if (n == 0 || (o->has_keyfile_size && (uint64_t)n != want))
		complain("key file %s: only %zd bytes at offset %llu%s", o->key_file, n,
		         (unsigned long long)o->keyfile_offset, n == 0 ? "" : ", fewer than --keyfile-size");
	else
		code = EXIT_DONE;
	s->len = n > 0 ? (size_t)n : 0;
out:
	if (fd >= 0)
		close(fd);
	return code;
}

/* One line of standard input; the line end does not belong to it.  Byte by byte: what follows is not ours. */
static enum exit_code read_line(struct secret *s, size_t max)
{
	for (;;) {
		uint8_t c;
		ssize_t n = read_up_to(STDIN_FILENO, &c, 1);

		if (n < 0) {
			if (!host_interrupted)
				complain("standard input: %s", strerror(errno));
			return host_interrupted ? EXIT_INTERRUPTED : EXIT_IO;
		}
		if (n == 0 && s->len == 0) {
			complain("standard input ended before a passphrase");
			return EXIT_USAGE;
		}
		if (n == 0 || c == '\n')
			return EXIT_DONE;
		if (s->len == max) {
			complain("the passphrase is longer than %zu bytes", max);
			return EXIT_USAGE;
		}
		s->bytes[s->len++] = c;
	}
}

static enum exit_code read_terminal(struct secret *s, const char *prompt)
{
	struct termios old, hidden;
	enum exit_code code;

	fprintf(stderr, "Passphrase for %s: ", prompt);
	fflush(stderr);
	if (tcgetattr(STDIN_FILENO, &old) != 0) {
		complain("terminal: %s", strerror(errno));
		return EXIT_IO;
	}
	hidden = old;
	hidden.c_lflag &= ~(tcflag_t)ECHO;
	hidden.c_lflag |= ECHONL;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
	code = read_line(s, MAX_TYPED);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
	if (code == EXIT_INTERRUPTED)
		fputc('\n', stderr);
	return code;
}

enum exit_code secret_read(struct secret *s, const struct options *o, const char *prompt)
{
	enum exit_code code;

	*s = (struct secret){ cardea_pages(&host_platform, SECRET_CAP, "the passphrase"), 0 };
	if (s->bytes == NULL)
		return EXIT_NOMEM;
	/* What a typed passphrase needs; a long key file may be more than the limit allows. */
	host_lock(s->bytes, CARDEA_PAGE_SIZE);
	if (o->key_file != NULL)
		code = read_key_file(s, o);
	else if (isatty(STDIN_FILENO))
		code = read_terminal(s, prompt);
	else
		code = read_line(s, CARDEA_LUKS_MAX_PASSPHRASE);
	if (code != EXIT_DONE)
		secret_free(s);
	return code;
}
