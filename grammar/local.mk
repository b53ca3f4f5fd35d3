# Scanner and parser. They are made in the build tree; a tarball brings them in the source tree, where VPATH finds them.
EXTRA_DIST += %D%/parse.y %D%/scan.l %D%/parse.c %D%/parse.h %D%/scan.c
BUILT_SOURCES += %D%/parse.h
MAINTAINERCLEANFILES += %D%/parse.c %D%/parse.h %D%/scan.c
# files: snlc_files += *.c !parse.c !scan.c
snlc_files += \
    %D%/mistakes.c \
    %D%/mistakes_arguments.c \
    %D%/mistakes_braces.c \
    %D%/mistakes_items.c \
    %D%/mistakes_locals.c \
    %D%/mistakes_loops.c \
    %D%/mistakes_python.c \
    %D%/recover.c \
    %D%/tokens.c
# files: snlc_header_files += *.h !parse.h
snlc_header_files += \
    %D%/mistakes.h \
    %D%/mistakes_inside.h \
    %D%/recover.h \
    %D%/scan_state.h \
    %D%/tokens.h

%D%/parse.c: %D%/parse.y
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(BISON) -Wall -Werror -Wno-counterexamples -o $@ --header=%D%/parse.h $(srcdir)/%D%/parse.y && touch %D%/parse.h
%D%/parse.h: %D%/parse.c
	@test -f $@ || { rm -f %D%/parse.c; $(MAKE) $(AM_MAKEFLAGS) %D%/parse.c; }
%D%/scan.c: %D%/scan.l
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(FLEX) -o $@ $(srcdir)/%D%/scan.l
