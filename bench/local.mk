# files: bench_files = *.snl *.md run big c/*.c c/*.h taichi/*.py
bench_files = \
    %D%/README.md \
    %D%/big \
    %D%/c/bench.h \
    %D%/c/laplace2d.c \
    %D%/c/measure.c \
    %D%/c/mpm88.c \
    %D%/c/wave1d.c \
    %D%/laplace2d.snl \
    %D%/mpm88.snl \
    %D%/run \
    %D%/taichi/common.py \
    %D%/taichi/laplace2d.py \
    %D%/taichi/mpm88.py \
    %D%/taichi/wave1d.py \
    %D%/wave1d.snl
EXTRA_DIST += $(bench_files)

# One table of times, programs of this compiler against C by hand and Taichi; then the compiler itself.
bench: all
	SNLC="$(abs_builddir)/snlc" SNLC_RUNTIME="$(abs_builddir)/stage" CC="$(CC)" \
	CASES="$(CASES)" ROUNDS="$(ROUNDS)" REPEATS="$(REPEATS)" PYTHON="$(PYTHON)" $(SHELL) $(srcdir)/%D%/run
.PHONY: bench
