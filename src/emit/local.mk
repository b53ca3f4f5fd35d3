# files: snlc_files += */*.c
snlc_files += \
    %D%/code/activity.c \
    %D%/code/declarations.c \
    %D%/code/func.c \
    %D%/code/helper.c \
    %D%/code/inline_plan.c \
    %D%/code/names.c \
    %D%/code/place.c \
    %D%/code/scalar.c \
    %D%/code/stmt.c \
    %D%/code/type.c \
    %D%/code/value.c \
    %D%/file/cpp.c \
    %D%/file/interface.c \
    %D%/file/lines.c \
    %D%/file/main.c \
    %D%/file/manifest.c \
    %D%/file/param.c \
    %D%/file/parts.c \
    %D%/file/source.c \
    %D%/file/table.c \
    %D%/file/wrap.c \
    %D%/gpu/gpu_privatize.c \
    %D%/gpu/gpu_stage_sums.c \
    %D%/gpu/gpu_sync.c \
    %D%/gpu/gpu_tiles.c \
    %D%/loop/cell_loops.c \
    %D%/loop/launch.c \
    %D%/loop/list_loops.c \
    %D%/loop/loop.c \
    %D%/loop/mask_loops.c \
    %D%/loop/nest.c \
    %D%/loop/parallel.c \
    %D%/loop/partition.c \
    %D%/loop/races.c \
    %D%/loop/range_loops.c \
    %D%/loop/reductions.c \
    %D%/loop/strip_tails.c \
    %D%/loop/task.c \
    %D%/loop/versions.c \
    %D%/memory/block_cache.c \
    %D%/memory/neighbour_index.c \
    %D%/memory/prefetch.c \
    %D%/memory/prefetch_indirect.c \
    %D%/memory/reorder.c \
    %D%/memory/stage_halo.c \
    %D%/memory/stage_rows.c \
    %D%/memory/stage_scaled.c \
    %D%/vector/bit_slice.c \
    %D%/vector/defer_scatter.c \
    %D%/vector/float4.c \
    %D%/vector/mask_rows.c \
    %D%/vector/mask_vector.c \
    %D%/vector/outer_vector.c \
    %D%/vector/version_floats.c
# files: snlc_header_files += *.h */*.h
snlc_header_files += \
    %D%/code/code.h \
    %D%/emit.h \
    %D%/file/file.h \
    %D%/loop/loops.h \
    %D%/loop/parallel.h
