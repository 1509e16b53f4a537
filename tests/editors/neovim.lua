-- What a user of Neovim sees and does, headless: PYTHON runs the server, FILE is opened, PLUGIN is our runtime folder.
local passed, failed = 0, 0

local function check(name, does)
  local fine, why = pcall(does)
  passed, failed = passed + (fine and 1 or 0), failed + (fine and 0 or 1)
  io.write(("%s %s%s\n"):format(fine and "ok" or "FAIL", name, fine and "" or ": " .. tostring(why)))
end

local function eventually(what, condition)
  assert(vim.wait(20000, condition, 20), what)
end

vim.opt.runtimepath:prepend(vim.env.PLUGIN)
vim.cmd("filetype on")
vim.cmd("runtime! ftdetect/opencl.lua plugin/burstline.lua")
vim.lsp.config("burstline", { cmd = { vim.env.PYTHON, "-m", "burstline_server.cli.main", "serve" } })
vim.cmd.edit(vim.env.FILE)
local buffer = vim.api.nvim_get_current_buf()
local client

local function lines()
  return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end

--- Put the cursor on the first place of a text.
local function go_to(text)
  for row, line in ipairs(lines()) do
    local column = line:find(text, 1, true)
    if column then
      return vim.api.nvim_win_set_cursor(0, { row, column - 1 })
    end
  end
  error("no " .. text)
end

local function ask(method, params)
  params = params or vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answer = assert(client:request_sync(method, params, 10000, buffer), method)
  assert(not answer.err, vim.inspect(answer.err))
  return answer.result
end

local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return window
    end
  end
end

--- The text of the window that opens, which is closed again.
local function floating_text()
  eventually("no window opened", floating)
  local window = floating()
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n")
  vim.api.nvim_win_close(window, true)
  return text
end

local function hint_labels()
  return table.concat(
    vim.tbl_map(function(hint)
      return hint.inlay_hint.label
    end, vim.lsp.inlay_hint.get({ bufnr = buffer })),
    " | "
  )
end

check("the file is OpenCL, not Lisp", function()
  assert(vim.bo.filetype == "opencl", vim.bo.filetype)
end)
check("the server is attached", function()
  eventually("no client", function()
    client = vim.lsp.get_clients({ bufnr = buffer, name = "burstline" })[1]
    return client and client.initialized
  end)
  assert(client.offset_encoding == "utf-8")
end)
check("findings", function()
  eventually("none", function()
    return #vim.diagnostic.get(buffer) > 0
  end)
  assert(vim.iter(vim.diagnostic.get(buffer)):any(function(found)
    return found.code == "BL106"
  end))
end)
check("hints are drawn", function()
  eventually("none", function()
    return hint_labels():find("s · %d+ %%")
  end)
end)
check("the hints' command hides them", function()
  vim.cmd.BurstlineHints()
  assert(not vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }))
  vim.cmd.BurstlineHints()
  assert(vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }))
end)
check("the estimate stands over the kernel", function()
  eventually("no lens", function()
    local lens = vim.lsp.codelens.get(buffer)[1]
    return lens and lens.command and lens.command.title:find("≈", 1, true)
  end)
end)
check("the lens opens the kernel's card", function()
  go_to("void scale")
  vim.lsp.codelens.run()
  assert(floating_text():find("scale · single work-item", 1, true))
  go_to("y[i] =")
  vim.cmd.BurstlineKernel()
  assert(floating_text():find("scale · single work-item", 1, true))
end)
check("an access's card", function()
  go_to("x[i]")
  vim.lsp.buf.hover()
  assert(floating_text():find("Burst-coalesced", 1, true))
end)
check("definition", function()
  go_to("grown(2.0f")
  vim.lsp.buf.definition()
  eventually("the cursor stayed", function()
    return vim.api.nvim_win_get_cursor(0)[1] == 1
  end)
end)
check("completion", function()
  go_to("grown(2.0f")
  local found = vim.tbl_map(function(item)
    return item.label
  end, ask("textDocument/completion"))
  assert(vim.list_contains(found, "get_global_id") and vim.list_contains(found, "grown"))
end)
check("tokens with address spaces", function()
  go_to("x[i]")
  local at = vim.api.nvim_win_get_cursor(0)
  eventually("no token", function()
    local tokens = vim.lsp.semantic_tokens.get_at_pos(buffer, at[1] - 1, at[2])
    return tokens and tokens[1] and tokens[1].modifiers.global
  end)
end)
check("folds", function()
  vim.wo.foldmethod, vim.wo.foldexpr = "expr", "v:lua.vim.lsp.foldexpr()"
  eventually("none", function()
    return vim.fn.foldlevel(5) > 0
  end)
end)
check("rename", function()
  go_to("grown(float")
  vim.lsp.buf.rename("bigger")
  eventually("not renamed", function()
    local text = table.concat(lines(), "\n")
    return select(2, text:gsub("bigger", "")) == 2 and not text:find("grown", 1, true)
  end)
end)
check("a fix is made, and the figures follow", function()
  local before = hint_labels()
  go_to("x[i]")
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title:find("^Unroll the loop over i 16 times") ~= nil
    end,
  })
  eventually("no pragma", function()
    return table.concat(lines(), "\n"):find("#pragma unroll 16", 1, true)
  end)
  eventually("the hints stayed", function()
    return hint_labels() ~= "" and hint_labels() ~= before
  end)
end)
check("a changed burstline.toml is noticed", function()
  local before = vim.inspect(vim.diagnostic.get(buffer))
  vim.wait(2500, function() end)
  vim.fn.writefile({ 'board = "s10mx_hbm2"' }, vim.fs.joinpath(vim.fs.dirname(vim.env.FILE), "burstline.toml"))
  eventually("nothing happened", function()
    return vim.inspect(vim.diagnostic.get(buffer)) ~= before
  end)
end)
check("the settings' file is completed", function()
  vim.cmd.edit(vim.fs.joinpath(vim.fs.dirname(vim.env.FILE), "burstline.toml"))
  local settings = vim.api.nvim_get_current_buf()
  local attached
  eventually("not attached", function()
    attached = vim.lsp.get_clients({ bufnr = settings, name = "burstline" })[1]
    return attached and attached.initialized
  end)
  vim.api.nvim_buf_set_lines(settings, 0, -1, false, { 'board = "' })
  vim.api.nvim_win_set_cursor(0, { 1, 9 })
  local params = vim.lsp.util.make_position_params(0, attached.offset_encoding)
  local answer = attached:request_sync("textDocument/completion", params, 10000, settings)
  assert(vim.iter(answer.result):any(function(item)
    return item.label == "p520"
  end))
end)
check("the lens asks for missing sizes, and writes them", function()
  local file = vim.fs.joinpath(vim.fs.dirname(vim.env.FILE), "unsized.cl")
  vim.fn.writefile({ "__kernel void f(__global int *y, int n) { for (int i = 0; i < n; i++) y[i] = i; }" }, file)
  vim.cmd.edit(file)
  local unsized = vim.api.nvim_get_current_buf()
  eventually("no lens", function()
    return vim.iter(vim.lsp.codelens.get(unsized)):any(function(lens)
      return lens.command and lens.command.title == "Set n to see the time"
    end)
  end)
  local asked
  vim.ui.input = function(options, done)
    asked = options
    done("4000000")
  end
  vim.lsp.commands["burstline.giveSizes"]({ arguments = { vim.uri_from_bufnr(unsized), "f" } })
  eventually("no comment", function()
    return vim.api.nvim_buf_get_lines(unsized, 0, 1, false)[1] == "// burstline: n=4000000"
  end)
  assert(asked.prompt == "n of f: " and asked.default == "1024")
end)
check("the server stops", function()
  client:stop()
  eventually("it runs on", function()
    return client:is_stopped()
  end)
end)
check("another OpenCL server is told of", function()
  local alone, beside = {}, {}
  vim.lsp.config.burstline.before_init(alone)
  vim.lsp.config("opencl_ls", { cmd = { "true" }, filetypes = { "opencl" } })
  vim.lsp.enable("opencl_ls")
  vim.lsp.config.burstline.before_init(beside)
  assert(#alone.initializationOptions.otherServers == 0)
  assert(beside.initializationOptions.otherServers[1] == "opencl_ls")
end)
io.write(("%d passed, %d failed\n"):format(passed, failed))
os.exit(failed == 0 and 0 or 1)
