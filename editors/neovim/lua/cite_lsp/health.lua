--- :checkhealth cite_lsp
local compat = require('cite_lsp.compat')
local config = require('cite_lsp.config')

local M = {}

local function check_neovim(report)
  if vim.fn.has('nvim-0.7') == 0 then
    report.error('Neovim is older than 0.7')
  else
    local version = vim.version()
    report.ok(('Neovim %d.%d.%d'):format(version.major, version.minor, version.patch))
  end
end

--- Return the command line of `doctor` beside that of `serve`, nil where this cannot be told.
local function doctor_of(cmd)
  for number = #cmd, 2, -1 do
    if cmd[number] == 'serve' then
      return vim.list_extend(vim.list_slice(cmd, 1, number - 1), { 'doctor' })
    end
  end
end

local function check_command(report)
  local cmd = config.resolved().cmd
  if type(cmd) ~= 'table' then
    report.info('the server is started by a function')
    return
  end
  if vim.fn.executable(cmd[1]) == 0 then
    report.error(('the command “%s” is not found'):format(cmd[1]), {
      'Install the server: `uv tool install .` or `pipx install .` in its checkout',
      'or name it: require("cite_lsp").setup({ cmd = { "/path/to/cite-lsp", "serve" } })',
    })
    return
  end
  local found = vim.list_extend({ vim.fn.exepath(cmd[1]) }, vim.list_slice(cmd, 2))
  report.ok(('server: %s'):format(table.concat(found, ' ')))
  local doctor = doctor_of(cmd)
  if not doctor then
    report.info('cite-lsp doctor is not asked: the command has no word “serve”')
    return
  end
  local words = vim.fn.system(doctor)
  local report_outcome = vim.v.shell_error == 0 and report.ok or report.error
  report_outcome('cite-lsp doctor:\n' .. vim.trim(words))
end

local function check_clients(report)
  local clients = compat.clients()
  if #clients == 0 then
    report.info('no server is running: open a draft, with `setup()` or `vim.lsp.enable` called')
  end
  for _, client in ipairs(clients) do
    local buffers = compat.attached_buffers(client)
    local status = buffers[1] and require('cite_lsp.status').of(buffers[1])
    local text = ('running for %s, %d buffer(s), positions in %s: %s'):format(
      client.config.root_dir or 'single files',
      #buffers,
      client.offset_encoding,
      status and vim.trim(status.state .. ' ' .. status.message) or 'no buffer'
    )
    local report_state = status and status.state == 'error' and report.warn or report.ok
    report_state(text)
  end
end

local function check_completion(report)
  for plugin, name in pairs({ ['blink.cmp'] = 'blink.cmp', cmp = 'nvim-cmp' }) do
    if package.loaded[plugin] then
      local advice = config.options.autocomplete and report.warn or report.info
      advice(('%s is loaded: leave `autocomplete` off, see :help cite-lsp-completion'):format(name))
    end
  end
  if config.options.omnifunc then
    report.ok("'omnifunc' completes citations: CTRL-X CTRL-O in insert mode")
  end
  if config.options.autocomplete then
    report.ok('the list opens by itself in citations')
  end
end

--- Report whether everything is there that the plugin needs.
function M.check()
  local report = compat.health()
  report.start('cite-lsp')
  check_neovim(report)
  check_command(report)
  check_clients(report)
  check_completion(report)
end

return M
