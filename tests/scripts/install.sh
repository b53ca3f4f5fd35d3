#!/bin/sh
# What is installed works on its own, also after it was moved: snlc, its runtime, pkg-config, the C sample. Prints TAP.
# `make installcheck` sets SNL_INSTALLED=yes, and SNL_DESTDIR where it is used: look at an installation that is there; else one is made.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNLC_RUNTIME SNL_MEMORY_LIMIT CFLAGS LDFLAGS LIBS CC MAKEFLAGS MAKELEVEL MFLAGS DESTDIR
folder=$(fresh_folder scripts/install)
cd "$folder" || exit 1
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
make=${MAKE-make}

# Every file that people or programs look for, without DESTDIR. SNL_PREFIX, SNL_BINDIR ... are the folders of configure.
wanted() {
    echo "$SNL_BINDIR/snlc"
    (cd "$SNL_SOURCE/runtime" && find . -name '*.h' ! -path './io/*' ! -name '*_inside.h' | sed "s|^\.|$SNL_INCLUDEDIR/snl|")
    (cd "$SNL_SOURCE/runtime" && find . -name '*.c' | sed "s|.*/|$SNL_DATADIR/snlc/runtime/|")
    for f in libsnlrt.a pkgconfig/snl.pc cmake/snl/snl-config.cmake cmake/snl/snl-config-version.cmake \
        snl/narrow.specs; do
        echo "$SNL_LIBDIR/$f"
    done
    for f in aclocal/snlc.m4 snlc/meson/meson.build snlc/python/snl.py snlc/gdb/snl.py bash-completion/completions/snlc zsh/site-functions/_snlc \
        fish/vendor_completions.d/snlc.fish vim/vimfiles/syntax/snl.vim vim/vimfiles/ftdetect/snl.vim \
        vim/vimfiles/ftplugin/snl.vim emacs/site-lisp/snl-mode.el; do
        echo "$SNL_DATADIR/$f"
    done
    for f in "$SNL_SOURCE"/share/snl/std/*.snl; do echo "$SNL_DATADIR/snl/std/${f##*/}"; done
    (cd "$SNL_SOURCE" && find samples -type f ! -name local.mk | sed "s|^|$SNL_DATADIR/snlc/|")
    for f in "$SNL_SOURCE"/man/*.[1-9]; do echo "$SNL_MANDIR/man${f##*.}/${f##*/}"; done
    echo "$SNL_MANDIR/man7/snl-std.7"
    for f in README.md NEWS LICENSE design.md errors.md install.md quality.md tried.md manifest.schema.json; do echo "$SNL_DOCDIR/$f"; done
}

check_files() { # ROOT
    wanted | while read -r f; do
        [ -s "$1$f" ] || echo "there is no $f"
    done
}

# Text that is installed names no folder of the build; programs and libraries may, in what debuggers read.
check_names() { # ROOT
    find "$1$SNL_LIBDIR/pkgconfig" "$1$SNL_LIBDIR/cmake" "$1$SNL_DATADIR" -type f \
        -exec grep -HIF -e "$SNL_BUILD" -e "$SNL_SOURCE" -e "${1:-$SNL_BUILD}/" {} + | grep -vF -e "$SNL_PREFIX"
}

# Links in installed pages lead to what is installed.
check_links() { # ROOT
    sh "$SNL_SOURCE/tests/check-links" "$1$SNL_DOCDIR" "$1$SNL_DATADIR/snlc/samples"
}

# A sample runs with the installed snlc and nothing else of this project.
check_run() { # ROOT
    cp "$1$SNL_DATADIR/snlc/samples/nbody.snl" . || return 1
    "$1$SNL_BINDIR/snlc" run -D BODIES=32 nbody.snl -- --steps=7 >output || return 1
    grep -qx "32 bodies, 7 steps" output
}

check_flags() { # ROOT
    "$1$SNL_BINDIR/snlc" config --cflags --libs >flags || return 1
    sed 's/^/ /; s/$/ /' flags >spaced
    grep -qF -e " -I$1$SNL_INCLUDEDIR " spaced && grep -qF -e " -L$1$SNL_LIBDIR " spaced || cat flags
    "$1$SNL_BINDIR/snlc" config --prefix >prefix
    echo "$1$SNL_PREFIX" | diff - prefix
}

copy_c_program() { # ROOT
    rm -rf c-program
    cp -R "$1$SNL_DATADIR/snlc/samples/c-program" . && chmod -R u+w c-program
}

run_c_program() {
    ./c-program/rod >output && grep -qx '50 cells, 1000 steps: mean 20.0000, first cell 20.5640' output
}

check_c_program() { # ROOT
    copy_c_program "$1" && $make -C c-program SNLC="$1$SNL_BINDIR/snlc" CC="$TEST_CC" && run_c_program
}

# A C program whose flags come from pkg-config alone.
check_pkg_config() { # ROOT
    PKG_CONFIG_PATH=$1$SNL_LIBDIR/pkgconfig PKG_CONFIG_SYSROOT_DIR=$1
    export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
    build_with_pkg_config "$1"
}

# The same without being told where the root is: snl.pc finds its prefix from its own place.
check_moved_pkg_config() { # ROOT
    PKG_CONFIG_PATH=$1$SNL_LIBDIR/pkgconfig
    export PKG_CONFIG_PATH
    build_with_pkg_config "$1"
}

build_with_pkg_config() { # ROOT
    flags=$(pkg-config --cflags snl) && libs=$(pkg-config --libs snl) && copy_c_program "$1" || return 1
    version=$("$1$SNL_BINDIR/snlc" version | sed -n '1s/.* //p')
    [ "$(pkg-config --modversion snl)" = "$version" ] || { echo "versions differ"; return 1; }
    # shellcheck disable=SC2086
    (cd c-program && "$1$SNL_BINDIR/snlc" compile heat.snl && $TEST_CC -O2 $flags -o rod main.c heat.c $libs) && run_c_program
}

run() { # NAME FUNCTION ROOT
    ("$2" "$3") >log 2>&1
    status=$?
    # These print what is wrong.
    case $2 in check_files | check_names | check_links | check_flags) test ! -s log; status=$? ;; esac
    result "$status" "$1" log
}

check_all() { # ROOT
    run "all files are there" check_files "$1"
    run "no installed text names a folder of the build" check_names "$1"
    run "links of installed pages lead somewhere" check_links "$1"
    run "the installed snlc runs a sample" check_run "$1"
    run "snlc config names the installation" check_flags "$1"
    run "the C sample builds with its Makefile" check_c_program "$1"
    if command -v pkg-config >/dev/null 2>&1; then
        run "a C program builds with the flags of pkg-config" check_pkg_config "$1"
    else
        skip "a C program builds with the flags of pkg-config" "pkg-config is missing"
    fi
}

if [ -n "${SNL_INSTALLED-}" ]; then
    plan 7
    check_all "${SNL_DESTDIR-}"
    exit
fi

plan 14
$make -C "$SNL_BUILD" install DESTDIR="$folder/root" >log 2>&1
result $? "make install DESTDIR" log
check_all "$folder/root"

mkdir moved && cp -R root moved/here
run "a moved installation runs a sample" check_run "$folder/moved/here"
case $(sed -n 's/^prefix=//p' moved/here"$SNL_LIBDIR/pkgconfig/snl.pc") in
    '${pcfiledir}'*)
        if command -v pkg-config >/dev/null 2>&1; then
            run "pkg-config knows a moved installation" check_moved_pkg_config "$folder/moved/here"
        else
            skip "pkg-config knows a moved installation" "pkg-config is missing"
        fi ;;
    *) skip "pkg-config knows a moved installation" "the libraries are not below the prefix, or in /usr" ;;
esac

(cd "$SNL_SOURCE" && sh tests/check-links README.md SECURITY.md doc bench samples tests) >log
test ! -s log
result $? "links of the pages of the source lead somewhere" log
mkdir pages
printf '# One\n# One\n[a](other.md) [b](#one-2) [c](#one-1)\n```\n[d](e)\n```\n' >pages/page.md
test "$(sh "$SNL_SOURCE/tests/check-links" pages)" = "pages/page.md: #one-2: there is no such heading
pages/page.md: other.md leads nowhere"
result $? "links that lead nowhere are found"

SNLC_RUNTIME=$folder/nowhere "$SNLC" build nbody.snl >log 2>&1
test $? = 69 && grep -q 'the runtime is missing' log && test ! -e nbody
result $? "a missing runtime is an error that says so" log

$make -C "$SNL_BUILD" uninstall DESTDIR="$folder/root" >/dev/null 2>log
find root ! -type d >>log
test ! -s log
result $? "make uninstall leaves no file" log
