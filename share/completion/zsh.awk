# Completion for zsh; see tables.awk.

# Text inside of '...' for _arguments: its own signs are escaped.
function escaped(text) {
    gsub(/\[|\]|:|\\/, "\\\\&", text)
    gsub(/'/, "'\\''", text)
    return text
}

# What completes the argument of an option.
function action(o,    text) {
    text = words_of(o)
    if (text == "@files") return "_files"
    if (text == "@folders") return "_files -/"
    if (text == "@programs") return "_command_names -e"
    return text == "" ? " " : "(" text ")"
}

# One specification for _arguments.
function spec(o, k,    word, how, name) {
    word = spelling[o, k]
    gsub(/:/, "\\:", word)
    how = form[o, k]
    name = escaped(argument[o])
    if (how == "none") return word "[" escaped(help[o]) "]"
    how = how == "equals" ? "=" : how == "maybe" ? "=-" : how == "joined" ? "-" : how == "either" ? "+" : ""
    if (how == "-") sub(/=$/, "=", word)
    return word how "[" escaped(help[o]) "]" (how == "=-" ? "::" : ":") name ":" action(o)
}

function emit(    c, i, k) {
    print "#compdef snlc"
    print "# Completion of snlc for zsh. Made from the tables of its commands and options."
    for (c = 1; c <= commands; c++) {
        printf "\n_snlc_%s() {\n    _arguments -S", command[c]
        for (i = 1; i <= options; i++)
            if (applies(i, command[c]))
                for (k = 1; k <= spellings[i]; k++) printf " \\\n        '*%s'", spec(i, k)
        if (command[c] == "explain") printf " \\\n        '*:code:(%s)'", codes
        else if (command[c] == "help") printf " \\\n        '1:command:(%s)'", join_commands()
        else if (takes_file[command[c]]) printf " \\\n        '*:file:_files -g \"*.snl(-.)\"'"
        print "\n}"
    }
    print "\n_snlc() {"
    print "    local -a list"
    print "    local i"
    print "    for ((i = 2; i < CURRENT; i++)); do"
    print "        case $words[i] in"
    print "        " join_alternatives() ")"
    print "            _snlc_$words[i]"
    print "            return ;;"
    print "        *.snl)"
    print "            _snlc_compile"
    print "            return ;;"
    print "        esac"
    print "    done"
    print "    list=("
    for (c = 1; c <= commands; c++) printf "        '%s:%s'\n", command[c], escaped(summary[command[c]])
    print "    )"
    print "    if [[ $words[CURRENT] == -* ]]; then"
    print "        _arguments '--help[print this help]' '--version[print the version]'"
    print "    else"
    print "        _describe -t commands command list"
    print "        _files -g '*.snl(-.)'"
    print "    fi"
    print "}"
    print ""
    print "if [[ $funcstack[1] == _snlc ]]; then _snlc \"$@\"; else compdef _snlc snlc; fi"
}

function join_commands(    c, text) {
    for (c = 1; c <= commands; c++) text = text (c > 1 ? " " : "") command[c]
    return text
}

function join_alternatives(    text) {
    text = join_commands()
    gsub(/ /, " | ", text)
    return text
}
