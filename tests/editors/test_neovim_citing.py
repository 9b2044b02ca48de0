"""In a real Neovim: code actions, the picker and the list of missing citations."""

from __future__ import annotations

import json

import pytest

from tests.editors.corpora import index_citations
from tests.editors.neovim import Neovim
from tests.editors.rows import row_of_a_corpus

SENTENCE = (
    "the training data, until words came to be described by the pieces of spelling they are made of"
)


def test_a_code_action_cites_the_sentence(neovim: Neovim) -> None:
    seen = neovim.play(rf"""
        open('paper.tex'); ready()
        go_to([[{SENTENCE}]])
        vim.ui.select = function(items, options, done)
            seen.titles = vim.tbl_map(options.format_item, items)
            done(items[1], 1)
        end
        vim.lsp.buf.code_action()
        wait('the citation', function() return line():find('citep') end)
        seen.line = line()
        vim.cmd('silent write')
    """)
    assert "Bojanowski" in seen["titles"][0]
    assert "Add missing citations" in " ".join(seen["titles"])
    assert seen["line"] == SENTENCE + r" \citep{bojanowski2017enriching}."
    assert seen["line"] in (neovim.folder / "paper.tex").read_text(encoding="utf-8")


def test_one_undo_takes_back_all_citations_that_one_action_added(neovim: Neovim) -> None:
    seen = neovim.play(
        r"""
        open('paper.tex'); ready()
        seen.before = text()
        local encoding = client().offset_encoding
        local last = vim.fn.line('$')
        local params = vim.lsp.util.make_given_range_params({1, 0}, {last, 0}, 0, encoding)
        params.context = { diagnostics = {}, only = { 'quickfix' } }
        local edit
        client().request('textDocument/codeAction', params, function(_, actions)
            for _, action in ipairs(actions) do
                if action.title == 'Add missing citations' then
                    client().request('codeAction/resolve', action, function(_, resolved)
                        edit = resolved.edit
                    end, 0)
                end
            end
        end, 0)
        wait('the edit', function() return edit end)
        vim.lsp.util.apply_workspace_edit(edit, encoding)
        seen.after = text()
        vim.cmd('undo')
        seen.undone = text()
    """,
        setup="settings = { missing = { threshold = 0.05, confidence = 0.01 } }",
    )
    lines = zip(seen["before"].split("\n"), seen["after"].split("\n"), strict=True)
    assert sum(before != after for before, after in lines) > 1
    assert seen["undone"] == seen["before"]


def test_the_picker_shows_author_year_title_and_reason_and_cites(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('notes.md'); ready()
        go_to('described by the pieces')
        choose(1)
        vim.cmd('CiteLsp recommend 3')
        wait('the citation', function() return text():find('@bojanowski') end)
        seen.text = text()
    """)
    first = seen["offered"][0]
    assert first.startswith("Bojanowski et al. 2017  Enriching Word Vectors with Subword")
    assert " — closest in your library to the text here" in first
    assert len(seen["offered"]) == 3
    assert "spelling they are made of [@bojanowski2017enriching]." in seen["text"]


def test_what_is_chosen_is_cited_at_the_place_of_the_request(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('notes.md'); ready(); choose(1)
        go_to('described by the pieces')
        vim.cmd('CiteLsp recommend 3')
        vim.fn.append(4, { 'Typed meanwhile.', '', 'A line more.', '' })
        wait('the choice', function() return seen.offered end)
        wait('the citation', function() return text():find('@bojanowski') end)
        seen.text = text()
    """)
    assert "spelling they are made of [@bojanowski2017enriching]." in seen["text"]


def test_what_is_typed_on_behind_the_cursor_moves_no_citation(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('notes.md'); ready(); choose(1)
        vim.keymap.set('i', '<F5>', '<Cmd>CiteLsp recommend 3<CR>')
        vim.cmd('normal! G')
        keys('A')
        vim.api.nvim_input('<F5> Quantum gravity is another matter.')
        wait('the choice', function() return seen.offered end)
        wait('the citation', function() return text():find('@bojanowski') end)
        seen.text = text()
    """)
    cited = "spelling they are made of [@bojanowski2017enriching]."
    assert f"{cited} Quantum gravity is another matter." in seen["text"]


def test_the_picker_says_once_which_corpus_a_paper_is_from(neovim: Neovim) -> None:
    row = json.dumps(json.dumps(row_of_a_corpus("arx")))
    seen = neovim.run("", f"seen.line = require('cite_lsp.rows').line(vim.fn.json_decode({row}))")
    assert seen["line"].endswith(" — from the corpus “arx”, not in your library")


def test_what_is_taken_from_elsewhere_gets_its_entry(neovim: Neovim) -> None:
    other = neovim.folder.parent / "other.bib"
    other.write_text(
        "@article{shannon1948theory,\n  author = {Shannon, Claude E.},\n"
        "  title = {A Mathematical Theory of Communication},\n  year = {1948},\n}\n",
        encoding="utf-8",
    )
    seen = neovim.play(
        r"""
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{]])
        keys('amathematical theory<C-x><C-o>'); wait_for_menu()
        keys('<C-y><Esc>')
        seen.line = line()
        wait('the entry', function()
            return vim.fn.bufloaded('references.bib') == 1
                and text('references.bib'):find('shannon1948theory')
        end)
        vim.cmd('silent wall')
    """,
        setup=f"settings = {{ bibliography = {{ {json.dumps(str(other))} }} }}",
    )
    assert seen["line"].endswith(r"\citep{shannon1948theory}.")
    library = (neovim.folder / "references.bib").read_text(encoding="utf-8")
    assert library.count("@article{shannon1948theory,") == 1


def test_the_list_of_missing_citations_jumps_and_accepts(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('paper.tex'); ready()
        vim.cmd('CiteLsp missing')
        wait('the list', function() return #vim.fn.getqflist() > 0 end)
        seen.items, seen.window = vim.fn.getqflist(), vim.bo.buftype
        vim.cmd('CiteLsp accept')
        wait('the citation', function() return text('paper.tex'):find('few \\citep{gururangan') end)
        wait('the mark', function() return vim.fn.getqflist()[1].text:find('^✓') end)
        vim.cmd('cnext')
        seen.line = line()
        choose(1)
        vim.cmd('CiteLsp accept choose')
        wait('the other', function()
            return text('paper.tex'):find('said twice \\citep{see2017get}')
        end)
    """)
    first, second = seen["items"][:2]
    assert "whether labels are plenty or few." in first["text"]
    assert "→ Gururangan et al. 2020  Don't Stop Pretraining" in first["text"]
    assert seen["window"] == "quickfix"
    assert "An early remedy" in second["text"] and "An early remedy" in seen["line"]
    assert seen["offered"][0].startswith("See et al. 2017")


def test_the_list_is_of_the_text_as_it_is_by_then_and_leaves_who_types_alone(
    neovim: Neovim,
) -> None:
    seen = neovim.play(r"""
        open('notes.md'); ready()
        vim.cmd('CiteLsp missing')
        vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', '' })
        vim.api.nvim_buf_set_lines(0, 4, 4, false, { 'One more line.', '' })
        vim.cmd('normal! G')
        keys('i')
        wait('the list', function() return #vim.fn.getqflist() > 0 end)
        keys('typed on')
        seen.line = line()
        seen.places = vim.tbl_map(function(item)
            local there = vim.api.nvim_buf_get_lines(item.bufnr, item.lnum - 1, item.lnum, false)[1]
            return { item.text, there }
        end, vim.fn.getqflist())
    """)
    assert seen["line"] == "typed on"
    assert seen["places"]
    assert all(there[:20] in text for text, there in seen["places"])


@pytest.mark.parametrize("begun", ["R", ":echo 1"])
def test_who_replaces_text_or_types_a_command_stays_in_the_draft(
    neovim: Neovim, begun: str
) -> None:
    seen = neovim.play(rf"""
        open('notes.md'); ready()
        vim.cmd('CiteLsp missing')
        vim.api.nvim_input('{begun}')
        wait('the list', function() return #vim.fn.getqflist() > 0 end)
        keys('<Esc>')
        seen.name = vim.fn.bufname()
    """)
    assert seen["name"].endswith("notes.md")


def test_the_list_is_of_the_lines_of_the_request_wherever_they_are_by_then(
    neovim: Neovim,
) -> None:
    seen = neovim.play(r"""
        open('notes.md'); ready()
        go_to('masked words')
        vim.cmd('.CiteLsp missing')
        vim.api.nvim_buf_set_lines(0, 4, 4, false, { 'One more line.', '', 'And one.', '', '', '' })
        wait('the list', function() return #vim.fn.getqflist() > 0 or seen.messages end, 10000)
        seen.listed = vim.tbl_map(function(item) return item.text end, vim.fn.getqflist())
    """)
    assert len(seen["listed"]) == 1
    assert "masked words" in seen["listed"][0]


def test_that_nothing_is_missing_is_said_only_once_the_library_is_read(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('paper.tex'); ready()
        local function asked_in(state)
          require('cite_lsp.status').of_client = function() return { state = state } end
          seen.messages = {}
          vim.cmd('1,2CiteLsp missing')
          wait('the answer', function() return #seen.messages > 0 end)
          return seen.messages[1]
        end
        seen.early, seen.late = asked_in('preparing'), asked_in('ready')
    """)
    assert "the library is still being read" in seen["early"]
    assert seen["late"] == "cite-lsp: no sentence lacks a citation"


def test_a_sentence_of_the_list_is_cited_once_and_marked_when_it_is(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('paper.tex'); ready()
        vim.cmd('CiteLsp missing')
        wait('the list', function() return #vim.fn.getqflist() > 0 end)
        vim.cmd('CiteLsp accept'); vim.cmd('CiteLsp accept')
        wait('the mark', function() return vim.fn.getqflist()[1].text:find('^✓') end)
        seen.cited = text('paper.tex')
        vim.cmd('CiteLsp accept'); pause(300)
        seen.text, seen.rows = text('paper.tex'), vim.fn.getqflist()
        vim.cmd('cnext')
        vim.api.nvim_buf_set_lines(0, 0, -1, false, { '% nothing is left' })
        vim.cmd('CiteLsp accept')
        wait('the refusal', function() return #seen.messages > 2 end)
        seen.refused = vim.fn.getqflist()[2].text
    """)
    assert seen["text"] == seen["cited"]
    assert r"few \citep{gururangan2020dont}." in seen["text"]
    assert seen["rows"][0]["text"].count("✓") == 1
    again, and_again, refused = seen["messages"]
    assert again == and_again == "cite-lsp: that sentence got its citation already"
    assert "no citation of" in refused and "✓" not in seen["refused"]


def test_a_dismissed_paper_is_not_offered_until_it_is_restored(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('paper.tex'); ready()
        go_to([[described by the pieces]])
        local function offered()
            seen.offered = nil
            choose(nil)
            vim.cmd('CiteLsp recommend')
            wait('an offer', function() return seen.offered end)
            return table.concat(seen.offered, '\n')
        end
        choose(1)
        vim.cmd('CiteLsp dismiss')
        wait('the prompt', function() return seen.prompt end)
        seen.dismissed = seen.offered[1]
        pause(300)
        seen.after = offered()
        vim.cmd('CiteLsp restore bojanowski2017enriching'); pause(300)
        seen.again = offered()
    """)
    assert seen["dismissed"].startswith("Bojanowski")
    assert "Bojanowski" not in seen["after"]
    assert seen["again"].startswith("Bojanowski")


def test_what_cites_a_paper_is_chosen_from_and_cited_beside_it(neovim: Neovim) -> None:
    index_citations(neovim.environment, neovim.folder / "references.bib")
    seen = neovim.play(r"""
        open('notes.md'); ready()
        vim.cmd('normal! Go')
        vim.api.nvim_set_current_line('Pieces of spelling help [@bojanowski2017enriching].')
        go_to('@bojanowski')
        choose(2)
        vim.cmd('CiteLsp citedby')
        wait('the citation', function() return line():find('moor') end)
        seen.line = line()
        seen.entries = text('references.bib')
        vim.cmd('CiteLsp citing')
        wait('a word on it', function() return seen.messages end)
    """)
    assert seen["prompt"] == "bojanowski2017enriching is cited by 2, 1 of them in the library"
    assert seen["offered"][0].startswith("Devlin et al. 2019  ")
    assert seen["offered"][0].endswith(" — in your library")
    assert seen["offered"][1].startswith("Moor 2021  Subword Tides — from the corpus “acl”")
    assert seen["line"].startswith("Pieces of spelling help [@bojanowski2017enriching; @moor2021")
    assert "Subword Tides" in seen["entries"]
    assert "no corpus knows what bojanowski2017enriching cites" in seen["messages"][0]


def test_what_the_draft_should_cite_is_listed_gone_to_and_cited(neovim: Neovim) -> None:
    index_citations(neovim.environment, neovim.folder / "references.bib")
    seen = neovim.play(r"""
        open('notes.md'); ready()
        vim.cmd('CiteLsp references')
        wait('the list', function() return vim.fn.bufname() == 'cite-lsp://references' end)
        seen.list = text()
        go_to('notes.md:')
        keys('<CR>')
        seen.file, seen.gone_to = vim.fn.expand('%:t'), vim.fn.line('.')
        vim.cmd('wincmd p')
        local before = text('notes.md')
        keys('c')
        wait('the mark', function() return text():find('✓') end)
        seen.cited = text('notes.md') ~= before
        vim.fn.cursor(1, 1)
        keys('c')
        wait('a word on it', function() return seen.messages end)
    """)
    first, place = seen["list"].split("\n")[3], seen["list"].partition("notes.md:")[2]
    assert first.startswith("  ") and "20" in first
    assert seen["file"] == "notes.md" and seen["gone_to"] == int(place.partition(":")[0])
    assert "Cited elsewhere: “Pieces of words carry much of their meaning […]" in seen["list"]
    assert seen["cited"] is True
    assert "no paper on this line" in seen["messages"][-1]
