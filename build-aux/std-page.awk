# snl-std(7) from the comments of share/snl/std/*.snl:
#     awk -f build-aux/std-page.awk -v head=man/snl-std.head FILE...
#
# The comment that opens a file is the text of its section. A func, kernel or host function behind a comment of its own is an
# entry, up to the line "// ---- inside ----". Lines of a comment that begin with two blanks are an example.
function end_example() {
    if (in_example)
        print ".Ed"
    in_example = 0
}

# One sentence a line, as mdoc has it.
function text(s) {
    gsub(/\\/, "\\e", s)
    gsub(/`/, "", s)
    sub(/^[.']/, "\\\\\\&&", s)
    while (match(s, /[A-Za-z0-9)\]]\. [A-Z]/)) {
        print substr(s, 1, RSTART + 1)
        s = substr(s, RSTART + 3)
    }
    return s
}

function write_comment(    i) {
    for (i = 1; i <= lines; i++) {
        if (comment[i] ~ /^  /) {
            if (!in_example)
                print ".Bd -literal -offset indent"
            in_example = 1
            print text(substr(comment[i], 3))
            continue
        }
        end_example()
        print comment[i] == "" ? ".Pp" : text(comment[i])
    }
    end_example()
}

function write_entry(    s) {
    s = signature
    sub(/ *\{.*/, "", s)
    gsub(/  +/, " ", s)
    if (!entries++)
        print ".Bl -tag -width Ds"
    gsub(/"/, "\\(dq", s)
    print ".It Li \"" s "\""
    write_comment()
}

# A signature ends where the body begins.
function end_signature() {
    if (signature !~ /\{/)
        return
    if (lines)
        write_entry()
    in_signature = lines = 0
}

function end_section() {
    if (entries)
        print ".El"
    entries = 0
}

BEGIN {
    while ((getline line < head) > 0)
        print line
}

FNR == 1 {
    end_section()
    name = FILENAME
    sub(/.*\//, "", name)
    print ".Ss std/" name
    opening = 1
    inside = lines = in_signature = 0
}

inside { next }

in_signature {
    sub(/^ +/, "")
    signature = signature " " $0
    end_signature()
    next
}

/^\/\/ ---- inside ----/ {
    inside = 1
    next
}

/^\/\// {
    sub(/^\/\/ ?/, "")
    comment[++lines] = $0
    next
}

/^(func|kernel|host) / {
    signature = $0
    in_signature = 1
    end_signature()
    next
}

opening && lines {
    write_comment()
    opening = 0
}

{ lines = 0 }

END {
    end_section()
    print ".Sh SEE ALSO"
    print ".Xr snlc 1 ,"
    print ".Xr snl 5"
}
