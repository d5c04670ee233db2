/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include "base/platform.h"

void cardea_log(const struct cardea_platform *p, enum cardea_log_level level, const char *fmt, ...)
{
	char line[256];
	va_list args;

	if (p->log == NULL)
		return;
	va_start(args, fmt);
	cardea_vformat(line, sizeof(line), fmt, args);
	va_end(args);
	p->log(p->ctx, level, line);
}

static size_t page_count(size_t len)
{
	return len / CARDEA_PAGE_SIZE + (len % CARDEA_PAGE_SIZE != 0);
}

void *cardea_pages(const struct cardea_platform *p, size_t len, const char *what)
{
	void *pages = p->pages(p->ctx, page_count(len));

	if (pages == NULL)
		cardea_log(p, CARDEA_LOG_ERROR, "out of memory: %s needs %zu KiB", what, page_count(len) * 4);
	return pages;
}

void cardea_pages_free(const struct cardea_platform *p, void *pages, size_t len)
{
	if (pages == NULL)
		return;
	cardea_wipe(pages, len);
	p->pages_free(p->ctx, pages, page_count(len));
}

uint64_t cardea_disk_size(const struct cardea_disk *d)
{
	return d->block_size * d->block_count;
}

enum cardea_err cardea_disk_read_bytes(const struct cardea_disk *d, uint64_t offset, void *dst, size_t len)
{
	struct cardea_bytes4k bounce CARDEA_SECRET(bytes4k);
	uint8_t *out = dst;
	uint64_t end;

	if (d->block_size > sizeof(bounce) || cardea_add_overflows(offset, len, &end) || end > cardea_disk_size(d)) {
		memset(dst, 0, len);
		return CARDEA_ERR_FORMAT;
	}
	for (size_t done = 0; done < len;) {
		uint64_t block = (offset + done) / d->block_size;
		size_t skip = (size_t)((offset + done) % d->block_size), n;
		enum cardea_err err;

		if (skip == 0 && len - done >= d->block_size) {
			n = (len - done) / d->block_size * d->block_size;
			err = d->read(d->ctx, block, out + done, n / d->block_size);
		} else {
			n = cardea_min_size(d->block_size - skip, len - done);
			err = d->read(d->ctx, block, bounce.b, 1);
			memcpy(out + done, bounce.b + skip, n);
		}
		if (err != CARDEA_OK) {
			memset(dst, 0, len);
			return err;
		}
		done += n;
	}
	return CARDEA_OK;
}
