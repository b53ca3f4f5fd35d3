# Completion for fish; see tables.awk.

function quoted(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/'/, "\\'", text)
    return "'" text "'"
}

# What completes the argument of an option.
function argument_words(o,    text) {
    text = words_of(o)
    if (text == "@files") return " -r -F"
    if (text == "@folders") return " -x -a '(__fish_complete_directories)'"
    if (text == "@programs") return " -x -a '(__fish_complete_command)'"
    return text == "" ? " -x" : " -x -a " quoted(text)
}

function emit(    c, i, k, n, word, list, start, text) {
    print "# Completion of snlc for fish. Made from the tables of its commands and options."
    text = ""
    for (c = 1; c <= commands; c++) text = text " " command[c]
    print "set -g __snlc_commands" text
    print ""
    print "# Prints the command in the line so far; compile when there is only a file."
    print "function __snlc_command"
    print "    for word in (commandline -opc)[2..-1]"
    print "        if contains -- $word $__snlc_commands"
    print "            echo $word"
    print "            return"
    print "        end"
    print "    end"
    print "    if string match -q -- '*.snl' (commandline -opc)[2..-1]"
    print "        echo compile"
    print "    end"
    print "end"
    print ""
    print "function __snlc_is"
    print "    set -l command (__snlc_command)"
    print "    contains -- \"$command\" $argv"
    print "end"
    print ""
    print "# Files of programs, and folders to go into."
    print "function __snlc_files"
    print "    __fish_complete_suffix .snl"
    print "end"
    print ""
    print "complete -c snlc -f"
    for (c = 1; c <= commands; c++) {
        printf "complete -c snlc -n '__snlc_is \"\"' -a %s -d %s\n", command[c], quoted(summary[command[c]])
        if (takes_file[command[c]]) printf "complete -c snlc -n '__snlc_is %s' -k -a '(__snlc_files)'\n", command[c]
    }
    print "complete -c snlc -n '__snlc_is \"\"' -k -a '(__snlc_files)'"
    print "complete -c snlc -n '__snlc_is \"\"' -l help -l version"
    printf "complete -c snlc -n '__snlc_is explain' -a %s\n", quoted(codes)
    print "complete -c snlc -n '__snlc_is help' -a \"$__snlc_commands\""
    for (i = 1; i <= options; i++) {
        text = ""
        for (c = 1; c <= commands; c++) if (applies(i, command[c])) text = text " " command[c]
        start = "complete -c snlc -n '__snlc_is" text "'"
        for (k = 1; k <= spellings[i]; k++) {
            word = spelling[i, k]
            if (form[i, k] == "joined" || (form[i, k] == "either" && words_of(i) ~ /^[0-9 ]+$/)) {
                n = split(words_of(i), list, " ")
                if (!n) printf "%s -o %s -d %s\n", start, quoted(substr(word, 2)), quoted(help[i])
                for (c = 1; c <= n; c++) printf "%s -o %s -d %s\n", start, quoted(substr(word, 2) list[c]), quoted(help[i])
                continue
            }
            text = word ~ /^--/ ? " -l " substr(word, 3) : (length(word) == 2 ? " -s " : " -o ") quoted(substr(word, 2))
            if (form[i, k] == "maybe") text = text " -f -a " quoted(words_of(i))
            else if (form[i, k] != "none") text = text argument_words(i)
            printf "%s%s -d %s\n", start, text, quoted(help[i])
        }
    }
}
