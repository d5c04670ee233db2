#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Volumes made on the spot by two independent implementations: qemu-img makes and fills LUKS1, cryptsetup makes LUKS1
# and LUKS2 (and encrypts in place, without kernel support).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaTest qw(scratch run qemu_img cardea slurp spew sha256_file zeros pattern have);
use Test::More;

my $dir = scratch();
my $size = 1 << 20;
my $data = pattern($size);
spew("$dir/data", $data);

# Every combination that QEMU makes with our ciphers; Serpent is refused by name.
sub qemu_volume {
	my ($cipher, $mode, $iv, $hash, $n) = @_;
	my $what = "qemu-img: $cipher $mode $iv $hash";
	my $vol = "$dir/q.img";
	my $opts = "key-secret=s,iter-time=10,cipher-alg=$cipher,cipher-mode=$mode,hash-alg=$hash," .
		($iv =~ /essiv/ ? 'ivgen-alg=essiv,ivgen-hash-alg=sha256' : "ivgen-alg=$iv");
	unlink $vol;
	my $r = qemu_img('convert', '--object', "secret,id=s,data=pw$n", '-f', 'raw', '-O', 'luks', '-o', $opts, "$dir/data", $vol);
	return fail($what) || diag($r->{err}) if $r->{code} ne '0';
	my $u = cardea(['unlock', $vol, '--output', "$dir/out"], in => "pw$n\n");
	if ($cipher =~ /serpent/) {
		ok($u->{code} eq '3' && $u->{err} =~ /cipher serpent is not supported/, "$what is refused by name");
	} else {
		ok($u->{code} eq '0' && sha256_file("$dir/out") eq sha256_file("$dir/data"), $what) or diag($u->{err});
	}
}

# QEMU 7.2 itself stops at 192-bit keys in CBC (their key material is no multiple of a sector).
my $n = 0;
qemu_volume(@$_, $n++) for (
	['aes-128', 'cbc', 'plain', 'sha1'],           ['aes-128', 'xts', 'plain64', 'sha512'],
	['aes-192', 'xts', 'plain64', 'sha224'],       ['aes-256', 'xts', 'plain64', 'sha256'],
	['aes-256', 'cbc', 'essiv', 'ripemd160'],      ['aes-256', 'ecb', 'plain64', 'sha256'],
	['twofish-128', 'cbc', 'plain64', 'sha384'],   ['twofish-128', 'xts', 'plain', 'sha256'],
	['twofish-192', 'xts', 'plain64', 'sha1'],     ['twofish-256', 'xts', 'plain64', 'sha512'],
	['twofish-256', 'cbc', 'essiv', 'sha256'],     ['serpent-256', 'xts', 'plain64', 'sha256'],
);

# cryptsetup luksFormat: we write, cryptsetup agrees that the passphrase opens it, we read back.
my @formats = (
	['LUKS1 default', '--type luks1'],
	['LUKS1 sha512', '--type luks1 --hash sha512 --cipher aes-cbc-essiv:sha256 --key-size 256'],
	['LUKS1 whirlpool', '--type luks1 --hash whirlpool --cipher aes-xts-plain64 --key-size 512'],
	['LUKS2 default cipher, argon2id', '--type luks2 --pbkdf argon2id --pbkdf-memory 32768 --pbkdf-parallel 2 --pbkdf-force-iterations 4'],
	['LUKS2 argon2i', '--type luks2 --pbkdf argon2i --pbkdf-memory 8192 --pbkdf-parallel 1 --pbkdf-force-iterations 5'],
	['LUKS2 pbkdf2', '--type luks2 --pbkdf pbkdf2 --hash sha512'],
	['LUKS2 4096-byte sectors', '--type luks2 --sector-size 4096 --pbkdf pbkdf2'],
	['LUKS2 large metadata', '--type luks2 --luks2-metadata-size 1m --luks2-keyslots-size 2m --pbkdf pbkdf2'],
	['LUKS2 largest metadata', '--type luks2 --luks2-metadata-size 4m --luks2-keyslots-size 4m --pbkdf pbkdf2'],
	['LUKS2 label', '--type luks2 --label my-disk --subsystem sub --pbkdf pbkdf2'],
);
for (@formats) {
	my ($what, $options) = @$_;
	my $vol = zeros("$dir/c.img", 24 << 20);
	$options .= ' --pbkdf-force-iterations 1000' if $options !~ /force-iterations/;
	spew("$dir/pw", 'cryptsetup pw');
	my $r = run(['cryptsetup', 'luksFormat', '--batch-mode', split(' ', $options), $vol, "$dir/pw"]);
	is($r->{code}, 0, "cryptsetup: $what") or diag($r->{err}), next;
	my $w = cardea(['write', $vol, '--input', "$dir/data", '--offset-bytes', 12345], in => "cryptsetup pw\n");
	is($w->{code}, 0, "$what: write") or diag($w->{err});
	$r = run(['cryptsetup', 'open', '--test-passphrase', '--key-file', "$dir/pw", $vol]);
	is($r->{code}, 0, "$what: cryptsetup still opens it") or diag($r->{err});
	my $u = cardea(['unlock', $vol, '--range', "12345:$size"], in => "cryptsetup pw\n");
	ok($u->{code} eq '0' && $u->{out} eq $data, "$what: read back") or diag($u->{err});
	is(cardea(['check', $vol])->{code}, 0, "$what: check");
	is(cardea(['unlock', $vol, '--range', '0:1'], in => "cryptsetup pW\n")->{code}, 2, "$what: wrong passphrase");
}

# cryptsetup itself encrypts data: what it wrote is what we read.
for my $cipher (qw(aes-xts-plain64 aes-cbc-essiv:sha256)) {
	my $vol = "$dir/e.img";
	spew($vol, $data . ("\0" x (32 << 20)));
	spew("$dir/pw", 'in place');
	my $r = run(['cryptsetup', 'reencrypt', '--encrypt', '--force-offline-reencrypt', '--batch-mode', '--type', 'luks2',
		'--reduce-device-size', '32m', '--cipher', $cipher, '--key-size', 256, '--pbkdf', 'pbkdf2',
		'--pbkdf-force-iterations', 1000, '--key-file', "$dir/pw", $vol]);
	is($r->{code}, 0, "cryptsetup reencrypt --encrypt: $cipher") or diag($r->{err}), next;
	my $u = cardea(['unlock', $vol, '--range', "0:$size"], in => "in place\n");
	ok($u->{code} eq '0' && $u->{out} eq $data, "$cipher: its data is read") or diag($u->{err});
	next if $cipher !~ /cbc/;
	$r = run(['cryptsetup', 'convert', '--batch-mode', '--type', 'luks1', $vol]);
	is($r->{code}, 0, 'converted to LUKS1') or diag($r->{err}), next;
	$u = cardea(['unlock', $vol, '--range', "0:$size"], in => "in place\n");
	ok($u->{code} eq '0' && $u->{out} eq $data, 'and read again') or diag($u->{err});
}

# The LUKS2 default of 1 GiB cannot be had: said before any time is spent, never "wrong passphrase".
SKIP: {
	my $vol = zeros("$dir/big.img", 24 << 20);
	spew("$dir/pw", 'pw');
	my $r = run(['cryptsetup', 'luksFormat', '--batch-mode', '--type', 'luks2', '--pbkdf', 'argon2id', '--pbkdf-memory',
		1048576, '--pbkdf-parallel', 4, '--pbkdf-force-iterations', 4, $vol, "$dir/pw"]);
	skip("cryptsetup could not make it: $r->{err}", 1) if $r->{code} ne '0';
	my $u = run(['/bin/sh', '-c', "ulimit -v 700000; exec '$CardeaTest::CARDEA' unlock '$vol' --range 0:1"], in => "pw\n");
	ok($u->{code} eq '6' && $u->{err} =~ /1024 MiB/, 'too little memory for Argon2 is named')
		or diag("exit $u->{code}: $u->{err}");
}

done_testing();
