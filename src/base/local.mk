# files: snlc_files += *.c
snlc_files += \
    %D%/arena.c \
    %D%/c_macros.c \
    %D%/c_words.c \
    %D%/char_width.c \
    %D%/comment.c \
    %D%/compile.c \
    %D%/diag.c \
    %D%/diag_print.c \
    %D%/edit_distance.c \
    %D%/format.c \
    %D%/intern.c \
    %D%/map.c \
    %D%/source.c \
    %D%/svg.c \
    %D%/text.c \
    %D%/unique_names.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/arena.h \
    %D%/c_words.h \
    %D%/char_width.h \
    %D%/comment.h \
    %D%/compile.h \
    %D%/diag.h \
    %D%/diag_data.h \
    %D%/diags.def \
    %D%/edit_distance.h \
    %D%/format.h \
    %D%/intern.h \
    %D%/map.h \
    %D%/source.h \
    %D%/svg.h \
    %D%/text.h \
    %D%/unique_names.h \
    %D%/vec.h
