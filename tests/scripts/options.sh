#!/bin/sh
# The command line, its help texts and its man pages say the same: tests/scripts/options.sh. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/options)
cd "$folder" || exit 1
man=$SNL_SOURCE/man

# The spelling of every option in the help of a command, one row of options.def a line, without blanks.
options_of_help() { # COMMAND
    "$SNLC" help "$1" | sed -n '/^Options:/,$p' | sed -n 's/^  *\(-.*\)/\1/p' | sed 's/   *[^ ].*//; s/ //g' | sort
}

# The same of a man page: the macros of each item under "options are" made into plain text.
options_of_page() { # FILE
    awk '/^\.It Fl/ {
        line = ""
        for (i = 2; i <= NF; i++) {
            word = $i
            gsub(/\\-/, "-", word)
            if (word == "Fl") word = "-"
            else if (word == "Oo") word = "["
            else if (word == "Oc") word = "]"
            else if (word == "Ar" || word == "Ns") word = ""
            line = line word
        }
        print line
    }' "$1" | sort
}

check_page() { # COMMAND LOG
    page=$man/snlc-$1.1
    if [ ! -f "$page" ]; then echo "there is no $page" >"$2"; return 1; fi
    options_of_help "$1" >help.txt
    options_of_page "$page" >page.txt
    if [ ! -s help.txt ]; then echo "the help of $1 lists no options" >"$2"; return 1; fi
    diff help.txt page.txt >"$2"
}

# Help goes to standard output with status 0, and is the same however it is asked for.
check_help() { # COMMAND LOG
    : >"$2"
    "$SNLC" help "$1" >by-name.txt 2>>"$2" || return 1
    "$SNLC" "$1" --help >by-option.txt 2>>"$2" || return 1
    "$SNLC" "--help" "$1" >before.txt 2>>"$2" || return 1
    cmp by-name.txt by-option.txt >>"$2" 2>&1 && cmp by-name.txt before.txt >>"$2" 2>&1 && [ ! -s "$2" ]
}

# An argument that the option accepts is not needed: only whether the command knows the option matters here.
sample() { # OPTION
    case $1 in
    *'[='* | *=*) echo "$1" | sed 's/\[\{0,1\}=.*/=1/' ;;
    -[IDOoj]*) echo "$1" | sed 's/^\(-.\).*/\11/' ;;
    -fPASS) echo -fno-fma ;;
    -ffile*) echo -ffile-prefix-map=a=b ;;
    -W*) echo -Wall ;;
    -M[FT]*) echo "$1" | sed 's/^\(-M.\).*/\1x/' ;;
    -Xcc*) echo "-Xcc x" ;;
    *) echo "$1" ;;
    esac
}

# Prints the first spelling of every option of every command, long ones without their argument.
every_option() {
    for c in $commands; do options_of_help "$c"; done | sed 's/^-[vqoj][A-Z=]*,\(--\)/\1/; s/,.*//' | sort -u
}

knows() { # COMMAND OPTION
    # shellcheck disable=SC2046
    ! "$SNLC" "$1" $(sample "$2") 2>&1 </dev/null | grep -q 'has no option\|unknown option'
}

# A command takes the options that its help lists and no others.
check_accepted() { # COMMAND LOG
    options_of_help "$1" | sed 's/^-[vqoj][A-Z=]*,\(--\)/\1/; s/,.*//' | sort -u >own.txt
    while read -r option; do
        if grep -qxF -e "$option" own.txt; then
            knows "$1" "$option" || echo "$1 refuses its option $option"
        elif knows "$1" "$option" && ! grep -qF -e "${option%%[[=]*}" own.txt; then
            echo "$1 takes $option, which its help does not list"
        fi
    done <every.txt >"$2"
    [ ! -s "$2" ]
}

check_lint() { # FILE LOG
    # The other pages need not be installed.
    "$MANDOC" -Tlint -Wwarning "$1" 2>&1 | grep -v 'referenced manual not found' >"$2"
    [ ! -s "$2" ]
}

commands=$("$SNLC" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
every_option >every.txt
set -- "$man"/*.[1-9] "$SNL_BUILD/man/snl-std.7"
count_commands=$(echo "$commands" | wc -l)
plan $((4 + 3 * count_commands + $#))

test "$count_commands" -ge 10 && test "$(wc -l <every.txt)" -ge 40
result $? "the help lists commands and options"

for c in $commands; do
    check_page "$c" log
    result $? "snlc-$c(1) lists the options of snlc $c" log
    check_help "$c" log
    result $? "help of $c" log
    check_accepted "$c" log
    result $? "snlc $c takes the options of its help" log
done

for page in "$man"/snlc-*.1; do
    name=${page##*/snlc-}
    echo "$commands" | grep -qx "${name%.1}" || echo "$page describes no command"
done >log
test ! -s log
result $? "every page snlc-COMMAND(1) has a command" log

for c in $commands; do
    grep -q "^\.It Ic $c\$" "$man/snlc.1" || echo "snlc(1) does not list $c"
    grep -q "^\.Xr snlc-$c 1" "$man/snlc.1" || echo "snlc(1) does not refer to snlc-$c(1)"
done >log
test ! -s log
result $? "snlc(1) lists every command" log

"$SNLC" --version >version.txt && "$SNLC" version >command.txt && cmp version.txt command.txt >log 2>&1
result $? "snlc --version and snlc version say the same" log

for page; do
    if [ -z "${MANDOC-}" ]; then
        skip "mandoc accepts ${page##*/}" "mandoc is missing"
    else
        check_lint "$page" log
        result $? "mandoc accepts ${page##*/}" log
    fi
done
