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
