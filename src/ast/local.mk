# files: snlc_files += *.c
snlc_files += \
    %D%/ast.c \
    %D%/ast_print.c \
    %D%/elsewhere.c \
    %D%/type.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/ast.h \
    %D%/elsewhere.def \
    %D%/elsewhere.h \
    %D%/keywords.def \
    %D%/nodes.def \
    %D%/ops.def \
    %D%/soft_words.def \
    %D%/type.h \
    %D%/types.def
