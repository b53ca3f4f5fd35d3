# files: snlc_files += *.c
snlc_files += \
    %D%/cells.c \
    %D%/ir.c \
    %D%/ir_print.c \
    %D%/ir_verify.c \
    %D%/lower.c \
    %D%/lower_apart.c \
    %D%/lower_build.c \
    %D%/lower_expr.c \
    %D%/lower_place.c \
    %D%/lower_set.c \
    %D%/lower_stmt.c \
    %D%/print_inst.c \
    %D%/print_task.c \
    %D%/room.c \
    %D%/stack.c \
    %D%/window.c \
    %D%/work.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/inst_info.h \
    %D%/insts.def \
    %D%/ir.h \
    %D%/lower.h \
    %D%/print.h \
    %D%/tasks.def
