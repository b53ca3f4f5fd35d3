# Makes src/cli/errors_text.c from doc/errors.md: one entry for each "## CODE" heading.
BEGIN {
    print "/* Made from doc/errors.md by build-aux/errors-to-c.awk. */"
    print "#include \"cli/errors_text.h\"\n"
    print "const ErrorText errors_text[] = {"
}
/^## [EW][0-9][0-9][0-9][0-9]/ {
    if (count++) print "     },"
    printf "    {\"%s\",\n", $2
    blank = 1
    next
}
count {
    if (blank && $0 == "") next
    blank = 0
    gsub(/\\/, "&&")
    gsub(/"/, "\\\"")
    gsub(/\?\?/, "?\\?")
    printf "     \"%s\\n\"\n", $0
}
END {
    if (count) print "     },"
    print "    {\"\", \"\"},"
    print "};\n"
    printf "const int errors_text_count = %d;\n", count
}
