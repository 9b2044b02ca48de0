--- What is known of the selected paper of a list, and why it is there, in a window beside the list.
---
--- The server is asked once the selection rests. Nothing opens unless 'completeopt' wants a preview,
--- and where Neovim would split the window for one, the card floats.
local compat = require('cite_lsp.compat')

local M = {}

local REST_MS = 150
local NARROWEST, WIDEST = 36, 72
local LOWEST, HIGHEST = 8, 16

-- The last selection has the ticket: what comes of an earlier one is not shown.
local ticket, window = 0, nil

local function is_open()
  return window ~= nil and vim.api.nvim_win_is_valid(window)
end

local function shut()
  if is_open() then
    pcall(vim.api.nvim_win_close, window, true)
  end
  window = nil
end

local function is_wanted()
  local wishes = vim.o.completeopt
  return wishes:find('popup') ~= nil or wishes:find('preview') ~= nil
end

--- Return the free part of the screen beside the list, or else below or above it: its edges, and
--- whether the list is at its right or its bottom. The line of the cursor is never part of it.
local function room_beside(list)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local line = vim.fn.screenpos(0, cursor[1], cursor[2] + 1).row - 1
  local columns, rows = vim.o.columns, vim.o.lines - vim.o.cmdheight
  local left, right = list.col, list.col + list.width + (list.scrollbar and 1 or 0)
  local above, below = math.min(list.row, line), math.max(list.row + list.height, line + 1)
  if math.max(columns - right, left) >= NARROWEST and rows - list.row >= LOWEST then
    if columns - right >= left then
      return { top = list.row, bottom = rows, left = right, right = columns }
    end
    return { top = list.row, bottom = rows, left = 0, right = left, to_right = true }
  end
  if rows - below >= above then
    return { top = below, bottom = rows, left = 0, right = columns }
  end
  return { top = 0, bottom = above, left = 0, right = columns, to_bottom = true }
end

local function fitted(lines, room)
  local widest, height = 1, 0
  for _, text in ipairs(lines) do
    widest = math.max(widest, vim.fn.strdisplaywidth(text))
  end
  local width = math.min(widest, room.right - room.left, WIDEST)
  for _, text in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(text) / width))
  end
  height = math.min(height, room.bottom - room.top, HIGHEST)
  return {
    relative = 'editor',
    style = 'minimal',
    focusable = false,
    row = room.to_bottom and room.bottom - height or room.top,
    col = room.to_right and room.right - width or room.left,
    width = width,
    height = height,
  }
end

--- Show lines of Markdown in the window; one that is open is changed, not opened again.
local function show(lines)
  local place = fitted(lines, room_beside(vim.fn.pum_getpos()))
  if place.height < 1 then
    shut()
    return
  end
  if is_open() then
    vim.api.nvim_win_set_config(window, place)
  else
    local bufnr = vim.api.nvim_create_buf(false, true)
    vim.bo[bufnr].bufhidden = 'wipe'
    place.noautocmd = true
    window = vim.api.nvim_open_win(bufnr, false, place)
    compat.mark_down(bufnr)
    vim.wo[window].wrap = true
    vim.wo[window].linebreak = true
    vim.wo[window].conceallevel = 2
  end
  vim.api.nvim_buf_set_lines(vim.api.nvim_win_get_buf(window), 0, -1, false, lines)
  vim.api.nvim_win_set_cursor(window, { 1, 0 })
end

local function ask(client, item, bufnr)
  local asked = ticket
  compat.request(client, 'completionItem/resolve', item, function(err, resolved)
    if asked ~= ticket or vim.fn.pumvisible() == 0 then
      return
    end
    local known = not err and type(resolved) == 'table' and resolved.documentation
    if known and known ~= vim.NIL then
      show(vim.lsp.util.convert_input_to_markdown_lines(known))
    else
      shut()
    end
  end, bufnr)
end

--- Follow the selection to an item, or to none (nil).
function M.follow(client, item, bufnr)
  ticket = ticket + 1
  local followed = ticket
  local provider = client and client.server_capabilities.completionProvider
  local resolves = provider and provider.resolveProvider
  vim.defer_fn(function()
    if followed ~= ticket then
      return
    end
    if item and resolves and is_wanted() then
      ask(client, item, bufnr)
    else
      shut()
    end
  end, REST_MS)
end

--- Put the card away, with the list.
function M.close()
  ticket = ticket + 1
  shut()
end

return M
