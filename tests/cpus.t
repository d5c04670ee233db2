#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# selftest.efi under QEMU's CPU models: on each, exactly the expected features and implementations are used, and all
# test sets pass.  Two machines run side by side.  The table goes to build/report/cpus.md, too.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaQemu;
use POSIX ();
use CardeaTest qw($BUILD scratch slurp spew);
use Test::More;

# CPU model => features that must be used, no more and no fewer.  QEMU emulates no SHA, GFNI, VPCLMULQDQ and AVX-512;
# the contradictory models ("max,-xsave" has AVX's bit without XSAVE, "max,-avx" AVX2's without AVX) must not mislead.
my $sse = 'sse2 ssse3 sse4.1';
my @rows = (
	['qemu64,-sse3', 'sse2'],
	['core2duo', 'sse2 ssse3'],
	['Penryn', $sse],
	['Westmere', "$sse aes pclmul"],
	['Denverton', "$sse aes pclmul"],
	['SandyBridge', "$sse aes pclmul avx"],
	['SandyBridge,-aes', "$sse pclmul avx"],
	['Haswell-noTSX,-aes', "bmi2 $sse pclmul avx avx2"],
	['Haswell-noTSX', "bmi2 $sse aes pclmul avx avx2"],
	['EPYC', "bmi2 adx $sse aes pclmul avx avx2"],
	['max', "bmi2 adx $sse aes pclmul avx avx2 vaes"],
	['max,-xsave', "bmi2 adx $sse aes pclmul"],
	['max,-avx', "bmi2 adx $sse aes pclmul"],
	['max', "bmi2 adx $sse aes pclmul avx avx2 vaes", smp => 4],
);

# Implementation => features that it needs; the best of each primitive first.
my %impls = (
	aes => [['aesni', 'aes'], ['ct64']], twofish => [['c']], sha1 => [['c']], sha256 => [['c']], sha512 => [['c']], ripemd160 => [['c']],
	whirlpool => [['c']], sha3 => [['c']], blake2b => [['c']], blake2s => [['c']], argon2 => [['c']],
);
my @primitives = qw(aes twofish sha1 sha256 sha512 ripemd160 whirlpool sha3 blake2b blake2s argon2);

sub best {
	my ($primitive, $features) = @_;
	my %have = map { $_ => 1 } split ' ', $features;
	for my $impl (@{ $impls{$primitive} }) {
		my ($name, @needs) = @$impl;
		return $name if !grep { !$have{$_} } @needs;
	}
}

# Runs one row in a child; its transcript and exit code go to files.
sub start {
	my ($i) = @_;
	my ($cpu, undef, %o) = @{ $rows[$i] };
	my $pid = fork() // die "fork: $!";
	return $pid if $pid;
	my $code = eval {
		my $vm = CardeaQemu->new(cpu => $cpu, mem => 256, timeout => 200, extra => ['-kernel', "$BUILD/efi/selftest.efi",
			'-append', 'exit', '-device', 'isa-debug-exit,iobase=0xf4,iosize=0x04'], %o);
		my $rc = $vm->wait_exit(180);
		spew(scratch() . "/$i.text", $vm->transcript);
		$rc;
	};
	spew(scratch() . "/$i.code", $code // "died: $@");
	POSIX::_exit(0);
}

my $dir = scratch();
my (@running, @report);
my $next = 0;
while ($next < @rows || @running) {
	push @running, start($next++) while @running < 2 && $next < @rows;
	my $done = wait();
	@running = grep { $_ != $done } @running;
}

for my $i (0 .. $#rows) {
	my ($cpu, $features, %o) = @{ $rows[$i] };
	my $name = $cpu . ($o{smp} ? " -smp $o{smp}" : '');
	my $text = -e "$dir/$i.text" ? slurp("$dir/$i.text") : '';
	subtest $name => sub {
		# Only 33 is a pass: powering off, triple faults and crashes all end in 0.
		is(slurp("$dir/$i.code"), 33, 'ended with a pass') or diag($text);
		like($text, qr/All tests passed/, 'says so');
		unlike($text, qr/^not ok/m, 'no set failed');
		my ($have) = $text =~ /# features: (.*)/;
		is($have, $features, 'features');
		for my $p (@primitives) {
			my ($used) = $text =~ /# using \Q$p\E: (\S+)/;
			is($used, best($p, $features), $p);
		}
	};
	push @report, "| $name | " . join(' | ', map { $text =~ /# using \Q$_\E: (\S+)/ ? $1 : '?' } @primitives) . ' |';
}
mkdir "$BUILD/report";
my $table = join("\n", '| CPU | ' . join(' | ', @primitives) . ' |', '| --- ' x (@primitives + 1) . '|', @report) . "\n";
spew("$BUILD/report/cpus.md", $table);
note($table);
done_testing();
