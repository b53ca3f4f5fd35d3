# files: snlc_files += *.c */*.c
snlc_files += \
    %D%/build.c \
    %D%/check.c \
    %D%/expr/builtin.c \
    %D%/expr/call.c \
    %D%/expr/const.c \
    %D%/expr/convert.c \
    %D%/expr/diff.c \
    %D%/expr/expr.c \
    %D%/expr/fma.c \
    %D%/expr/fold.c \
    %D%/expr/format.c \
    %D%/expr/index.c \
    %D%/expr/products.c \
    %D%/expr/special.c \
    %D%/expr/suggest_method.c \
    %D%/host/derive.c \
    %D%/host/host.c \
    %D%/layout/adjoint.c \
    %D%/layout/layout.c \
    %D%/layout/node.c \
    %D%/layout/runtime_extent.c \
    %D%/layout/tree_desc.c \
    %D%/layout/tune.c \
    %D%/layout/type.c \
    %D%/leaf.c \
    %D%/leaf_linalg.c \
    %D%/prog_print.c \
    %D%/scope.c \
    %D%/stmt/func.c \
    %D%/stmt/inout_moves.c \
    %D%/stmt/item.c \
    %D%/stmt/loop.c \
    %D%/stmt/param.c \
    %D%/stmt/races.c \
    %D%/stmt/reductions.c \
    %D%/stmt/stmt.c \
    %D%/suggest.c \
    %D%/suggest_words.c \
    %D%/tx.c
# files: snlc_header_files += *.h *.def */*.h */*.def
snlc_header_files += \
    %D%/attributes.def \
    %D%/builtins.def \
    %D%/check.h \
    %D%/check_func.h \
    %D%/layout/tree_desc.h \
    %D%/leaf.h \
    %D%/prog.h \
    %D%/specials.def \
    %D%/stmt/param.h \
    %D%/suggest.h
