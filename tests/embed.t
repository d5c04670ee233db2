#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The embedding example opens real volumes with nothing but the two structs that it fills.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaTest qw($BUILD run corpus);
use Digest::SHA qw(sha256_hex);
use Test::More;

my ($dir, $list) = corpus();
my %want = map { $_ => 1 } qw(luks1-reenc-done luks2-kdf-argon2id-m4096-p2 luks2-sector4096-twofish-xts-plain64-512);
for my $e (grep { $want{ $_->{name} } } @$list) {
	my $v = $e->{volumes}[0];
	my $r = run(["$BUILD/tests/embed", "$dir/$e->{files}[0]{file}", pack('H*', $v->{unlock}[0]{passphrase_hex})]);
	ok($r->{code} eq '0' && sha256_hex($r->{out}) eq $v->{payload}{sha256}, $e->{name}) or diag($r->{err});
	is(run(["$BUILD/tests/embed", "$dir/$e->{files}[0]{file}", 'wrong'])->{code}, 2, "$e->{name}, wrong passphrase");
}
done_testing(6);
