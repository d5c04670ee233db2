#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages that a task needs and that are missing, saying which.
#   tools/setup.sh build|demo|check|lint|fuzz
set -eu

build="gcc libc6-dev binutils make perl gnu-efi libblkid-dev"
demo="qemu-system-x86 ovmf cryptsetup-bin mtools dosfstools"
check="qemu-utils fdisk zstd strace libgcrypt20-dev libssl-dev nettle-dev libargon2-dev man-db"
lint="clang shellcheck man-db"
fuzz="clang libclang-rt-14-dev cryptsetup-bin"

case "${1:-}" in
build) want="$build" ;;
demo) want="$build $demo" ;;
check) want="$build $demo $check" ;;
lint) want="$build $lint" ;;
fuzz) want="$build $fuzz" ;;
*) echo "usage: $0 build|demo|check|lint|fuzz" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "Not a Debian system: make sure that the equivalents of these packages are installed:" >&2
	echo "  $want" >&2
	exit 0
fi

missing=
for p in $want; do
	case "$(dpkg-query -W -f '${Status}' "$p" 2>/dev/null)" in
	*" installed") ;;
	*) missing="$missing $p" ;;
	esac
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null 2>&1; then
		echo "These packages are missing, and there is no sudo to install them:$missing" >&2
		exit 1
	fi
	sudo=sudo
fi
echo "Installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # a list of words
install() {
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >"$log" 2>&1
}
# Package lists may be absent or old on a fresh machine.
if ! install; then
	$sudo apt-get update >/dev/null 2>&1 || true
	if ! install; then
		cat "$log" >&2
		exit 1
	fi
fi
