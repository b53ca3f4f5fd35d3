EXTRA_DIST += %D%/analyze %D%/analyze.known %D%/coverage %D%/coverage.h %D%/errors-to-c.awk %D%/gallery %D%/html %D%/install-links %D%/quality %D%/std-page.awk %D%/update-sources

# Static analysis; prints what is found and fails then. The flags have quotes of both kinds.
analyze: export COMPILER_FLAGS = $(DEFS) -I. $(SNLC_CPPFLAGS) $(CHECK_CFLAGS) $(OPENMP_CFLAGS)
analyze: export RUNTIME_FLAGS = $(DEFS) -I. $(RUNTIME_CPPFLAGS) $(OPENMP_CFLAGS)
analyze: all
	@SNL_SOURCE="$(srcdir)" $(SHELL) $(srcdir)/build-aux/analyze $(ANALYZE)

# Lines and branches that the tests run, in the folder coverage; needs gcovr. Prints both sums and the ten worst files.
coverage: all
	@MAKE='$(MAKE)' SNL_SOURCE="$(srcdir)" RUNTIME_LIBS='$(RUNTIME_LIBS)' $(SHELL) $(srcdir)/build-aux/coverage
# doc/quality.md from the results of check, check-long, fuzz and coverage that lie here.
quality:
	@SNL_SOURCE="$(srcdir)" $(SHELL) $(srcdir)/build-aux/quality
.PHONY: analyze coverage quality
