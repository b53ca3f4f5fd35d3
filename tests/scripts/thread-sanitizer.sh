#!/bin/sh
# The runtime's tests with threads, and programs, under the thread sanitizer, where each atomic step may wait as STEP_SEEDS (numbers) say;
# `make check-threads` runs the first by hand. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
. "$SNL_SOURCE/tests/diff/tools.sh"
folder=$(fresh_folder scripts/thread-sanitizer)
command -v setarch >/dev/null || skip_all "no setarch, which runs a program at fixed addresses"
echo 'int main(void) { return 0; }' >"$folder/probe.c"
if ! "$TEST_CC" -fsanitize=thread -o "$folder/probe" "$folder/probe.c" 2>"$folder/log" || ! setarch -R "$folder/probe" 2>>"$folder/log"; then
    skip_all "$TEST_CC has no thread sanitizer that runs here"
fi
seeds=${STEP_SEEDS:-1}
if [ "${SNL_TEST_OPERATIONS:-0}" -gt 600000 ]; then SNL_TEST_OPERATIONS=600000; fi # with the sanitizer and its waits those of check-long take hours
# All cases are run in check-long; these make cells, lists, sums and atomics from many threads at once.
cases="sparse/cells_come_and_go_in_loops sparse/own_cells_changed_by_all_iterations
    lists/append_to_prefetched_lists lists/append_to_one_of_many_lists lists/append_once_in_each_iteration
    lists/append_in_some_iterations reductions/atomics sparse/bitmasked_nodes
    sparse/cells_deactivated_while_others_visit sparse/many_iterations_change_same_cells lists/dynamic_nodes
    lists/prefetched_list_is_found_in_time hash/hash_nodes hash/coordinates_negative_and_far_apart
    hash/activation_with_prefetched_entries hash/smaller_table_inside_parallel_loop
    reductions/atomic_inouts_whose_components_lie_apart reductions/lang_atomics reductions/lang_reductions
    lists/lists_change_in_loops sparse/pointer_nodes checks/races sparse/deactivated_memory_is_reused
    reductions/additions_to_private_copies loops/serial_loops_over_cells
    memory/large_arrays_stored_past_caches host/trees_change_between_loops gpu/host_waits_before_it_reads"
programs=${RACE_COUNT:-12}
plan $((2 + $(echo "$cases" | wc -w)))
if has_feature check; then
    MAKEFLAGS='' make -s -C "$SNL_BUILD" check-threads STEP_SEEDS="$seeds" >"$folder/log" 2>&1
    result $? "no races in pools, lists, nodes and collections" "$folder/log"
else
    MAKEFLAGS='' make -s -C "$SNL_BUILD" threads >"$folder/log" 2>&1
    skip "no races in pools, lists, nodes and collections" "built without Check"
fi
for name in $cases; do
    : >"$folder/log"
    for seed in $seeds; do
        SNL_STEP_SEED=$seed CASE_MODES=c4-tsan sh "$SNL_SOURCE/tests/run-case" "$SNL_SOURCE/tests/cases/$name.snl" >>"$folder/log" 2>&1
    done
    grep -q '^ok' "$folder/log" && ! grep -q '^not ok\|^Bail' "$folder/log"
    result $? "no races in $name.snl" "$folder/log"
done
# In all of them the iterations are free of races, but what the layouts share, the passes move and the runtime does may not be.
name="no races in $programs random programs"
if [ -x "$SNL_BUILD/tests/diff/snlsmith" ]; then
    TCC=none use_smith "$(fresh_folder scripts/thread-sanitizer/programs)"
    use_mode c4-tsan
    smith --first="${RACE_FIRST:-1}" --count="$programs" --only="$how" --under="$under" >log 2>&1
    result $? "$name" log
else
    skip "$name" "tests/diff/snlsmith is not built"
fi
