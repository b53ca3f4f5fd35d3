# Tests that take longer than make check, or need what it does without.

# All modes, with sanitizers and without optimisation.
CHECK_ALL_MODES = $(CASE_MODES) $(EXTRA_CASE_MODES)
check-all: all
	@$(MAKE) $(AM_MAKEFLAGS) check CASE_MODES="$(CHECK_ALL_MODES)"
check-sanitize: all check-threads
	@$(MAKE) $(AM_MAKEFLAGS) check-address ADDRESS_LONG=yes
	@$(MAKE) $(AM_MAKEFLAGS) check CASE_MODES="$(filter %-san,$(EXTRA_CASE_MODES))" TESTS="$(case_files)"
# As often as time allows: every case with each level of optimisation and with run-time checks.
check-long: all
	@SNL_TEST_OPERATIONS=$${SNL_TEST_OPERATIONS:-10000000} UNIT_TIMEOUT=7200 DIFF_COUNT=$${DIFF_COUNT:-20000} \
	    RACE_COUNT=$${RACE_COUNT:-1000} FILE_MUTANTS=$${FILE_MUTANTS:-10000} FILE_LONG=$${FILE_LONG-yes} MODEL_LONG=$${MODEL_LONG-yes} \
	    GPU_SEEDS=$${GPU_SEEDS:-20} LINEAR_LONG=$${LINEAR_LONG-yes} ADDRESS_LONG=$${ADDRESS_LONG-yes} CUDA_LONG=$${CUDA_LONG-yes} \
	    FAULT_STEP=$${FAULT_STEP-1} STEP_SEEDS="$${STEP_SEEDS-0 1 2 3}" PACKAGES=$${PACKAGES-yes} FLOATS=$${FLOATS-all} \
	    $(MAKE) $(AM_MAKEFLAGS) check CASE_MODES="$(CHECK_ALL_MODES) $(LONG_CASE_MODES)"
# All cases on processors of another kind, which qemu stands in for, where binfmt_misc knows it: with its compiler and the runtime made by
# that, then by the interpreter made by it. Debian packages: gcc-aarch64-linux-gnu or gcc-s390x-linux-gnu, whose bytes stand the other way
# round, libc6-dev-arm64-cross or libc6-dev-s390x-cross, qemu-user-binfmt.
CROSS = aarch64-linux-gnu
CROSS_FEATURES = avx2:no png:no zlib:no lzma:no hdf5:no nanovdb:no jansson:no check:no
check-cross: all
	@$(MKDIR_P) tests/cross/$(CROSS) && cd tests/cross/$(CROSS) && { test -f Makefile || $(abs_srcdir)/configure --quiet --host=$(CROSS) LDFLAGS=-static \
	    --without-png --without-zlib --without-lzma --without-hdf5 --without-nanovdb --without-jansson --without-check; } && $(MAKE) $(AM_MAKEFLAGS)
	@for l in png z; do rm -f tests/cross/$(CROSS)/stage/lib/lib$$l.a && $(AR) cr tests/cross/$(CROSS)/stage/lib/lib$$l.a || exit 1; done
	@CROSS='$(CROSS)' CASE_LIMIT=1200 $(MAKE) $(AM_MAKEFLAGS) check CASE_MODES="c2-cross interpret-cross" \
	    TESTS="$(case_files)" FEATURES="$(CROSS_FEATURES)"
# All that needs a GPU, in the parts of tests/check-gpu, which can be run one by one; GPU_TARGET=cuda-sim GPU_MODE=sim tries it out.
GPU_PARTS = cases checks bench
GPU_TARGET = cuda
GPU_MODE = cuda
check-gpu: all
	@$(AM_TESTS_ENVIRONMENT) $(bench_environment) GPU_MODE="$(GPU_MODE)" GPU_CASES="$(GPU_CASES)" $(SHELL) $(srcdir)/%D%/check-gpu $(GPU_PARTS)
# Hostile texts, messages and files: TIME seconds for each TARGET, by ENGINE libfuzzer, afl or words. See fuzz/run.
TIME = 60
fuzz: all
	@SNL_SOURCE='$(srcdir)' SNLC='$(abs_builddir)/snlc' SNLC_RUNTIME='$(abs_builddir)/stage' RUNTIME_LIBS='$(RUNTIME_LIBS)' \
	    HDF5_CFLAGS='$(HDF5_CFLAGS)' ENGINE='$(ENGINE)' RECORD='$(RECORD)' $(SHELL) $(srcdir)/%D%/fuzz/run $(TIME) $(TARGET)
# COUNT more random programs by JOBS processes, each CC_EVERY-th by the C compiler; notes them in diff/record. With FIRST those from that
# seed on, noted nowhere.
COUNT = 1000
JOBS = 1
FIRST =
CC_EVERY = 750
programs: all
	@$(MAKE) $(AM_MAKEFLAGS) -s tests/diff/snlsmith && $(AM_TESTS_ENVIRONMENT) CC_EVERY=$(CC_EVERY) $(SHELL) $(srcdir)/%D%/diff/campaign $(COUNT) $(JOBS) $(FIRST)
# The same by gcc and clang, one by one, noted in diff/record-built; with LOCALS=40 of so many functions of matrices and local arrays.
LOCALS = 0
programs-built: all
	@$(MAKE) $(AM_MAKEFLAGS) -s tests/diff/snlsmith && $(AM_TESTS_ENVIRONMENT) LOCALS=$(LOCALS) $(SHELL) $(srcdir)/%D%/diff/built $(COUNT) $(JOBS) $(FIRST)

.PHONY: fuzz programs programs-built check-all check-sanitize check-long check-cross check-gpu
