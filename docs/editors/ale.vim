" Vim 8 or 9 with ALE: source this from your vimrc, after ALE is loaded.

autocmd BufNewFile,BufRead *.cl,*.ocl,*.clh set filetype=opencl

call ale#linter#Define('opencl', {
\   'name': 'burstline',
\   'lsp': 'stdio',
\   'executable': 'burstline',
\   'command': '%e serve',
\   'project_root': {buffer -> fnamemodify(bufname(buffer), ':p:h')},
\})
