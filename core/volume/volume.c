/* SPDX-License-Identifier: MIT */
#include "volume/volume.h"

/* Small enough to stay in the cache between the disk's transfer and decryption, large enough for wide kernels. */
#define CHUNK (256u << 10)

static bool in_range(const struct cardea_volume *v, uint64_t block, size_t count)
{
	return block <= v->block_count && count <= v->block_count - block;
}

/* One chunk's place: on the disk, and for the IV generator. */
static uint64_t disk_block(const struct cardea_volume *v, uint64_t block)
{
	return (v->start + block * v->block_size) / v->disk->block_size;
}

static uint64_t iv_sector(const struct cardea_volume *v, uint64_t block)
{
	return v->iv_offset + block * (v->block_size / 512);
}

enum cardea_err cardea_volume_read(const struct cardea_volume *v, uint64_t block, void *dst, size_t count)
{
	const size_t step = CHUNK / v->block_size, total = count;
	uint8_t *out = dst;

	if (!in_range(v, block, count))
		return CARDEA_ERR_FORMAT;
	while (count > 0) {
		size_t n = cardea_min_size(count, step), len = n * v->block_size;
		enum cardea_err err = v->disk->read(v->disk->ctx, disk_block(v, block), out, len / v->disk->block_size);

		if (err != CARDEA_OK) {
			memset(dst, 0, total * v->block_size);
			return err;
		}
		cardea_crypt_decrypt(&v->crypt, v->platform, out, out, len / v->crypt.sector_len, iv_sector(v, block));
		out += len;
		block += n;
		count -= n;
	}
	return CARDEA_OK;
}

enum cardea_err cardea_volume_write(const struct cardea_volume *v, uint64_t block, const void *src, size_t count)
{
	const size_t step = CHUNK / v->block_size;
	const uint8_t *in = src;
	enum cardea_err err = CARDEA_OK;
	uint8_t *buf;

	if (!in_range(v, block, count))
		return CARDEA_ERR_FORMAT;
	if (count == 0)
		return CARDEA_OK;
	if (v->disk->write == NULL)
		return CARDEA_ERR_IO;
	buf = cardea_pages(v->platform, CHUNK, "writing to a volume");
	if (buf == NULL)
		return CARDEA_ERR_NOMEM;
	while (count > 0 && err == CARDEA_OK) {
		size_t n = cardea_min_size(count, step), len = n * v->block_size;

		cardea_crypt_encrypt(&v->crypt, v->platform, buf, in, len / v->crypt.sector_len, iv_sector(v, block));
		err = v->disk->write(v->disk->ctx, disk_block(v, block), buf, len / v->disk->block_size);
		in += len;
		block += n;
		count -= n;
	}
	cardea_pages_free(v->platform, buf, CHUNK);
	return err;
}

void cardea_volume_close(struct cardea_volume *v)
{
	cardea_wipe(v, sizeof(*v));
}
