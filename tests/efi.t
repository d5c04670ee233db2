#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The UEFI application in QEMU with OVMF: finds volumes, takes typed passphrases, publishes what opens and starts the
# program in it.  The volumes are made by QEMU, cryptsetup and the kernel; the program in them is hello.efi, put there
# by `cardea write`, which says what the firmware sees.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaQemu;
use CardeaTest qw($BUILD scratch run qemu_img cardea slurp spew zeros corpus);
use File::Copy qw(copy);
use Test::More;

my $dir = scratch();
my ($corpus, $list) = corpus();
my $sentence = 'Cardea demo: this program was started from the encrypted volume.';
my %entry = map { $_->{name} => $_ } @$list;

# ---- volumes ---------------------------------------------------------------------------------------------------

# A FAT file system of `kib` with the programs and a file that names the volume, sectors as the volume's.
sub fat {
	my ($name, $kib, $sector) = @_;
	my $file = "$dir/$name.fat";
	unlink $file;
	run(['mkfs.vfat', '-C', '-S', $sector, $file, $kib])->{code} eq '0' or die "mkfs.vfat failed\n";
	CardeaQemu::_run('mmd', '-i', $file, '::EFI', '::EFI/BOOT');
	CardeaQemu::_run('mcopy', '-i', $file, "$BUILD/efi/hello.efi", '::EFI/BOOT/BOOTX64.EFI');
	CardeaQemu::_run('mcopy', '-i', $file, "$BUILD/efi/blocktest.efi", '::EFI/BLOCK.EFI');
	spew("$dir/hello.txt", "inside $name\r\n");
	CardeaQemu::_run('mcopy', '-i', $file, "$dir/hello.txt", '::HELLO.TXT');
	return $file;
}

sub fill {
	my ($name, $vol, $pass, $kib, $sector, @args) = @_;
	my $w = cardea(['write', $vol, '--input', fat($name, $kib, $sector), @args], in => "$pass\n");
	$w->{code} eq '0' or die "cardea write: $w->{err}";
	return { name => $name, file => $vol, pass => $pass };
}

sub from_corpus {
	my ($name, $sector, @args) = @_;
	my $e = $entry{$name};
	my $vol = "$dir/$name.img";
	copy("$corpus/$e->{files}[0]{file}", $vol) or die "$name: $!";
	return fill($name, $vol, pack('H*', $e->{volumes}[0]{unlock}[0]{passphrase_hex}),
		int($e->{volumes}[0]{payload}{size} / 1024), $sector, @args);
}

sub from_qemu {
	my ($name, $pass, $options) = @_;
	my $vol = "$dir/$name.img";
	unlink $vol;
	qemu_img('create', '-q', '-f', 'luks', '--object', "secret,id=s,data=$pass", '-o', "key-secret=s,iter-time=10,$options",
		$vol, '1M');
	return fill($name, $vol, $pass, 1024, 512);
}

sub from_cryptsetup {
	my ($name, $pass, @options) = @_;
	my $vol = zeros("$dir/$name.img", 20 << 20);
	spew("$dir/pw", $pass);
	my $r = run(['cryptsetup', 'luksFormat', '--batch-mode', '--disable-locks', '--type', 'luks2', @options, $vol, "$dir/pw"]);
	$r->{code} eq '0' or die "cryptsetup: $r->{err}";
	return fill($name, $vol, $pass, 3072, 512);
}

# ---- what is seen ------------------------------------------------------------------------------------------------

sub boot { return CardeaQemu->new(esp => { 'EFI/BOOT/BOOTX64.EFI' => "$BUILD/efi/cardea.efi" }, @_) }

sub prompt { my ($vm) = @_; return $vm->expect(qr/Passphrase for LUKS(\d) volume (\S+) \(Esc skips\):/, 120) }

sub menu { my ($vm) = @_; return scalar $vm->expect(qr/What now\?(.*?)Number, then Enter:/, 60) }

# The menu's number before a text that matches.
sub choose {
	my ($vm, $menu, $what) = @_;
	my ($n) = $menu =~ /(\d+) \Q$what\E/ or $vm->fail("the menu has no \"$what\"");
	$vm->send_line($n);
}

sub power_off {
	my ($vm, $menu) = @_;
	choose($vm, $menu, 'Power off');
	is($vm->wait_exit, 0, 'powers off');
}

# hello.efi ran from the volume of that name.
sub ran {
	my ($vm, $name) = @_;
	$vm->expect(qr/is open \(key slot \d+, \d+ ms\)\./, 120);
	ok($vm->try_expect(qr/HELLO\.TXT says: inside \Q$name\E .*\Q$sentence\E/s, 60), "$name: the program inside ran")
		or $vm->fail("$name: hello.efi did not run");
}

# One volume after the other, each started from the menu's point of view: unlock, run, back to the menu.
sub unlock_in_turn {
	my ($volumes, %o) = @_;
	my $vm = boot(disks => [map { { file => $_->{file}, %{ $_->{disk} // {} } } } @$volumes], %o);
	my %by_uuid = map {
		my ($uuid) = cardea(['info', $_->{file}])->{out} =~ /UUID: +(\S+)/;
		$uuid => $_;
	} @$volumes;
	my $menu;
	for my $i (0 .. $#$volumes) {
		my (undef, $uuid) = prompt($vm);
		my $v = $by_uuid{$uuid} // $vm->fail("an unknown volume: $uuid");
		$vm->send_line($v->{pass});
		ran($vm, $v->{name});
		$menu = menu($vm);
		choose($vm, $menu, 'Unlock volume') if $i < $#$volumes;
	}
	my @open = $menu =~ /: open\b/g;
	is(scalar @open, scalar @$volumes, 'the menu says that all are open');
	power_off($vm, $menu);
}

subtest 'LUKS1 and LUKS2, AES and Twofish' => sub {
	unlock_in_turn([
		from_corpus('luks1-aes-cbc-essiv-sha256-256', 512),
		from_corpus('luks2-kdf-argon2id-m4096-p2', 512),
		from_qemu('luks1-twofish-cbc-essiv', 'two fish', 'cipher-alg=twofish-256,cipher-mode=cbc,ivgen-alg=essiv,ivgen-hash-alg=sha256'),
		from_corpus('luks2-encrypt-done-twofish', 512),
		from_cryptsetup('luks2-argon2id-default-cipher', 'argon pass', '--pbkdf', 'argon2id', '--pbkdf-memory', 16384,
			'--pbkdf-parallel', 4, '--pbkdf-force-iterations', 4),
	]);
};

subtest 'disks of 4096-byte blocks, LUKS2 Twofish-XTS, a bus that wants aligned buffers' => sub {
	my @volumes = (
		from_corpus('luks2-sector4096-twofish-xts-plain64-512', 4096),
		from_cryptsetup('luks2-512-on-4kn', '4Kn', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', 1000, '--sector-size', 512),
		from_cryptsetup('luks2-on-ahci', 'xts', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', 1000, '--cipher',
			'aes-xts-plain64', '--sector-size', 512),
	);
	# A volume of 512-byte sectors on a 4096-byte disk is a disk of 4096-byte blocks: so must its FAT be.
	fill('luks2-512-on-4kn', $volumes[1]{file}, '4Kn', 3072, 4096);
	$volumes[0]{disk} = { block_size => 4096 };
	$volumes[1]{disk} = { block_size => 4096, bus => 'nvme' };
	$volumes[2]{disk} = { bus => 'ahci' };
	unlock_in_turn(\@volumes);
};

subtest 'a partition of a GPT disk' => sub {
	my $name = 'gpt-luks2-last';
	my $v = from_corpus($name, 512, '--partition', $entry{$name}{volumes}[0]{container}{partition});
	my $vm = boot(disks => [{ file => $v->{file} }]);
	$vm->expect(qr/On \S+HD\(2,GPT/, 120);
	prompt($vm);
	$vm->send_line($v->{pass});
	ran($vm, $name);
	power_off($vm, menu($vm));
};

subtest 'typing: wrong, corrected, skipped' => sub {
	my $v = from_corpus('luks1-twofish-cbc-plain64-128', 512);
	my $vm = boot(disks => [{ file => $v->{file}, snapshot => 0 }]);
	prompt($vm);
	$vm->send_line('wrong passphrase');
	$vm->expect(qr/No key slot opens with this passphrase\. Try again, or press Esc to skip this volume\./, 60);
	prompt($vm);
	$vm->send_line('');
	$vm->expect(qr/No key slot opens/, 60);
	prompt($vm);
	$vm->send_raw("abc\e");
	$vm->expect(qr/stays locked/, 60);
	my $menu = menu($vm);
	like($menu, qr/: locked/, 'Esc leads to the menu');
	$vm->send_line('99');
	$vm->expect(qr/Please type a number from 1 to/, 20);
	choose($vm, $menu, 'Look for volumes again');
	$menu = menu($vm);
	choose($vm, $menu, 'Unlock volume');
	prompt($vm);
	# Characters taken back one by one, and a line taken back whole.
	$vm->send_raw('xyz' . "\x15" . substr($v->{pass}, 0, 3) . 'QQ' . "\x7f\x7f" . substr($v->{pass}, 3) . "z\x08\r");
	ran($vm, $v->{name});
	$menu = menu($vm);
	choose($vm, $menu, 'Start the program in volume');
	ok($vm->try_expect(qr/\Q$sentence\E/, 60), 'started again from the menu');
	$menu = menu($vm);
	power_off($vm, $menu);
	unlike($vm->text, qr/\Q$v->{pass}\E/, 'the passphrase is never shown');
};

subtest 'what cannot be opened' => sub {
	my @files = map { "$corpus/$entry{$_}{files}[0]{file}" }
		qw(luks2-serpent-xts-plain64-256 luks2-integrity-hmac-sha256 luks2-damage-A-both-csum);
	my $cut = spew("$dir/cut.img", substr(slurp("$corpus/luks1-twofish-cbc-plain64-128/disk.img"), 0, 600 << 10));
	my $vm = boot(disks => [map { { file => $_ } } @files, $cut, zeros("$dir/zeros.img", 1 << 20)]);
	$vm->expect(qr/cipher serpent is not supported \(supported: aes, twofish\)/, 120);
	$vm->expect(qr/integrity protection \(hmac\(sha256\)\) is not supported/, 20);
	$vm->expect(qr/both LUKS2 headers are damaged/, 20);
	$vm->expect(qr/cut short: the data begins at byte/, 20);
	my $menu = menu($vm);
	unlike($menu, qr/Unlock volume/, 'none is offered');
	power_off($vm, $menu);
	unlike($vm->text, qr/Passphrase for/, 'no passphrase was asked for');
};

subtest 'a disk that returns errors' => sub {
	my $v = from_corpus('luks1-reenc-done', 512);
	# The data's second MiB half: the file system is found, the program cannot be read.
	my $at = int($entry{'luks1-reenc-done'}{volumes}[0]{segment_offset} / 512) + 40;
	spew("$dir/blkdebug", "[inject-error]\nevent = \"read_aio\"\nerrno = \"5\"\nsector = \"$at\"\nonce = \"off\"\n");
	my $vm = boot(extra => ['-drive', "if=none,id=bad,driver=raw,file.driver=blkdebug,file.config=$dir/blkdebug," .
		"file.image.filename=$v->{file},snapshot=off", '-device', 'virtio-blk-pci,drive=bad']);
	prompt($vm);
	$vm->send_line($v->{pass});
	$vm->expect(qr/is open/, 60);
	$vm->expect(qr/reading at block \d+ failed/, 60);
	power_off($vm, menu($vm));
};

# The program is named by a load option, which QEMU hands over when it starts cardea.efi as a "kernel".
sub boot_with_options {
	my ($options, @disks) = @_;
	return CardeaQemu->new(disks => \@disks, extra => ['-kernel', "$BUILD/efi/cardea.efi", '-append', $options]);
}

subtest 'disks that are pulled out' => sub {
	my $v = from_cryptsetup('usb', 'usb', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', 1000);
	spew("$dir/pw", 'usb');
	spew("$dir/pw2", 'never');
	run(['cryptsetup', 'luksAddKey', '--batch-mode', '--disable-locks', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations',
		5_000_000, '--key-file', "$dir/pw", $v->{file}, "$dir/pw2"]);
	for my $when ('at the prompt', 'while it is unlocked', 'while it is open') {
		my $vm = boot(disks => [{ file => $v->{file}, bus => 'usb', id => 'usb' }]);
		prompt($vm);
		if ($when =~ /unlocked/) {
			$vm->send_line('wrong');
			$vm->expect(qr/key slot 1: +\d+%/, 60);
		} elsif ($when =~ /open/) {
			$vm->send_line($v->{pass});
			ran($vm, 'usb');
			menu($vm);
		}
		$vm->qmp('device_del', id => 'dev-usb');
		sleep 3;
		$vm->send_line($v->{pass}) if $when =~ /prompt/;
		$vm->send_line('1') if $when =~ /open/;
		ok($vm->try_expect(qr/its disk is gone/, 60), "$when: it is said") or $vm->fail($when);
		power_off($vm, menu($vm));
	}
};

subtest 'the published block device' => sub {
	my $small = from_corpus('luks1-reenc-done', 512);
	my $large = from_cryptsetup('blocktest', 'pw', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', 1000);
	my $wide = from_corpus('luks2-sector4096-twofish-xts-plain64-512', 4096);
	for ([$small], [$large, bus => 'ahci'], [$wide, block_size => 4096], [$wide], [$large, readonly => 1]) {
		my ($v, @disk) = @$_;
		my $vm = boot_with_options('boot=\EFI\BLOCK.EFI', { file => $v->{file}, @disk });
		prompt($vm);
		$vm->send_line($v->{pass});
		my ($passed, $failed) = $vm->expect(qr/blocktest: (\d+) passed, (\d+) failed/, 60);
		ok($passed >= 18 && $failed == 0, "$v->{name} @disk: $passed passed") or diag($vm->transcript);
		power_off($vm, menu($vm));
	}
};

subtest 'load options' => sub {
	my $v = from_corpus('luks1-reenc-done', 512);
	my $vm = boot_with_options('frob cpu=-aes,aes=ct64 boot=\nowhere.efi', { file => $v->{file} });
	$vm->expect(qr/Load option "frob" is not known and is ignored/, 60);
	$vm->expect(qr/aes: ct64 \(as asked\) \(aesni: switched off: aes\) twofish: c/, 20);
	prompt($vm);
	$vm->send_line($v->{pass});
	$vm->expect(qr/is open/, 60);
	$vm->expect(qr/There is no \\nowhere\.efi in it to start/, 20);
	power_off($vm, menu($vm));
};

subtest 'long passphrases, Esc while it works, too little memory' => sub {
	my $pass = join('', map { chr(33 + ($_ * 37) % 94) } 1 .. 512);
	my $long = from_cryptsetup('long', $pass, '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', 1000);
	# Ten million iterations take a minute or more in here; nobody waits for them.
	my $slow = from_cryptsetup('slow', 'slow', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', 1000);
	my $big = zeros("$dir/big.img", 20 << 20);
	spew("$dir/pw", 'big');
	my $r = run(['cryptsetup', 'luksFormat', '--batch-mode', '--disable-locks', '--type', 'luks2', '--pbkdf', 'argon2id',
		'--pbkdf-memory', 1048576, '--pbkdf-parallel', 4, '--pbkdf-force-iterations', 4, $big, "$dir/pw"]);
	is($r->{code}, 0, 'a volume with the default memory cost of 1 GiB') or diag($r->{err});
	spew("$dir/pw2", 'slow');
	spew("$dir/pw3", 'never');
	run(['cryptsetup', 'luksAddKey', '--batch-mode', '--disable-locks', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations',
		10_000_000, '--key-file', "$dir/pw2", $slow->{file}, "$dir/pw3"]);
	my $vm = boot(disks => [{ file => $long->{file} }, { file => $big }, { file => $slow->{file} }]);
	prompt($vm);
	# One byte more than there is room for is refused, and said so.
	$vm->send_raw("${pass}x");
	$vm->expect(qr/A passphrase is at most 512 bytes long/, 20);
	$vm->send_raw("\r");
	ran($vm, 'long');
	choose($vm, menu($vm), 'Unlock volume');
	prompt($vm);
	$vm->send_line('big');
	$vm->expect(qr/key slot 0 needs 1024 MiB of memory for Argon2id, only \d+ MiB could be had/, 60);
	$vm->expect(qr/There is not enough free memory to unlock this volume/, 20);
	prompt($vm);
	$vm->send_raw("\e");
	my ($n) = menu($vm) =~ /(\d+) Unlock volume \S+ \d+ Look/ or $vm->fail('no third volume');
	$vm->send_line($n);
	prompt($vm);
	$vm->send_line('wrong');
	$vm->expect(qr/key slot 1: +\d+%, about \d+ s left, Esc stops/, 60);
	$vm->send_raw("\e");
	# Terminals' Esc may be the beginning of a longer key: the firmware waits two seconds for the rest.
	$vm->expect(qr/Stopped\. Try again/, 15);
	prompt($vm);
	$vm->send_line('slow');
	ran($vm, 'slow');
	power_off($vm, menu($vm));
};

subtest 'ways out of the menu' => sub {
	for my $way ('Restart into the firmware\'s setup', 'Restart') {
		my $vm = boot(disks => []);
		choose($vm, menu($vm), $way);
		is($vm->wait_exit, 0, $way);
	}
	my $vm = boot(disks => [], reboot => 1);
	choose($vm, menu($vm), 'Restart into the firmware\'s setup');
	ok($vm->try_expect(qr/Boot Maintenance Manager|Select Language|Device Manager/, 60), 'the setup appears')
		or diag($vm->transcript);
	$vm->kill_now;
	$vm = boot(disks => []);
	choose($vm, menu($vm), 'Leave');
	ok($vm->try_expect(qr/BdsDxe|UEFI|Shell/, 60), 'the firmware goes on');
};

subtest 'no volume at all' => sub {
	my $vm = boot(disks => []);
	$vm->expect(qr/No LUKS volume was found on any disk of this machine/, 120);
	power_off($vm, menu($vm));
};

subtest 'keyboard and screen' => sub {
	my $v = from_corpus('luks1-reenc-done', 512);
	my $vm = boot(disks => [{ file => $v->{file} }], vga => 1);
	prompt($vm);
	my $before = $vm->cpu_time;
	sleep 5;
	my $busy = $vm->cpu_time - $before;
	cmp_ok($busy, '<', 1.5, 'the CPU sleeps at the prompt') or diag("$busy s of 5 s");
	$vm->screendump("$BUILD/report/prompt.png") if mkdir("$BUILD/report") || -d "$BUILD/report";
	$vm->type_keys("$v->{pass}\n", 15);
	ran($vm, $v->{name});
	power_off($vm, menu($vm));
};

done_testing();
