/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host.h"

#define BUFFER (1u << 20)

/*
 * Where the payload goes.  A new regular file is written under a name of its own and renamed when it is complete,
 * so that no partial file is ever left under the final name.
 */
struct sink {
	const char *name;
	char *partial; /* NULL: written directly */
	int fd;
};

static enum exit_code sink_open(struct sink *k, const char *path)
{
	struct stat st;

	*k = (struct sink){ path, NULL, -1 };
	if (path == NULL) {
		k->name = "standard output";
		k->fd = STDOUT_FILENO;
		if (!isatty(STDOUT_FILENO))
			return EXIT_DONE;
		complain("not writing the payload to a terminal; use --output FILE or redirect standard output");
		return EXIT_USAGE;
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		k->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		size_t cap = strlen(path) + sizeof(".XXXXXX");

		k->partial = malloc(cap);
		if (k->partial == NULL)
			return EXIT_NOMEM;
		snprintf(k->partial, cap, "%s.XXXXXX", path);
		/* mkstemp: mode 0600, since what was encrypted should not become readable to all. */
		k->fd = mkstemp(k->partial);
	}
	if (k->fd >= 0)
		return EXIT_DONE;
	complain("%s: %s", path, strerror(errno));
	free(k->partial);
	k->partial = NULL;
	return EXIT_IO;
}

static enum exit_code sink_write(struct sink *k, const uint8_t *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(k->fd, data, len);

		if (n < 0 && errno == EINTR && !host_interrupted)
			continue;
		if (n < 0) {
			complain("writing to %s: %s", k->name, strerror(errno));
			return EXIT_IO;
		}
		data += n;
		len -= (size_t)n;
	}
	return EXIT_DONE;
}

static enum exit_code sink_close(struct sink *k, enum exit_code code)
{
	if (k->fd < 0)
		return code;
	if (k->partial == NULL) {
		if (k->fd != STDOUT_FILENO && close(k->fd) != 0 && code == EXIT_DONE)
			goto failed;
		return code;
	}
	if (code == EXIT_DONE && (fsync(k->fd) != 0 || rename(k->partial, k->name) != 0))
		goto failed;
	close(k->fd);
	goto out;
failed:
	complain("writing to %s: %s", k->name, strerror(errno));
	code = EXIT_IO;
out:
	if (k->partial != NULL && code != EXIT_DONE)
		unlink(k->partial);
	free(k->partial);
	return code;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return a != NULL && stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Bytes [offset, offset + len) of the volume, whatever its block size. */
static enum exit_code copy_out(const struct cardea_volume *v, struct sink *k, uint64_t offset, uint64_t len)
{
	uint8_t *buf = cardea_pages(&host_platform, BUFFER, "the payload");
	enum exit_code code = buf == NULL ? EXIT_NOMEM : EXIT_DONE;

	while (len > 0 && code == EXIT_DONE) {
		uint64_t block = offset / v->block_size;
		size_t skip = (size_t)(offset % v->block_size);
		size_t n = len < BUFFER - skip ? (size_t)len : BUFFER - skip;
		size_t count = (skip + n + v->block_size - 1) / v->block_size;

		code = host_interrupted ? EXIT_INTERRUPTED : exit_code_of(cardea_volume_read(v, block, buf, count));
		if (code == EXIT_DONE)
			code = sink_write(k, buf + skip, n);
		offset += n;
		len -= n;
	}
	cardea_pages_free(&host_platform, buf, BUFFER);
	return code;
}

enum exit_code cmd_unlock(const struct options *o)
{
	struct session s;
	struct sink sink = { NULL, NULL, -1 };
	enum exit_code code = session_read(&s, o, false);
	uint64_t size, offset = 0;

	if (code == EXIT_DONE && o->output != NULL &&
	    (same_file(o->image, o->output) || same_file(o->header, o->output) || same_file(o->key_file, o->output))) {
		complain("--output %s would overwrite what is read", o->output);
		code = EXIT_USAGE;
	}
	/* What is wrong with the output is said before the passphrase is asked for. */
	if (code == EXIT_DONE)
		code = sink_open(&sink, o->output);
	if (code == EXIT_DONE)
		code = session_unlock(&s, o);
	if (code == EXIT_DONE) {
		size = s.volume.block_count * s.volume.block_size;
		if (o->has_range) {
			if (o->range_offset > size || o->range_len > size - o->range_offset) {
				complain("%s: the range is not inside the volume of %llu bytes", s.data.subject,
				         (unsigned long long)size);
				code = EXIT_USAGE;
			}
			offset = o->range_offset;
			size = o->range_len;
		}
		if (code == EXIT_DONE)
			code = copy_out(&s.volume, &sink, offset, size);
	}
	code = sink_close(&sink, code);
	session_close(&s);
	return code;
}
