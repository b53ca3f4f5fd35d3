# Extern names that begin with another word than their file's. Reads the exceptions, then `nm -A -P -g` of objects.
#
# The words of src/check/expr/call.c are those of its name, up to the first "_", and of its folders: call, expr, check. What is
# extern in runtime begins with snl. An exception is "FILE: WORD…": names in that file may begin with these words too.

NR == FNR {
    if (/^#/ || !NF) next
    file = $1
    sub(/:$/, "", file)
    for (k = 2; k <= NF; k++) extra[file, $k] = 1
    next
}

function begins_with(name, word) { return name == word || index(name, word "_") == 1 }

{
    at = index($1, ":")
    if (!at || $3 !~ /^[BCDGRSTVW]$/) next
    file = substr($1, 1, at - 1)
    sub(/\.o$/, "", file)
    sub(/lib[a-z]*_a-/, "", file)
    count = split(file, part, "/")
    if (part[1] == "runtime") { if (!begins_with($2, "snl")) print file, $2; next }
    fine = 0
    for (k = 2; k <= count; k++) {
        word = part[k]
        sub(/_.*/, "", word)
        fine = fine || begins_with($2, part[k]) || begins_with($2, word)
    }
    if (fine) next
    word = $2
    sub(/_.*/, "", word)
    if ((file, word) in extra) extra[file, word] = 2
    else print file, $2
}

END {
    for (k in extra) if (extra[k] == 1) { split(k, part, SUBSEP); print part[1] ": no name begins with " part[2] }
}
