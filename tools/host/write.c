/* SPDX-License-Identifier: MIT */
/* Encrypts a file into an opened volume: how tests and the demo fill volumes, without a device-mapper. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host.h"

#define BUFFER (1u << 20)

static enum exit_code read_input(int fd, const char *path, uint8_t *out, size_t len)
{
	while (len > 0) {
		ssize_t n = read(fd, out, len);

		if (n < 0 && errno == EINTR && !host_interrupted)
			continue;
		if (n <= 0) {
			complain("%s: %s", path, n < 0 ? strerror(errno) : "became shorter while it was read");
			return EXIT_IO;
		}
		out += n;
		len -= (size_t)n;
	}
	return EXIT_DONE;
}

/* Blocks that the input covers only in part keep their other bytes. */
static enum exit_code copy_in(const struct cardea_volume *v, int fd, const char *path, uint64_t offset, uint64_t len)
{
	uint8_t *buf = cardea_pages(&host_platform, BUFFER, "the payload");
	enum exit_code code = buf == NULL ? EXIT_NOMEM : EXIT_DONE;

	while (len > 0 && code == EXIT_DONE) {
		uint64_t block = offset / v->block_size;
		size_t skip = (size_t)(offset % v->block_size);
		size_t n = len < BUFFER - skip ? (size_t)len : BUFFER - skip;
		size_t count = (skip + n + v->block_size - 1) / v->block_size;
		bool partial = (skip + n) % v->block_size != 0 || skip != 0;

		if (partial)
			code = exit_code_of(cardea_volume_read(v, block, buf, count));
		if (code == EXIT_DONE)
			code = read_input(fd, path, buf + skip, n);
		if (code == EXIT_DONE)
			code = host_interrupted ? EXIT_INTERRUPTED :
			                          exit_code_of(cardea_volume_write(v, block, buf, count));
		offset += n;
		len -= n;
	}
	cardea_pages_free(&host_platform, buf, BUFFER);
	return code;
}

enum exit_code cmd_write(const struct options *o)
{
	struct session s = { .slot = 0 };
	enum exit_code code = EXIT_DONE;
	struct stat st = { .st_size = 0 };
	uint64_t size;
	int fd = open(o->input, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		complain("%s: %s", o->input, fd < 0 ? strerror(errno) : "not a regular file");
		code = EXIT_IO;
	}
	if (code == EXIT_DONE)
		code = session_read(&s, o, true);
	if (code == EXIT_DONE)
		code = session_unlock(&s, o);
	if (code == EXIT_DONE) {
		size = s.volume.block_count * s.volume.block_size;
		if (o->write_at > size || (uint64_t)st.st_size > size - o->write_at) {
			complain("%s: %s (%llu bytes) does not fit into the volume of %llu bytes at byte %llu; nothing was written",
			         s.data.subject, o->input, (unsigned long long)st.st_size, (unsigned long long)size,
			         (unsigned long long)o->write_at);
			code = EXIT_USAGE;
		} else {
			code = copy_in(&s.volume, fd, o->input, o->write_at, (uint64_t)st.st_size);
		}
	}
	if (code == EXIT_DONE && fsync(s.img.fd) != 0) {
		complain("%s: %s", o->image, strerror(errno));
		code = EXIT_IO;
	}
	session_close(&s);
	if (fd >= 0)
		close(fd);
	return code;
}
