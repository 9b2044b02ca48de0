-- Types at a steady pace and writes down every list that opens and what it was of; and, between two
-- turns of the main loop, the longest time that passed and the most that Neovim itself computed.
local PAUSE, KEYS = tonumber(vim.env.TYPING_PAUSE), vim.env.TYPING_KEYS

local answer
local compat = require('cite_lsp.compat')
local request = compat.request
compat.request = function(client, method, params, handler, bufnr)
  return request(client, method, params, function(err, result)
    answer = result
    return handler(err, result)
  end, bufnr)
end

seen.lists = {}
local complete = vim.fn.complete
vim.fn.complete = function(start, items)
  local column = vim.api.nvim_win_get_cursor(0)[2]
  local first = answer.items[1]
  table.insert(seen.lists, {
    text = line():sub(start, column),
    filter = first and first.filterText or '',
    items = #items,
  })
  return complete(start, items)
end

open('typing.tex')
ready()
vim.fn.cursor(3, 1)
keys('A')

local function computed()
  local usage, total = vim.loop.getrusage(), 0
  for _, time in ipairs({ usage.utime, usage.stime }) do
    total = total + time.sec * 1e3 + time.usec / 1e3
  end
  return total
end

local BEAT = 5
local beat = vim.loop.new_timer()
local last, last_computed = vim.loop.hrtime(), computed()
local longest, most_computed = 0, 0
beat:start(0, BEAT, function()
  local now, so_far = vim.loop.hrtime(), computed()
  longest = math.max(longest, (now - last) / 1e6 - BEAT)
  most_computed = math.max(most_computed, so_far - last_computed)
  last, last_computed = now, so_far
end)

for letter in KEYS:gmatch('.') do
  vim.api.nvim_input(letter == '<' and '<lt>' or letter)
  pause(PAUSE)
end
wait('the last list', function()
  local shown = seen.lists[#seen.lists]
  return shown and KEYS:sub(-#shown.text) == shown.text and #menu() > 0
end)
beat:stop()
seen.longest_ms, seen.most_computed_ms = longest, most_computed
seen.typed = line()
seen.first = menu()[1]
keys('<C-y><Esc>')
seen.line = line()
