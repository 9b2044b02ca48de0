--- cite-lsp in Neovim: starting the server, and what a writer asks of it. See :help cite-lsp.
local M = {}

local function start_where_it_fits(group)
  local config = require('cite_lsp.config')
  local wanted = {}
  for _, filetype in ipairs(config.options.filetypes) do
    wanted[filetype] = true
  end
  local function start(bufnr)
    local ordinary = vim.bo[bufnr].buftype == ''
    if ordinary and wanted[vim.bo[bufnr].filetype] then
      require('cite_lsp.server').start(bufnr)
    end
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = config.options.filetypes,
    callback = function(event)
      start(event.buf)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      start(bufnr)
    end
  end
end

--- Start the server in every draft and bibliography from now on; :help cite-lsp-setup lists the options.
function M.setup(options)
  local config = require('cite_lsp.config')
  config.set(options)
  local group = vim.api.nvim_create_augroup('cite_lsp_start', { clear = true })
  local cmd, found = config.command()
  if not found then
    config.complain(
      ('the command “%s” is not found: install it or name it in the option “cmd” (:help cite-lsp-setup)'):format(
        cmd[1]
      )
    )
    return
  end
  if vim.lsp.config and vim.lsp.enable then
    vim.lsp.config('cite_lsp', {}) -- lsp/cite_lsp.lua is read again, and has the options of this call alone
    vim.lsp.enable('cite_lsp')
  else
    start_where_it_fits(group)
  end
end

--- Choose among the papers for the cursor and cite the one chosen.
function M.recommend(limit)
  require('cite_lsp.picker').recommend(limit)
end

--- List the sentences of the draft that lack a citation in the quickfix window.
function M.missing()
  require('cite_lsp.missing').list()
end

--- Return the state of the server for a statusline, "" where none is attached or all is well.
function M.statusline(bufnr)
  return require('cite_lsp.status').line(bufnr)
end

--- For 'omnifunc': v:lua.require'cite_lsp'.omnifunc
function M.omnifunc(findstart, base)
  return require('cite_lsp.complete').omnifunc(findstart, base)
end

return M
