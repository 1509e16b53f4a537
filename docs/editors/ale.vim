" Vim 8 or 9 with ALE: source this from your vimrc, after ALE is loaded.

autocmd BufNewFile,BufRead *.cl,*.ocl,*.clh set filetype=opencl

function! s:Root(buffer) abort
  let l:settings = ale#path#FindNearestFile(a:buffer, 'burstline.toml')
  return fnamemodify(empty(l:settings) ? bufname(a:buffer) : l:settings, ':p:h')
endfunction

call ale#linter#Define('opencl', {
\   'name': 'burstline',
\   'lsp': 'stdio',
\   'executable': 'burstline',
\   'command': '%e serve',
\   'project_root': function('s:Root'),
\})
