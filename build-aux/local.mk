EXTRA_DIST += %D%/analyze %D%/analyze.known %D%/errors-to-c.awk %D%/gallery %D%/html %D%/update-sources

# Static analysis; prints what is found and fails then. The flags have quotes of both kinds.
analyze: export COMPILER_FLAGS = $(DEFS) -I. $(SNLC_CPPFLAGS) $(OPENMP_CFLAGS)
analyze: export RUNTIME_FLAGS = $(DEFS) -I. $(RUNTIME_CPPFLAGS) $(OPENMP_CFLAGS)
analyze: all
	@SNL_SOURCE="$(srcdir)" $(SHELL) $(srcdir)/build-aux/analyze $(ANALYZE)
.PHONY: analyze
