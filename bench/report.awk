# Makes a report of the lines that bench/run collects (time, sum, bytes, work, limit, group, program, pass, tolerance, figure, failed): format =
# text, json, svg, table (of a GPU, for RESULTS.md), or check, which only says on standard error whose checksum differs and ends with status 1 then.

function sort(list, n,    i, j, t) {
    for (i = 2; i <= n; i++) {
        t = list[i]
        for (j = i - 1; j > 0 && list[j] > t; j--) list[j + 1] = list[j]
        list[j + 1] = t
    }
}

function middle(list, n) {
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# least, median and most of all times of a peer; count is 0 where it did not run.
function summarize(key,    i, list) {
    for (i = 1; i <= count[key]; i++) list[i] = time[key, i]
    sort(list, count[key])
    if (count[key]) {
        least[key] = list[1]
        median[key] = middle(list, count[key])
        most[key] = list[count[key]]
    }
}

function round_median(key, r,    i, n, list) {
    for (i = 1; i <= count[key]; i++) if (round_of[key, i] == r) list[++n] = time[key, i]
    sort(list, n)
    return n ? middle(list, n) : 0
}

# The ratio of two peers: median of the ratios of the rounds, in which both ran one after the other. Sets low and high.
function ratio(a, b,    r, n, list, x, y) {
    for (r = 1; r <= rounds; r++) {
        x = round_median(a, r)
        y = round_median(b, r)
        if (x > 0 && y > 0) list[++n] = x / y
    }
    if (n == 0) return 0
    sort(list, n)
    low = list[1]
    high = list[n]
    return middle(list, n)
}

function share(t, name, key,    rate) {
    rate = limit[t, limit_of[name]]
    return rate > 0 && median[key] > 0 ? work[name] / median[key] / rate : 0
}

# Seconds in milliseconds; launches take less than one of a thousand.
function in_ms(x) { return sprintf(x < 1e-4 ? "%.6f" : "%.3f", 1e3 * x) }
function ms(key) { return count[key] ? in_ms(median[key]) : "-" }
function times(x) { return x > 0 ? sprintf(x < 10 ? "%.2f" : "%.1f", x) : "-" }

function unit_of(name) { sub(/\..*/, "", name); return name }

function text_peers(t,    c, name, key, group, g, x, line) {
    printf "%s thread%s: medians in ms; C / snlc, Taichi / snlc and OpenVDB / snlc say how many times as fast snlc is; share of the limit\n", \
        t, t == 1 ? "" : "s"
    printf "%-34s %9s %9s %6s %9s %9s %9s %20s %8s %8s %14s\n", "case", "least", "snlc", "spread", "C", "Taichi", "OpenVDB", \
        "C / snlc", "Taichi /", "VDB /", "limit"
    for (c = 1; c <= cases; c++) {
        name = case_name[c]
        key = t SUBSEP name SUBSEP "snlc"
        if (!count[key] || (name, "other") in bytes) continue
        g = group_of[unit_of(name)]
        if (g != group) print "-- " g
        group = g
        line = sprintf("%-34s %9s %9s %5.0f%% %9s %9s %9s", name, in_ms(least[key]), in_ms(median[key]), \
            100 * (most[key] / least[key] - 1), ms(t SUBSEP name SUBSEP "c"), ms(t SUBSEP name SUBSEP "taichi"), \
            ms(t SUBSEP name SUBSEP "openvdb"))
        x = ratio(t SUBSEP name SUBSEP "c", key)
        line = line sprintf(" %20s", x ? times(x) " (" times(low) "-" times(high) ")" : "-")
        line = line sprintf(" %8s", times(ratio(t SUBSEP name SUBSEP "taichi", key)))
        line = line sprintf(" %8s", times(ratio(t SUBSEP name SUBSEP "openvdb", key)))
        x = share(t, name, key)
        print line sprintf(" %14s", x ? sprintf("%.0f%% %s", 100 * x, limit_of[name]) : "-")
    }
    print ""
}

# The ratio that a figure of bench/cases is about, or its nanoseconds, with T threads where that matters, or 0; sets low and high.
function figure_ratio(f, t,    key) {
    key = t SUBSEP figure_case[f] SUBSEP "snlc"
    if (figure_other[f] == "each") {
        low = 1e9 * least[key] / figure_count[f]
        high = 1e9 * most[key] / figure_count[f]
        return count[key] ? 1e9 * median[key] / figure_count[f] : 0
    }
    if (figure_other[f] == "c" || figure_other[f] == "taichi") return ratio(key, t SUBSEP figure_case[f] SUBSEP figure_other[f])
    if (figure_other[f] != "threads")
        return ratio(t SUBSEP figure_case[f] SUBSEP "snlc", t SUBSEP figure_other[f] SUBSEP "snlc")
    return fewest == most_threads ? 0 : ratio(fewest SUBSEP figure_case[f] SUBSEP "snlc", most_threads SUBSEP figure_case[f] SUBSEP "snlc")
}

# Whether a ratio is what a figure wants.
function figure_holds(f, x) { return figure_kind[f] == "at_most" ? x <= figure_wanted[f] : x >= figure_wanted[f] }

# How a figure is called, with T threads.
function figure_text(f, t) {
    if (figure_other[f] == "threads") return figure_case[f] ", how many times as fast with " most_threads " threads as with " fewest
    if (figure_other[f] == "each")
        return figure_case[f] ", ns" (figure_count[f] > 1 ? " for each of " figure_count[f] : "") ", " t (t == 1 ? " thread" : " threads")
    return figure_case[f] " / " figure_other[f] ", " t (t == 1 ? " thread" : " threads")
}

# One line of a figure.
function text_figure(f, t,    x) {
    x = figure_ratio(f, t)
    if (x) printf "%-80s %7s (%s-%s)  wanted: %s %s%s\n", figure_text(f, t), times(x), times(low), times(high), \
        figure_kind[f] == "at_most" ? "at most" : "at least", figure_wanted[f], figure_holds(f, x) ? "" : ", not reached"
}

function text_figures(    f, k) {
    for (f = 1; f <= figures; f++)
        for (k = 1; k <= (figure_other[f] == "threads" ? 1 : thread_counts); k++) text_figure(f, thread_count[k])
    print ""
}

function json_figures(    f, k, x, first) {
    for (f = 1; f <= figures; f++)
        for (k = 1; k <= (figure_other[f] == "threads" ? 1 : thread_counts); k++) {
            x = figure_ratio(f, thread_count[k])
            if (!x) continue
            printf "%s\n    {\"case\": \"%s\", \"to\": \"%s\", \"threads\": %s, \"ratio\": %.4g, ", first++ ? "," : "", figure_case[f], \
                figure_other[f], figure_other[f] == "threads" ? most_threads : thread_count[k], x
            printf "\"low\": %.4g, \"high\": %.4g, \"%s\": %s}", low, high, figure_kind[f], figure_wanted[f]
        }
}

function text_limits(t,    k) {
    printf "limits, %s thread%s:", t, t == 1 ? "" : "s"
    for (k = 1; k <= limits; k++) printf " %s %.1f", limit_name[k], limit[t, limit_name[k]]
    print " (GB/s, Gflop/s)\n"
}

# Rows for RESULTS.md, of a GPU.
function table(t,    c, name, key, x) {
    printf "%s\n\n| case | snlc, ms | Taichi, ms | Taichi / snlc | share of what the memory can do |\n|---|---|---|---|---|\n", device
    for (c = 1; c <= cases; c++) {
        name = case_name[c]
        key = t SUBSEP name SUBSEP
        x = share(t, name, key "snlc")
        printf "| %s | %s | %s | %s | %s |\n", name, ms(key "snlc"), ms(key "taichi"), times(ratio(key "taichi", key "snlc")),
            x ? sprintf("%.0f%% %s", 100 * x, limit_of[name]) : "-"
    }
}

# Without each pass that matters to a case: how many times as long it takes. Least times: what else the machine does shall not matter.
function text_ablation(t,    c, p, name, key, line) {
    printf "%s thread%s: least time in ms, and how many times as long without each pass that changes them\n", t, t == 1 ? "" : "s"
    for (c = 1; c <= cases; c++) {
        name = case_name[c]
        key = t SUBSEP name SUBSEP
        line = sprintf("%-34s %9.3f ", name, 1e3 * least[key "snlc"])
        for (p = 1; p <= peers; p++)
            if (peer_name[p] != "snlc" && count[key peer_name[p]])
                line = line sprintf(" %s %.2f", pass_name(peer_name[p]), least[key peer_name[p]] / least[key "snlc"])
        print line
    }
    print ""
    for (p = 1; p <= passes; p++) pass_worth(t, pass[p])
    print ""
}

function pass_name(option) { sub(/^-fno-/, "", option); return option }

# In how many cases a pass changes anything, and where most and least.
function pass_worth(t, option,    c, key, x, n, best, worst, most_of, least_of) {
    for (c = 1; c <= cases; c++) {
        key = t SUBSEP case_name[c] SUBSEP
        if (!count[key option]) continue
        x = least[key option] / least[key "snlc"]
        if (!n++ || x > best) { best = x; most_of = case_name[c] }
        if (n == 1 || x < worst) { worst = x; least_of = case_name[c] }
    }
    printf "%-14s %3d measures", pass_name(option), n
    if (n) printf ", without it %.2f (%s) to %.2f (%s)", worst, least_of, best, most_of
    print ""
}

# Two layouts of the same kernels: the ratio of their times is to be that of the bytes they move.
function text_pairs(t,    c, name, key, time_ratio, byte_ratio) {
    printf "%s thread%s: pairs of layouts, least times in ms; excess is the ratio of times over that of bytes\n", t, t == 1 ? "" : "s"
    printf "%-34s %9s %9s %7s %7s %7s %9s\n", "case", "this", "other", "times", "bytes", "excess", "GB/s"
    for (c = 1; c <= cases; c++) {
        name = case_name[c]
        key = t SUBSEP name SUBSEP
        if (!((name, "other") in bytes) || !count[key "snlc"] || !count[key "other"]) continue
        time_ratio = least[key "snlc"] / least[key "other"]
        byte_ratio = bytes[name, "snlc"] / bytes[name, "other"]
        printf "%-34s %9.3f %9.3f %7.2f %7.2f %7.2f %9.1f\n", name, 1e3 * least[key "snlc"], 1e3 * least[key "other"], time_ratio, byte_ratio,
            time_ratio / byte_ratio, bytes[name, "snlc"] / least[key "snlc"] / 1e9
    }
    print ""
}

function json(    c, k, p, key, name, first, x) {
    printf "{\n  \"limits\": ["
    for (k = 1; k <= limits; k++)
        for (p = 1; p <= thread_counts; p++)
            printf "%s\n    {\"name\": \"%s\", \"threads\": %s, \"rate\": %s}", k + p == 2 ? "" : ",", limit_name[k], thread_count[p], \
                limit[thread_count[p], limit_name[k]]
    printf "\n  ],\n  \"measures\": ["
    for (k = 1; k <= thread_counts; k++)
        for (c = 1; c <= cases; c++)
            for (p = 1; p <= peers; p++) {
                name = case_name[c]
                key = thread_count[k] SUBSEP name SUBSEP peer_name[p]
                if (!count[key]) continue
                printf "%s\n    {\"case\": \"%s\", \"group\": \"%s\", \"peer\": \"%s\", \"threads\": %s, \"count\": %d, ", first++ ? "," : "", \
                    name, group_of[unit_of(name)], peer_name[p], thread_count[k], count[key]
                printf "\"least\": %.9g, \"median\": %.9g, \"most\": %.9g", least[key], median[key], most[key]
                x = ratio(key, thread_count[k] SUBSEP name SUBSEP "snlc")
                if (x) printf ", \"time_over_snlc\": %.4g", x
                x = share(thread_count[k], name, key)
                if (x) printf ", \"limit\": \"%s\", \"share\": %.4g", limit_of[name], x
                if ((name, peer_name[p]) in bytes) printf ", \"bytes\": %s", bytes[name, peer_name[p]]
                if ((name, peer_name[p]) in sum) printf ", \"checksum\": %s", sum[name, peer_name[p]]
                printf "}"
            }
    printf "\n  ],\n  \"figures\": ["
    json_figures()
    print "\n  ]\n}"
}

function place(x) { return 300 + 160 * (log(x) / log(10) + 1.5) }

function bar(y, key, base, color,    x, w) {
    x = ratio(base, key)
    if (!x) return
    w = place(x) - place(1)
    printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"5\" fill=\"%s\"/>\n", w < 0 ? place(x) : place(1), y, w < 0 ? -w : w, color
}

# Bars on a logarithmic axis: how fast each peer is, with C by hand as 1 (with snlc as 1 where there is no C).
function svg(    c, rows, t, y, name, base, x, key) {
    t = thread_count[1]
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n", 60 + 22 * cases
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    printf "<text x=\"10\" y=\"18\">Speed with %s thread%s, C by hand = 1: <tspan fill=\"#1565c0\">snlc</tspan>, ", t, t == 1 ? "" : "s"
    print "<tspan fill=\"#e65100\">Taichi</tspan>, <tspan fill=\"#6a1b9a\">OpenVDB</tspan></text>"
    for (x = 0.05; x < 60; x *= x == 0.05 || x == 0.5 || x == 5 ? 2 : 5) {
        printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"44\" y2=\"%d\" stroke=\"%s\"/>\n", place(x), place(x), 44 + 22 * cases, x == 1 ? "black" : "#ddd"
        printf "<text x=\"%.1f\" y=\"38\" text-anchor=\"middle\">%g</text>\n", place(x), x
    }
    for (c = 1; c <= cases; c++) {
        name = case_name[c]
        if ((name, "other") in bytes) continue
        y = 30 + 22 * ++rows
        key = t SUBSEP name SUBSEP
        base = key (count[key "c"] ? "c" : "snlc")
        printf "<text x=\"290\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y + 6, name
        bar(y - 5, key "snlc", base, "#1565c0")
        bar(y + 1, key "taichi", base, "#e65100")
        bar(y + 7, key "openvdb", base, "#6a1b9a")
    }
    print "</svg>"
}

# Checksums agree to 1e-6, or as far as bench/cases says.
function check(    c, p, name, first, d, limit, bad) {
    for (c = 1; c <= cases; c++) {
        name = case_name[c]
        first = sum[name, "snlc"]
        limit = (program[unit_of(name)] in tolerance ? tolerance[program[unit_of(name)]] : 1e-6) * size(first)
        for (p = 1; p <= peers; p++)
            if ((name, peer_name[p]) in sum) {
                d = sum[name, peer_name[p]] - first
                if (d > limit || d < -limit) {
                    print "bench: " name ": checksum " first ", " peer_name[p] " has " sum[name, peer_name[p]] >"/dev/stderr"
                    bad = 1
                }
            }
    }
    return bad
}

function size(x) { return x < 0 ? -x : x }

$1 == "group" { group_of[$2] = $3 }
$1 == "program" { program[$2] = $3 }
$1 == "tolerance" { tolerance[$2] = $3 }
$1 == "figure" {
    figure_case[++figures] = $2
    figure_kind[figures] = $3
    figure_wanted[figures] = $4
    figure_other[figures] = $5
    figure_count[figures] = $6
}
$1 == "failed" { failed = 1 }
$1 == "limit" {
    if (!($3 in limit_seen)) { limit_seen[$3] = 1; limit_name[++limits] = $3 }
    if ($4 > limit[$2, $3]) limit[$2, $3] = $4
}
$1 == "work" { work[$2] = $3; limit_of[$2] = $4 }
$1 == "bytes" { bytes[$2, $3] = $4; pairs = 1 }
$1 == "pass" && !($2 in pass_seen) { pass_seen[$2] = 1; pass[++passes] = $2 }
$1 == "sum" { sum[$2, $3] = $4 }
$1 == "time" {
    key = $2 SUBSEP $3 SUBSEP $4
    time[key, ++count[key]] = $6
    round_of[key, count[key]] = $5
    if ($5 > rounds) rounds = $5
    if (!($3 in case_seen)) { case_seen[$3] = 1; case_name[++cases] = $3 }
    if (!($4 in peer_seen)) { peer_seen[$4] = 1; peer_name[++peers] = $4 }
    if (!($2 in thread_seen)) { thread_seen[$2] = 1; thread_count[++thread_counts] = $2; if (!fewest || $2 < fewest) fewest = $2; if ($2 > most_threads) most_threads = $2 }
    keys[key] = 1
}

END {
    for (key in keys) summarize(key)
    if (format == "check") exit check() || failed
    if (format == "json") json()
    else if (format == "svg") svg()
    else if (format == "table") table(thread_count[1])
    else {
        for (k = 1; k <= thread_counts; k++) {
            text_limits(thread_count[k])
            if (what == "ablation") text_ablation(thread_count[k])
            else if (what != "pairs") text_peers(thread_count[k])
            if (pairs) text_pairs(thread_count[k])
        }
        if (what != "ablation" && what != "pairs") text_figures()
    }
}
