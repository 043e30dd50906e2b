# SPDX-License-Identifier: MIT
# bankcheck's one Makefile (GNU make). `make help` lists what it can do.
#
# Adding a suite, a kernel, a harness source or a test is adding a file: every list below is a wildcard.

.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all
SHELL := /bin/sh

# What a user may set: make NAME=value
B             := build
PREFIX        ?= /usr/local
DESTDIR       ?=
CFLAGS        ?= -O2 -g
ARGS          ?=#                 options for `make run`: ARGS='--filter stride'
FUZZ_SECONDS  ?= 60
ARCHS         ?=#                 architectures of the kernels' machine code, as "80 90"; empty: 70, all from 75 up
SETUP         ?= install#         check: never install a package, only say what is missing; none: do not look
CLANG         ?= clang
GPU           ?= $(wildcard /dev/nvidiactl /proc/driver/nvidia)#  empty: no GPU here
export SETUP

# One short line for each command; V=1 shows the commands whole.
V ?=
q = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)';)

# ---------------------------------------------------------------------------------------------- sources
# The rooms of harness/, from the ground up: each includes only what stands before it (tools/rooms, docs/architecture.md).
ROOMS         := base core device device/reference report measure compare history explain html run matrix app fleet kernel map qualify
SRC_CUDA      := $(wildcard harness/device/cuda/*.c)
# libbankcheck-app.so: what `bankcheck app` puts into a program, and what of the harness that needs.
SRC_APP       := $(wildcard $(addsuffix /*.c,$(addprefix harness/,base core device device/cuda measure app/library))) \
	harness/app/config.c harness/app/record.c harness/app/tally.c
SRC_SUITES    := $(wildcard suites/*.c)
SRC_MAIN      := harness/cli/main.c
SRC_HARNESS   := $(wildcard $(ROOMS:%=harness/%/*.c)) $(filter-out $(SRC_MAIN),$(wildcard harness/cli/*.c))
SRC_INJECT    := harness/tests/run/inject.c
SRC_FUZZ      := $(wildcard harness/tests/*/fuzz_*.c)
SRC_STUBS     := $(wildcard harness/tests/stubs/*.c)
SRC_TESTS     := $(filter-out $(SRC_FUZZ) $(SRC_INJECT) $(SRC_STUBS),$(wildcard harness/tests/*.c harness/tests/*/*.c))
SRC_BENCH     := $(wildcard harness/bench/*.c)
KERNELS       := $(patsubst kernels/%.cu,%,$(wildcard kernels/*.cu))

# ---------------------------------------------------------------------------------------------- CUDA toolkit
CUDA_ROOT :=
CUDA_VERSION :=
CUDA_INCLUDES :=
CUDA_LACKS :=
NVCC :=
NVCC_LACKS :=
PTXAS :=
CUOBJDUMP :=
NVDISASM :=
LIBCUPTI :=
ifeq ($(filter clean help,$(MAKECMDGOALS)),)
$(foreach word,$(shell CUDA_HOME='$(CUDA_HOME)' tools/cuda.sh),$(eval $(word)))
endif

ifneq ($(CUDA_INCLUDES),)
WITH_CUDA := $(if $(SRC_CUDA),yes)
endif

# CUPTI's cupti_profiler_host.h includes the C++ header <string>; an empty file of that name makes it C. Headers of
# the toolkit are system headers, so that their warnings do not count (never /usr/include, which would be reordered).
CUPTI_SHIM   := $(B)/gen/cupti_shim
CUDA_CFLAGS  := -I$(CUPTI_SHIM) $(addprefix -isystem ,$(filter-out /usr/include,$(subst :, ,$(CUDA_INCLUDES))))

# ---------------------------------------------------------------------------------------------- flags
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
ifneq ($(filter true 1,$(CI) $(WERROR)),)
WARNINGS += -Werror
endif

# pkg-config is asked when a recipe runs, for `setup` may have installed it just before.
XML_CFLAGS = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libxml-2.0))
XML_LIBS   = $(shell pkg-config --libs libxml-2.0)
JSON_LIBS  = $(call static,$(1),jansson,$(shell pkg-config --libs jansson))
SQLITE_LIBS = $(call static,$(1),sqlite3,$(shell pkg-config --libs sqlite3))
# Debian's Check is a static library, its -lsubunit is not: both, and jansson, SQLite and zlib, are linked statically where that is possible, so
# that the binary does not need them.
static     = $(if $(filter /%,$(shell $(1) -print-file-name=lib$(2).a)),-l:lib$(2).a,$(3))
ZLIB_LIBS  = $(call static,$(1),z,$(shell pkg-config --libs zlib))
CHECK_LIBS = $(call static,$(1),check,$(shell pkg-config --libs-only-l check)) $(call static,$(1),subunit)
LIBS       = -Wl,--as-needed $(call CHECK_LIBS,$(1)) $(XML_LIBS) $(call JSON_LIBS,$(1)) $(call SQLITE_LIBS,$(1)) $(call ZLIB_LIBS,$(1)) -lm -lrt -lpthread -ldl

DEFINES  := -std=c11 -D_GNU_SOURCE -I. $(if $(WITH_CUDA),-DBC_WITH_CUDA)
SANITIZE := -O1 -g -fno-omit-frame-pointer
UBSAN    := -fsanitize=undefined -fno-sanitize-recover=undefined

# ---------------------------------------------------------------------------------------------- variants
# A variant is a compiler and a set of flags with object files of its own in build/obj/<variant>/. Its programs lie
# side by side in build/, so that each finds the kernels in the same place.
VARIANTS := release clang asan tsan fuzz aarch64

CC_release    = $(CC)
FLAGS_release = $(CFLAGS) $(CPPFLAGS)
END_release   =

CC_clang      = $(CLANG)
FLAGS_clang   = $(CFLAGS) $(CPPFLAGS)
END_clang     = -clang

CC_asan       = $(CC)
FLAGS_asan    = $(SANITIZE) -fsanitize=address $(UBSAN)
END_asan      = -asan

CC_tsan       = $(CC)
FLAGS_tsan    = $(SANITIZE) -fsanitize=thread
END_tsan      = -tsan

# 64-bit Arm, against the static libraries that tools/dist-libs.sh makes; tools/check-aarch64.sh runs it.
CC_aarch64    = aarch64-linux-gnu-gcc
FLAGS_aarch64 = $(CFLAGS) $(CPPFLAGS) -isystem $(B)/dist/aarch64/include
END_aarch64   = -aarch64
LIBS_aarch64  = $(addprefix $(B)/dist/aarch64/lib/,libcheck.a libxml2.a libz.a libjansson.a libsqlite3.a) -lm -lrt -lpthread -ldl

# libbankcheck-app.so, which goes into other people's processes: it shows them one name.
CC_app        = $(CC)
FLAGS_app     = $(filter-out -fPIE,$(CFLAGS)) $(CPPFLAGS) -fPIC -fvisibility=hidden

CC_fuzz       = $(CLANG)
FLAGS_fuzz    = $(SANITIZE) -fsanitize=fuzzer-no-link,address $(UBSAN)
END_fuzz      = -fuzz

LIB_SOURCES := $(if $(WITH_CUDA),$(SRC_CUDA)) $(SRC_HARNESS) $(SRC_SUITES)

# What the tests are told about the tree (see harness/tests/README.md).
test_defines = -DBC_TEST_DATA='"$(CURDIR)/harness/tests/data"' -DBC_TEST_EXPECTED='"$(CURDIR)/expected"' \
	-DBC_TEST_TMP='"$(abspath $(B))/test-tmp$(1)"' -DBC_TEST_BINARY='"$(abspath $(B))/bankcheck$(1)"' \
	-DBC_TEST_KERNELS='"$(abspath $(B))/kernels"' -DBC_TEST_STUBS='"$(abspath $(B))$(if $(filter -aarch64,$(1)),/aarch64)/stubs"' -DBC_TEST_INJECT='"$(abspath $(B))/bankcheck-inject$(1)"'

# Flags that only some folders get.
folder_flags = $(if $(filter harness/device/cuda/% harness/app/library/%,$(1)),$(CUDA_CFLAGS)) \
	$(if $(filter harness/tests/% harness/bench/% $(B)/gen/tests.c,$(1)),$(call test_defines,$(2)))

compile = $(CC_$(1)) $(DEFINES) $(WARNINGS) $(XML_CFLAGS) $(FLAGS_$(1))

# The calls that harness/tests/run/inject.c stands in for.
INJECT_CALLS := malloc calloc realloc strdup strndup vasprintf mmap mmap64 read pread pread64 readdir write pwrite64 open open64 \
	fopen fdopen opendir scandir memfd_create mkstemp close fclose fsync fdatasync mkdir rename unlink ftruncate ftruncate64 \
	flock stat stat64 lstat64 fstat fstat64 access readlink getcwd pipe2 dup2 execv fcntl fcntl64 waitpid poll pthread_create \
	nanosleep fork

define VARIANT
LIB_$(1)   := $$(LIB_SOURCES:%.c=$(B)/obj/$(1)/%.o) $(B)/obj/$(1)/gen/suites.o $(B)/obj/$(1)/gen/page.o \
	$(B)/obj/$(1)/gen/build.o $(B)/obj/$(1)/gen/app_page.o
MAIN_$(1)  := $$(SRC_MAIN:%.c=$(B)/obj/$(1)/%.o)
TESTS_$(1) := $$(SRC_TESTS:%.c=$(B)/obj/$(1)/%.o) $(B)/obj/$(1)/gen/tests.o

$(B)/obj/$(1)/%.o: %.c $(B)/obj/$(1)/flags | setup $(CUPTI_SHIM)/string
	@mkdir -p $$(@D)
	$$(call q,CC,$$@) $$(call compile,$(1)) $$(call folder_flags,$$<,$$(END_$(1))) -MMD -MP -c -o $$@ $$<

$(B)/obj/$(1)/gen/%.o: $(B)/gen/%.c $(B)/obj/$(1)/flags | setup
	@mkdir -p $$(@D)
	$$(call q,CC,$$@) $$(call compile,$(1)) -MMD -MP -c -o $$@ $$<

# Changes only when the command does: everything is compiled anew after another CC, CFLAGS, toolkit or place.
$(B)/obj/$(1)/flags: FORCE | setup
	@mkdir -p $$(@D)
	@printf '%s\n' '$$(call compile,$(1)) $$(CUDA_CFLAGS) $(CURDIR)' > $$@.new
	@if cmp -s $$@.new $$@; then rm -f $$@.new; else mv -f $$@.new $$@; fi

# An archive would keep members of removed files, so it is made anew.
$(B)/obj/$(1)/libbankcheck.a: $$(LIB_$(1))
	@rm -f $$@
	@ar rcs $$@ $$^

$(B)/bankcheck$$(END_$(1)): $$(MAIN_$(1)) $$(LIB_$(1))
	$$(call q,LINK,$$@) $$(CC_$(1)) $$(FLAGS_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(or $$(LIBS_$(1)),$$(call LIBS,$$(CC_$(1))))

$(B)/bankcheck-tests$$(END_$(1)): $$(TESTS_$(1)) $$(LIB_$(1))
	$$(call q,LINK,$$@) $$(CC_$(1)) $$(FLAGS_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(or $$(LIBS_$(1)),$$(call LIBS,$$(CC_$(1))))

# The program with calls that a test makes fail. Without debug information: it hashes itself at each start.
INJECT_$(1) := $$(SRC_INJECT:%.c=$(B)/obj/$(1)/%.o)
$(B)/bankcheck-inject$$(END_$(1)): $$(MAIN_$(1)) $$(INJECT_$(1)) $$(LIB_$(1))
	$$(call q,LINK,$$@) $$(CC_$(1)) $$(FLAGS_$(1)) $$(LDFLAGS) -Wl,-S $(INJECT_CALLS:%=-Wl,--wrap=%) -o $$@ $$^ $$(or $$(LIBS_$(1)),$$(call LIBS,$$(CC_$(1))))

-include $$(patsubst %.o,%.d,$$(LIB_$(1)) $$(MAIN_$(1)) $$(INJECT_$(1)) $$(TESTS_$(1)))
endef
$(foreach v,$(VARIANTS),$(eval $(call VARIANT,$(v))))

# Made where there is a toolkit; without one `bankcheck app` says so.
APP_LIBRARY := $(if $(WITH_CUDA),$(B)/libbankcheck-app.so)
OBJ_app     := $(SRC_APP:%.c=$(B)/obj/app/%.o)

$(B)/obj/app/%.o: %.c $(B)/obj/release/flags | setup $(CUPTI_SHIM)/string
	@mkdir -p $(@D)
	$(call q,CC,$@) $(call compile,app) $(call folder_flags,$<) -MMD -MP -c -o $@ $<

$(B)/obj/app/libapp.a: $(filter-out %/inject.o,$(OBJ_app))
	@rm -f $@
	@ar rcs $@ $^

$(B)/libbankcheck-app.so: $(B)/obj/app/harness/app/library/inject.o $(B)/obj/app/libapp.a
	$(call q,LINK,$@) $(CC_app) $(FLAGS_app) $(filter-out -pie,$(LDFLAGS)) -shared -Wl,-z,defs -Wl,--gc-sections -o $@ $^ -lm -lpthread -ldl

-include $(OBJ_app:.o=.d)

# ---------------------------------------------------------------------------------------------- main targets
.PHONY: aarch64 check-farm check-aarch64 check-toolkits check-selftest check-browser check-inject check-install completion all bankcheck kernels ptx-copies man run check check-unit check-needs check-ptx check-arch lint format asan tsan clang \
	fuzz bench bench-fleet selftest ptx toolkit-images install dist dist-images deb check-reproducible check-dist uninstall clean help setup cuda-note FORCE
FORCE:

all: bankcheck kernels man completion $(APP_LIBRARY) ## the program, its man page and, where nvcc is, the kernel images

bankcheck: $(B)/bankcheck ptx-copies cuda-note ## the program alone, without kernel images for GPUs

run: bankcheck $(if $(GPU),kernels) ## the main job: on all GPUs, without a GPU on the reference device (ARGS='...')
	$(B)/bankcheck run $(if $(GPU),,--device reference:all) $(ARGS)

check: check-unit check-selftest ## every test; needs no GPU

cuda-note:
	@echo "cuda: $(if $(WITH_CUDA),CUDA $(CUDA_VERSION) in $(CUDA_ROOT),built without the CUDA device: $(or \
		$(subst ~, ,$(CUDA_LACKS)),no sources of it in this tree))"

# One look for all that the goals of this make need, so that at most one command is left to type.
SETUP_GROUPS := build $(if $(filter check check-unit check-inject asan tsan,$(MAKECMDGOALS)),check) \
	$(if $(filter check-browser,$(MAKECMDGOALS)),browser) \
	$(if $(filter clang fuzz,$(MAKECMDGOALS)),clang) $(filter lint,$(MAKECMDGOALS)) \
	$(if $(filter dist deb check-dist check-reproducible check-aarch64,$(MAKECMDGOALS)),dist) \
	$(if $(filter check-dist check-aarch64,$(MAKECMDGOALS)),elsewhere) $(filter deb,$(MAKECMDGOALS))
setup: $(if $(filter setup,$(MAKECMDGOALS)),$(FETCHED))
	@$(if $(filter none,$(SETUP)),:,CC='$(CC)' tools/setup.sh $(SETUP_GROUPS))

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.* ## \(.*\)/  \1\t\2/p' Makefile | expand -t 14
	@echo "Variables: PREFIX DESTDIR CC CFLAGS WERROR=1 CUDA_HOME=DIR|none ARCHS='80 90' ARGS FUZZ_SECONDS SETUP=check V=1"

# ---------------------------------------------------------------------------------------------- generated sources
# update FILE: put FILE.new in its place only when it differs, so that nothing is built without need.
update = @if cmp -s $(1).new $(1); then rm -f $(1).new; else mv -f $(1).new $(1); fi

$(B)/gen/suites.c: FORCE
	@mkdir -p $(@D)
	@names=$$(LC_ALL=C sed -n 's/^const struct bc_suite \(bc_suite_[a-z0-9_]*\).*/\1/p' $(SRC_SUITES) /dev/null \
		| LC_ALL=C sort); { \
	echo '/* Generated by the Makefile from suites/. */'; \
	echo '#include "harness/core/case.h"'; echo; \
	for n in $$names; do echo "extern const struct bc_suite $$n;"; done; echo; \
	echo 'const struct bc_suite *const bc_suites[] = {'; \
	for n in $$names; do echo "	&$$n,"; done; \
	echo '	NULL'; echo '};'; } > $@.new
	$(call update,$@)

# What the program is built from and with. A change of files that git knows shows; -uno: new files do not.
COMMIT ?= $(or $(if $(wildcard .git),$(shell git rev-parse HEAD 2>/dev/null)$(if $(shell git status --porcelain -uno \
	2>/dev/null | head -n 1),-changed)),unknown)
$(B)/gen/build.c: FORCE
	@mkdir -p $(@D)
	@{ echo '/* Generated by the Makefile. */'; \
	echo '#include "harness/base/build.h"'; echo; \
	echo 'const char bc_build_commit[] = "$(COMMIT)";'; echo; \
	echo '#if defined(__x86_64__)'; echo '#define MACHINE "x86_64"'; \
	echo '#elif defined(__aarch64__)'; echo '#define MACHINE "aarch64"'; \
	echo '#else'; echo '#define MACHINE "another machine"'; echo '#endif'; echo; \
	echo '#ifdef __clang__'; echo '#define COMPILER __VERSION__'; \
	echo '#else'; echo '#define COMPILER "GCC " __VERSION__'; echo '#endif'; echo; \
	echo 'const char bc_build_with[] = "$(if $(WITH_CUDA),CUDA $(CUDA_VERSION),no CUDA), " COMPILER ", " MACHINE;'; \
	} > $@.new
	$(call update,$@)

# The page's style and script, with the hashes that its content security policy names.
$(B)/gen/page.c: harness/html/page.css harness/html/page.js tools/embed.sh
	@mkdir -p $(@D)
	@tools/embed.sh harness/html/page.h bc_html_style=harness/html/page.css bc_html_script=harness/html/page.js > $@.new
	@mv -f $@.new $@

$(B)/gen/app_page.c: harness/app/page.css harness/app/page.js tools/embed.sh
	@mkdir -p $(@D)
	@tools/embed.sh harness/app/page.h bc_app_style=harness/app/page.css bc_app_script=harness/app/page.js > $@.new
	@mv -f $@.new $@

TOPICS := $(patsubst test_%.c,%,$(filter test_%.c,$(notdir $(SRC_TESTS))))
$(B)/gen/tests.c: FORCE
	@mkdir -p $(@D)
	@{ echo '/* Generated by the Makefile from the files test_*.c below harness/tests/. */'; \
	echo '#include "harness/tests/tests.h"'; echo; \
	for t in $(sort $(TOPICS)); do echo "Suite *bc_test_$$t(void);"; done; echo; \
	echo 'const struct bc_test bc_tests[] = {'; \
	for t in $(sort $(TOPICS)); do printf '\t{ "%s", bc_test_%s },\n' $$t $$t; done; \
	printf '\t{ NULL, NULL }\n};\n'; } > $@.new
	$(call update,$@)

$(CUPTI_SHIM)/string:
	@mkdir -p $(@D)
	@: > $@

# ---------------------------------------------------------------------------------------------- kernels
NVCC_FLAGS := -std=c++17 -O3
PTX_FLAGS  := $(NVCC_FLAGS) -ptx -arch=compute_90
PTX_ARCHS  := 75 90
PTX_FILES  := $(patsubst kernels/ptx/%,$(B)/kernels/ptx/%,$(wildcard kernels/ptx/*.ptx))

ifneq ($(NVCC),)
IMAGES := $(KERNELS:%=$(B)/kernels/%.fatbin)
CODES  := $(KERNELS:%=$(B)/kernels/%.code)
endif

# Lists of instructions need a disassembler. A toolkit that has none gets one with pip, once; without pip there are no lists.
DISASSEMBLER_RELEASE := 13.5
DISASSEMBLER := $(B)/toolkits/$(DISASSEMBLER_RELEASE)/bin
ifeq ($(CUOBJDUMP)$(NVDISASM),)
ifneq ($(NVCC),)
FETCHED := $(B)/toolkits/disassembler
endif
endif

$(B)/toolkits/disassembler:
	@mkdir -p $(@D)
	@if [ '$(SETUP)' = install ] && tools/toolkits.sh --parts cuobjdump,nvdisasm --into $(B)/toolkits \
		$(DISASSEMBLER_RELEASE) >$@.log 2>&1; then echo "cuda: no disassembler in $(CUDA_ROOT): fetched with pip"; \
	else echo "cuda: no disassembler in $(CUDA_ROOT), and none fetched with pip$$(sed -n 's/^toolkits: \(.*\)/ (\1)/p' $@.log \
		2>/dev/null); no lists of instructions (remove $@ to try again)"; fi
	@touch $@

# Asked when the first image is built: 70 and the architectures from 75 up, of those that this nvcc knows.
nvcc_archs = $(shell $(NVCC) --list-gpu-arch | sed -n 's/^compute_\([0-9]*\)$$/\1/p' | awk '$$1 == 70 || $$1 >= 75')
gencode    = $(foreach a,$(or $(ARCHS),$(nvcc_archs)),-gencode arch=compute_$(a),code=sm_$(a)) \
	$(foreach a,$(filter $(nvcc_archs),$(PTX_ARCHS)),-gencode arch=compute_$(a),code=compute_$(a))

kernels: $(IMAGES) $(CODES) $(if $(IMAGES),$(B)/kernels/toolkit) ptx-copies ## the kernel images for GPUs (needs nvcc)
	@$(if $(NVCC),:,echo "kernels: $(subst ~, ,$(NVCC_LACKS)), so no images for GPUs (toolkit-images makes them without nvcc)")

# What earlier builds left of kernels that are gone would be loaded by name all the same.
STALE = $(filter-out $(PTX_FILES),$(wildcard $(B)/kernels/ptx/*.ptx)) \
	$(filter-out $(KERNELS:%=$(B)/kernels/%.fatbin) $(KERNELS:%=$(B)/kernels/%.code),$(wildcard $(B)/kernels/*.fatbin $(B)/kernels/*.code))
ptx-copies: $(PTX_FILES)
	@$(if $(STALE),rm -f $(STALE),:)

$(B)/kernels/flags: FORCE
	@mkdir -p $(@D)
	@{ echo '$(NVCC_FLAGS) $(ARCHS)'; $(NVCC) --version; } > $@.new
	$(call update,$@)

$(B)/kernels/%.fatbin: kernels/%.cu $(B)/kernels/flags
	@mkdir -p $(@D)
	$(call q,NVCC,$@) $(NVCC) $(NVCC_FLAGS) -t2 --fatbin $(gencode) -MD -MP -MF $(@:.fatbin=.d) -o $@ $< $(keep_cubins)

# nvdisasm alone reads no image, only the cubins that the image is made of.
keep_cubins = $(if $(CUOBJDUMP),,$(if $(NVDISASM),--keep --keep-dir $(shell mkdir -p $(B)/cubins/$*; echo $(B)/cubins/$*)))

$(B)/kernels/%.code: $(B)/kernels/%.fatbin tools/code-list.sh | $(FETCHED)
	@c='$(CUOBJDUMP)'; d='$(NVDISASM)'; \
	if [ -z "$$c$$d" ] && [ -x $(DISASSEMBLER)/cuobjdump ]; then c=$(DISASSEMBLER)/cuobjdump; d=$(DISASSEMBLER)/nvdisasm; fi; \
	[ -z "$$c$$d" ] || { tools/code-list.sh "$$c" "$$d" $< $(if $(CUOBJDUMP),,$$(ls -d $(B)/cubins/$*/*.cubin 2>/dev/null)) \
		> $@.new && mv -f $@.new $@; }

# What made the images: reported with every run.
$(B)/kernels/toolkit: $(IMAGES) tools/toolkit-file.sh
	@tools/toolkit-file.sh $(@D) $$($(NVCC) --version | \
		sed -n 's/^Cuda compilation tools, release \([0-9.]*\), V\([0-9.]*\).*/release \1 route nvcc nvcc \2/p') \
		archs "$(strip $(or $(ARCHS),$(nvcc_archs)))"

$(B)/kernels/ptx/%.ptx: kernels/ptx/%.ptx
	@mkdir -p $(@D)
	@cp $< $@

-include $(IMAGES:.fatbin=.d)

# Images of other CUDA releases, each in build/kernels-<release>/, by one route for all: NVRTC, ptxas, fatbinary.
TOOLKITS ?=#  releases for toolkit-images: '12.4=DIR 13.5=DIR'; DIR as CUDA_HOME, or of tools/toolkits.sh
TOOLKIT_RELEASES := $(foreach t,$(TOOLKITS),$(firstword $(subst =, ,$(t))))
toolkit_home = $(word 2,$(subst =, ,$(filter $(1)=%,$(TOOLKITS))))
TOOLKIT_HOMES = $(foreach r,$(TOOLKIT_RELEASES),$(call toolkit_home,$(r)))

$(B)/nvrtc-compile: tools/nvrtc-compile.c | setup
	@mkdir -p $(@D)
	$(call q,CC,$@) $(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) $(LDFLAGS) -o $@ $< -ldl

# The last there is: of the toolkits given, the one of this build, of any fetched.
toolkit_program = $(lastword $(wildcard $(B)/toolkits/*/bin/$(1) $(addsuffix /bin/$(1),$(CUDA_ROOT) $(sort $(TOOLKIT_HOMES)))))

toolkit-images: $(TOOLKIT_RELEASES:%=$(B)/kernels-%/toolkit) ## images of other releases: TOOLKITS='12.4=DIR 13.5=DIR' ARCHS='90'
	@$(if $(TOOLKITS),:,echo "toolkit-images: say which: TOOLKITS='12.4=DIR 13.5=DIR' (tools/toolkits.sh fetches them)" >&2; exit 1)

$(B)/kernels-%/made-by: FORCE
	@mkdir -p $(@D)
	@echo '$(call toolkit_home,$*) $(ARCHS)' > $@.new
	$(call update,$@)

$(B)/kernels-%/toolkit: $(B)/kernels-%/made-by $(wildcard kernels/*.cu kernels/*.h kernels/*.cuh) $(B)/nvrtc-compile \
		tools/toolkit-images.sh tools/code-list.sh
	@ARCHS='$(ARCHS)' NVRTC_COMPILE='$(abspath $(B)/nvrtc-compile)' FATBINARY='$(call toolkit_program,fatbinary)' \
		CUOBJDUMP='$(call toolkit_program,cuobjdump)' NVDISASM='$(call toolkit_program,nvdisasm)' \
		tools/toolkit-images.sh $* '$(call toolkit_home,$*)' $(@D) $(KERNELS:%=kernels/%.cu)
	@echo '$(call toolkit_home,$*) $(ARCHS)' > $(@D)/made-by && touch $@

ptx: ## write kernels/ptx/ anew from kernels/*.cu (needs nvcc)
	@$(if $(NVCC),:,echo "ptx: $(subst ~, ,$(NVCC_LACKS))" >&2; exit 1)
	@mkdir -p kernels/ptx
	@set -e; for k in $(KERNELS); do \
		$(NVCC) $(PTX_FLAGS) -o kernels/ptx/$$k.ptx.new kernels/$$k.cu; \
		mv -f kernels/ptx/$$k.ptx.new kernels/ptx/$$k.ptx; echo "kernels/ptx/$$k.ptx"; done

# ---------------------------------------------------------------------------------------------- tests
# run_tests VARIANT-ENDING: a fresh folder for what they write; a generous limit for each test, for slow machines
run_tests = rm -rf $(B)/test-tmp$(1) && mkdir -p $(B)/test-tmp$(1) && \
	LOCPATH=$(abspath $(B))/locale CK_DEFAULT_TIMEOUT=$${CK_DEFAULT_TIMEOUT:-120} $(2) \
	tools/run-tests.sh $(B)/bankcheck-tests$(1) $(B)/test-log$(1)

# A driver and a CUPTI for tests of the CUDA device without a GPU.
STUB_LIBRARIES := $(if $(WITH_CUDA),$(addprefix $(B)/stubs/,libcuda.so.1 libcupti.so.13 libnvidia-ml.so.1 app/libcuda.so.1 app/libcupti.so.13))
STUBS := $(STUB_LIBRARIES) $(if $(WITH_CUDA),$(B)/stubs/app/program $(APP_LIBRARY))
$(B)/stubs/libcuda.so.1: harness/tests/stubs/stub_cuda.c harness/tests/stubs/stub_memory.c
$(B)/stubs/libcupti.so.13: harness/tests/stubs/stub_cupti.c
$(B)/stubs/libnvidia-ml.so.1: harness/tests/stubs/stub_nvml.c
$(B)/stubs/app/libcuda.so.1: harness/tests/stubs/app_cuda.c harness/tests/stubs/stub_memory.c harness/tests/stubs/app_stub.h
$(B)/stubs/app/libcupti.so.13: harness/tests/stubs/app_cupti.c harness/tests/stubs/app_stub.h
$(STUB_LIBRARIES): kernels/bc_kernel.h $(CUPTI_SHIM)/string | setup
	@mkdir -p $(@D)
	$(call q,CC,$@) $(CC) $(DEFINES) $(WARNINGS) $(CUDA_CFLAGS) $(CFLAGS) -shared -fPIC -Wl,-soname,$(@F) -o $@ $(filter %.c,$^) -ldl
$(B)/stubs/app/program: harness/tests/stubs/app_program.c $(B)/stubs/app/libcuda.so.1
	$(call q,CC,$@) $(CC) $(DEFINES) $(WARNINGS) $(CUDA_CFLAGS) $(CFLAGS) -o $@ $^ -lpthread

# The same for 64-bit Arm, but what `bankcheck app` puts into a program.
STUBS_aarch64 := $(if $(WITH_CUDA),$(addprefix $(B)/aarch64/stubs/,libcuda.so.1 libcupti.so.13 libnvidia-ml.so.1))
$(B)/aarch64/stubs/libcuda.so.1: harness/tests/stubs/stub_cuda.c harness/tests/stubs/stub_memory.c
$(B)/aarch64/stubs/libcupti.so.13: harness/tests/stubs/stub_cupti.c
$(B)/aarch64/stubs/libnvidia-ml.so.1: harness/tests/stubs/stub_nvml.c
$(STUBS_aarch64): kernels/bc_kernel.h $(CUPTI_SHIM)/string | setup
	@mkdir -p $(@D)
	$(call q,CC,$@) $(CC_aarch64) $(DEFINES) $(WARNINGS) $(CUDA_CFLAGS) $(CFLAGS) -shared -fPIC -Wl,-soname,$(@F) -o $@ $(filter %.c,$^) -ldl

$(foreach v,$(VARIANTS),$(B)/bankcheck-tests$(END_$(v))): | $(STUBS)
$(B)/bankcheck-tests-aarch64: | $(STUBS_aarch64)

# A locale with a decimal comma, for the tests that must not be moved by one.
LOCALE := $(B)/locale/de_DE.UTF-8/LC_NUMERIC
$(LOCALE): | setup
	@mkdir -p $(B)/locale
	@localedef -i de_DE -f UTF-8 $(B)/locale/de_DE.UTF-8

check-unit: $(B)/bankcheck-tests $(B)/bankcheck-inject bankcheck $(STUBS) $(LOCALE) | check-needs check-ptx check-arch check-install
	@$(call run_tests,)

aarch64: $(B)/bankcheck-aarch64 $(B)/bankcheck-tests-aarch64 $(B)/bankcheck-inject-aarch64 ptx-copies $(LOCALE)

check-aarch64: | setup ## the unit tests as 64-bit Arm programs under qemu-user (SUITES='...': only these)
	@MAKE='$(MAKE)' tools/check-aarch64.sh $(SUITES)

# `make check` opens the page too where a browser is; this one installs it.
check-browser: $(B)/bankcheck-tests bankcheck | setup ## the HTML page in headless Chromium (installed when it is not here)
	@export CK_RUN_SUITE=browser; $(call run_tests,)

check-inject: $(B)/bankcheck-tests $(B)/bankcheck-inject bankcheck ## each call of the program failing once, where `make check` takes samples
	@export BC_INJECT_ALL=1; for s in inject inject_words; do export CK_RUN_SUITE=$$s; $(call run_tests,) || exit 1; done

.PHONY: check-map
check-map: $(B)/bankcheck-tests ## 200 random bank laws and ten that are not linear, found by counters and by clock
	@mkdir -p $(B)/test-tmp
	BC_MAP_LAWS=200 CK_RUN_SUITE=map CK_DEFAULT_TIMEOUT=3600 $(B)/bankcheck-tests

check-needs: $(B)/bankcheck
	@tools/check-needs.sh $<

# Without images: their build is long and the same for all that is installed.
check-farm: $(B)/bankcheck ## nights on a Slurm of this machine, and what goes wrong there (skips, with the reason, where there can be none)
	@tools/check-farm.sh $(abspath $(B))/check-farm

check-install: $(B)/bankcheck
	@MAKE='$(MAKE)' tools/check-install.sh $(abspath $(B))/test-install

check-ptx:
	@NVCC_PTX_FLAGS='$(PTX_FLAGS)' tools/check-ptx.sh '$(NVCC)' kernels/ptx $(B)/ptx $(KERNELS)

check-arch: $(B)/arch_facts
	@tools/check-arch.sh '$(PTXAS)' $< '$(LIBCUPTI)' expected $(B)/arch $(if $(NVCC),$(or $(ARCHS),$(nvcc_archs)))

# Without the headers of a toolkit it is built too, and says that it was not.
$(B)/arch_facts: tools/arch_facts.c $(CUPTI_SHIM)/string | setup
	$(call q,CC,$@) $(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) $(CUDA_CFLAGS) \
		$(if $(filter-out /usr,$(CUDA_ROOT)),-isystem $(CUDA_ROOT)/include) $(CFLAGS) $(LDFLAGS) -o $@ $< -ldl

# CUDA releases that `make check-toolkits` fetches with pip: headers and CUPTI (10 MB each); compilers (100 to 300 MB each).
CHECK_RELEASES ?= 12.6.2 12.8 12.9 13.0 13.1 13.2 13.3 13.4 13.5
CHECK_IMAGES   ?= 11.8 12.4 12.9 13.5
check-toolkits: $(MAIN_release) $(LIB_release) $(B)/nvrtc-compile ## the program, CUPTI and kernels of many CUDA releases, fetched with pip
	@$(if $(WITH_CUDA),,echo "toolkits: not checked: $(subst ~, ,$(CUDA_LACKS)) (CUDA_HOME=DIR of tools/toolkits.sh will do)"; exit 0;) \
	COMPILE='$(call compile,release)' LINK='$(call LIBS,$(CC))' CC='$(CC)' MAKE='$(MAKE)' RELEASES='$(CHECK_RELEASES)' IMAGES='$(CHECK_IMAGES)' \
		tools/check-toolkits.sh $(B)/toolkits $(MAIN_release) $(filter-out $(B)/obj/release/harness/device/cuda/%,$(LIB_release))

# The quarantine is kept small because LeakSanitizer walks it at the end of each of the tests, which are processes.
# handle_segv=0: a worker and a CUPTI that die of SIGSEGV must die of it here too; the tests are about that signal.
asan: $(B)/bankcheck-tests-asan $(B)/bankcheck-asan $(B)/bankcheck-inject-asan ptx-copies $(STUBS) $(LOCALE) ## the unit tests with AddressSanitizer and UBSan
	@$(call run_tests,-asan,ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=8:handle_segv=0 LSAN_OPTIONS=suppressions=$(CURDIR)/harness/tests/lsan.supp:print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1)

tsan: $(B)/bankcheck-tests-tsan $(B)/bankcheck-tsan $(B)/bankcheck-inject-tsan ptx-copies $(STUBS) $(LOCALE) ## the unit tests with ThreadSanitizer
	@$(call run_tests,-tsan,TSAN_OPTIONS=halt_on_error=1)

clang: $(B)/bankcheck-clang $(B)/bankcheck-inject-clang $(B)/bankcheck-tests-clang ## program and tests compiled with clang, as build/*-clang

# New inputs go to build/fuzz/<name>/corpus; harness/tests/data/<room>/<name>/ holds the committed ones and is only read.
FUZZERS := $(notdir $(SRC_FUZZ:%.c=%))
define FUZZER
$(B)/fuzz/$(notdir $(1))/run: $(B)/obj/fuzz/$(1).o $(B)/obj/fuzz/libbankcheck.a
	@mkdir -p $$(@D)/corpus
	$$(call q,LINK,$$@) $$(CC_fuzz) $$(FLAGS_fuzz) -fsanitize=fuzzer $$(LDFLAGS) -o $$@ $$^ $$(call LIBS,$$(CC_fuzz))
endef
$(foreach f,$(SRC_FUZZ:%.c=%),$(eval $(call FUZZER,$(f))))

fuzz: $(FUZZERS:%=$(B)/fuzz/%/run) ptx-copies ## each fuzz target for FUZZ_SECONDS seconds (clang)
	@rm -rf $(B)/test-tmp-fuzz && mkdir -p $(B)/test-tmp-fuzz
	@set -e; for f in $(FUZZERS); do \
		seeds=$$(ls -d harness/tests/data/*/$$f 2>/dev/null || true); \
		echo "fuzz: $$f for $(FUZZ_SECONDS) s"; \
		$(B)/fuzz/$$f/run -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
			-verbosity=0 -artifact_prefix=$(B)/fuzz/$$f/ $(B)/fuzz/$$f/corpus $$seeds; done
-include $(SRC_FUZZ:%.c=$(B)/obj/fuzz/%.d)

BENCHES := $(SRC_BENCH:harness/bench/%.c=%)
$(B)/bench/%: $(B)/obj/release/harness/bench/%.o $(B)/obj/release/libbankcheck.a
	@mkdir -p $(@D)
	$(call q,LINK,$@) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(call LIBS,$(CC))

$(B)/fleet-make: tools/fleet-make.c $(B)/obj/release/libbankcheck.a | setup
	$(call q,LINK,$@) $(CC) $(DEFINES) $(WARNINGS) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) -o $@ $^ $(call LIBS,$(CC))

bench-fleet: bankcheck $(B)/fleet-make ## a night of NODES hosts (500), made of one report: gathered and asked
	tools/bench-fleet.sh $(B) $(NODES)

bench: bankcheck $(if $(GPU),kernels) $(BENCHES:%=$(B)/bench/%) ## the benchmarks of harness/bench/
	@$(if $(BENCHES),:,echo "bench: no program in harness/bench/ yet")
	@set -e; for b in $(BENCHES); do echo "bench: $$b"; $(B)/bench/$$b; done
-include $(SRC_BENCH:%.c=$(B)/obj/release/%.d)

# Planted faults on one architecture, after the unit tests: both want the CPUs.
check-selftest: bankcheck | check-unit
	$(B)/bankcheck selftest

selftest: bankcheck ## planted faults on every architecture: which suites catch them
	$(B)/bankcheck selftest --arch all

# ---------------------------------------------------------------------------------------------- lint and format
C_FILES := $(sort $(SRC_CUDA) $(if $(WITH_CUDA),$(SRC_APP)) $(SRC_HARNESS) $(wildcard $(SRC_MAIN)) $(SRC_SUITES) \
	$(SRC_TESTS) $(SRC_INJECT) $(SRC_FUZZ) $(SRC_BENCH) $(SRC_STUBS) $(wildcard tools/*.c))
FORMATTED = $(C_FILES) $(wildcard harness/*/*.h harness/*/*/*.h suites/*.h kernels/*.h kernels/*.cuh kernels/*.cu)

lint: $(B)/gen/suites.c $(B)/gen/tests.c $(CUPTI_SHIM)/string | setup ## clang-tidy, cppcheck, shellcheck and the project's own rules
	@LINT_CFLAGS="$(DEFINES) $(XML_CFLAGS)" LINT_CUDA_CFLAGS="$(if $(WITH_CUDA),$(CUDA_CFLAGS))" tools/lint.sh $(C_FILES)

format: ## lay the sources out anew as .clang-format says
	@command -v clang-format >/dev/null || { echo "format: clang-format is not here: apt-get install clang-format" >&2; exit 1; }
	clang-format -i $(FORMATTED)

# ---------------------------------------------------------------------------------------------- install
man: $(B)/bankcheck.1 ## the man page, build/bankcheck.1

$(B)/bankcheck.1: $(B)/bankcheck
	@$< man > $@.new
	@mv -f $@.new $@

completion: $(B)/completion/bankcheck $(B)/completion/_bankcheck ## what completes its words in bash and zsh

$(B)/completion/bankcheck: shell = bash
$(B)/completion/_bankcheck: shell = zsh
$(B)/completion/%: $(B)/bankcheck $(wildcard expected/sm_*/arch.txt)
	@mkdir -p $(@D)
	@$< completion $(shell) > $@.new
	@mv -f $@.new $@

BINDIR   = $(DESTDIR)$(PREFIX)/bin
LIBDIR   = $(DESTDIR)$(PREFIX)/lib/bankcheck
SHAREDIR = $(DESTDIR)$(PREFIX)/share/bankcheck
MANDIR   = $(DESTDIR)$(PREFIX)/share/man/man1
DOCDIR   = $(DESTDIR)$(PREFIX)/share/doc/bankcheck
BASHDIR  = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR   = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FARM_FILES = $(shell find farm -type f -not -name '*.pyc')
DOCS     = README.md CONTRIBUTING.md $(wildcard docs/*)

install: all ## into PREFIX (/usr/local), below DESTDIR when set
	install -d $(BINDIR) $(LIBDIR)/kernels/ptx $(SHAREDIR) $(MANDIR) $(DOCDIR) $(BASHDIR) $(ZSHDIR)
	install -m 755 $(B)/bankcheck $(BINDIR)/bankcheck
	$(if $(APP_LIBRARY),install -m 755 $(APP_LIBRARY) $(LIBDIR)/)
	for f in $(IMAGES) $(if $(CODES),$$(ls $(CODES) 2>/dev/null)) $(if $(IMAGES),$(B)/kernels/toolkit); do install -m 644 $$f $(LIBDIR)/kernels/ || exit 1; done
	for f in $(PTX_FILES); do install -m 644 $$f $(LIBDIR)/kernels/ptx/ || exit 1; done
	find expected -type f | while read -r f; do \
		install -D -m 644 "$$f" "$(SHAREDIR)/$$f" || exit 1; done
	for f in $(FARM_FILES); do install -D -m $$([ -x $$f ] && echo 755 || echo 644) $$f $(SHAREDIR)/$$f || exit 1; done
	install -m 644 $(B)/bankcheck.1 $(MANDIR)/bankcheck.1
	install -m 644 $(B)/completion/bankcheck $(BASHDIR)/bankcheck
	install -m 644 $(B)/completion/_bankcheck $(ZSHDIR)/_bankcheck
	for f in LICENSE $(DOCS); do install -D -m 644 $$f $(DOCDIR)/$$f || exit 1; done

# The architectures of the hosts that tarballs are made for.
DIST_ARCHS ?= x86_64 aarch64
# CUDA releases whose images lie beside those of this machine's nvcc in a tarball: for drivers that are older.
DIST_RELEASES ?= 12.9
dist-images: kernels
	@$(if $(WITH_CUDA),:,echo "dist: $(subst ~, ,$(CUDA_LACKS)): a tarball would have no CUDA device; CUDA_HOME=\$$(tools/toolkits.sh 13.0) make dist" >&2; exit 1)
	@set -e; [ -z '$(DIST_RELEASES)' ] || tools/toolkits.sh --parts nvcc,cudart,nvrtc --into $(B)/toolkits $(DIST_RELEASES) >/dev/null; \
		$(MAKE) toolkit-images TOOLKITS='$(foreach r,$(DIST_RELEASES),$(r)=$(B)/toolkits/$(r))'

dist: all $(if $(DIST_RELEASES),dist-images) ## relocatable tarballs for x86_64 and aarch64 in build/dist/ (fetches a compiler, CUDA 12.9 and sources)
	@set -e; for a in $(DIST_ARCHS); do MAKE='$(MAKE)' CUDA_VERSION=$(CUDA_VERSION) DIST_RELEASES='$(DIST_RELEASES)' tools/dist.sh $$a $(B)/dist; done

deb: dist ## Debian packages of the tarballs' files in build/dist/ (lintian looks at them where it is)
	@set -e; for a in $(DIST_ARCHS); do tools/deb.sh $(B)/dist/bankcheck-*-linux-$$a.tar.xz $(B)/dist; done

check-reproducible: dist ## the same bytes once more, from another folder (a sample; ALL=1: all of it)
	@MAKE='$(MAKE)' tools/check-reproducible.sh $(B)/dist/bankcheck-*-linux-$(firstword $(DIST_ARCHS)).tar.xz

check-dist: dist ## the tarballs run elsewhere: symbols, an old distribution, qemu (ALL=1: the whole catalogue)
	@tools/check-dist.sh $(B)/dist/*.tar.xz

uninstall: ## what `make install` put there
	rm -f $(BINDIR)/bankcheck $(MANDIR)/bankcheck.1 $(BASHDIR)/bankcheck $(ZSHDIR)/_bankcheck
	rm -rf $(LIBDIR) $(SHAREDIR) $(DOCDIR)

clean: ## all that was built
	rm -rf $(B)
