# files: snlc_files += *.c
snlc_files += \
    %D%/check.c \
    %D%/check_builtin.c \
    %D%/check_call.c \
    %D%/check_const.c \
    %D%/check_convert.c \
    %D%/check_expr.c \
    %D%/check_format.c \
    %D%/check_func.c \
    %D%/check_host.c \
    %D%/check_index.c \
    %D%/check_item.c \
    %D%/check_iteration.c \
    %D%/check_layout.c \
    %D%/check_loop.c \
    %D%/check_moves.c \
    %D%/check_node.c \
    %D%/check_products.c \
    %D%/check_shared.c \
    %D%/check_special.c \
    %D%/check_stmt.c \
    %D%/check_tune.c \
    %D%/check_type.c \
    %D%/describe.c \
    %D%/extent.c \
    %D%/fma.c \
    %D%/fold.c \
    %D%/leaf.c \
    %D%/leaf_linalg.c \
    %D%/prog_print.c \
    %D%/scope.c \
    %D%/suggest.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/attributes.def \
    %D%/builtins.def \
    %D%/check.h \
    %D%/check_func.h \
    %D%/describe.h \
    %D%/leaf.h \
    %D%/prog.h \
    %D%/specials.def \
    %D%/suggest.h
