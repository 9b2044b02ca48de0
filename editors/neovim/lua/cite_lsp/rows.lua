--- How a recommendation, one row of `citeLsp.recommend`, reads in one line.
local M = {}

local function text(value)
  return type(value) == 'string' and vim.trim((value:gsub('%s+', ' '))) or ''
end

local function surname(author)
  author = text(author)
  return author:match('^(.-),') or author:match('(%S+)$') or author
end

--- Return "Devlin et al. 2019": the surnames of one or two authors, the first of more, and the year.
function M.headline(row)
  local authors = type(row.authors) == 'table' and row.authors or {}
  local names = ''
  if #authors == 1 then
    names = surname(authors[1])
  elseif #authors == 2 then
    names = surname(authors[1]) .. ' and ' .. surname(authors[2])
  elseif #authors > 2 then
    names = surname(authors[1]) .. ' et al.'
  end
  local year = type(row.year) == 'number' and ('%d'):format(row.year) or ''
  return vim.trim(names .. ' ' .. year)
end

--- Return the line of a row: author, year, title, then the reason, which names the corpus if any.
function M.line(row)
  local parts = { M.headline(row), text(row.title) }
  if parts[1] == '' then
    parts[1] = row.key
  end
  local line = vim.trim(table.concat(parts, '  '))
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
