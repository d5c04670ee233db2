/* SPDX-License-Identifier: MIT */
/*
 * blocktest.efi: started from an opened volume, checks the block device that Cardea published against the UEFI
 * specification (EFI_BLOCK_IO_PROTOCOL), as TAP.  What it writes it puts back.
 */
#include "lib/path.h"
#include "lib/status.h"
#include "lib/text.h"

static unsigned n_tests, n_failed;

static void ok(bool good, const char *what)
{
	n_tests++;
	n_failed += !good;
	efi_say("%s %u - %s\n", good ? "ok" : "not ok", n_tests, what);
}

static void is(EFI_STATUS got, EFI_STATUS want, const char *what)
{
	ok(got == want, what);
	if (got != want)
		efi_say("# got %s, wanted %s\n", efi_status_text(got), efi_status_text(want));
}

/* The disk below our file system: the vendor node of Cardea's alone, or the whole of the path's first node. */
static EFI_BLOCK_IO *find_disk(EFI_HANDLE fs)
{
	const EFI_DEVICE_PATH *path = efi_path_of(fs);
	EFI_BLOCK_IO *found = NULL;
	EFI_HANDLE *handles;
	size_t n = efi_handles(&efi_guid_block_io, &handles), best = SIZE_MAX;

	for (size_t i = 0; i < n && path != NULL; i++) {
		const EFI_DEVICE_PATH *p = efi_path_of(handles[i]);

		if (p != NULL && efi_path_len(p) > 0 && efi_path_starts_with(path, p) && efi_path_len(p) < best) {
			best = efi_path_len(p);
			found = efi_protocol(handles[i], &efi_guid_block_io);
		}
	}
	efi_free(handles);
	return found;
}

static bool same(const uint8_t *a, const uint8_t *b, size_t len) { return memcmp(a, b, len) == 0; }

static void check_reads(EFI_BLOCK_IO *io, uint8_t *a, uint8_t *b, size_t len)
{
	const EFI_BLOCK_IO_MEDIA *m = io->Media;
	const uint32_t id = m->MediaId, size = m->BlockSize;
	bool equal = true;

	is(io->ReadBlocks(io, id, 0, size, a), EFI_SUCCESS, "reads the first block");
	is(io->ReadBlocks(io, id, m->LastBlock, size, b), EFI_SUCCESS, "reads the last block");
	is(io->ReadBlocks(io, id, m->LastBlock + 1, size, b), EFI_INVALID_PARAMETER, "not the one after it");
	is(io->ReadBlocks(io, id, m->LastBlock, 2 * size, b), EFI_INVALID_PARAMETER, "nor over the end");
	is(io->ReadBlocks(io, id, UINT64_MAX, size, b), EFI_INVALID_PARAMETER, "nor at 2^64 - 1");
	is(io->ReadBlocks(io, id, UINT64_MAX / size + 2, size, b), EFI_INVALID_PARAMETER, "nor where bytes overflow");
	is(io->ReadBlocks(io, id + 1, 0, size, b), EFI_MEDIA_CHANGED, "another medium's id");
	is(io->ReadBlocks(io, id, 0, size - 1, b), EFI_BAD_BUFFER_SIZE, "less than a block");
	is(io->ReadBlocks(io, id, 0, size + 1, b), EFI_BAD_BUFFER_SIZE, "more than a block");
	is(io->ReadBlocks(io, id, 0, size, NULL), EFI_INVALID_PARAMETER, "no buffer");
	is(io->ReadBlocks(io, id, 0, 0, b), EFI_SUCCESS, "no bytes");
	is(io->ReadBlocks(io, id, 0, len, a), EFI_SUCCESS, "a large read");
	for (uint64_t i = 0; i < len / size; i++) {
		/* An odd address: IoAlign says that any will do. */
		if (EFI_ERROR(io->ReadBlocks(io, id, i, size, b + 1)))
			equal = false;
		else
			equal = equal && same(a + i * size, b + 1, size);
	}
	ok(equal, "block by block, unaligned, is the same");
	memset(b, 0xee, size + 16);
	io->ReadBlocks(io, id, 0, size, b);
	ok(b[size] == 0xee && b[size + 15] == 0xee, "nothing behind the buffer is touched");
}

static void check_writes(EFI_BLOCK_IO *io, uint8_t *a, uint8_t *b, size_t len)
{
	const EFI_BLOCK_IO_MEDIA *m = io->Media;
	const uint32_t id = m->MediaId, size = m->BlockSize;
	/* Blocks at the end of the volume, which a file system that is not full does not use. */
	const uint64_t at = m->LastBlock + 1 - len / size;
	uint8_t *old = efi_alloc(len);
	bool written = true;

	if (m->ReadOnly) {
		is(io->WriteBlocks(io, id, 0, size, a), EFI_WRITE_PROTECTED, "a read-only medium is not written");
		efi_free(old);
		return;
	}
	if (old == NULL || EFI_ERROR(io->ReadBlocks(io, id, at, len, old))) {
		ok(false, "memory, and the old content");
		efi_free(old);
		return;
	}
	for (size_t i = 0; i < len; i++)
		a[i] = (uint8_t)(i * 7 + i / size);
	is(io->WriteBlocks(io, id, at, len, a), EFI_SUCCESS, "a large write");
	is(io->FlushBlocks(io), EFI_SUCCESS, "flushes");
	is(io->ReadBlocks(io, id, at, len, b), EFI_SUCCESS, "is read back");
	ok(same(a, b, len), "and is what was written");
	for (uint64_t i = 0; i < len / size; i += 3) {
		memmove(b + 3, a + i * size, size);
		b[3] ^= 0xff;
		a[i * size] ^= 0xff;
		written = written && !EFI_ERROR(io->WriteBlocks(io, id, at + i, size, b + 3));
	}
	io->ReadBlocks(io, id, at, len, b);
	ok(written && same(a, b, len), "single blocks from unaligned buffers");
	is(io->WriteBlocks(io, id, m->LastBlock + 1, size, a), EFI_INVALID_PARAMETER, "not after the end");
	is(io->WriteBlocks(io, id, m->LastBlock, 2 * size, a), EFI_INVALID_PARAMETER, "nor over it");
	is(io->WriteBlocks(io, id + 1, at, size, a), EFI_MEDIA_CHANGED, "nor with another medium's id");
	is(io->WriteBlocks(io, id, at, size - 1, a), EFI_BAD_BUFFER_SIZE, "nor half a block");
	is(io->WriteBlocks(io, id, at, size, NULL), EFI_INVALID_PARAMETER, "nor from nowhere");
	is(io->WriteBlocks(io, id, at, 0, a), EFI_SUCCESS, "no bytes");
	io->ReadBlocks(io, id, at, len, b);
	ok(same(a, b, len), "these wrote nothing");
	is(io->WriteBlocks(io, id, at, len, old), EFI_SUCCESS, "the old content is put back");
	efi_free(old);
}

EFI_STATUS efi_program(void)
{
	EFI_BLOCK_IO *io = find_disk(env.loaded != NULL ? env.loaded->DeviceHandle : NULL);
	uint8_t *a, *b;
	uint64_t size;
	size_t len;

	efi_put("\nblocktest: the block device of this volume\n");
	if (io == NULL) {
		efi_put("Bail out! no block device\n");
		return EFI_NOT_FOUND;
	}
	size = (io->Media->LastBlock + 1) * io->Media->BlockSize;
	/* The largest request that a loader was seen to make, or half of a small volume. */
	len = size / 2 < 0xe0000 ? (size_t)(size / 2) : 0xe0000;
	len -= len % io->Media->BlockSize;
	efi_say("# %llu blocks of %u bytes, IoAlign %u%s\n", (unsigned long long)io->Media->LastBlock + 1,
	        io->Media->BlockSize, io->Media->IoAlign, io->Media->ReadOnly ? ", read-only" : "");
	a = efi_alloc(len + 32);
	b = efi_alloc(len + 32);
	if (a == NULL || b == NULL) {
		efi_put("Bail out! no memory\n");
		return EFI_OUT_OF_RESOURCES;
	}
	ok(io->Media->MediaPresent && !io->Media->LogicalPartition, "a whole disk, with a medium");
	ok(io->Media->IoAlign <= 1, "takes any buffer");
	check_reads(io, a, b, len);
	check_writes(io, a, b, len);
	is(io->Reset(io, FALSE), EFI_SUCCESS, "resets");
	is(io->Reset(io, TRUE), EFI_SUCCESS, "resets with verification");
	efi_free(a);
	efi_free(b);
	efi_say("1..%u\nblocktest: %u passed, %u failed\n", n_tests, n_tests - n_failed, n_failed);
	return n_failed == 0 ? EFI_SUCCESS : EFI_ABORTED;
}
