EXTRA_DIST += %D%/analyze %D%/analyze.known %D%/coverage %D%/coverage.h %D%/errors-to-c.awk %D%/gallery %D%/html %D%/install-links %D%/quality %D%/set-version %D%/std-page.awk %D%/update-sources %D%/wheel

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

# A wheel for pip in the folder wheel. Its snlc and its programs need no library but that of C: libpng, zlib and jansson are linked from their
# archives, or left out where there are none, and threads are the runtime's own.
WHEEL_OPTIONS = --disable-openmp --without-hdf5 --without-nanovdb --without-check
wheel: all
	@rm -rf wheel && mkdir -p wheel/build wheel/lib
	@for name in png z jansson; do \
	    file=`$(CC) -print-file-name=lib$$name.a`; case $$file in /*) cp "$$file" wheel/lib ;; esac; done
	@here=`pwd` && cd wheel/build && \
	    without=`for name in png:png z:zlib jansson:jansson; do test -e ../lib/lib$${name%:*}.a || echo "--without-$${name#*:}"; done` && \
	    $(abs_top_srcdir)/configure -q --prefix=/usr $(WHEEL_OPTIONS) $$without CC='$(CC)' LDFLAGS="-L$$here/wheel/lib" \
	        LIBS="`test ! -e ../lib/libz.a || echo -lz` -lm" && \
	    $(MAKE) -s all && $(MAKE) -s install DESTDIR="$$here/wheel/stage"
	@for name in png z; do if test -e wheel/lib/lib$$name.a; then cp wheel/lib/lib$$name.a wheel/stage/usr/lib; fi; done
	@$(abs_top_srcdir)/build-aux/wheel wheel/stage $(PACKAGE_VERSION) wheel
clean-local: clean-wheel
clean-wheel:
	rm -rf wheel
.PHONY: wheel clean-wheel
