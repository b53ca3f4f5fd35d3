#!/bin/sh
# Compiled programs in Python, through share/python/snl.py. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH CFLAGS
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
python3 -c 'import numpy' 2>/dev/null || skip_all "python3 or NumPy is missing"
folder=$(fresh_folder scripts/python)
cd "$folder" || exit 1
files=$SNL_SOURCE/tests/files
PYTHONPATH=$SNL_SOURCE/share/python:$folder PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=2
export PYTHONPATH PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS

plan 5
{
    "$SNLC" build -q -Wno-W0401 -O1 --kind=shared -o libmodule.so --manifest=module.json "$files/module.snl" &&
        "$SNLC" compile -q -Wno-W0401 --prefix=module_module --manifest=other.json -o other.c "$files/module.snl" &&
        "$SNLC" build -q -Wno-W0401 -O1 --kind=shared --prefix=module_module -o libother.so "$files/module.snl" &&
        python3 -m snl other.json libother.so
} >log 2>&1
result $? "a library, its manifest and its module" log
python3 "$files/module.py" "$files/module.snl" >log 2>&1
result $? "kernels, fields and views from Python" log
echo '{' >cut.json
{
    for f in missing.json cut.json; do
        python3 -m snl $f && echo "$f is taken"
        python3 -m snl $f 2>&1 | grep -x "snl: $f: .*" || echo "$f: no message"
    done
} >out 2>log
! grep -q "Traceback" log && ! grep -q "taken\|no message" out
result $? "manifests that are none" log
mkdir apart && cp "$files/views.snl" apart
(cd apart && XDG_CACHE_HOME=$folder/cache python3 "$files/views.py" views.snl) >log 2>&1
result $? "params, components, activity, views that end, the cache" log
{
    "$SNLC" build -q -Wno-W0401 -O1 --kind=shared --prefix=shown -o libshown.so --manifest=shown.json "$files/views.snl" && python3 -m snl shown.json &&
        python3 -c 'import ast; tree = ast.parse(open("shown.pyi").read()); assert any(isinstance(t, ast.ClassDef) and t.name == "shown" for t in tree.body)' &&
        grep -q "def add(self, from_: float, self_: float, list: npt.ArrayLike) -> float:" shown.pyi && grep -q "def speed(self, value: Literal\['slow', 'fast'\]) -> None" shown.pyi
} >log 2>&1
result $? "types for editors: NAME.pyi" log
