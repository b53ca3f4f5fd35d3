# What other programs read: CMake, autoconf and Meson; completion in shells; modes of editors. Words and options in them are
# those of the compiler's tables.
EXTRA_DIST += %D%/words.awk %D%/vim/syntax/snl.vim.in %D%/emacs/snl-mode.el.in %D%/vscode/syntaxes/snl.tmLanguage.json.in \
    %D%/tree-sitter/grammar.js.in %D%/tree-sitter/queries/highlights.scm.in \
    %D%/cmake/snl-config.cmake.in %D%/cmake/snl-config-version.cmake.in \
    %D%/completion/tables.awk %D%/completion/bash.awk %D%/completion/snlc.bash.in %D%/completion/zsh.awk %D%/completion/fish.awk

# The standard library, also in the stage/ that an uninstalled snlc finds its runtime in.
# files: std_files = snl/std/*.snl
std_files = \
    %D%/snl/std/grid.snl \
    %D%/snl/std/histogram.snl \
    %D%/snl/std/levelset.snl \
    %D%/snl/std/noise.snl \
    %D%/snl/std/ode.snl \
    %D%/snl/std/particles.snl \
    %D%/snl/std/reduce.snl \
    %D%/snl/std/scan.snl \
    %D%/snl/std/sdf.snl \
    %D%/snl/std/select.snl \
    %D%/snl/std/solve.snl \
    %D%/snl/std/sort.snl \
    %D%/snl/std/stats.snl \
    %D%/snl/std/topology.snl \
    %D%/snl/std/unique.snl
stddir = $(datadir)/snl/std
dist_std_DATA = $(std_files)
all-local: stage/share/stamp
stage/share/stamp: $(std_files)
	@$(MKDIR_P) stage/share/snl/std && rm -f stage/share/snl/std/*.snl
	@for f in $(std_files); do cp $(srcdir)/$$f stage/share/snl/std/ || exit 1; done; touch $@

aclocaldir = $(datadir)/aclocal
dist_aclocal_DATA = %D%/aclocal/snlc.m4
gdbdir = $(pkgdatadir)/gdb
dist_gdb_DATA = %D%/gdb/snl.py
pythonmoduledir = $(pkgdatadir)/python
dist_pythonmodule_DATA = %D%/python/snl.py
mesondir = $(pkgdatadir)/meson
dist_meson_DATA = %D%/meson/meson.build
cmakedir = $(libdir)/cmake/snl
nodist_cmake_DATA = %D%/cmake/snl-config.cmake %D%/cmake/snl-config-version.cmake
bashcompletiondir = $(datadir)/bash-completion/completions
nodist_bashcompletion_DATA = %D%/completion/snlc
zshcompletiondir = $(datadir)/zsh/site-functions
nodist_zshcompletion_DATA = %D%/completion/_snlc
fishcompletiondir = $(datadir)/fish/vendor_completions.d
nodist_fishcompletion_DATA = %D%/completion/snlc.fish
vimsyntaxdir = $(datadir)/vim/vimfiles/syntax
nodist_vimsyntax_DATA = %D%/vim/syntax/snl.vim
vimdetectdir = $(datadir)/vim/vimfiles/ftdetect
dist_vimdetect_DATA = %D%/vim/ftdetect/snl.vim
vimplugindir = $(datadir)/vim/vimfiles/ftplugin
dist_vimplugin_DATA = %D%/vim/ftplugin/snl.vim
emacsdir = $(datadir)/emacs/site-lisp
nodist_emacs_DATA = %D%/emacs/snl-mode.el
vscodedir = $(pkgdatadir)/vscode
dist_vscode_DATA = %D%/vscode/package.json %D%/vscode/language-configuration.json %D%/vscode/extension.js
vscodesyntaxdir = $(vscodedir)/syntaxes
nodist_vscodesyntax_DATA = %D%/vscode/syntaxes/snl.tmLanguage.json
treesitterdir = $(pkgdatadir)/tree-sitter
dist_treesitter_DATA = %D%/tree-sitter/package.json
nodist_treesitter_DATA = %D%/tree-sitter/grammar.js
treesitterqueriesdir = $(treesitterdir)/queries
nodist_treesitterqueries_DATA = %D%/tree-sitter/queries/highlights.scm

CLEANFILES += $(nodist_cmake_DATA) $(nodist_bashcompletion_DATA) $(nodist_zshcompletion_DATA) $(nodist_fishcompletion_DATA) \
    $(nodist_vimsyntax_DATA) $(nodist_emacs_DATA) $(nodist_vscodesyntax_DATA) $(nodist_treesitter_DATA) $(nodist_treesitterqueries_DATA)

# What configure and make know; the folders are make's.
%D%/cmake/%.cmake: $(srcdir)/%D%/cmake/%.cmake.in Makefile
	@$(MKDIR_P) %D%/cmake
	$(AM_V_GEN)$(SED) -e 's|@libdir[@]|$(libdir)|' -e 's|@bindir[@]|$(bindir)|' -e 's|@includedir[@]|$(includedir)|' \
	    -e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|' -e 's|@RUNTIME_LIBS[@]|$(RUNTIME_LIBS)|' \
	    -e 's|@OPENMP_CFLAGS[@]|$(OPENMP_CFLAGS)|' -e 's|@GENERATED_CFLAGS[@]|$(GENERATED_CFLAGS)|' \
	    -e 's|@NARROW_CFLAGS[@]|$(NARROW_CFLAGS)|' \
	    $(srcdir)/%D%/cmake/$*.cmake.in >$@.tmp && mv $@.tmp $@

completion_tables = $(srcdir)/src/cli/option/commands.def $(srcdir)/src/cli/option/options.def $(srcdir)/src/pass/passes.def $(srcdir)/src/base/diags.def
completion_awk = $(MKDIR_P) %D%/completion && $(AWK) -v frame=$(srcdir)/%D%/completion/snlc.bash.in -f $(srcdir)/%D%/completion/tables.awk
%D%/completion/snlc: $(completion_tables) %D%/completion/tables.awk %D%/completion/bash.awk %D%/completion/snlc.bash.in
	$(AM_V_GEN)$(completion_awk) -f $(srcdir)/%D%/completion/bash.awk $(completion_tables) >$@.tmp && mv $@.tmp $@
%D%/completion/_snlc: $(completion_tables) %D%/completion/tables.awk %D%/completion/zsh.awk
	$(AM_V_GEN)$(completion_awk) -f $(srcdir)/%D%/completion/zsh.awk $(completion_tables) >$@.tmp && mv $@.tmp $@
%D%/completion/snlc.fish: $(completion_tables) %D%/completion/tables.awk %D%/completion/fish.awk
	$(AM_V_GEN)$(completion_awk) -f $(srcdir)/%D%/completion/fish.awk $(completion_tables) >$@.tmp && mv $@.tmp $@

word_tables = $(srcdir)/src/ast/keywords.def $(srcdir)/src/ast/types.def $(srcdir)/src/ast/nodes.def $(srcdir)/src/check/builtins.def \
    $(srcdir)/src/check/specials.def $(srcdir)/src/check/attributes.def
%D%/vim/syntax/snl.vim: $(word_tables) %D%/words.awk %D%/vim/syntax/snl.vim.in
	@$(MKDIR_P) %D%/vim/syntax
	$(AM_V_GEN)$(AWK) -f $(srcdir)/%D%/words.awk $(word_tables) $(srcdir)/%D%/vim/syntax/snl.vim.in >$@.tmp && mv $@.tmp $@
%D%/emacs/snl-mode.el: $(word_tables) %D%/words.awk %D%/emacs/snl-mode.el.in
	@$(MKDIR_P) %D%/emacs
	$(AM_V_GEN)$(AWK) -v quote=yes -f $(srcdir)/%D%/words.awk $(word_tables) $(srcdir)/%D%/emacs/snl-mode.el.in >$@.tmp && mv $@.tmp $@
%D%/vscode/syntaxes/snl.tmLanguage.json: $(word_tables) %D%/words.awk %D%/vscode/syntaxes/snl.tmLanguage.json.in
	@$(MKDIR_P) %D%/vscode/syntaxes
	$(AM_V_GEN)$(AWK) -v between='|' -f $(srcdir)/%D%/words.awk $(word_tables) $(srcdir)/%D%/vscode/syntaxes/snl.tmLanguage.json.in >$@.tmp && mv $@.tmp $@
%D%/tree-sitter/grammar.js: $(word_tables) %D%/words.awk %D%/tree-sitter/grammar.js.in
	@$(MKDIR_P) %D%/tree-sitter
	$(AM_V_GEN)$(AWK) -v between='|' -f $(srcdir)/%D%/words.awk $(word_tables) $(srcdir)/%D%/tree-sitter/grammar.js.in >$@.tmp && mv $@.tmp $@
%D%/tree-sitter/queries/highlights.scm: $(word_tables) %D%/words.awk %D%/tree-sitter/queries/highlights.scm.in
	@$(MKDIR_P) %D%/tree-sitter/queries
	$(AM_V_GEN)$(AWK) -v quote=yes -f $(srcdir)/%D%/words.awk $(word_tables) $(srcdir)/%D%/tree-sitter/queries/highlights.scm.in >$@.tmp && mv $@.tmp $@
