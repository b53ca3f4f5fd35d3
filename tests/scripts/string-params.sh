#!/bin/sh
# String params in the C interface: an object keeps copies, all memory comes from and goes back to the caller's allocator, and what
# cannot be is a status with a message. Also --help of executables. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT
folder=$(fresh_folder scripts/string-params)
cd "$folder" || exit 1

cat >files.snl <<'END'
param string input = "a \"b\".npy";
param string output = "out.npy";
param string int = "";
param f32 dt = 1e-3;
param i32x2 size = i32x2(3, -4);
host tell() { print("{}|{}|{}", input, output, int); }
main { tell(); }
END

cat >main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

/* Counts what is out; fails once `left` blocks were given. */
typedef struct {
    int out, left;
} Budget;

static void *
give(void *ctx, size_t bytes, size_t align)
{
    Budget *b = ctx;
    void *p = NULL;
    if (b->left-- <= 0 || posix_memalign(&p, align, bytes))
        return NULL;
    memset(p, 0x5a, bytes);
    b->out++;
    return p;
}

static void
take(void *ctx, void *p, size_t bytes)
{
    Budget *b = ctx;
    memset(p, 0xa5, bytes);
    b->out--;
    free(p);
}

static void
show(const char *what, snl_status status, files *f, const Budget *b)
{
    const char *name = status == SNL_OK ? "fine" : status == SNL_EINVAL ? "EINVAL" : status == SNL_ENOMEM ? "ENOMEM" : "other";
    printf("%s: %s '%s'\n", what, name, f ? files_message(f) : "");
    if (f && status == SNL_OK)
        files_tell(f);
    fflush(stdout);
    files_destroy(f);
    if (b->out)
        printf("%d blocks are out\n", b->out);
}

int
main(void)
{
    Budget budget = {0, 1000};
    snl_options options = {0};
    files *f, *g;
    files_params p = files_params_default();
    char *input = strdup("from the heap.npy"), output[] = "from the stack.npy";
    snl_status status;
    options.allocator.alloc = give;
    options.allocator.release = take;
    options.allocator.ctx = &budget;
    printf("%s|%s|%s\n", p.input, p.output, p.int_);

    p.input = input;
    p.output = output;
    status = files_create_with(&p, &options, &f);
    memset(input, '#', strlen(input));
    memset(output, '#', strlen(output));
    free(input);
    show("copies", status, f, &budget);

    status = files_create_with(NULL, &options, &f);
    show("defaults", status, f, &budget);

    p = files_params_default();
    p.output = NULL;
    status = files_create_with(&p, &options, &f);
    show("NULL", status, f, &budget);

    p = files_params_default();
    options.memory_limit = 40;
    status = files_create_with(&p, &options, &f);
    show("limit", status, f, &budget);
    options.memory_limit = 0;

    for (int left = 0; left < 3; left++) {
        budget.left = left;
        status = files_create_with(&p, &options, &f);
        show("few blocks", status, f, &budget);
    }

    p.input = "one";
    files_create(&p, &f);
    p.input = "two";
    files_create(&p, &g);
    files_tell(f);
    files_tell(g);
    files_destroy(f);
    files_destroy(g);
    return 0;
}
END

cat >expected <<'END'
a "b".npy|out.npy|
copies: fine ''
from the heap.npy|from the stack.npy|
defaults: fine ''
a "b".npy|out.npy|
NULL: EINVAL 'param 'output' is NULL'
limit: ENOMEM 'out of memory: a string of the params needs N bytes, 0 of the limit of 40 are in use'
few blocks: ENOMEM ''
few blocks: ENOMEM 'out of memory: a string of the params needs N bytes, 0 are in use'
few blocks: fine ''
a "b".npy|out.npy|
one|out.npy|
two|out.npy|
END

# The bytes depend on the machine.
check_interface() { # MODE COMPILER-FLAGS...
    use_mode "$1"
    shift
    "$snlc" compile -o files.c files.snl || return 1
    # shellcheck disable=SC2046
    $TEST_CC -std=gnu11 -Wall -Wextra -Werror "$@" $("$snlc" config --cflags) -o main main.c files.c $("$snlc" config --libs) || return 1
    ASAN_OPTIONS=detect_leaks=1 ./main >output || return 1
    sed "s/needs [0-9]* bytes/needs N bytes/" output | diff expected -
}

check_help() { # MODE
    use_mode "$1"
    # shellcheck disable=SC2086
    $under "$snlc" run $how files.snl -- --help >help || return 1
    sed -n '/^Parameters/,/^$/p' help | diff - help.expected
}

cat >help.expected <<'END'
Parameters:
  --input=string          (default "a "b".npy")
  --output=string         (default "out.npy")
  --int=string            (default "")
  --dt=f32                (default 0.001)
  --size=i32x2            (default 3,-4)

END

interface=
for mode in $CASE_MODES; do
    case $mode in c[0-9]*-*) ;; c[0-9]*) interface=$mode ;; esac
done
plan $(($(echo "$CASE_MODES" | wc -w) + 1))
for mode in $CASE_MODES; do
    (check_help "$mode") >log 2>&1
    result $? "--help ($mode)" log
done
if [ -n "$interface" ]; then
    (check_interface "$interface" -O1) >log 2>&1
    result $? "the C interface" log
else
    skip "the C interface" "only the interpreter is tested"
fi
