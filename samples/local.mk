# files: sample_files = *.snl */*.snl */*.c */Makefile */*.npy */*.png */*.md *.md
sample_files = \
    %D%/README.md \
    %D%/c-program/Makefile \
    %D%/c-program/heat.snl \
    %D%/c-program/main.c \
    %D%/c-program/material.snl \
    %D%/cloth.snl \
    %D%/data/README.md \
    %D%/data/portrait.png \
    %D%/data/terrain.npy \
    %D%/filter.snl \
    %D%/fluid.snl \
    %D%/julia.snl \
    %D%/laplace2d/blocks.snl \
    %D%/laplace2d/columns.snl \
    %D%/laplace2d/laplace.snl \
    %D%/laplace2d/rows.snl \
    %D%/laplace2d/sparse.snl \
    %D%/life.snl \
    %D%/mpm3d.snl \
    %D%/mpm88.snl \
    %D%/mpm99.snl \
    %D%/nbody.snl \
    %D%/poisson.snl \
    %D%/sph.snl \
    %D%/volume.snl \
    %D%/wave1d/aos.snl \
    %D%/wave1d/soa.snl \
    %D%/wave1d/wave.snl
samplesdir = $(pkgdatadir)
nobase_dist_samples_DATA = $(sample_files)

# Pictures of the samples and a page with them, in the folder gallery. GALLERY="julia life" makes these only.
gallery: all
	@SNLC='$(abs_builddir)/snlc' SNLC_RUNTIME='$(abs_builddir)/stage' SNL_SOURCE='$(abs_srcdir)' \
	    $(SHELL) $(srcdir)/build-aux/gallery gallery $(GALLERY)
	@echo "the pictures are in gallery/index.html"
.PHONY: gallery
