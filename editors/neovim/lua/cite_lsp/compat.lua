--- What differs between Neovim 0.7 and today, so that no other module asks for a version.
local M = {}

local has_11 = vim.fn.has('nvim-0.11') == 1

-- `vim.lsp.buf_get_clients` of 0.7 fails now and then when it is called often, as by a statusline.
local function is_attached(client, bufnr)
  if client.name == 'cite_lsp' then
    return client.id == vim.b[bufnr].cite_lsp_client
  end
  return vim.lsp.buf_is_attached(bufnr, client.id)
end

--- Return the running clients of cite-lsp, or of another `name`; those of one buffer where it is named.
function M.clients(bufnr, name)
  name = name or 'cite_lsp'
  if vim.lsp.get_clients then
    return vim.lsp.get_clients({ name = name, bufnr = bufnr })
  end
  local found = {}
  for _, client in pairs(vim.lsp.get_active_clients()) do
    if client.name == name and (not bufnr or is_attached(client, bufnr)) then
      found[#found + 1] = client
    end
  end
  return found
end

--- Ask a client; `handler(err, result)`. Return the number of the request, nil where it could not be sent.
function M.request(client, method, params, handler, bufnr)
  local sent, id
  if has_11 then
    sent, id = client:request(method, params, handler, bufnr)
  else
    sent, id = client.request(method, params, handler, bufnr)
  end
  return sent and id or nil
end

--- Tell a client's server something.
function M.notify(client, method, params)
  if has_11 then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

--- Tell the server that an answer is not wanted any more.
function M.cancel(client, id)
  if has_11 then
    client:cancel_request(id)
  else
    client.cancel_request(id)
  end
end

--- Ask a client to end; it does so in its own time.
function M.stop(client)
  if has_11 then
    client:stop()
  else
    client.stop()
  end
end

--- Whether a client has ended.
function M.is_stopped(client)
  if has_11 then
    return client:is_stopped()
  end
  return client.is_stopped()
end

--- Return the buffers that a client is attached to.
function M.attached_buffers(client)
  local buffers = {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.lsp.buf_is_attached(bufnr, client.id) then
      buffers[#buffers + 1] = bufnr
    end
  end
  return buffers
end

--- Return the byte column (from 0) of a protocol character in a line; past the end is the end.
function M.byte_column(line, character, encoding)
  if encoding == 'utf-8' then
    return math.min(character, #line)
  end
  if has_11 then
    return vim.str_byteindex(line, encoding, character, false)
  end
  local reached, column = pcall(vim.str_byteindex, line, character, encoding == 'utf-16')
  return reached and column or #line
end

--- Return the protocol character of a byte column (from 0) in a line.
function M.character(line, column, encoding)
  column = math.min(column, #line)
  if encoding == 'utf-8' then
    return column
  end
  if has_11 then
    return vim.str_utfindex(line, encoding, column, false)
  end
  local utf32, utf16 = vim.str_utfindex(line, column)
  return encoding == 'utf-16' and utf16 or utf32
end

-- The clients that were started last, by the root of their project, where Neovim has no `vim.lsp.start`.
local begun = {}

--- Start a client for a buffer, or attach it to one of the same project that runs already.
function M.start(config, bufnr)
  if vim.lsp.start then
    local start = function()
      return vim.lsp.start(config, { bufnr = bufnr })
    end
    -- 0.8 has no option for the buffer and takes the current one.
    return vim.api.nvim_buf_call(bufnr, start)
  end
  local running, root = M.clients(), config.root_dir or ''
  -- One that has not answered yet is in no list, and several buffers may be opened at once.
  running[#running + 1] = begun[root] and vim.lsp.get_client_by_id(begun[root])
  for _, client in ipairs(running) do
    if client.config.root_dir == config.root_dir and not client.is_stopped() then
      vim.lsp.buf_attach_client(bufnr, client.id)
      return client.id
    end
  end
  local id = vim.lsp.start_client(vim.deepcopy(config))
  if id then
    begun[root] = id
    vim.lsp.buf_attach_client(bufnr, id)
  end
  return id
end

--- Return the items of a list whose items may be lists themselves.
function M.flat(list)
  return vim.iter and vim.iter(list):flatten():totable() or vim.tbl_flatten(list)
end

--- Return the nearest folder at or above a file that holds one of the markers, or nil.
function M.root(file, markers)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  while true do
    for _, marker in ipairs(markers) do
      if vim.loop.fs_stat(folder .. '/' .. marker) then
        return folder
      end
    end
    local parent = vim.fn.fnamemodify(folder, ':h')
    if parent == folder then
      return nil
    end
    folder = parent
  end
end

--- Call a function while 'completeopt' has another value.
function M.with_completeopt(value, act)
  local options = has_11 and vim.bo or vim.o -- it was global before 0.11
  local before = options.completeopt
  options.completeopt = value
  local called, problem = pcall(act)
  options.completeopt = before
  if not called then
    error(problem, 0)
  end
end

--- Show the text of a buffer as Markdown, without a file type's plugins.
function M.mark_down(bufnr)
  if not (vim.treesitter.start and pcall(vim.treesitter.start, bufnr, 'markdown')) then
    vim.bo[bufnr].syntax = 'markdown' -- no parser comes with Neovim before 0.10
  end
end

--- Return the functions that write a health report, by their names of today.
function M.health()
  local health = vim.health or require('health')
  return {
    start = health.start or health.report_start,
    ok = health.ok or health.report_ok,
    info = health.info or health.report_info,
    warn = health.warn or health.report_warn,
    error = health.error or health.report_error,
  }
end

return M
