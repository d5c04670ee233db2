#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `make demo` as it runs without a terminal: the README's first command.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaTest qw($ROOT $BUILD run corpus sha256_file);
use Test::More;

sub demo {
	my (%env) = @_;
	local @ENV{qw(BUILD VOLUME PASSPHRASE)} = ($BUILD, $env{VOLUME} // '', $env{PASSPHRASE} // '');
	return run([$^X, "$ROOT/tools/demo.pl"]);
}

my $own = demo();
is($own->{code}, 0, 'the demo succeeds') or diag($own->{out}, $own->{err});
like($own->{out}, qr/LUKS2 volume .*is open \(key slot 0.*this program was started from the encrypted volume\./s,
	'the program in its volume ran');

my ($dir, $list) = corpus();
my ($e) = grep { $_->{name} eq 'luks1-twofish-cbc-plain64-128' } @$list;
my $image = "$dir/$e->{files}[0]{file}";
my $pass = pack('H*', $e->{volumes}[0]{unlock}[0]{passphrase_hex});
my $before = sha256_file($image);
my $other = demo(VOLUME => $image, PASSPHRASE => $pass);
is($other->{code}, 0, 'another volume') or diag($other->{out}, $other->{err});
like($other->{out}, qr/twofish-cbc-plain64.*Nothing bootable was found in it/s, 'is opened, and has no program');
my $wrong = demo(VOLUME => $image, PASSPHRASE => "$pass?");
isnt($wrong->{code}, 0, 'a wrong passphrase fails');
like($wrong->{out}, qr/No key slot opens with this passphrase.*No volume was opened/s, 'and says so');
is(sha256_file($image), $before, 'the image is as it was');
my $mine = demo(PASSPHRASE => 'my own $pass');
is($mine->{code}, 0, 'a passphrase of one\'s own') or diag($mine->{out}, $mine->{err});
is(demo()->{code}, 0, 'and the default again after it');
is(demo(VOLUME => '/nonexistent', PASSPHRASE => 'x')->{code}, 1, 'an absent image fails');
done_testing();
