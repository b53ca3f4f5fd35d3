# libsnlrt.a, its headers, and a staging folder in the form of an installation, from which an uninstalled snlc works.
# files: runtime_files = *.c
runtime_files = \
    %D%/core.c \
    %D%/field.c \
    %D%/field_cells.c \
    %D%/field_file.c \
    %D%/field_nest.c \
    %D%/field_walk.c \
    %D%/gc.c \
    %D%/gpu_sim.c \
    %D%/instance.c \
    %D%/io_array.c \
    %D%/io_file.c \
    %D%/io_h5.c \
    %D%/io_h5_library.c \
    %D%/io_npy.c \
    %D%/io_npz.c \
    %D%/io_nvdb_read.c \
    %D%/io_nvdb_sum.c \
    %D%/io_nvdb_write.c \
    %D%/io_png.c \
    %D%/io_snlt.c \
    %D%/io_vti.c \
    %D%/io_vtk_read.c \
    %D%/io_vtk_write.c \
    %D%/io_vtu.c \
    %D%/io_xdmf.c \
    %D%/line.c \
    %D%/list.c \
    %D%/list_sort.c \
    %D%/listgen.c \
    %D%/measure.c \
    %D%/meta.c \
    %D%/order.c \
    %D%/parallel.c \
    %D%/patch.c \
    %D%/pool.c \
    %D%/program.c \
    %D%/races.c \
    %D%/range.c \
    %D%/scatter.c \
    %D%/snl_format.c \
    %D%/snl_format_parse.c \
    %D%/snl_main.c \
    %D%/snl_progress.c \
    %D%/stack.c \
    %D%/stats.c \
    %D%/stream.c \
    %D%/team.c \
    %D%/tree.c \
    %D%/tree_gpu.c \
    %D%/twins.c
# files: runtime_private_files = *_inside.h io_*.h
runtime_private_files = \
    %D%/field_inside.h \
    %D%/io_file.h \
    %D%/io_h5.h \
    %D%/io_nvdb.h \
    %D%/io_vtk.h \
    %D%/locale_inside.h
# files: runtime_header_files = *.h !io_*.h !*_inside.h
runtime_header_files = \
    %D%/batch.h \
    %D%/core.h \
    %D%/core_cell.h \
    %D%/core_dynamic.h \
    %D%/core_gc.h \
    %D%/core_hash.h \
    %D%/core_listgen.h \
    %D%/core_node.h \
    %D%/core_pool.h \
    %D%/core_races.h \
    %D%/core_store.h \
    %D%/field.h \
    %D%/gpu.h \
    %D%/gpu_array.h \
    %D%/gpu_atomic.h \
    %D%/gpu_bytes.h \
    %D%/gpu_cuda.h \
    %D%/gpu_graph.h \
    %D%/gpu_move.h \
    %D%/gpu_note.h \
    %D%/gpu_scatter.h \
    %D%/gpu_sim.h \
    %D%/gpu_stack.h \
    %D%/gpu_stand_in.h \
    %D%/gpu_trap.h \
    %D%/gpu_tree.h \
    %D%/gpu_vmm.h \
    %D%/gpu_warp.h \
    %D%/instance.h \
    %D%/line.h \
    %D%/list.h \
    %D%/mask_block.h \
    %D%/mask_word.h \
    %D%/measure.h \
    %D%/nest.h \
    %D%/node_bitmasked.h \
    %D%/node_dynamic.h \
    %D%/node_hash.h \
    %D%/node_pointer.h \
    %D%/order.h \
    %D%/parallel.h \
    %D%/patch.h \
    %D%/platform.h \
    %D%/pool.h \
    %D%/program.h \
    %D%/quad.h \
    %D%/races.h \
    %D%/range.h \
    %D%/row.h \
    %D%/scatter.h \
    %D%/snl_api.h \
    %D%/snl_atomic.h \
    %D%/snl_elementary.h \
    %D%/snl_elementary_f64.h \
    %D%/snl_format.h \
    %D%/snl_io.h \
    %D%/snl_linalg.h \
    %D%/snl_linalg_f16.h \
    %D%/snl_linalg_real.h \
    %D%/snl_main.h \
    %D%/snl_math.h \
    %D%/snl_meta.h \
    %D%/snl_random.h \
    %D%/snl_scalar.h \
    %D%/snlrt.h \
    %D%/stats.h \
    %D%/stream.h \
    %D%/team.h \
    %D%/tree.h \
    %D%/usual.h

lib_LIBRARIES += libsnlrt.a
snlincludedir = $(includedir)/snl
snlinclude_HEADERS = $(runtime_header_files)
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = %D%/snl.pc

RUNTIME_CPPFLAGS = -include config.h $(HDF5_CFLAGS)
libsnlrt_a_SOURCES = $(runtime_files) $(runtime_private_files)
libsnlrt_a_CPPFLAGS = $(RUNTIME_CPPFLAGS)
libsnlrt_a_CFLAGS = $(AM_CFLAGS) -O3 -fPIC -fwrapv -ffp-contract=off -fno-math-errno

all-local: stage/stamp
stage/stamp: libsnlrt.a $(runtime_header_files)
	@$(MKDIR_P) stage/include/snl stage/lib
	@for f in $(runtime_header_files); do cp $(srcdir)/$$f stage/include/snl/ || exit 1; done
	@cp libsnlrt.a stage/lib/ && touch $@
clean-local: clean-stage
clean-stage:
	rm -rf stage
.PHONY: clean-stage
