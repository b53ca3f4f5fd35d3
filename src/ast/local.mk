# files: snlc_files += *.c
snlc_files += \
    %D%/ast.c \
    %D%/ast_print.c \
    %D%/foreign_words.c \
    %D%/type.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/ast.h \
    %D%/foreign_words.def \
    %D%/foreign_words.h \
    %D%/keywords.def \
    %D%/nodes.def \
    %D%/ops.def \
    %D%/soft_words.def \
    %D%/type.h \
    %D%/types.def
