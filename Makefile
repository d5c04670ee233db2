# Cardea: one non-recursive Makefile.  Objects mirror the tree under $(BUILD); sources are found by wildcard, so
# a new file needs no line here.  `make help` lists the targets.
#
#   make CC=clang BUILD=build/clang     builds with clang beside the gcc build

BUILD ?= build
CC = gcc
AR = ar
LD = ld
PERL = perl
PROVE = prove
V ?= 0
Q := $(if $(filter 1,$(V)),,@)

VERSION := $(shell sed -n 's/.*CARDEA_VERSION "\(.*\)".*/\1/p' core/cardea.h)

# ---- flags ---------------------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Werror

# Every object that ends up in firmware, and the same objects on the host:
#   -mgeneral-regs-only  vector registers are touched by kernels between vec_begin and vec_end only
#   -mno-red-zone        interrupts run on the interrupted stack
#   -fpie, hidden        only pc-relative relocations, which `ld -m i386pep` links right (no GOT)
FREESTANDING := -std=gnu11 -O2 -g -ffreestanding -fpie -fvisibility=hidden -mno-red-zone -mgeneral-regs-only \
	-fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables -fno-ident \
	-ffile-prefix-map='$(CURDIR)'=. $(WARN) -Icore

HOSTED := -std=gnu11 -O2 -g -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -pthread -ffile-prefix-map='$(CURDIR)'=. $(WARN) -Icore

# GNU-EFI's headers are not ours: -isystem keeps our warnings out of them.
EFI_CFLAGS := $(FREESTANDING) -fshort-wchar -isystem /usr/include/efi -isystem /usr/include/efi/x86_64 \
	-DGNU_EFI_USE_MS_ABI -Iefi

# ---- objects -------------------------------------------------------------------------------------------------

CORE_SRC  := $(wildcard core/*/*.c)
ASM_SRC   := $(wildcard asm/x86_64/*.S)
HOST_SRC  := $(wildcard tools/host/*.c)
SETS_SRC  := $(wildcard tests/sets/*.c)
EFILIB_SRC := $(wildcard efi/lib/*.c)
obj = $(patsubst %.c,$(BUILD)/%.o,$(patsubst %.S,$(BUILD)/%.o,$(1)))

CORE_OBJ  := $(call obj,$(CORE_SRC) $(ASM_SRC))
EFI_PROGRAMS := cardea selftest hello blocktest
EFI_IMAGES := $(EFI_PROGRAMS:%=$(BUILD)/efi/%.efi)

PREFIX ?= /usr/local

.PHONY: all clean help check check-cpus lint demo install tests
all: $(BUILD)/host/cardea $(EFI_IMAGES) ## build everything

$(BUILD)/core/%.o: core/%.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(FREESTANDING) -MMD -MP -c -o $@ $<

$(BUILD)/asm/%.o: asm/%.S
	@mkdir -p $(@D)
	@echo "  AS      $<"
	$(Q)$(CC) $(FREESTANDING) -MMD -MP -c -o $@ $<

$(BUILD)/tests/sets/%.o: tests/sets/%.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(FREESTANDING) -Itests -MMD -MP -c -o $@ $<

$(BUILD)/efi/%.o: efi/%.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(EFI_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/efi/%.o: efi/%.S
	@mkdir -p $(@D)
	@echo "  AS      $<"
	$(Q)$(CC) $(EFI_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(HOSTED) -Itests -MMD -MP -c -o $@ $<

$(BUILD)/tests/host/%.o: tests/host/%.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(HOSTED) -Itests -Itools/host -MMD -MP -c -o $@ $<

$(BUILD)/lib/libcardea.a: $(CORE_OBJ)
	@mkdir -p $(@D)
	@echo "  AR      $@"
	$(Q)rm -f $@ && $(AR) rcsD $@ $^

$(BUILD)/host/cardea: $(call obj,$(HOST_SRC) $(SETS_SRC)) $(BUILD)/lib/libcardea.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) -pthread -pie -o $@ $^ -lblkid

# ---- tasks ---------------------------------------------------------------------------------------------------
#
# Each sets up what is missing on a fresh Debian machine first, then builds in a second make that sees it.

TESTS ?= tests/*.t
# As they were typed: a $ in a passphrase is no variable of make's.
override VOLUME := $(value VOLUME)
override PASSPHRASE := $(value PASSPHRASE)
export VOLUME PASSPHRASE

demo: ## boot QEMU with an encrypted volume and unlock it; VOLUME=file PASSPHRASE=... for another one
	@tools/setup.sh demo
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) $(PERL) -Itests/lib tools/demo.pl

check: ## run all tests; TESTS="tests/x.t ..." for some
	@tools/setup.sh check
	@$(MAKE) --no-print-directory all tests
	@BUILD=$(BUILD) $(PROVE) -Itests/lib $(TESTS)

check-cpus: ## the self-test in OVMF under QEMU's CPU models (part of check); table in build/report/cpus.md
	@$(MAKE) --no-print-directory check TESTS=tests/cpus.t

lint: ## build with gcc and clang, run both self-tests, then check the rules that a machine can check
	@tools/setup.sh lint
	@$(MAKE) --no-print-directory CC=gcc BUILD=build/gcc all
	@$(MAKE) --no-print-directory CC=clang BUILD=build/clang all
	@$(PROVE) -e '' build/gcc/host/cardea build/clang/host/cardea :: selftest
	@tools/lint.sh build/gcc build/clang

install: all ## copy the host program, its manual page and the UEFI application below $(DESTDIR)$(PREFIX)
	install -D -m 755 $(BUILD)/host/cardea $(DESTDIR)$(PREFIX)/bin/cardea
	install -D -m 644 docs/cardea.1 $(DESTDIR)$(PREFIX)/share/man/man1/cardea.1
	install -D -m 644 $(BUILD)/efi/cardea.efi $(DESTDIR)$(PREFIX)/lib/cardea/cardea.efi

clean: ## remove build/
	rm -rf build $(BUILD)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

# ---- tests ---------------------------------------------------------------------------------------------------

TEST_PROGRAMS := $(BUILD)/tests/vectool $(BUILD)/tests/crosscheck $(BUILD)/tests/fuzz_smoke $(BUILD)/tests/embed
FUZZ_TARGETS := luks json base64 spec
FUZZ_SECONDS ?= 60
FUZZ_CC ?= clang
SANITIZE := -std=gnu11 -O1 -g -D_GNU_SOURCE -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all $(WARN) -Icore -Itests -Itools/host
FUZZ_FLAGS := $(SANITIZE) -fsanitize=fuzzer-no-link
# The checksum of a LUKS2 header would take nearly all of the time; fuzz_smoke has it with sanitizers.
$(BUILD)/fuzz/core/crypto/sha%.o: FUZZ_FLAGS := $(HOSTED)

.PHONY: fuzz
.PRECIOUS: $(BUILD)/fuzz/fuzz-% $(BUILD)/fuzz/%.o

tests: $(TEST_PROGRAMS)

# Their objects twice more: with sanitizers by $(CC), and with coverage for libFuzzer too.
$(BUILD)/asan/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC ASAN $<"
	$(Q)$(CC) $(SANITIZE) -MMD -MP -c -o $@ $<

$(BUILD)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC FUZZ $<"
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -MMD -MP -c -o $@ $<

TEST_COMMON := $(call obj,tests/host/hex.c tools/host/platform.c) $(BUILD)/lib/libcardea.a

$(BUILD)/tests/vectool: $(BUILD)/tests/host/vectool.o $(TEST_COMMON)
	@echo "  LD      $@"
	$(Q)$(CC) -pthread -pie -o $@ $^

$(BUILD)/tests/embed: $(BUILD)/tests/host/embed.o $(BUILD)/lib/libcardea.a
	@echo "  LD      $@"
	$(Q)$(CC) -pie -o $@ $^

$(BUILD)/tests/crosscheck: $(BUILD)/tests/host/crosscheck.o $(TEST_COMMON)
	@echo "  LD      $@"
	$(Q)$(CC) -pthread -pie -o $@ $^ -lgcrypt -lcrypto -lnettle -largon2

$(BUILD)/tests/fuzz_smoke: $(patsubst %.c,$(BUILD)/asan/%.o,tests/host/fuzz_smoke.c tests/host/fuzz_luks.c $(CORE_SRC)) \
		$(call obj,$(ASM_SRC))
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(SANITIZE) -o $@ $^

$(BUILD)/fuzz/fuzz-%: tests/host/fuzz_entry.c $(patsubst %.c,$(BUILD)/fuzz/%.o,tests/host/fuzz_luks.c $(CORE_SRC)) \
		$(call obj,$(ASM_SRC))
	@echo "  LD FUZZ $@"
	$(Q)$(FUZZ_CC) $(SANITIZE) -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_$* -o $@ $^

fuzz: ## fuzz each reader of foreign bytes for FUZZ_SECONDS (60)
	@tools/setup.sh fuzz
	@$(MAKE) --no-print-directory $(FUZZ_TARGETS:%=$(BUILD)/fuzz/fuzz-%)
	@$(PERL) tests/fuzz-seeds.pl $(BUILD)/fuzz/seeds
	@for t in $(FUZZ_TARGETS); do \
		mkdir -p $(BUILD)/fuzz/corpus/$$t; \
		echo "  FUZZ    $$t, $(FUZZ_SECONDS) s"; \
		$(BUILD)/fuzz/fuzz-$$t -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=10 -print_final_stats=1 \
			-artifact_prefix=$(BUILD)/fuzz/$$t- $(BUILD)/fuzz/corpus/$$t $(BUILD)/fuzz/seeds/$$t \
			>$(BUILD)/fuzz/$$t.log 2>&1 || { tail -n 40 $(BUILD)/fuzz/$$t.log; exit 1; }; \
		sed -n 's/^stat::number_of_executed_units: */    inputs: /p' $(BUILD)/fuzz/$$t.log; \
	done

# ---- EFI images ------------------------------------------------------------------------------------------------

# ELF objects are linked straight into PE images.  That is right only without a GOT and without 32-bit absolute
# addresses, which ld would link silently wrong: so every image's objects are looked through, and no declaration
# leaves a compiler in doubt about where a symbol is.
FREESTANDING += -include linker/hidden.h
EFI_CFLAGS += -include linker/hidden.h
EFI_LDFLAGS := -m i386pep -T linker/efi.lds --subsystem 10 -e efi_main --nxcompat --dynamicbase --high-entropy-va \
	--image-base 0 --section-alignment 4096 --file-alignment 512 --no-insert-timestamp -s
EFILIB_OBJ := $(call obj,$(EFILIB_SRC)) $(BUILD)/efi/sbat.o
# Objects of the core, not its archive: `ld -m i386pep` finds no symbols in an archive of ELF objects.
EFI_CORE_hello := $(filter $(BUILD)/core/base/% $(BUILD)/core/cpu/%,$(CORE_OBJ))
EFI_CORE_blocktest := $(EFI_CORE_hello)
EFI_MORE_selftest := $(call obj,$(SETS_SRC))
$(BUILD)/efi/selftest/%.o: EFI_CFLAGS += -Itests

$(BUILD)/efi/sbat-version.csv: efi/sbat.csv core/cardea.h
	@mkdir -p $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< >$@

$(BUILD)/efi/sbat.o: EFI_CFLAGS += -I$(BUILD)/efi
$(BUILD)/efi/sbat.o: $(BUILD)/efi/sbat-version.csv

.PRECIOUS: $(BUILD)/efi/%.o
.SECONDEXPANSION:
$(BUILD)/efi/%.efi: $$(call obj,$$(wildcard efi/$$*/*.c)) $(EFILIB_OBJ) $$(or $$(EFI_CORE_$$*),$(CORE_OBJ)) \
		$$(EFI_MORE_$$*) linker/efi.lds
	@mkdir -p $(@D)
	@if readelf -rW $(filter %.o,$^) | $(PERL) -ne '$$debug = /\.debug/ if /^Relocation section/; \
			print if !$$debug && /R_X86_64_(\w*GOT|32)/' | grep .; then \
		echo "$@: an object has relocations that a PE image cannot hold" >&2; exit 1; fi
	@echo "  LD EFI  $@"
	$(Q)$(LD) $(EFI_LDFLAGS) -o $@ $(filter %.o,$^)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
