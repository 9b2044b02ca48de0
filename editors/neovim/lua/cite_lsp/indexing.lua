--- Building a corpus: the server does it, and says how far it is; the statusline and the command line show that.
local compat = require('cite_lsp.compat')
local config = require('cite_lsp.config')
local server = require('cite_lsp.server')
local status = require('cite_lsp.status')

local M = {}

local COMMAND = 'citeLsp.index'
local running -- the build under way: its `client`, the `id` of the request, and what ends it, `over`

local function follow(client_id)
  return vim.api.nvim_create_autocmd('User', {
    pattern = 'CiteLspStatus',
    callback = function()
      local now = status.of_client(client_id)
      if now.state == 'indexing' then
        config.say('indexing ' .. now.message)
      end
    end,
  })
end

--- Return a number with a comma between thousands.
local function counted(number)
  local text = tostring(number):reverse():gsub('(%d%d%d)(%d)', '%1,%2')
  while text:find('%d%d%d%d') do
    text = text:gsub('(%d%d%d)(%d)', '%1,%2')
  end
  return text:reverse()
end

local function some(number, thing)
  return ('%s %s%s'):format(counted(number), thing, number == 1 and '' or 's')
end

local function finished(summary)
  if not summary then
    -- Called off, or the server has said itself what is wrong.
    config.say('nothing was indexed')
    return
  end
  local bad = summary.bad_records or 0
  local unread = bad > 0 and ('; %s could not be read'):format(some(bad, 'record')) or ''
  vim.notify(
    ('cite-lsp: the corpus “%s” holds %s%s'):format(
      summary.corpus,
      some(summary.papers, 'paper'),
      unread
    )
  )
end

--- Return the build under way, or nil; one whose server has ended is none, and has no answer to come.
local function under_way()
  if running and compat.is_stopped(running.client) then
    running.over()
  end
  return running
end

--- Have a corpus built from files and folders, "papers" where no name is given.
function M.build(sources, name)
  local client = server.needed(vim.api.nvim_get_current_buf())
  if not client then
    return
  end
  if under_way() then
    config.complain('a corpus is being built already; :CiteLsp cancel calls that off')
    return
  end
  local watching = follow(client.id)
  local options = { corpus = name or 'papers' }
  local build = { client = client }
  function build.over()
    running = nil
    pcall(vim.api.nvim_del_autocmd, watching)
  end
  running = build
  build.id = server.execute(client, COMMAND, { sources, options }, 0, function(summary)
    build.over()
    finished(summary)
  end, build.over)
end

--- Call off the build that is under way; the same command goes on with it later.
function M.cancel()
  local build = under_way()
  if build and build.id then
    compat.cancel(build.client, build.id)
    build.over() -- Neovim swallows the answer to what was called off
    config.say('called off')
  else
    config.complain('no corpus is being built')
  end
end

return M
