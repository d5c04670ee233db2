#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Volumes that the Linux kernel's dm-crypt, cryptsetup and QEMU made: the whole corpus where it is there, else the
# choice of it in tests/images.  What has a cipher that is built in opens, with the payload that the kernel saw;
# everything else is refused, with the exit code and a message that says why.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CardeaTest qw(scratch cardea sha256_file corpus unlock_case);
use Test::More;

my ($dir, $list) = corpus();
diag('../shared/corpus is absent: only the images in tests/images are tested') if $dir =~ m{/images$};

my $out = scratch() . '/payload';
my %seen;

# What must happen, from what the manifest says: [exit code, message] or 'open'.
sub expected {
	my ($e, $v, $u) = @_;
	# After a reencryption only the mapping knows the present cipher.
	my ($mapped) = join(' ', @{ $v->{dm_table} // [] }) =~ / crypt (\S+)/;
	my ($name, $cipher) = ($e->{name}, $mapped // $v->{cipher} // '');

	return [4, qr/no LUKS header here/] if $v->{format} =~ /^(plain|truecrypt|veracrypt)/;
	# Formats and states that come later, by name.
	return [3, qr/LVM2 physical volume/] if $v->{container}{kind} eq 'lvm-lv';
	return [3, qr/integrity protection/] if $e->{kind} =~ /integrity/;
	return [3, qr/reencrypt/] if $e->{kind} eq 'luks2-reencrypt' && $name !~ /-done/;
	# Damage.
	return [4, qr/both LUKS2 headers are damaged/] if $name =~ /damage-.-both-(csum|json)$/;
	return [4, qr/no LUKS header here/] if $name =~ /damage-.-both-magic$|luks1-damage-A-magic$/;
	return [4, qr/partition table or boot sector is in its place/] if $name =~ /-prim-mbr$/;
	return [3, qr/cipher \S+ is not supported/] if $name =~ /cipher-garbage/;
	return [3, qr/LUKS version 3 is not supported/] if $name =~ /damage-A-version/;
	# The KDF and the header come before the cipher of the data for these.
	return [3, qr/(cipher (serpent|camellia|blowfish|cipher_null)|mode adiantum) is not supported/]
		if $cipher =~ /^(?:capi:)?(serpent|camellia|blowfish|cipher_null|xchacha)/;
	return [2, qr/no key slot opens/] if $name =~ /keyslot-zero|mkdigest|slot0-material/ && $u->{expect} eq 'fail';
	# cryptsetup refuses this one; the manifest says that a reader which honours the number of stripes may open it.
	return 'open' if $name eq 'luks1-stripes-8000';
	return [2, qr/no key slot opens|priority "ignore"/] if $u->{expect} eq 'fail';
	return 'open';
}

for my $e (@$list) {
	for my $v (@{ $e->{volumes} }) {
		for my $u (@{ $v->{unlock} }) {
			my $what = "$e->{name}, $v->{id}, slot " . ($u->{slot} // '-');
			my $want = expected($e, $v, $u);
			my ($image, $args, %o) = unlock_case($dir, $e, $v, $u);
			unlink $out;
			# The payload of a volume with LVM inside is one of the logical volumes.
			push @$args, '--range', $2 * 512 . ':' . $1 * 512
				if $v->{inner} && "@{ $v->{dm_table} }" =~ /-root: 0 (\d+) linear \S+ (\d+)/;
			my $r = cardea(['unlock', $image, @$args, '--output', $out], %o);
			if ($want eq 'open') {
				my $p = $v->{payload};
				my $same = $r->{code} eq '0' && -s $out == $p->{size} && sha256_file($out) eq $p->{sha256};
				ok($same, "$what opens ($v->{cipher})") or diag("exit $r->{code}, ", -s $out // 'no file', " bytes of $p->{size}\n$r->{err}");
				$seen{open}++;
			} else {
				my ($code, $message) = @$want;
				my $good = $r->{code} eq $code && $r->{err} =~ $message && !-e $out;
				ok($good, "$what refused ($code)") or diag("exit $r->{code}, wanted $code and $message\n$r->{err}");
				$seen{refused}++;
			}
			my @left = grep { !/^\.|^key$|^payload$/ } do { opendir(my $d, scratch()); readdir $d };
			is("@left", '', "$what leaves nothing behind") if @left;
		}
	}
}
cmp_ok($seen{open} // 0, '>=', 5, 'enough volumes were opened');
note("$seen{open} opened, ", $seen{refused} // 0, ' refused');
done_testing();
