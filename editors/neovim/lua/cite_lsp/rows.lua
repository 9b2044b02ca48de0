--- How a recommendation, one row of `citeLsp.recommend`, reads in one line.
local M = {}

--- Return a text of an answer in one line, "" where there is none.
function M.text(value)
  return type(value) == 'string' and vim.trim((value:gsub('%s+', ' '))) or ''
end

local text = M.text

--- Return "Devlin et al. 2019", or the key where the server does not say.
function M.headline(row)
  local name = text(row.name)
  return name ~= '' and name or text(row.key)
end

--- Return the line of a row: author, year, title, then the reason, which names the corpus if any.
function M.line(row)
  local line = vim.trim(M.headline(row) .. '  ' .. text(row.title))
  local notes = {}
  if text(row.reason) ~= '' then
    notes[#notes + 1] = text(row.reason)
  end
  if text(row.corpus) == '' and row.inLibrary == false then
    notes[#notes + 1] = 'not in the library'
  end
  if row.cited == true then
    notes[#notes + 1] = 'cited here'
  end
  return #notes > 0 and line .. ' — ' .. table.concat(notes, '; ') or line
end

return M
