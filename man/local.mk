# files: man_pages = *.1 *.3 *.5 *.7
man_pages = \
    %D%/snl-layout.7 \
    %D%/snl-runtime.7 \
    %D%/snl.5 \
    %D%/snl_create.3 \
    %D%/snl_python.3 \
    %D%/snlc-bench.1 \
    %D%/snlc-build.1 \
    %D%/snlc-check.1 \
    %D%/snlc-compile.1 \
    %D%/snlc-config.1 \
    %D%/snlc-explain.1 \
    %D%/snlc-fmt.1 \
    %D%/snlc-help.1 \
    %D%/snlc-layout.1 \
    %D%/snlc-lsp.1 \
    %D%/snlc-run.1 \
    %D%/snlc-runtime.1 \
    %D%/snlc-test.1 \
    %D%/snlc-tune.1 \
    %D%/snlc-version.1 \
    %D%/snlc.1
dist_man_MANS += $(man_pages)
# Made from the comments of the standard library.
nodist_man_MANS += %D%/snl-std.7
EXTRA_DIST += %D%/snl-std.head
CLEANFILES += %D%/snl-std.7
%D%/snl-std.7: $(std_files) %D%/snl-std.head build-aux/std-page.awk
	@$(MKDIR_P) %D%
	$(AM_V_GEN)cd $(srcdir) && LC_ALL=C $(AWK) -f build-aux/std-page.awk -v head=%D%/snl-std.head $(std_files) >$(abs_builddir)/$@.tmp && \
	    mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@
