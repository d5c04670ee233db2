/* SPDX-License-Identifier: MIT */
/*
 * The smallest embedding of the core: two structs, filled in by hand as a boot loader would, no threads, no clock, a
 * fixed pool of memory.  Opens IMAGE with PASSPHRASE and writes the payload to standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cardea.h"

#define POOL_PAGES 8192u

static _Alignas(4096) uint8_t pool[POOL_PAGES][CARDEA_PAGE_SIZE];
static bool used[POOL_PAGES];

/* First fit. */
static void *pages(void *ctx, size_t count)
{
	size_t run = 0;

	(void)ctx;
	for (size_t i = 0; i < POOL_PAGES; i++) {
		run = used[i] ? 0 : run + 1;
		if (run == count) {
			i -= count - 1;
			memset(&used[i], true, count);
			return memset(pool[i], 0, count * CARDEA_PAGE_SIZE);
		}
	}
	return NULL;
}

static void pages_free(void *ctx, void *p, size_t count)
{
	(void)ctx;
	memset(&used[(size_t)((uint8_t *)p - pool[0]) / CARDEA_PAGE_SIZE], false, count);
}

static unsigned cpus(void *ctx)
{
	(void)ctx;
	return 1;
}

static void run(void *ctx, const struct cardea_job *job, unsigned count)
{
	(void)ctx;
	for (unsigned i = 0; i < count; i++)
		job->fn(job->arg, i);
}

static uint64_t clock_us(void *ctx)
{
	(void)ctx;
	return 0;
}

static void say(void *ctx, enum cardea_log_level level, const char *message)
{
	(void)ctx;
	if (level <= CARDEA_LOG_WARNING)
		fprintf(stderr, "%s\n", message);
}

static enum cardea_err read_blocks(void *ctx, uint64_t block, void *dst, size_t count)
{
	FILE *f = ctx;

	if (fseeko(f, (off_t)(block * 512), SEEK_SET) != 0 || fread(dst, 512, count, f) != count)
		return CARDEA_ERR_IO;
	return CARDEA_OK;
}

int main(int argc, char **argv)
{
	const struct cardea_platform platform = {
		.pages = pages, .pages_free = pages_free, .cpus = cpus, .run = run, .clock_us = clock_us, .log = say,
	};
	struct cardea_disk disk = { .block_size = 512, .read = read_blocks };
	struct cardea_extent where;
	struct cardea_suite suite;
	struct cardea_luks luks;
	struct cardea_volume volume;
	static uint8_t block[CARDEA_MAX_SECTOR];
	size_t pass_len;

	if (argc != 3)
		return 1;
	disk.ctx = fopen(argv[1], "rb");
	if (disk.ctx == NULL || fseeko(disk.ctx, 0, SEEK_END) != 0)
		return 5;
	disk.block_count = (uint64_t)ftello(disk.ctx) / 512;
	where = (struct cardea_extent){ &disk, 0, cardea_disk_size(&disk) };
	for (pass_len = 0; argv[2][pass_len] != '\0';)
		pass_len++;
	if (cardea_suite_init(&suite, &platform, NULL) != CARDEA_OK ||
	    cardea_luks_read(&luks, &suite, &platform, &where, false) != CARDEA_OK ||
	    cardea_luks_unlock(&volume, &suite, &platform, &luks, &where, &where, (const uint8_t *)argv[2], pass_len,
	                       CARDEA_ANY_SLOT, NULL) != CARDEA_OK)
		return 2;
	for (uint64_t i = 0; i < volume.block_count; i++)
		if (cardea_volume_read(&volume, i, block, 1) != CARDEA_OK ||
		    fwrite(block, volume.block_size, 1, stdout) != 1)
			return 5;
	cardea_volume_close(&volume);
	fclose(disk.ctx);
	return 0;
}
