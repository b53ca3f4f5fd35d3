# Every case is a test of its own: make check TESTS=tests/cases/layout/dense_layouts.snl runs one. CASE_MODES says in how many ways.
# make finds cases, scripts and the files beside them, by the words in configure.ac: a new one needs no list.
# files: unit_files = unit/check_*.c
unit_files = \
    %D%/unit/check_base.c \
    %D%/unit/check_bench.c \
    %D%/unit/check_check.c \
    %D%/unit/check_field.c \
    %D%/unit/check_format.c \
    %D%/unit/check_gpu_sim.c \
    %D%/unit/check_interp.c \
    %D%/unit/check_io.c \
    %D%/unit/check_io_damage.c \
    %D%/unit/check_io_unpack.c \
    %D%/unit/check_ir.c \
    %D%/unit/check_ir_repeats.c \
    %D%/unit/check_ir_verify.c \
    %D%/unit/check_layout.c \
    %D%/unit/check_main.c \
    %D%/unit/check_math.c \
    %D%/unit/check_options.c \
    %D%/unit/check_parse.c \
    %D%/unit/check_races.c \
    %D%/unit/check_runtime_atomic.c \
    %D%/unit/check_runtime_batch.c \
    %D%/unit/check_runtime_edges.c \
    %D%/unit/check_runtime_lists.c \
    %D%/unit/check_runtime_loops.c \
    %D%/unit/check_runtime_memory.c \
    %D%/unit/check_runtime_model.c \
    %D%/unit/check_runtime_orders.c \
    %D%/unit/check_runtime_pages.c \
    %D%/unit/check_runtime_pools.c \
    %D%/unit/check_runtime_short.c \
    %D%/unit/check_runtime_sweep.c \
    %D%/unit/check_runtime_threads.c \
    %D%/unit/check_scan.c \
    %D%/unit/check_stream.c \
    %D%/unit/check_tree.c

EXTRA_DIST += $(found_files) $(unit_files) %D%/README.md %D%/check-gpu %D%/check-links %D%/elementary/errors.c %D%/fuzz/lzf.h5 %D%/fuzz/record %D%/fuzz/run %D%/gpu \
    %D%/gpu-kit %D%/circles.awk %D%/ir-marks.awk %D%/lib.sh %D%/list-cases %D%/names.awk %D%/races/known.supp %D%/run-case %D%/run-page %D%/run-unit %D%/summary

TEST_EXTENSIONS = .snl .sh .md
# Scripts take longest, and so come first.
TESTS += $(script_tests) $(case_files) $(example_pages) README.md
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
SNL_LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_DRIVER = $(TAP_DRIVER)
MD_LOG_DRIVER = $(TAP_DRIVER)
LOG_COMPILER = $(SHELL) $(srcdir)/%D%/run-unit
SNL_LOG_COMPILER = $(SHELL) $(srcdir)/%D%/run-case
SH_LOG_COMPILER = $(SHELL)
MD_LOG_COMPILER = $(SHELL) $(srcdir)/%D%/run-page
AM_TESTS_ENVIRONMENT = \
    SNLC='$(abs_builddir)/snlc'; SNLC_RUNTIME='$(abs_builddir)/stage'; CASE_MODES='$(CASE_MODES)'; \
    SNL_SOURCE='$(abs_srcdir)'; SNL_BUILD='$(abs_builddir)'; MANDOC='$(MANDOC)'; CMARK='$(CMARK)'; XMLLINT='$(XMLLINT)'; \
    XDG_CACHE_HOME='$(abs_builddir)/tests/cache'; TEST_CC='$(CC)'; SIM_CXX='$(SIM_CXX)'; SNL_FEATURES='$(FEATURES)'; \
    export SNLC SNLC_RUNTIME CASE_MODES SNL_SOURCE SNL_BUILD MANDOC CMARK XMLLINT XDG_CACHE_HOME TEST_CC SIM_CXX SNL_FEATURES; \
    $(INSTALL_FOLDERS)

# The part of the runtime that makes and changes trees.
tree_files = runtime/core/core.c runtime/field/field.c runtime/field/field_cells.c runtime/field/field_file.c runtime/field/field_nest.c runtime/field/field_walk.c runtime/core/gc.c \
    runtime/core/instance.c runtime/core/memory.c runtime/io/io_stream.c runtime/io/io_snlt.c runtime/loop/packed_lists.c runtime/core/list.c runtime/core/list_sort.c runtime/tree/listgen.c runtime/program/snl_meta.c runtime/loop/reorder.c \
    runtime/core/parallel.c runtime/core/pool.c runtime/program/program.c runtime/loop/races.c runtime/core/address_space.c runtime/loop/privatize.c runtime/core/stack.c runtime/program/stats.c runtime/loop/stream_store.c \
    runtime/tree/desc_copy.c runtime/tree/hash_tables.c runtime/tree/tree.c runtime/tree/tree_gpu.c
# It again for unit/check_runtime_orders.c, which says at each atomic step which thread goes on.
EXTRA_LIBRARIES += %D%/orders/libtrees.a
%C%_orders_libtrees_a_SOURCES = $(tree_files)
%C%_orders_libtrees_a_CPPFLAGS = $(libsnlrt_a_CPPFLAGS) -DSNL_TEST_THREADS
%C%_orders_libtrees_a_CFLAGS = $(WARNING_CFLAGS) -fwrapv -ffp-contract=off
%C%_unit_check_runtime_orders_CPPFLAGS = $(AM_CPPFLAGS) -DSNL_TEST_THREADS
%C%_unit_check_runtime_orders_CFLAGS = $(WARNING_CFLAGS)
%C%_unit_check_runtime_orders_LDADD = %D%/orders/libtrees.a $(unit_libs)

unit_programs = $(unit_files:.c=)
unit_libs = libsnlc.a libsnlrt.a $(SNLC_LIBS) $(CHECK_LIBS) $(RUNTIME_LIBS)
if HAVE_CHECK
check_PROGRAMS += $(unit_programs)
TESTS += $(unit_programs)
endif

# Sessions with the language server for scripts/lsp.sh, and the client that plays them.
EXTRA_DIST += %D%/tree-sitter/recognise.js %D%/tree-sitter/parse.c
if HAVE_JANSSON
check_PROGRAMS += %D%/lsp/client
%C%_lsp_client_SOURCES = %D%/lsp/client.c
%C%_lsp_client_LDADD = $(SNLC_LIBS)
endif

# The compiler with passes that break, for scripts/broken-passes.sh.
check_PROGRAMS += %D%/faults/broken
%C%_faults_broken_SOURCES = src/cli/main.c %D%/faults/broken.c
%C%_faults_broken_CPPFLAGS = $(SNLC_CPPFLAGS)
%C%_faults_broken_CFLAGS = $(SNLC_CFLAGS)
%C%_faults_broken_LDFLAGS = -Wl,--wrap=pass_cse,--wrap=pass_licm,--wrap=pass_lower_access,--wrap=ir_lower
%C%_faults_broken_LDADD = $(snlc_LDADD)

AM_CPPFLAGS = $(SNLC_CPPFLAGS) $(CHECK_CFLAGS)
LDADD = $(unit_libs)

# The headers of programs, compiled once, with the options that use_mode gives: clang refuses what was compiled with others, and
# gcc reads the text then.
c_headers = %D%/c.h.gch
$(c_headers): stage/stamp Makefile
	@$(MKDIR_P) %D%; printf '#define SNL_HASH_READ_LEAST 4096\n#include <snl/snlrt.h>\n' >%D%/c.h; rm -f $@; \
	case `$(DEFAULT_CC) --version` in *clang*) ;; *) \
	    $(DEFAULT_CC) -std=gnu11 -I$(abs_builddir)/stage/include $(DEFAULT_CFLAGS) $(OPENMP_CFLAGS) -O3 -march=native -xc-header -o $@ %D%/c.h || rm -f $@;; esac
sim_headers = %D%/sim.h.gch
sim_cflags = `case "$(SIM_CXX)" in *clang*) echo "$(GENERATED_CFLAGS)" | $(SED) 's/--param[^ ]*//g';; *) echo "$(DEFAULT_CFLAGS)";; esac`
$(sim_headers): stage/stamp Makefile
	@$(MKDIR_P) %D%; printf '#define SNL_GPU\n#include <snl/snlrt.h>\n' >%D%/sim.h; rm -f $@; \
	if test -n "$(SIM_CXX)"; then \
	    $(SIM_CXX) -I$(abs_builddir)/stage/include -std=gnu++17 $(sim_cflags) $(OPENMP_CFLAGS) -O0 -fno-wrapv -fsanitize=alignment,signed-integer-overflow \
	    -fsanitize-undefined-trap-on-error -march=native -xc++-header -o $@ %D%/sim.h || \
	    rm -f $@; fi

# In place of automake's rule, so that the last line is "N passed, N failed".
check-TESTS: $(check_PROGRAMS) $(c_headers) $(sim_headers)
	@case "$(CASE_MODES)" in *-san*) $(MAKE) $(AM_MAKEFLAGS) sanitize || exit 1;; esac; \
	case "$(CASE_MODES)" in *-tsan*) $(MAKE) $(AM_MAKEFLAGS) threads || exit 1;; esac; \
	rm -f $(TEST_LOGS) $(TEST_LOGS:.log=.trs) $(TEST_SUITE_LOG); \
	$(MAKE) $(AM_MAKEFLAGS) $(TEST_SUITE_LOG); status=$$?; \
	sh $(srcdir)/%D%/summary $(TEST_LOGS:.log=.trs) || status=1; exit $$status

clean-local: clean-tests
clean-tests:
	rm -rf $(CLEAN_FOLDERS) tests/work tests/cache tests/cross tests/c.h tests/c.h.gch tests/sim.h tests/sim.h.gch tests/sanitize/include tests/threads/include $(thread_programs) $(address_programs)
# Writes the expected texts anew; read the difference before it is committed.
update-golden: all
	@cd $(srcdir) && $(AM_TESTS_ENVIRONMENT) UPDATE_GOLDEN=1 $(SHELL) -c "$(SHELL) %D%/scripts/golden.sh; $(SHELL) %D%/scripts/messages.sh; $(SHELL) %D%/run-page doc/design.md"
.PHONY: sanitize threads check-threads check-address update-golden clean-tests
