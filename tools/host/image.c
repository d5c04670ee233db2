/* SPDX-License-Identifier: MIT */
/* An image file or block device as a disk, and the partitions in it (libblkid reads the tables). */
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host.h"

static enum cardea_err disk_read(void *ctx, uint64_t block, void *dst, size_t count)
{
	struct image *img = ctx;
	size_t len = count * img->disk.block_size, done = 0;

	while (done < len) {
		ssize_t n = pread(img->fd, (uint8_t *)dst + done, len - done,
		                  (off_t)(block * img->disk.block_size + done));

		if (n < 0 && errno == EINTR && !host_interrupted)
			continue;
		if (n <= 0) {
			complain("%s: reading at byte %llu: %s", img->path,
			         (unsigned long long)(block * img->disk.block_size + done),
			         n < 0 ? strerror(errno) : "unexpected end");
			return CARDEA_ERR_IO;
		}
		done += (size_t)n;
	}
	return CARDEA_OK;
}

static enum cardea_err disk_write(void *ctx, uint64_t block, const void *src, size_t count)
{
	struct image *img = ctx;
	size_t len = count * img->disk.block_size, done = 0;

	while (done < len) {
		ssize_t n = pwrite(img->fd, (const uint8_t *)src + done, len - done,
		                   (off_t)(block * img->disk.block_size + done));

		if (n < 0 && errno == EINTR && !host_interrupted)
			continue;
		if (n <= 0) {
			complain("%s: writing at byte %llu: %s", img->path,
			         (unsigned long long)(block * img->disk.block_size + done), strerror(errno));
			return CARDEA_ERR_IO;
		}
		done += (size_t)n;
	}
	return CARDEA_OK;
}

enum exit_code image_open(struct image *img, const char *path, bool writable)
{
	struct stat st;
	off_t size;

	*img = (struct image){ .path = path, .writable = writable };
	/* O_NONBLOCK: a FIFO is not waited for, it is refused below. */
	img->fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
	if (img->fd < 0) {
		complain("%s: %s", path, strerror(errno));
		return EXIT_IO;
	}
	if (fstat(img->fd, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
		complain("%s: neither a file nor a block device", path);
		image_close(img);
		return EXIT_IO;
	}
	size = lseek(img->fd, 0, SEEK_END);
	if (size < 0) {
		complain("%s: %s", path, strerror(errno));
		image_close(img);
		return EXIT_IO;
	}
	img->disk = (struct cardea_disk){
		.ctx = img,
		.block_size = 512,
		.block_count = (uint64_t)size / 512,
		.read = disk_read,
		.write = writable ? disk_write : NULL,
	};
	return EXIT_DONE;
}

void image_close(struct image *img)
{
	if (img->fd >= 0 && img->path != NULL)
		close(img->fd);
	img->path = NULL;
}

static void whole(struct image *img, uint64_t offset, struct container *out)
{
	uint64_t size = cardea_disk_size(&img->disk);

	memset(out, 0, sizeof(*out));
	out->where = (struct cardea_extent){ &img->disk, offset, size - offset };
	if (offset == 0)
		snprintf(out->subject, sizeof(out->subject), "%s", img->path);
	else
		snprintf(out->subject, sizeof(out->subject), "%s, at byte %llu", img->path, (unsigned long long)offset);
}

/* Partitions as a table of sectors of this size describes them. */
static unsigned partitions(struct image *img, unsigned sector_size, struct container *out, unsigned max)
{
	blkid_probe pr = blkid_new_probe();
	blkid_partlist list = NULL;
	unsigned n = 0;

	if (pr == NULL)
		return 0;
	if (blkid_probe_set_device(pr, img->fd, 0, 0) == 0 && blkid_probe_set_sectorsize(pr, sector_size) == 0 &&
	    blkid_probe_enable_partitions(pr, 1) == 0)
		list = blkid_probe_get_partitions(pr);
	for (int i = 0; list != NULL && i < blkid_partlist_numof_partitions(list) && n < max; i++) {
		blkid_partition part = blkid_partlist_get_partition(list, i);
		uint64_t size = cardea_disk_size(&img->disk);
		uint64_t start = (uint64_t)blkid_partition_get_start(part) * 512;
		uint64_t len = (uint64_t)blkid_partition_get_size(part) * 512;
		const char *uuid = blkid_partition_get_uuid(part);
		struct container *c = &out[n];

		if (blkid_partition_is_extended(part) || start >= size)
			continue;
		memset(c, 0, sizeof(*c));
		/* A partition that the image is too short for ends where the image does; the header reader will say so. */
		c->where = (struct cardea_extent){ &img->disk, start, len < size - start ? len : size - start };
		c->partition = (unsigned)blkid_partition_get_partno(part);
		snprintf(c->partuuid, sizeof(c->partuuid), "%s", uuid != NULL ? uuid : "");
		snprintf(c->subject, sizeof(c->subject), "%.200s, partition %u", img->path, c->partition);
		n++;
	}
	blkid_free_probe(pr);
	return n;
}

static unsigned all_partitions(struct image *img, struct container *out, unsigned max)
{
	unsigned n = partitions(img, 512, out, max);

	/* A protective MBR alone is what a table of 4096-byte sectors looks like at 512. */
	if (n == 0 || (n == 1 && out[0].where.start == 512)) {
		unsigned n4k = partitions(img, 4096, out, max);

		n = n4k != 0 ? n4k : n;
	}
	return n;
}

static enum exit_code look_for_luks(struct container *c)
{
	unsigned version;
	enum cardea_err err = cardea_luks_probe(&c->where, true, &version);

	c->has_luks = version != 0;
	return exit_code_of(err);
}

enum exit_code image_containers(struct image *img, struct container *out, unsigned max, unsigned *n)
{
	enum exit_code code;

	*n = 1;
	whole(img, 0, &out[0]);
	code = look_for_luks(&out[0]);
	if (code != EXIT_DONE || out[0].has_luks)
		return code;
	*n = all_partitions(img, out, max);
	for (unsigned i = 0; i < *n && code == EXIT_DONE; i++)
		code = look_for_luks(&out[i]);
	if (*n == 0) {
		whole(img, 0, &out[0]);
		*n = 1;
	}
	return code;
}

static bool has_uuid(const struct container *c, const struct cardea_suite *suite, const char *uuid)
{
	struct cardea_luks luks;

	host_log_quiet(true);
	/* The UUID is known also of a volume that cannot be opened: opening it will say why. */
	(void)!cardea_luks_read(&luks, suite, &host_platform, &c->where, true);
	host_log_quiet(false);
	return strcasecmp(luks.uuid, uuid) == 0;
}

enum exit_code image_select(struct image *img, const struct options *o, const struct cardea_suite *suite,
                            bool need_luks, struct container *out)
{
	static struct container list[MAX_CONTAINERS];
	unsigned n, found = 0, at = 0;
	enum exit_code code;

	if (o->has_volume_offset) {
		if (o->volume_offset % 512 != 0 || o->volume_offset >= cardea_disk_size(&img->disk)) {
			complain("%s: offset %llu is not a multiple of 512 inside the image", img->path,
			         (unsigned long long)o->volume_offset);
			return EXIT_USAGE;
		}
		whole(img, o->volume_offset, out);
		return EXIT_DONE;
	}
	if (o->has_partition) {
		n = all_partitions(img, list, MAX_CONTAINERS);
		for (unsigned i = 0; i < n; i++) {
			if (list[i].partition == o->partition) {
				*out = list[i];
				return EXIT_DONE;
			}
		}
		complain("%s: no partition %u%s", img->path, o->partition, n == 0 ? " (no partition table)" : "");
		return EXIT_USAGE;
	}
	if (!need_luks) {
		whole(img, 0, out);
		return EXIT_DONE;
	}
	code = image_containers(img, list, MAX_CONTAINERS, &n);
	if (code != EXIT_DONE)
		return code;
	for (unsigned i = 0; i < n; i++) {
		if (o->uuid != NULL ? has_uuid(&list[i], suite, o->uuid) : n == 1 || list[i].has_luks) {
			found++;
			at = i;
		}
	}
	if (found == 1) {
		*out = list[at];
		return EXIT_DONE;
	}
	if (o->uuid != NULL) {
		complain("%s: %s volume with UUID %s", img->path, found == 0 ? "no LUKS" : "more than one LUKS", o->uuid);
		return EXIT_USAGE;
	}
	if (found == 0) {
		complain("%s: no LUKS volume in any of its %u partitions", img->path, n);
		return EXIT_DAMAGED;
	}
	complain("%s: several LUKS volumes; choose one with --partition or --uuid:", img->path);
	for (unsigned i = 0; i < n; i++)
		if (list[i].has_luks)
			fprintf(stderr, "  --partition %u\n", list[i].partition);
	return EXIT_USAGE;
}
