#!/bin/sh
# Every sample passes its own tests and its main prints what is known, in each mode of CASE_MODES and under --check; sizes are small here.
# At the size that it has, in one quick mode, what main prints says nowhere that the sample failed.
# The C program in samples/c-program is built with its Makefile and run. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT
samples=$SNL_SOURCE/samples
modes=
for m in $CASE_MODES; do modes="$modes $m"; done
case " $modes " in *" interpret-check "*) ;; *) modes="$modes interpret-check" ;; esac
limit="timeout ${CASE_LIMIT:-300}"

# Compares the output, line by line, with regular expressions; prints what differs.
compare_lines() { # EXPECTED OUTPUT
    awk '
        FNR == NR { want[++wants] = $0; next }
        { found++; if (found > wants || $0 !~ "^(" want[found] ")$") print "line " found ": " $0 "\n  expected: " want[found] }
        END { for (i = found + 1; i <= wants; i++) print "missing: " want[i] }' "$1" "$2"
}

# Runs the tests and the main of a sample. OPTIONS are for snlc; ARGUMENTS for the program; FILES must be left by main.
# The lines expected from main, regular expressions, come on standard input.
check_sample() { # FILE OPTIONS ARGUMENTS [FILE...]
    sample=$1 options=$2 arguments=$3
    shift 3
    expected=$(cat)
    for mode in $modes; do
        case $* in *.png*)
            if ! has_feature png; then
                skip "$sample: tests ($mode)" "the runtime was built without libpng"
                skip "$sample: main ($mode)" "the runtime was built without libpng"
                continue
            fi ;;
        esac
        folder=$(fresh_folder "samples/$mode-$(echo "$sample" | tr / -)")
        cp "$samples"/data/*.npy "$folder"
        printf '%s\n' "$expected" >"$folder/expected"
        (
            use_mode "$mode"
            cd "$folder" || exit 1
            # shellcheck disable=SC2086
            $limit $under "$snlc" test $how $options "$samples/$sample" >tests.log 2>&1
        )
        result $? "$sample: tests ($mode)" "$folder/tests.log"
        (
            use_mode "$mode"
            unset SNL_SIM_TRAP # ten times slower where loops are short; the tests above are trapped
            cd "$folder" || exit 1
            # shellcheck disable=SC2086
            $limit $under "$snlc" run $how $options "$samples/$sample" -- $arguments >output 2>log </dev/null
            status=$?
            if [ "$status" != 0 ]; then echo "exit status $status" >>log; fi
            compare_lines expected output >>log
            for file; do [ -s "$file" ] || echo "no file $file" >>log; done
            [ ! -s log ]
        )
        result $? "$sample: main ($mode)" "$folder/log"
    done
}

# Runs the main of a sample as a reader would, in MODE: it ends well, prints something, and no line says that something is false.
check_own_size() { # MODE FILE
    folder=$(fresh_folder "samples/own-$(echo "$2" | tr / -)")
    cp "$samples"/data/*.npy "$samples"/data/*.png "$folder"
    (
        use_mode "$1"
        cd "$folder" || exit 1
        # shellcheck disable=SC2086
        $limit "$snlc" run $how "$samples/$2" >output 2>log </dev/null || echo "exit status $?" >>log
        [ -s output ] || echo "nothing was printed" >>log
        grep -n false output >>log
        [ ! -s log ]
    )
    result $? "$2: main at its own size ($1)" "$folder/log"
}

# Builds and runs samples/c-program in a copy; then a change of an imported file must be noticed.
check_c_program() { # MODE
    folder=$(fresh_folder "samples/$1-c-program")
    cp "$samples"/c-program/* "$folder"
    (
        use_mode "$1"
        cd "$folder" || exit 1
        {
            make SNLC="$snlc" CC="$TEST_CC" && ./rod >output || exit 1
            diff - output <<'OUTPUT' || exit 1
50 cells, 1000 steps: mean 20.0000, first cell 20.5640
error below 1e-9: yes
too long a step: an error: heat.snl:34: steps of 100.0 s are too long for 100 cells
OUTPUT
            sed 's/= 400.0/= 200.0/' material.snl >changed && mv changed material.snl
            make SNLC="$snlc" CC="$TEST_CC" || exit 1
            if ./rod >output; then echo "the change of material.snl was not noticed"; exit 1; fi
        } >log 2>&1
    )
    result $? "c-program ($1)" "$folder/log"
}

c_modes=$(for m in $modes; do case $m in c[0-9]*-*) ;; c[0-9]*) echo "$m" ;; esac; done | head -n 1)
count_modes=$(echo "$modes" | wc -w)
quick_modes=$(for m in $modes; do case $m in c[0-9]*) echo "$m" ;; esac; done)
count_quick=$(echo "$quick_modes" | wc -w)
own_mode=$(echo "$quick_modes" | tail -n 1)
own_samples=$(cd "$samples" && ls -- *.snl wave1d/aos.snl wave1d/soa.snl laplace2d/rows.snl laplace2d/columns.snl laplace2d/blocks.snl laplace2d/sparse.snl)
count_own=$(if [ -n "$own_mode" ]; then echo "$own_samples" | wc -l; else echo 0; fi)
plan $((2 * (18 * count_modes + 3 * count_quick) + count_own + 1))

check_sample julia.snl "-D N=32" "" julia.png <<'OUTPUT'
c = -0.8 \+ 0.156 i: 10.45 % of 64 x 32 points never leave
OUTPUT
check_sample wave1d/aos.snl "-D N=2048" --steps=40 <<'OUTPUT'
2048 oscillators, 8 bytes from one position to the next
energy at the start 25.0000 an oscillator, at the end 25.0899
pos\[512\] 0.9230
OUTPUT
check_sample wave1d/soa.snl "-D N=2048" --steps=40 <<'OUTPUT'
2048 oscillators, 4 bytes from one position to the next
energy at the start 25.0000 an oscillator, at the end 25.0899
pos\[512\] 0.9230
OUTPUT
check_sample laplace2d/rows.snl "-D N=64" --sweeps=40 <<'OUTPUT'
plate 64 x 64, 40 sweeps
bytes to the next row 256, to the next column 4
centre 0.95378, largest error 2e-07
OUTPUT
check_sample laplace2d/columns.snl "-D N=64" --sweeps=40 <<'OUTPUT'
plate 64 x 64, 40 sweeps
bytes to the next row 4, to the next column 256
centre 0.95378, largest error 2e-07
OUTPUT
check_sample laplace2d/blocks.snl "-D N=64" --sweeps=40 <<'OUTPUT'
plate 64 x 64, 40 sweeps
bytes to the next row 64, to the next column 4
centre 0.95378, largest error 2e-07
OUTPUT
check_sample laplace2d/sparse.snl "-D N=64" --sweeps=40 <<'OUTPUT'
plate 64 x 64, 40 sweeps
bytes to the next row 64, to the next column 4
centre 0.95378, largest error 2e-07
blocks 16 and 16 of 16
OUTPUT
check_sample life.snl "" --generations=60 life.png <<'OUTPUT'
generation 60: 79 cells live in 6 of 4096 blocks
OUTPUT
check_sample mpm88.snl "-D PARTICLES=512 -D N=32" --steps=200 mpm88.png <<'OUTPUT'
512 particles, 200 steps: mass on the grid 0.1250 of 0.1250, 0 outside the box
centre of mass \[0.40, 0.3[0-9]\]
OUTPUT
check_sample mpm99.snl "-D PARTICLES=600 -D N=32" --steps=100 mpm99.png <<'OUTPUT'
600 particles, 100 steps: mass on the grid 0.1465 of 0.1465, 0 outside the box
heights of water 0.1., jelly 0.47, snow 0.79
snow within its elastic limits: true
OUTPUT
check_sample mpm3d.snl "-D SIDE=5" --steps=40 mpm3d.png <<'OUTPUT'
125 particles, 40 steps: mass on the grid over mass of the particles 1.0000
height of the centre 0.07, farthest particle 0.02 away
blocks [0-9]+ at the start, [0-9]+ at the end, of 2097152
OUTPUT
check_sample sph.snl "-D COLUMNS=8 -D ROWS=12" "--steps=120 --width=0.5" sph.png <<'OUTPUT'
96 particles, 120 steps: all in the lists: true
the front moved from 0.16 to 0.17 m, mean height fell from 0.12 to 0.11 m
blocks in use 1 of 256
OUTPUT
check_sample poisson.snl "-D N=32 -D LEVELS=4" "" <<'OUTPUT'
32 x 32 unknowns, 4 levels: 11 steps, largest error below 1e-8: true
without multigrid: 102 steps
OUTPUT
check_sample fluid.snl "-D N=32" "--steps=20 --sweeps=20" fluid.png <<'OUTPUT'
32 x 32 cells, 20 steps: divergence below 0.02: true
dye on 1.0 % of the square, at most 1.00 in a cell
OUTPUT
check_sample nbody.snl "-D BODIES=64" "--steps=100 --dt=0.005" nbody.png <<'OUTPUT'
64 bodies, 100 steps
energy kept within 0.1 %: true, spin within 0.1 %: true
mean radius from 0.76 to 0.[0-9]+
OUTPUT
check_sample cloth.snl "-D N=9" --steps=2000 cloth.png <<'OUTPUT'
81 points, 2000 steps: lowest -0.[01], highest 0.3
no point in the ball: true, no spring stretched by more than 10 %: true
OUTPUT
check_sample filter.snl "" "--radius=1 --input=$samples/data/portrait.png --output=filtered.png" filtered.png edges.png <<'OUTPUT'
.*/data/portrait.png: 256 x 300 pixels, sums of red, green and blue \[6332041, 5562460, 6637828\]
neighbours differ by 18.0 before and 1[0-9].[0-9] after
mean colour kept within 2 of 255: true
OUTPUT
check_sample volume.snl "" "" terrain.png terrain.snlt <<'OUTPUT'
12000 points, 20813 voxels in 214 of 32768 blocks
sum of the densities 12000.00, centre at a height of 620.6 m
emptied: 0 voxels
read again: 20813 voxels, sum 12000.00
OUTPUT

# Longer, where programs are quick.
modes=$quick_modes
check_sample life.snl "" "" life.png <<'OUTPUT'
generation 1103: 116 cells live in 25 of 4096 blocks
OUTPUT
check_sample mpm3d.snl "-D SIDE=5" --steps=150 mpm3d.png <<'OUTPUT'
125 particles, 150 steps: mass on the grid over mass of the particles 1.0000
height of the centre 0.05, farthest particle 0.02 away
blocks [0-9]+ at the start, [0-9]+ at the end, of 2097152
OUTPUT
check_sample sph.snl "-D COLUMNS=8 -D ROWS=12" "--steps=900 --width=0.5" sph.png <<'OUTPUT'
96 particles, 900 steps: all in the lists: true
the front moved from 0.16 to 0.50 m, mean height fell from 0.12 to 0.0[45] m
blocks in use 2 of 256
OUTPUT

if [ -n "$own_mode" ]; then
    for sample in $own_samples; do
        if has_feature png; then check_own_size "$own_mode" "$sample"; else skip "$sample: main at its own size" "the runtime was built without libpng"; fi
    done
fi

if [ -n "$c_modes" ]; then check_c_program "$c_modes"; else skip c-program "only the interpreter is tested"; fi
