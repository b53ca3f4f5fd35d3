# Fills the lists of words of the language into a template:
#   awk -f words.awk keywords.def types.def nodes.def builtins.def specials.def attributes.def TEMPLATE
# @KEYWORDS@, @TYPES@, @NODES@, @BUILTINS@, @ATTRIBUTES@ become words between blanks, or what `between` is; quote=yes puts each in
# double quotes. @QNODES@ are quoted and between commas in any case.
BEGIN { if (between == "") between = " " }
function add(list, word) { words[list] = words[list] (words[list] ? between : "") (quote == "yes" ? "\"" word "\"" : word) }

# The text between the first two double quotes.
function text(line) {
    sub(/^[^"]*"/, "", line)
    sub(/".*/, "", line)
    return line
}

FNR == 1 { template = FILENAME !~ /\.def$/ }
template {
    for (list in words) {
        at = index($0, "@" list "@")
        if (at) $0 = substr($0, 1, at - 1) words[list] substr($0, at + length(list) + 2)
    }
    print
    next
}
/^KEYWORD\(/ { add("KEYWORDS", text($0)) }
/^SCALAR\(/ { add("TYPES", text($0)) }
/^NODE\(/ {
    add("NODES", text($0))
    words["QNODES"] = words["QNODES"] (words["QNODES"] ? ", " : "") "'" text($0) "'"
}
/^BUILTIN\(/ { add("BUILTINS", text($0)) }
/^SPECIAL\(/ { add("BUILTINS", text($0)) }
/^ATTRIBUTE\(/ { add("ATTRIBUTES", text($0)) }
