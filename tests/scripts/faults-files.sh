#!/bin/sh
# Saving and loading in each format of files, interpreted and compiled, while calls of the C library fail one after another, the disk is
# full, or the process is killed: the old file or the new one is there as a whole, nothing is left behind, and what succeeds is right.
# FAULT_STEP says every how many allocations one fails; check-long sets 1. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
case $CASE_MODES in *-san*) skip_all "sanitizers have an allocator of their own" ;; esac
folder=$(fresh_folder scripts/faults-files)
cd "$folder" || exit 1
. "$SNL_SOURCE/tests/faults/calls.sh"

cat >files.snl <<'PROGRAM'
// Saves one of several fields or a layout, forgets it, and loads it again.
param string path = "a.npy";
param i32 kind = 0;
field f32 a[16, 4];
field u8x3 p[4, 5];
field f32 x;
layout tree { @offset(-8, -8, -8) b: pointer ijk[2, 2, 2] { bm: bitmasked ijk[8, 8, 8] { place x; } } }
kernel start() {
    for i, j in a { a[i, j] = f32(10 * i + j); }
    for i, j in p { p[i, j] = u8x3(u8(i), u8(j), 7); }
    for i in -8..8 { x[i, 2, -i / 2] = f32(i); }
}
kernel f64 sum() {
    f64 s = 0;
    for i, j in a { s += f64(a[i, j]) * f64(i + 1); }
    for i, j in p { s += f64(p[i, j].y) * f64(i + 1); }
    for i, j, k in x { s += f64(x[i, j, k]) * f64(i); }
    return s;
}
main {
    start();
    print("{} {}", sum(), active(bm));
    if (kind == 0) { save(path, a); fill(a, 0); load(path, a); }
    if (kind == 1) { save(path, p); fill(p, u8x3(0)); load(path, p); }
    if (kind == 2) { save(path, x); deactivate_all(b); load(path, x); }
    if (kind == 3) { save(path, tree); deactivate_all(b); load(path, tree); }
    print("{} {}", sum(), active(bm));
}
PROGRAM
"$SNLC" build -q -O0 -o files files.snl || { echo "Bail out! build"; exit 1; }
echo "old file" >old

# What may lie in the folder of the products.
judge_files() { # STATUS
    same old "work/$file" >why || same "want/$file" "work/$file" || return 1
    for f in work/* work/.[!.]*; do
        case $f in "work/$file" | "work/.[!.]*") ;; work/a.xdmf) same want/a.xdmf "$f" || return 1 ;; *) echo "$f is left behind"; return 1 ;; esac
    done
    [ -n "$(find "work/$file" -perm 600)" ] || { echo "others may read $file"; return 1; }
    if [ "$1" = 0 ]; then same wanted out && same "want/$file" "work/$file"; return; fi
    # The C library ends a process that gets no memory for variables of a thread, here of a library that HDF5 brings along: at its end,
    # when all is done or the program has said that it got no memory.
    if [ "$1" = 127 ] && grep -q '^cannot allocate memory for thread-local data' err; then
        if [ "$how" = on ] && grep -q 'out of memory\|: Cannot allocate memory' err; then return; fi
        same wanted out && same "want/$file" "work/$file"
        return
    fi
    if [ "$call" = write ]; then grep -q 'No space left' err || { cat err; return 1; }; fi
    is_clean "$1"
}

# A process that is killed while it writes leaves its temporary file only where that has a name.
unnamed=no
if python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' 2>/dev/null; then unnamed=yes; fi
judge_killed() {
    same old "work/$file" >why || same "want/$file" "work/$file" || return 1
    case $unnamed/$call/$file in yes/write/*.h5) ;; yes/write/*) [ "$(ls -A work)" = "$file" ] || { ls -A work; return 1; } ;; esac
}
prepare() { rm -rf work && mkdir work && cp old "work/$file" && chmod 600 "work/$file"; }

mkdir want
for format in 0:a.npy 0:a.npz 0:a.h5 0:a.vti 1:p.png 2:x.nvdb 2:x.vtu 3:t.snlt; do
    kind=${format%%:*} file=${format#*:}
    case ${file#*.} in
    h5) feature=hdf5 ;;
    png) feature=png ;;
    *) feature=${file#*.} ;;
    esac
    if ! has_feature "$feature"; then continue; fi
    if ! ./files --kind="$kind" --path="want/$file" >wanted 2>err; then
        case $file in *.h5) if grep -q HDF5 err; then continue; fi ;; esac
        result 1 "$file" err
        continue
    fi
    # Both times the same is printed.
    [ "$(sort -u wanted | wc -l)" = 1 ]
    result $? "$file is loaded as it was saved" wanted
    for call in open write close rename read; do
        try_calls "$file" files "$call" once judge_files ./files --kind="$kind" --path="work/$file"
    done
    try_calls "$file" files write short judge_files ./files --kind="$kind" --path="work/$file"
    # The disk is full from some byte on.
    try_calls "$file" files write on judge_files ./files --kind="$kind" --path="work/$file"
    # The library of HDF5 itself crashes where it gets no memory, and what it calls tells it of no errors.
    step=${FAULT_STEP:-5}
    case $file in
    *.h5) # has 1,500 allocations
        export FAULT_EXCEPT="libhdf5 libz libsz libaec libcrypto libcurl"
        step=${FAULT_STEP:-49} ;;
    esac
    for how in once on; do
        try_calls "$file" files malloc "$how" judge_files ./files --kind="$kind" --path="work/$file"
    done
    unset FAULT_EXCEPT
    for call in open write close rename; do
        try_calls "$file" files "$call" kill judge_killed ./files --kind="$kind" --path="work/$file"
    done
    for call in open write rename; do
        try_calls "$file, interpreted" snlc "$call" once judge_files \
            "$SNLC" run -q --interpret files.snl -- --kind="$kind" --path="work/$file"
    done
done
echo "# $count_hits faults"
echo "1..$count"
