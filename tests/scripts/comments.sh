#!/bin/sh
# Comments before kernels, fields and params, or behind them on their line, reach the header, the manifest, --help and Python. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH CFLAGS
folder=$(fresh_folder scripts/comments)
cd "$folder" || exit 1

cat >told.snl <<'PROGRAM'
// The file itself.

// Pull of the earth: /* m/s^2 */ which is a long comment that goes on and on, over
// several lines.
param f32 g = 9.8;
param f32 dt = 0.1;  // seconds; a step
param i32 n = 4; param i32 m = 5;
param string out = "a; // b";  // where it goes
//~ not for people
param i32 none = 1;

/* Heights
 * of the water. */
@ambient(1.0)
field f32 x, y;
layout { pointer i[4] { place x, y; } }
/* field of nothing */ field i32 z[4];

// Adds what falls.
//
// Twice.
kernel step(f32 by) { for i in z { z[i] += n + m + none + i32(by + g + dt); } }
// Runs.
host run() { step(1.0); }
main { run(); print("{}", out); }
PROGRAM

header() {
    "$SNLC" compile -q told.snl && awk '
        /^typedef struct told_params/ { in_struct = 1 }
        /^\/\* (kernel,|host function,|field )/ { in_comment = 1 }
        in_struct || in_comment
        /^}/ { in_struct = 0 }
        /\*\/$/ { in_comment = 0 }' told.h >said || return 1
    diff - said <<'END'
typedef struct told_params {
    /* Pull of the earth: / * m/s^2 * / which is a long comment that goes on and on, over
     * several lines. */
    float g;
    /* seconds; a step */
    float dt;
    int32_t n;
    int32_t m;
    /* where it goes */
    const char *out;
    int32_t none;
} told_params;
/* kernel, told.snl:22
 * Adds what falls.
 *
 * Twice. */
/* host function, told.snl:24
 * Runs. */
/* field f32 x[4]
 * Heights
 * of the water. */
/* field f32 y[4]
 * Heights
 * of the water. */
/* field i32 z[4] */
END
}

help() { # MODE
    use_mode "$1"
    # shellcheck disable=SC2086
    "$snlc" run -q $how told.snl -- --help | sed -n '/^Parameters/,/^$/p' | diff - help.expected
}
cat >help.expected <<'END'
Parameters:
  --g=f32                 Pull of the earth: /* m/s^2 */ which is a long comment
                          that goes on and on, over several lines. (default 9.8)
  --dt=f32                seconds; a step (default 0.1)
  --n=i32                 (default 4)
  --m=i32                 (default 5)
  --out=string            where it goes (default "a; // b")
  --none=i32              (default 1)

END

manifest() {
    "$SNLC" compile -q --manifest=told.json told.snl && grep -o '"doc": .*"' told.json >said
    diff - said <<'END'
"doc": "Pull of the earth: /* m/s^2 */ which is a long comment that goes on and on, over\u000aseveral lines."
"doc": "seconds; a step"
"doc": "where it goes"
"doc": "Adds what falls.\u000a\u000aTwice."
"doc": "Runs."
"doc": "Heights\u000aof the water."
"doc": "Heights\u000aof the water."
END
}

python() {
    "$SNLC" build -q --kind=shared -O1 -o libtold.so --manifest=told.json told.snl || return 1
    PYTHONPATH=$SNL_SOURCE/share/python PYTHONDONTWRITEBYTECODE=1 python3 -c '
import snl
told = snl.load("told.json")
assert "Adds what falls.\n\nTwice." in told.step.__doc__, told.step.__doc__
assert "seconds; a step" in told.__doc__, told.__doc__
w = told()
assert w.x.__doc__ == "field f32 x\n\nHeights\nof the water.", w.x.__doc__
'
}

# A test is a function that prints what is wrong.
check() { # NAME FUNCTION [ARGUMENT]
    "$2" "${3-}" >log 2>&1
    [ $? = 0 ] && [ ! -s log ]
    result $? "$1" log
}

plan 5
check "the header" header
check "--help, interpreted" help interpret
case $CASE_MODES in
*c[0-9]*) check "--help" help c1 ;;
*) skip "--help" "this build has no C target" ;;
esac
check "the manifest" manifest
if python3 -c 'import numpy' 2>/dev/null; then check "Python" python; else skip "Python" "python3 or NumPy is missing"; fi
