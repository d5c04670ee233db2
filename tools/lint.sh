#!/bin/sh
# SPDX-License-Identifier: MIT
# The rules of docs/architecture.md that a machine can check.  `make lint` builds with gcc and clang first.
#   tools/lint.sh BUILD...
set -u
cd "$(dirname "$0")/.." || exit 2
faults=0

fault() {
	echo "lint: $*" >&2
	faults=$((faults + 1))
}

# Whatever the command prints on standard output is a fault of this kind.
none() {
	what=$1
	shift
	found=$("$@" 2>/dev/null)
	[ -z "$found" ] || fault "$what:
$found"
}

sources=$(git ls-files --cached --others --exclude-standard | grep -E '\.(c|h|S|pl|pm|t|sh|lds)$|^Makefile$|^\.ci/run$')

# ---- dependencies point down: what a layer may include -------------------------------------------------------
layer() { # FOLDER ALLOWED
	for f in core/"$1"/*.[ch]; do
		bad=$(grep -nE '^ *# *include' "$f" | grep -vE "#include (\"($2)/[a-z0-9_]+\.h\"|<(stddef|stdint|stdbool|stdarg)\.h>)")
		[ -z "$bad" ] || fault "$f includes what is above or outside it:
$bad"
	done
}
layer base 'base'
layer cpu 'base|cpu'
layer crypto 'base|cpu|crypto'
layer volume 'base|cpu|crypto|volume'
none 'a platform test in the core' grep -nE '^ *# *(if|ifdef|ifndef).*(UEFI|EFI|_WIN|__linux|__unix|__STDC_HOSTED)' -r core asm

# ---- objects ---------------------------------------------------------------------------------------------------
for build in "$@"; do
	lib=$build/lib/libcardea.a
	[ -e "$lib" ] || { fault "$lib is not built"; continue; }
	all=$build/lint.o
	ld -r -o "$all" --whole-archive "$lib" || fault "$lib does not link"
	none "$lib needs more than the four functions of base.h" \
		sh -c "nm -u '$all' | awk '{print \$2}' | grep -vxE 'memcpy|memmove|memset|memcmp|_GLOBAL_OFFSET_TABLE_'"
	none "$lib has writable data" \
		sh -c "objdump -h '$all' | awk '\$2 ~ /^\\.(data|bss|tdata|tbss)/ && \$2 !~ /^\\.data\\.rel\\.ro/ && \$3 !~ /^0+\$/ {print \$2, \$3}'"
	none "$lib: names without cardea_" sh -c "nm -g --defined-only '$all' | awk '{print \$3}' | grep -v '^cardea_'"
	# Vector and x87 registers belong to kernels (asm/), which are named after their implementation.
	for o in "$build"/core/*/*.o "$build"/efi/*/*.o; do
		# Saving and wiping the state is what these are for.
		case $o in */core/cpu/region.o | */efi/selftest/*.o) continue ;; esac
		none "$o uses vector registers" sh -c "objdump -d '$o' | grep -m3 -E '%([xyz]mm|mm|st)[0-9(]|\\b(emms|fxsave|fxrstor|xsave|xrstor)'"
	done
	rm -f "$all"
done

# ---- text --------------------------------------------------------------------------------------------------------
for f in $sources; do
	[ -e "$f" ] || continue
	case $f in
	Makefile | .ci/run) ;;
	*) head -n 3 "$f" | grep -q 'SPDX-License-Identifier: MIT' || fault "$f has no SPDX line" ;;
	esac
	none "$f: trailing white space" grep -nE '[ 	]+$' "$f"
	case $f in
	tests/*) ;; # tables are easier to read whole
	*.c | *.h | *.S) none "$f: more than 120 columns (tabs of 4)" sh -c "expand -t 4 '$f' | grep -nE '^.{121,}' | cut -c1-60" ;;
	esac
	case $f in
	*.sh | .ci/run) shellcheck "$f" || fault "$f: shellcheck" ;;
	*.pl | *.t | *.pm) perl -Itests/lib -wc "$f" 2>&1 | grep -q 'syntax OK' || fault "$f does not compile" ;;
	esac
done
none 'unfinished work' grep -nwE 'TO''DO|FIX''ME' -r core asm efi linker tools tests --include=*.[chS] --include=*.p[lm] --include=*.sh
if [ -e docs/cardea.1 ]; then
	none 'docs/cardea.1' sh -c "LC_ALL=C.UTF-8 man --warnings -l -Tutf8 docs/cardea.1 2>&1 >/dev/null"
fi

if [ "$faults" != 0 ]; then
	echo "lint: $faults faults" >&2
	exit 1
fi
echo "lint: no faults"
