--- The options of `setup()`, and the client configuration that they make.
local compat = require('cite_lsp.compat')

local M = {}

local DEFAULTS = {
  -- The command line of the server; found by itself where it is nil.
  cmd = nil,
  filetypes = { 'tex', 'plaintex', 'rnoweb', 'bib', 'markdown', 'quarto', 'rmd', 'typst', 'org' },
  root_markers = {
    'cite-lsp.toml',
    '.latexmkrc',
    'latexmkrc',
    '_quarto.yml',
    '_bookdown.yml',
    '.git',
  },
  -- The settings of the server, by the names of cite-lsp.toml.
  settings = {},
  -- Whether 'omnifunc' completes citations (what it was before answers everywhere else).
  omnifunc = true,
  -- Whether the list opens and follows by itself, without a completion plugin.
  autocomplete = false,
  -- Whether other servers that complete keys (texlab) leave that to cite-lsp.
  alone = true,
  -- Called as on_attach(client, bufnr).
  on_attach = nil,
}

local TYPES = {
  cmd = 'table',
  filetypes = 'table',
  root_markers = 'table',
  settings = 'table',
  omnifunc = 'boolean',
  autocomplete = 'boolean',
  alone = 'boolean',
  on_attach = 'function',
}

M.options = vim.deepcopy(DEFAULTS)
M.is_set = false -- whether setup() was called: without it somebody else starts the server

--- Take the options of the user over the defaults; what is unknown or ill-typed is told and left out.
function M.set(options)
  local kept = {}
  for name, value in pairs(options or {}) do
    if not TYPES[name] then
      M.complain(('there is no option “%s”; :help cite-lsp-setup lists them'):format(name))
    elseif type(value) ~= TYPES[name] then
      M.complain(('the option “%s” wants a %s, not a %s'):format(name, TYPES[name], type(value)))
    else
      kept[name] = value
    end
  end
  M.options = vim.deepcopy(DEFAULTS)
  M.is_set = true
  for name, value in pairs(kept) do
    M.options[name] = value -- lists are replaced, not mixed with the defaults
  end
end

--- Tell the user of something that stays as it was.
function M.complain(message)
  vim.notify('cite-lsp: ' .. message, vim.log.levels.WARN)
end

--- Tell the user how far something is: not worth keeping.
function M.say(message)
  vim.api.nvim_echo({ { 'cite-lsp: ' .. message } }, false, {})
end

--- Return the command line of the server, and whether it can be run.
---
--- Looked for are the option `cmd`, the PATH, and where `uv tool install` and `pipx install` put commands.
function M.command()
  local cmd = M.options.cmd
  if cmd then
    return cmd, vim.fn.executable(cmd[1]) == 1
  end
  for _, program in ipairs({ 'cite-lsp', vim.fn.expand('~/.local/bin/cite-lsp') }) do
    if vim.fn.executable(program) == 1 then
      return { program, 'serve' }, true
    end
  end
  return { 'cite-lsp', 'serve' }, false
end

--- Return the configuration of the client, as `vim.lsp.config` and `vim.lsp.start` take it.
function M.client()
  local options = M.options
  -- An empty table would be sent as a list.
  local settings = next(options.settings) and vim.deepcopy(options.settings) or vim.empty_dict()
  return {
    name = 'cite_lsp',
    cmd = (M.command()),
    filetypes = options.filetypes,
    root_markers = options.root_markers,
    init_options = settings,
    settings = { citeLsp = settings },
    handlers = {
      ['citeLsp/status'] = function(_, status, context)
        require('cite_lsp.status').update(context.client_id, status)
      end,
    },
  }
end

--- Return the configuration that the client is started with: what `vim.lsp.config()` was told comes first.
function M.resolved()
  return vim.lsp.config and vim.lsp.config.cite_lsp or M.client()
end

--- Return that for one buffer, for versions that look for no root themselves.
function M.client_of(bufnr)
  local config = vim.deepcopy(M.resolved())
  if type(config.root_dir) ~= 'string' then
    local markers = compat.flat(config.root_markers or M.options.root_markers)
    config.root_dir = compat.root(vim.api.nvim_buf_get_name(bufnr), markers)
  end
  return config
end

return M
