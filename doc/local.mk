# files: dist_doc_DATA += *.md *.png *.json
dist_doc_DATA += \
    %D%/cookbook.md \
    %D%/design.md \
    %D%/errors.md \
    %D%/from-openvdb.md \
    %D%/from-taichi.md \
    %D%/install.md \
    %D%/julia.png \
    %D%/manifest.schema.json \
    %D%/quality.md \
    %D%/stability.md \
    %D%/tried.md

tutorialdir = $(docdir)/tutorial
# files: dist_tutorial_DATA = tutorial/*.md tutorial/*.png
dist_tutorial_DATA = \
    %D%/tutorial/01-a-loop.md \
    %D%/tutorial/02-edges.md \
    %D%/tutorial/03-numbers.md \
    %D%/tutorial/04-a-model.md \
    %D%/tutorial/05-layouts.md \
    %D%/tutorial/06-mistakes.md \
    %D%/tutorial/07-sparse.md \
    %D%/tutorial/08-the-front.md \
    %D%/tutorial/09-sparks.md \
    %D%/tutorial/10-no-edges.md \
    %D%/tutorial/README.md \
    %D%/tutorial/front.png \
    %D%/tutorial/plain.png \
    %D%/tutorial/plate0200.png \
    %D%/tutorial/wind.png
# Pages whose examples are tests, see tests/run-page.
# files: example_pages = tutorial/*-*.md from-*.md cookbook.md design.md
example_pages = \
    %D%/cookbook.md \
    %D%/design.md \
    %D%/from-openvdb.md \
    %D%/from-taichi.md \
    %D%/tutorial/01-a-loop.md \
    %D%/tutorial/02-edges.md \
    %D%/tutorial/03-numbers.md \
    %D%/tutorial/04-a-model.md \
    %D%/tutorial/05-layouts.md \
    %D%/tutorial/06-mistakes.md \
    %D%/tutorial/07-sparse.md \
    %D%/tutorial/08-the-front.md \
    %D%/tutorial/09-sparks.md \
    %D%/tutorial/10-no-edges.md

# Links between installed pages, and to the samples, are those of the installation.
install-data-hook:
	@$(SHELL) $(srcdir)/build-aux/install-links "$(DESTDIR)" "$(docdir)" "$(pkgdatadir)/samples"

# The manual as HTML, in the folder html. All files of it lie in three folders.
dist_noinst_DATA = %D%/html/style.css
html-local: snlc man/snl-std.7
	@SNLC='$(abs_builddir)/snlc' SNL_SOURCE='$(abs_srcdir)' SNL_BUILD='$(abs_builddir)' MANDOC='$(MANDOC)' CMARK='$(CMARK)' VERSION='$(VERSION)' \
	    $(SHELL) $(srcdir)/build-aux/html html
	@echo "the manual is html/index.html"
install-html-local: html-local
	@for d in . man tutorial; do \
	    [ -d html/$$d ] || continue; \
	    $(MKDIR_P) "$(DESTDIR)$(htmldir)/html/$$d" || exit; \
	    $(INSTALL_DATA) html/$$d/*.* "$(DESTDIR)$(htmldir)/html/$$d" || exit; \
	done
uninstall-hook:
	rm -rf "$(DESTDIR)$(htmldir)/html"
CLEAN_FOLDERS = html html.work gallery gallery.work coverage
