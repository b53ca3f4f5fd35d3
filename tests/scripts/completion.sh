#!/bin/sh
# Completion in shells and the words of editor modes are those of the help and of the tables. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/completion)
cd "$folder" || exit 1
made=$SNL_BUILD/share
HOME=$folder
export HOME

# What a user types to get an option of the help: "--format=", "-MF", "-O2", "-ffold" ...
options_of_help() { # COMMAND
    "$SNLC" help "$1" | sed -n '/^Options:/,$p' | sed -n 's/^  *\(-.*\)/\1/p' | sed 's/   *[^ -].*//' | tr , '\n' |
        sed 's/^ *//; s/ *$//; s/\[=.*//; s/=[A-Z].*/=/; s/ .*//; s/^-f\(no-\)\{0,1\}PASS$/-f\1fma/; s/^-O$/-O2/; s/^-W.no-.CODE$/-Wno-W0401/' | sort -u
}

# Prints what bash offers for the last word of a line. COMP_WORDS is split at "=" as readline does it.
cat >ask.bash <<'BASH'
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_snlc
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
BASH
in_bash() { bash --norc ask.bash "$made/completion/snlc" "$@" 2>&1; }

# Prints what fish offers for a line, and what zsh is told about a command.
in_fish() { # LINE...
    fish --no-config -c "source '$made/completion/snlc.fish'; for line in \$argv; complete -C \$line; end" -- "$@" 2>&1 | cut -f 1
}
in_zsh() { zsh -f -c "compdef() { :; }; source '$made/completion/_snlc'; _arguments() { print -rl -- \"\$@\"; }; _snlc_$1" 2>&1; }

missing_in_bash() { # COMMAND
    in_bash snlc "$1" - | sort -u >offered
    options_of_help "$1" | while read -r o; do
        grep -qx -e "$o" offered || echo "bash does not complete snlc $1 $o"
    done
}

missing_in_zsh() { # COMMAND
    in_zsh "$1" >offered
    options_of_help "$1" | while read -r o; do
        case $o in -O?) o=-O ;; -fno-fma) o=-fno- ;; -f?ma) o=-f ;; -Wno-*) o=-Wno- ;; esac
        grep -q -e "^\*$o[=+[-]" offered || echo "zsh does not complete snlc $1 $o"
    done
}

missing_in_fish() { # COMMAND
    in_fish "snlc $1 -" "snlc $1 --" "snlc $1 -f" "snlc $1 -W" "snlc $1 -O" | sort -u >offered
    options_of_help "$1" | while read -r o; do
        # fish keeps a second spelling for later.
        case $o in -[voqj]) continue ;; -ffile*) ;; *=) o=${o%=} ;; esac
        grep -qx -e "$o" offered || echo "fish does not complete snlc $1 $o"
    done
}

# A few lines and what must be offered for them, words in any order.
expect() { # SHELL LINE WORDS
    # shellcheck disable=SC2086
    case $1 in
    bash) in_bash $2 ;;
    fish) in_fish "$2" ;;
    esac | tr ' ' '\n' | sort >offered
    echo "$3" | tr ' ' '\n' | sort | diff - offered >difference || { echo "$1: $2"; cat difference; }
}

commands=$("$SNLC" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
codes=$("$SNLC" explain --list | sed -n 's/^\(E040[0-9]\) .*/\1/p' | tr '\n' ' ' | sed 's/ $//')
plan 10
touch mpm88.snl mpm88.txt mpm3d.snl

if command -v bash >/dev/null 2>&1; then
    for c in $commands; do missing_in_bash "$c"; done >log
    test ! -s log
    result $? "bash completes every option of every command" log
    {
        expect bash "snlc co" "compile config"
        expect bash "snlc layout --format = s" "svg"
        expect bash "snlc layout --format=j" "--format=json"
        expect bash "snlc explain E040" "$codes"
        expect bash "snlc build --kind = s" "static shared"
        expect bash "snlc run mpm8" "mpm88.snl"
    } >log
    test ! -s log
    result $? "bash completes commands, values, codes and files" log
else
    skip "bash completes every option of every command" "bash is missing"
    skip "bash completes commands, values, codes and files" "bash is missing"
fi

if command -v fish >/dev/null 2>&1; then
    for c in $commands; do missing_in_fish "$c"; done >log
    test ! -s log
    result $? "fish completes every option of every command" log
    {
        expect fish "snlc co" "compile config"
        expect fish "snlc layout --format=s" "--format=svg"
        expect fish "snlc explain E040" "$codes"
    } >log
    test ! -s log
    result $? "fish completes commands, values and codes" log
else
    skip "fish completes every option of every command" "fish is missing"
    skip "fish completes commands, values and codes" "fish is missing"
fi

if command -v zsh >/dev/null 2>&1; then
    for c in $commands; do missing_in_zsh "$c"; done >log
    test ! -s log
    result $? "zsh completes every option of every command" log
else
    skip "zsh completes every option of every command" "zsh is missing"
fi

# Words of the language, as the tables have them.
sed -n 's/^\(KEYWORD\|SCALAR\|NODE\|BUILTIN\|SPECIAL\|ATTRIBUTE\)([^"]*"\([a-z0-9_]*\)".*/\2/p' "$SNL_SOURCE"/src/ast/*.def \
    "$SNL_SOURCE"/src/check/*.def | sort -u >words
for f in vim/syntax/snl.vim emacs/snl-mode.el; do
    while read -r w; do grep -qw -e "$w" "$made/$f" || echo "$f lacks $w"; done <words
    grep -n '@[A-Z]*@' "$made/$f"
done >log
test "$(wc -l <words)" -ge 100 && test ! -s log
result $? "editor modes know every word of the language" log

# Names of the colours that vim gives to the words of a small program.
cat >small.snl <<'SNL'
@packed layout { dense i[4] { place x; } }
kernel step() { for i in x { x[i] = sqrt(f32x2(1.5, 2).x); } }   // words
SNL
if command -v vim >/dev/null 2>&1 && vim --version | grep -q '+syntax'; then
    cat >show.vim <<'VIM'
let out = []
for [line, column] in [[1, 2], [1, 9], [1, 18], [1, 31], [2, 1], [2, 37], [2, 42], [2, 48], [2, 67]]
    call add(out, synIDattr(synID(line, column, 1), "name"))
endfor
call writefile(out, "colours")
VIM
    vim -u NONE -i NONE -n -es -N --cmd "set runtimepath^=$made/vim" -c 'syntax on' -c 'runtime! syntax/snl.vim' -c 'source show.vim' -c 'qa!' small.snl >log 2>&1
    printf 'snl%s\n' KnownAttribute Keyword Node Keyword Keyword Builtin Type Float Comment | diff - colours >>log 2>&1
    result $? "vim colours a program" log
else
    skip "vim colours a program" "vim is missing"
fi

if command -v vim >/dev/null 2>&1 && vim --version | grep -q '+eval'; then
    mkdir -p path && ln -sf "$SNLC" path/snlc
    printf 'field f32   x[4];\n\n\n\nkernel f( ) { x[0]=1.0; }\n' >format.snl
    printf 'kernel f( {\n' >broken.snl
    cp broken.snl kept.snl
    PATH=$folder/path:$PATH vim -u NONE -i NONE -n -es -N -c "source $SNL_SOURCE/share/vim/ftplugin/snl.vim" -c SnlFormat -c 'wq!' format.snl >log 2>&1
    PATH=$folder/path:$PATH vim -u NONE -i NONE -n -es -N -c "source $SNL_SOURCE/share/vim/ftplugin/snl.vim" -c SnlFormat -c 'wq!' broken.snl >>log 2>&1
    printf 'field f32 x[4];\n\nkernel f() { x[0] = 1.0; }\n' | diff - format.snl >>log 2>&1 && cmp broken.snl kept.snl >>log 2>&1
    result $? "vim formats a program" log
else
    skip "vim formats a program" "vim is missing"
fi

if command -v emacs >/dev/null 2>&1; then
    cat >show.el <<'EL'
(load (concat (getenv "MADE") "/emacs/snl-mode.el") nil t)
(find-file "small.snl")
(unless (eq major-mode 'snl-mode) (error "the mode is %s" major-mode))
(font-lock-ensure)
(dolist (word '("@packed" "layout" "dense" "step" "sqrt" "f32x2" "words"))
  (goto-char (point-min))
  (search-forward word)
  (princ (format "%s %s\n" word (get-text-property (1- (point)) 'face))))
(erase-buffer)
(insert "kernel f() {\nfor i in x {\nx[i] = g(1,\n2);\n}\n}\n")
(indent-region (point-min) (point-max))
(princ (buffer-string))
(erase-buffer)
(insert "field f32   x[4];\n")
(snl-format-buffer)
(princ (buffer-string))
EL
    mkdir -p path && ln -sf "$SNLC" path/snlc
    PATH=$folder/path:$PATH MADE=$made emacs -Q --batch -l show.el >shown 2>log
    cat >wanted <<'TEXT'
@packed font-lock-preprocessor-face
layout font-lock-keyword-face
dense font-lock-type-face
step font-lock-function-name-face
sqrt font-lock-builtin-face
f32x2 font-lock-type-face
words font-lock-comment-face
kernel f() {
    for i in x {
        x[i] = g(1,
                 2);
    }
}
field f32 x[4];
TEXT
    diff wanted shown >>log
    result $? "emacs colours, indents and formats a program" log
else
    skip "emacs colours, indents and formats a program" "emacs is missing"
fi

# Every awk makes the same of the tables. `tables FOLDER NAME ...` gives the paths of tables.
tables() { f=$1; shift; for t in "$@"; do printf '%s ' "$SNL_SOURCE/src/$f/$t.def"; done; }
share=$SNL_SOURCE/share
options="$(tables cli/option commands options)$(tables pass passes)$(tables base diags)"
words="$(tables ast keywords types nodes)$(tables check builtins specials attributes)"
made_by() { # AWK FILE
    case $2 in
    *.vim) $1 -f "$share/words.awk" $words "$share/vim/syntax/snl.vim.in" ;;
    *) $1 -v frame="$share/completion/snlc.bash.in" -f "$share/completion/tables.awk" -f "$share/completion/$3.awk" $options ;;
    esac
}
: >log
tried=0
for awk in awk mawk gawk 'gawk --posix' original-awk 'busybox awk'; do
    command -v "${awk%% *}" >/dev/null || continue
    tried=$((tried + 1))
    made_by "$awk" snl.vim 2>>log | cmp - "$made/vim/syntax/snl.vim" >>log 2>&1 || echo "$awk: snl.vim" >>log
    for pair in bash:snlc zsh:_snlc fish:snlc.fish; do
        made_by "$awk" "${pair#*:}" "${pair%:*}" 2>>log | cmp - "$made/completion/${pair#*:}" >>log 2>&1 || echo "$awk: $pair" >>log
    done
done
[ $tried -gt 0 ] && [ ! -s log ]
result $? "every awk makes the same files ($tried of them tried)" log
