# files: snlc_files += *.c !main.c !errors_text.c
snlc_files += \
    %D%/active.c \
    %D%/bench.c \
    %D%/bench_report.c \
    %D%/cache.c \
    %D%/cmd_bench.c \
    %D%/cmd_build.c \
    %D%/cmd_check.c \
    %D%/cmd_compile.c \
    %D%/cmd_config.c \
    %D%/cmd_explain.c \
    %D%/cmd_fmt.c \
    %D%/cmd_help.c \
    %D%/cmd_layout.c \
    %D%/cmd_lsp.c \
    %D%/cmd_run.c \
    %D%/cmd_test.c \
    %D%/cmd_tune.c \
    %D%/cmd_version.c \
    %D%/crash.c \
    %D%/driver.c \
    %D%/fix.c \
    %D%/foreign.c \
    %D%/hold.c \
    %D%/option_values.c \
    %D%/options.c \
    %D%/output.c \
    %D%/show.c \
    %D%/toolchain.c \
    %D%/tune_layout.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/active.h \
    %D%/bench.h \
    %D%/cache.h \
    %D%/cli.h \
    %D%/commands.def \
    %D%/crash.h \
    %D%/driver.h \
    %D%/errors_text.h \
    %D%/fix.h \
    %D%/foreign.h \
    %D%/hold.h \
    %D%/option.h \
    %D%/options.def \
    %D%/output.h \
    %D%/targets.def \
    %D%/toolchain.h \
    %D%/tune.h

%D%/errors_text.c: doc/errors.md build-aux/errors-to-c.awk
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/errors-to-c.awk $(srcdir)/doc/errors.md >$@.tmp && mv $@.tmp $@
CLEANFILES += %D%/errors_text.c
