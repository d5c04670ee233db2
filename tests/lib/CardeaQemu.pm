# SPDX-License-Identifier: MIT
# A virtual machine with OVMF that boots an EFI program, for the tests and the demo.
#
#   my $vm = CardeaQemu->new(esp => { 'EFI/BOOT/BOOTX64.EFI' => 'build/efi/cardea.efi' },
#                            disks => [ { file => 'volume.img', block_size => 4096 } ]);
#   $vm->expect(qr/Passphrase for LUKS2 volume (\S+) \(Esc skips\):/);
#   $vm->send_line('secret');
#   $vm->expect(qr/is open/);
#   $vm->qmp('quit');
#   $vm->wait_exit;
#
# Options of new: esp (path => file, or path => \'content'; none: no boot disk), disks, cpu ('max'), mem (512), smp,
# vga (1: a VGA device, for screendump), machine (more words for -machine), extra (more arguments), firmware, vars,
# timeout (300 seconds: the machine's whole life), reboot (1: a restart is not an exit).
# A disk: file, block_size (512 or 4096), snapshot (1 unless 0: writes are thrown away), readonly, bus (virtio,
# nvme, scsi, usb, ahci), id (for qmp), format ('raw').
#
# expect matches serial text without escape sequences in which each run of white space is one space, because
# consoles break long lines where they like; text() has the lines.  A failure dies after it showed the transcript.
package CardeaQemu;
use strict;
use warnings;
use Carp qw(croak);
use Cwd qw(abs_path);
use Errno ();
use Fcntl ();
use File::Temp ();
use IO::Select;
use IO::Socket::UNIX;
use JSON::PP ();
use POSIX ();
use Time::HiRes qw(time sleep);

our $FIRMWARE = '/usr/share/OVMF/OVMF_CODE_4M.fd';
our $VARS = '/usr/share/OVMF/OVMF_VARS_4M.fd';

sub _run
{
	my @command = @_;
	my $out = '';
	my $pid = open(my $pipe, '-|') // croak "fork: $!";

	if ($pid == 0) {
		open(STDERR, '>&', \*STDOUT);
		exec(@command) or POSIX::_exit(127);
	}
	$out .= $_ while <$pipe>;
	close($pipe) or croak "@command failed:\n$out";
	return $out;
}

# A FAT image without partitions that holds these files.
sub make_fat
{
	my ($image, $files, $mib) = @_;
	my %made;

	unlink $image;
	_run('mformat', '-i', $image, '-C', '-v', 'CARDEA', '-T', ($mib // 48) * 2048, '::');
	for my $path (sort keys %$files) {
		my ($dir, $source) = ('', $files->{$path});
		my @parts = split m{/}, $path;
		my $temp;

		pop @parts;
		for my $part (@parts) {
			$dir .= "/$part";
			_run('mmd', '-i', $image, "::$dir") unless $made{$dir}++;
		}
		if (ref $source) {
			$temp = File::Temp->new;
			print $temp $$source;
			close($temp);
			$source = $temp->filename;
		}
		_run('mcopy', '-i', $image, $source, "::/$path");
	}
}

sub _disk_args
{
	my ($d, $n) = @_;
	my $id = $d->{id} // "disk$n";
	my $bus = $d->{bus} // 'virtio';
	my $size = $d->{block_size} // 512;
	my $blocks = "logical_block_size=$size,physical_block_size=$size";
	# A comma in a name is written twice.
	my $file = (abs_path($d->{file}) // croak "no such file: $d->{file}") =~ s/,/,,/gr;
	my $drive = "if=none,id=$id,file=$file,format=" . ($d->{format} // 'raw') .
		',snapshot=' . (($d->{snapshot} // 1) ? 'on' : 'off') . ($d->{readonly} ? ',readonly=on' : '');
	my $boot = defined $d->{bootindex} ? ",bootindex=$d->{bootindex}" : '';
	my %device = (
		virtio => "virtio-blk-pci,drive=$id,id=dev-$id,$blocks",
		nvme => "nvme,drive=$id,id=dev-$id,serial=$id,$blocks",
		scsi => "scsi-hd,drive=$id,id=dev-$id,bus=scsi0.0,$blocks",
		usb => "usb-storage,drive=$id,id=dev-$id,bus=xhci.0,$blocks",
		ahci => "ide-hd,drive=$id,id=dev-$id,bus=ide.$n,$blocks",
	);

	croak "no such bus: $bus" unless $device{$bus};
	return ('-drive', $drive, '-device', $device{$bus} . $boot);
}

# The command line; $dir is for the machine's own files.  The demo runs it with a terminal.
sub command
{
	my ($o, $dir) = @_;
	my @disks = @{ $o->{disks} // [] };
	my %bus = map { ($_->{bus} // 'virtio') => 1 } @disks;
	my $n = 0;
	my @args;

	make_fat("$dir/esp.img", $o->{esp}, $o->{esp_mib}) if $o->{esp};
	_run('cp', $o->{vars} // $VARS, "$dir/vars.fd");
	@args = ('qemu-system-x86_64', '-machine', join(',', 'q35', $o->{machine} // ()), '-accel', 'tcg',
		'-cpu', $o->{cpu} // 'max', '-m', $o->{mem} // 512, '-smp', $o->{smp} // 1, '-nodefaults', '-net', 'none',
		'-drive', 'if=pflash,format=raw,unit=0,readonly=on,file=' . ($o->{firmware} // $FIRMWARE),
		'-drive', "if=pflash,format=raw,unit=1,file=$dir/vars.fd");
	push @args, '-no-reboot' unless $o->{reboot};
	push @args, $o->{vga} ? ('-device', 'VGA') : ('-vga', 'none');
	push @args, '-device', 'qemu-xhci,id=xhci' if $bus{usb};
	push @args, '-device', 'virtio-scsi-pci,id=scsi0' if $bus{scsi};
	push @args, _disk_args({ file => "$dir/esp.img", id => 'esp', bootindex => 0, snapshot => 0 }, 0) if $o->{esp};
	push @args, _disk_args($_, $n++) for @disks;
	return (@args, @{ $o->{extra} // [] });
}

sub new
{
	my ($class, %o) = @_;
	my $dir = File::Temp->newdir('cardea-qemu-XXXXXX', TMPDIR => 1);
	my $timeout = $o{timeout} // 300;
	my @args = (command(\%o, $dir), '-display', 'none',
		'-chardev', "pipe,id=serial,path=$dir/serial", '-serial', 'chardev:serial',
		'-chardev', "socket,id=qmp,path=$dir/qmp,server=on,wait=off", '-mon', 'chardev=qmp,mode=control');
	my $self = bless { dir => $dir, raw => '', at => 0, deadline => time + $timeout, events => [], owner => $$ }, $class;

	# Pipes, not a socket: a socket takes only a few hundred bytes that come one by one, and on a busy machine the
	# serial port then loses what the reader is too slow for.
	POSIX::mkfifo("$dir/serial.$_", 0600) or croak "mkfifo: $!" for qw(in out);
	$self->{pid} = fork() // croak "fork: $!";
	if ($self->{pid} == 0) {
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>', "$dir/output");
		open(STDERR, '>&', \*STDOUT);
		# Should we be killed, the machine does not live on.
		exec('timeout', '-k', '5', int($timeout) + 10, @args) or POSIX::_exit(127);
	}
	$self->{qmp} = $self->_connect("$dir/qmp");
	# QEMU has them open by now.
	sysopen($self->{serial}, "$dir/serial.out", Fcntl::O_RDONLY()) or croak "serial: $!";
	sysopen($self->{serial_in}, "$dir/serial.in", Fcntl::O_WRONLY()) or croak "serial: $!";
	$self->{qmp_buf} = '';
	$self->_qmp_read(30);
	$self->qmp('qmp_capabilities');
	return $self;
}

sub _connect
{
	my ($self, $path) = @_;

	for (1 .. 300) {
		my $s = IO::Socket::UNIX->new(Peer => $path);

		return $s if $s;
		last if waitpid($self->{pid}, POSIX::WNOHANG()) == $self->{pid};
		sleep 0.1;
	}
	$self->{pid} = 0;
	croak 'QEMU does not start: ' . $self->output;
}

# What QEMU itself said.
sub output
{
	my ($self) = @_;

	open(my $in, '<', "$self->{dir}/output") or return '';
	local $/;
	return scalar(<$in>) // '';
}

# ---- serial line ----------------------------------------------------------------------------------------------

# Takes what has come, waiting at most this long for anything; false at the end of the line.
sub pump
{
	my ($self, $wait) = @_;

	return 0 unless $self->{serial};
	while (IO::Select->new($self->{serial})->can_read($wait // 0)) {
		my $n = sysread($self->{serial}, my $buf, 65536);

		if (!$n) {
			next if !defined $n && $!{EINTR};
			close($self->{serial});
			delete $self->{serial};
			return 0;
		}
		$self->{raw} .= $buf;
		$wait = 0;
	}
	return 1;
}

# Everything so far without escape sequences, as lines.
sub text
{
	my ($self) = @_;
	my $t = $self->{raw};

	$t =~ s/\e(?:\[[0-9;?=]*)?\z//;
	$t =~ s/\e\[[0-9;]*H/\n/g;
	$t =~ s/\e\[[0-9;?=]*[A-Za-z]//g;
	$t =~ s/\e[()][A-Z0-9]//g;
	$t =~ s/\0//g;
	$t =~ s/\r+\n/\n/g;
	return $t;
}

sub _flat
{
	my ($self) = @_;
	my $t = $self->text;

	$t =~ s/\s+/ /g;
	return $t;
}

# The transcript for people: no empty lines, progress lines only as they were last.
sub transcript
{
	my ($self) = @_;
	my $t = $self->text;

	$t =~ s/^.*\r(?!\n)//mg;
	return join '', map { "$_\n" } grep { /\S/ } split /\n/, $t;
}

# Like expect, but undef when it does not come.
sub try_expect
{
	my ($self, $regex, $timeout) = @_;
	my $end = time + ($timeout // 60);

	$end = $self->{deadline} if $end > $self->{deadline};
	for (;;) {
		my $t = $self->_flat;

		pos($t) = $self->{at};
		if ($t =~ /$regex/g) {
			my @found = map { defined $-[$_] ? substr($t, $-[$_], $+[$_] - $-[$_]) : undef } 1 .. $#+;
			my $all = substr($t, $-[0], $+[0] - $-[0]);

			$self->{at} = $+[0];
			return wantarray ? (@found ? @found : ($all)) : $all;
		}
		return if time >= $end;
		return if !$self->pump($end - time < 1 ? $end - time : 1) && $self->_flat eq $t;
	}
}

# Waits for text after what was matched before.  Returns the groups, or all that matched.
sub expect
{
	my ($self, $regex, $timeout) = @_;
	my @found = $self->try_expect($regex, $timeout);

	return wantarray ? @found : $found[0] if @found;
	$self->fail("no match for $regex" . ($self->{serial} ? '' : ' (the machine has ended)'));
}

sub fail
{
	my ($self, $why) = @_;

	print STDERR map { "# $_\n" } ("--- transcript", split(/\n/, $self->transcript), '--- ' . $self->output);
	croak $why;
}

sub send_raw
{
	my ($self, $bytes) = @_;

	local $SIG{PIPE} = 'IGNORE';
	while (length $bytes) {
		my $n = syswrite($self->{serial} ? $self->{serial_in} : $self->fail('the machine has ended'), $bytes);

		$self->fail("serial line: $!") unless defined $n;
		substr($bytes, 0, $n) = '';
	}
}

sub send_line
{
	my ($self, $text) = @_;

	$self->send_raw("$text\r");
}

# ---- monitor ----------------------------------------------------------------------------------------------------

sub _qmp_read
{
	my ($self, $timeout) = @_;
	my $end = time + $timeout;

	while ($self->{qmp_buf} !~ /\n/) {
		my $n;

		# The guest stops when nobody takes its serial output.
		$self->pump(0);
		$self->fail('no answer on QMP') if time >= $end;
		next unless IO::Select->new($self->{qmp})->can_read(0.2);
		$n = sysread($self->{qmp}, $self->{qmp_buf}, 65536, length $self->{qmp_buf});
		return undef unless $n;
	}
	$self->{qmp_buf} =~ s/^([^\n]*)\n//;
	return JSON::PP::decode_json($1);
}

# Runs a QMP command and returns its result; undef when the machine ended on it.
sub qmp
{
	my ($self, $command, %arguments) = @_;
	my $request = { execute => $command, %arguments ? (arguments => \%arguments) : () };

	local $SIG{PIPE} = 'IGNORE';
	syswrite($self->{qmp}, JSON::PP::encode_json($request) . "\n");
	while (my $answer = $self->_qmp_read(30)) {
		return $answer->{return} if exists $answer->{return};
		$self->fail("QMP $command: $answer->{error}{desc}") if exists $answer->{error};
		push @{ $self->{events} }, $answer;
	}
	return undef;
}

# A PNG picture of the screen; needs vga => 1.
sub screendump
{
	my ($self, $file) = @_;

	$file = POSIX::getcwd() . "/$file" unless $file =~ m{^/};
	$self->qmp('screendump', filename => $file, format => 'png');
}

# One key with modifiers, by QEMU's names: 'a', 'shift-a', 'ctrl-u', 'ret', 'backspace', 'esc'.
sub sendkey
{
	my ($self, $keys) = @_;

	$self->qmp('send-key', keys => [ map { { type => 'qcode', data => $_ } } split /-/, $keys ]);
}

my %KEYS = (' ' => 'spc', '-' => 'minus', '=' => 'equal', '.' => 'dot', ',' => 'comma', '/' => 'slash',
	'\\' => 'backslash', ';' => 'semicolon', "'" => 'apostrophe', '[' => 'bracket_left', ']' => 'bracket_right',
	'`' => 'grave_accent', "\n" => 'ret');
my %SHIFTED = ('!' => 1, '@' => 2, '#' => 3, '$' => 4, '%' => 5, '^' => 6, '&' => 7, '*' => 8, '(' => 9, ')' => 0,
	'_' => 'minus', '+' => 'equal', ':' => 'semicolon', '"' => 'apostrophe', '<' => 'comma', '>' => 'dot',
	'?' => 'slash', '{' => 'bracket_left', '}' => 'bracket_right', '|' => 'backslash', '~' => 'grave_accent');

# Types ASCII on the keyboard (US layout), this many keys a second.
sub type_keys
{
	my ($self, $text, $rate) = @_;

	for my $c (split //, $text) {
		my $key = $c =~ /[a-z0-9]/ ? $c : $c =~ /[A-Z]/ ? 'shift-' . lc $c : exists $SHIFTED{$c} ? "shift-$SHIFTED{$c}" :
			$KEYS{$c} // croak "no key for '$c'";

		$self->sendkey($key);
		sleep(1 / ($rate // 10));
	}
}

# Seconds of CPU that QEMU has used.
sub cpu_time
{
	my ($self) = @_;
	my $children = "/proc/$self->{pid}/task/$self->{pid}/children";
	my $ticks = 0;

	open(my $in, '<', $children) or return 0;
	for my $pid (split ' ', scalar(<$in>) // '') {
		open(my $stat, '<', "/proc/$pid/stat") or next;
		my @field = split ' ', (<$stat> =~ s/^.*\) //r);

		$ticks += $field[11] + $field[12];
	}
	return $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# ---- end ----------------------------------------------------------------------------------------------------------

# QEMU's exit code, once it has ended by itself; dies when it does not.
sub wait_exit
{
	my ($self, $timeout) = @_;
	my $end = time + ($timeout // 30);

	while (time < $end) {
		$self->pump(0.1) or sleep 0.1;
		if (waitpid($self->{pid}, POSIX::WNOHANG()) == $self->{pid}) {
			my $status = $?;

			$self->{pid} = 0;
			return $status & 127 ? 128 + ($status & 127) : $status >> 8;
		}
	}
	$self->fail('the machine does not end');
}

sub kill_now
{
	my ($self) = @_;
	my $pid = $self->{pid} or return;

	# timeout(1) passes SIGTERM on to QEMU.
	$self->{pid} = 0;
	kill 'TERM', $pid;
	for (1 .. 50) {
		return if waitpid($pid, POSIX::WNOHANG()) != 0;
		sleep 0.1;
	}
	kill 'KILL', $pid;
	waitpid($pid, 0);
}

sub DESTROY
{
	my ($self) = @_;

	local ($?, $@, $!);
	$self->kill_now if $self->{owner} == $$;
}

1;
