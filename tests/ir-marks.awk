# Compares printed IR with the marks of a case: awk -f ir-marks.awk CASE.snl IR. Prints what does not hold, and fails then.
#
#   //~ ir: TEXT            the IR of the kernel or function above has TEXT, behind what the mark before it has found there
#   //~ ir-not: TEXT        the IR of the kernel or function above has TEXT nowhere
#   //~ ir-times N: TEXT    the IR of the kernel or function above has TEXT N times
#
# Where several stages are printed the last one counts. Numbers of values and variables do not: "$12 = load $3" is "$ = load $",
# and "i.0" is "i".

function plain(text,    out) {
    gsub(/\$[0-9]+/, "$", text)
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*\.[0-9]+/)) {
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART, RLENGTH) SUBSEP substr(text, RSTART + RLENGTH)
        sub(/\.[0-9]+/, "", text)
        out = out substr(text, 1, index(text, SUBSEP) - 1)
        text = substr(text, index(text, SUBSEP) + 1)
    }
    return out text
}

# The name in "kernel f32 name(i32 n)" and in "kernel f32 name".
function name_of(line) {
    sub(/ *[({].*/, "", line)
    sub(/.* /, "", line)
    return line
}
function times(text, part,    n, at) {
    while ((at = index(text, part))) {
        n++
        text = substr(text, at + length(part))
    }
    return n + 0
}
function wrong(text) { print FILENAME ":" FNR ": " name ": " text; failed = 1 }

BEGIN { case_file = ARGV[1]; ARGV[1] = ARGV[2]; ARGV[2] = case_file }
FILENAME != case_file && /^(kernel|func) / {
    name = name_of($0)
    ir[name] = ""
}
FILENAME != case_file {
    sub(/^ +/, "")
    if (name != "") ir[name] = ir[name] "\n" plain($0)
    next
}
FNR == 1 { name = "" }
/^(@[a-z_]+ )?(kernel|func) / { name = name_of($0); rest = ir[name] }
/\/\/~ ir/ && !/\/\/~ ir(-not|-times [0-9]+)?: [^ ]/ { wrong("a mark that is none: " $0) }
match($0, /\/\/~ ir(-not|-times [0-9]+)?: /) {
    split(substr($0, RSTART, RLENGTH), word, /[ :]/)
    text = plain(substr($0, RSTART + RLENGTH))
    sub(/ +$/, "", text)
    count++
    if (!(name in ir)) wrong("no IR is printed")
    else if (word[2] == "ir") {
        at = index(rest, text)
        if (!at) wrong("there is no '" text "'" (index(ir[name], text) ? " behind what the mark before it found" : ""))
        else rest = substr(rest, at + length(text))
    } else {
        wanted = word[2] == "ir-not" ? 0 : word[3]
        found = times(ir[name], text)
        if (found != wanted) wrong("'" text "' is there " found " times, not " wanted)
    }
}
END {
    if (!count) { print case_file ": no mark says what is printed"; failed = 1 }
    exit failed
}
