-- What a user of an old Neovim sees and does, headless: `burstline` is on the path, FILE is opened, RECIPE is loaded.
local passed, failed = 0, 0

local function check(name, does)
  local fine, why = pcall(does)
  passed, failed = passed + (fine and 1 or 0), failed + (fine and 0 or 1)
  io.write(("%s %s%s\n"):format(fine and "ok" or "FAIL", name, fine and "" or ": " .. tostring(why)))
end

local function eventually(what, condition)
  assert(vim.wait(20000, condition, 20), what)
end

dofile(vim.env.RECIPE)
vim.cmd("edit " .. vim.env.FILE)
local buffer = vim.api.nvim_get_current_buf()
local client

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

--- Put the cursor on the first place of a text.
local function go_to(wanted)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local column = line:find(wanted, 1, true)
    if column then
      return vim.api.nvim_win_set_cursor(0, { row, column - 1 })
    end
  end
  error("no " .. wanted)
end

local function floating_text()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n")
    end
  end
end

check("the file is OpenCL, not Lisp", function()
  assert(vim.bo.filetype == "opencl", vim.bo.filetype)
end)
check("the server is attached", function()
  eventually("no client", function()
    client = vim.lsp.get_client_by_id(next(vim.lsp.buf_get_clients(buffer)))
    return client and client.initialized
  end)
end)
check("findings", function()
  eventually("none", function()
    return #vim.diagnostic.get(buffer) > 0
  end)
  local codes = vim.tbl_map(function(found)
    return found.code or vim.tbl_get(found, "user_data", "lsp", "code")
  end, vim.diagnostic.get(buffer))
  assert(vim.tbl_contains(codes, "BL106"), vim.inspect(codes))
end)
check("the estimate stands over the kernel, for the board of the settings above the file", function()
  vim.api.nvim_exec_autocmds("BufEnter", { buffer = buffer })
  eventually("no lens", function()
    local lens = vim.lsp.codelens.get(buffer)[1]
    return lens and lens.command and lens.command.title:find("≈ 14.4 µs", 1, true) -- 9.39 µs on the default board
  end)
end)
check("an access's card", function()
  go_to("x[i]")
  vim.lsp.buf.hover()
  eventually("no card", function()
    return (floating_text() or ""):find("Prefetching", 1, true)
  end)
end)
check("definition", function()
  go_to("grown(2.0f")
  vim.lsp.buf.definition()
  eventually("the cursor stayed", function()
    return vim.api.nvim_win_get_cursor(0)[1] == 1
  end)
end)
check("rename", function()
  go_to("grown(float")
  vim.lsp.buf.rename("bigger")
  eventually("not renamed", function()
    return select(2, text():gsub("bigger", "")) == 2 and not text():find("grown", 1, true)
  end)
end)
check("a fix is made, and the estimate follows", function()
  local before = vim.lsp.codelens.get(buffer)[1].command.title
  vim.ui.select = function(actions, options, choose)
    for _, action in ipairs(actions) do
      if options.format_item(action):find("^Unroll the loop over i 16 times") then
        return choose(action)
      end
    end
  end
  go_to("x[i]")
  vim.lsp.buf.code_action()
  eventually("no pragma", function()
    return text():find("#pragma unroll 16", 1, true)
  end)
  vim.api.nvim_exec_autocmds("InsertLeave", { buffer = buffer })
  eventually("the estimate stayed", function()
    local lens = vim.lsp.codelens.get(buffer)[1]
    return lens and lens.command and lens.command.title ~= before
  end)
end)
check("the server stops", function()
  client.stop()
  eventually("it runs on", function()
    return client.is_stopped()
  end)
end)
io.write(("%d passed, %d failed\n"):format(passed, failed))
vim.cmd(failed == 0 and "qall!" or "cquit")
