" Vim settings for SNL: comments, indentation as in C, :make with the errors of snlc, :SnlFormat for the canonical form.
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

" The buffer through snlc fmt; left alone when that fails.
function! s:Format() abort
    let l:lines = systemlist('snlc fmt -q -', getline(1, '$'))
    if v:shell_error
        echohl ErrorMsg | echo join(l:lines, "\n") | echohl None
        return
    endif
    let l:view = winsaveview()
    call setline(1, l:lines)
    silent! execute (len(l:lines) + 1) . ',$delete _'
    call winrestview(l:view)
endfunction
command! -buffer SnlFormat call s:Format()

let b:undo_ftplugin = "setlocal commentstring< comments< formatoptions< cindent< cinoptions< expandtab< shiftwidth<"
    \ . " softtabstop< suffixesadd< include< makeprg< errorformat<"
    \ . " | delcommand SnlFormat"
