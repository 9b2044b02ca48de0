--- `:CiteLsp`: its subcommands and their completion.
local config = require('cite_lsp.config')

local M = {}

local function need_key(argument, act)
  if argument then
    act(argument)
  else
    config.complain('which key? as in :CiteLsp insert devlin2019bert')
  end
end

local function open_log()
  vim.cmd('tabedit ' .. vim.fn.fnameescape(vim.lsp.get_log_path()))
end

local NAME = 'name='

--- Build a corpus of `arguments`: `[name=NAME] PATH…`.
local function index(arguments)
  local sources, name = {}, nil
  for _, argument in ipairs(arguments) do
    if vim.startswith(argument, NAME) then
      name = argument:sub(#NAME + 1)
    else
      sources[#sources + 1] = vim.fn.fnamemodify(argument, ':p') -- the server is in another folder
    end
  end
  if #sources == 0 then
    config.complain('index what? as in :CiteLsp index name=acl ~/acl-anthology/data/xml')
    return
  end
  require('cite_lsp.indexing').build(sources, name)
end

local SUBCOMMANDS = {
  recommend = function(argument)
    require('cite_lsp.picker').recommend(tonumber(argument))
  end,
  missing = function(_, first, last)
    require('cite_lsp.missing').list(first, last)
  end,
  references = function()
    require('cite_lsp.references').list()
  end,
  citing = function()
    require('cite_lsp.picker').citing()
  end,
  citedby = function()
    require('cite_lsp.picker').cited_by()
  end,
  accept = function(argument)
    require('cite_lsp.missing').accept(argument == 'choose')
  end,
  insert = function(argument)
    need_key(argument, require('cite_lsp.picker').insert)
  end,
  add = function(argument)
    need_key(argument, require('cite_lsp.picker').add)
  end,
  dismiss = function(argument)
    require('cite_lsp.picker').dismiss(argument)
  end,
  restore = function(argument)
    need_key(argument, require('cite_lsp.picker').restore)
  end,
  status = function()
    require('cite_lsp.status').show()
  end,
  start = function()
    require('cite_lsp.server').start(vim.api.nvim_get_current_buf())
  end,
  stop = function()
    require('cite_lsp.server').stop()
  end,
  restart = function()
    require('cite_lsp.server').restart()
  end,
  log = open_log,
  cancel = function()
    require('cite_lsp.indexing').cancel()
  end,
}

local ARGUMENTS = {
  accept = function()
    return { 'choose' }
  end,
  insert = function()
    return require('cite_lsp.picker').last_keys()
  end,
}
ARGUMENTS.add, ARGUMENTS.dismiss, ARGUMENTS.restore =
  ARGUMENTS.insert, ARGUMENTS.insert, ARGUMENTS.insert

--- Run a subcommand; without one, `recommend`.
function M.run(command)
  local name = command.fargs[1] or 'recommend'
  if name == 'index' then
    index(vim.list_slice(command.fargs, 2))
    return
  end
  local act = SUBCOMMANDS[name]
  if not act then
    config.complain(('there is no :CiteLsp %s; :help :CiteLsp lists what there is'):format(name))
  elseif command.range > 0 then
    act(command.fargs[2], command.line1, command.line2)
  else
    act(command.fargs[2])
  end
end

--- Return what may stand where the cursor is in the command line.
function M.complete(lead, line)
  local words = vim.split(vim.trim(line:gsub('^.-CiteLsp', '')), '%s+', { trimempty = true })
  local before = #words - (lead ~= '' and 1 or 0)
  local choices = {}
  if before == 0 then
    choices = vim.tbl_keys(SUBCOMMANDS)
    choices[#choices + 1] = 'index'
    table.sort(choices)
  elseif words[1] == 'index' then
    choices = vim.tbl_map(vim.fn.fnameescape, vim.fn.getcompletion(lead, 'file'))
    if before == 1 and vim.startswith(NAME, lead) then
      table.insert(choices, 1, NAME)
    end
    return choices
  elseif before == 1 and ARGUMENTS[words[1]] then
    choices = ARGUMENTS[words[1]]()
  end
  return vim.tbl_filter(function(choice)
    return vim.startswith(choice, lead)
  end, choices)
end

return M
