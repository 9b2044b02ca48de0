--- What a buffer gets when the server attaches to it.
local config = require('cite_lsp.config')

local M = {}

local OMNIFUNC = "v:lua.require'cite_lsp'.omnifunc"

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
  require('cite_lsp.complete').watch(bufnr, options.autocomplete)
  require('cite_lsp.beside').watch(bufnr)
  if options.on_attach then
    options.on_attach(client, bufnr)
  end
end

return M
