#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Known-answer tests from published files, which stay where they are: kat in the project's shared data beside the
# repository, or $CARDEA_KAT.  Each file is run with every implementation that the CPU has, and has to yield as many
# vectors as are known to be in it, so that a reader that finds none does not pass.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaTest qw($BUILD $ROOT shared);
use IPC::Open2;
use JSON::PP;
use Test::More;

my $kat = $ENV{CARDEA_KAT} // (shared() // "$ROOT/../shared") . '/kat';
my $tool = "$BUILD/tests/vectool";

plan skip_all => "the published test vectors are absent: no directory $kat" unless -d $kat;

# ---- the core ------------------------------------------------------------------------------------------------

$SIG{PIPE} = 'IGNORE';
my $pid = open2(my $from, my $to, $tool, '--quiet');

sub ask {
	my $command = join ' ', map { defined $_ && $_ ne '' ? $_ : '-' } @_;

	print {$to} "$command\n";
	$to->flush;
	my $line = <$from>;
	BAIL_OUT("vectool died at: " . substr($command, 0, 200)) unless defined $line;
	chomp $line;
	return $line;
}

my (%checks, %bad, $checks_total);

# One comparison of the vector that is being counted.
sub same {
	my ($name, $got, $want) = @_;

	$checks_total++;
	$want = '-' if $want eq '';
	return if $got eq lc $want;
	$bad{n}++;
	push @{$bad{text}}, "$name: got " . substr($got, 0, 80) . ", want " . substr(lc $want, 0, 80)
		if @{$bad{text}} < 5;
}

# Runs fn over the vectors of one file with each implementation of the primitive; fn returns how many it ran, which
# has to be `want`.
sub file_ok {
	my ($file, $primitive, $want, $fn, $note) = @_;
	my @impls = split ' ', ask('impls', $primitive);

	fail("$file: no implementation of $primitive") unless @impls;
	for my $impl (@impls) {
		ask('use', $primitive, $impl) eq 'ok' or fail("use $primitive $impl");
		%bad = (n => 0, text => []);
		my $n = -f "$kat/$file" ? $fn->("$kat/$file") : 'none: it is absent';
		my $name = "$file [$primitive $impl]: vectors: $want" . ($note ? ", $note" : '');
		if ($n ne $want) {
			fail($name);
			diag("vectors found in $file: $n; expected: $want");
		} else {
			ok($bad{n} == 0, $name);
		}
		diag($_) for @{$bad{text}};
		diag("$bad{n} comparisons failed") if $bad{n};
	}
}

# ---- readers -------------------------------------------------------------------------------------------------

sub lines {
	my ($path) = @_;

	open my $fh, '<', $path or BAIL_OUT("$path: $!");
	my @lines = <$fh>;
	close $fh;
	s/\r?\n\z// for @lines;
	return @lines;
}

# NIST .rsp and Botan .vec: "[section]", "Name = value"; a vector ends with `last` (a pattern of names).
sub read_vectors {
	my ($path, $last) = @_;
	my ($section, %v, @out) = ('');

	for (lines($path)) {
		s/#.*//;
		if (/^\[(.*)\]\s*$/) {
			$section = $1;
			%v = ();
		} elsif (/^(\w+)\s*=\s*(.*?)\s*$/) {
			my ($name, $value) = (uc $1, $2);
			%v = () if $name eq 'COUNT';
			$v{$name} = $value;
			next unless $last->($section, $name);
			push @out, { %v, SECTION => $section };
			%v = ();
		}
	}
	return @out;
}

sub read_vec {
	my ($path, @sections) = @_;
	my %want = map { $_ => 1 } @sections;
	return grep { $want{$_->{SECTION}} } read_vectors($path, sub { $_[1] eq 'OUT' || $_[1] eq 'OUTPUT' });
}

sub read_rsp {
	my ($path) = @_;
	return read_vectors($path, sub { $_[0] eq 'ENCRYPT' ? $_[1] eq 'CIPHERTEXT' : $_[1] eq 'PLAINTEXT' });
}

# Wycheproof: the tests, each with its group.
sub read_wycheproof {
	my ($path) = @_;
	my $json = decode_json(join "\n", lines($path));
	my @out;

	for my $group (@{$json->{testGroups}}) {
		push @out, { %$_, group => $group } for @{$group->{tests}};
	}
	return @out;
}

# The files of the Twofish submission: "NAME=value"; KEY, PT and CT may stand above a run of them.
sub read_submission {
	my ($path) = @_;
	my (%v, @out);

	for (lines($path)) {
		if (/^KEYSIZE=(\d+)/) {
			%v = (KEYSIZE => $1);
		} elsif (/^I=(\d+)/) {
			push @out, {%v} if defined $v{I};
			$v{I} = $1;
		} elsif (/^(KEY|IV|PT|CT)=([0-9A-F]+)/) {
			$v{$1} = $2;
		} elsif (/^=====/) {
			push @out, {%v} if defined $v{I};
			%v = ();
		}
	}
	push @out, {%v} if defined $v{I};
	return @out;
}

# Initialisers of C arrays, one list of values per top-level { }: byte arrays as hex, numbers as they stand.
sub read_c_structs {
	my ($path) = @_;
	my $text = join "\n", grep { !/^#/ } lines($path);
	my @out;

	$text =~ s{/\*.*?\*/}{}gs;
	while ($text =~ /\{((?:[^{}]|\{[^{}]*\})*)\}/g) {
		my $body = $1;
		my @fields;
		while ($body =~ /\G\s*(?:\{([^{}]*)\}|(?:CONST64\()?(0x[0-9a-fA-F]+|\d+)\)?(?:ULL|u)?)\s*,?/gc) {
			my ($array, $number) = ($1, $2);
			push @fields, defined $array
				? join('', map { sprintf '%02x', hex } $array =~ /0x([0-9a-fA-F]+)/g)
				: $number =~ /^0x/ ? unpack('Q>', pack 'H*', sprintf '%016s', substr $number, 2)
				: $number;
		}
		push @out, \@fields;
	}
	return @out;
}

sub xor_hex {
	my ($x, $y) = @_;
	return unpack 'H*', pack('H*', $x) ^ pack('H*', $y);
}

# A cipher's both directions.
sub both {
	my ($name, $command, $cipher, $head, $plain, $crypted) = @_;

	same("$name enc", ask($command, $cipher, 'enc', @$head, $plain), $crypted);
	same("$name dec", ask($command, $cipher, 'dec', @$head, $crypted), $plain);
}

# ---- AES -----------------------------------------------------------------------------------------------------

sub aes_kat {
	my ($path) = @_;
	my @v = read_rsp($path);

	for (@v) {
		my $name = "$_->{SECTION} $_->{COUNT}";
		both($name, 'cbc', 'aes', [@$_{qw(KEY IV)}], @$_{qw(PLAINTEXT CIPHERTEXT)});
		# One block of CBC is ECB of the block xored with the IV.
		both("$name as ECB", 'ecb', 'aes', [$_->{KEY}], xor_hex(@$_{qw(PLAINTEXT IV)}), $_->{CIPHERTEXT})
			if length $_->{PLAINTEXT} == 32;
	}
	return scalar @v;
}

# The key of the next outer iteration: xored with the last key_len bytes of the results (AESAVS 6.4.2).
sub next_key {
	my ($key, $before, $last) = @_;
	return xor_hex($key, substr($before . $last, -length $key));
}

sub aes_mct {
	my ($path) = @_;
	my @v = read_rsp($path);

	for my $i (0 .. $#v) {
		my ($v, $next) = @v[$i, $i + 1];
		my $enc = $v->{SECTION} eq 'ENCRYPT';
		my ($in, $out) = $enc ? qw(PLAINTEXT CIPHERTEXT) : qw(CIPHERTEXT PLAINTEXT);
		my ($before, $last) = split ' ', ask('mct-cbc', 'aes', $enc ? 'enc' : 'dec-avs',
		                                     @$v{'KEY', 'IV', $in}, 1000);
		my $name = "$v->{SECTION} $v->{COUNT}";

		same($name, $last, $v->{$out});
		next unless $next && $next->{SECTION} eq $v->{SECTION};
		same("$name: next key", next_key($v->{KEY}, $before, $last), $next->{KEY});
		same("$name: next IV", $last, $next->{IV});
		same("$name: next input", $before, $next->{$in});
	}
	return scalar @v;
}

my %rsp = (
	GFSbox128 => 14, GFSbox192 => 12, GFSbox256 => 10, KeySbox128 => 42, KeySbox192 => 48, KeySbox256 => 32,
	MMT128 => 20, MMT192 => 20, MMT256 => 20, VarKey128 => 256, VarKey192 => 384, VarKey256 => 512,
	VarTxt128 => 256, VarTxt256 => 256,
);

file_ok("aes-nist/CBC$_.rsp", 'aes', $rsp{$_}, \&aes_kat) for sort keys %rsp;
file_ok("aes-nist/CBCMCT$_.rsp", 'aes', 200, \&aes_mct, 'Monte Carlo') for 128, 256;

file_ok('aes-nist/wycheproof_aes_cbc_pkcs5_test.json', 'aes', 72, sub {
	my @v = grep { $_->{result} eq 'valid' } read_wycheproof($_[0]);

	for (@v) {
		my $pad = 16 - length($_->{msg}) / 2 % 16;
		my $padded = $_->{msg} . sprintf('%02x', $pad) x $pad;
		both("tcId $_->{tcId}", 'cbc', 'aes', [$_->{key}, $_->{iv}], $padded, $_->{ct});
	}
	return scalar @v;
}, 'the valid ones');

# ---- XTS, LRW ------------------------------------------------------------------------------------------------

sub pad_iv {
	my ($iv) = @_;
	return $iv . '0' x (32 - length $iv);
}

# Ciphertext stealing, which disks do not need, changes the last whole block and the rest: of such vectors the blocks
# before those are run, and those that have none are skipped.
sub xts_vectors {
	my ($cipher, @v) = @_;
	my %n = (whole => 0, cut => 0, skipped => 0);

	for (@v) {
		my ($name, $key, $iv, $plain, $crypted) = @$_;
		my $digits = length $plain;
		my $kind = 'whole';
		if ($digits % 32 != 0) {
			$digits = 32 * (int($digits / 32) - 1);
			$kind = $digits > 0 ? 'cut' : 'skipped';
		}
		$n{$kind}++;
		both($name, 'xts', $cipher, [$key, pad_iv($iv)], map { substr $_, 0, $digits } $plain, $crypted)
			if $digits > 0;
	}
	return "$n{whole} whole, $n{cut} cut before the stealing, $n{skipped} skipped";
}

file_ok('xts/wycheproof_aes_xts_test.json', 'aes', '63 whole, 15 cut before the stealing, 45 skipped', sub {
	return xts_vectors('aes', map { ["tcId $_->{tcId}", @$_{qw(key iv msg ct)}] } read_wycheproof($_[0]));
});

for (['aes', 'AES-128/XTS', '22 whole, 121 cut before the stealing, 30 skipped'],
     ['aes', 'AES-256/XTS', '6 whole, 30 cut before the stealing, 15 skipped'],
     ['twofish', 'Twofish/XTS', '15 whole, 210 cut before the stealing, 15 skipped']) {
	my ($cipher, $section, $want) = @$_;
	file_ok('xts/botan_xts_aes_twofish.vec', $cipher, $want, sub {
		return xts_vectors($cipher, map { [$section, @$_{qw(KEY NONCE IN OUT)}] } read_vec($_[0], $section));
	}, "section $section");
}

file_ok('xts/libtom_ieee1619_xts_aes.txt', 'aes', '4 whole, 0 cut before the stealing, 3 skipped', sub {
	return xts_vectors('aes', map {
		my ($key_len, $key1, $key2, $sequence, $len, $plain, $crypted) = @$_;
		["sequence $sequence", $key1 . $key2, unpack('H*', pack 'Q<', $sequence), $plain, $crypted];
	} read_c_structs($_[0]));
});

# These vectors have the bit order of GCM; the draft's later text and the kernel count from the other end.  The
# product that each of them lists is the same in both once it is the tweak of index 1, or its half that of index 2.
file_ok('lrw/libtom_ieee_p1619_lrw_aes.txt', 'aes', 4, sub {
	my @v = map { @$_ == 6 ? $_ : () } read_c_structs($_[0]);

	for (@v) {
		my ($key, undef, undef, $plain, $product, $crypted) = @$_;
		my $bits = unpack 'B*', pack 'H*', $product;
		both("$product, index 1", 'lrw', 'aes', [$key . $product, sprintf '%032x', 1], $plain, $crypted);
		next if $bits =~ /1\z/;
		my $half = unpack 'H*', pack 'B*', '0' . substr $bits, 0, 127;
		both("$product, index 2", 'lrw', 'aes', [$key . $half, sprintf '%032x', 2], $plain, $crypted);
	}
	return scalar @v;
});

# ---- Twofish -------------------------------------------------------------------------------------------------

file_ok('botan/twofish.vec', 'twofish', 723, sub {
	my @v = read_vec($_[0], 'Twofish');

	both("key $_->{KEY}", 'ecb', 'twofish', [$_->{KEY}], @$_{qw(IN OUT)}) for @v;
	return scalar @v;
});

for (['ecb_tbl', 147], ['ecb_vk', 576], ['ecb_vt', 384]) {
	my ($file, $n) = @$_;
	file_ok("twofish/$file.txt", 'twofish', $n, sub {
		my @v = read_submission($_[0]);

		both("$_->{KEYSIZE} I=$_->{I}", 'ecb', 'twofish', [$_->{KEY}], @$_{qw(PT CT)}) for @v;
		return scalar @v;
	});
}

# Intermediate values, then a part of ecb_tbl.txt: every KEY, PT, CT that is whole.
file_ok('twofish/ecb_ival.txt', 'twofish', 39, sub {
	my ($path) = @_;
	my (%v, $n);

	for (lines($path)) {
		next unless /^(KEY|PT|CT)=([0-9A-F]{32,64})/;
		%v = (KEY => $2) if $1 eq 'KEY';
		$v{$1} //= $2;
		next unless $1 eq 'CT' && defined $v{PT} && !$v{done}++;
		both("KEY $v{KEY}", 'ecb', 'twofish', [$v{KEY}], @v{qw(PT CT)});
		$n++;
	}
	return $n;
});

# The files keep I = 0..9, 99, 398, 399 of 400.  Each line holds what its 10000 iterations start from, so every
# one of them is run; that one leads to the next is checked where both are there.
for my $file (qw(ecb_e_m ecb_d_m cbc_e_m cbc_d_m)) {
	file_ok("twofish/$file.txt", 'twofish', 39, sub {
		my @v = read_submission($_[0]);
		my ($mode, $enc) = (substr($file, 0, 3), $file =~ /_e_/);
		my ($in, $out) = $enc ? qw(PT CT) : qw(CT PT);

		for my $i (0 .. $#v) {
			my ($v, $next) = @v[$i, $i + 1];
			my @iv = $mode eq 'cbc' ? $v->{IV} : ();
			my ($before, $last) = split ' ', ask("mct-$mode", 'twofish', $enc ? 'enc' : 'dec', $v->{KEY},
			                                     @iv, $v->{$in}, 10000);
			my $name = "$v->{KEYSIZE} I=$v->{I}";

			same($name, $last, $v->{$out});
			next unless $next && $next->{KEYSIZE} == $v->{KEYSIZE} && $next->{I} == $v->{I} + 1;
			same("$name: next key", next_key($v->{KEY}, $before, $last), $next->{KEY});
			if ($mode eq 'ecb') {
				same("$name: next input", $last, $next->{$in});
			} else {
				same("$name: next IV", $enc ? $last : $before, $next->{IV});
				same("$name: next input", $enc ? $before : $last, $next->{$in});
			}
		}
		return scalar @v;
	}, 'Monte Carlo of 10000 each');
}

# ---- hashes, HMAC --------------------------------------------------------------------------------------------

my %cardea_name = (
	'SHA-1' => 'sha1', 'SHA-224' => 'sha224', 'SHA-256' => 'sha256', 'SHA-384' => 'sha384', 'SHA-512' => 'sha512',
	'RIPEMD-160' => 'ripemd160', 'SHA-3(224)' => 'sha3-224', 'SHA-3(256)' => 'sha3-256', 'SHA-3(384)' => 'sha3-384',
	'SHA-3(512)' => 'sha3-512',
);

sub family {
	return ask('family', $cardea_name{$_[0]});
}

for (['sha1', 'SHA-1', 80], ['sha2_32', 'SHA-224', 3], ['sha2_32', 'SHA-256', 392], ['sha2_64', 'SHA-384', 7],
     ['sha2_64', 'SHA-512', 138]) {
	my ($file, $hash, $n) = @$_;
	file_ok("pbkdf-hmac-sha/botan_$file.vec", family($hash), $n, sub {
		my @v = read_vec($_[0], $hash);

		for (@v) {
			same(length($_->{IN}) / 2 . ' bytes', ask('hash', $cardea_name{$hash}, $_->{IN}), $_->{OUT});
		}
		return scalar @v;
	}, $hash);
}

file_ok('argon2/botan_blake2b_head.vec', 'blake2b', 97, sub {
	my @v = read_vec($_[0], 'BLAKE2b(256)');

	same(length($_->{IN}) / 2 . ' bytes', ask('blake2b', 32, $_->{IN}), $_->{OUT}) for @v;
	return scalar @v;
});

my %hmac = ('SHA-1' => 6, 'RIPEMD-160' => 4, 'SHA-224' => 5, 'SHA-256' => 7, 'SHA-384' => 6, 'SHA-512' => 6,
            'SHA-3(224)' => 8, 'SHA-3(256)' => 8, 'SHA-3(384)' => 8, 'SHA-3(512)' => 8);
for my $hash (sort keys %hmac) {
	file_ok('pbkdf-hmac-sha/botan_hmac.vec', family($hash), $hmac{$hash}, sub {
		my @v = read_vec($_[0], "HMAC($hash)");

		same("key $_->{KEY}", ask('hmac', $cardea_name{$hash}, @$_{qw(KEY IN)}), $_->{OUT}) for @v;
		return scalar @v;
	}, "HMAC-$hash");
}

my %wycheproof_hmac = (sha1 => [66, 104], sha256 => [66, 108], sha512 => [66, 108]);
for my $hash (sort keys %wycheproof_hmac) {
	my ($valid, $invalid) = @{$wycheproof_hmac{$hash}};
	file_ok("pbkdf-hmac-sha/wycheproof_hmac_${hash}_test.json", ask('family', $hash), $valid + $invalid, sub {
		my @v = read_wycheproof($_[0]);

		for (@v) {
			my $tag = substr ask('hmac', $hash, $_->{key}, $_->{msg}), 0, length $_->{tag};
			if ($_->{result} eq 'valid') {
				same("tcId $_->{tcId}", $tag, $_->{tag});
			} else {
				same("tcId $_->{tcId}", $tag eq lc $_->{tag} ? 'equal' : 'different', 'different');
			}
		}
		return scalar @v;
	}, "$invalid of them with a wrong tag");
}

# ---- key derivation ------------------------------------------------------------------------------------------

for (['SHA-1', 11], ['SHA-256', 1], ['SHA-384', 1], ['SHA-512', 1]) {
	my ($hash, $n) = @$_;
	file_ok('pbkdf-hmac-sha/botan_pbkdf2.vec', family($hash), $n, sub {
		my @v = read_vec($_[0], "PBKDF2(HMAC($hash))");

		same("$_->{ITERATIONS} iterations", ask('pbkdf2', $cardea_name{$hash}, unpack('H*', $_->{PASSPHRASE}),
		     @$_{qw(SALT ITERATIONS)}, length($_->{OUTPUT}) / 2), $_->{OUTPUT}) for @v;
		return scalar @v;
	}, "PBKDF2-$hash");
}

for (['sha1', 64], ['sha256', 60], ['sha512', 58]) {
	my ($hash, $n) = @$_;
	file_ok("pbkdf-hmac-sha/wycheproof_pbkdf2_hmac${hash}_test.json", ask('family', $hash), $n, sub {
		my @v = grep { $_->{result} eq 'valid' } read_wycheproof($_[0]);

		same("tcId $_->{tcId}", ask('pbkdf2', $hash, @$_{qw(password salt iterationCount dkLen)}), $_->{dk})
			for @v;
		return scalar @v;
	});
}

for (['i', 15], ['id', 330]) {
	my ($type, $n) = @$_;
	file_ok('argon2/botan_argon2.vec', 'argon2', $n, sub {
		my @v = read_vec($_[0], "Argon2$type");

		same("m=$_->{M} t=$_->{T} p=$_->{P}", ask('argon2', $type, @$_{qw(T M P PASSPHRASE SALT)},
		     length($_->{OUTPUT}) / 2, @$_{qw(SECRET AD)}), $_->{OUTPUT}) for @v;
		return scalar @v;
	}, "Argon2$type");
}

file_ok('argon2/botan_argon2.vec', 'argon2', 12, sub {
	my @v = read_vec($_[0], 'Argon2d');

	same("m=$_->{M}", ask('argon2', 'd', @$_{qw(T M P PASSPHRASE SALT)}, length($_->{OUTPUT}) / 2),
	     'error: not supported') for @v;
	return scalar @v;
}, 'Argon2d, which is to be refused');

file_ok('argon2/phc_argon2id_v13_trimmed.txt', 'argon2', 1, sub {
	my $text = join "\n", lines($_[0]);
	my ($m, $t, $p, $len) = $text =~
		/Memory: (\d+) KiB, Iterations: (\d+), Parallelism: (\d+) lanes, Tag length: (\d+)/ or return 0;
	my %f;

	while ($text =~ /^(Password|Salt|Secret|Associated data|Tag)(?:\[\d+\])?: ((?:[0-9a-f]{2} ?)+)/mg) {
		($f{$1} = $2) =~ s/ //g;
	}
	same('tag', ask('argon2', 'id', $t, $m, $p, @f{'Password', 'Salt'}, $len, @f{'Secret', 'Associated data'}),
	     $f{Tag});
	return 1;
});

close $to;
waitpid $pid, 0;
is($?, 0, 'vectool ended well');
note("$checks_total comparisons");
done_testing();
