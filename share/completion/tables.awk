# Reads the tables of commands, options, passes and diagnostics (*.def) for the scripts of the shells, which say what to write in emit():
#   awk -f tables.awk -f SHELL.awk commands.def options.def passes.def diags.def
#
#   commands, command[i], summary[name], letter[name]; warnings, errors, passes: lists separated by blanks
#   options, help[o], values[o], argument[o] (its name, "" if none); spellings[o], spelling[o, i], form[o, i]:
#     "none"     --tap           "equals"  --format=FORMAT    "maybe"  --check[=KINDS]
#     "next"     -MF FILE        "either"  -o FILE, -oFILE    "joined" -fPASS: the word goes on with the argument

# Splits "NAME(a, "b, c", d)" into row[1] ...; texts without their quotes, NULL as nothing.
function split_row(line,    c, i, text, inside) {
    rows = 0
    sub(/^[A-Z]+\(/, "", line)
    sub(/\)[ \t]*$/, "", line)
    for (i = 1; i <= length(line) + 1; i++) {
        c = substr(line, i, 1)
        if (c == "\\" && inside) { text = text substr(line, ++i, 1); continue }
        if (c == "\"" ) { inside = !inside; continue }
        if ((c == "," && !inside) || c == "") {
            gsub(/^[ \t]+|[ \t]+$/, "", text)
            row[++rows] = text == "NULL" ? "" : text
            text = ""
            continue
        }
        text = text c
    }
}

function add_spelling(o, word, how) {
    spelling[o, ++spellings[o]] = word
    form[o, spellings[o]] = how
}

# The words of "-o, --output=FILE", "-Xcc ARG, -Xnvcc ARG", "-W[no-]CODE, -Werror[=CODE]" ...
function read_show(o, show,    part, n, i, p, at, takes) {
    n = split(show, part, /, */)
    takes = show ~ /--[a-z-]+=/
    for (i = 1; i <= n; i++) {
        p = part[i]
        gsub(/^ +| +$/, "", p)
        if (p ~ /^--/) {
            at = match(p, /[=[]/)
            if (!at) { add_spelling(o, p, "none"); continue }
            argument[o] = substr(p, at)
            gsub(/[]=[]/, "", argument[o])
            add_spelling(o, substr(p, 1, at - 1), substr(p, at, 1) == "[" ? "maybe" : "equals")
        } else if (p ~ /^-[A-Z] /) { # -I DIR
            argument[o] = substr(p, 4)
            add_spelling(o, substr(p, 1, 2), "either")
        } else if ((at = index(p, " "))) { # -MF FILE
            argument[o] = substr(p, at + 1)
            add_spelling(o, substr(p, 1, at - 1), "next")
        } else if (p ~ /^-f[A-Z]/ || p ~ /^-fno-[A-Z]/) {
            argument[o] = "NAME"
            sub(/[A-Z]+$/, "", p)
            add_spelling(o, p, "joined")
        } else if (p == "-W[no-]CODE") {
            argument[o] = "CODE"
            add_spelling(o, "-W", "joined")
            add_spelling(o, "-Wno-", "joined")
        } else if (p == "-Werror[=CODE]") {
            add_spelling(o, "-Werror", "none")
            add_spelling(o, "-Werror=", "joined")
        } else if ((at = index(p, "="))) { # -ffile-prefix-map=OLD=NEW
            argument[o] = substr(p, at + 1)
            add_spelling(o, substr(p, 1, at), "joined")
        } else
            add_spelling(o, p, takes ? "either" : "none")
    }
}

# True when a command takes an option.
function applies(o, name) {
    return letters[o] == "*" || (letter[name] != " " && index(letters[o], letter[name]))
}

# The values of an option with the names of tables replaced; "@files", "@folders" and "@programs" stay.
function words_of(o,    text) {
    text = values[o]
    sub(/@passes/, passes, text)
    sub(/@warnings/, warnings, text)
    return text
}

/^COMMAND\(/ {
    split_row($0)
    name = row[3]
    command[++commands] = name
    letter[name] = substr(row[2], 2, 1)
    takes_file[name] = row[5] ~ /FILE/
    summary[name] = row[6]
}
/^OPTION\(/ {
    split_row($0)
    o = ++options
    letters[o] = row[4]
    values[o] = row[5]
    help[o] = row[6]
    read_show(o, row[3])
}
/^PASS\(/ {
    split_row($0)
    if (row[2] == "NO") passes = passes (passes ? " " : "") row[1]
}
/^DIAG\(/ {
    split_row($0)
    codes = codes (codes ? " " : "") row[1]
    if (row[1] ~ /^W/) warnings = warnings (warnings ? " " : "") row[1]
}
END { emit() }
