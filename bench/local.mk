# files: bench_files = *.snl *.c *.h *.py *.md *.json run
bench_files =
EXTRA_DIST += $(bench_files)

# One table of times, this compiler against hand-written C.
bench: all
	SNLC="$(abs_builddir)/snlc" SNLC_RUNTIME="$(abs_builddir)/stage" sh $(srcdir)/%D%/run
.PHONY: bench
