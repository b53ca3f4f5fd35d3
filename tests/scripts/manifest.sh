#!/bin/sh
# The manifest: valid JSON, as the schema says, and in step with the header: tests/scripts/manifest.sh. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
folder=$(fresh_folder scripts/manifest)
cd "$folder" || exit 1
schema=$SNL_SOURCE/doc/manifest.schema.json
python=no
if command -v python3 >/dev/null 2>&1; then python=yes; fi
if [ "$python" = yes ] && python3 -c 'import jsonschema' 2>/dev/null; then python=schema; fi

# True for a JSON text: what is inside of brackets becomes one letter, again and again, until one is left.
is_json_by_awk() { # FILE
    awk '{ text = text $0 "\n" }
        END {
            gsub(/"([^"\\\n]|\\.)*"/, "s", text)
            gsub(/-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null/, "v", text)
            gsub(/[ \n]/, "", text)
            do {
                n = gsub(/\[\]|\[[sv](,[sv])*\]/, "v", text)
                n += gsub(/\{\}|\{s:[sv](,s:[sv])*\}/, "v", text)
            } while (n)
            exit text != "v"
        }' "$1"
}

# Valid, and as the schema says where that can be checked.
check_json() { # FILE
    is_json_by_awk "$1" || { echo "$1 is no JSON (awk)"; return 1; }
    case $python in
    no) return 0 ;;
    yes) python3 -m json.tool "$1" /dev/null ;;
    schema) python3 -c '
import json, sys
import jsonschema
schema, manifest = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
errors = list(jsonschema.Draft202012Validator(schema).iter_errors(manifest))
for error in errors: print("/".join(map(str, error.absolute_path)), error.message)
sys.exit(bool(errors))' "$schema" "$1" ;;
    esac
}

# Every function of the C interface that the manifest names is declared in the header.
check_prototypes() { # MANIFEST HEADER
    sed -n 's/^ *"prototype": "\(.*\)",$/\1;/p' "$1" >prototypes.txt
    tr -s '\n ' '  ' <"$2" >one-line.txt # long ones go over several lines
    while IFS= read -r line; do
        grep -qF "$line" one-line.txt || { echo "$2 has no '$line'"; return 1; }
    done <prototypes.txt
    sed -n 's/^ *"c_name": "\([^"]*\)",$/\1/p' "$1" | while IFS= read -r name; do
        grep -qw "$name\|[a-z_]*_$name" "$2" || { echo "$2 has no '$name'"; exit 1; }
    done
}

check_case() { # FILE
    name=$(basename "$1" .snl)
    "$SNLC" compile -o "$name.c" --manifest="$name.json" "$1" 2>&1 || return 1
    check_json "$name.json" && check_prototypes "$name.json" "$name.h" || return 1
    if grep -n "$SNL_SOURCE" "$name.json"; then echo "a path is in the manifest"; return 1; fi
    "$SNLC" compile -o "$name.c" --manifest=again.json "$1" 2>&1 && cmp "$name.json" again.json
}

cat >small.snl <<'END'
param f32 dt = 1e-3;
param i32x2 size = i32x2(3, -4);
param f64 far = INF;
param string path = "a \"b\".npy";
struct Particle { f32x3 pos; f32 mass; }
field Particle p;
@boundary(clamp) @ambient(2.5) field f32 s;
field i64 total;
layout grid { @offset(-8) b: pointer i[4] { dense i[6] { place s; } } }
layout { dense j[size.x] { place p; } place total; }
kernel f32 sum(f32[] a) { f32 t = 0; for i in s { t += s[i] + a[1]; } return t; }
host step(i32 n) { p[0].mass = f32(n); }
END

cat >expected.txt <<'END'
    "header": "small.h",
            "default": [0.001],
            "default": [3, -4],
            "default": ["inf"],
            "type": "string",
            "c_type": "const char *",
            "default": "a \"b\".npy",
            "c_name": "small_Particle",
                {"name": "mass", "c_name": "mass", "type": "f32", "c_type": "float", "offset": 12}
                {"name": "a", "type": "f32[]", "c_type": "float", "dimensions": 1, "written": false}
            "result": {"type": "f32", "c_type": "float"},
                    "kind": "struct_for",
                    "reductions": [{"variable": "t", "operation": "add"}],
                    "reads": ["s"],
                {"name": "n", "type": "i32", "c_type": "int32_t"}
            "result": null
            "extents": [null],
            "extents": [24],
            "offsets": [-8],
            "sparse": true,
            "boundary": "clamp",
            "ambient": [2.5],
            "extents": [],
            "name": "grid",
                    "kind": "pointer",
                    "label": "b",
                    "stored": [4],
                    "stored": [8],
            "root_bytes": 8,
                        {"field": "p", "first_scalar": 0, "scalars": 4, "type": "Particle", "offset": 0, "bytes": 16}
END

# What the manifest of a known program says, in any order.
check_small() {
    check_case small.snl || return 1
    while IFS= read -r line; do
        grep -qxF -e "$line" -e "$line," -e "${line%,}" small.json || { echo "no line '$line'"; return 1; }
    done <expected.txt
}

check_wrong() { # TEXT
    printf '%s\n' "$1" >wrong.json
    if is_json_by_awk wrong.json; then echo "'$1' passes for JSON"; return 1; fi
}

check_checker() {
    check_wrong '{"a": 1,}' && check_wrong '[1 2' && check_wrong '{"a" 1}' && check_wrong '["a' && check_wrong '[1]]' || return 1
    printf '{"a": [1, -2.5e-3, {"b\\"": null}], "c": {}}\n' >right.json
    is_json_by_awk right.json
}

set -- layout/addresses sparse/bitmasked_nodes lists/dynamic_nodes language/functions hash/hash_nodes \
    language/kernels language/lang_generics language/lang_static language/lang_structs matrices/matrices \
    layout/offsets sparse/seed_sparse_tree host/seed_trees_at_run_time programs/seed_wave
plan $(($# + 3))
check_checker >log 2>&1; result $? "the checker of JSON" log
is_json_by_awk "$schema" >log 2>&1; result $? "the schema is JSON" log
check_small >log 2>&1; result $? "a known program" log
for name; do
    check_case "$SNL_SOURCE/tests/cases/$name.snl" >log 2>&1; result $? "$name" log
done
