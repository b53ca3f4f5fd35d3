# Circles of calls between the files of a folder. Reads `nm -A -P` of its objects, and prints one circle a line: its files, sorted.
#
# A file is named by its path without the build's prefix and without ".o". awk -v under=src/check strips the folder as well.

{
    at = index($1, ":")
    if (!at) next
    file = substr($1, 1, at - 1)
    sub(/\.o$/, "", file)
    sub("^" under "/", "", file)
    sub(/lib[a-z]*_a-/, "", file)
    if ($3 == "U") { user[++count] = file; used[count] = $2 }
    else if ($3 ~ /^[BCDGRSTVW]$/) home[$2] = file
}

# Does what starts reach come back? Reaches through at most as many files as there are.
function spread(from,    k, n, queue, head) {
    delete seen
    n = 0
    for (k = 1; k <= arrows; k++) if (tail[k] == from && !(tip[k] in seen)) { seen[tip[k]]; queue[++n] = tip[k] }
    for (head = 1; head <= n; head++)
        for (k = 1; k <= arrows; k++) if (tail[k] == queue[head] && !(tip[k] in seen)) { seen[tip[k]]; queue[++n] = tip[k] }
    for (k in seen) reach[from, k]
}

END {
    for (k = 1; k <= count; k++) {
        to = used[k] in home ? home[used[k]] : ""
        if (to == "" || to == user[k] || (user[k], to) in known) continue
        known[user[k], to]
        tail[++arrows] = user[k]
        tip[arrows] = to
        files[user[k]]
        files[to]
    }
    for (f in files) spread(f)
    for (f in files) {
        if (f in placed || !((f, f) in reach)) continue
        n = 0
        for (g in files) if (((f, g) in reach) && ((g, f) in reach)) { circle[++n] = g; placed[g] }
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && circle[j - 1] > circle[j]; j--) { t = circle[j]; circle[j] = circle[j - 1]; circle[j - 1] = t }
        line = circle[1]
        for (i = 2; i <= n; i++) line = line " " circle[i]
        print line
    }
}
