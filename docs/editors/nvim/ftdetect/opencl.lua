-- Neovim takes .cl for Lisp.
vim.filetype.add({ extension = { cl = "opencl", ocl = "opencl", clh = "opencl" } })
