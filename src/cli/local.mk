# files: snlc_files += *.c */*.c !main.c !errors_text.c
snlc_files += \
    %D%/cmd/bench.c \
    %D%/cmd/build.c \
    %D%/cmd/check.c \
    %D%/cmd/compile.c \
    %D%/cmd/config.c \
    %D%/cmd/explain.c \
    %D%/cmd/fmt.c \
    %D%/cmd/help.c \
    %D%/cmd/layout.c \
    %D%/cmd/lsp.c \
    %D%/cmd/run.c \
    %D%/cmd/runtime.c \
    %D%/cmd/test.c \
    %D%/cmd/tune.c \
    %D%/cmd/version.c \
    %D%/option/command.c \
    %D%/option/option_info.c \
    %D%/option/option_values.c \
    %D%/option/options.c \
    %D%/option/target.c \
    %D%/option/words.c \
    %D%/report.c \
    %D%/tool/bench.c \
    %D%/tool/bench_compare.c \
    %D%/tool/bench_report.c \
    %D%/tool/cache.c \
    %D%/tool/checkpoint.c \
    %D%/tool/compiler.c \
    %D%/tool/crash.c \
    %D%/tool/draw_active.c \
    %D%/tool/driver.c \
    %D%/tool/dump.c \
    %D%/tool/export.c \
    %D%/tool/extern_headers.c \
    %D%/tool/file_kinds.c \
    %D%/tool/fix.c \
    %D%/tool/output.c \
    %D%/tool/path.c \
    %D%/tool/signals.c \
    %D%/tool/toolchain.c \
    %D%/tool/tune_layout.c
# files: snlc_header_files += *.h *.def */*.h */*.def
snlc_header_files += \
    %D%/cli.h \
    %D%/errors_text.h \
    %D%/option/commands.def \
    %D%/option/option.h \
    %D%/option/options.def \
    %D%/option/targets.def \
    %D%/tool/bench.h \
    %D%/tool/cache.h \
    %D%/tool/checkpoint.h \
    %D%/tool/compiler.h \
    %D%/tool/crash.h \
    %D%/tool/draw_active.h \
    %D%/tool/driver.h \
    %D%/tool/export.h \
    %D%/tool/extern_headers.h \
    %D%/tool/file_kinds.def \
    %D%/tool/file_kinds.h \
    %D%/tool/fix.h \
    %D%/tool/output.h \
    %D%/tool/path.h \
    %D%/tool/signals.h \
    %D%/tool/toolchain.h \
    %D%/tool/tune.h

%D%/errors_text.c: doc/errors.md build-aux/errors-to-c.awk
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(AWK) -f $(srcdir)/build-aux/errors-to-c.awk $(srcdir)/doc/errors.md >$@.tmp && mv $@.tmp $@
CLEANFILES += %D%/errors_text.c
