-- The first five minutes in Neovim, headless: FILE is opened, its sizes are given, its first line read, an access
-- hovered, the first edit made. Prints a line of JSON for each picture and one for what was promised.
-- PYTHON runs the server, PLUGIN is our runtime folder, SIZES and HOVER are lists in JSON.
local COLUMNS, LINES = 128, 26

local function eventually(what, condition)
  local found
  assert(vim.wait(60000, function()
    found = condition()
    return found
  end, 20), "waited in vain for " .. what)
  return found
end

local function say(record)
  io.write(vim.json.encode(record) .. "\n")
end

--- The window that floats, with the number of its grid and where that begins; nothing without one.
local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      local top, left = unpack(vim.api.nvim_win_get_position(window))
      for grid = 2, 200 do
        local there, cell = pcall(vim.api.nvim__inspect_cell, grid, 0, 0)
        if there and cell[1] == "╭" then
          return { grid = grid, top = top, left = left }
        end
      end
    end
  end
end

--- A place's character and how it looks: what floats, and messages, lie over the grid of the text.
local function cell_at(row, column, card)
  local over = card and row >= card.top and column >= card.left
  local inside, found = false, {}
  if over then
    inside, found = pcall(vim.api.nvim__inspect_cell, card.grid, row - card.top, column - card.left)
  end
  if inside and found[1] and found[1] ~= "" then
    return found[1], found[2] or {}
  end
  local message = row >= vim.o.lines - vim.o.cmdheight
  local look = not message and vim.api.nvim__inspect_cell(1, row, column)[2]
  return vim.fn.screenstring(row + 1, column + 1), look or {}
end

--- The screen as it is drawn: runs of characters that look the same, row by row.
local function picture(name)
  vim.cmd("redraw!")
  local rows, card = {}, floating()
  for row = 0, vim.o.lines - 1 do
    local runs = {}
    for column = 0, vim.o.columns - 1 do
      local text, look = cell_at(row, column, card)
      local front, back = look.foreground or -1, look.background or -1
      if look.reverse then
        front, back = back, front
      end
      local last = runs[#runs]
      if last and last.front == front and last.back == back and last.bold == (look.bold or false) then
        last.text = last.text .. text
      else
        runs[#runs + 1] = { text = text, front = front, back = back, bold = look.bold or false }
      end
    end
    rows[#rows + 1] = runs
  end
  say({ picture = name, rows = rows })
end

vim.o.columns, vim.o.lines, vim.o.termguicolors, vim.o.background = COLUMNS, LINES, true, "light"
vim.o.number, vim.o.signcolumn, vim.o.laststatus, vim.o.wrap = true, "yes", 0, false
vim.opt.runtimepath:prepend(vim.env.PLUGIN)
vim.cmd("filetype on | syntax on")
vim.cmd("runtime! ftdetect/opencl.lua plugin/burstline.lua")
vim.lsp.config("burstline", { cmd = { vim.env.PYTHON, "-m", "burstline_server.cli.main", "serve" } })
vim.cmd.edit(vim.env.FILE)
local buffer = vim.api.nvim_get_current_buf()
local sizes, hover = vim.json.decode(vim.env.SIZES), vim.json.decode(vim.env.HOVER)

--- The first line over the kernel that begins so.
local function lens(pattern)
  for _, one in ipairs(vim.lsp.codelens.get(buffer)) do
    if one.command and one.command.title:find(pattern) then
      return one.command
    end
  end
end

--- Whether hints are drawn.
local function hinted()
  return #vim.lsp.inlay_hint.get({ bufnr = buffer }) > 0
end

--- Put the cursor on a word in the first line that holds others as well.
local function go_to(word, others)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local all = vim.iter(others):all(function(other)
      return line:find(other, 1, true)
    end)
    local column = all and line:find("%f[%w_]" .. word .. "%f[^%w_]")
    if column then
      return vim.api.nvim_win_set_cursor(0, { row, column - 1 })
    end
  end
  error("no " .. word)
end

local function walk()
  eventually("the question for sizes", function()
    return lens("^Set .* to see the time") and hinted()
  end)
  vim.wait(300)
  picture("1-open")

  local at = 0
  vim.ui.input = function(options, done)
    at = at + 1
    vim.api.nvim_echo({ { options.prompt .. sizes[at] } }, false, {})
    if at == 1 then
      picture("2-sizes")
    end
    done(sizes[at])
  end
  local set = lens("^Set ")
  vim.lsp.commands[set.command](set)
  local first = eventually("a time", function()
    vim.lsp.codelens.refresh({ bufnr = buffer })
    vim.wait(200)
    return lens("^≈ [%d.]+ [^%s/]+ [(·]") or lens("^at most [%d.]+ [^%s/]+ [(·]")
  end).title
  vim.api.nvim_echo({ { "" } }, false, {})
  vim.wait(500)
  picture("3-first-line")

  go_to(hover[1], vim.list_slice(hover, 2))
  --- The window of a card, once it has one.
  local function card()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        return window
      end
    end
  end
  vim.lsp.buf.hover({ border = "rounded", max_width = 86, max_height = 12 })
  eventually("the card", card)
  picture("4-hover")
  vim.api.nvim_win_close(card(), true)

  local title
  vim.ui.select = function(items, options, done)
    local listed = { "Code actions:" }
    for number, item in ipairs(items) do
      listed[#listed + 1] = ("%d: %s"):format(number, options.format_item(item))
    end
    title = options.format_item(items[1])
    vim.o.cmdheight = #listed + 2
    vim.api.nvim_echo({ { table.concat(listed, "\n") .. "\nType number and <Enter>: 1" } }, false, {})
    picture("5-edit")
    vim.o.cmdheight = 1
    done(items[1])
  end
  vim.lsp.buf.code_action()
  eventually("the edits", function()
    return title
  end)
  local promised = assert(title:match("→ ([%d.]+ [^%s,)]+)"), "the first action is " .. title)
  local kept = vim.wait(60000, function()
    vim.lsp.codelens.refresh({ bufnr = buffer })
    vim.wait(200)
    return (lens("^≈ " .. vim.pesc(promised)) or lens("^at most " .. vim.pesc(promised))) and hinted()
  end, 20)
  vim.api.nvim_echo({ { "" } }, false, {})
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.wait(500)
  picture("6-made")
  local after = lens("^≈") or lens("^at most")
  say({ first = first, title = title, promised = promised, kept = kept, after = after and after.title or "" })
end

local fine, why = xpcall(walk, debug.traceback)
if not fine then
  io.stderr:write(why .. "\n")
end
vim.cmd(fine and "qa!" or "cq!")
