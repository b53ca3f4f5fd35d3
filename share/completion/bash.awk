# Completion for bash; see tables.awk.

# The words that an option may be completed to.
function candidates(o,    i, k, n, word, list, text) {
    for (i = 1; i <= spellings[o]; i++) {
        word = spelling[o, i]
        if (form[o, i] == "equals")
            text = text " " word "="
        else if (form[o, i] == "maybe")
            text = text " " word " " word "="
        else if (form[o, i] == "joined") {
            n = split(words_of(o), list, " ")
            for (k = 1; k <= n; k++) text = text " " word list[k]
            if (!n) text = text " " word
        } else if (form[o, i] == "either" && words_of(o) ~ /^[0-9 ]+$/) {
            n = split(words_of(o), list, " ")
            for (k = 1; k <= n; k++) text = text " " word list[k]
        } else
            text = text " " word
    }
    return text
}

function emit(    c, i, k, text, list) {
    print "# Completion of snlc for bash. Made from the tables of its commands and options."
    print "_snlc_commands='" join_commands() "'"
    print ""
    print "# Sets `options` to the words that a command takes."
    print "_snlc_options() {"
    print "    case $1 in"
    for (c = 1; c <= commands; c++) {
        text = ""
        for (i = 1; i <= options; i++) if (applies(i, command[c])) text = text candidates(i)
        printf "    %s) options='%s' ;;\n", command[c], substr(text, 2)
    }
    print "    *) options='--help --version' ;;"
    print "    esac"
    print "}"
    print ""
    print "# Sets `values` to what may follow an option, or to nothing when it takes no argument."
    print "_snlc_values() {"
    print "    case $1 in"
    for (i = 1; i <= options; i++)
        for (k = 1; k <= spellings[i]; k++)
            if (form[i, k] != "none" && form[i, k] != "joined" && !seen[spelling[i, k]]++)
                printf "    %s) values='%s' ;;\n", spelling[i, k], (words_of(i) == "" ? "@any" : words_of(i))
    print "    *) values= ;;"
    print "    esac"
    print "}"
    print ""
    print "_snlc_codes='" codes "'"
    while ((getline text < frame) > 0) print text
}

function join_commands(    c, text) {
    for (c = 1; c <= commands; c++) text = text (c > 1 ? " " : "") command[c]
    return text
}
