#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The freestanding test sets on this host, as `cardea selftest` runs them; its output is TAP itself.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaTest qw($CARDEA);

exec { $CARDEA } $CARDEA, 'selftest' or die "$CARDEA: $!\n";
