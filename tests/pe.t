#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The UEFI images against the rules of Microsoft's UEFI CA, shim and the signing tools: page-aligned sections, none
# writable and executable, NX_COMPAT, relocations kept and exact, .sbat, nothing outside the sections.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaTest qw($BUILD slurp);
use Test::More;

use constant { CNT_CODE => 0x20, DISCARDABLE => 0x02000000, EXECUTE => 0x20000000, READ => 0x40000000, WRITE => 0x80000000 };

sub up { my ($x, $a) = @_; return int(($x + $a - 1) / $a) * $a }

for my $name (qw(cardea selftest hello blocktest)) {
	my $file = "$BUILD/efi/$name.efi";
	subtest "$name.efi" => sub {
		my $d = slurp($file);
		my $pe = unpack('V', substr($d, 0x3c, 4));
		is(substr($d, 0, 2) . substr($d, $pe, 4), "MZPE\0\0", 'signatures');
		my ($machine, $n, $time, $symptr, $nsym, $optlen, $chars) = unpack('vvVVVvv', substr($d, $pe + 4, 20));
		my $o = $pe + 24;
		my ($entry) = unpack('V', substr($d, $o + 16, 4));
		my ($base, $sa, $fa) = unpack('Q<VV', substr($d, $o + 24, 16));
		my ($image, $headers, undef, $subsystem, $dll) = unpack('VVVvv', substr($d, $o + 56, 16));
		my ($reloc_va, $reloc_len) = unpack('VV', substr($d, $o + 112 + 5 * 8, 8));
		is($machine, 0x8664, 'for x86_64');
		is($subsystem, 10, 'an EFI application');
		is($sa, 4096, 'sections on pages');
		is($fa, 512, 'file alignment');
		is($chars & 1, 0, 'relocations are not stripped');
		is($dll & 0x160, 0x160, 'NX_COMPAT, DYNAMIC_BASE, HIGH_ENTROPY_VA');
		is($time, 0, 'no time stamp: the build is reproducible');
		is($nsym, 0, 'no symbols');
		my ($end, $file_end, %s) = (up($headers, $sa), $headers);
		for my $i (0 .. $n - 1) {
			my $h = substr($d, $o + $optlen + 40 * $i, 40);
			my ($sname, $vs, $va, $rs, $rp, undef, undef, undef, $c) = unpack('Z8VVVVVVVV', $h);
			ok(!(($c & WRITE) && ($c & EXECUTE)), "$sname is not writable and executable");
			is($va, $end, "$sname follows without a hole");
			ok($rs == 0 || $rp == $file_end, "$sname follows in the file");
			ok($vs > 0 && $rs % $fa == 0, "$sname has a size");
			$end = up($va + $vs, $sa);
			$file_end = $rp + $rs if $rs;
			ok($entry < $va || $entry >= $va + $vs || ($c & EXECUTE), 'the entry point is executable');
			ok(!exists $s{$sname}, "$sname is there once");
			$s{$sname} = { va => $va, vs => $vs, rp => $rp, c => $c };
		}
		is($image, $end, 'size of the image');
		is($file_end, length $d, 'nothing behind the last section');
		ok($s{$_}, "$_ exists") for qw(.text .rdata .reloc .sbat);
		ok(!($s{'.rdata'}{c} & (WRITE | EXECUTE)), '.rdata is constant');
		is($reloc_va, $s{'.reloc'}{va}, 'the relocation directory is .reloc');
		ok($reloc_len > 0 && $reloc_len <= $s{'.reloc'}{vs}, 'and inside it');
		my ($p, $stop, $fixes) = ($s{'.reloc'}{rp}, $s{'.reloc'}{rp} + $reloc_len, 0);
		while ($p + 8 <= $stop) {
			my ($page, $len) = unpack('VV', substr($d, $p, 8));
			last if $len < 8 || $p + $len > $stop;
			ok($page % 4096 == 0, 'relocations of a page') if $page % 4096;
			for my $e (unpack('v*', substr($d, $p + 8, $len - 8))) {
				my ($type, $at) = ($e >> 12, $page + ($e & 0xfff));
				next if $type == 0;
				$fixes++;
				fail("relocation of type $type") if $type != 10;
				for (values %s) {
					fail('a relocation in code') if $at >= $_->{va} && $at < $_->{va} + $_->{vs} && $_->{c} & EXECUTE;
				}
			}
			$p += $len;
		}
		is($p, $stop, 'relocation blocks are exact');
		cmp_ok($fixes, '>', 0, 'there are relocations');
		my $sbat = substr($d, $s{'.sbat'}{rp}, $s{'.sbat'}{vs});
		like($sbat, qr/^sbat,1,[^\n]*\ncardea,\d+,[^\n]*\n\0*$/, '.sbat names the generation');
	};
}
done_testing();
