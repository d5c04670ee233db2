/* SPDX-License-Identifier: MIT */
/*
 * Cardea's core, all of it: what a boot loader that embeds it includes.  Start with platform.h (what you
 * provide), suite.h (choose implementations once), luks.h (read, unlock), volume.h (sectors).
 */
#ifndef CARDEA_H
#define CARDEA_H

#include "base/base.h"
#include "base/platform.h"
#include "crypto/suite.h"
#include "crypto/crypt.h"
#include "crypto/kdf.h"
#include "volume/luks.h"
#include "volume/volume.h"

#define CARDEA_VERSION "0.1.0"

#endif
