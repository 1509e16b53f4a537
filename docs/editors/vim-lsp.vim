" Vim 9 with vim-lsp: source this from your vimrc, after vim-lsp is on the runtime path.

let g:lsp_inlay_hints_enabled = 1

autocmd BufNewFile,BufRead *.cl,*.ocl,*.clh set filetype=opencl

autocmd User lsp_setup call lsp#register_server({
\   'name': 'burstline',
\   'cmd': ['burstline', 'serve'],
\   'allowlist': ['opencl'],
\})
