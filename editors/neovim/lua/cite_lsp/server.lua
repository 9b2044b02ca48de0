--- The running server: starting, stopping, and asking it to execute its commands.
local compat = require('cite_lsp.compat')
local config = require('cite_lsp.config')

local M = {}

local PATIENCE_MS = 5000
local STEP_MS = 50
local CANCELLED = -32800 -- the protocol's word for a request that was called off

--- Return the client of a buffer, or nil.
function M.of(bufnr)
  if not bufnr or bufnr == 0 then
    bufnr = vim.api.nvim_get_current_buf()
  end
  return compat.clients(bufnr)[1]
end

--- Return the client of a buffer; where there is none, say so and what to do.
function M.needed(bufnr)
  local client = M.of(bufnr)
  if not client then
    config.complain('no server is attached to this buffer; :checkhealth cite_lsp says why')
  end
  return client
end

--- Start the server for a buffer, or attach it to the one of its project.
function M.start(bufnr)
  local settings = config.client_of(bufnr)
  if not vim.lsp.start then -- 0.7: there is no LspAttach either
    settings.on_attach = function(client, attached)
      require('cite_lsp.attach').attach(client, attached)
    end
  end
  return compat.start(settings, bufnr)
end

--- Ask every running server to end.
function M.stop()
  for _, client in ipairs(compat.clients()) do
    compat.stop(client)
  end
end

local function when_all(clients, test, act)
  local waited = 0
  local function look()
    for _, client in ipairs(clients) do
      if not test(client) and waited < PATIENCE_MS then
        waited = waited + STEP_MS
        vim.defer_fn(look, STEP_MS)
        return
      end
    end
    act()
  end
  look()
end

--- Return the buffers that a server was attached to, with the configuration to start it with: that of
--- the one which runs, or false where it has ended, or `setup()` may have changed it meanwhile.
local function served_buffers(clients)
  local buffers = {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.b[bufnr].cite_lsp_uri then
      buffers[bufnr] = false
    end
  end
  for _, client in ipairs(clients) do
    for _, bufnr in ipairs(compat.attached_buffers(client)) do
      buffers[bufnr] = not config.is_set and client.config
    end
  end
  return buffers
end

--- End every running server and start it again for the buffers that it, or one that has ended, was attached to.
function M.restart()
  local clients = compat.clients()
  local buffers = served_buffers(clients)
  for _, client in ipairs(clients) do
    compat.stop(client)
  end
  if next(buffers) == nil then
    buffers[vim.api.nvim_get_current_buf()] = false
  end
  when_all(clients, compat.is_stopped, function()
    for bufnr, settings in pairs(buffers) do
      if not vim.api.nvim_buf_is_valid(bufnr) then
        buffers[bufnr] = nil
      elseif settings then
        compat.start(settings, bufnr)
      else
        M.start(bufnr)
      end
    end
  end)
end

--- Whether a server knows a command; an older one may not.
function M.knows(client, command)
  local provider = client.server_capabilities.executeCommandProvider
  return provider ~= nil and vim.tbl_contains(provider.commands or {}, command)
end

--- Let the server execute a command and return the number of the request.
---
--- `done(result)` is called once it has, and where it could not `failed()`, after the writer was told why.
function M.execute(client, command, arguments, bufnr, done, failed)
  failed = failed or function() end
  if not M.knows(client, command) then
    config.complain(('this version of the server does not know %s; update it'):format(command))
    failed()
    return
  end
  local params = { command = command, arguments = arguments }
  return compat.request(client, 'workspace/executeCommand', params, function(err, result)
    if err then
      if err.code ~= CANCELLED then
        config.complain(('%s failed: %s'):format(command, err.message or vim.inspect(err)))
      end
      failed()
      return
    end
    done(result ~= vim.NIL and result or nil)
  end, bufnr)
end

--- Return the URI of a buffer and the protocol position of a (1, 0)-indexed place in it.
function M.place(client, bufnr, row, column)
  local line = vim.api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1] or ''
  local character = compat.character(line, column, client.offset_encoding)
  return vim.uri_from_bufnr(bufnr), { line = row - 1, character = character }
end

return M
