# files: snlc_files += *.c
snlc_files += \
    %D%/drawing.c \
    %D%/layout_adjoint.c \
    %D%/layout_at.c \
    %D%/layout_build.c \
    %D%/layout_draw.c \
    %D%/layout_info.c \
    %D%/layout_json.c \
    %D%/layout_order.c \
    %D%/layout_print.c \
    %D%/node.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/drawing.h \
    %D%/layout.h \
    %D%/layout_info.h
