--- Beside other servers: keys that they list as well are left to cite-lsp, or each would stand there twice.
---
--- texlab has no setting against its keys, but gives kinds of their own to them. What Neovim, nvim-cmp
--- and blink.cmp ask of it goes through its client, so that is where they are taken out.
local compat = require('cite_lsp.compat')
local config = require('cite_lsp.config')

local M = {}

-- By the name of a client, the kinds of items that entries of a bibliography have there, and nothing else:
-- Interface, Unit, Struct, Event, Operator, TypeParameter.
local KINDS_OF_KEYS = {
  texlab = { [8] = true, [11] = true, [22] = true, [23] = true, [24] = true, [25] = true },
}

local watched = setmetatable({}, { __mode = 'k' })

local function without_keys(answer, kinds)
  if type(answer) ~= 'table' then
    return answer
  end
  local function kept(items)
    return vim.tbl_filter(function(item)
      return not kinds[item.kind]
    end, items)
  end
  if answer.items then
    return vim.tbl_extend('force', answer, { items = kept(answer.items) })
  end
  return kept(answer)
end

--- Have a client leave keys out of its answers in the buffers that cite-lsp completes.
local function watch(client, kinds)
  if watched[client] then
    return
  end
  watched[client] = true
  local request = client.request
  client.request = function(...)
    -- Called as a method or, as before Neovim 0.11, as a function of the client.
    local asked = { ... }
    local first = asked[1] == client and 2 or 1
    local method, handler, bufnr = asked[first], asked[first + 2], asked[first + 3]
    if method == 'textDocument/completion' and handler and config.options.alone then
      local number = (bufnr and bufnr ~= 0) and bufnr or vim.api.nvim_get_current_buf()
      asked[first + 2] = function(err, answer, ...)
        if #compat.clients(number) > 0 then
          answer = without_keys(answer, kinds)
        end
        return handler(err, answer, ...)
      end
    end
    return request(unpack(asked, 1, math.max(select('#', ...), first + 3)))
  end
end

--- Watch the other servers of a buffer; those that come later are met when writing begins.
function M.watch(bufnr)
  local function look()
    for name, kinds in pairs(KINDS_OF_KEYS) do
      for _, client in ipairs(compat.clients(bufnr, name)) do
        watch(client, kinds)
      end
    end
  end
  vim.api.nvim_create_autocmd('InsertEnter', {
    group = vim.api.nvim_create_augroup('cite_lsp_beside_' .. bufnr, { clear = true }),
    buffer = bufnr,
    callback = look,
  })
  look()
end

return M
