# SPDX-License-Identifier: MIT
# What the host tests share: where things are, running the program, and images.
package CardeaTest;
use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::SHA;
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use POSIX ();

our @EXPORT_OK = qw($ROOT $BUILD $CARDEA shared scratch run qemu_img cardea slurp spew sha256_file corpus
	unlock_case have zeros pattern);

our $ROOT   = abs_path(dirname(__FILE__) . '/../..');
our $BUILD  = $ENV{BUILD} ? abs_path($ENV{BUILD}) : "$ROOT/build";
our $CARDEA = "$BUILD/host/cardea";

# The project's shared data beside the repository, or undef.
sub shared {
	my $dir = "$ROOT/../shared";
	return -d $dir ? abs_path($dir) : undef;
}

my $scratch;

# A directory of this test's own, gone at the end.
sub scratch { return $scratch //= tempdir('cardea-XXXXXX', TMPDIR => 1, CLEANUP => 1) }

# Runs a command: { code, out, err }.  `in` is its standard input.
sub run {
	my ($cmd, %o) = @_;
	my $dir = scratch();
	my ($in, $out, $err) = map { "$dir/.$_" } qw(in out err);
	spew($in, $o{in} // '');
	my $pid = fork() // die "fork: $!";
	if ($pid == 0) {
		open(STDIN,  '<', $in)  or POSIX::_exit(126);
		open(STDOUT, '>', $out) or POSIX::_exit(126);
		open(STDERR, '>', $err) or POSIX::_exit(126);
		exec { $cmd->[0] } @$cmd or POSIX::_exit(127);
	}
	waitpid($pid, 0);
	my $code = $? & 127 ? "signal " . ($? & 127) : $? >> 8;
	return { code => $code, out => slurp($out), err => slurp($err), cmd => "@$cmd" };
}

# qemu-img measures its own speed and gives up when the clock is too coarse for it ("Unable to get accurate CPU
# usage"): then again.
sub qemu_img {
	my @args = @_;
	my $r;
	for (1 .. 20) {
		$r = run(['qemu-img', @args]);
		last if $r->{err} !~ /accurate CPU usage/;
	}
	return $r;
}

sub cardea { my ($args, %o) = @_; return run([$CARDEA, @$args], %o) }

sub slurp {
	my ($file) = @_;
	open(my $f, '<:raw', $file) or die "$file: $!";
	local $/;
	my $data = <$f>;
	return $data // '';
}

sub spew {
	my ($file, $data) = @_;
	open(my $f, '>:raw', $file) or die "$file: $!";
	print {$f} $data;
	close($f) or die "$file: $!";
	return $file;
}

sub sha256_file { return Digest::SHA->new(256)->addfile($_[0], 'b')->hexdigest }

sub have { my ($program) = @_; return grep { -x "$_/$program" } split(/:/, $ENV{PATH}), '/sbin', '/usr/sbin' }

# A file of `len` zero bytes, sparse.
sub zeros {
	my ($file, $len) = @_;
	open(my $f, '>:raw', $file) or die "$file: $!";
	truncate($f, $len) or die "$file: $!";
	close($f);
	return $file;
}

# Bytes that show where they belong: every 16 hold their own offset.
sub pattern { my ($len) = @_; return join('', map { pack('Q>Q<', $_ * 16, $_) } 0 .. $len / 16 - 1) }

# Images with their manifest: (folder, list of entries).  The whole corpus of the project's shared data where it is,
# else the choice of it in tests/images.  Unpacked once, into build/.
sub corpus {
	my $from = shared() ? shared() . '/corpus' : '';
	my $name = 'corpus';
	($from, $name) = ("$ROOT/tests/images", 'images') if !-e "$from/images.tar.zst";
	my ($tar, $dir) = ("$from/images.tar.zst", "$BUILD/$name");
	if (!-e "$dir/.complete" || (stat "$dir/.complete")[9] < (stat $tar)[9]) {
		mkdir $BUILD;
		mkdir $dir;
		system('tar', '-C', $dir, '--zstd', '-xf', $tar) == 0 or die "unpacking $tar failed\n";
		spew("$dir/.complete", '');
	}
	return ($dir, JSON::PP->new->decode(slurp("$from/manifest.json")));
}

# Arguments and standard input with which `cardea` is to open one slot of a manifest's volume.
sub unlock_case {
	my ($dir, $entry, $volume, $unlock) = @_;
	my ($args, %o) = ([]);
	my %file = map { $_->{role} => "$dir/$_->{file}" } @{ $entry->{files} };
	my $image = $file{disk} // $file{data};
	push @$args, '--header', $file{header} if $file{header};
	my $c = $volume->{container};
	push @$args, '--partition', $c->{partition} if $c->{kind} =~ /partition/;
	push @$args, '--key-slot', $1 if ($unlock->{open_args} // '') =~ /--key-slot (\d+)/;
	my $key = pack('H*', $unlock->{passphrase_hex});
	if ($unlock->{via} eq 'keyfile' || $key =~ /\n/) {
		my $offset = $unlock->{keyfile_offset} // 0;
		my $kf = spew(scratch() . '/key', $key);
		push @$args, '--key-file', $kf;
		push @$args, '--keyfile-offset', $offset if $offset;
		push @$args, '--keyfile-size', $unlock->{keyfile_size} if $unlock->{keyfile_size};
	} else {
		$o{in} = "$key\n";
	}
	return ($image, $args, %o);
}

1;
