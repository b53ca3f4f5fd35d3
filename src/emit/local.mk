# files: snlc_files += *.c
snlc_files += \
    %D%/emit.c \
    %D%/emit_abreast.c \
    %D%/emit_ahead.c \
    %D%/emit_apart.c \
    %D%/emit_batch.c \
    %D%/emit_body.c \
    %D%/emit_cells.c \
    %D%/emit_fetch.c \
    %D%/emit_func.c \
    %D%/emit_gpu.c \
    %D%/emit_halo.c \
    %D%/emit_halo_row.c \
    %D%/emit_helper.c \
    %D%/emit_interface.c \
    %D%/emit_launch.c \
    %D%/emit_lines.c \
    %D%/emit_lineup.c \
    %D%/emit_loop.c \
    %D%/emit_main.c \
    %D%/emit_manifest.c \
    %D%/emit_mask.c \
    %D%/emit_names.c \
    %D%/emit_near.c \
    %D%/emit_order.c \
    %D%/emit_parallel.c \
    %D%/emit_parts.c \
    %D%/emit_patch.c \
    %D%/emit_place.c \
    %D%/emit_plan.c \
    %D%/emit_planes.c \
    %D%/emit_quad.c \
    %D%/emit_race.c \
    %D%/emit_range.c \
    %D%/emit_reduce.c \
    %D%/emit_rows.c \
    %D%/emit_scalar.c \
    %D%/emit_split.c \
    %D%/emit_stmt.c \
    %D%/emit_strips.c \
    %D%/emit_sums.c \
    %D%/emit_table.c \
    %D%/emit_task.c \
    %D%/emit_tile.c \
    %D%/emit_tree.c \
    %D%/emit_type.c \
    %D%/emit_usual.c \
    %D%/emit_value.c \
    %D%/emit_version.c \
    %D%/emit_window.c \
    %D%/emit_word.c \
    %D%/emit_wrap.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/emit.h \
    %D%/file.h \
    %D%/inside.h \
    %D%/loops.h \
    %D%/parallel.h
