#!/bin/sh
# .snlt files: interpreted and compiled programs, padded and packed ones and those on the stand-in for CUDA write the same bytes, and read
# what any of them wrote; all refuse damaged files and those of other sizes in the same words, and change nothing. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/snlt)
cd "$folder" || exit 1
cp "$SNL_SOURCE/tests/files/state.snl" .
case $CASE_MODES in *c[0-9]*) has_target=yes ;; *) has_target=no ;; esac

# Runs the program in one of these ways.
run_state() { # WAY ARGUMENT...
    way=$1
    shift
    case $way in
    interpreted) "$SNLC" run --interpret -q -Wno-W0401 state.snl -- "$@" ;;
    *) OMP_NUM_THREADS=2 SNL_SIM_SEED=1 "./$way" "$@" ;;
    esac
}
ways=interpreted
if [ "$has_target" = yes ]; then
    ways="interpreted compiled packed"
    "$SNLC" build -q -Wno-W0401 -o compiled state.snl && "$SNLC" build -q --packed --check -o packed state.snl || { echo "Bail out! build"; exit 1; }
    case $CASE_MODES in *sim*)
        "$SNLC" build -q -O1 --target=cuda-sim -Wno-W0401 -o stand-in state.snl || { echo "Bail out! build"; exit 1; }
        ways="$ways stand-in" ;;
    esac
fi

save_all() {
    for way in $ways; do
        run_state "$way" --to="$way" >"$way.txt" && cmp interpreted_tree.snlt "${way}_tree.snlt" && cmp interpreted_other.snlt "${way}_other.snlt" &&
            diff interpreted.txt "$way.txt" || return 1
    done
}
save_all >log 2>&1
result $? "the same bytes: $ways" log

load_all() {
    for from in $ways; do
        for way in $ways; do
            run_state "$way" --loads=true --from="$from" --to=back >back.txt && diff interpreted.txt back.txt &&
                cmp interpreted_tree.snlt back_tree.snlt && cmp interpreted_other.snlt back_other.snlt || { echo "$way from $from"; return 1; }
        done
    done
}
load_all >log 2>&1
result $? "each reads what each wrote" log

# Says in the same words why the file `bad` is refused.
refused() { # ARGUMENT...
    for way in $ways; do
        run_state "$way" --loads=true --to=never "$@" >out 2>err && { echo "$way loaded it"; return 1; }
        sed -i 's/^snlc: //' err
        [ ! -s out ] && [ ! -e never_tree.snlt ] && grep -q 'state.snl:[0-9]*: cannot' err || { echo "$way:"; cat out err; return 1; }
        if [ "$way" = interpreted ]; then cp err words; fi
        diff words err || { echo "$way"; return 1; }
    done
}
sizes_differ() { refused --from=interpreted --n=6 && grep -q "saved from another layout" words; }
sizes_differ >log 2>&1
result $? "a file of other sizes" log
# What the message says of a layout that differs from the saved one, in one thing each.
cat >differs.snl <<'PROGRAM'
const AT = 0;
static if (AT == 0) { field f32 x, y; } else { field f64 x, y; }
field f32x2 v;
param string path = "";
param bool saves = false;
LAYOUT
param i32 at = 20;
main { if (saves) { x[at] = 1.5; save(path, W); } else { load(path, W); print("{}", x[at]); } }
PROGRAM
differs() { # NUMBER LAYOUT -> the program differ_NUMBER.snl
    sed "s/^LAYOUT\$/$2/; s/^const AT = 0/const AT = ${3:-0}/" differs.snl >"differ_$1.snl"
}
said() { # LAYOUT WORDS [AT]
    differs other "$1" "${3:-}"
    for way in $some; do
        "$SNLC" run $way -q -Wno-W0401 differ_other.snl -- --path=of.snlt >out 2>err && { echo "$way loaded it: $1"; return 1; }
        [ ! -s out ] && grep -qF "cannot load 'of.snlt': it was saved from another layout, $2, before offset" err || { echo "$way: $1"; cat out err; return 1; }
    done
}
some=--interpret
[ "$has_target" = yes ] && some="--interpret -O0"
says_how() {
    differs own 'layout W { b: pointer i[8] { dense i[4] { place x, y; } dense i[4] { place v; } } }'
    "$SNLC" run --interpret -q -Wno-W0401 differ_own.snl -- --path=of.snlt --saves=true || return 1
    rest='dense i[4] { place v; }'
    said "layout W { @offset(-16) b: pointer i[8] { dense i[4] { place x, y; } dense i[4] { place v; } } }" "whose indices along i begin at 0, not at -16" &&
        said "layout W { b: pointer i[9] { dense i[4] { place x, y; } $rest } }" "whose node 'b' has size 8 along i, not 9" &&
        said "layout W { b: pointer i[8] { place x, y; $rest } }" "whose number of nodes is 3, not 2" &&
        said "layout W { b: bitmasked i[8] { dense i[4] { place x, y; } $rest } }" "whose node 'b' is of another kind" &&
        said "layout W { b: pointer i[8] { dense i[4] { place x, y; } dense j[4] { place v; } } }" "whose node 'S3dense' has other axes, or in another order" &&
        said "layout W { b: pointer i[8] { dense i[4] { place x, y; } dense ij[4, 2] { place v; } } }" "whose number of axes of 'S3dense' is 1, not 2" &&
        said "layout W { b: pointer i[8] { dense i[4] { place x, y; dense i[4] { place v; } } } }" "whose node 'S3dense' lies elsewhere" &&
        said "layout W { b: pointer i[8] { dense i[4] { place y, x; } $rest } }" "which has field 'x' in the place of 'y'" &&
        said "layout W { b: pointer i[8] { dense i[4] { place x, y; } $rest } }" "whose field 'x' is of f32, not f64" 1 &&
        said "layout W { b: pointer i[8] { dense i[4] { place x; } dense i[4] { place v; } } } layout { dense i[8] { place y; } }" "which has field 'y' in the place of 'v'" &&
        said "layout W { b: pointer i[8] { dense i[4] { place x, y; } dense i[4] { place v.y; } } } layout { dense i[32] { place v.x; } }" \
            "whose field 'v' has other components, or in another order"
}
says_how >log 2>&1
result $? "the message says how a layout differs" log

# Files of version 1 say nothing of @offset, and load as they did.
cat >first.snl <<'PROGRAM'
field f32 x;
layout W { @offset(-16) b: pointer i[64] { dense i[16] { place x; } } }
main { load("first.snlt", W); print("{} {}", x[84], active(b)); save("second.snlt", W); }
PROGRAM
version_1() {
    printf %s U05MVAEAAAACAAAAAgAAAAAAAAABAAAAAAAAAEAAAAAAAAAAAAAAAAEAAAABAAAAAAAAABAAAAAAAAAAAQAAAAIAAAAKAAAAAQAAAAAAAAABAAAAeEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAwD8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAITohBU= |
        base64 -d >first.snlt && "$SNLC" run --interpret -q first.snl >out && echo "1.5 1" >want && diff want out &&
        [ "$(wc -c <second.snlt)" = $(($(wc -c <first.snlt) + 16)) ]
}
version_1 >log 2>&1
result $? "a file of version 1" log

is_missing() { refused --from=none && grep -q "none_tree.snlt" words; }
is_missing >log 2>&1
result $? "no file" log
cut_short() {
    cp interpreted_other.snlt bad_other.snlt
    for bytes in 0 3 4 8 11 100 500 897; do
        head -c "$bytes" interpreted_tree.snlt >bad_tree.snlt && refused --from=bad || { echo "$bytes bytes"; return 1; }
    done
}
cut_short >log 2>&1
result $? "files that were cut" log
changed() {
    for at in 0 5 9 60 400 600 897; do
        { head -c "$at" interpreted_tree.snlt && printf '\377' && tail -c +"$((at + 2))" interpreted_tree.snlt; } >bad_tree.snlt
        refused --from=bad || { echo "byte $at"; return 1; }
    done
    { cat interpreted_tree.snlt && printf 'more'; } >bad_tree.snlt
    refused --from=bad
}
changed >log 2>&1
result $? "files that were changed" log
cannot_save() {
    for way in $ways; do
        run_state "$way" --to=none/here >out 2>err && { echo "$way saved it"; return 1; }
        sed -i 's/^snlc: //' err
        if [ "$way" = interpreted ]; then cp err words; fi
        grep -q "state.snl:[0-9]*: .*none/here_tree.snlt" err && diff words err || { echo "$way:"; cat err; return 1; }
    done
}
cannot_save >log 2>&1
result $? "where no file can be made" log
plan "$count"
