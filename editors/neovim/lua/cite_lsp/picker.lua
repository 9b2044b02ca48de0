--- Choosing a paper through `vim.ui.select`: to cite it, to keep its entry, or to have it left out.
local config = require('cite_lsp.config')
local rows = require('cite_lsp.rows')
local server = require('cite_lsp.server')

local M = {}

local LIMIT = 20
local LINKED = 200
local namespace = vim.api.nvim_create_namespace('cite_lsp_place')
local last_keys = {}

--- Return the keys that were recommended last, best first.
function M.last_keys()
  return last_keys
end

--- Hold on to a place while the text around it may change; call what is returned for where it is now.
---
--- Who is typing goes on behind it; elsewhere the place is a character, and what is typed comes before that.
local function hold(bufnr, row, column)
  local line = vim.api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1] or ''
  local mode = vim.api.nvim_get_mode().mode
  local typing = mode:sub(1, 1) == 'i' or mode:sub(1, 3) == 'niI'
  local mark = vim.api.nvim_buf_set_extmark(bufnr, namespace, row - 1, math.min(column, #line), {
    right_gravity = column == 0 or not typing, -- lines put above a line move its start
  })
  return function()
    local at = vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})
    vim.api.nvim_buf_del_extmark(bufnr, namespace, mark)
    return at[1] + 1, at[2]
  end
end

local function here()
  local bufnr = vim.api.nvim_get_current_buf()
  local cursor = vim.api.nvim_win_get_cursor(0)
  return bufnr, cursor[1], cursor[2]
end

--- Let the writer choose among rows; `act(row, row_number, column)` with the place as it is by then.
---
--- `where` is what `hold` returned for a place of the buffer.
local function choose_held(found, prompt, bufnr, where, act)
  vim.ui.select(found, {
    prompt = prompt,
    kind = 'cite_lsp',
    format_item = rows.line,
  }, function(row)
    if not vim.api.nvim_buf_is_valid(bufnr) then
      return
    end
    local line, column = where()
    if row then
      act(row, line, column)
    end
  end)
end

--- The same for a place that is held from now on.
function M.choose(found, prompt, place, act)
  local where = hold(place.bufnr, place.row, place.column)
  choose_held(found, prompt, place.bufnr, where, act)
end

--- Execute a command on a key at a place; `after(done)` is called with whether that was done.
local function command_at(client, command, bufnr, row, column, key, refused, after)
  after = after or function() end
  local uri, position = server.place(client, bufnr, row, column)
  server.execute(client, command, { uri, position, key }, bufnr, function(done)
    if done ~= true then
      config.complain(refused:format(key))
    end
    after(done == true)
  end, function()
    after(false)
  end)
end

--- Cite a key at a place, from 1 and 0 on as `nvim_win_get_cursor` counts; then call `after(done)`.
function M.insert_at(client, bufnr, row, column, key, after)
  local refused = 'no citation of %s can go there, or there is one already'
  command_at(client, 'citeLsp.insert', bufnr, row, column, key, refused, after)
end

--- Cite a key at the cursor.
function M.insert(key)
  local bufnr, row, column = here()
  local client = server.needed(bufnr)
  if client then
    M.insert_at(client, bufnr, row, column, key)
  end
end

--- Add the entry of a key to the bibliography of the draft, without citing it.
function M.add(key)
  local bufnr = here()
  local client = server.needed(bufnr)
  if client then
    local arguments = { vim.uri_from_bufnr(bufnr), key }
    server.execute(client, 'citeLsp.addEntry', arguments, bufnr, function(done)
      if done ~= true then
        config.complain(('there is no entry %s to add'):format(key))
      end
    end)
  end
end

--- Let the writer choose among the papers that a command has for the cursor, wherever that place is by then.
---
--- `read(answer)` returns the rows and the prompt, or nothing and what to complain of.
local function choose_of(command, limit, read, act)
  local bufnr, row, column = here()
  local client = server.needed(bufnr)
  if not client then
    return
  end
  local uri, position = server.place(client, bufnr, row, column)
  local where = hold(bufnr, row, column)
  local arguments = { uri, position, limit or LIMIT }
  server.execute(client, command, arguments, bufnr, function(answer)
    local found, prompt = read(type(answer) == 'table' and answer or {})
    if not found then
      config.complain(prompt)
      return
    end
    last_keys = vim.tbl_map(function(one)
      return one.key
    end, found)
    choose_held(found, prompt, bufnr, where, function(chosen, line, at)
      act(client, bufnr, line, at, chosen.key)
    end)
  end)
end

--- Let the writer choose among the papers that are recommended for the cursor.
local function choose_here(limit, prompt, act)
  choose_of('citeLsp.recommend', limit, function(found)
    if #found == 0 then
      return nil, 'nothing to recommend: no sentence here, or no bibliography'
    end
    return found, prompt
  end, act)
end

--- Choose among the papers that citations link to the one whose key is at the cursor; cite the one chosen there.
local function choose_linked(command, says, none)
  choose_of(command, LINKED, function(found)
    if not found.papers then
      return nil, 'no key here, or no corpus knows its citations'
    elseif #found.papers == 0 then
      return nil, none:format(found.key)
    end
    return found.papers, says:format(found.key, found.total, found.inLibrary)
  end, M.insert_at)
end

--- Choose among the papers that the one at the cursor cites.
function M.citing()
  choose_linked('citeLsp.citing', '%s cites %d, %d of them in the library', 'no corpus knows what %s cites')
end

--- Choose among the papers that cite the one at the cursor.
function M.cited_by()
  choose_linked('citeLsp.citedBy', '%s is cited by %d, %d of them in the library', 'no corpus knows what cites %s')
end

--- Choose among the papers for the cursor and cite the one chosen.
function M.recommend(limit)
  choose_here(limit, 'Cite', M.insert_at)
end

--- Have a paper never offered again for the sentence at the cursor; without a key, choose it.
function M.dismiss(key)
  local refused = '%s could not be dismissed here'
  if key then
    local bufnr, row, column = here()
    local client = server.needed(bufnr)
    if client then
      command_at(client, 'citeLsp.dismiss', bufnr, row, column, key, refused)
    end
    return
  end
  choose_here(nil, 'Never suggest here', function(client, bufnr, row, column, chosen)
    command_at(client, 'citeLsp.dismiss', bufnr, row, column, chosen, refused)
  end)
end

--- Take a dismissal at the cursor back.
function M.restore(key)
  local bufnr, row, column = here()
  local client = server.needed(bufnr)
  if client then
    local refused = '%s was not dismissed here'
    command_at(client, 'citeLsp.restore', bufnr, row, column, key, refused)
  end
end

return M
