-- How the server is started. Change any of it with vim.lsp.config("burstline", { … }) in your own set-up.

--- The other OpenCL servers that are switched on: what they give as well, Burstline leaves to them.
local function other_servers()
  return vim.tbl_filter(function(name)
    local config = vim.lsp.is_enabled(name) and vim.lsp.config[name]
    return config and vim.list_contains(config.filetypes or {}, "opencl")
  end, { "clangd", "opencl_ls" })
end

return {
  cmd = { "burstline", "serve" },
  filetypes = { "opencl" },
  root_markers = { "burstline.toml", ".git" },
  settings = { burstline = {} },
  before_init = function(params)
    params.initializationOptions = { otherServers = other_servers() }
  end,
}
