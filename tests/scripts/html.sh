#!/bin/sh
# The manual in HTML: every man page, diagnostic and guide is there, and no link is broken. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
if [ -z "${MANDOC-}" ]; then skip_all "mandoc is missing"; fi
folder=$(fresh_folder scripts/html)
cd "$folder" || exit 1
export MANDOC SNLC

write_html() { # FOLDER
    VERSION=1 sh "$SNL_SOURCE/build-aux/html" "$1"
}

# The pages that there must be.
find_missing() {
    for m in "$SNL_SOURCE"/man/*.[1-9] snl-std.7; do [ -s "html/man/$(basename "$m").html" ] || echo "no page of $m"; done
    for m in html/man/*.html; do
        grep -q "href=\"man/$(basename "$m")\"" html/index.html || echo "$m is not in the index"
        grep -q 'id="NAME"' "$m" || echo "$m is empty"
    done
    if [ -n "${CMARK-}" ]; then
        for g in tutorial/index cookbook from-taichi from-openvdb install; do [ -s "html/$g.html" ] || echo "no page $g"; done
    fi
}

find_missing_codes() {
    "$SNLC" explain --list >codes
    [ -s codes ] || echo "no codes"
    while read -r code severity title; do
        grep -q "<section class=\"code\" id=\"$code\">" html/errors.html || echo "no section of $code, $severity: $title"
        grep -q "<a href=\"#$code\">$code</a>" html/errors.html || echo "$code is not in the contents"
    done <codes
}

# Every link leads to a file that exists, and to an id in it.
find_broken_links() { # FOLDER
    find "$1" -name '*.html' | sort | while IFS= read -r page; do
        sed 's/</\n</g' "$page" | sed -n 's/^<\(a\|link\|img\)[ \n].*\(href\|src\)="\([^"]*\)".*/\3/p; s/^href="\([^"]*\)".*/\1/p' | sort -u |
            while IFS= read -r link; do
                case $link in http:* | https:*) continue ;; esac
                file=${link%%#*} mark=${link#"${link%%#*}"}
                if [ -z "$file" ]; then file=$page; else file=$(dirname "$page")/$file; fi
                if [ ! -s "$file" ]; then echo "$page: $link leads nowhere"
                elif [ -n "$mark" ] && ! grep -qF "id=\"${mark#\#}\"" "$file"; then echo "$page: $link: there is no such place"; fi
            done
    done
}

plan 8
write_html html >log 2>&1
result $? "is made" log
find_missing >log
[ ! -s log ]
result $? "all pages are there" log
find_missing_codes >log
[ ! -s log ]
result $? "all diagnostics are there" log
find_broken_links html >log
[ ! -s log ]
result $? "links" log
mkdir broken
echo '<a href="index.html">x</a> <a href="#nowhere">x</a>' >broken/a.html
[ "$(find_broken_links broken | wc -l)" = 2 ]
result $? "broken links are found"
write_html html >log 2>&1 && cp -R html first && write_html html >>log 2>&1 && diff -r first html >>log
result $? "the same again" log
(MANDOC='' write_html none >log 2>&1)
[ $? = 69 ] && grep -q 'install the package mandoc' log && [ ! -e none ]
result $? "without mandoc: an error" log

# The gallery: a picture, the command and the first comment of the source.
if has_feature png; then
    (
        sh "$SNL_SOURCE/build-aux/gallery" gallery julia >log 2>&1 || exit 1
        [ -s gallery/julia.png ] && grep -q '<code>snlc run julia.snl</code>' gallery/index.html &&
            grep -q '^<p>the Julia set of' gallery/index.html && find_broken_links gallery >log && [ ! -s log ]
    )
    result $? "a gallery" log
else skip "a gallery" "the runtime was built without libpng"; fi
