# files: snlc_files += *.c
snlc_files += \
    %D%/active.c \
    %D%/ad.c \
    %D%/build.c \
    %D%/diff.c \
    %D%/effects.c \
    %D%/forward.c \
    %D%/forward_func.c \
    %D%/forward_host.c \
    %D%/forward_stmt.c \
    %D%/hidden.c \
    %D%/jvp.c \
    %D%/reach.c \
    %D%/rules.c \
    %D%/rules_matrix.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/ad.h \
    %D%/inside.h
