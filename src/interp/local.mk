# files: snlc_files += *.c
snlc_files += \
    %D%/builtin.c \
    %D%/call.c \
    %D%/eval.c \
    %D%/exec.c \
    %D%/files.c \
    %D%/host.c \
    %D%/interp.c \
    %D%/keymap.c \
    %D%/ledger.c \
    %D%/place.c \
    %D%/race.c \
    %D%/require.c \
    %D%/shape.c \
    %D%/state.c \
    %D%/sums.c \
    %D%/tape.c \
    %D%/tree.c \
    %D%/tree_cells.c \
    %D%/tree_copy.c \
    %D%/tree_create.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/inside.h \
    %D%/interp.h
