#!/bin/sh
# snlc layout of every kind of node: the report, the graph, the path to single elements, and elements that do not exist are as in
# tests/files/layout.txt; JSON and SVG are well-formed. UPDATE_GOLDEN=1 writes the file anew. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/layout)
cd "$folder" || exit 1
cp "$SNL_SOURCE/tests/files/layout.snl" .
golden=$SNL_SOURCE/tests/files/layout.txt

report() { # OPTION...
    echo "==== $*"
    "$SNLC" layout --color=never -Wno-W0401 "$@" layout.snl 2>&1
    echo "status $?"
}
{
    report --format=text
    report --packed
    report --format=dot
    for element in 'x[5,6]' 'v[31,31]' 'v[1,2].y' 'h[1999,2999]' 'bodies[3,299]' 'part[3].v.y' 'part[3].v' 'part[3]' 'ball[2]' 'ball[2].x' 'ball[2].x.y' 'row[0,1999]' 'bodies[1,2].at.z' 'item[39]' 'r#2[3]' 'run[5,8]' 'late[3]' 'apart[5,1]' 'flag[-8]' \
        'total' 'bodies[1,2].nosuch' 'r#9[3]' 'r#x[3]' 'flag[8]' 'nothing[1]' 'x[1]' 'x[1,2' 'x[a,b]' '' 'x[1,2].y' 'x[1,2] 3' \
        'x[99999999999999999999,1]'; do
        report "--at=$element"
    done
    for element in 'h[1999,2999]' 'bodies[3,299]' 'ball[2]' 'run[5,8]' 'late[3]' 'total' 'nothing[1]'; do
        report --format=json "--at=$element"
    done
    report --format=dot '--at=total'
} >report.txt
if [ "${UPDATE_GOLDEN-}" = 1 ]; then cp report.txt "$golden"; fi

plan 4
diff "$golden" report.txt >log 2>&1
result $? "reports" log
if command -v dot >/dev/null 2>&1; then
    "$SNLC" layout -q --format=dot layout.snl 2>log | dot -Tsvg >graph.svg 2>>log && grep -q '<svg' graph.svg
    result $? "graphviz draws the graph" log
else
    skip "graphviz draws the graph" "dot is missing"
fi
if [ -n "${XMLLINT-}" ]; then
    "$SNLC" layout -q --format=svg -o drawing.svg layout.snl 2>log && $XMLLINT --noout drawing.svg >>log 2>&1
    result $? "the drawing is XML" log
else
    skip "the drawing is XML" "xmllint is missing"
fi
if command -v python3 >/dev/null 2>&1; then
    "$SNLC" layout -q --format=json layout.snl 2>log | python3 -m json.tool >/dev/null 2>>log
    result $? "the JSON is JSON" log
else
    skip "the JSON is JSON" "python3 is missing"
fi
