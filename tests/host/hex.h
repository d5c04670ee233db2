/* SPDX-License-Identifier: MIT */
/* What the host's test programs share. */
#ifndef CARDEA_TEST_HEX_H
#define CARDEA_TEST_HEX_H

#include "crypto/hash_internal.h"
#include "crypto/modes.h"
#include "host.h"

/* "0a1b.." or "-" for nothing, to bytes in a new buffer; NULL when it is no such text. */
uint8_t *hex_bytes(const char *hex, size_t *len);

#endif
