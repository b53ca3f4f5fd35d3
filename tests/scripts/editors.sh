#!/bin/sh
# Grammars for VS Code and tree-sitter: their words are those of the tables, and tree-sitter's language is that of the parser. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/editors)
cd "$folder" || exit 1
made=$SNL_BUILD/share
plan 8

words() { # KIND FILE...
    kind=$1
    shift
    sed -n "s/^\\($kind\\)([^\"]*\"\\([a-z0-9_]*\\)\".*/\\2/p" "$@" | sort -u
}
words 'KEYWORD\|SCALAR\|NODE\|BUILTIN\|SPECIAL\|ATTRIBUTE' "$SNL_SOURCE"/src/ast/*.def "$SNL_SOURCE"/src/check/*.def >all
words KEYWORD "$SNL_SOURCE/src/ast/keywords.def" >keywords
words 'SCALAR\|NODE' "$SNL_SOURCE"/src/ast/types.def "$SNL_SOURCE"/src/ast/nodes.def >kinds

while read -r w; do grep -qw -e "$w" "$made/vscode/syntaxes/snl.tmLanguage.json" || echo "VS Code lacks $w"; done <all >log
grep -n '@[A-Z]*@' "$made/vscode/syntaxes/snl.tmLanguage.json" >>log
test "$(wc -l <all)" -ge 100 && test ! -s log
result $? "VS Code's grammar knows every word of the language" log

# A keyword is a text in a rule, and has a colour.
while read -r w; do
    grep -q "'$w'" "$made/tree-sitter/grammar.js" || echo "the tree-sitter grammar lacks $w"
    case $w in true | false | auto) ;; *) grep -q "\"$w\"" "$made/tree-sitter/queries/highlights.scm" || echo "$w has no colour" ;; esac
done <keywords >log
while read -r w; do grep -qw -e "$w" "$made/tree-sitter/grammar.js" || echo "the tree-sitter grammar lacks $w"; done <kinds >>log
while read -r w; do
    grep -qw -e "$w" keywords kinds "$made/tree-sitter/queries/highlights.scm" || echo "$w has no colour"
done <all >>log
grep -n '@[A-Z]*@' "$made/tree-sitter/grammar.js" "$made/tree-sitter/queries/highlights.scm" >>log
test "$(wc -l <keywords)" -ge 30 && test ! -s log
result $? "the tree-sitter grammar knows every word of the language" log

# Every kind of thing that the colours name is a rule.
sed 's/^;.*//; s/"[^"]*"//g' "$made/tree-sitter/queries/highlights.scm" | grep -o '([a-z_][a-z_]*' | tr -d '(' | sort -u | while read -r rule; do
    grep -q "^    $rule: " "$made/tree-sitter/grammar.js" || echo "there is no rule $rule"
done >log
test ! -s log
result $? "the colours of tree-sitter are of rules of the grammar" log

if command -v node >/dev/null 2>&1; then
    for f in "$made/vscode/syntaxes/snl.tmLanguage.json" "$SNL_SOURCE/share/vscode/package.json" \
        "$SNL_SOURCE/share/vscode/language-configuration.json" "$SNL_SOURCE/share/tree-sitter/package.json"; do
        node -e 'JSON.parse(require("fs").readFileSync(process.argv[1]))' "$f" || echo "$f"
    done >log 2>&1
    node -e 'for (const m of require("fs").readFileSync(process.argv[1], "utf8").matchAll(/"match": "(.*)"/g)) new RegExp(JSON.parse(`"${m[1]}"`))' \
        "$made/vscode/syntaxes/snl.tmLanguage.json" >>log 2>&1
    test ! -s log
    result $? "the files of VS Code are JSON with expressions that can be read" log

    cat >colours.snl <<'SNL'
@packed layout { b: pointer ij[8, 0x10] { place x; } }   // "no string" /* no comment
/* two
lines */ param f32x3 s = 1.5e-3f32;
func f32x2 point(i32 pointer) { return f32x2(PI, .5); }
kernel go() { for i in 0..4 step 2 { print("{:.3f} // \"{}\n", x[i] << 1); } }
SNL
    cat >wanted <<'END'
1 storage.modifier.attribute @packed
1 keyword layout
1 support.type.node pointer
1 constant.numeric 8
1 constant.numeric 0x10
1 keyword place
1 comment.line.double-slash // "no string" /* no comment
2 comment.block /* two
3 comment.block lines */
3 keyword param
3 storage.type f32x3
3 keyword.operator =
3 constant.numeric 1.5e-3f32
4 keyword func
4 storage.type f32x2
4 entity.name.function point
4 storage.type i32
4 keyword.control return
4 storage.type f32x2
4 constant.language PI
4 constant.numeric .5
5 keyword kernel
5 entity.name.function go
5 keyword.control for
5 keyword.control in
5 constant.numeric 0
5 keyword.operator ..
5 constant.numeric 4
5 keyword.control step
5 constant.numeric 2
5 support.function print
5 string.quoted.double "{:.3f} // \"{}\n"
5 constant.other.placeholder {:.3f}
5 constant.character.escape \"
5 constant.other.placeholder {}
5 constant.character.escape \n
5 keyword.operator <<
5 constant.numeric 1
END
    node "$SNL_SOURCE/tests/files/textmate.js" "$made/vscode/syntaxes/snl.tmLanguage.json" colours.snl 2>&1 | diff wanted - >log
    result $? "VS Code's grammar colours a program" log

    recognise="node $SNL_SOURCE/tests/tree-sitter/recognise.js $made/tree-sitter/grammar.js"
    $recognise "$SNL_SOURCE"/samples/*.snl "$SNL_SOURCE"/samples/*/*.snl "$SNL_SOURCE"/tests/cases/*/lang_*.snl >log 2>&1
    result $? "the tree-sitter grammar derives the samples" log

    # Files in which the parser finds syntax errors; the grammar must not derive them.
    for f in "$SNL_SOURCE"/tests/cases/errors/*/fix_*.snl; do
        grep -q '//~ E0105' "$f" || continue
        if "$SNLC" fmt - <"$f" >/dev/null 2>&1; then continue; fi
        if $recognise "$f" >/dev/null 2>&1; then echo "$f is derived"; fi
    done >log
    test ! -s log
    result $? "the tree-sitter grammar does not derive syntax errors" log
else
    for name in "the files of VS Code are JSON with expressions that can be read" "VS Code's grammar colours a program" "the tree-sitter grammar derives the samples" \
        "the tree-sitter grammar does not derive syntax errors"; do skip "$name" "node is missing"; done
fi

# tree-sitter's own parser, of every program of the source tree: errors where the parser of snlc finds them, and nowhere else. What
# is left to the scanner of snlc (characters outside of ASCII, sizes of types) is no matter of the grammar.
real_parser() {
    cp -R "$made/tree-sitter" grammar && cp "$SNL_SOURCE/tests/tree-sitter/parse.c" grammar || return 1
    (cd grammar && tree-sitter generate) || return 1
    # shellcheck disable=SC2046
    (cd grammar && $TEST_CC -w -O1 -Isrc src/parser.c parse.c $(pkg-config --cflags --libs tree-sitter) -o parse) || return 1
    find "$SNL_SOURCE/samples" "$SNL_SOURCE/bench" "$SNL_SOURCE/tests/cases" -name '*.snl' | sort >programs
    while read -r f; do
        if "$SNLC" fmt - <"$f" >formatted 2>&1; then echo "$f"; fi
    done <programs >right
    printf 'main { print("a\\n\\"b\\" {}", 1); }\n' >escape.snl
    # shellcheck disable=SC2046
    grammar/parse grammar/queries/highlights.scm escape.snl $(cat right) || return 1
    comm -23 programs right | grep -v '/codes_\(bytes\|types\)\.snl$' >wrong
    while read -r f; do
        grammar/parse grammar/queries/highlights.scm "$f" | grep -q "^$f:[0-9]*: error" || { echo "$f is read without errors"; return 1; }
    done <wrong
    [ "$(wc -l <right)" -ge 200 ] && [ "$(wc -l <wrong)" -ge 30 ]
}
name="tree-sitter reads every program, and colours it"
if ! command -v tree-sitter >/dev/null 2>&1; then
    skip "$name" "the command tree-sitter is missing"
elif ! pkg-config --exists tree-sitter 2>/dev/null; then
    skip "$name" "libtree-sitter is missing"
else
    real_parser >log 2>&1
    result $? "$name" log
fi
