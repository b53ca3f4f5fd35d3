autocmd BufNewFile,BufRead *.snl setfiletype snl
