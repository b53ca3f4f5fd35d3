# Every case is a test of its own: make check TESTS=tests/cases/dense_layouts.snl runs one. CASE_MODES says in how many ways.
# files: case_files = cases/*.snl cases/errors/*.snl cases/run/*.snl cases/std/*.snl
case_files = \
    %D%/cases/abreast.snl \
    %D%/cases/abreast_lookups.snl \
    %D%/cases/activity_in_loops.snl \
    %D%/cases/addresses.snl \
    %D%/cases/all_meanwhile.snl \
    %D%/cases/alternate_floats.snl \
    %D%/cases/any_axes.snl \
    %D%/cases/append_fetched.snl \
    %D%/cases/append_fields.snl \
    %D%/cases/append_of_length.snl \
    %D%/cases/append_owned.snl \
    %D%/cases/append_placed.snl \
    %D%/cases/append_runs.snl \
    %D%/cases/around_lists.snl \
    %D%/cases/array_element_changes.snl \
    %D%/cases/aside.snl \
    %D%/cases/assert_operands.snl \
    %D%/cases/atomics.snl \
    %D%/cases/batch.snl \
    %D%/cases/batch_minus_negative.snl \
    %D%/cases/batch_parts.snl \
    %D%/cases/before.snl \
    %D%/cases/benchmarks.snl \
    %D%/cases/bitmasked.snl \
    %D%/cases/block_local.snl \
    %D%/cases/block_loops.snl \
    %D%/cases/block_ranges.snl \
    %D%/cases/bool_operators.snl \
    %D%/cases/boundary.snl \
    %D%/cases/boundary_far.snl \
    %D%/cases/bounds_of_64_bits.snl \
    %D%/cases/cast_back.snl \
    %D%/cases/casts.snl \
    %D%/cases/cells_again.snl \
    %D%/cases/cells_come_meanwhile.snl \
    %D%/cases/cells_go_meanwhile.snl \
    %D%/cases/check_mode.snl \
    %D%/cases/columns.snl \
    %D%/cases/components.snl \
    %D%/cases/computed_again.snl \
    %D%/cases/conditions.snl \
    %D%/cases/constants_of_64_bits.snl \
    %D%/cases/crowds.snl \
    %D%/cases/deep_frames.snl \
    %D%/cases/deep_trees.snl \
    %D%/cases/dense_layouts.snl \
    %D%/cases/digits.snl \
    %D%/cases/divisions_guarded.snl \
    %D%/cases/drops_own.snl \
    %D%/cases/dynamic.snl \
    %D%/cases/early_returns.snl \
    %D%/cases/entry.snl \
    %D%/cases/errors/active_run_time.snl \
    %D%/cases/errors/activity_of_dense.snl \
    %D%/cases/errors/assign_let.snl \
    %D%/cases/errors/attribute_places.snl \
    %D%/cases/errors/attributes.snl \
    %D%/cases/errors/axis_count.snl \
    %D%/cases/errors/benchmark.snl \
    %D%/cases/errors/bool_and_integer.snl \
    %D%/cases/errors/bool_mix.snl \
    %D%/cases/errors/brace_in_static_for.snl \
    %D%/cases/errors/brace_missing.snl \
    %D%/cases/errors/brace_too_many.snl \
    %D%/cases/errors/break_parallel.snl \
    %D%/cases/errors/break_under_if.snl \
    %D%/cases/errors/broken_statements.snl \
    %D%/cases/errors/call_arguments.snl \
    %D%/cases/errors/cast_places.snl \
    %D%/cases/errors/codes_bytes.snl \
    %D%/cases/errors/codes_comment.snl \
    %D%/cases/errors/codes_kernels.snl \
    %D%/cases/errors/codes_layout.snl \
    %D%/cases/errors/codes_names.snl \
    %D%/cases/errors/codes_static.snl \
    %D%/cases/errors/codes_text.snl \
    %D%/cases/errors/codes_types.snl \
    %D%/cases/errors/codes_warnings.snl \
    %D%/cases/errors/constant_indices.snl \
    %D%/cases/errors/constant_operands.snl \
    %D%/cases/errors/constructors.snl \
    %D%/cases/errors/deactivate_all_in_loop.snl \
    %D%/cases/errors/declarations.snl \
    %D%/cases/errors/declared_twice.snl \
    %D%/cases/errors/duplicate_names.snl \
    %D%/cases/errors/dynamic_axis.snl \
    %D%/cases/errors/endless_string.snl \
    %D%/cases/errors/exact_constants.snl \
    %D%/cases/errors/field_not_placed.snl \
    %D%/cases/errors/field_shapes.snl \
    %D%/cases/errors/file_arguments.snl \
    %D%/cases/errors/file_names.snl \
    %D%/cases/errors/fix_address_of.snl \
    %D%/cases/errors/fix_array_inout.snl \
    %D%/cases/errors/fix_array_type.snl \
    %D%/cases/errors/fix_arrow.snl \
    %D%/cases/errors/fix_attribute.snl \
    %D%/cases/errors/fix_bool_sum.snl \
    %D%/cases/errors/fix_boundary_mode.snl \
    %D%/cases/errors/fix_brackets.snl \
    %D%/cases/errors/fix_break_parallel.snl \
    %D%/cases/errors/fix_cast.snl \
    %D%/cases/errors/fix_cast_call.snl \
    %D%/cases/errors/fix_colon_equals.snl \
    %D%/cases/errors/fix_colour.snl \
    %D%/cases/errors/fix_condition_assign.snl \
    %D%/cases/errors/fix_condition_integer.snl \
    %D%/cases/errors/fix_const_type.snl \
    %D%/cases/errors/fix_define.snl \
    %D%/cases/errors/fix_elif.snl \
    %D%/cases/errors/fix_extent.snl \
    %D%/cases/errors/fix_float_suffix.snl \
    %D%/cases/errors/fix_float_variable.snl \
    %D%/cases/errors/fix_for_c.snl \
    %D%/cases/errors/fix_for_ndrange.snl \
    %D%/cases/errors/fix_for_parens.snl \
    %D%/cases/errors/fix_for_range.snl \
    %D%/cases/errors/fix_func_word.snl \
    %D%/cases/errors/fix_func_word_short.snl \
    %D%/cases/errors/fix_functions_of_modules.snl \
    %D%/cases/errors/fix_if_no_braces.snl \
    %D%/cases/errors/fix_if_no_parens.snl \
    %D%/cases/errors/fix_import_name.snl \
    %D%/cases/errors/fix_include.snl \
    %D%/cases/errors/fix_increment.snl \
    %D%/cases/errors/fix_index_parens.snl \
    %D%/cases/errors/fix_integer_division.snl \
    %D%/cases/errors/fix_keyword_in.snl \
    %D%/cases/errors/fix_keyword_name.snl \
    %D%/cases/errors/fix_len.snl \
    %D%/cases/errors/fix_let_assign.snl \
    %D%/cases/errors/fix_let_type.snl \
    %D%/cases/errors/fix_list_brackets.snl \
    %D%/cases/errors/fix_local_field.snl \
    %D%/cases/errors/fix_logic_words.snl \
    %D%/cases/errors/fix_loop_no_braces.snl \
    %D%/cases/errors/fix_main.snl \
    %D%/cases/errors/fix_math_c.snl \
    %D%/cases/errors/fix_math_pi.snl \
    %D%/cases/errors/fix_max_of_three.snl \
    %D%/cases/errors/fix_methods.snl \
    %D%/cases/errors/fix_missing_semicolon.snl \
    %D%/cases/errors/fix_missing_semicolon_in_node.snl \
    %D%/cases/errors/fix_mixed_signs.snl \
    %D%/cases/errors/fix_narrowing.snl \
    %D%/cases/errors/fix_new_variable.snl \
    %D%/cases/errors/fix_node_kind.snl \
    %D%/cases/errors/fix_none.snl \
    %D%/cases/errors/fix_not_equal.snl \
    %D%/cases/errors/fix_offset.snl \
    %D%/cases/errors/fix_place_missing.snl \
    %D%/cases/errors/fix_pointer_type.snl \
    %D%/cases/errors/fix_power.snl \
    %D%/cases/errors/fix_print.snl \
    %D%/cases/errors/fix_printf.snl \
    %D%/cases/errors/fix_product.snl \
    %D%/cases/errors/fix_range_inclusive.snl \
    %D%/cases/errors/fix_return_parallel.snl \
    %D%/cases/errors/fix_return_type_arrow.snl \
    %D%/cases/errors/fix_second_let.snl \
    %D%/cases/errors/fix_shape.snl \
    %D%/cases/errors/fix_single_quotes.snl \
    %D%/cases/errors/fix_sizes_parens.snl \
    %D%/cases/errors/fix_spelling.snl \
    %D%/cases/errors/fix_struct_braces.snl \
    %D%/cases/errors/fix_ternary_python.snl \
    %D%/cases/errors/fix_true_false.snl \
    %D%/cases/errors/fix_type_c99.snl \
    %D%/cases/errors/fix_type_int.snl \
    %D%/cases/errors/fix_type_unsigned_int.snl \
    %D%/cases/errors/fix_type_vector.snl \
    %D%/cases/errors/fix_typeset.snl \
    %D%/cases/errors/fix_void.snl \
    %D%/cases/errors/fix_while_no_braces.snl \
    %D%/cases/errors/fix_while_no_parens.snl \
    %D%/cases/errors/fix_whole_field.snl \
    %D%/cases/errors/float_bits.snl \
    %D%/cases/errors/float_index.snl \
    %D%/cases/errors/foreign_letters.snl \
    %D%/cases/errors/format.snl \
    %D%/cases/errors/format_strings.snl \
    %D%/cases/errors/function_parameters.snl \
    %D%/cases/errors/habits.snl \
    %D%/cases/errors/hint_block_of_python.snl \
    %D%/cases/errors/hint_do_while.snl \
    %D%/cases/errors/hint_loop_assign.snl \
    %D%/cases/errors/hint_missing_place.snl \
    %D%/cases/errors/hint_switch.snl \
    %D%/cases/errors/host_and_kernel.snl \
    %D%/cases/errors/host_only.snl \
    %D%/cases/errors/index_count.snl \
    %D%/cases/errors/inexact_division.snl \
    %D%/cases/errors/inout_moves.snl \
    %D%/cases/errors/labels_again.snl \
    %D%/cases/errors/labels_with_indices.snl \
    %D%/cases/errors/layout_axes.snl \
    %D%/cases/errors/layout_nodes.snl \
    %D%/cases/errors/layout_sizes.snl \
    %D%/cases/errors/lists_of_python.snl \
    %D%/cases/errors/literal_range.snl \
    %D%/cases/errors/literals.snl \
    %D%/cases/errors/literals_beside.snl \
    %D%/cases/errors/loop_variable.snl \
    %D%/cases/errors/lost_return.snl \
    %D%/cases/errors/matrix_product.snl \
    %D%/cases/errors/missing_return.snl \
    %D%/cases/errors/mixed_signs.snl \
    %D%/cases/errors/names.snl \
    %D%/cases/errors/names_of_words.snl \
    %D%/cases/errors/narrowing.snl \
    %D%/cases/errors/nested_struct_for.snl \
    %D%/cases/errors/no_component.snl \
    %D%/cases/errors/node_kinds.snl \
    %D%/cases/errors/not_placed.snl \
    %D%/cases/errors/offset.snl \
    %D%/cases/errors/operators.snl \
    %D%/cases/errors/outside_a_loop.snl \
    %D%/cases/errors/outside_in_loops.snl \
    %D%/cases/errors/param_in_constant.snl \
    %D%/cases/errors/parameters.snl \
    %D%/cases/errors/params_in_static_for.snl \
    %D%/cases/errors/placed_twice.snl \
    %D%/cases/errors/placement.snl \
    %D%/cases/errors/places_wrong.snl \
    %D%/cases/errors/pointers.snl \
    %D%/cases/errors/quotient_in_loops.snl \
    %D%/cases/errors/race_of_order.snl \
    %D%/cases/errors/ranges_wrong.snl \
    %D%/cases/errors/recovery.snl \
    %D%/cases/errors/recursion_of_types.snl \
    %D%/cases/errors/reduction_type.snl \
    %D%/cases/errors/results.snl \
    %D%/cases/errors/shape_of_result.snl \
    %D%/cases/errors/shape_of_vectors.snl \
    %D%/cases/errors/static_assert.snl \
    %D%/cases/errors/static_condition.snl \
    %D%/cases/errors/static_family.snl \
    %D%/cases/errors/string_params.snl \
    %D%/cases/errors/syntax.snl \
    %D%/cases/errors/too_large_array.snl \
    %D%/cases/errors/too_large_families.snl \
    %D%/cases/errors/too_large_instances.snl \
    %D%/cases/errors/too_large_items.snl \
    %D%/cases/errors/too_large_static.snl \
    %D%/cases/errors/too_large_struct.snl \
    %D%/cases/errors/too_large_tuned.snl \
    %D%/cases/errors/tune.snl \
    %D%/cases/errors/two_mains.snl \
    %D%/cases/errors/type_parameter.snl \
    %D%/cases/errors/types_of_things.snl \
    %D%/cases/errors/undeclared.snl \
    %D%/cases/errors/vector_sizes.snl \
    %D%/cases/errors_at_run.snl \
    %D%/cases/exact_constants.snl \
    %D%/cases/extreme_bounds.snl \
    %D%/cases/fetched_lists.snl \
    %D%/cases/files.snl \
    %D%/cases/files_beside.snl \
    %D%/cases/first_conditions.snl \
    %D%/cases/float_extremes.snl \
    %D%/cases/float_limits.snl \
    %D%/cases/float_numbers.snl \
    %D%/cases/folding.snl \
    %D%/cases/found_by_diff.snl \
    %D%/cases/function_parameters.snl \
    %D%/cases/functions.snl \
    %D%/cases/functions_in_rounds.snl \
    %D%/cases/functions_of_constants.snl \
    %D%/cases/fuse.snl \
    %D%/cases/fused_constants.snl \
    %D%/cases/gather.snl \
    %D%/cases/guarded_lookups.snl \
    %D%/cases/half_matrices.snl \
    %D%/cases/halo.snl \
    %D%/cases/halo_beside_other_axis.snl \
    %D%/cases/halo_copied_rows.snl \
    %D%/cases/halo_ends.snl \
    %D%/cases/halo_extents.snl \
    %D%/cases/halo_hash.snl \
    %D%/cases/halo_masks.snl \
    %D%/cases/halo_other_axes.snl \
    %D%/cases/halo_pairs.snl \
    %D%/cases/halo_rows.snl \
    %D%/cases/halo_run_time.snl \
    %D%/cases/halo_shapes.snl \
    %D%/cases/halo_twins.snl \
    %D%/cases/halo_twins_apart.snl \
    %D%/cases/hash.snl \
    %D%/cases/hash_edges.snl \
    %D%/cases/hash_fetched.snl \
    %D%/cases/hash_gives_way.snl \
    %D%/cases/hash_near.snl \
    %D%/cases/hash_read_early.snl \
    %D%/cases/hash_returns_memory.snl \
    %D%/cases/hash_shrinks.snl \
    %D%/cases/held_elsewhere.snl \
    %D%/cases/host.snl \
    %D%/cases/imports.snl \
    %D%/cases/index_multiples.snl \
    %D%/cases/inline.snl \
    %D%/cases/inout_places.snl \
    %D%/cases/inouts_apart.snl \
    %D%/cases/inouts_of_lanes.snl \
    %D%/cases/jam.snl \
    %D%/cases/keep.snl \
    %D%/cases/kept_elsewhere.snl \
    %D%/cases/kernel_arguments.snl \
    %D%/cases/kernels.snl \
    %D%/cases/label_ranges.snl \
    %D%/cases/lanes_added_rows.snl \
    %D%/cases/lanes_own_values.snl \
    %D%/cases/lanes_rows_from.snl \
    %D%/cases/lanes_that_fail.snl \
    %D%/cases/lang_atomics.snl \
    %D%/cases/lang_floats.snl \
    %D%/cases/lang_functions.snl \
    %D%/cases/lang_generics.snl \
    %D%/cases/lang_host.snl \
    %D%/cases/lang_integers.snl \
    %D%/cases/lang_io.snl \
    %D%/cases/lang_literals.snl \
    %D%/cases/lang_loops.snl \
    %D%/cases/lang_matrices.snl \
    %D%/cases/lang_operators.snl \
    %D%/cases/lang_random.snl \
    %D%/cases/lang_reductions.snl \
    %D%/cases/lang_runtime_errors.snl \
    %D%/cases/lang_static.snl \
    %D%/cases/lang_structs.snl \
    %D%/cases/lang_types.snl \
    %D%/cases/lang_vectors.snl \
    %D%/cases/large_arrays.snl \
    %D%/cases/large_code.snl \
    %D%/cases/large_container.snl \
    %D%/cases/large_locals.snl \
    %D%/cases/large_locals_of_cpu.snl \
    %D%/cases/large_trees.snl \
    %D%/cases/layouts_destroyed.snl \
    %D%/cases/lineup.snl \
    %D%/cases/list_loops.snl \
    %D%/cases/list_walk.snl \
    %D%/cases/lists_in_loops.snl \
    %D%/cases/literals_beside.snl \
    %D%/cases/lookups.snl \
    %D%/cases/lookups_in_loops.snl \
    %D%/cases/loops_apart.snl \
    %D%/cases/mask_planes.snl \
    %D%/cases/mask_rows.snl \
    %D%/cases/mask_shapes.snl \
    %D%/cases/mask_untouched.snl \
    %D%/cases/mask_words.snl \
    %D%/cases/masks_copied.snl \
    %D%/cases/math.snl \
    %D%/cases/math_ends.snl \
    %D%/cases/matrices.snl \
    %D%/cases/memory_of_tables.snl \
    %D%/cases/min_max_alone.snl \
    %D%/cases/missing_sized_layouts.snl \
    %D%/cases/names.snl \
    %D%/cases/names_of_compilers.snl \
    %D%/cases/names_of_functions.snl \
    %D%/cases/names_of_macros.snl \
    %D%/cases/narrow.snl \
    %D%/cases/narrow_blocks.snl \
    %D%/cases/negated_sums.snl \
    %D%/cases/neighbours.snl \
    %D%/cases/nests.snl \
    %D%/cases/offsets.snl \
    %D%/cases/operators.snl \
    %D%/cases/order.snl \
    %D%/cases/order_kept.snl \
    %D%/cases/order_of_many_cells.snl \
    %D%/cases/parts_of_values.snl \
    %D%/cases/patch.snl \
    %D%/cases/patch_forms.snl \
    %D%/cases/patch_refused.snl \
    %D%/cases/pieces.snl \
    %D%/cases/placed_components.snl \
    %D%/cases/pointer.snl \
    %D%/cases/prescribed.snl \
    %D%/cases/programs.snl \
    %D%/cases/quads.snl \
    %D%/cases/quads_beside.snl \
    %D%/cases/races.snl \
    %D%/cases/random.snl \
    %D%/cases/ranges.snl \
    %D%/cases/reductions_in_lanes.snl \
    %D%/cases/remainders_of_indices.snl \
    %D%/cases/remainders_outside.snl \
    %D%/cases/repeat.snl \
    %D%/cases/reuse.snl \
    %D%/cases/rim.snl \
    %D%/cases/rims_and_digits.snl \
    %D%/cases/rounded_products.snl \
    %D%/cases/rounds_of_run_time.snl \
    %D%/cases/run/lineup_without_memory.snl \
    %D%/cases/run/near_other_axis.snl \
    %D%/cases/run/params_default.snl \
    %D%/cases/run/params_given.snl \
    %D%/cases/run/prescribed_in_loops.snl \
    %D%/cases/run/print_formats.snl \
    %D%/cases/run/print_many.snl \
    %D%/cases/run/print_order.snl \
    %D%/cases/run/print_values.snl \
    %D%/cases/run/progress_quiet.snl \
    %D%/cases/run/random_under_conditions.snl \
    %D%/cases/run/string_params.snl \
    %D%/cases/run/string_params_given.snl \
    %D%/cases/run_time_extents.snl \
    %D%/cases/same_element.snl \
    %D%/cases/scatter.snl \
    %D%/cases/scatter_blocks.snl \
    %D%/cases/seed_dense_layouts.snl \
    %D%/cases/seed_sparse_tree.snl \
    %D%/cases/seed_trees_at_run_time.snl \
    %D%/cases/seed_wave.snl \
    %D%/cases/serial_cells.snl \
    %D%/cases/shared_inouts.snl \
    %D%/cases/shift_counts.snl \
    %D%/cases/small_components.snl \
    %D%/cases/small_integers.snl \
    %D%/cases/split.snl \
    %D%/cases/split_blocks.snl \
    %D%/cases/split_bounds.snl \
    %D%/cases/split_run_time.snl \
    %D%/cases/split_steady.snl \
    %D%/cases/static.snl \
    %D%/cases/static_for_tests.snl \
    %D%/cases/std/grid.snl \
    %D%/cases/std/scan.snl \
    %D%/cases/std/select.snl \
    %D%/cases/std/solve.snl \
    %D%/cases/std/sort.snl \
    %D%/cases/stream.snl \
    %D%/cases/strides.snl \
    %D%/cases/strips.snl \
    %D%/cases/struct_for.snl \
    %D%/cases/structs.snl \
    %D%/cases/subtracted_casts.snl \
    %D%/cases/sums_around.snl \
    %D%/cases/sums_cancel.snl \
    %D%/cases/sums_meet.snl \
    %D%/cases/sums_of_components.snl \
    %D%/cases/sums_of_floats.snl \
    %D%/cases/sums_of_matrices.snl \
    %D%/cases/sums_of_members.snl \
    %D%/cases/tails.snl \
    %D%/cases/tiles.snl \
    %D%/cases/trees.snl \
    %D%/cases/trees_in_loops.snl \
    %D%/cases/trees_that_change.snl \
    %D%/cases/tuned.snl \
    %D%/cases/twins.snl \
    %D%/cases/types.snl \
    %D%/cases/unroll.snl \
    %D%/cases/usual.snl \
    %D%/cases/usual_beside_rows.snl \
    %D%/cases/vector_indices_handed_on.snl \
    %D%/cases/vectors.snl \
    %D%/cases/waits.snl \
    %D%/cases/weave_whole.snl \
    %D%/cases/while_conditions.snl \
    %D%/cases/whole_powers.snl \
    %D%/cases/whole_strips.snl \
    %D%/cases/wide_constants.snl \
    %D%/cases/wide_indices.snl \
    %D%/cases/windows.snl \
    %D%/cases/without_axes.snl \
    %D%/cases/word_neighbours.snl \
    %D%/cases/words.snl
# files: case_parts = cases/parts/*.snl cases/parts/*/*.snl
case_parts = \
    %D%/cases/parts/aos.snl \
    %D%/cases/parts/deep/unit.snl \
    %D%/cases/parts/shapes.snl \
    %D%/cases/parts/tuned.snl
# files: golden_files = cases/ir/*/*.snl cases/ir/*/*.ir cases/messages/*.snl cases/messages/*.txt
golden_files = \
    %D%/cases/ir/analysis/effects.ir \
    %D%/cases/ir/analysis/effects.snl \
    %D%/cases/ir/analysis/effects_activity.ir \
    %D%/cases/ir/analysis/effects_activity.snl \
    %D%/cases/ir/gpu/graphs.ir \
    %D%/cases/ir/gpu/graphs.snl \
    %D%/cases/ir/loop/fuse.ir \
    %D%/cases/ir/loop/fuse.snl \
    %D%/cases/ir/loop/index_split.ir \
    %D%/cases/ir/loop/index_split.snl \
    %D%/cases/ir/loop/normalize.ir \
    %D%/cases/ir/loop/normalize.snl \
    %D%/cases/ir/loop/overlap_tail.ir \
    %D%/cases/ir/loop/overlap_tail.snl \
    %D%/cases/ir/loop/partition.ir \
    %D%/cases/ir/loop/partition.snl \
    %D%/cases/ir/loop/serialize.ir \
    %D%/cases/ir/loop/serialize.snl \
    %D%/cases/ir/loop/stride_guard.ir \
    %D%/cases/ir/loop/stride_guard.snl \
    %D%/cases/ir/loop/tile_ranges.ir \
    %D%/cases/ir/loop/tile_ranges.snl \
    %D%/cases/ir/loop/trim.ir \
    %D%/cases/ir/loop/trim.snl \
    %D%/cases/ir/loop/unroll.ir \
    %D%/cases/ir/loop/unroll.snl \
    %D%/cases/ir/loop/unroll_jam.ir \
    %D%/cases/ir/loop/unroll_jam.snl \
    %D%/cases/ir/loop/version_extents.ir \
    %D%/cases/ir/loop/version_extents.snl \
    %D%/cases/ir/loop/version_floats.ir \
    %D%/cases/ir/loop/version_floats.snl \
    %D%/cases/ir/lower/boundary.ir \
    %D%/cases/ir/lower/boundary.snl \
    %D%/cases/ir/lower/calls.ir \
    %D%/cases/ir/lower/calls.snl \
    %D%/cases/ir/lower/check_mode.ir \
    %D%/cases/ir/lower/check_mode.snl \
    %D%/cases/ir/lower/constant_parts.ir \
    %D%/cases/ir/lower/constant_parts.snl \
    %D%/cases/ir/lower/host.ir \
    %D%/cases/ir/lower/host.snl \
    %D%/cases/ir/lower/range_for.ir \
    %D%/cases/ir/lower/range_for.snl \
    %D%/cases/ir/lower/reductions.ir \
    %D%/cases/ir/lower/reductions.snl \
    %D%/cases/ir/lower/struct_for.ir \
    %D%/cases/ir/lower/struct_for.snl \
    %D%/cases/ir/lower/tasks.ir \
    %D%/cases/ir/lower/tasks.snl \
    %D%/cases/ir/memory/block_cache.ir \
    %D%/cases/ir/memory/block_cache.snl \
    %D%/cases/ir/memory/pack_lists.ir \
    %D%/cases/ir/memory/pack_lists.snl \
    %D%/cases/ir/memory/prefetch.ir \
    %D%/cases/ir/memory/prefetch.snl \
    %D%/cases/ir/memory/prefetch_indirect.ir \
    %D%/cases/ir/memory/prefetch_indirect.snl \
    %D%/cases/ir/memory/prefetch_strips.ir \
    %D%/cases/ir/memory/prefetch_strips.snl \
    %D%/cases/ir/memory/reorder.ir \
    %D%/cases/ir/memory/reorder.snl \
    %D%/cases/ir/memory/stage.ir \
    %D%/cases/ir/memory/stage.snl \
    %D%/cases/ir/memory/stage_scaled.ir \
    %D%/cases/ir/memory/stage_scaled.snl \
    %D%/cases/ir/memory/stage_sums_that_fail.ir \
    %D%/cases/ir/memory/stage_sums_that_fail.snl \
    %D%/cases/ir/memory/stream_stores.ir \
    %D%/cases/ir/memory/stream_stores.snl \
    %D%/cases/ir/scalar/cse.ir \
    %D%/cases/ir/scalar/cse.snl \
    %D%/cases/ir/scalar/fold.ir \
    %D%/cases/ir/scalar/fold.snl \
    %D%/cases/ir/scalar/if_convert_stores.ir \
    %D%/cases/ir/scalar/if_convert_stores.snl \
    %D%/cases/ir/scalar/inline.ir \
    %D%/cases/ir/scalar/inline.snl \
    %D%/cases/ir/scalar/licm.ir \
    %D%/cases/ir/scalar/licm.snl \
    %D%/cases/ir/scalar/licm_entry.ir \
    %D%/cases/ir/scalar/licm_entry.snl \
    %D%/cases/ir/scalar/licm_row.ir \
    %D%/cases/ir/scalar/licm_row.snl \
    %D%/cases/ir/scalar/minmax.ir \
    %D%/cases/ir/scalar/minmax.snl \
    %D%/cases/ir/scalar/range_fold.ir \
    %D%/cases/ir/scalar/range_fold.snl \
    %D%/cases/ir/scalar/sroa.ir \
    %D%/cases/ir/scalar/sroa.snl \
    %D%/cases/ir/sparse/bulk_activate.ir \
    %D%/cases/ir/sparse/bulk_activate.snl \
    %D%/cases/ir/sparse/chunk_loops.ir \
    %D%/cases/ir/sparse/chunk_loops.snl \
    %D%/cases/ir/sparse/lower_access.ir \
    %D%/cases/ir/sparse/lower_access.snl \
    %D%/cases/ir/sparse/prune_lists.ir \
    %D%/cases/ir/sparse/prune_lists.snl \
    %D%/cases/ir/sparse/reserve_appends.ir \
    %D%/cases/ir/sparse/reserve_appends.snl \
    %D%/cases/ir/sync/demote_atomics.ir \
    %D%/cases/ir/sync/demote_atomics.snl \
    %D%/cases/ir/sync/demote_atomics_races.ir \
    %D%/cases/ir/sync/demote_atomics_races.snl \
    %D%/cases/ir/sync/demote_inouts.ir \
    %D%/cases/ir/sync/demote_inouts.snl \
    %D%/cases/ir/sync/privatize.ir \
    %D%/cases/ir/sync/privatize.snl \
    %D%/cases/ir/vector/bit_slice.ir \
    %D%/cases/ir/vector/bit_slice.snl \
    %D%/cases/ir/vector/defer_scatter.ir \
    %D%/cases/ir/vector/defer_scatter.snl \
    %D%/cases/ir/vector/gather.ir \
    %D%/cases/ir/vector/gather.snl \
    %D%/cases/ir/vector/legality.ir \
    %D%/cases/ir/vector/legality.snl \
    %D%/cases/ir/vector/mask_rows.ir \
    %D%/cases/ir/vector/mask_rows.snl \
    %D%/cases/ir/vector/mask_words.ir \
    %D%/cases/ir/vector/mask_words.snl \
    %D%/cases/ir/vector/outer.ir \
    %D%/cases/ir/vector/outer.snl \
    %D%/cases/ir/vector/outer_lists.ir \
    %D%/cases/ir/vector/outer_lists.snl \
    %D%/cases/ir/vector/slp.ir \
    %D%/cases/ir/vector/slp.snl \
    %D%/cases/ir/vector/split_reductions.ir \
    %D%/cases/ir/vector/split_reductions.snl \
    %D%/cases/ir/vector/width.ir \
    %D%/cases/ir/vector/width.snl \
    %D%/cases/ir/warn/unstaged.ir \
    %D%/cases/ir/warn/unstaged.snl \
    %D%/cases/messages/activity.snl \
    %D%/cases/messages/activity.txt \
    %D%/cases/messages/bad_path.snl \
    %D%/cases/messages/bad_path.txt \
    %D%/cases/messages/blocks.snl \
    %D%/cases/messages/blocks.txt \
    %D%/cases/messages/built_in.snl \
    %D%/cases/messages/built_in.txt \
    %D%/cases/messages/calls.snl \
    %D%/cases/messages/calls.txt \
    %D%/cases/messages/constants.snl \
    %D%/cases/messages/constants.txt \
    %D%/cases/messages/constructors.snl \
    %D%/cases/messages/constructors.txt \
    %D%/cases/messages/declarations.snl \
    %D%/cases/messages/declarations.txt \
    %D%/cases/messages/expressions.snl \
    %D%/cases/messages/expressions.txt \
    %D%/cases/messages/first_only.snl \
    %D%/cases/messages/first_only.txt \
    %D%/cases/messages/generic.snl \
    %D%/cases/messages/generic.txt \
    %D%/cases/messages/host_calls.snl \
    %D%/cases/messages/host_calls.txt \
    %D%/cases/messages/host_trees.snl \
    %D%/cases/messages/host_trees.txt \
    %D%/cases/messages/inexact_division.snl \
    %D%/cases/messages/inexact_division.txt \
    %D%/cases/messages/layouts.snl \
    %D%/cases/messages/layouts.txt \
    %D%/cases/messages/loops.snl \
    %D%/cases/messages/loops.txt \
    %D%/cases/messages/lost.snl \
    %D%/cases/messages/lost.txt \
    %D%/cases/messages/no_effect.snl \
    %D%/cases/messages/no_effect.txt \
    %D%/cases/messages/nodes.snl \
    %D%/cases/messages/nodes.txt \
    %D%/cases/messages/placed.snl \
    %D%/cases/messages/placed.txt \
    %D%/cases/messages/race.snl \
    %D%/cases/messages/race.txt \
    %D%/cases/messages/remainders.snl \
    %D%/cases/messages/remainders.txt \
    %D%/cases/messages/returns.snl \
    %D%/cases/messages/returns.txt \
    %D%/cases/messages/signs.snl \
    %D%/cases/messages/signs.txt \
    %D%/cases/messages/slices.snl \
    %D%/cases/messages/slices.txt \
    %D%/cases/messages/slow_masks.snl \
    %D%/cases/messages/slow_masks.txt \
    %D%/cases/messages/static_asserts.snl \
    %D%/cases/messages/static_asserts.txt \
    %D%/cases/messages/stores.snl \
    %D%/cases/messages/stores.txt \
    %D%/cases/messages/variables.snl \
    %D%/cases/messages/variables.txt \
    %D%/cases/messages/wide.snl \
    %D%/cases/messages/wide.txt
# files: c_api_files = c-api/*.c c-api/*.snl
c_api_files = \
    %D%/c-api/errors.snl \
    %D%/c-api/errors_main.c \
    %D%/c-api/host.snl \
    %D%/c-api/host_main.c \
    %D%/c-api/lab.snl \
    %D%/c-api/main.c \
    %D%/c-api/plugin_main.c \
    %D%/c-api/streams.snl \
    %D%/c-api/streams_main.c
# files: unit_files = unit/check_*.c
unit_files = \
    %D%/unit/check_base.c \
    %D%/unit/check_check.c \
    %D%/unit/check_field.c \
    %D%/unit/check_format.c \
    %D%/unit/check_gpu_sim.c \
    %D%/unit/check_interp.c \
    %D%/unit/check_io.c \
    %D%/unit/check_io_damage.c \
    %D%/unit/check_io_unpack.c \
    %D%/unit/check_ir.c \
    %D%/unit/check_ir_repeats.c \
    %D%/unit/check_ir_verify.c \
    %D%/unit/check_layout.c \
    %D%/unit/check_main.c \
    %D%/unit/check_math.c \
    %D%/unit/check_options.c \
    %D%/unit/check_parse.c \
    %D%/unit/check_races.c \
    %D%/unit/check_runtime_atomic.c \
    %D%/unit/check_runtime_batch.c \
    %D%/unit/check_runtime_edges.c \
    %D%/unit/check_runtime_lists.c \
    %D%/unit/check_runtime_loops.c \
    %D%/unit/check_runtime_memory.c \
    %D%/unit/check_runtime_model.c \
    %D%/unit/check_runtime_orders.c \
    %D%/unit/check_runtime_pages.c \
    %D%/unit/check_runtime_pools.c \
    %D%/unit/check_runtime_short.c \
    %D%/unit/check_runtime_sweep.c \
    %D%/unit/check_runtime_threads.c \
    %D%/unit/check_scan.c \
    %D%/unit/check_stream.c \
    %D%/unit/check_tree.c
# files: unit_headers = unit/*.h
unit_headers = \
    %D%/unit/budget.h \
    %D%/unit/field_model.h \
    %D%/unit/gpu_batch.h \
    %D%/unit/io_folder.h \
    %D%/unit/model_batch.h \
    %D%/unit/model_short.h \
    %D%/unit/model_sweep.h \
    %D%/unit/program.h \
    %D%/unit/runtime_model.h \
    %D%/unit/suite.h \
    %D%/unit/world.h
# files: gpu_units = unit/*.cpp
gpu_units = \
    %D%/unit/gpu_model.cpp \
    %D%/unit/gpu_runtime.cpp \
    %D%/unit/gpu_sweep.cpp
# files: file_test_files = files/*
file_test_files = \
    %D%/files/bomb_h5.c \
    %D%/files/cells.snl.in \
    %D%/files/debug.snl \
    %D%/files/encode.py \
    %D%/files/image.snl \
    %D%/files/lab.snl \
    %D%/files/layout.snl \
    %D%/files/layout.txt \
    %D%/files/lzf.h5 \
    %D%/files/mistakes.txt \
    %D%/files/module.py \
    %D%/files/module.snl \
    %D%/files/mutate.c \
    %D%/files/read_vdb.cc \
    %D%/files/readers.py \
    %D%/files/same_picture.snl \
    %D%/files/sarif.schema.json \
    %D%/files/state.snl \
    %D%/files/textmate.js \
    %D%/files/trace.py
EXTRA_DIST += %D%/scripts/instructions.snl %D%/scripts/orders.snl %D%/elementary/errors.c
# files: script_tests = scripts/*.sh
script_tests = \
    %D%/scripts/address-sanitizer.sh \
    %D%/scripts/alarms.sh \
    %D%/scripts/alike.sh \
    %D%/scripts/bad-input.sh \
    %D%/scripts/bench.sh \
    %D%/scripts/broken-passes.sh \
    %D%/scripts/build-systems.sh \
    %D%/scripts/c-api.sh \
    %D%/scripts/compilers.sh \
    %D%/scripts/completion.sh \
    %D%/scripts/cuda.sh \
    %D%/scripts/diagnostics.sh \
    %D%/scripts/diff-built-clang.sh \
    %D%/scripts/diff-built.sh \
    %D%/scripts/diff-even.sh \
    %D%/scripts/diff.sh \
    %D%/scripts/dumps.sh \
    %D%/scripts/editors.sh \
    %D%/scripts/elementary.sh \
    %D%/scripts/environment.sh \
    %D%/scripts/exit-status.sh \
    %D%/scripts/extern.sh \
    %D%/scripts/fast.sh \
    %D%/scripts/faults-commands.sh \
    %D%/scripts/faults-files.sh \
    %D%/scripts/faults.sh \
    %D%/scripts/file-formats.sh \
    %D%/scripts/fix.sh \
    %D%/scripts/fmt.sh \
    %D%/scripts/formats.sh \
    %D%/scripts/gdb.sh \
    %D%/scripts/generated.sh \
    %D%/scripts/golden.sh \
    %D%/scripts/gpu-model.sh \
    %D%/scripts/gpu-programs.sh \
    %D%/scripts/gpu-runtime.sh \
    %D%/scripts/gpu-sweep.sh \
    %D%/scripts/hosts.sh \
    %D%/scripts/html.sh \
    %D%/scripts/install.sh \
    %D%/scripts/instructions.sh \
    %D%/scripts/layers.sh \
    %D%/scripts/layout.sh \
    %D%/scripts/library.sh \
    %D%/scripts/linear.sh \
    %D%/scripts/lsp.sh \
    %D%/scripts/manifest.sh \
    %D%/scripts/messages.sh \
    %D%/scripts/mistakes.sh \
    %D%/scripts/model.sh \
    %D%/scripts/mutations.sh \
    %D%/scripts/options.sh \
    %D%/scripts/outputs.sh \
    %D%/scripts/packages.sh \
    %D%/scripts/passes.sh \
    %D%/scripts/planted.sh \
    %D%/scripts/processes.sh \
    %D%/scripts/python.sh \
    %D%/scripts/reports.sh \
    %D%/scripts/runtime-errors.sh \
    %D%/scripts/samples.sh \
    %D%/scripts/sanitized.sh \
    %D%/scripts/snlt.sh \
    %D%/scripts/string-params.sh \
    %D%/scripts/thread-sanitizer.sh \
    %D%/scripts/tune.sh

EXTRA_DIST += $(case_files) $(case_parts) $(file_test_files) $(c_api_files) $(golden_files) $(script_tests) $(unit_headers) $(gpu_units) %D%/gpu %D%/check-gpu %D%/gpu-kit %D%/check-links %D%/README.md %D%/run-case %D%/run-page %D%/run-unit %D%/summary %D%/lib.sh %D%/races/known.supp

TEST_EXTENSIONS = .snl .sh .md
# Scripts take longest, and so come first.
TESTS += $(script_tests) $(case_files) $(example_pages) README.md
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
SNL_LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_DRIVER = $(TAP_DRIVER)
MD_LOG_DRIVER = $(TAP_DRIVER)
LOG_COMPILER = $(SHELL) $(srcdir)/%D%/run-unit
SNL_LOG_COMPILER = $(SHELL) $(srcdir)/%D%/run-case
SH_LOG_COMPILER = $(SHELL)
MD_LOG_COMPILER = $(SHELL) $(srcdir)/%D%/run-page
AM_TESTS_ENVIRONMENT = \
    SNLC='$(abs_builddir)/snlc'; SNLC_RUNTIME='$(abs_builddir)/stage'; CASE_MODES='$(CASE_MODES)'; \
    SNL_SOURCE='$(abs_srcdir)'; SNL_BUILD='$(abs_builddir)'; MANDOC='$(MANDOC)'; CMARK='$(CMARK)'; XMLLINT='$(XMLLINT)'; \
    XDG_CACHE_HOME='$(abs_builddir)/tests/cache'; TEST_CC='$(CC)'; SIM_CXX='$(SIM_CXX)'; SNL_FEATURES='$(FEATURES)'; \
    export SNLC SNLC_RUNTIME CASE_MODES SNL_SOURCE SNL_BUILD MANDOC CMARK XMLLINT XDG_CACHE_HOME TEST_CC SIM_CXX SNL_FEATURES; \
    $(INSTALL_FOLDERS)

# The part of the runtime that makes and changes trees.
tree_files = runtime/core/core.c runtime/field/field.c runtime/field/field_cells.c runtime/field/field_file.c runtime/field/field_nest.c runtime/field/field_walk.c runtime/core/gc.c \
    runtime/core/instance.c runtime/io/io_file.c runtime/io/io_snlt.c runtime/loop/packed_lists.c runtime/core/list.c runtime/core/list_sort.c runtime/tree/listgen.c runtime/program/snl_meta.c runtime/loop/reorder.c \
    runtime/core/parallel.c runtime/core/pool.c runtime/program/program.c runtime/loop/races.c runtime/core/address_space.c runtime/loop/privatize.c runtime/core/stack.c runtime/program/stats.c runtime/loop/stream_store.c \
    runtime/tree/tree.c runtime/tree/tree_gpu.c
# It again for unit/check_runtime_orders.c, which says at each atomic step which thread goes on.
EXTRA_LIBRARIES += %D%/orders/libtrees.a
%C%_orders_libtrees_a_SOURCES = $(tree_files)
%C%_orders_libtrees_a_CPPFLAGS = $(libsnlrt_a_CPPFLAGS) -DSNL_TEST_THREADS
%C%_orders_libtrees_a_CFLAGS = $(WARNING_CFLAGS) -fwrapv -ffp-contract=off
%C%_unit_check_runtime_orders_CPPFLAGS = $(AM_CPPFLAGS) -DSNL_TEST_THREADS
%C%_unit_check_runtime_orders_CFLAGS = $(WARNING_CFLAGS)
%C%_unit_check_runtime_orders_LDADD = %D%/orders/libtrees.a $(unit_libs)

unit_programs = $(unit_files:.c=)
unit_libs = libsnlc.a libsnlrt.a $(SNLC_LIBS) $(CHECK_LIBS) $(RUNTIME_LIBS)
if HAVE_CHECK
check_PROGRAMS += $(unit_programs)
TESTS += $(unit_programs)
endif
EXTRA_DIST += $(unit_files)

# Sessions with the language server for scripts/lsp.sh, and the client that plays them.
# files: lsp_sessions = lsp/*.session
lsp_sessions = \
    %D%/lsp/broken_header.session \
    %D%/lsp/broken_length.session \
    %D%/lsp/broken_line.session \
    %D%/lsp/broken_negative.session \
    %D%/lsp/complete.session \
    %D%/lsp/edit.session \
    %D%/lsp/every.session \
    %D%/lsp/hover.session \
    %D%/lsp/library.session \
    %D%/lsp/life.session \
    %D%/lsp/navigate.session \
    %D%/lsp/outline.session \
    %D%/lsp/programs.session \
    %D%/lsp/signature.session \
    %D%/lsp/together.session \
    %D%/lsp/wrong.session
EXTRA_DIST += $(lsp_sessions) %D%/tree-sitter/recognise.js %D%/tree-sitter/parse.c
if HAVE_JANSSON
check_PROGRAMS += %D%/lsp/client
%C%_lsp_client_SOURCES = %D%/lsp/client.c
%C%_lsp_client_LDADD = $(SNLC_LIBS)
endif

# The compiler with passes that break, for scripts/broken-passes.sh.
check_PROGRAMS += %D%/faults/broken
%C%_faults_broken_SOURCES = src/cli/main.c %D%/faults/broken.c
%C%_faults_broken_CPPFLAGS = $(SNLC_CPPFLAGS)
%C%_faults_broken_CFLAGS = $(SNLC_CFLAGS)
%C%_faults_broken_LDFLAGS = -Wl,--wrap=pass_cse,--wrap=pass_licm,--wrap=pass_lower_access,--wrap=ir_lower
%C%_faults_broken_LDADD = $(snlc_LDADD)

# files: trust_files = fuzz/*.c fuzz/*.h fuzz/*.snl fuzz/run fuzz/record faults/*.c faults/*.sh planted/*.snl model/*.pml
trust_files = \
    %D%/faults/broken.c \
    %D%/faults/calls.sh \
    %D%/faults/cuda.c \
    %D%/faults/shim.c \
    %D%/fuzz/child.c \
    %D%/fuzz/child.h \
    %D%/fuzz/files.c \
    %D%/fuzz/files.snl \
    %D%/fuzz/fuzz.h \
    %D%/fuzz/in_process.h \
    %D%/fuzz/lsp.c \
    %D%/fuzz/mend.c \
    %D%/fuzz/mend.h \
    %D%/fuzz/record \
    %D%/fuzz/run \
    %D%/fuzz/text.c \
    %D%/fuzz/words.c \
    %D%/model/append.pml \
    %D%/model/hash.pml \
    %D%/model/pointer.pml \
    %D%/planted/bugs.snl \
    %D%/planted/clean.snl \
    %D%/planted/inouts.snl \
    %D%/planted/large.snl \
    %D%/planted/loops.snl \
    %D%/planted/parts.snl
EXTRA_DIST += $(trust_files)

AM_CPPFLAGS = $(SNLC_CPPFLAGS) $(CHECK_CFLAGS)
LDADD = $(unit_libs)

# The headers of programs, compiled once, with the options that use_mode gives: clang refuses what was compiled with others, and
# gcc reads the text then.
c_headers = %D%/c.h.gch
$(c_headers): stage/stamp Makefile
	@$(MKDIR_P) %D%; printf '#define SNL_HASH_READ_LEAST 4096\n#include <snl/snlrt.h>\n' >%D%/c.h; rm -f $@; \
	case `$(DEFAULT_CC) --version` in *clang*) ;; *) \
	    $(DEFAULT_CC) -std=gnu11 -I$(abs_builddir)/stage/include $(DEFAULT_CFLAGS) $(OPENMP_CFLAGS) -O3 -march=native -xc-header -o $@ %D%/c.h || rm -f $@;; esac
sim_headers = %D%/sim.h.gch
sim_cflags = `case "$(SIM_CXX)" in *clang*) echo "$(GENERATED_CFLAGS)" | $(SED) 's/--param[^ ]*//';; *) echo "$(DEFAULT_CFLAGS)";; esac`
$(sim_headers): stage/stamp Makefile
	@$(MKDIR_P) %D%; printf '#define SNL_GPU\n#include <snl/snlrt.h>\n' >%D%/sim.h; rm -f $@; \
	if test -n "$(SIM_CXX)"; then \
	    $(SIM_CXX) -I$(abs_builddir)/stage/include -std=gnu++17 $(sim_cflags) $(OPENMP_CFLAGS) -O0 -fno-wrapv -fsanitize=alignment,signed-integer-overflow \
	    -fsanitize-undefined-trap-on-error -march=native -xc++-header -o $@ %D%/sim.h || \
	    rm -f $@; fi

# In place of automake's rule, so that the last line is "N passed, N failed".
check-TESTS: $(check_PROGRAMS) $(c_headers) $(sim_headers)
	@case "$(CASE_MODES)" in *-san*) $(MAKE) $(AM_MAKEFLAGS) sanitize || exit 1;; esac; \
	case "$(CASE_MODES)" in *-tsan*) $(MAKE) $(AM_MAKEFLAGS) threads || exit 1;; esac; \
	rm -f $(TEST_LOGS) $(TEST_LOGS:.log=.trs) $(TEST_SUITE_LOG); \
	$(MAKE) $(AM_MAKEFLAGS) $(TEST_SUITE_LOG); status=$$?; \
	sh $(srcdir)/%D%/summary $(TEST_LOGS:.log=.trs) || status=1; exit $$status

clean-local: clean-tests
clean-tests:
	rm -rf $(CLEAN_FOLDERS) tests/work tests/cache tests/cross tests/c.h tests/c.h.gch tests/sim.h tests/sim.h.gch tests/sanitize/include tests/threads/include $(thread_programs) $(address_programs)
# Writes the expected texts anew; read the difference before it is committed.
update-golden: all
	@cd $(srcdir) && $(AM_TESTS_ENVIRONMENT) UPDATE_GOLDEN=1 $(SHELL) -c "$(SHELL) %D%/scripts/golden.sh; $(SHELL) %D%/scripts/messages.sh"
.PHONY: sanitize threads check-threads check-address update-golden clean-tests
