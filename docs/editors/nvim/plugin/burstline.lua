-- Burstline in Neovim 0.11: hints at the ends of lines, estimates over each kernel, and three commands.
--   :BurstlineHints          show or hide the hints of this file
--   :BurstlineKernel [NAME]  the card of the kernel under the cursor, or of the one that is named
--   :BurstlineExplain CODE   the page about a finding

local group = vim.api.nvim_create_augroup("burstline", {})

local function client_of(buffer)
  return vim.lsp.get_clients({ name = "burstline", bufnr = buffer })[1]
end

--- Run a command of the server and hand its answer on.
local function run(command, arguments, done)
  local client = client_of(0)
  if not client then
    return vim.notify("Burstline is not running in this buffer", vim.log.levels.WARN)
  end
  client:request("workspace/executeCommand", { command = command, arguments = arguments }, function(failed, answer)
    if not failed and answer and done then
      done(answer)
    end
  end, 0)
end

local function show_kernel(name)
  run("burstline.showKernel", { vim.uri_from_bufnr(0), name, true }, function(text)
    vim.lsp.util.open_floating_preview(vim.split(text, "\n"), "text", { border = "rounded", focus_id = "burstline" })
  end)
end

--- The kernel around the cursor, by the outline.
local function kernel_here(done)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local params = { textDocument = vim.lsp.util.make_text_document_params() }
  client_of(0):request("textDocument/documentSymbol", params, function(_, symbols)
    for _, symbol in ipairs(symbols or {}) do
      if symbol.detail and symbol.range.start.line <= row and row <= symbol.range["end"].line then
        return done(symbol.name)
      end
    end
  end, 0)
end

-- The code lens over a kernel opens its card in a window of its own.
vim.lsp.commands["burstline.showKernel"] = function(command)
  show_kernel(command.arguments[2])
end

-- The lens next to it asks for the sizes that are missing, one after the other, and writes them above the kernel.
vim.lsp.commands["burstline.giveSizes"] = function(command)
  local uri, kernel = command.arguments[1], command.arguments[2]
  run("burstline.missingSizes", { uri, kernel }, function(missing)
    local answers = vim.empty_dict()
    local function ask(at)
      local one = missing[at]
      if not one then
        return #missing > 0 and run("burstline.giveSizes", { uri, kernel, answers })
      end
      local from = (one.from or "") ~= "" and (" (%s)"):format(one.from) or ""
      vim.ui.input({ prompt = ("%s of %s%s: "):format(one.name, kernel, from), default = one.usual }, function(answer)
        if answer then
          answers[one.setting] = answer
          ask(at + 1)
        end
      end)
    end
    ask(1)
  end)
end

vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  callback = function(event)
    if not client_of(event.buf) then
      return
    end
    vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    vim.lsp.codelens.refresh({ bufnr = event.buf })
    vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "TextChanged" }, {
      group = group,
      buffer = event.buf,
      callback = function()
        vim.lsp.codelens.refresh({ bufnr = event.buf })
      end,
    })
  end,
})

vim.api.nvim_create_user_command("BurstlineHints", function()
  local shown = vim.lsp.inlay_hint.is_enabled({ bufnr = 0 })
  vim.lsp.inlay_hint.enable(not shown, { bufnr = 0 })
end, { desc = "Show or hide Burstline's hints" })

vim.api.nvim_create_user_command("BurstlineKernel", function(command)
  if command.args ~= "" then
    show_kernel(command.args)
  elseif client_of(0) then
    kernel_here(show_kernel)
  end
end, { nargs = "?", desc = "Show a kernel's card" })

vim.api.nvim_create_user_command("BurstlineExplain", function(command)
  run("burstline.explain", { command.args })
end, { nargs = 1, desc = "Open the page about a finding" })

-- The keys and boards of a burstline.toml are completed as well.
vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  group = group,
  pattern = "burstline.toml",
  callback = function(event)
    local config = vim.lsp.config.burstline
    config.root_dir = config.root_dir or vim.fs.root(event.buf, config.root_markers)
    vim.lsp.start(config, { bufnr = event.buf })
  end,
})

-- Colours of the semantic tokens that only OpenCL has; a colour scheme may set its own.
for modifier, target in pairs({ global = "Identifier", ["local"] = "Type", constant = "Constant", channel = "Special" }) do
  vim.api.nvim_set_hl(0, "@lsp.mod." .. modifier .. ".opencl", { link = target, default = true })
end

vim.lsp.enable("burstline")
