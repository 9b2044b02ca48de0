--- The sentences of a draft that lack a citation, as a quickfix list whose lines can be accepted.
local compat = require('cite_lsp.compat')
local config = require('cite_lsp.config')
local picker = require('cite_lsp.picker')
local rows = require('cite_lsp.rows')
local server = require('cite_lsp.server')
local status = require('cite_lsp.status')

local M = {}

local TITLE = 'Missing citations'
local SLOW_MS = 1000
local namespace = vim.api.nvim_create_namespace('cite_lsp_missing')
local asked_lines = vim.api.nvim_create_namespace('cite_lsp_asked_lines')

-- States in which papers are not yet ranked by meaning, and so few sentences are sure to lack one.
local EARLY = { starting = true, preparing = true }

local function say_there_is_none(client)
  if EARLY[status.of_client(client.id).state] then
    config.complain('the library is still being read; what lacks a citation can be told after that')
  else
    vim.notify('cite-lsp: no sentence lacks a citation')
  end
end

local function byte_place(client, bufnr, position)
  local line = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ''
  return position.line, compat.byte_column(line, position.character, client.offset_encoding)
end

local function quickfix_item(client, bufnr, place)
  local best = place.recommendations[1]
  local line, column = byte_place(client, bufnr, place.range.start)
  local offer = best and ('  → ' .. rows.headline(best) .. '  ' .. rows.text(best.title)) or ''
  return {
    bufnr = bufnr,
    lnum = line + 1,
    col = column + 1,
    type = 'I',
    text = ('%.2f  %s%s'):format(place.confidence or 0, rows.text(place.text), offer),
  }
end

--- Return the places of the current quickfix list, the number of its current line and its id, or nil.
local function current()
  local list = vim.fn.getqflist({ context = 0, id = 0, idx = 0 })
  local context = type(list.context) == 'table' and list.context.cite_lsp
  if not context then
    return nil
  end
  local in_window = vim.bo[0].buftype == 'quickfix'
  return context, in_window and vim.fn.line('.') or list.idx, list.id
end

--- Put places, found in the text as it is, into the quickfix list.
local function fill(client, bufnr, places)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local items, kept = {}, {}
  for number, place in ipairs(places) do
    items[number] = quickfix_item(client, bufnr, place)
    -- Accepting one moves the others: marks keep where they are.
    local line, column = byte_place(client, bufnr, place.insert)
    kept[number] = {
      bufnr = bufnr,
      mark = vim.api.nvim_buf_set_extmark(bufnr, namespace, line, column, {}),
      recommendations = place.recommendations,
    }
  end
  vim.fn.setqflist({}, ' ', { title = TITLE, items = items, context = { cite_lsp = kept } })
end

--- Open the list; who is typing by now, text or a command, goes on where they are.
local function open_window()
  local typing = vim.api.nvim_get_mode().mode ~= 'n'
  local window = vim.api.nvim_get_current_win()
  vim.cmd('botright copen')
  if typing then
    vim.api.nvim_set_current_win(window)
  end
end

--- Hold on to lines while the text around them may change; what is returned tells, once, which they are by then.
local function hold_lines(bufnr, first, last)
  local marks = vim.tbl_map(function(number)
    return vim.api.nvim_buf_set_extmark(bufnr, asked_lines, number - 1, 0, {})
  end, { first, last })
  return function()
    local count = vim.api.nvim_buf_line_count(bufnr)
    return unpack(vim.tbl_map(function(mark)
      local at = vim.api.nvim_buf_get_extmark_by_id(bufnr, asked_lines, mark, {})
      vim.api.nvim_buf_del_extmark(bufnr, asked_lines, mark)
      return math.min(at[1] + 1, count)
    end, marks))
  end
end

--- Ask for the places of lines `first`:`last`, or of the whole text, until an answer is of the text as it is.
local function ask(client, bufnr, first, last)
  local arguments, lines = { vim.uri_from_bufnr(bufnr) }, nil
  if first then
    local after = { line = last, character = 0 }
    arguments[2] = { start = { line = first - 1, character = 0 }, ['end'] = after }
    lines = hold_lines(bufnr, first, last)
  end
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local answered = false
  vim.defer_fn(function()
    if not answered then
      config.say('looking for sentences that lack a citation …')
    end
  end, SLOW_MS)
  server.execute(client, 'citeLsp.missing', arguments, bufnr, function(places)
    answered = true
    if not vim.api.nvim_buf_is_loaded(bufnr) then
      return
    end
    if lines then
      first, last = lines()
    end
    if tick ~= vim.api.nvim_buf_get_changedtick(bufnr) then
      ask(client, bufnr, first, last) -- those are places in a text that is gone
    elseif not places or #places == 0 then
      say_there_is_none(client)
    else
      fill(client, bufnr, places)
      open_window()
    end
  end, function()
    answered = true
  end)
end

--- Put the sentences that lack a citation into the quickfix list, those of lines `first`:`last` where given.
function M.list(first, last)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = server.needed(bufnr)
  if not client then
    return
  end
  ask(client, bufnr, first, last)
end

--- Keep of a line of a quickfix list, if there is that list still, whether it is being cited or has been.
local function keep(id, number, cited)
  local list = vim.fn.getqflist({ id = id, context = 0 })
  if list.id == id then
    list.context.cite_lsp[number].cited = cited
    vim.fn.setqflist({}, 'r', { id = id, context = list.context })
  end
end

local function mark_done(id, number)
  local list = vim.fn.getqflist({ id = id, idx = 0, items = 0 })
  if list.id == id then
    list.items[number].text = '✓  ' .. list.items[number].text
    vim.fn.setqflist({}, 'r', { id = id, items = list.items, idx = list.idx })
  end
end

--- Cite at the current line of the quickfix list: the best paper, or with `choose` the one chosen.
function M.accept(choose)
  local places, number, id = current()
  local place = places and places[number]
  if not place or not vim.api.nvim_buf_is_valid(place.bufnr) then
    config.complain('the quickfix list holds no missing citations; :CiteLsp missing fills it')
    return
  end
  if place.cited then
    config.complain('that sentence got its citation already')
    return
  end
  local client = server.needed(place.bufnr)
  local at = vim.api.nvim_buf_get_extmark_by_id(place.bufnr, namespace, place.mark, {})
  if not client or #at == 0 then
    return
  end
  local function insert(row, line, column)
    keep(id, number, true)
    picker.insert_at(client, place.bufnr, line, column, row.key, function(done)
      if done then
        mark_done(id, number)
      else
        keep(id, number, false)
      end
    end)
  end
  if choose then
    local where = { bufnr = place.bufnr, row = at[1] + 1, column = at[2] }
    picker.choose(place.recommendations, 'Cite', where, insert)
  else
    insert(place.recommendations[1], at[1] + 1, at[2])
  end
end

return M
