# Sessions with the language server for scripts/lsp.sh, and the client that plays them.
# files: lsp_sessions = *.session
lsp_sessions = \
    %D%/broken_header.session \
    %D%/broken_length.session \
    %D%/broken_line.session \
    %D%/broken_negative.session \
    %D%/complete.session \
    %D%/edit.session \
    %D%/every.session \
    %D%/hover.session \
    %D%/life.session \
    %D%/navigate.session \
    %D%/outline.session \
    %D%/programs.session \
    %D%/wrong.session
EXTRA_DIST += $(lsp_sessions)
if HAVE_JANSSON
check_PROGRAMS += %D%/client
%C%_client_SOURCES = %D%/client.c
%C%_client_LDADD = $(SNLC_LIBS)
endif
