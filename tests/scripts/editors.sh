#!/bin/sh
# Grammars for VS Code and tree-sitter: their words are those of the tables, and tree-sitter's language is that of the parser. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/editors)
cd "$folder" || exit 1
made=$SNL_BUILD/share
plan 7

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

    recognise="node $SNL_SOURCE/tests/tree-sitter/recognise.js $made/tree-sitter/grammar.js"
    $recognise "$SNL_SOURCE"/samples/*.snl "$SNL_SOURCE"/samples/*/*.snl "$SNL_SOURCE"/tests/cases/lang_*.snl >log 2>&1
    result $? "the tree-sitter grammar derives the samples" log

    # Files in which the parser finds syntax errors; the grammar must not derive them.
    for f in "$SNL_SOURCE"/tests/cases/errors/fix_*.snl; do
        grep -q '//~ E0105' "$f" || continue
        if "$SNLC" fmt - <"$f" >/dev/null 2>&1; then continue; fi
        if $recognise "$f" >/dev/null 2>&1; then echo "$f is derived"; fi
    done >log
    test ! -s log
    result $? "the tree-sitter grammar does not derive syntax errors" log
else
    for name in "the files of VS Code are JSON with expressions that can be read" "the tree-sitter grammar derives the samples" \
        "the tree-sitter grammar does not derive syntax errors"; do skip "$name" "node is missing"; done
fi

if command -v tree-sitter >/dev/null 2>&1; then
    cp -R "$made/tree-sitter" grammar
    (cd grammar && tree-sitter generate && tree-sitter parse -q "$SNL_SOURCE"/samples/*.snl) >log 2>&1
    result $? "tree-sitter makes a parser, which reads the samples" log
else
    skip "tree-sitter makes a parser, which reads the samples" "tree-sitter is missing"
fi
