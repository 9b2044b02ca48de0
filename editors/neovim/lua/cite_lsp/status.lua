--- What the server says of its state, for statuslines: the autocommand `User CiteLspStatus` tells of changes.
local compat = require('cite_lsp.compat')

local M = {}

local told = {}

local function quiet(state)
  return state == 'ready'
end

--- Take a notification `citeLsp/status` of a client.
function M.update(client_id, status)
  if type(status) ~= 'table' or type(status.state) ~= 'string' then
    return
  end
  told[client_id] = {
    state = status.state,
    message = type(status.message) == 'string' and status.message or '',
  }
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'CiteLspStatus',
    modeline = false,
    data = vim.fn.has('nvim-0.8') == 1 and told[client_id] or nil,
  })
  vim.cmd('redrawstatus')
end

--- Return {state, message} of the server of a buffer, nil where there is none; "starting" before it said anything.
function M.of(bufnr)
  if not bufnr or bufnr == 0 then
    bufnr = vim.api.nvim_get_current_buf()
  end
  local client = compat.clients(bufnr)[1]
  if not client then
    return nil
  end
  return M.of_client(client.id)
end

--- Return {state, message} of a client; "starting" before it said anything.
function M.of_client(client_id)
  return told[client_id] or { state = 'starting', message = '' }
end

--- Return a text for a statusline: "" where no server is attached, and while all is well.
function M.line(bufnr)
  local status = M.of(bufnr)
  if not status or quiet(status.state) then
    return ''
  end
  local message = status.message ~= '' and (' ' .. status.message) or ''
  -- A statusline reads % as the start of an item.
  return ('cite-lsp: %s%s'):format(status.state, (message:gsub('%%', '%%%%')))
end

--- Show the state of the server of the current buffer.
function M.show()
  local client = compat.clients(vim.api.nvim_get_current_buf())[1]
  if not client then
    vim.notify('cite-lsp: not running here; :checkhealth cite_lsp says why')
    return
  end
  local status = M.of()
  local text = status.message ~= '' and ('%s (%s)'):format(status.state, status.message)
    or status.state
  local root = client.config.root_dir or 'no project'
  vim.notify(('cite-lsp: %s; %s'):format(text, root))
end

return M
