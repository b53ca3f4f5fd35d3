# Random programs for scripts/diff.sh.
check_PROGRAMS += %D%/snlsmith
# files: diff_files = *.c *.h
diff_files = \
    %D%/batch.c \
    %D%/batch.h \
    %D%/expr.c \
    %D%/extern.h \
    %D%/funcs.c \
    %D%/host.c \
    %D%/inside.c \
    %D%/inside.h \
    %D%/items.c \
    %D%/kernel.c \
    %D%/locals.c \
    %D%/oracle.c \
    %D%/oracle.h \
    %D%/program.c \
    %D%/read.c \
    %D%/reduce.c \
    %D%/shapes.c \
    %D%/shapes.h \
    %D%/shapes_block_ranges.c \
    %D%/shapes_calls.c \
    %D%/shapes_cells.c \
    %D%/shapes_counts.c \
    %D%/shapes_deactivation.c \
    %D%/shapes_derivatives.c \
    %D%/shapes_flow.c \
    %D%/shapes_grids.c \
    %D%/shapes_grow.c \
    %D%/shapes_index.c \
    %D%/shapes_inner.c \
    %D%/shapes_limits.c \
    %D%/shapes_lists.c \
    %D%/shapes_masks.c \
    %D%/shapes_nested.c \
    %D%/shapes_particles.c \
    %D%/shapes_parts.c \
    %D%/shapes_products.c \
    %D%/shapes_ranges.c \
    %D%/shapes_reach.c \
    %D%/shapes_rims.c \
    %D%/shapes_rows.c \
    %D%/shapes_runs.c \
    %D%/shapes_spread.c \
    %D%/shapes_stores.c \
    %D%/shapes_sums.c \
    %D%/shapes_vast.c \
    %D%/shapes_whole.c \
    %D%/snlsmith.c \
    %D%/snlsmith.h \
    %D%/stmt.c \
    %D%/tree.c \
    %D%/types.c
%C%_snlsmith_SOURCES = $(diff_files)
%C%_snlsmith_LDADD = libsnlc.a libsnlrt.a $(SNLC_LIBS) $(RUNTIME_LIBS)
EXTRA_DIST += %D%/tcc/tcc.c %D%/tcc/tcc.h %D%/tools.sh %D%/campaign %D%/record %D%/built %D%/record-built
