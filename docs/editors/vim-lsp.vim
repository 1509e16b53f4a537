" Vim 9 with vim-lsp: source this from your vimrc, after vim-lsp is on the runtime path.

let g:lsp_inlay_hints_enabled = 1

autocmd BufNewFile,BufRead *.cl,*.ocl,*.clh set filetype=opencl

function! s:Root() abort
  let l:marks = ['burstline.toml', '.git/']
  return lsp#utils#path_to_uri(lsp#utils#find_nearest_parent_file_directory(lsp#utils#get_buffer_path(), l:marks))
endfunction

autocmd User lsp_setup call lsp#register_server({
\   'name': 'burstline',
\   'cmd': ['burstline', 'serve'],
\   'allowlist': ['opencl'],
\   'root_uri': {-> s:Root()},
\})
