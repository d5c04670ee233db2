#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `make demo`: a LUKS2 volume with a small EFI program in it, and a virtual machine that boots cardea.efi, asks for
# the passphrase, opens the volume and starts the program.
#
# On a terminal it is yours to type; without one it types the passphrase itself, powers off and exits 0 only when
# the program in the volume ran.  From the environment (or `make demo NAME=...`):
#
#   VOLUME=file PASSPHRASE=...   another image instead, which is not modified; PASSPHRASE is for runs without terminal
#   BLOCK_SIZE=4096              the image is of a disk with 4096-byte blocks
#   DEMO_WINDOW=1                on a terminal with a display: in a window
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../tests/lib";
use CardeaQemu;
use File::Path qw(make_path);
use File::Temp ();

my $BUILD = $ENV{BUILD} || 'build';
my $DEMO = "$BUILD/demo";
my $SENTENCE = 'Cardea demo: this program was started from the encrypted volume.';
my $own = ($ENV{VOLUME} // '') eq '';
my $passphrase = ($ENV{PASSPHRASE} // '') ne '' ? $ENV{PASSPHRASE} : $own ? 'cardea demo' : undef;
# A passphrase of one's own gets a volume of its own, made anew each time.
my $default = $own && $passphrase eq 'cardea demo';
my $image = $default ? "$DEMO/volume.img" : $own ? "$DEMO/own.img" : $ENV{VOLUME};

sub stop { print STDERR "demo: @_\n"; exit 1 }

# Runs a command with text on its standard input.
sub feed
{
	my ($input, @command) = @_;

	open(my $to, '|-', @command) or stop("$command[0]: $!");
	print $to $input;
	close($to) or stop("`@command` failed");
}

sub make_volume
{
	my ($path) = @_;
	my $fat = "$DEMO/inside.img";
	my $new = "$path.new";
	my $mib = 48;

	print "Making an encrypted volume: $path (LUKS2, AES-XTS, Argon2id, $mib MiB)\n";
	make_path($DEMO);
	CardeaQemu::make_fat($fat, {
		'EFI/BOOT/BOOTX64.EFI' => "$BUILD/efi/hello.efi",
		'HELLO.TXT' => \"This line was read from inside the encrypted volume.\r\n",
	}, 24);
	open(my $file, '>', $new) or stop("$new: $!");
	truncate($file, $mib << 20) or stop("$new: $!");
	close($file);
	# On a file, so that neither root nor a device-mapper is needed; few and small rounds: this key is no secret.
	feed($passphrase, qw(cryptsetup luksFormat --batch-mode --disable-locks --type luks2 --cipher aes-xts-plain64
		--key-size 512 --pbkdf argon2id --pbkdf-memory 32768 --pbkdf-parallel 1 --pbkdf-force-iterations 4
		--label demo --key-file -), $new);
	feed("$passphrase\n", "$BUILD/host/cardea", 'write', $new, '--input', $fat);
	rename($new, $path) or stop("$path: $!");
}

sub newer { my ($a, $b) = @_; return (stat $a)[9] > (stat $b)[9] }

sub machine
{
	return (esp => { 'EFI/BOOT/BOOTX64.EFI' => "$BUILD/efi/cardea.efi" },
		disks => [ { file => $image, snapshot => 1, block_size => $ENV{BLOCK_SIZE} || 512 } ], @_);
}

sub interactive
{
	my $window = $ENV{DEMO_WINDOW} && $ENV{DISPLAY};
	my $dir = File::Temp->newdir('cardea-demo-XXXXXX', TMPDIR => 1);
	my @args = CardeaQemu::command({ machine(vga => $window) }, $dir);

	print "\nA virtual machine starts Cardea from its boot disk; the encrypted volume is its second disk.\n";
	print defined $passphrase ? "The passphrase to type is:  $passphrase\n" : "Type your volume's passphrase.\n";
	print "Power off by the menu at the end", $window ? ".\n\n" : ", or press Ctrl+A and then X at any time.\n\n";
	return system(@args, $window ? ('-display', 'gtk', '-serial', 'none') : ('-display', 'none', '-serial', 'mon:stdio'));
}

# Answers every prompt with the passphrase, and skips volumes that it does not open.
sub unattended
{
	my $vm = CardeaQemu->new(machine(timeout => 600));
	my ($open, $started, $ended) = (0, 0, 0);
	my ($skip, $off);

	until ($off) {
		my ($what) = $vm->expect(qr/(Passphrase\ for\ LUKS|No\ key\ slot\ opens|Try\ again,|is\ open\ \(|Starting\ \\|
			cannot\ be\ loaded|\Q$SENTENCE\E|What\ now\?)/x, $started ? 60 : 300);

		if ($what =~ /Passphrase/) {
			$vm->expect(qr/\(Esc skips\):/);
			$skip ? $vm->send_raw("\e") : $vm->send_line($passphrase);
			$skip = 0;
		} elsif ($what =~ /No key|Try again/) {
			$skip = 1;
		} elsif ($what =~ /is open/) {
			$open++;
		} elsif ($what =~ /Starting/) {
			$started = 1;
			# Some other system may take over for good.
			if (!$own) {
				my $end = $vm->try_expect(qr/\Q$SENTENCE\E|ended: |cannot be loaded/, 30) // last;

				$ended = $end eq $SENTENCE;
				$started = 0 if $end =~ /cannot/;
			}
		} elsif ($what =~ /cannot/) {
			$started = 0;
		} elsif ($what =~ /^What/) {
			($off) = $vm->expect(qr/(\d+) Power off.*Number, then Enter:/);
		} else {
			$ended = 1;
		}
	}
	if ($off) {
		$vm->send_line($off);
		$vm->wait_exit;
	}
	print $vm->transcript;
	print "\n";
	return $ended ? (1, 'The volume was opened, and the program in it ran.') :
		$own ? (0, 'The program in the volume did not run.') :
		$started ? (1, 'The volume was opened, and its boot program was started.') :
		$open ? (1, 'The volume was opened.  Nothing bootable was found in it.') :
		(0, 'No volume was opened.');
}

for my $file ("$BUILD/efi/cardea.efi", "$BUILD/efi/hello.efi", "$BUILD/host/cardea") {
	-e $file or stop("$file is missing: run `make`");
}
if ($own) {
	make_volume($image) if !$default || !-e $image || newer("$BUILD/efi/hello.efi", $image);
} else {
	-f $image || -b $image or stop("no such file or block device: $image");
}
if (-t STDIN && -t STDOUT) {
	exit(interactive() == 0 ? 0 : 1);
}
stop('give the passphrase of your volume: PASSPHRASE=...') unless defined $passphrase;
my ($ok, $sentence) = unattended();
print "$sentence\n";
exit($ok ? 0 : 1);
