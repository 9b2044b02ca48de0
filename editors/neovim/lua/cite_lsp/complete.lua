--- Completion of citations in insert mode, by 'omnifunc' and, where wanted, by itself.
---
--- The server has chosen and ordered the items for what is typed, words of a title included. Vim
--- would keep those alone whose key starts with it; so each item is marked as always matching, and
--- the list is asked for again with every letter.
local card = require('cite_lsp.card')
local compat = require('cite_lsp.compat')
local server = require('cite_lsp.server')

local M = {}

-- Of each buffer: the request under way (`id`, `client`, `ticket`; `by_key` where a key asked), the
-- list that was shown last (`items`, and in `tails` what each replaces behind the cursor) and where it
-- begins (`row`, `start`). Without `row`, typing goes on in no list.
-- `opener` says that what may open a list was typed since the text was last looked at, `left` is
-- the cursor where a key has closed one, and `taken` that behind an item that was taken from one.
local sessions = {}

local QUIET = 'menu,menuone,noinsert'

local function session_of(bufnr)
  sessions[bufnr] = sessions[bufnr] or { ticket = 0 }
  return sessions[bufnr]
end

local function forget_request(session)
  session.ticket = session.ticket + 1
  if session.id then
    compat.cancel(session.client, session.id)
    session.id = nil
  end
end

local function in_insert_mode()
  return vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
end

local function word_of(item)
  return item.textEdit and item.textEdit.newText or item.insertText or item.label
end

local function menu_item(item, number)
  local word, details = word_of(item), item.labelDetails
  local key = word:gsub(',%s*$', '') -- before another key of a list it comes with a comma
  local rest = item.label
  if details then
    rest = (details.detail or '') .. '  ' .. (details.description or '')
  elseif vim.startswith(item.label, key) then
    rest = item.label:sub(#key + 1)
  end
  return {
    word = word,
    abbr = key,
    menu = vim.trim(rest),
    equal = 1,
    dup = 1,
    empty = 1,
    user_data = { cite_lsp = number },
  }
end

--- Open the menu. A list that nobody asked for by key must not put its first item into the text.
local function open_menu(session, start, shown, asked_for)
  local function open()
    session.opening = true
    vim.fn.complete(start + 1, shown)
    session.opening = nil
  end
  local wishes = vim.o.completeopt
  if asked_for or wishes:find('noinsert') or wishes:find('noselect') then
    open()
  else
    compat.with_completeopt(QUIET, open)
  end
end

--- Return the column where the text begins that an item replaces, and what of it is behind the cursor.
local function replaced_by(item, line, column, encoding)
  local edit = item.textEdit
  if not edit then
    return column, ''
  end
  local range = edit.range or edit.replace
  local start = compat.byte_column(line, range.start.character, encoding)
  local stop = compat.byte_column(line, range['end'].character, encoding)
  return start, line:sub(column + 1, math.max(stop, column))
end

--- Show a list; where its first item begins, all do.
local function show(session, client, items, asked_for)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local row, column = cursor[1], cursor[2]
  local line = vim.api.nvim_get_current_line()
  local start, tails = column, {}
  for number = #items, 1, -1 do
    start, tails[number] = replaced_by(items[number], line, column, client.offset_encoding)
  end
  session.row, session.start = row, session.row == row and math.min(session.start, start) or start
  if #items == 0 and vim.fn.pumvisible() == 0 then
    return
  end
  session.items, session.tails = items, tails
  local shown = {}
  for number, item in ipairs(items) do
    shown[number] = menu_item(item, number)
  end
  open_menu(session, start, shown, asked_for)
  if #items == 0 then
    card.close()
  end
end

local ask

local function answer_handler(session, client, bufnr, elsewhere)
  local ticket, tick = session.ticket, vim.api.nvim_buf_get_changedtick(bufnr)
  return function(err, list)
    if ticket ~= session.ticket then
      return
    end
    session.id = nil
    if vim.api.nvim_get_current_buf() ~= bufnr or not in_insert_mode() then
      return
    end
    if tick ~= vim.api.nvim_buf_get_changedtick(bufnr) then
      ask(bufnr, elsewhere) -- typed on meanwhile: that list is of a text that is gone
    elseif err or not list or list == vim.NIL then
      session.row = nil
      if elsewhere then
        elsewhere()
      end
    else
      show(session, client, list.items or list, elsewhere ~= nil)
    end
  end
end

--- Ask for the list at the cursor. Who asked by key says what to do where no citation is being written.
ask = function(bufnr, elsewhere)
  local client = server.of(bufnr)
  if not client then
    if elsewhere then
      elsewhere()
    end
    return
  end
  local session = session_of(bufnr)
  forget_request(session)
  session.by_key = elsewhere ~= nil
  local cursor = vim.api.nvim_win_get_cursor(0)
  local uri, position = server.place(client, bufnr, cursor[1], cursor[2])
  local params = {
    textDocument = { uri = uri },
    position = position,
    context = { triggerKind = 1 },
  }
  local handler = answer_handler(session, client, bufnr, elsewhere)
  session.client = client
  session.id = compat.request(client, 'textDocument/completion', params, handler, bufnr)
end

--- Ask the 'omnifunc' that stood here before; it is a name, not always of a function that Lua can call.
local function ask_before(bufnr)
  local known, before = pcall(vim.api.nvim_buf_get_var, bufnr, 'cite_lsp_omnifunc_before')
  if not known or before == '' then
    return
  end
  local function call(findstart, base)
    return vim.api.nvim_eval(('%s(%d, %s)'):format(before, findstart, vim.fn.string(base)))
  end
  local start = call(1, '')
  if type(start) ~= 'number' or start < 0 then
    return
  end
  local line, column = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2]
  local found = call(0, line:sub(start + 1, column))
  local words = type(found) == 'table' and (found.words or found) or {}
  if in_insert_mode() then
    vim.fn.complete(start + 1, words)
  end
end

--- What 'omnifunc' calls: the list opens as soon as the server has answered.
function M.omnifunc(findstart, _)
  if findstart == 0 then
    return {}
  end
  local bufnr = vim.api.nvim_get_current_buf()
  ask(bufnr, function()
    ask_before(bufnr)
  end)
  return -2 -- nothing yet, but stay in completion mode
end

--- Whether what stands before the cursor is the selected item, put there by going through the list.
local function going_through_list(session, before_cursor)
  local selected = vim.fn.complete_info({ 'selected' }).selected
  local item = selected >= 0 and session.items and session.items[selected + 1]
  return item and before_cursor:sub(session.start + 1) == word_of(item)
end

local function opens_list(client, character)
  local provider = client.server_capabilities.completionProvider
  return provider and vim.tbl_contains(provider.triggerCharacters or {}, character)
end

--- Whether a character that is typed may open a list: by itself, or as the first in a citation that is empty.
local function may_open(client, session, character)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local before = vim.api.nvim_get_current_line():sub(cursor[2], cursor[2])
  local first = before ~= ' ' and opens_list(client, before) and not vim.deep_equal(session.left, cursor)
  return first or opens_list(client, character)
end

--- Ask again where typing goes on in a list, or where a character was typed that may open one.
local function typed(bufnr, autocomplete)
  local client = server.of(bufnr)
  if not client then
    return
  end
  if vim.fn.pumvisible() == 0 then
    card.close()
  end
  local session = session_of(bufnr)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local before_cursor = vim.api.nvim_get_current_line():sub(1, cursor[2])
  if session.row == cursor[1] and session.start <= cursor[2] then
    if vim.fn.pumvisible() == 0 or not going_through_list(session, before_cursor) then
      ask(bufnr)
    end
  elseif autocomplete then
    local opens = opens_list(client, before_cursor:sub(-1)) and not vim.deep_equal(session.taken, cursor)
    if session.id or session.opener or opens then
      ask(bufnr)
    end
  end
  session.opener = nil
end

--- Drop the rest of the key that an item replaces, and do what else the item brings.
local function finish(bufnr, session, item, tail)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local row, column = cursor[1], cursor[2]
  local after = vim.api.nvim_get_current_line():sub(column + 1)
  if tail ~= '' and vim.startswith(after, tail) then
    vim.api.nvim_buf_set_text(bufnr, row - 1, column, row - 1, column + #tail, {})
  end
  local client = session.client
  if item.additionalTextEdits then
    vim.lsp.util.apply_text_edits(item.additionalTextEdits, bufnr, client.offset_encoding)
  end
  local command = item.command
  if command and server.knows(client, command.command) then
    server.execute(client, command.command, command.arguments, bufnr, function() end)
  end
end

--- Return the item of a list that one of Vim's items was made from, and its tail, or nil.
local function origin_of(session, completed)
  local data = type(completed) == 'table' and completed.user_data
  local number = type(data) == 'table' and data.cite_lsp
  if not number or not session.items or not session.items[number] then
    return nil
  end
  return session.items[number], session.tails[number]
end

local function leave_list(session)
  session.row, session.opener, session.left, session.taken = nil, nil, nil, nil
  forget_request(session)
end

--- Leave a list that a key has closed; one that a change of the text has closed opens again, and so does
--- what is asked for by key at once: CTRL-X closes the list and CTRL-O asks for it.
local function leave_unless_changed(bufnr, session)
  local tick, ticket = vim.api.nvim_buf_get_changedtick(bufnr), session.ticket
  vim.schedule(function()
    local same = vim.api.nvim_buf_is_valid(bufnr) and tick == vim.api.nvim_buf_get_changedtick(bufnr)
    local asked_for = session.by_key and ticket ~= session.ticket
    if same and not asked_for then
      leave_list(session)
      session.left = vim.api.nvim_win_get_cursor(0)
    end
  end)
end

--- Tell an item that was taken from a list that was only closed.
local function done(bufnr)
  local session = session_of(bufnr)
  if session.opening then
    return -- a list gave way to a newer one
  end
  card.close()
  local item, tail = origin_of(session, vim.v.completed_item)
  local column = vim.api.nvim_win_get_cursor(0)[2]
  local before_cursor = vim.api.nvim_get_current_line():sub(1, column)
  local begins = item and column - #word_of(item)
  -- An item can have been selected and not taken: the text tells.
  if item and begins >= session.start and before_cursor:sub(begins + 1) == word_of(item) then
    leave_list(session)
    finish(bufnr, session, item, tail)
    session.taken = vim.api.nvim_win_get_cursor(0)
    return
  end
  leave_unless_changed(bufnr, session)
end

--- Watch a buffer: what is taken from a list, and what is typed in one; with `autocomplete`, before one too.
function M.watch(bufnr, autocomplete)
  local group = vim.api.nvim_create_augroup('cite_lsp_complete_' .. bufnr, { clear = true })
  local function on(events, act)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = bufnr, callback = act })
  end
  on('CompleteDone', function()
    done(bufnr)
  end)
  on('CompleteChanged', function()
    local session = session_of(bufnr)
    local item = origin_of(session, vim.v.event.completed_item)
    card.follow(session.client, item, bufnr)
  end)
  on('InsertCharPre', function()
    local client, session = server.of(bufnr), session_of(bufnr)
    if client and may_open(client, session, vim.v.char) then
      session.opener = true
    end
  end)
  on({ 'TextChangedI', 'TextChangedP' }, function()
    typed(bufnr, autocomplete)
  end)
  on('InsertLeave', function()
    leave_list(session_of(bufnr))
  end)
  on('BufUnload', function()
    sessions[bufnr] = nil
  end)
end

return M
