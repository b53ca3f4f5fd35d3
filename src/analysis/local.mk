# files: snlc_files += *.c
snlc_files += \
    %D%/affine.c \
    %D%/boundary_index.c \
    %D%/cell_use.c \
    %D%/cost.c \
    %D%/disjoint_writes.c \
    %D%/effects.c \
    %D%/equal_values.c \
    %D%/float_class.c \
    %D%/iteration_alias.c \
    %D%/kernel_invariant.c \
    %D%/linear.c \
    %D%/loop_survey.c \
    %D%/scalar_context.c \
    %D%/self_deactivate.c \
    %D%/split_points.c \
    %D%/strips.c \
    %D%/vector_legality.c \
    %D%/vector_ops.c \
    %D%/window.c
# files: snlc_header_files += *.h
snlc_header_files += \
    %D%/affine.h \
    %D%/boundary_index.h \
    %D%/cell_use.h \
    %D%/cost.h \
    %D%/disjoint_writes.h \
    %D%/effects.h \
    %D%/equal_values.h \
    %D%/float_class.h \
    %D%/iteration_alias.h \
    %D%/kernel_invariant.h \
    %D%/linear.h \
    %D%/loop_survey.h \
    %D%/scalar_context.h \
    %D%/self_deactivate.h \
    %D%/split_points.h \
    %D%/strips.h \
    %D%/vector_legality.h \
    %D%/vector_ops.h \
    %D%/window.h
