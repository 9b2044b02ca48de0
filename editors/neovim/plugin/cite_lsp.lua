-- The command, and what a buffer gets when the server attaches to it. Nothing starts by itself.
if vim.g.loaded_cite_lsp then
  return
end
vim.g.loaded_cite_lsp = true

vim.api.nvim_create_user_command('CiteLsp', function(command)
  require('cite_lsp.commands').run(command)
end, {
  nargs = '*',
  range = true,
  desc = 'Papers to cite, from cite-lsp',
  complete = function(lead, line)
    return require('cite_lsp.commands').complete(lead, line)
  end,
})

-- Let :help find the pages of this copy: plugin managers see to that, copying the folder does not.
local function index_help()
  local text = vim.api.nvim_get_runtime_file('doc/cite-lsp.txt', false)[1]
  if not text then
    return
  end
  local folder = vim.fn.fnamemodify(text, ':h')
  if vim.fn.getftime(folder .. '/tags') < vim.fn.getftime(text) then
    -- Where the folder may not be changed, whoever put it there is to make the tags.
    pcall(vim.cmd, 'silent! helptags ' .. vim.fn.fnameescape(folder))
  end
end
index_help()

local group = vim.api.nvim_create_augroup('cite_lsp_attach', {})
vim.api.nvim_create_autocmd({ 'BufFilePost', 'BufWritePost' }, {
  group = group,
  callback = function(event)
    if vim.b[event.buf].cite_lsp_uri then
      require('cite_lsp.attach').follow_name(event.buf)
    end
  end,
})

if vim.fn.has('nvim-0.8') == 1 then
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == 'cite_lsp' then
        require('cite_lsp.attach').attach(client, event.buf)
      end
    end,
  })
end
