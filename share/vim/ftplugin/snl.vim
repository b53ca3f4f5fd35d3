" Vim settings for SNL: comments, indentation as in C, :make with the errors of snlc.
if exists("b:did_ftplugin")
    finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s
setlocal comments=s1:/*,mb:*,ex:*/,://
setlocal formatoptions-=t formatoptions+=croql
setlocal cindent cinoptions+=L0,j1 expandtab shiftwidth=4 softtabstop=4
setlocal suffixesadd=.snl
setlocal include=^\\s*import
setlocal makeprg=snlc\ check\ --color=never\ %:S
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %tote:\ %m,%-G%.%#

let b:undo_ftplugin = "setlocal commentstring< comments< formatoptions< cindent< cinoptions< expandtab< shiftwidth<"
    \ . " softtabstop< suffixesadd< include< makeprg< errorformat<"
