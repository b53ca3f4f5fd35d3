# snlc.m4 - programs in SNL in packages that use autoconf                     serial 1
#
# SNL_PROG_SNLC([ACTION-IF-FOUND], [ACTION-IF-NOT-FOUND])
#   Looks for snlc and for the runtime it goes with. Sets and substitutes
#     SNLC          the compiler, which the user may give
#     SNLCFLAGS     options of snlc compile; the user's
#     SNL_CFLAGS    for C files that snlc has written, and files that include their headers
#     SNL_LIBS      to link with the runtime
#   Without ACTION-IF-NOT-FOUND, a missing snlc is an error. In Makefile.am, with sim.snl in the package:
#
#     nodist_demo_SOURCES = sim.c
#     demo_CFLAGS = $(SNL_CFLAGS)
#     demo_LDADD = $(SNL_LIBS)
#     BUILT_SOURCES = sim.c
#     CLEANFILES = sim.c sim.h sim.d
#     sim.c: sim.snl
#             $(SNLC) compile $(SNLCFLAGS) -MD -MF sim.d -o $@ $(srcdir)/sim.snl && touch $@
#     -include sim.d
AC_DEFUN([SNL_PROG_SNLC],
[AC_REQUIRE([AC_PROG_CC])dnl
AC_ARG_VAR([SNLC], [the SNL compiler])dnl
AC_ARG_VAR([SNLCFLAGS], [options of the SNL compiler])dnl
AC_CHECK_PROG([SNLC], [snlc], [snlc])
snl_found=no
SNL_CFLAGS= SNL_LIBS=
AS_IF([test "x$SNLC" != x],
  [AC_CACHE_CHECK([whether $SNLC and its runtime work], [snl_cv_prog_snlc_works],
    [snl_cv_prog_snlc_works=no
     snl_save_CFLAGS=$CFLAGS snl_save_LIBS=$LIBS
     AS_IF([snl_cflags=`$SNLC config --cc="$CC" --cflags 2>&AS_MESSAGE_LOG_FD` && snl_libs=`$SNLC config --libs 2>&AS_MESSAGE_LOG_FD`],
       [CFLAGS="$CFLAGS $snl_cflags" LIBS="$snl_libs $LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <snl/snlrt.h>]], [[return snl_message(0) == 0;]])],
          [snl_cv_prog_snlc_works=yes])])
     CFLAGS=$snl_save_CFLAGS LIBS=$snl_save_LIBS])
   snl_found=$snl_cv_prog_snlc_works])
AS_IF([test "x$snl_found" = xyes],
  [SNL_CFLAGS=`$SNLC config --cc="$CC" --cflags`
   SNL_LIBS=`$SNLC config --libs`
   $1],
  [m4_default([$2], [AC_MSG_ERROR([snlc is missing or does not work; see config.log, or give SNLC=/where/it/is/snlc])])])
AC_SUBST([SNL_CFLAGS])dnl
AC_SUBST([SNL_LIBS])dnl
])
