#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A short run of the fuzz targets over fixed mutations, with ASan and UBSan: tests/host/fuzz_smoke.c.  The long one
# is `make fuzz`.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaTest qw($BUILD);

exec "$BUILD/tests/fuzz_smoke" or die "$BUILD/tests/fuzz_smoke: $!\n";
