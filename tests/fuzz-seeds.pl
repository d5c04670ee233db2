#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Seeds for `make fuzz`: headers of volumes that cryptsetup makes on the spot and of tests/images, in the form that
# fuzz.h describes, and texts for the other targets.
#   fuzz-seeds.pl DIRECTORY
use strict;
use warnings;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;

my $out = shift // die "usage: $0 DIRECTORY\n";
my $tmp = tempdir(CLEANUP => 1);
my %made;

make_path(map { "$out/$_" } qw(luks json base64 spec));

sub seed {
	my ($target, $bytes) = @_;
	my $name = sprintf '%s/%s/%03d', $out, $target, $made{$target}++;

	open my $fh, '>:raw', $name or die "$name: $!";
	print {$fh} $bytes;
	close $fh or die "$name: $!";
}

# All that can be made of one volume's header.
sub header {
	my ($bytes, $detached) = @_;
	my $how = $detached ? 0x02 : 0;

	if ($bytes =~ /\ALUKS\xba\xbe\x00\x01/) {
		seed('luks', pack('CC', $how, 0) . substr $bytes, 0, 592);
	} elsif ($bytes =~ /\ALUKS\xba\xbe\x00\x02/) {
		my $len = unpack 'x8 Q>', $bytes;
		(my $json = substr $bytes, 4096, $len - 4096) =~ s/\0.*//s;
		my $n = 0;
		$n++ while 0x4000 << $n < $len;
		my $parts = substr($bytes, 0, 512) . $json;
		seed('luks', pack('CC', $how | 0x01, $n) . $parts);
		seed('luks', pack('CC', $how | 0x51, $n | 0x10) . $parts);
		seed('luks', pack('CC', $how, 0) . substr $bytes, 0, 2 * $len) if $len == 0x4000;
		seed('json', pack('v', 4095) . $json);
		seed('base64', "\x40$1") while $json =~ /"(?:salt|digest)":"([^"]+)"/g;
		seed('spec', "\x40$1") while $json =~ /"encryption":"([^"]+)"/g;
	}
}

sub image {
	my ($file, $detached) = @_;

	open my $fh, '<:raw', $file or return;
	# At the start, or in a partition.
	for my $at (0, 1 << 20, 1 << 16, 1081344, 2 << 20) {
		my $bytes;
		seek $fh, $at, 0;
		header($bytes, $detached) if read($fh, $bytes, 4 << 20) && length $bytes >= 4096;
	}
	close $fh;
}

my @formats = (
	'--type luks1', '--type luks1 --cipher aes-cbc-essiv:sha256 --key-size 256 --hash sha1',
	'--type luks2 --pbkdf argon2id --pbkdf-memory 1024 --pbkdf-parallel 2 --pbkdf-force-iterations 4 --label a',
	'--type luks2 --pbkdf argon2i --pbkdf-memory 1024 --pbkdf-parallel 1 --pbkdf-force-iterations 4',
	'--type luks2 --pbkdf pbkdf2 --sector-size 4096 --pbkdf-force-iterations 1000',
	'--type luks2 --pbkdf pbkdf2 --luks2-metadata-size 64k --pbkdf-force-iterations 1000',
);
for my $options (@formats) {
	my $volume = "$tmp/volume";
	open my $fh, '>', $volume or die $!;
	truncate $fh, 20 << 20;
	close $fh;
	my $iter = $options =~ /luks1/ ? '--pbkdf-force-iterations 1000' : '';
	my $command = "printf a | cryptsetup luksFormat -q --key-file - $options $iter $volume";
	if (system("$command >/dev/null 2>&1") != 0) {
		print STDERR "cryptsetup $options failed: no seed of it\n";
		next;
	}
	# A second slot, so that there are pairs to mix up.
	for my $key (qw(a b)) {
		open $fh, '>', "$tmp/$key" or die $!;
		print {$fh} $key;
		close $fh;
	}
	system("cryptsetup luksAddKey -q --key-file $tmp/a --pbkdf pbkdf2 --pbkdf-force-iterations 1000 " .
	       "$volume $tmp/b >/dev/null 2>&1") == 0 or print STDERR "cryptsetup luksAddKey failed\n";
	image($volume, 0);
}

my $archive = "$FindBin::Bin/images/images.tar.zst";
if (-f $archive && system("tar -C $tmp --zstd -xf $archive 2>/dev/null") == 0) {
	image($_, m{/header[^/]*\z}) for sort glob "$tmp/*/*.img";
}

seed('json', pack('v', 4095) . $_) for '[1,-2.5e+3,"a\u00e9\"\/\\\\",{"x":[[],{},null,true,false],"":0}]', '{}', '0';
seed('base64', "\xff$_") for '', 'AA==', 'AAA=', 'AAAA', 'zZ09+/AA';
for my $cipher (qw(aes twofish)) {
	seed('spec', "\x20$cipher-$_") for
		qw(cbc-plain cbc-essiv:sha256 cbc-eboiv ctr-plain64 ecb cbc-null cbc-plain64be);
	seed('spec', "\x30$cipher-lrw-benbi");
	seed('spec', "\x40capi:xts($cipher)-plain64");
	seed('spec', "\x20capi:essiv(cbc($cipher),sha256)-plain64");
}
print join(', ', map { "$_: $made{$_}" } sort keys %made), " seeds\n";
