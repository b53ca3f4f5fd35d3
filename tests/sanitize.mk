# The runtime and the compiler with sanitizers.

# For the modes of run-case whose names end in "-san". What is read through NULL the address sanitizer finds; to look for it twice would
# take a quarter of the time in which all is compiled.
SANITIZE = -g1 -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize=null,object-size -fno-sanitize-recover=all
EXTRA_LIBRARIES += %D%/sanitize/lib/libsnlrt.a %D%/sanitize/libsnlc.a
%C%_sanitize_lib_libsnlrt_a_SOURCES = $(libsnlrt_a_SOURCES)
%C%_sanitize_lib_libsnlrt_a_CPPFLAGS = $(libsnlrt_a_CPPFLAGS)
%C%_sanitize_lib_libsnlrt_a_CFLAGS = $(libsnlrt_a_CFLAGS) $(SANITIZE)
%C%_sanitize_libsnlc_a_SOURCES = $(libsnlc_a_SOURCES)
nodist_%C%_sanitize_libsnlc_a_SOURCES = $(nodist_libsnlc_a_SOURCES)
%C%_sanitize_libsnlc_a_CPPFLAGS = $(SNLC_CPPFLAGS)
%C%_sanitize_libsnlc_a_CFLAGS = $(SNLC_CFLAGS) $(SANITIZE) -O0
# Not those of the user, which come last: with -O2 it takes three times as long to compile, and saves little of what it runs. (A pattern,
# because automake would take a target for a rule of its own.)
%D%/sanitize/libsnl%.a: CFLAGS =
EXTRA_PROGRAMS += %D%/sanitize/snlc
%C%_sanitize_snlc_SOURCES = src/cli/main.c
%C%_sanitize_snlc_CPPFLAGS = $(SNLC_CPPFLAGS)
%C%_sanitize_snlc_CFLAGS = $(SNLC_CFLAGS) $(SANITIZE)
%C%_sanitize_snlc_LDADD = %D%/sanitize/libsnlc.a %D%/sanitize/lib/libsnlrt.a $(SNLC_LIBS) $(RUNTIME_LIBS)
# With the runtime as it is, for scripts/sanitized.sh.
EXTRA_PROGRAMS += %D%/sanitize/compiler
%C%_sanitize_compiler_SOURCES = src/cli/main.c
%C%_sanitize_compiler_CPPFLAGS = $(SNLC_CPPFLAGS)
%C%_sanitize_compiler_CFLAGS = $(SNLC_CFLAGS) $(SANITIZE)
%C%_sanitize_compiler_LDADD = %D%/sanitize/libsnlc.a libsnlrt.a $(SNLC_LIBS) $(RUNTIME_LIBS)
sanitize: all %D%/sanitize/snlc %D%/sanitize/lib/libsnlrt.a
	@$(MKDIR_P) %D%/sanitize/include && cp -R stage/include/snl %D%/sanitize/include/

# The runtime with threads of its own instead of OpenMP's, whose barriers the thread sanitizer does not see; for the modes of
# run-case whose names end in "-tsan", too. Each atomic step may wait (races/steps.c). Its address space must not be random.
THREAD_SANITIZE = $(WARNING_CFLAGS) -g -O1 -fwrapv -ffp-contract=off -fsanitize=thread
THREAD_CPPFLAGS = $(AM_CPPFLAGS) -DSNL_TEST_THREADS
EXTRA_LIBRARIES += %D%/threads/lib/libsnlrt.a
%C%_threads_lib_libsnlrt_a_SOURCES = $(libsnlrt_a_SOURCES) %D%/races/steps.c
%C%_threads_lib_libsnlrt_a_CPPFLAGS = $(libsnlrt_a_CPPFLAGS) -I$(srcdir)/runtime -DSNL_TEST_THREADS
%C%_threads_lib_libsnlrt_a_CFLAGS = $(THREAD_SANITIZE)
thread_libs = %D%/threads/lib/libsnlrt.a $(CHECK_LIBS) $(RUNTIME_LIBS)
thread_programs = %D%/threads/check_runtime_atomic %D%/threads/check_runtime_batch %D%/threads/check_runtime_model %D%/threads/check_runtime_threads
EXTRA_PROGRAMS += $(thread_programs)
%C%_threads_check_runtime_atomic_SOURCES = %D%/unit/check_runtime_atomic.c
%C%_threads_check_runtime_atomic_CPPFLAGS = $(THREAD_CPPFLAGS)
%C%_threads_check_runtime_atomic_CFLAGS = $(THREAD_SANITIZE)
%C%_threads_check_runtime_atomic_LDADD = $(thread_libs)
%C%_threads_check_runtime_batch_SOURCES = %D%/unit/check_runtime_batch.c
%C%_threads_check_runtime_batch_CPPFLAGS = $(THREAD_CPPFLAGS)
%C%_threads_check_runtime_batch_CFLAGS = $(THREAD_SANITIZE)
%C%_threads_check_runtime_batch_LDADD = $(thread_libs)
%C%_threads_check_runtime_model_SOURCES = %D%/unit/check_runtime_model.c
%C%_threads_check_runtime_model_CPPFLAGS = $(THREAD_CPPFLAGS)
%C%_threads_check_runtime_model_CFLAGS = $(THREAD_SANITIZE)
%C%_threads_check_runtime_model_LDADD = $(thread_libs)
%C%_threads_check_runtime_threads_SOURCES = %D%/unit/check_runtime_threads.c
%C%_threads_check_runtime_threads_CPPFLAGS = $(THREAD_CPPFLAGS)
%C%_threads_check_runtime_threads_CFLAGS = $(THREAD_SANITIZE)
%C%_threads_check_runtime_threads_LDADD = $(thread_libs)
threads: all %D%/threads/lib/libsnlrt.a
	@$(MKDIR_P) %D%/threads/include && cp -R stage/include/snl %D%/threads/include/
# STEP_SEEDS: where steps wait, by number; with 0 nothing waits.
check-threads: threads $(thread_programs)
	@$(MKDIR_P) tests/work/threads
	@for seed in $${STEP_SEEDS:-1}; do for p in $(thread_programs); do \
	    echo "$$p, SNL_STEP_SEED=$$seed"; \
	    (cd tests/work/threads && SNL_STEP_SEED=$$seed TSAN_OPTIONS="halt_on_error=1 suppressions=$(abs_srcdir)/%D%/races/known.supp" \
	        CK_DEFAULT_TIMEOUT=600 setarch -R "$(abs_builddir)/$$p") || exit 1; done; done

# That part of the runtime, and its tests, under the address sanitizer and that of undefined behaviour. Nothing is
# optimised: listgen.c alone would take 20 seconds. ADDRESS_LONG=yes runs the programs that take long, too.
ADDRESS_SANITIZE = $(WARNING_CFLAGS) $(OPENMP_CFLAGS) -g -O0 -fwrapv -ffp-contract=off -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
EXTRA_LIBRARIES += %D%/address/libtrees.a
%C%_address_libtrees_a_SOURCES = $(tree_files)
%C%_address_libtrees_a_CPPFLAGS = $(libsnlrt_a_CPPFLAGS)
%C%_address_libtrees_a_CFLAGS = $(ADDRESS_SANITIZE)
%D%/address/lib%.a: CFLAGS =
address_quick = atomic batch edges lists memory sweep
address_slow = loops model short threads
address_programs = $(address_quick:%=%D%/address/check_runtime_%) $(address_long)
address_long = $(address_slow:%=%D%/address/check_runtime_%) %D%/address/check_field %D%/address/check_stream %D%/address/check_tree
$(address_programs): %D%/address/%: %D%/unit/%.c $(unit_headers) %D%/address/libtrees.a libsnlrt.a
	$(AM_V_CCLD)$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(ADDRESS_SANITIZE) -o $@ $< %D%/address/libtrees.a libsnlrt.a $(CHECK_LIBS) $(RUNTIME_LIBS)
check-address: all
	@programs="$(filter-out $(address_long),$(address_programs))"; if test -n "$(ADDRESS_LONG)"; then programs="$(address_programs)"; fi; \
	$(MAKE) $(AM_MAKEFLAGS) $$programs && $(MKDIR_P) tests/work/address && for p in $$programs; do \
	    (cd tests/work/address && CK_DEFAULT_TIMEOUT=600 SNL_TEST_OPERATIONS=$${SNL_TEST_OPERATIONS:-60000} FAULT_STEP=$${FAULT_STEP:-9} \
	        ASAN_OPTIONS=detect_leaks=1 "$(abs_builddir)/$$p") || exit 1; done

