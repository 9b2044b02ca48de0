--- What a draft as a whole should cite and does not, as a buffer whose lines can be cited.
local compat = require('cite_lsp.compat')
local config = require('cite_lsp.config')
local rows = require('cite_lsp.rows')
local server = require('cite_lsp.server')

local M = {}

local NAME = 'cite-lsp://references'
local KEYS = '<CR> go to the sentence, a add the entry, c cite it there, r ask again, q close'
local shown = {} -- by buffer: the draft, and the paper of each line

--- Return the lines of an answer, and the paper that each of them is about.
local function lines_of(answer)
  local lines, papers = { KEYS }, {}
  for _, group in ipairs(answer.groups) do
    vim.list_extend(lines, { '', rows.text(group.name) })
    for _, paper in ipairs(group.papers) do
      local place = type(paper.place) == 'table' and paper.place or nil
      local first = #lines + 1
      lines[first] = '  ' .. vim.trim(rows.headline(paper) .. '  ' .. rows.text(paper.title))
      for _, reason in ipairs(paper.reasons) do
        lines[#lines + 1] = '      ' .. rows.text(reason)
      end
      if (paper.quoted or '') ~= '' then
        lines[#lines + 1] = '      ' .. rows.text(paper.quoted)
      end
      if place then
        local file = vim.fn.fnamemodify(vim.uri_to_fname(place.uri), ':t')
        lines[#lines + 1] = ('      %s:%d: %s'):format(file, place.line + 1, rows.text(place.sentence))
      end
      for number = first, #lines do
        papers[number] = paper
      end
    end
  end
  local complete = answer.completeness
  if complete.of > 0 then
    local says = '%d of the %d papers that at least %d of the %d papers nearest to this draft cite are cited here'
    vim.list_extend(lines, { '', says:format(complete.cited, complete.of, complete.fewest, complete.nearest) })
  end
  return lines, papers
end

local function under_cursor()
  local list = shown[vim.api.nvim_get_current_buf()]
  local paper = list and list.papers[vim.fn.line('.')]
  if not paper then
    config.complain('there is no paper on this line')
  end
  return paper, list
end

--- Load the file of a place; returns its buffer, and row and column as a window counts them.
local function load_place(list, place)
  local bufnr = vim.fn.bufadd(vim.uri_to_fname(place.uri))
  vim.fn.bufload(bufnr)
  local client = server.of(list.draft)
  local line = vim.api.nvim_buf_get_lines(bufnr, place.line, place.line + 1, false)[1] or ''
  local encoding = client and client.offset_encoding or 'utf-16'
  return bufnr, place.line + 1, compat.byte_column(line, place.character, encoding)
end

--- Go to the sentence that the paper of the current line would go to.
local function go()
  local paper, list = under_cursor()
  if not paper or type(paper.place) ~= 'table' then
    return
  end
  local bufnr, row, column = load_place(list, paper.place)
  vim.cmd('wincmd p')
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.api.nvim_win_set_cursor(0, { math.min(row, vim.api.nvim_buf_line_count(bufnr)), column })
end

local function mark_done(bufnr, number)
  if vim.api.nvim_buf_is_valid(bufnr) then
    local line = vim.api.nvim_buf_get_lines(bufnr, number - 1, number, false)[1]
    vim.bo[bufnr].modifiable = true
    vim.api.nvim_buf_set_lines(bufnr, number - 1, number, false, { (line:gsub('^  ', '✓ ', 1)) })
    vim.bo[bufnr].modifiable = false
  end
end

--- Have the server do with the paper of the current line what its answer names.
local function run(what, refused)
  local paper, list = under_cursor()
  if not paper then
    return
  end
  local asked = paper[what]
  if type(asked) ~= 'table' then
    config.complain(refused:format(paper.key))
    return
  end
  local client = server.needed(list.draft)
  if client then
    local bufnr, number = vim.api.nvim_get_current_buf(), vim.fn.line('.')
    while number > 1 and list.papers[number - 1] == paper do
      number = number - 1
    end
    server.execute(client, asked.command, asked.arguments, list.draft, function(done)
      if done == true then
        mark_done(bufnr, number)
      else
        config.complain(refused:format(paper.key))
      end
    end)
  end
end

local function show(draft, answer)
  local lines, papers = lines_of(answer)
  local bufnr = vim.fn.bufadd(NAME)
  vim.fn.bufload(bufnr)
  if vim.fn.bufwinid(bufnr) == -1 then
    vim.cmd('botright split')
    vim.api.nvim_win_set_buf(0, bufnr)
  else
    vim.api.nvim_set_current_win(vim.fn.bufwinid(bufnr))
  end
  vim.bo[bufnr].buftype, vim.bo[bufnr].swapfile, vim.bo[bufnr].modifiable = 'nofile', false, true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  shown[bufnr] = { draft = draft, papers = papers }
  local function map(key, act)
    vim.api.nvim_buf_set_keymap(bufnr, 'n', key, '', { callback = act, nowait = true, noremap = true })
  end
  map('<CR>', go)
  map('a', function()
    run('add', '%s has an entry already, or the draft names no bibliography')
  end)
  map('c', function()
    run('cite', 'no citation of %s can go there, or there is one already')
  end)
  map('r', function()
    M.list(draft)
  end)
  map('q', function()
    vim.cmd('close')
  end)
  vim.fn.cursor(math.min(4, #lines), 1)
end

--- List what the draft of a buffer should cite and does not.
function M.list(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local client = server.needed(bufnr)
  if not client then
    return
  end
  config.say('looking for papers for this draft …')
  local arguments = { { uri = vim.uri_from_bufnr(bufnr) } }
  server.execute(client, 'citeLsp.references', arguments, bufnr, function(answer)
    if type(answer) ~= 'table' or #answer.groups == 0 then
      config.complain('nothing is left to cite, as far as the library and the corpora know')
    elseif vim.api.nvim_buf_is_valid(bufnr) then
      show(bufnr, answer)
    end
  end)
end

return M
