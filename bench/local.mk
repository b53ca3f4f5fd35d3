# files: bench_files = *.snl *.md *.cpp run big shapes cases report.awk c/*.c c/*.cu c/*.h taichi/*.py openvdb/*.cc
bench_files = \
    %D%/README.md \
    %D%/RESULTS.md \
    %D%/activate.snl \
    %D%/big \
    %D%/bitmasked.snl \
    %D%/c/activate.c \
    %D%/c/bench.h \
    %D%/c/bitmasked.c \
    %D%/c/dynamic.c \
    %D%/c/elementary.c \
    %D%/c/hash.c \
    %D%/c/laplace2d.c \
    %D%/c/lattice.c \
    %D%/c/launch.c \
    %D%/c/limits.c \
    %D%/c/limits.cu \
    %D%/c/matmul.c \
    %D%/c/measure.c \
    %D%/c/mgpcg.c \
    %D%/c/micro.c \
    %D%/c/mpm3d.c \
    %D%/c/mpm88.c \
    %D%/c/nbody.c \
    %D%/c/processor.c \
    %D%/c/sph.c \
    %D%/c/stencil3d.c \
    %D%/c/stream.h \
    %D%/c/transfer.c \
    %D%/c/wave1d.c \
    %D%/cases \
    %D%/dynamic.snl \
    %D%/elementary.snl \
    %D%/gpu-profile.cpp \
    %D%/hash.snl \
    %D%/laplace2d.snl \
    %D%/lattice.snl \
    %D%/launch.snl \
    %D%/matmul.snl \
    %D%/mgpcg.snl \
    %D%/micro.snl \
    %D%/mpm3d.snl \
    %D%/mpm88.snl \
    %D%/nbody.snl \
    %D%/openvdb/activate.cc \
    %D%/openvdb/stencil3d.cc \
    %D%/pairs.snl \
    %D%/passes.snl \
    %D%/report.awk \
    %D%/run \
    %D%/shapes \
    %D%/sph.snl \
    %D%/stencil3d.snl \
    %D%/sums.snl \
    %D%/taichi/activate.py \
    %D%/taichi/bitmasked.py \
    %D%/taichi/common.py \
    %D%/taichi/dynamic.py \
    %D%/taichi/elementary.py \
    %D%/taichi/laplace2d.py \
    %D%/taichi/launch.py \
    %D%/taichi/mgpcg.py \
    %D%/taichi/micro.py \
    %D%/taichi/mpm3d.py \
    %D%/taichi/mpm88.py \
    %D%/taichi/nbody.py \
    %D%/taichi/sph.py \
    %D%/taichi/stencil3d.py \
    %D%/taichi/wave1d.py \
    %D%/transfer.snl \
    %D%/wave1d.snl
EXTRA_DIST += $(bench_files)

# Programs of this compiler against C by hand, Taichi and OpenVDB; bench/run says what the variables mean.
bench_environment = SNLC="$(abs_builddir)/snlc" SNLC_RUNTIME="$(abs_builddir)/stage" CC="$(CC)" PYTHON="$(PYTHON)" \
    CASES="$(CASES)" ROUNDS="$(ROUNDS)" REPEATS="$(REPEATS)" THREADS="$(THREADS)" PEERS="$(PEERS)" CLOCK="$(CLOCK)" REPORT="$(REPORT)" GPU_TARGET="$(GPU_TARGET)"
bench: all
	$(bench_environment) $(SHELL) $(srcdir)/%D%/run all
bench-quick: all
	$(bench_environment) $(SHELL) $(srcdir)/%D%/run quick
bench-ablation: all
	$(bench_environment) $(SHELL) $(srcdir)/%D%/run ablation
bench-pairs: all
	$(bench_environment) $(SHELL) $(srcdir)/%D%/run pairs
bench-gpu: all
	$(bench_environment) $(SHELL) $(srcdir)/%D%/run gpu
bench-compiler: all
	$(bench_environment) $(SHELL) $(srcdir)/%D%/run compiler
.PHONY: bench bench-quick bench-ablation bench-pairs bench-gpu bench-compiler
