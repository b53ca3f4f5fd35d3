#!/bin/sh
# Bad input: never a crash, never a hang, never a wrong exit status. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/bad-input)
cd "$folder" || exit 1
case $CASE_MODES in *c[0-9]*) has_target=yes ;; *) has_target=no ;; esac

# Runs a command with bounds on time and memory; sets status, leaves out.txt and err.txt.
bounded() { # COMMAND...
    (
        ulimit -v 3000000 2>/dev/null
        timeout 60 "$@" >out.txt 2>err.txt </dev/null
    )
    status=$?
}

# True when a command ended with one of the statuses, and with a located error when that is 1.
ends_well() { # "STATUS..." COMMAND...
    wanted=" $1 "
    shift
    bounded "$@"
    case $wanted in
    *" $status "*)
        if [ "$status" = 1 ] && ! grep -q ':[0-9][0-9]*:[0-9][0-9]*: error: .*\[E[0-9]*\]$' err.txt; then
            echo "no located error" >>err.txt
        else
            return 0
        fi ;;
    esac
    { echo "$*: status $status, expected$wanted"; head -c 2000 err.txt; } >log
    return 1
}

# A file through everything that reads programs.
check_file() { # NAME "STATUS..."
    ends_well "$2" "$SNLC" check --color=never "$1" || { result 1 "$1: check" log; return; }
    first=$status
    # Syntax alone may be fine.
    ends_well "0 1" "$SNLC" compile --emit=ast --color=never -o ast.txt "$1" || { result 1 "$1: ast" log; return; }
    ends_well "0 1" "$SNLC" compile --emit=tokens --color=never -o tokens.txt "$1" || { result 1 "$1: tokens" log; return; }
    ends_well "$first" "$SNLC" layout --color=never -o layout.txt "$1" || { result 1 "$1: layout" log; return; }
    if [ "$first" = 0 ]; then
        bounded "$SNLC" test --interpret --timeout=50 "$1"
        if [ "$status" -gt 1 ] || grep -q 'killed by\|ended after' out.txt err.txt; then
            cat out.txt err.txt >log
            result 1 "$1: test --interpret ends with status $status" log
            return
        fi
        if [ "$has_target" = yes ]; then
            ends_well 0 "$SNLC" compile -o made.c "$1" || { result 1 "$1: compile" log; return; }
        fi
    elif [ "$has_target" = yes ]; then
        rm -f made.c made.h
        ends_well "$first" "$SNLC" compile --color=never -o made.c "$1" || { result 1 "$1: compile" log; return; }
        if [ -f made.c ] || [ -f made.h ]; then result 1 "$1: compile leaves an output"; return; fi
    fi
    result 0 "$1"
}

repeat() { # COUNT TEXT
    awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'
}

many=100000

make_texts() {
    printf '// \351\nfield f32 x[4];\n' >latin1.snl
    printf '\377\376f\000i\000e\000l\000d\000' >utf16.snl
    printf 'field f32 x[4];\000\nkernel k() { x[0] = 1; }\n' >nul.snl
    printf 'const A\300\200 = 1;\n' >overlong.snl
    printf '// \355\240\200 a surrogate\n' >surrogate.snl
    printf '// ends in the middle of a character \342\202' >cut_character.snl
    head -c 65536 "$SNLC" >binary.snl
    : >empty.snl
    printf '\n\n\n' >blank_lines.snl
    printf '\357\273\277field f32 x[4];\nkernel k() { x[0] = 1; }\n' >byte_order_mark.snl
    printf 'field f32 x[4];\r\nkernel k() { x[0] = 1; } // \r\ntest "t" { k(); assert(x[0] == 1); }\r\n' >crlf.snl
    printf 'field f32 x[4]; main { print("open' >string_at_end.snl
    printf 'main { print("open\\' >backslash_at_end.snl
    printf 'field f32 x[4]; /* never closed' >comment_at_end.snl
    printf 'field f32 x[4]; /' >slash_at_end.snl
    printf 'kernel k() {' >brace_at_end.snl
    printf 'field f32 x[' >bracket_at_end.snl
    printf 'const A = 1' >semicolon_missing.snl
    printf '0x' >number_at_end.snl
    { printf '/*'; repeat 2500000 'abc '; printf '*/ const A = 1;\n'; } >long_comment.snl
    { printf 'main { print("'; repeat 2500000 'abc '; printf '"); }\n'; } >long_string.snl
    { printf 'const '; repeat 2500000 'abcd'; printf ' = 1;\n'; } >long_name.snl
    { printf 'const A = '; repeat 2500000 '1234'; printf ';\n'; } >long_number.snl
    { printf 'const A = 0.'; repeat 100000 '1234'; printf ';\n'; } >long_float.snl
    { printf 'kernel k() { '; repeat 500000 'let a = undeclared; '; printf '}\n'; } >long_line.snl
    { printf 'field f32 x[4]; kernel k() { '; repeat 20000 'x[0] = x[1] + 1.0; '; printf '} test "t" { k(); }\n'; } >many_statements.snl
    awk 'BEGIN { for (i = 0; i < 20000; i++) print "field f32 x" i "[4];" }' >many_fields.snl
    awk 'BEGIN { for (i = 0; i < 5000; i++) print "kernel k" i "() { undeclared(); }" }' >many_errors.snl
    repeat 1000000 '}' >closing_braces.snl
    repeat 1000000 '@' >at_signs.snl
    repeat 300000 '\\' >backslashes.snl
    repeat 300000 '"' >quotes.snl
}

# Nests COUNT times: OPEN... MIDDLE CLOSE...
nest() { # NAME BEFORE OPEN MIDDLE CLOSE AFTER
    { printf '%s' "$2"; repeat $many "$3"; printf '%s' "$4"; repeat $many "$5"; printf '%s\n' "$6"; } >"$1.snl"
}

make_nests() {
    nest parentheses 'const A = ' '(' 1 ')' ';'
    nest open_parentheses 'const A = ' '(' '' '' ''
    nest minus_signs 'const A = ' '-' 1 '' ';'
    nest nots 'const A = ' '!' true '' ';'
    nest sums 'const A = ' '1+' 1 '' ';'
    nest sums_of_a_field 'field f32 x[4]; kernel k() { x[0] = ' 'x[1]+' '1.0' '' '; }'
    nest products_right 'const A = ' '1*(1+' 1 ')' ';'
    nest conditions 'const A = ' 'true?1:' 1 '' ';'
    nest conditions_left 'const A = ' 'true?' 1 ':1' ';'
    nest calls 'const A = ' 'abs(' 1 ')' ';'
    nest indices 'field i32 x[4]; kernel k() { x[0] = ' 'x[' 0 ']' '; }'
    nest subscripts 'field i32 x[4]; kernel k() { x' '[0]' ' = 1; ' '' '}'
    nest members 'field i32 x[4]; kernel k() { x' '.a' ' = 1; ' '' '}'
    nest casts 'field i32 x[4]; kernel k() { x[0] = ' 'i32(' 1 ')' '; }'
    nest blocks 'kernel k() { ' '{' ';' '}' '}'
    nest open_braces 'kernel k() ' '{' '' '' ''
    nest ifs 'kernel k(i32 a) { ' 'if (a > 0) {' '' '}' '}'
    nest else_ifs 'kernel k(i32 a) { if (a > 0) { } ' 'else if (a > 0) { } ' '' '' '}'
    nest whiles 'kernel k(i32 a) { ' 'while (a > 0) {' '' '}' '}'
    nest loops 'kernel k() { ' 'for i in 0..1 {' '' '}' '}'
    nest static_ifs 'kernel k() { ' 'static if (true) {' '' '}' '}'
    nest static_items '' 'static if (true) {' '' '}' ''
    nest static_fors '' 'static for l in 0..1 {' '' '}' ''
    nest nodes 'field f32 x; layout { ' 'dense i[1] {' 'place x;' '}' '}'
    nest open_nodes 'field f32 x; layout { ' 'dense i[2] {' 'place x;' '}' '}'
    nest lists 'const i32 A[4] = ' '{' 1 '}' ';'
    nest attributes '' '@packed ' 'layout { }' '' ''
    nest types 'kernel k(' 'typeof(' 1 ')' ' a) { }'
    nest type_words 'field f32' 'x2' ' x[4]' '' ';'
    nest typeofs 'kernel k() { ' 'typeof(' 1 ')' ' a = 1; }'
    nest axes 'field f32 x; layout { dense ' 'i' '[4] { place x; }' '' '}'
    nest dimensions 'field f32 x[' '1,' 1 '' '];'
    nest dots 'kernel k() { for i in 0' '..1' ' { } ' '' '}'
    nest names 'kernel k() { for a' ',a' ' in 0..1 { } ' '' '}'
    nest arguments 'const A = max(1' ',1' '' '' ');'
    nest parameters 'kernel k(i32 a' ', i32 a' ') { }' '' ''
    nest families 'field f32 x' '#(1' '' ')' ';'
}

# Programs that are right and deep enough to hurt a recursive compiler.
make_deep() {
    awk 'BEGIN { n = 450
        printf "field f32 x[4]; kernel k() { x[0] = "; for (i = 0; i < n; i++) printf "(1.0 + x[1] * "; printf "2.0"
        for (i = 0; i < n; i++) printf ")"; print "; } test \"t\" { k(); assert(x[0] == 1.0); }" }' >deep_expression.snl
    awk 'BEGIN { n = 300
        printf "field i32 x[4]; kernel k() { "; for (i = 0; i < n; i++) printf "{ if (x[1] == 0) { "; printf "x[0] = 1;"
        for (i = 0; i < n; i++) printf "} }"; print "} test \"t\" { k(); assert(x[0] == 1); }" }' >deep_blocks.snl
    awk 'BEGIN { n = 900
        printf "field i32 x[4]; kernel k(i32 a) { "; for (i = 0; i < n; i++) printf "if (a == %d) { x[0] = %d; } else ", i, i
        print "{ x[0] = -1; } } test \"t\" { k(899); assert(x[0] == 899); k(900); assert(x[0] == -1); }" }' >deep_else_if.snl
    awk 'BEGIN { n = 300
        for (i = n; i > 0; i--) printf "func i32 up%d(i32 a) { return up%d(a) + 1; }\n", i, i - 1
        print "func i32 up0(i32 a) { return a; }\nkernel i32 k() { return up" n "(0); } test \"t\" { assert(k() == " n "); }" }' >deep_calls.snl
    awk 'BEGIN { n = 300; print "const A0 = 1;"
        for (i = 1; i < n; i++) printf "const A%d = A%d + 1;\n", i, i - 1
        print "test \"t\" { assert(A" n - 1 " == " n "); }" }' >constants_up.snl
    awk 'BEGIN { n = 3000
        for (i = 0; i < n; i++) printf "const A%d = A%d + 1;\n", i, i + 1
        print "const A" n " = 1; test \"t\" { assert(A0 == " n + 1 "); }" }' >constants_down.snl
    awk 'BEGIN { n = 3000
        for (i = 0; i < n; i++) printf "struct S%d { S%d a; }\n", i, i + 1
        print "struct S" n " { i32 a; } field S0 x[4];" }' >structs_down.snl
    awk -v n=$many 'BEGIN { for (i = 0; i < n; i++) print "const A" i " = A" i + 1 " + 1;"; print "const A" n " = 1;" }' >constants_of_constants.snl
    awk -v n=$((many / 2)) 'BEGIN { for (i = 0; i < n; i++) print "func i32 f" i "(i32 a) { if (a > " i ") { return a; } return f" i + 1 "(a); }"
        print "func i32 f" n "(i32 a) { return a; } field i32 x[4]; kernel k() { for i in x { x[i] = f0(i); } }" }' >functions_of_functions.snl
    awk -v n=$many 'BEGIN { for (i = 0; i < n; i++) print "struct S" i " { S" i + 1 " a; }"; print "struct S" n " { i32 a; } field S0 x[4];" }' >structs_of_structs.snl
    awk 'BEGIN { n = 200
        printf "func add("; for (i = 0; i < n; i++) printf "%sinout i32 a%d", (i ? ", " : ""), i; printf ") { "
        for (i = 0; i < n; i++) printf "a%d += %d; ", i, i; printf "}\ntest \"t\" { "
        for (i = 0; i < n; i++) printf "i32 b%d = 1; ", i; printf "add("
        for (i = 0; i < n; i++) printf "%sb%d", (i ? ", " : ""), i; print "); assert(b0 == 1 && b199 == 200); }" }' >deep_arguments.snl
    printf 'func i32 f(i32 a) { if (a == 0) { return 0; } return f(a - 1) + 1; }\nkernel i32 k(i32 a) { return f(a); }\ntest "t" { assert(k(2000) == 2000); }\n' >recursion.snl
    awk 'BEGIN { n = 600
        printf "field i32 x[4]; kernel k() { "; for (i = 0; i < n; i++) printf "for a%d in 0..1 { ", i; printf "x[0] += 1;"
        for (i = 0; i < n; i++) printf " }"; print " } test \"t\" { k(); assert(x[0] == 1); }" }' >deep_loops.snl
    awk 'BEGIN { n = 100
        printf "field f32 x[2]; kernel k(i32 q) { x[1] = x[0] - "; for (i = 0; i < n; i++) printf "f32(i32(x[0] - "
        printf "f32(q)"; for (i = 0; i < n; i++) printf "))"; print "; } test \"t\" { k(3); assert(x[1] == -3.0); }" }' >deep_casts.snl
    printf 'func auto f(node b) { return 1; }\nkernel k() { let a = f(k); }\n' >node_of_a_kernel.snl
}

make_imports() {
    mkdir -p parts folder.snl
    printf 'import "b.snl";\nfield f32 x[4];\n' >parts/a.snl
    printf 'import "a.snl";\nfield f32 y[4];\n' >parts/b.snl
    printf 'import "parts/a.snl";\n' >import_cycle.snl
    printf 'import "import_self.snl";\n' >import_self.snl
    printf 'import "missing.snl";\n' >import_missing.snl
    printf 'import "folder.snl";\n' >import_folder.snl
    printf 'import "";\n' >import_nothing.snl
    printf 'import "/dev/null";\nconst A = 1;\n' >import_null.snl
    mkfifo pipe && printf 'import "pipe";\nconst A = 1;\n' >import_pipe.snl
    printf 'import "nul.snl";\n' >import_nul.snl
    awk 'BEGIN { for (i = 0; i < 500; i++) { f = "parts/chain" i ".snl"; printf "import \"chain%d.snl\";\nconst C%d = C%d + 1;\n", i + 1, i, i + 1 >f; close(f) }
        print "const C500 = 1;" >"parts/chain500.snl" }'
    printf 'import "parts/chain0.snl";\ntest "t" { assert(C0 == 501); }\n' >import_chain.snl
    awk 'BEGIN { for (i = 0; i < 200; i++) print "import \"parts/chain500.snl\";" }' >import_often.snl
}

# The statuses that differ from "errors are found".
wanted_status() { # NAME
    case $1 in
    empty | blank_lines | byte_order_mark | crlf | long_comment | long_string | long_name | long_float | many_statements | many_fields) echo 0 ;;
    deep_* | constants_up | import_chain | import_often | recursion) echo 0 ;;
    # Deep, but it may be right.
    constants_down | structs_down | else_ifs | parentheses | attributes | static_items | static_fors | axes) echo "0 1" ;;
    *) echo 1 ;;
    esac
}

make_texts
make_nests
make_deep
make_imports
set -- *.snl

# make fuzz compiles this only when somebody asks for it.
fuzz_target() { # NUMBER
    $TEST_CC -std=gnu11 -fsyntax-only -w -Werror=implicit-function-declaration -include config.h -I "$SNL_BUILD" -I "$SNL_BUILD/grammar" -I "$SNL_SOURCE" \
        -I "$SNL_SOURCE/src" -I "$SNL_SOURCE/runtime" -I "$SNL_SOURCE/grammar" -I "$SNL_SOURCE/tests/fuzz" "-DFUZZ_TARGET=$1" "$SNL_SOURCE/tests/fuzz/text.c" 2>log
    result $? "target $1 of text.c of make fuzz compiles" log
}

plan $(($# + 5))
for number in 0 1 2 3 4 5; do fuzz_target $number; done
for f; do
    if [ -d "$f" ]; then continue; fi
    check_file "$f" "$(wanted_status "${f%.snl}")"
done
