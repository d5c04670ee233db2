#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The host program as a user meets it: options, passphrases and key files, output files, ranges, writing, exit codes
# and messages; on volumes that are made here by qemu-img, and on images in tests/images.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaTest qw($ROOT $CARDEA scratch run qemu_img cardea slurp spew sha256_file zeros pattern);
use JSON::PP;
use POSIX qw(mkfifo);
use Test::More;

my $dir = scratch();
my ($vol, $pass) = ("$dir/v.img", 'qemu pass');

# A LUKS1 volume of 256 KiB by QEMU.
my $r = qemu_img('create', '-q', '-f', 'luks', '--object', "secret,id=s,data=$pass",
	'-o', 'key-secret=s,iter-time=10,cipher-alg=twofish-256,cipher-mode=cbc,ivgen-alg=essiv,ivgen-hash-alg=sha256',
	$vol, '256K');
is($r->{code}, 0, 'qemu-img makes a LUKS1 volume') or BAIL_OUT($r->{err});
my $size = 256 * 1024;
my $data = pattern($size);
spew("$dir/data", $data);

sub fails {
	my ($code, $message, $what, $args, %o) = @_;
	my $got = cardea($args, %o);
	ok($got->{code} eq $code && $got->{err} =~ $message, $what)
		or diag("$got->{cmd}: exit $got->{code}, wanted $code with $message\n$got->{err}");
	return $got;
}

subtest 'usage' => sub {
	my $v = cardea(['--version']);
	ok($v->{code} eq '0' && $v->{out} =~ /^cardea \d+\.\d+\.\d+\n$/, '--version');
	for my $c ('', qw(info unlock write check selftest)) {
		my $h = cardea([$c || (), '--help']);
		ok($h->{code} eq '0' && $h->{out} =~ /^Usage: cardea/ && $h->{err} eq '', "$c --help");
	}
	fails(1, qr/^Usage: cardea COMMAND/, 'no command', []);
	fails(1, qr/no such command: frob/, 'unknown command', ['frob']);
	fails(1, qr/which image/, 'no image', ['info']);
	fails(1, qr/unexpected argument: b/, 'two images', ['info', $vol, 'b']);
	fails(1, qr/unrecognized option/, 'unknown option', ['info', $vol, '--frob']);
	fails(1, qr/has no option --json/, 'option of another command', ['unlock', $vol, '--json']);
	fails(1, qr/requires an argument/, 'missing argument', ['unlock', $vol, '--range']);
	fails(1, qr/OFFSET:LENGTH expected/, "range $_", ['unlock', $vol, '--range', $_])
		for '1', ':', '1:', ':1', 'a:b', '1:2:3', '-1:2', '1:99999999999999999999', 'K:M';
	fails(1, qr/not a number/, "slot $_", ['unlock', $vol, '--key-slot', $_]) for 'x', '', '-1', '32', '1x';
	fails(1, qr/exclude each other/, 'two ways to select', ['info', $vol, '--partition', 1, '--offset-bytes', 0]);
	fails(1, qr/need --key-file/, 'key file offset without key file', ['unlock', $vol, '--keyfile-offset', 1]);
	fails(1, qr/--input FILE/, 'write without input', ['write', $vol]);
	fails(1, qr/not a multiple of 512/, 'odd volume offset', ['info', $vol, '--offset-bytes', 7]);
	fails(1, qr/not a multiple of 512 inside/, 'volume offset past the end', ['info', $vol, '--offset-bytes', '1G']);
	fails(1, qr/no partition 3 \(no partition table\)/, 'no such partition', ['info', $vol, '--partition', 3]);
	fails(1, qr/no LUKS volume with UUID/, 'no such UUID', ['info', $vol, '--uuid', 'x']);
	fails(5, qr/nonexistent: No such file/, 'no such image', ['info', "$dir/nonexistent"]);
	fails(5, qr/neither a file nor a block device/, 'a directory', ['info', $dir]);
};

subtest 'write and unlock' => sub {
	my $w = cardea(['write', $vol, '--input', "$dir/data"], in => "$pass\n");
	is($w->{code}, 0, 'write') or diag($w->{err});
	# QEMU, an independent implementation, reads what we wrote.
	my $q = run(['qemu-img', 'convert', '--object', "secret,id=s,data=$pass", '--image-opts',
		"driver=luks,key-secret=s,file.filename=$vol", '-O', 'raw', "$dir/qemu.raw"]);
	is($q->{code}, 0, 'qemu-img reads the volume') or diag($q->{err});
	is(sha256_file("$dir/qemu.raw"), sha256_file("$dir/data"), 'and finds what we wrote');

	my $u = cardea(['unlock', $vol], in => "$pass\n");
	ok($u->{code} eq '0' && $u->{out} eq $data, 'to standard output, passphrase with newline');
	$u = cardea(['unlock', $vol, '--output', "$dir/out"], in => $pass);
	ok($u->{code} eq '0' && slurp("$dir/out") eq $data, 'to a file, passphrase without newline');
	is(sprintf('%04o', (stat "$dir/out")[2] & 07777), '0600', 'which others cannot read');
	$u = cardea(['unlock', $vol, '--output', '/dev/null'], in => "$pass\n");
	is($u->{code}, 0, 'to a device');
	for my $range ([0, 0], [0, 1], [511, 2], [512, 512], [1000, 100_000], [$size - 1, 1], [$size, 0], [0, $size]) {
		$u = cardea(['unlock', $vol, '--range', "$range->[0]:$range->[1]"], in => "$pass\n");
		ok($u->{code} eq '0' && $u->{out} eq substr($data, $range->[0], $range->[1]), "range @$range");
	}
	fails(1, qr/range is not inside the volume of 262144 bytes/, "range $_", ['unlock', $vol, '--range', $_], in => $pass)
		for "$size:1", '0:' . ($size + 1), '1:18446744073709551615';

	# A part that begins and ends in the middle of sectors leaves the bytes around it.
	spew("$dir/part", 'P' x 1500);
	substr($data, 700, 1500) = 'P' x 1500;
	is(cardea(['write', $vol, '--input', "$dir/part", '--offset-bytes', 700], in => $pass)->{code}, 0, 'write a part');
	ok(cardea(['unlock', $vol], in => $pass)->{out} eq $data, 'only the part changed');
	my $before = sha256_file($vol);
	fails(1, qr/does not fit.*nothing was written/, 'input that does not fit',
		['write', $vol, '--input', "$dir/part", '--offset-bytes', $size - 1499], in => $pass);
	fails(5, qr/nonexistent: No such file/, 'absent input', ['write', $vol, '--input', "$dir/nonexistent"], in => $pass);
	fails(2, qr/no key slot opens/, 'write with a wrong passphrase', ['write', $vol, '--input', "$dir/part"], in => 'x');
	is(sha256_file($vol), $before, 'none of these changed the image');
};

subtest 'passphrases and key files' => sub {
	spew("$dir/kf", $pass);
	spew("$dir/kf-newline", "$pass\n");
	spew("$dir/kf-offset", "0123456789$pass....");
	for (['--key-file', "$dir/kf"], ['--key-file', "$dir/kf-offset", '--keyfile-offset', 10, '--keyfile-size', length $pass]) {
		is(cardea(['unlock', $vol, @$_])->{code}, 0, "@$_");
	}
	fails(2, qr/no key slot opens with this key file/, 'a newline in a key file counts',
		['unlock', $vol, '--key-file', "$dir/kf-newline"]);
	fails(5, qr/key file \S+absent: No such file/, 'absent key file', ['unlock', $vol, '--key-file', "$dir/absent"]);
	fails(5, qr/is a directory/, 'key file is a directory', ['unlock', $vol, '--key-file', $dir]);
	fails(5, qr/only 0 bytes/, 'empty key file', ['unlock', $vol, '--key-file', '/dev/null', '--keyfile-size', 5]);
	fails(1, qr/is a device/, 'endless key file', ['unlock', $vol, '--key-file', '/dev/zero']);
	fails(5, qr/fewer than --keyfile-size/, 'key file too short', ['unlock', $vol, '--key-file', "$dir/kf", '--keyfile-size', 99]);
	fails(1, qr/--keyfile-size must be/, 'size 0', ['unlock', $vol, '--key-file', "$dir/kf", '--keyfile-size', 0]);
	zeros("$dir/kf-big", 8 * 1024 * 1024 + 1);
	fails(5, qr/longer than 8388608/, 'key file too long', ['unlock', $vol, '--key-file', "$dir/kf-big"]);
	fails(1, qr/ended before a passphrase/, 'no passphrase', ['unlock', $vol]);
	fails(2, qr/no key slot opens with this passphrase/, 'wrong passphrase', ['unlock', $vol], in => "wrong\n");
	fails(2, qr/no key slot opens/, 'empty passphrase', ['unlock', $vol], in => "\n");
	fails(2, qr/key slot is not in use/, 'empty slot', ['unlock', $vol, '--key-slot', 5], in => $pass);
	is(cardea(['unlock', $vol, '--key-slot', 0], in => $pass)->{code}, 0, 'the right slot');
};

subtest 'nothing is left of what failed' => sub {
	# Output over what is read would destroy it.
	for (['--output', $vol], ['--key-file', "$dir/kf", '--output', "$dir/kf"], ['--output', '']) {
		fails(1, qr/would overwrite what is read|an empty name/, "@$_", ['unlock', $vol, @$_], in => $pass);
	}
	is(cardea(['unlock', $vol, '--range', '0:16'], in => $pass)->{code}, 0, 'the volume is still there');
	my $kf = cardea(['unlock', $vol, '--range', '0:16', '--key-file', '-'], in => $pass);
	is($kf->{code}, 0, 'a key file from standard input');
	mkfifo("$dir/fifo", 0600);
	fails(5, qr/neither a file nor a block device/, 'a FIFO is not waited for', ['info', "$dir/fifo"]);
	my $full = run(['/bin/sh', '-c', "'$CARDEA' check '$vol' >/dev/full"]);
	ok($full->{code} eq '5' && $full->{err} =~ /standard output: No space/, 'a full device for text') if -e '/dev/full';
	$full = run(['/bin/sh', '-c', "ulimit -f 8; exec '$CARDEA' unlock '$vol' --output '$dir/limited'"], in => $pass);
	ok($full->{code} eq '5' && !-e "$dir/limited", 'a limit on file sizes') or diag($full->{code}, $full->{err});
	mkdir "$dir/o";
	fails(2, qr/no key slot/, 'wrong passphrase', ['unlock', $vol, '--output', "$dir/o/x"], in => 'x');
	fails(5, qr/absent/, 'no such directory', ['unlock', $vol, '--output', "$dir/absent/x"], in => $pass);
	spew("$dir/o/keep", 'old');
	fails(1, qr/range/, 'range', ['unlock', $vol, '--output', "$dir/o/keep", '--range', '1G:1'], in => $pass);
	is(slurp("$dir/o/keep"), 'old', 'an older file is still what it was');
	fails(5, qr/writing to \S+full: No space/, 'a full device', ['unlock', $vol, '--output', '/dev/full'], in => $pass)
		if -e '/dev/full';
	opendir(my $d, "$dir/o");
	is(join(' ', sort grep { !/^\./ } readdir $d), 'keep', 'no partial file');
};

subtest 'damage' => sub {
	my $whole = slurp($vol);
	my $bad = "$dir/bad.img";
	my $cut = sub { spew($bad, substr($whole, 0, $_[0])) };
	for ([0, 4, qr/too small for a LUKS header/], [512, 4, qr/too small/], [8192, 4, qr/cut short: the data begins at/],
		[200_000, 4, qr/cut short/]) {
		my ($len, $code, $message) = @$_;
		$cut->($len);
		fails($code, $message, "cut to $len bytes: $_->[0]", [$_->[0], $bad, @{ $_->[1] }], in => $pass)
			for ['unlock', ['--output', "$dir/bad.out"]], ['check', []], ['info', []];
		ok(!-e "$dir/bad.out", 'no output');
	}
	zeros($bad, 1 << 20);
	fails(4, qr/no LUKS header here/, 'zeros', ['unlock', $bad], in => $pass);
	spew($bad, join('', map { chr($_ * 167 % 251) } 1 .. 65536));
	fails(4, qr/no LUKS header here/, 'not LUKS', ['info', $bad]);
	run(['mkfs.vfat', '-C', "$dir/fat.img", '1024']);
	fails(3, qr/not LUKS but a partition table or boot sector/, 'a FAT file system', ['info', "$dir/fat.img"]);
};

subtest 'a disk that returns errors' => sub {
	# strace makes the k-th system call of a kind fail.
	my $inject = sub {
		my ($what, $args, $k, @only) = @_;
		return run(['strace', '-qq', '-f', '-o', '/dev/null', @only, '-e', "inject=$what:error=EIO:when=$k", $CARDEA, @$args],
			in => $pass);
	};
	my $kf = spew("$dir/kf", $pass);
	my ($k, $failed) = (0, 0);
	for ($k = 1; $k < 100; $k++) {
		my $r = $inject->('pread64', ['unlock', $vol, '--key-file', $kf, '--output', "$dir/err.out"], $k, '-P', $vol);
		if ($r->{code} eq '0') {
			unlink "$dir/err.out";
			last;
		}
		my $good = $r->{code} eq '5' && $r->{err} =~ /\Q$vol\E: reading at byte \d+: Input\/output error/ && !-e "$dir/err.out";
		$failed++ if !$good;
		diag("read $k: exit $r->{code}: $r->{err}") if !$good;
	}
	ok($k > 4 && $failed == 0, 'each of ' . ($k - 1) . ' reads that fails is reported, and leaves no output');
	my $r = $inject->('pwrite64', ['write', $vol, '--key-file', $kf, '--input', "$dir/part"], 1, '-P', $vol);
	ok($r->{code} eq '5' && $r->{err} =~ /writing at byte \d+: Input\/output error/, 'a write that fails') or diag($r->{err});
	$r = $inject->('fsync', ['unlock', $vol, '--key-file', $kf, '--output', "$dir/err2.out"], 1);
	ok($r->{code} eq '5' && $r->{err} =~ /err2\.out: Input/ && !-e "$dir/err2.out", 'output that is not stored') or diag($r->{err});
	opendir(my $d, $dir);
	is(join(' ', grep { /err/ && !/^\./ } readdir $d), '', 'no partial file');
};

subtest 'info and check' => sub {
	my $i = cardea(['info', $vol]);
	ok($i->{code} eq '0' && $i->{err} eq '', 'info');
	like($i->{out}, qr/LUKS1\n.*UUID: +[0-9a-f-]{36}\n.*Cipher: +twofish-cbc-essiv:sha256, 256-bit key\n.*Key slot 0 +pbkdf2-sha256, \d+ iterations/s,
		'says what it is');
	my $j = JSON::PP->new->decode(cardea(['info', $vol, '--json'])->{out});
	my $v = $j->{volumes}[0];
	is($v->{cipher}, 'twofish-cbc-essiv:sha256', 'JSON: cipher');
	is($v->{data_length}, $size, 'JSON: length');
	is($v->{keyslots}[0]{kdf}, 'pbkdf2', 'JSON: KDF');
	my $u = cardea(['unlock', $vol, '--uuid', uc $v->{uuid}, '--range', '0:16'], in => $pass);
	ok($u->{code} eq '0' && $u->{out} eq substr($data, 0, 16), 'by UUID');
	my $c = cardea(['check', $vol]);
	ok($c->{code} eq '0' && $c->{out} =~ /key slot 0: pbkdf2-sha256, \d+ iterations: about \d+\.\d s/ &&
		$c->{out} =~ /can open this at boot/, 'check') or diag($c->{out}, $c->{err});
};

subtest 'partitions' => sub {
	my $disk = zeros("$dir/disk.img", 8 << 20);
	my $sfdisk = run(['/sbin/sfdisk', '-q', $disk], in => "label: gpt\nstart=2048, size=4096\nstart=8192, size=4096\n");
	plan(skip_all => "sfdisk: $sfdisk->{err}") if $sfdisk->{code} ne '0';
	my $bytes = slurp($vol);
	fails(4, qr/no LUKS volume in any of its 2 partitions/, 'none', ['unlock', $disk], in => $pass);
	open(my $f, '+<:raw', $disk) or die;
	seek($f, 8192 * 512, 0);
	print {$f} $bytes;
	close $f;
	# The partition is larger than the volume was: its end is what follows.
	my $u = cardea(['unlock', $disk, '--range', "0:$size"], in => $pass);
	ok($u->{code} eq '0' && $u->{out} eq $data, 'the only one is found') or diag($u->{err});
	is(cardea(['unlock', $disk, '--partition', 2, '--range', "0:$size"], in => $pass)->{out}, $data, 'by number');
	is(cardea(['unlock', $disk, '--offset-bytes', 8192 * 512, '--range', "0:$size"], in => $pass)->{out}, $data, 'by offset');
	fails(4, qr/no LUKS header here/, 'the wrong one', ['unlock', $disk, '--partition', 1], in => $pass);
	open($f, '+<:raw', $disk) or die;
	seek($f, 2048 * 512, 0);
	print {$f} $bytes;
	close $f;
	my $two = fails(1, qr/several LUKS volumes; choose/, 'two', ['unlock', $disk], in => $pass);
	like($two->{err}, qr/--partition 1\n.*--partition 2\n/s, 'are listed');
	my $i = cardea(['info', $disk]);
	like($i->{out}, qr/partition 1: LUKS1.*partition 2: LUKS1/s, 'info shows both');
	is(cardea(['write', $disk, '--partition', 2, '--input', "$dir/part", '--offset-bytes', 512], in => $pass)->{code}, 0,
		'write into a partition');
	is(cardea(['unlock', $disk, '--partition', 2, '--range', '512:1500'], in => $pass)->{out}, 'P' x 1500, 'is there');
};

done_testing();
