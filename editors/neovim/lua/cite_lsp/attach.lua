--- What a buffer gets when the server attaches to it.
local compat = require('cite_lsp.compat')
local config = require('cite_lsp.config')

local M = {}

local OMNIFUNC = "v:lua.require'cite_lsp'.omnifunc"

local ENDS = { dos = '\r\n', mac = '\r' }

--- Return the text of a buffer as it would be written.
local function whole_text(bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local ending = ENDS[vim.bo[bufnr].fileformat] or '\n'
  return table.concat(lines, ending) .. (vim.bo[bufnr].endofline and ending or '')
end

local function watch(bufnr)
  vim.b[bufnr].cite_lsp_uri = vim.uri_from_bufnr(bufnr)
  require('cite_lsp.complete').watch(bufnr, config.options.autocomplete)
  require('cite_lsp.beside').watch(bufnr)
end

--- Tell the server that a buffer has another name, if it has: Neovim does so late or not at all.
---
--- A buffer that had no name loses its autocommands when it gets one, so it is watched anew.
function M.follow_name(bufnr)
  local uri, before = vim.uri_from_bufnr(bufnr), vim.b[bufnr].cite_lsp_uri
  local client = before and before ~= uri and compat.clients(bufnr)[1]
  if not client then
    return
  end
  compat.notify(client, 'textDocument/didClose', { textDocument = { uri = before } })
  compat.notify(client, 'textDocument/didOpen', {
    textDocument = {
      uri = uri,
      languageId = vim.bo[bufnr].filetype,
      version = vim.lsp.util.buf_versions[bufnr] or 0,
      text = whole_text(bufnr),
    },
  })
  watch(bufnr)
end

--- Set completion up for a buffer, then call the user's own `on_attach`.
function M.attach(client, bufnr)
  local options = config.options
  vim.b[bufnr].cite_lsp_client = client.id
  if options.omnifunc then
    local before = vim.bo[bufnr].omnifunc
    if before ~= OMNIFUNC then
      vim.api.nvim_buf_set_var(bufnr, 'cite_lsp_omnifunc_before', before)
      vim.bo[bufnr].omnifunc = OMNIFUNC
    end
  end
  watch(bufnr)
  if options.on_attach then
    options.on_attach(client, bufnr)
  end
end

return M
