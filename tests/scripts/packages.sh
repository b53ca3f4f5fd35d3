#!/bin/sh
# Packages say what the tree says. With PACKAGES=yes (make check-long) they are made: the tarball is built with nothing but gcc and make,
# the Debian packages by dpkg-buildpackage. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNLC_RUNTIME SNL_MEMORY_LIMIT CFLAGS LDFLAGS LIBS CC MAKEFLAGS MAKELEVEL MFLAGS DESTDIR CONFIG_SHELL
folder=$(fresh_folder scripts/packages)
cd "$folder" || exit 1
plan 11

version=$(sed -n 's/^AC_INIT(\[snlc\], \[\([^]]*\)\].*/\1/p' "$SNL_SOURCE/configure.ac")
head -n 1 "$SNL_SOURCE/debian/changelog" >log
[ -n "$version" ] && grep -q "^snlc ($version) " log
result $? "the Debian package has the version of configure.ac" log

sh "$SNL_SOURCE/build-aux/set-version" >log 2>&1 && test ! -s log
result $? "every file has the version of configure.ac" log

(cd "$SNL_SOURCE" && find debian -type f ! -path 'debian/.debhelper/*' ! -path 'debian/tmp/*' ! -path 'debian/snlc/*' ! -path 'debian/libsnlrt-dev/*' \
    ! -name '*.substvars' ! -name '*.log' ! -name files ! -name debhelper-build-stamp) | sort >there
tr ' ' '\n' <"$SNL_SOURCE/Makefile.am" | grep '^debian/' | sort >listed
diff there listed >log
result $? "the tarball has every file of the Debian package" log

# The libraries that quickstart installs, less those of tests, are those of the packages.
sed -n 's/^packages="\(.*\)"$/\1/p' "$SNL_SOURCE/quickstart" | tr ' ' '\n' | grep -v '^check$' | sort >wanted
: >log
while read -r p; do
    grep -qw -e "$p" "$SNL_SOURCE/Containerfile" || echo "the Containerfile lacks $p"
    case $p in
    gcc | make | autoconf | automake) ;; # every Debian build has them
    pkg-config) grep -q '^ pkgconf,' "$SNL_SOURCE/debian/control" || echo "debian/control lacks pkgconf" ;;
    *) grep -q "^ $p\\( <.*>\\)\\{0,1\\},\$" "$SNL_SOURCE/debian/control" || echo "debian/control lacks $p" ;;
    esac
done <wanted >log
test -s wanted && test ! -s log
result $? "the packages are built with the libraries that quickstart installs" log

if [ "${PACKAGES-}" != yes ]; then
    for name in wheel "wheel without cc" tarball "built without tools" "runs without tools" Debian lintian; do skip "$name" "only in make check-long"; done
    exit 0
fi

# The wheel in a new environment, which is not activated: programs, the language server, the Python module's place.
if python3 -m venv env >log 2>&1; then
    cat >w.snl <<'END'
field u8 x[4, 4];
kernel k() { for i, j in x { x[i, j] = u8(i * j); } }
main { k(); image("w.png", x, 0, 9); print("{}", x[3, 3]); }
END
    (cd "$SNL_BUILD" && make -s wheel) >>log 2>&1 && env/bin/pip install -q --no-index "$SNL_BUILD"/wheel/snlc-*.whl >>log 2>&1 &&
        [ "$(env -i PATH="$PATH" XDG_CACHE_HOME="$folder/cache-wheel" env/bin/snlc run w.snl 2>>log)" = 9 ] && [ -s w.png ] &&
        [ "$(env/bin/python -c 'import importlib.util; print(importlib.util.find_spec("snl").name)')" = snl ] && ls env/share/man/man1/snlc.1* >>log
    result $? "the wheel runs a program that saves a picture" log
    env -i PATH=/nonexistent env/bin/snlc run w.snl >log 2>&1
    [ $? = 69 ] && grep -q 'C compiler' log
    result $? "without a C compiler the wheel names what is missing" log
else
    skip "the wheel runs a program that saves a picture" "python3 has no venv"
    skip "without a C compiler the wheel names what is missing" "python3 has no venv"
fi

# A PATH with a C compiler, make, and what every system has.
mkdir bin
for tool in gcc cc as ld ar ranlib nm strip make sh bash awk sed grep egrep fgrep cat cp mv rm ls mkdir rmdir ln chmod touch expr tr sort uniq head \
    tail wc dirname basename date uname hostname printf test '[' true false echo cmp diff install mktemp env od cut find xargs sleep id pwd tee \
    readlink nproc file arch; do
    found=$(command -v "$tool") && case $found in /*) ln -s "$found" "bin/$tool" ;; esac
done
(cd "$SNL_BUILD" && make -s dist) >log 2>&1 && tar xf "$SNL_BUILD/snlc-$version.tar.xz" >>log 2>&1
result $? "make dist makes a tarball" log
alone=
unshare -n true 2>/dev/null && alone="unshare -n"
unshare=$(command -v unshare)
only() { if [ -n "$alone" ]; then PATH=$folder/bin "$unshare" -n "$@"; else PATH=$folder/bin "$@"; fi; }
mkdir built
(cd built && only "../snlc-$version/configure" --quiet && only make -s -j2 all) >log 2>&1
result $? "the tarball is built with gcc and make alone, without a network" log
printf 'field f32 x[8]; kernel k() { for i in x { x[i] = f32(i); } } main { k(); print("{}", x[7]); }\n' >a.snl
XDG_CACHE_HOME=$folder/cache only built/snlc run a.snl >out 2>log && [ "$(cat out)" = 7.0 ]
result $? "what was built runs a program" log

if ! command -v dpkg-buildpackage >/dev/null || ! command -v dh >/dev/null; then
    skip "dpkg-buildpackage makes the packages" "debhelper is missing"
    skip "lintian finds nothing" "debhelper is missing"
    exit 0
fi
rm -rf deb && mkdir deb && tar xf "$SNL_BUILD/snlc-$version.tar.xz" -C deb
(cd "deb/snlc-$version" && DEB_BUILD_OPTIONS="nocheck parallel=2" dpkg-buildpackage -us -uc) >log 2>&1 &&
    for p in deb/snlc_*.deb deb/libsnlrt-dev_*.deb; do dpkg -x "$p" root || exit 1; done &&
    XDG_CACHE_HOME=$folder/cache root/usr/bin/snlc run a.snl >out 2>>log && [ "$(cat out)" = 7.0 ]
result $? "dpkg-buildpackage makes packages that run a program" log
if command -v lintian >/dev/null; then
    lintian deb/*.changes >log 2>&1
    ! grep '^[EW]:' log
    result $? "lintian finds nothing" log
else
    skip "lintian finds nothing" "lintian is missing"
fi
