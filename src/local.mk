# The compiler: everything but main in libsnlc.a, which the unit tests link too.
# SNL_FUSED: functions of values have the bits of a processor with fused multiply-adds (snl_elementary.h).
SNLC_CPPFLAGS = -DSNL_FUSED -I$(srcdir)/src -I$(srcdir)/runtime -I$(srcdir) -Igrammar -I$(srcdir)/grammar \
    -DSNL_BINDIR='"$(bindir)"' -DSNL_INCLUDEDIR='"$(includedir)"' -DSNL_LIBDIR='"$(libdir)"' -DSNL_DATADIR='"$(datadir)"' \
    -DSNL_PREFIX='"$(prefix)"' -DSNL_DEFAULT_CC='"$(DEFAULT_CC)"' \
    -DSNL_GENERATED_CFLAGS='"$(GENERATED_CFLAGS)"' \
    -DSNL_NARROW_CFLAGS='"$(NARROW_CFLAGS)"' -DSNL_NARROW_MOVES_OF_DEFAULT=$(NARROW_MOVES) -DSNL_RUNTIME_LIBS='"$(RUNTIME_LIBS) $(OPENMP_CFLAGS)"' -DSNL_PLAIN_LIBS='"$(RUNTIME_LIBS)"' \
    -DSNL_COMMA_CFLAGS='"$(COMMA_CFLAGS)"' -DSNL_OPENMP='"$(OPENMP_CFLAGS)"'
SNLC_CFLAGS = $(AM_CFLAGS) -fwrapv -ffp-contract=off

noinst_LIBRARIES += libsnlc.a
libsnlc_a_SOURCES = $(snlc_files) $(snlc_header_files)
nodist_libsnlc_a_SOURCES = grammar/parse.c grammar/scan.c src/cli/errors_text.c
libsnlc_a_CPPFLAGS = $(SNLC_CPPFLAGS)
libsnlc_a_CFLAGS = $(SNLC_CFLAGS)

bin_PROGRAMS += snlc
snlc_SOURCES = src/cli/main.c
snlc_CPPFLAGS = $(SNLC_CPPFLAGS)
snlc_CFLAGS = $(SNLC_CFLAGS)
snlc_LDADD = libsnlc.a libsnlrt.a $(SNLC_LIBS) $(RUNTIME_LIBS)
