#!/bin/sh
# What the interpreter and a compiled program have to do alike, beside what the cases show: the bytes they print, where they save to
# when a file cannot be replaced, limits of memory. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
folder=$(fresh_folder scripts/alike)
cd "$folder" || exit 1
modes="interpreted compiled"

# Runs a program in one of two ways.
try() { # MODE FILE OPTION...
    mode=$1 file=$2
    shift 2
    case $mode in
    interpreted) "$SNLC" run -q --interpret "$file" -- "$@" ;;
    *)
        [ -x "./${file%.snl}" ] || "$SNLC" build -q -O0 -o "${file%.snl}" "$file" || return 2
        "./${file%.snl}" "$@" ;;
    esac
}
fails() { # TEXT COMMAND...
    text=$1
    shift
    "$@" >fails 2>&1 && { echo "no error: $*"; cat fails; return 1; }
    grep -q -- "$text" fails || { cat fails; return 1; }
}
# Runs a test for each mode.
check() { # NAME FUNCTION
    for m in $modes; do
        $2 "$m" >log 2>&1
        result $? "$1, $m" log
    done
}

plan 18

echo 'main { i32 z = 0; print("a{:c}b{:3c}", z, z); print("{}", format("{:c}.{}", z, 7)); assert(z > 0, "c{:c}d", z); }' >nul.snl
nul() {
    try "$1" nul.snl >out 2>err
    printf 'a\0b  \0\n\357\277\275.7\n' | cmp - out && printf 'nul.snl:1: c\357\277\275d\n' | diff - err
}
check "the character 0 in what is printed, in format() and in a message" nul

cat >put.snl <<'END'
param string path = "a.png";
param i32 kind = 0;
field u8 a[2, 3];
main { if (kind == 0) { save(path, a); load(path, a); } else { image(path, a, 0, 1); } }
END
kinds() { # MODE
    for e in png PNG nPy NPZ Vti VTU; do rm -f "b.$e" && try "$1" put.snl "--path=b.$e" && [ -s "b.$e" ] || return 1; done
    try "$1" put.snl --path=c.Png --kind=1 && fails "unknown kind of file" try "$1" put.snl --path=b.pngx
}
check "extensions in capitals" kinds

links() { # MODE
    rm -rf in && mkdir in && ln -s in/later.png first.png && ln -s first.png in/second.png && ln -s ../first.png in/third.png || return 1
    try "$1" put.snl --path=in/third.png && [ -L in/third.png ] && [ -L first.png ] && [ -f in/later.png ] || return 1
    ln -s ring.png in/ring.png && fails "Too many levels" try "$1" put.snl --path=in/ring.png && rm first.png
}
check "links stay, also those to what is not there" links

deep() { # MODE
    (k=0 name=$(printf '%0200d' 0)
    while [ $k -lt 25 ]; do { mkdir -p "$name" && cd -P "$name"; } || exit 1; k=$((k + 1)); done
    for k in 1 2; do "$folder/put" --path=a.png || exit 1; done)
}
deep >log 2>&1
result $? "a folder whose name is longer than names may be" log

# As another user, where this is the one that may do all; what it runs lies where anyone can read it.
as_user() {
    if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}
open=$(mktemp -d) && chmod 755 "$open" && cp put "$open/put" && chmod 755 "$open/put"
trap 'chmod -R u+w "$open"; rm -rf "$open"' EXIT
if ! as_user "$open/put" --help >log 2>&1; then
    for e in png npy h5; do skip "a .$e in a folder that cannot be written" "no other user here"; done
else
    for e in png npy h5; do
        if [ $e = h5 ] && ! has_feature hdf5; then skip "a .$e in a folder that cannot be written" "hdf5 is missing"; continue; fi
        : >"$open/a.$e" && chmod 666 "$open/a.$e" && if [ $e = h5 ]; then : >"$open/a.xdmf" && chmod 666 "$open/a.xdmf"; fi
        before=$(ls -i "$open/a.$e")
        chmod 555 "$open"
        { as_user "$open/put" "--path=$open/a.$e" && [ -s "$open/a.$e" ] && [ "$before" = "$(ls -i "$open/a.$e")" ] &&
            fails "cannot write '$open/b.$e': Permission denied" as_user "$open/put" "--path=$open/b.$e"; } >log 2>&1
        result $? "a .$e in a folder that cannot be written" log
        chmod 755 "$open"
    done
fi

cat >wide.snl <<'END'
param i64 w = 1000001;
field u8 a;
layout { dense ij[1, w] { place a; } }
main { save("wide.png", a); }
END
wide() { fails "shape (1, 1000001); a .png has at most 1000000 rows and columns, the limit of libpng" try "$1" wide.snl; }
if has_feature png; then check "a .png that is too wide" wide; else for m in $modes; do skip "a .png that is too wide, $m" "libpng is missing"; done; fi

printf '\n\nfield u8 a[1000000];\nmain { print("{}", a[5]); }\n' >start.snl
start() {
    fails "^start.snl:3: out of memory: the layout of field 'a' needs [0-9]* bytes, 0 of the limit of 512000 are in use" try "$1" start.snl --memory-limit=500K || return 1
    SNL_MEMORY_LIMIT=500K try "$1" start.snl 2>err
    [ $? = 1 ] && grep -q 512000 err
}
check "no memory for a layout at the start" start

printf 'field u8 a;\nlayout { pointer i[1000] { dense i[1000] { place a; } } }\ntest "t" { for k in 0..1000 { a[1000 * k] = 1; } }\n' >blocks.snl
tests() { # MODE
    how=-O0
    if [ "$1" = interpreted ]; then how=--interpret; fi
    "$SNLC" test $how blocks.snl && SNL_MEMORY_LIMIT=8M "$SNLC" test $how blocks.snl || return 1
    SNL_MEMORY_LIMIT=500K fails '[0-9]* of the limit of 512000 are in use' "$SNLC" test $how blocks.snl &&
        SNL_MEMORY_LIMIT=x fails "bad value 'x' of SNL_MEMORY_LIMIT" "$SNLC" test $how blocks.snl
}
check "the limit holds in tests, too" tests

cat >limits.snl <<'END'
// Layouts of each kind, filled until there is no memory left, or emptied in time.
field f32 x;
layout A { b: pointer ij[64, 64] { c: bitmasked ij[16, 16] { place x; } } }
field i32 y;
layout B { l: dynamic i[1000000] { place y; } }
field i32 z;
layout H { h: hash i[1000000000] { place z; } }
param i32 kind = 0;
kernel block(i32 k) { for i in 0..16 { x[16 * (k / 64) + i, 16 * (k % 64)] = 1.0; } }
main {
    if (kind == 0) { for k in 0..4096 { block(k); } }
    if (kind == 1) { for k in 0..4096 { block(k); deactivate_all(b); } }
    if (kind == 2) { for k in 0..4096 { block(k); deactivate(b[k / 64, k % 64]); } }
    if (kind == 3) { for k in 0..64000 { append(l, k); } }
    if (kind == 4) { for k in 0..64000 { z[k * 7] = k; } }
    if (kind == 5) { for k in 0..64 { block(k); } save("a.snlt", A); deactivate_all(b); load("a.snlt", A); for k in 0..200 { block(k); } }
    print("{} {} {}", active(b), active(l), active(h));
}
END
for k in 0 1 2 3 4 5; do
    for l in 100K 300K 8M; do for m in $modes; do
        { echo "kind $k, limit $l"; try $m limits.snl "--kind=$k" "--memory-limit=$l" 2>&1; } | sed 's/[0-9]* of the limit/N of the limit/' >>"limits.$m"
    done; done
done
diff limits.interpreted limits.compiled >log 2>&1 && [ "$(grep -c 'out of memory: activating a cell of' limits.compiled)" -ge 10 ] && grep -q '^4096 0 0' limits.compiled
result $? "a limit of memory is reached at the same cell" log

cat >dense.snl <<'END'
param i64 n = 100000000;
field u8 a;
layout { dense i[n] { place a; } }
main { i64 s = 0; for i in 0..3 { a[n - 1 - i64(i)] = 3; s += i64(a[n - 2]); } print("{}", s); }
END
(ulimit -v 1500000 && try interpreted dense.snl) >log 2>&1 && grep -qx 6 log
result $? "an element of a dense field takes the interpreter no more than its type" log
