# libsnlrt.a, its headers, and a staging folder in the form of an installation, from which an uninstalled snlc works.
# files: runtime_files = */*.c
runtime_files = \
    %D%/core/address_space.c \
    %D%/core/core.c \
    %D%/core/gc.c \
    %D%/core/instance.c \
    %D%/core/list.c \
    %D%/core/list_sort.c \
    %D%/core/memory.c \
    %D%/core/omp_team.c \
    %D%/core/parallel.c \
    %D%/core/pool.c \
    %D%/core/stack.c \
    %D%/field/field.c \
    %D%/field/field_cells.c \
    %D%/field/field_file.c \
    %D%/field/field_nest.c \
    %D%/field/field_walk.c \
    %D%/field/tape.c \
    %D%/gpu/sim_lanes.c \
    %D%/io/io_absent.c \
    %D%/io/io_array.c \
    %D%/io/io_csv.c \
    %D%/io/io_formats.c \
    %D%/io/io_h5.c \
    %D%/io/io_h5_library.c \
    %D%/io/io_h5_lzf.c \
    %D%/io/io_npy.c \
    %D%/io/io_npz.c \
    %D%/io/io_nvdb_read.c \
    %D%/io/io_nvdb_sum.c \
    %D%/io/io_nvdb_write.c \
    %D%/io/io_ply.c \
    %D%/io/io_png.c \
    %D%/io/io_points.c \
    %D%/io/io_snlt.c \
    %D%/io/io_stream.c \
    %D%/io/io_unpack.c \
    %D%/io/io_vti.c \
    %D%/io/io_vtk_read.c \
    %D%/io/io_vtk_write.c \
    %D%/io/io_vtp.c \
    %D%/io/io_vtu.c \
    %D%/io/io_xdmf.c \
    %D%/loop/block_cache.c \
    %D%/loop/packed_lists.c \
    %D%/loop/privatize.c \
    %D%/loop/races.c \
    %D%/loop/reorder.c \
    %D%/loop/stream_store.c \
    %D%/program/bench_timer.c \
    %D%/program/crash.c \
    %D%/program/program.c \
    %D%/program/snl_format.c \
    %D%/program/snl_format_parse.c \
    %D%/program/snl_main.c \
    %D%/program/snl_meta.c \
    %D%/program/snl_progress.c \
    %D%/program/stats.c \
    %D%/program/stats_report.c \
    %D%/tree/bulk_activate.c \
    %D%/tree/desc_copy.c \
    %D%/tree/hash_tables.c \
    %D%/tree/listgen.c \
    %D%/tree/tree.c \
    %D%/tree/tree_gpu.c
# files: runtime_private_files = */*_inside.h io/*.h
runtime_private_files = \
    %D%/core/locale_inside.h \
    %D%/field/field_inside.h \
    %D%/io/io_h5.h \
    %D%/io/io_nvdb.h \
    %D%/io/io_points.h \
    %D%/io/io_stream.h \
    %D%/io/io_unpack.h \
    %D%/io/io_vtk.h
# Headers are installed in the same rooms: those that programs include, then those that these include.
# files: snlinclude_HEADERS = *.h
snlinclude_HEADERS = \
    %D%/snl_api.h \
    %D%/snl_cpp.h \
    %D%/snl_meta.h \
    %D%/snlrt.h
# files: snlcore_HEADERS = core/*.h !*_inside.h
snlcore_HEADERS = \
    %D%/core/address_space.h \
    %D%/core/core.h \
    %D%/core/core_cell.h \
    %D%/core/core_dynamic.h \
    %D%/core/core_gc.h \
    %D%/core/core_hash.h \
    %D%/core/core_listgen.h \
    %D%/core/core_node.h \
    %D%/core/core_pool.h \
    %D%/core/core_races.h \
    %D%/core/core_store.h \
    %D%/core/instance.h \
    %D%/core/list.h \
    %D%/core/omp_team.h \
    %D%/core/parallel.h \
    %D%/core/platform.h \
    %D%/core/pool.h \
    %D%/core/subnormals.h
# files: snltree_HEADERS = tree/*.h !*_inside.h
snltree_HEADERS = \
    %D%/tree/node_bitmasked.h \
    %D%/tree/node_dynamic.h \
    %D%/tree/node_hash.h \
    %D%/tree/node_pointer.h \
    %D%/tree/tree.h
# files: snlloop_HEADERS = loop/*.h !*_inside.h
snlloop_HEADERS = \
    %D%/loop/block_cache.h \
    %D%/loop/deferred_scatter.h \
    %D%/loop/float4.h \
    %D%/loop/float_class.h \
    %D%/loop/mask_bits.h \
    %D%/loop/mask_vector.h \
    %D%/loop/packed_lists.h \
    %D%/loop/privatize.h \
    %D%/loop/races.h \
    %D%/loop/reorder.h \
    %D%/loop/row_shift.h \
    %D%/loop/stream_store.h
# files: snlgpu_HEADERS = gpu/*.h !*_inside.h
snlgpu_HEADERS = \
    %D%/gpu/gpu.h \
    %D%/gpu/gpu_array.h \
    %D%/gpu/gpu_atomic.h \
    %D%/gpu/gpu_cuda.h \
    %D%/gpu/gpu_errors.h \
    %D%/gpu/gpu_field_copy.h \
    %D%/gpu/gpu_graph.h \
    %D%/gpu/gpu_memcpy.h \
    %D%/gpu/gpu_scatter.h \
    %D%/gpu/gpu_stack.h \
    %D%/gpu/gpu_tree.h \
    %D%/gpu/gpu_vmm.h \
    %D%/gpu/gpu_warp.h \
    %D%/gpu/sim_host.h \
    %D%/gpu/sim_lanes.h \
    %D%/gpu/sim_trap.h
# files: snlfield_HEADERS = field/*.h !*_inside.h
snlfield_HEADERS = \
    %D%/field/copy_nest.h \
    %D%/field/field.h \
    %D%/field/tape.h
# files: snlmath_HEADERS = math/*.h !*_inside.h
snlmath_HEADERS = \
    %D%/math/snl_atomic.h \
    %D%/math/snl_elementary.h \
    %D%/math/snl_elementary_f64.h \
    %D%/math/snl_linalg.h \
    %D%/math/snl_linalg_f16.h \
    %D%/math/snl_linalg_real.h \
    %D%/math/snl_math.h \
    %D%/math/snl_random.h \
    %D%/math/snl_scalar.h
# files: snlprogram_HEADERS = program/*.h !*_inside.h
snlprogram_HEADERS = \
    %D%/program/bench_timer.h \
    %D%/program/crash.h \
    %D%/program/program.h \
    %D%/program/snl_format.h \
    %D%/program/snl_io.h \
    %D%/program/snl_main.h \
    %D%/program/stats.h \
    %D%/program/stats_records.h

lib_LIBRARIES += libsnlrt.a
snlincludedir = $(includedir)/snl
snlcoredir = $(snlincludedir)/core
snltreedir = $(snlincludedir)/tree
snlloopdir = $(snlincludedir)/loop
snlgpudir = $(snlincludedir)/gpu
snlfielddir = $(snlincludedir)/field
snlmathdir = $(snlincludedir)/math
snlprogramdir = $(snlincludedir)/program
runtime_header_files = $(snlinclude_HEADERS) $(snlcore_HEADERS) $(snltree_HEADERS) $(snlloop_HEADERS) $(snlgpu_HEADERS) $(snlfield_HEADERS) $(snlmath_HEADERS) $(snlprogram_HEADERS)
specsdir = $(libdir)/snl
dist_specs_DATA = %D%/narrow.specs
runtimesourcedir = $(pkgdatadir)/runtime
dist_runtimesource_DATA = $(runtime_files) $(runtime_private_files)
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = %D%/snl.pc

RUNTIME_CPPFLAGS = -include config.h $(HDF5_CFLAGS)
libsnlrt_a_SOURCES = $(runtime_files) $(runtime_private_files)
libsnlrt_a_CPPFLAGS = $(RUNTIME_CPPFLAGS)
libsnlrt_a_CFLAGS = $(AM_CFLAGS) -O3 -fPIC -fwrapv -ffp-contract=off -fno-math-errno

all-local: stage/stamp
stage/stamp: libsnlrt.a $(runtime_header_files) $(runtime_files) $(runtime_private_files)
	@rm -rf stage/include stage/share/snlc/runtime && $(MKDIR_P) stage/lib stage/share/snlc/runtime
	@for f in $(runtime_files) $(runtime_private_files); do cp $(srcdir)/$$f stage/share/snlc/runtime/ || exit 1; done
	@for f in $(runtime_header_files); do to=stage/include/snl/$${f#runtime/}; \
	    $(MKDIR_P) "$${to%/*}" && cp $(srcdir)/$$f "$$to" || exit 1; done
	@cp libsnlrt.a stage/lib/ && touch $@
clean-local: clean-stage
clean-stage:
	rm -rf stage
.PHONY: clean-stage
