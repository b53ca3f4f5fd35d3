#!/bin/sh
# snlc fmt: meaning and comments stay, twice is as once, what is asked for is written and nothing else. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/fmt)
cd "$folder" || exit 1
plan 18

# Every program of the project that has no syntax errors, under one name each.
mkdir all
n=0
find "$SNL_SOURCE/tests/cases" "$SNL_SOURCE/samples" "$SNL_SOURCE/bench" -name '*.snl' | sort | while read -r f; do
    n=$((n + 1))
    if "$SNLC" compile --emit=ast "$f" >tree 2>/dev/null; then
        cp "$f" all/$n.snl
        mv tree all/$n.tree
    fi
done
test "$(ls all/*.snl | wc -l)" -ge 150
result $? "there are programs to format"

# The words of a comment in order, whatever lines they stand on.
comments() { sed 's/^[ \t]*//' "$1" | grep -o '//.*\|/\*.*' | sed 's/[ \t]*$//' | sort; }

mkdir kept
cp all/*.snl kept
"$SNLC" fmt all/*.snl >log 2>&1 && test ! -s log
result $? "fmt says nothing" log
for f in all/*.snl; do
    "$SNLC" compile --emit=ast "$f" 2>&1 | cmp - "${f%.snl}.tree" || echo "$f means something else"
    comments "$f" >have
    comments "kept/${f#all/}" | cmp - have || echo "$f has other comments"
done >log 2>&1
test ! -s log
result $? "the meaning and the comments stay" log

"$SNLC" fmt --check all/*.snl >log 2>&1 && test ! -s log
result $? "formatting twice is as formatting once" log

# Every token on a line of its own.
mkdir apart
for f in all/*.snl; do
    "$SNLC" compile --emit=tokens "$f" | sed 's/^[0-9:]* //' >"apart/${f#all/}"
done
"$SNLC" fmt apart/*.snl >log 2>&1
for f in apart/*.snl; do
    "$SNLC" compile --emit=ast "$f" 2>&1 | cmp - "all/$(basename "$f" .snl).tree"
    awk 'length($0) > 100 && /[,&|+]/ && !/"/' "$f"
done >>log 2>&1
"$SNLC" fmt --check apart/*.snl >>log 2>&1 && test ! -s log
result $? "a token a line becomes a program again" log

cat >wide.snl <<'SNL'
@packed   layout{dense i [ 4 ]{place x ;}} // cells
field f32 x;   // values
const  i32 T[ 2,2 ]={{1,2},
  {3,4}};


/* a comment
     of two lines */
func f32 energy_of_everything(f32 kinetic_energy, f32 potential_energy, f32 thermal_energy, f32 rest) { return kinetic_energy; }
kernel step( f32 dt )
{ // all cells

    for i in x
    { x[ i ]+=-dt*( x[ i ]-1.0 )/* relax */; if(x[i]>1.0){x[i]=1.0;} // above
      else if (!(x[i]>=-1.0)) { x[i] = - -1.0; } else {} }
    assert(x[0] > 0.0 && x[1] > 0.0 && x[2] > 0.0 && x[3] > 0.0, "a text that fills the line {}", x[0]);
    for i in 3..-1 step -1 { ; }
    // the end

}
SNL
cat >wanted <<'SNL'
@packed layout { dense i[4] { place x; } }  // cells
field f32 x;                                // values
const i32 T[2, 2] = { { 1, 2 },
                      { 3, 4 } };

/* a comment
     of two lines */
func f32 energy_of_everything(f32 kinetic_energy, f32 potential_energy, f32 thermal_energy,
                              f32 rest) {
    return kinetic_energy;
}
kernel step(f32 dt) {  // all cells
    for i in x {
        x[i] += -dt * (x[i] - 1.0) /* relax */;
        if (x[i] > 1.0) {
            x[i] = 1.0;
        } else if (!(x[i] >= -1.0)) {  // above
            x[i] = - -1.0;
        } else {}
    }
    assert(x[0] > 0.0 && x[1] > 0.0 && x[2] > 0.0 && x[3] > 0.0, "a text that fills the line {}",
           x[0]);
    for i in 3..-1 step -1 { ; }
    // the end
}
SNL
"$SNLC" fmt - <wide.snl >out 2>log && diff wanted out >>log
result $? "blanks, lines and comments are as documented" log

cat >long.snl <<'SNL'
func f32 around(field f32[,,] f, i32 i, i32 j, i32 k) {
    return f[i - 1, j, k] + f[i + 1, j, k] + f[i, j - 1, k] + f[i, j + 1, k] + f[i, j, k - 1] +
        f[i, j, k + 1];
}
func u8x3 color(i32 material) {
    return material == WATER ? u8x3(90, 170, 255)
        : material == JELLY ? u8x3(237, 85, 59) : u8x3(240, 240, 240);
}
SNL
# As one line each, it becomes the same lines again.
sed ':a; N; $!ba; s/\n  *\([^ r}]\)/ \1/g' long.snl >joined.snl
"$SNLC" fmt - <joined.snl >out 2>log && diff long.snl out >>log && ! cmp -s joined.snl long.snl
result $? "long lines end between operands and before the next choice, not inside of indices" log

"$SNLC" fmt --check "$SNL_SOURCE"/samples/*.snl "$SNL_SOURCE"/samples/*/*.snl "$SNL_SOURCE"/bench/*.snl >log 2>&1
result $? "the samples and benchmarks are in this form" log

cp wide.snl same.snl
"$SNLC" fmt --check same.snl >out 2>log
test $? = 1 && test "$(cat out)" = same.snl && cmp same.snl wide.snl >>log && "$SNLC" fmt --check - <wanted >>log 2>&1 &&
    test ! -s log
result $? "--check names the files that differ, status 1, and writes nothing" log

"$SNLC" fmt --diff same.snl >patch.txt 2>log && cmp same.snl wide.snl >>log && "$SNLC" fmt --diff - <wanted >none 2>>log &&
    test ! -s none
result $? "--diff writes nothing but the difference" log
if command -v patch >/dev/null 2>&1; then
    patch -s same.snl patch.txt >log 2>&1 && cmp same.snl wanted >>log 2>&1
    result $? "patch takes the difference" log
    printf 'const A=1;\nmain { print("{}", A); }' >open.snl
    "$SNLC" fmt --diff open.snl 2>log | patch -s open.snl >>log 2>&1 && "$SNLC" fmt --check open.snl >>log 2>&1
    result $? "also of a file whose last line has no end" log
else
    skip "patch takes the difference" "patch is missing"
    skip "also of a file whose last line has no end" "patch is missing"
fi
"$SNLC" fmt --check --diff wide.snl >out 2>&1
test $? = 1 && grep -q '^-field f32 x;   // values' out && grep -q '^+field f32 x;  *// values' out
result $? "--check --diff shows the difference with status 1" out

cp wide.snl real.snl
chmod 640 real.snl
ln -s real.snl link.snl
"$SNLC" fmt link.snl >log 2>&1 && cmp real.snl wanted >>log && test -L link.snl &&
    ls -l real.snl | grep -q '^-rw-r-----' && test "$(ls real.snl*)" = real.snl
result $? "a file is replaced behind links and keeps its mode" log
touch -t 202001010000 real.snl
ls -l --time-style=+%Y real.snl >before 2>/dev/null || ls -l real.snl >before
"$SNLC" fmt real.snl >log 2>&1
{ ls -l --time-style=+%Y real.snl 2>/dev/null || ls -l real.snl; } | cmp - before >>log && test ! -s log
result $? "a file in canonical form is not touched" log

printf 'kernel f( {\n  x = 1;\n' >bad.snl
cp bad.snl copy.snl
"$SNLC" fmt bad.snl wide.snl >out 2>log
test $? = 1 && cmp bad.snl copy.snl && grep -q 'bad.snl:1:11: error: .*E0105' log && test ! -s out && cmp wide.snl wanted
result $? "a file with syntax errors is reported and not touched, others are formatted" log

printf 'field f32   x[4];\n' >flags.snl
SNLC_FLAGS='--check=bounds -O2' "$SNLC" fmt flags.snl >log 2>&1 && echo 'field f32 x[4];' | diff - flags.snl >>log
result $? "--check of other commands in SNLC_FLAGS is not that of fmt" log

"$SNLC" fmt no-such.snl >out 2>log
first=$?
"$SNLC" fmt >>out 2>>log
test "$first $?" = "66 64" && test ! -s out && grep -q "cannot read 'no-such.snl'" log
result $? "files that are missing" log
