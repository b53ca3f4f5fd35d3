#!/bin/sh
# Every run-time error ends the program with status 1 and one message: the place and the values. Wrong arguments of a
# program are found before it starts and end it with status 64. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT
folder=$(fresh_folder scripts/runtime-errors)
cd "$folder" || exit 1

# One program: the line marked "HERE" must be named by the message, which must contain TEXT.
# Options of snlc stand before "--", arguments of the program behind it.
check_error() { # NAME TEXT [OPTION...] [-- ARGUMENT...] <PROGRAM
    name=$1 text=$2
    shift 2
    cat >"$name.snl"
    want=1
    case $name in param_[unt]*) want=64 ;; esac
    line=$(awk '/HERE/ { print FNR; exit }' "$name.snl")
    for mode in $modes; do
        case $mode-$name in
        interpret-memory_limit*) skip "$name ($mode)" "the interpreter has memory of its own"; continue ;;
        cuda-memory_limit_local) skip "$name ($mode)" "lanes have local arrays of their own"; continue ;;
        cuda-memory_limit_of*) skip "$name ($mode)" "a GPU takes more for the cells than for a list of them"; continue ;;
        esac
        (
            use_mode "$mode"
            case " $* " in
            *" -- "*) ;;
            *) set -- "$@" -- ;;
            esac
            # A GPU needs some memory to begin with.
            case $mode-$* in cuda*--memory-limit=1000000) set -- -- --memory-limit=5000000 ;; esac
            # shellcheck disable=SC2086
            timeout 60 "$SNLC" run $how "$name.snl" "$@" >out.txt 2>err.txt </dev/null
            status=$?
            {
                if [ "$status" != "$want" ]; then echo "exit status $status, not $want"; fi
                if ! grep -qF -e "$text" err.txt; then echo "the message does not contain: $text"; fi
                if [ -n "$line" ] && ! grep -q "$name.snl:$line: " err.txt; then echo "the message does not name line $line"; fi
                if grep -q 'after the error' out.txt; then echo "the program went on"; fi
                if ! grep -q 'before the error' out.txt && grep -q 'before the error' "$name.snl" && [ -n "$line" ]; then
                    echo "output from before the error is lost"
                fi
            } >log
            if [ -s log ]; then cat err.txt >>log; fi
            [ ! -s log ]
        )
        result $? "$name ($mode)" log
    done
}

modes=$(for m in $CASE_MODES; do case $m in *-*) ;; *) echo "$m" ;; esac; done)
if [ -z "$modes" ]; then skip_all "no plain mode in $CASE_MODES"; fi
plan $((43 * $(echo "$modes" | wc -l)))

check_error assertion "x[4] is 42" <<'PROGRAM'
field i32 x[8];
kernel look() {
    for i in x {
        assert(x[i] == 0, "x[{}] is {}", i, x[i]); // HERE
    }
}
main { print("before the error"); x[4] = 42; look(); print("after the error"); }
PROGRAM

check_error assertion_on_host "assert" <<'PROGRAM'
main {
    print("before the error");
    assert(1 + 1 == 3); // HERE
    print("after the error");
}
PROGRAM

check_error list_full_on_host "full" <<'PROGRAM'
field i32 x;
layout { list: dynamic i[2] { place x; } }
host fill_list() {
    for k in 0..3 {
        let at = append(list, k); // HERE
        if (at < 0) { print("after the error"); } else { print("before the error"); }
    }
}
main { fill_list(); }
PROGRAM

check_error list_full "full" <<'PROGRAM'
field i32 item;
layout { list: dynamic i[4] { place item; } }
kernel fill_it(i32 n) {
    @serial for i in 0..n {
        append(list, i); // HERE
    }
}
main { print("before the error"); fill_it(5); print("after the error"); }
PROGRAM

check_error endless_recursion "recursion in 'deep' is too deep" <<'PROGRAM'
field i32 x[4];
func i32 deep(i32 k) { // HERE
    if (k == -5) { return 0; }
    return deep(k + 1) + deep(k + 2);
}
kernel fall() { for i in x { x[i] = deep(i); } }
main { print("before the error"); fall(); print("after the error"); }
PROGRAM

check_error endless_recursion_on_host "is too deep" <<'PROGRAM'
field i32 x[4];
host even(i32 n) { if (x[0] == 0) { odd(n + 1); } }
host odd(i32 n) { if (x[1] == 0) { even(n + 1); } }
main { print("before the error"); even(1); print("after the error"); }
PROGRAM

check_error size_of_node "must be positive, not 0" <<'PROGRAM'
param i32 n = 4;
field i32 x;
@manual layout spare {
    dense i[n - 4] { place x; } // HERE
}
main { print("before the error"); create spare; print("after the error"); }
PROGRAM

check_error layout_missing "spare" <<'PROGRAM'
field i32 x;
@manual layout spare { dense i[4] { place x; } }
kernel use_it() {
    for i in x { x[i] = 1; } // HERE
}
main { print("before the error"); use_it(); print("after the error"); }
PROGRAM

check_error layout_destroyed "spare" <<'PROGRAM'
field i32 x;
@manual layout spare { dense i[4] { place x; } }
main {
    create spare;
    x[3] = 1;
    destroy spare;
    print("before the error");
    x[3] = 2; // HERE
    print("after the error");
}
PROGRAM

check_error layout_created_twice "spare" <<'PROGRAM'
field i32 x;
@manual layout spare { dense i[4] { place x; } }
main {
    create spare;
    print("before the error");
    create spare; // HERE
    print("after the error");
}
PROGRAM

check_error file_missing "missing.npy" <<'PROGRAM'
field f32 x[4];
main {
    print("before the error");
    load("missing.npy", x); // HERE
    print("after the error");
}
PROGRAM

check_error file_unwritable "no_folder/x.npy" <<'PROGRAM'
field f32 x[4];
main {
    print("before the error");
    save("no_folder/x.npy", x); // HERE
    print("after the error");
}
PROGRAM

check_error file_of_another_kind "x.unknown" <<'PROGRAM'
field f32 x[4];
main {
    print("before the error");
    save(format("{}", "x.unknown"), x); // HERE
    print("after the error");
}
PROGRAM

echo "this is no array" >broken.npy
check_error file_broken "broken.npy" <<'PROGRAM'
field f32 x[4];
main {
    print("before the error");
    load("broken.npy", x); // HERE
    print("after the error");
}
PROGRAM

echo "hello" >short.npy
check_error file_of_text "is no .npy file: bad signature at offset 0" <<'PROGRAM'
field f32 x[4];
main {
    print("before the error");
    load(format("{}.npy", "short"), x); // HERE
    print("after the error");
}
PROGRAM

check_error param_unknown "nosuch" -- --nosuch=1 <<'PROGRAM'
param i32 n = 4;
main { print("after the error {}", n); }
PROGRAM

check_error param_not_a_number "--n" -- --n=four <<'PROGRAM'
param i32 n = 4;
main { print("after the error {}", n); }
PROGRAM

check_error param_too_large "out of range" -- --n=3000000000 <<'PROGRAM'
param i32 n = 4;
main { print("after the error {}", n); }
PROGRAM

check_error param_size "must be positive, not -4" -- --n=-4 <<'PROGRAM'
param i32 n = 4;
field f32 x;
layout { dense i[n] { place x; } }
main { print("after the error {}", n); }
PROGRAM

check_error extent_of_32_bits "the size 'n' is 3, at most 2 where indices are i32" -- --n=3 <<'PROGRAM'
param i32 n = 2;
field f32 x;
layout {
    hash i[n] { dense i[1000000000] { place x; } } // HERE
}
main { print("after the error {}", n); }
PROGRAM

check_error size_that_wraps "4 * 1073741825 does not fit in i32" -- --n=1073741825 <<'PROGRAM'
param i32 n = 2;
field f32 x;
layout {
    dense i[4 * n] { place x; } // HERE
}
main { print("after the error {}", n); }
PROGRAM

check_error memory_limit "memory" -- --memory-limit=1000000 <<'PROGRAM'
field f32 x;
layout { pointer i[1024] { dense i[1024] { place x; } } }
kernel fill_all() {
    for i in 0..1024 * 1024 { x[i] = 1.0; } // HERE
}
main { print("before the error"); fill_all(); print("after the error"); }
PROGRAM

# The place of sequential code that runs out of memory is that of the write, or of the call of what writes; it ends there.
check_error memory_limit_in_host "activating a cell of 'b'" -- --memory-limit=1000000 <<'PROGRAM'
field f32 x;
layout { b: pointer i[4096] { dense i[1024] { place x; } } }
main {
    print("before the error");
    for i in 0..4096 {
        x[i * 1024] = 1.0; // HERE
        if (i == 4000) { print("after the error"); }
    }
}
PROGRAM

check_error memory_limit_in_func "activating a cell of 'b'" -- --memory-limit=1000000 <<'PROGRAM'
field f32 x;
layout { b: hash i[4096] { dense i[1024] { place x; } } }
func put(i32 i) { x[i * 1024] = 1.0; } // HERE
kernel fill_all() {
    @serial for i in 0..4096 {
        put(i);
        if (i == 4000) { print("after the error"); }
    }
}
main { print("before the error"); fill_all(); print("after the error"); }
PROGRAM

# Arrays that were left take none: only the last of them is too much.
check_error memory_limit_local "local array 'v' needs 8000000 bytes" -- --memory-limit=12000000 --threads=1 <<'PROGRAM'
field f64 x[8];
func f64 sum(f64 a) { f64 w[500000]; w[3] = a; return w[3]; }
func f64 both(f64 a) {
    f64 w[1000000];
    w[5] = a;
    f64 v[1000000]; // HERE
    v[5] = a;
    return w[5] + v[5];
}
kernel few() { for i in x { for k in 0..20 { x[i] += sum(f64(k)); } } }
kernel many() { for i in x { x[i] += both(1.0); } }
main { few(); if (x[3] == 190.0) { print("before the error"); } many(); print("after the error"); }
PROGRAM

check_error memory_limit_of_list "a list of the cells of 'S1pointer'" -- --memory-limit=5000000 <<'PROGRAM'
field i32 x;
field i32 sum;
layout { place sum; }
layout { pointer i[100000] { place x; } }
kernel fill() { for i in 0..100000 { x[i] = 1; } }
kernel add() {
    @serial for k in 0..2 {
        @serial for i in x { sum += x[i] + k; } // HERE
    }
}
main { fill(); print("before the error"); add(); print("after the error {}", sum); }
PROGRAM
check_error memory_limit_of_loop "a list of the cells of 'S1pointer'" -- --memory-limit=5000000 <<'PROGRAM'
field i32 x;
layout { pointer i[100000] { place x; } }
kernel fill() { for i in 0..100000 { x[i] = 1; } }
kernel add() {
    for i in x { x[i] += 1; } // HERE
}
main { fill(); print("before the error"); add(); print("after the error {}", x[7]); }
PROGRAM
check_error layout_too_large "out of memory: " -- --n=1000000000 <<'PROGRAM'
param i64 n = 4;
field f64 x;
layout { dense i[n] { dense i[1000000000] { place x; } } }
main { print("after the error {}", n); }
PROGRAM

check_error index_outside "index 10" --check <<'PROGRAM'
field i32 x[10];
kernel put(i32 at) {
    x[at] = 1; // HERE
}
main { print("before the error"); put(9); put(10); print("after the error"); }
PROGRAM

check_error index_of_a_local_array "index 3" --check <<'PROGRAM'
field i32 n[];
kernel put(i32 at) {
    i32 w[3];
    w[at] = 1; // HERE
    n = w[0];
}
main { print("before the error"); put(3); print("after the error"); }
PROGRAM

check_error division_by_zero "division by zero" --check <<'PROGRAM'
kernel i32 divide(i32 a, i32 b) {
    return a / b; // HERE
}
main { print("before the error"); print("after the error {}", divide(1, 0)); }
PROGRAM

check_error remainder_by_zero "division by zero" --check <<'PROGRAM'
kernel i32 divide(i32 a, i32 b) {
    return a % b; // HERE
}
main { print("before the error"); print("after the error {}", divide(1, 0)); }
PROGRAM

check_error shift_count "33" --check <<'PROGRAM'
kernel i32 shift(i32 a, i32 b) {
    return a << b; // HERE
}
main { print("before the error"); print("after the error {}", shift(1, 33)); }
PROGRAM

check_error uninitialised "uninitialised" --check <<'PROGRAM'
kernel i32 get(bool set) {
    i32 a;
    if (set) { a = 3; }
    return a; // HERE
}
main { print("before the error"); print("after the error {}", get(false)); }
PROGRAM

check_error cast_too_large "i32" --check <<'PROGRAM'
kernel i32 cut(f32 a) {
    return i32(a); // HERE
}
main { print("before the error"); print("after the error {}", cut(1e20)); }
PROGRAM

check_error race "data race: two iterations store to x[" --check <<'PROGRAM'
field i32 x[10];
kernel both() {
    for i in 0..1000 {
        x[i % 10] = i; // HERE
    }
}
main { print("before the error"); both(); print("after the error"); }
PROGRAM

check_error overflow "overflow" --check=overflow <<'PROGRAM'
kernel i32 add(i32 a, i32 b) {
    return a + b; // HERE
}
main { print("before the error"); print("after the error {}", add(2147483647, 1)); }
PROGRAM

# Of vectors, the component is told.
check_error overflow_of_vector "signed overflow: 100 + 100 does not fit in i8" --check=overflow <<'PROGRAM'
kernel i8x3 add(i8x3 a, i8x3 b) {
    return a + b; // HERE
}
main { print("before the error"); print("after the error {}", add(i8x3(1, 100, -100), i8x3(100, 100, -100))); }
PROGRAM

check_error cast_of_vector "3e+09 does not fit in i32" --check <<'PROGRAM'
kernel i32x2 cast(f64x2 a) {
    return i32x2(a); // HERE
}
main { print("before the error"); print("after the error {}", cast(f64x2(1.0, 3e9))); }
PROGRAM

# A u64 from 2^63 on is no index below 0.
check_error index_u64 "index 18446744073709551615 is out of range: x has -3 to 4 along axis 0" --check <<'PROGRAM'
field i32 x;
layout { @offset(-3) dense i[8] { place x; } }
kernel i32 element(u64 n) {
    return x[n]; // HERE
}
main { print("before the error"); print("after the error {}", element(u64.max)); }
PROGRAM

check_error in_a_function "deep" <<'PROGRAM'
func i32 inner(i32 a) {
    assert(a > 0, "deep {}", a); // HERE
    return a;
}
func i32 outer(i32 a) { return inner(a - 1); }
kernel i32 get() { return outer(1); }
main { print("before the error"); print("after the error {}", get()); }
PROGRAM

# What is no file is no reason to wait.
mkfifo pipe.npy
check_error load_of_a_fifo "cannot read 'pipe.npy': not a regular file" <<'PROGRAM'
field i32 x[4];
main { print("before the error"); load("pipe.npy", x); print("after the error"); } // HERE
PROGRAM

# A message that is too long says so, and has whole characters.
check_error long_message "ÄÄÄ..." <<PROGRAM
field i32 x[1];
main {
    print("before the error");
    assert(x[0] == 1, "$(printf '%2000s' | sed 's/ /Ä/g')"); // HERE
    print("after the error");
}
PROGRAM
