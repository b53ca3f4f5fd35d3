# files: snlc_files += *.c
snlc_files += \
    %D%/check_arrays.c \
    %D%/ir.c \
    %D%/ir_print.c \
    %D%/ir_verify.c \
    %D%/lower.c \
    %D%/lower_build.c \
    %D%/lower_expr.c \
    %D%/lower_init_flags.c \
    %D%/lower_place.c \
    %D%/lower_soa_inout.c \
    %D%/lower_stack_checks.c \
    %D%/lower_stmt.c \
    %D%/print_inst.c \
    %D%/print_task.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/inst_info.h \
    %D%/insts.def \
    %D%/ir.h \
    %D%/lower.h \
    %D%/print.h \
    %D%/tasks.def
