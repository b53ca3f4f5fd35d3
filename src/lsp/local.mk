# The language server, where jansson is.
# files: lsp_files = *.c
lsp_files = \
    %D%/complete.c \
    %D%/cursor.c \
    %D%/diagnose.c \
    %D%/document.c \
    %D%/hover.c \
    %D%/import_path.c \
    %D%/lens.c \
    %D%/names.c \
    %D%/navigate.c \
    %D%/outline.c \
    %D%/program.c \
    %D%/rpc.c \
    %D%/server.c \
    %D%/session.c \
    %D%/signature.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/built_in_docs.def \
    %D%/lsp.h \
    %D%/names.h \
    %D%/program.h \
    %D%/rpc.h \
    %D%/session.h
if HAVE_JANSSON
snlc_files += $(lsp_files)
endif
