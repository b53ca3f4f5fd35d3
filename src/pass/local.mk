# files: snlc_files += *.c
snlc_files += \
    %D%/abreast.c \
    %D%/bounded.c \
    %D%/copy.c \
    %D%/cuts.c \
    %D%/digits.c \
    %D%/guard.c \
    %D%/index.c \
    %D%/leaves.c \
    %D%/linear.c \
    %D%/overlap.c \
    %D%/pass.c \
    %D%/pass_abreast.c \
    %D%/pass_access.c \
    %D%/pass_ahead.c \
    %D%/pass_append.c \
    %D%/pass_batch.c \
    %D%/pass_cse.c \
    %D%/pass_dce.c \
    %D%/pass_demote.c \
    %D%/pass_fetch.c \
    %D%/pass_fold.c \
    %D%/pass_footprint.c \
    %D%/pass_fuse.c \
    %D%/pass_graphs.c \
    %D%/pass_halo.c \
    %D%/pass_hoist.c \
    %D%/pass_inline.c \
    %D%/pass_jam.c \
    %D%/pass_lineup.c \
    %D%/pass_lists.c \
    %D%/pass_narrow.c \
    %D%/pass_nests.c \
    %D%/pass_planes.c \
    %D%/pass_quads.c \
    %D%/pass_rows.c \
    %D%/pass_scatter.c \
    %D%/pass_simd.c \
    %D%/pass_split.c \
    %D%/pass_staged.c \
    %D%/pass_stream.c \
    %D%/pass_strides.c \
    %D%/pass_tiny.c \
    %D%/pass_unroll.c \
    %D%/pass_walk.c \
    %D%/pass_wide.c \
    %D%/ranges.c \
    %D%/strips.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/abreast.h \
    %D%/batch.h \
    %D%/bounded.h \
    %D%/copy.h \
    %D%/cuts.h \
    %D%/digits.h \
    %D%/effects.h \
    %D%/guard.h \
    %D%/index.h \
    %D%/leaves.h \
    %D%/linear.h \
    %D%/overlap.h \
    %D%/pass.h \
    %D%/passes.def \
    %D%/quads.h \
    %D%/ranges.h \
    %D%/strips.h
