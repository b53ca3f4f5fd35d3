# files: snlc_files += *.c
snlc_files += \
    %D%/active.c \
    %D%/ad.c \
    %D%/build.c \
    %D%/diff.c \
    %D%/effects.c \
    %D%/field_use.c \
    %D%/forward.c \
    %D%/forward_func.c \
    %D%/forward_host.c \
    %D%/forward_stmt.c \
    %D%/gradient.c \
    %D%/hidden.c \
    %D%/jvp.c \
    %D%/reach.c \
    %D%/reverse.c \
    %D%/reverse_func.c \
    %D%/reverse_host.c \
    %D%/reverse_loop.c \
    %D%/reverse_need.c \
    %D%/reverse_stmt.c \
    %D%/reverse_task.c \
    %D%/rules.c \
    %D%/rules_matrix.c \
    %D%/structured.c \
    %D%/tape.c \
    %D%/transpose.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/ad.h \
    %D%/inside.h
