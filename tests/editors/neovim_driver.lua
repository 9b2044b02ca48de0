-- Plays a scenario in a running Neovim the way a writer would, by keys, and writes down what was seen.
--
-- The scenario is Lua, run in a coroutine in between the turns of the main loop; it fills `seen`.
local PATIENCE = 240000 -- ms; a first start embeds the library

seen = {}

local function finish(problem)
  if problem then
    seen.problem = problem
  end
  local file = assert(io.open(vim.env.SCENARIO_SEEN, 'w'))
  file:write(vim.fn.json_encode(seen))
  file:close()
  vim.cmd('qall!')
end

local scenario
local function step(...)
  local went, problem = coroutine.resume(scenario, ...)
  if not went then
    finish(debug.traceback(scenario, problem))
  elseif coroutine.status(scenario) == 'dead' then
    finish()
  end
end

function pause(ms)
  vim.defer_fn(step, ms)
  coroutine.yield()
end

function wait(what, condition, patience)
  local waited = 0
  while not condition() do
    if waited > (patience or PATIENCE) then
      error('waited in vain for ' .. what)
    end
    pause(10)
    waited = waited + 10
  end
end

function keys(typed)
  vim.api.nvim_input(typed)
  pause(60)
end

function line()
  return vim.api.nvim_get_current_line()
end

function text(name)
  local bufnr = name and vim.fn.bufnr(name) or 0
  return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
end

-- Put the cursor on the last character of a text, so that `a` goes on behind it.
function go_to(wanted)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search('\\V' .. vim.fn.escape(wanted, '\\'), 'ceW') > 0, 'no ' .. wanted)
end

function open(name)
  vim.cmd('edit ' .. name)
end

function client()
  return require('cite_lsp.server').of(0)
end

function ready()
  wait('the server to be ready', function()
    local status = require('cite_lsp.status').of(0)
    return status and status.state == 'ready'
  end)
end

function menu()
  local info = vim.fn.complete_info({ 'pum_visible', 'items' })
  return info.pum_visible == 1 and info.items or {}
end

function words()
  return vim.tbl_map(function(item)
    return item.word
  end, menu())
end

function wait_for_menu()
  wait('the list', function()
    return #menu() > 0
  end)
end

-- Answer every vim.ui.select with the item of a number, and write down what was offered.
function choose(number)
  vim.ui.select = function(items, options, done)
    seen.prompt = options.prompt
    seen.offered = vim.tbl_map(options.format_item, items)
    done(items[number], number)
  end
end

vim.notify = function(message)
  seen.messages = seen.messages or {}
  table.insert(seen.messages, message)
end

vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    local play = assert(loadfile(vim.env.SCENARIO))
    scenario = coroutine.create(play)
    vim.defer_fn(step, 10)
  end,
})
