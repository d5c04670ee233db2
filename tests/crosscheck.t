#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The core against other libraries on random data: tests/host/crosscheck.c.  CARDEA_SEED repeats a run.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaTest qw($BUILD);

exec "$BUILD/tests/crosscheck", $ENV{CARDEA_SEED} // () or die "$BUILD/tests/crosscheck: $!\n";
