"""In a real Neovim: completion by keys, code actions, the picker, and starting without a plugin."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from tests.editors.neovim import Neovim
from tests.editors.rows import row_of_a_corpus

SENTENCE = (
    "the training data, until words came to be described by the pieces of spelling they are made of"
)


def test_words_of_a_title_find_a_paper_and_the_first_is_taken(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{]])
        keys('apretraining adapt')
        keys('<C-x><C-o>'); wait_for_menu()
        seen.words, seen.menu = words(), menu()[1].menu
        keys('<C-y><Esc>')
        seen.line = line()
    """)
    assert seen["words"][0] == "gururangan2020dont"
    assert "Gururangan et al. 2020" in seen["menu"] and "Pretraining" in seen["menu"]
    assert seen["line"] == r"alike, whether labels are plenty or few \citep{gururangan2020dont}."


CARD = """
    function card()
        for _, window in ipairs(vim.api.nvim_list_wins()) do
            if vim.api.nvim_win_get_config(window).relative ~= '' then
                local bufnr = vim.api.nvim_win_get_buf(window)
                return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\\n'), window
            end
        end
    end
    function wait_for_card(of)
        wait('the card of ' .. of, function() return (card() or ''):find(of) end)
        return (card())
    end
"""


@pytest.mark.parametrize(("columns", "beside"), [(160, True), (40, False)])
def test_a_card_of_the_selected_paper_says_why_it_is_there(
    neovim: Neovim, columns: int, beside: bool
) -> None:
    seen = neovim.play(
        CARD
        + rf"""
        vim.o.columns, vim.o.lines = {columns}, 40
        vim.o.completeopt = 'menu,menuone,noinsert,preview'
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{{]]); vim.cmd('normal! zt')
        keys('apretrain<C-x><C-o>'); wait_for_menu()
        seen.card = wait_for_card('Pretraining')
        local _, window = card()
        seen.menu, seen.corner = vim.fn.pum_getpos(), vim.api.nvim_win_get_position(window)
        seen.width, seen.height = vim.fn.winwidth(window), vim.fn.winheight(window)
        seen.current = vim.api.nvim_get_current_win()
        keys('<C-n>')
        wait('the next card', function() return card() ~= seen.card end)
        local _, same = card()
        seen.kept, seen.stays = same == window, vim.api.nvim_get_current_win() == seen.current
        keys('<C-p><C-y>'); pause(400)
        seen.left = card()
        keys('<Esc>'); seen.line = line()
    """
    )
    assert "Gururangan" in seen["card"] and "Matches the text here" in seen["card"]
    menu, (row, column) = seen["menu"], seen["corner"]
    if beside:
        assert column >= menu["col"] + menu["width"] or column + seen["width"] <= menu["col"]
    else:
        assert row >= menu["row"] + menu["height"] or row + seen["height"] <= menu["row"]
    assert seen["kept"] and seen["stays"]
    assert "left" not in seen
    assert seen["line"].endswith(r"\citep{gururangan2020dont}.")


def test_the_card_follows_a_list_that_opens_by_itself_and_goes_with_it(neovim: Neovim) -> None:
    seen = neovim.play(
        CARD
        + r"""
        vim.o.columns, vim.o.completeopt = 160, 'menu,preview'
        open('paper.tex'); ready()
        go_to([[\citep{bhagavatula2018content}. ]])
        keys('aHallucination \\citep{'); wait_for_menu()
        keys('faithful'); seen.card = wait_for_card('Faithfulness')
        keys('zzzz'); wait('the end of the list', function() return #menu() == 0 end); pause(400)
        seen.left = card()
    """,
        setup="autocomplete = true",
    )
    assert "Maynez" in seen["card"]
    assert "left" not in seen


def test_no_card_opens_where_no_preview_is_wanted(neovim: Neovim) -> None:
    seen = neovim.play(
        CARD
        + r"""
        vim.o.columns, vim.o.completeopt = 160, 'menuone,noinsert'
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{]])
        keys('apretrain<C-x><C-o>'); wait_for_menu(); pause(1500)
        seen.card = card() or ''
    """
    )
    assert seen["card"] == ""


def test_the_list_opens_and_follows_by_itself(neovim: Neovim) -> None:
    seen = neovim.play(
        r"""
        open('paper.tex'); ready()
        go_to([[\citep{bhagavatula2018content}. ]])
        keys('aHallucination \\citep{'); wait_for_menu()
        seen.first = words()
        keys('faithful')
        wait('the list to follow', function() return words()[1] ~= seen.first[1] end)
        seen.followed = words()
        keys(' summar'); wait_for_menu()
        keys('<C-y>}.'); pause(500)
        seen.left_open = #menu()
        keys('<Esc>'); seen.line = line()
    """,
        setup="autocomplete = true",
    )
    assert len(seen["first"]) > 5
    assert seen["followed"][0] == "maynez2020faithfulness"
    assert seen["line"].count(r"Hallucination \citep{maynez2020faithfulness}.") == 1
    assert seen["left_open"] == 0


@pytest.mark.parametrize("deleted", ["<BS>", "xy<BS><BS><BS>", "<C-w>pretra"])
def test_the_list_goes_on_after_letters_were_deleted(neovim: Neovim, deleted: str) -> None:
    seen = neovim.play(
        rf"""
        open('paper.tex'); ready()
        go_to([[\citep{{bhagavatula2018content}}. ]])
        keys('aLabels \\citep{{'); keys('pretrai'); wait_for_menu()
        keys('{deleted}'); pause(300)
        keys('i'); keys('n'); wait_for_menu()
        seen.words = words()
        keys('<C-e>'); pause(100)
        keys('ing'); pause(500)
        seen.closed = #menu()
    """,
        setup="autocomplete = true",
    )
    assert "gururangan2020dont" in seen["words"]
    assert seen["closed"] == 0


def test_deleting_key_by_key_shows_a_list_of_each_text(neovim: Neovim) -> None:
    seen = neovim.play(
        r"""
        open('paper.tex'); ready()
        go_to([[\citep{bhagavatula2018content}. ]])
        keys('aLabels \\citep{'); keys('pretrain'); wait_for_menu()
        seen.counts = {}
        for _ = 1, 3 do
            pause(400)
            table.insert(seen.counts, #menu())
            keys('<BS>')
        end
    """,
        setup="autocomplete = true",
    )
    assert all(seen["counts"])


def test_a_citation_typed_in_one_burst_opens_the_list(neovim: Neovim) -> None:
    seen = neovim.play(
        r"""
        open('paper.tex'); ready()
        go_to([[\citep{bhagavatula2018content}. ]])
        keys('aLabels \\citep{gururangan'); wait_for_menu()
        seen.words = words()
    """,
        setup="autocomplete = true",
    )
    assert seen["words"] == ["gururangan2020dont"]


def test_a_line_of_chinese_and_emoji_before_the_cursor_moves_nothing(neovim: Neovim) -> None:
    seen = neovim.play(
        r"""
        open('notes.md'); ready()
        go_to('bidirectional encoder [@')
        keys('a双向 😀 bert<BS><BS><BS><BS>'); keys('<BS><BS><BS><BS><BS>')
        keys('bert'); wait_for_menu()
        keys('<C-y><Esc>')
        seen.line, seen.above = line(), vim.fn.getline(5)
    """,
        setup="autocomplete = true",
    )
    assert seen["line"] == (
        "深度学习 😀 双向编码器 masked words are predicted "
        "by a bidirectional encoder [@devlin2019bert]."
    )
    assert seen["above"] == "# 引用推荐 😀"


def test_a_buffer_without_a_name_is_a_draft_too(neovim: Neovim) -> None:
    seen = neovim.play(
        r"""
        vim.cmd('enew'); vim.cmd('setfiletype markdown')
        wait('the server', client); ready()
        keys('iSee [@gurur'); keys('<C-x><C-o>'); wait_for_menu()
        keys('<C-y>]<Esc>')
        seen.line = line()
    """,
        setup="settings = { bibliography = { 'references.bib' } }",
    )
    assert seen["line"] == "See [@gururangan2020dont]"


def test_a_buffer_without_a_name_stays_a_draft_when_it_is_written(neovim: Neovim) -> None:
    seen = neovim.play(
        r"""
        vim.cmd('enew'); vim.cmd('setfiletype markdown')
        wait('the server', client); ready()
        keys('iSee [@gururangan2020dont]<Esc>')
        vim.cmd('write new.md')
        keys('A, as [@simcse')
        wait('the paper', function() return words()[1] == 'gao2021simcse' end)
        keys('<C-y>]<Esc>')
        seen.line = line()
    """,
        setup="settings = { bibliography = { 'references.bib' } }, autocomplete = true",
    )
    assert seen["line"] == "See [@gururangan2020dont], as [@gao2021simcse]"


@pytest.mark.parametrize("command", ["saveas other.tex", "file other.tex"])
def test_a_draft_that_gets_another_name_is_completed_on(neovim: Neovim, command: str) -> None:
    seen = neovim.play(
        rf"""
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{{]])
        keys('apretraining<Esc>')
        vim.cmd('{command}')
        keys('a adapt<C-x><C-o>'); wait_for_menu()
        keys('<C-n><C-y><Esc>')
        seen.line = line()
    """
    )
    assert seen["line"] == r"alike, whether labels are plenty or few \citep{gururangan2020dont}."


def test_the_rest_of_an_old_key_goes_when_another_is_taken(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('paper.tex'); ready()
        go_to([[\citep{devlin]])
        keys('a<C-x><C-o>'); wait_for_menu()
        seen.word = words()[1]
        keys('<C-n><C-p><C-y><Esc>')
        seen.line = line()
    """)
    assert seen["line"].startswith(rf"\citep{{{seen['word']}}}, and a version")


@pytest.mark.parametrize("closing", ["<C-e>", "<C-n><C-n><C-e>"])
def test_a_list_that_was_closed_stays_closed(neovim: Neovim, closing: str) -> None:
    seen = neovim.play(
        rf"""
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{{]])
        keys('apre'); keys('<C-x><C-o>'); wait_for_menu()
        keys('{closing}'); pause(100)
        keys('train'); pause(800)
        seen.open = #menu()
        keys('<Esc>'); seen.line = line()
    """,
        setup="autocomplete = true",
    )
    assert seen["open"] == 0
    assert seen["line"].endswith(r"\citep{pretrain}.")


def test_outside_of_citations_the_omnifunc_from_before_answers(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        vim.cmd([[
            function! Words(findstart, base)
                return a:findstart ? col('.') - 4 : ['reference', "it's"]
            endfunction
            autocmd FileType tex setlocal omnifunc=Words
        ]])
        open('paper.tex'); ready()
        go_to([[Rare words deserve a remark.]])
        keys('a ref<C-x><C-o>'); wait_for_menu()
        seen.words = words()
    """)
    assert seen["words"] == ["reference", "it's"]


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
    assert " — matches the text here" in first
    assert len(seen["offered"]) == 3
    assert "spelling they are made of [@bojanowski2017enriching]." in seen["text"]


def test_the_picker_says_once_which_corpus_a_paper_is_from(neovim: Neovim) -> None:
    offered = json.dumps(json.dumps(row_of_a_corpus("arx")))
    seen = neovim.run(
        "", f"seen.line = require('cite_lsp.rows').line(vim.fn.json_decode({offered}))"
    )
    assert seen["line"].endswith(" — in the corpus arx, not yet in your library")


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


def test_that_nothing_is_missing_is_said_only_once_the_library_is_read(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('paper.tex'); wait('the server', client)
        local told = require('cite_lsp.status')
        local function asked_in(state)
          told.update(client().id, { state = state })
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


@pytest.mark.parametrize(("setup", "listed"), [("", 0), ("alone = false", 1)])
def test_keys_that_texlab_lists_too_are_left_to_cite_lsp(
    neovim: Neovim, setup: str, listed: int
) -> None:
    other = json.dumps([neovim.server[0], "-m", "tests.editors.other_server"]).strip("[]")
    seen = neovim.play(
        rf"""
        open('paper.tex'); ready()
        local config = {{ name = 'texlab', cmd = {{ {other} }}, root_dir = vim.fn.getcwd() }}
        if vim.lsp.start then
            vim.lsp.start(config)
        else
            vim.lsp.buf_attach_client(0, vim.lsp.start_client(config))
        end
        local function texlab()
            for _, one in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
                if one.name == 'texlab' and one.server_capabilities then return one end
            end
        end
        wait('the other server', texlab)
        local function listed(key)
            local answers
            local params = vim.lsp.util.make_position_params(0, client().offset_encoding)
            vim.lsp.buf_request_all(0, 'textDocument/completion', params, function(found)
                answers = found
            end)
            wait('all answers', function() return answers end)
            local count = {{}}
            for id, answer in pairs(answers) do
                local name = vim.lsp.get_client_by_id(id).name
                count[name] = 0
                for _, item in ipairs(answer.result and answer.result.items or {{}}) do
                    local word = item.textEdit and item.textEdit.newText or item.label
                    count[name] = count[name] + (word == key and 1 or 0)
                end
            end
            return count
        end
        go_to([[alike, whether labels are plenty or few \citep{{]])
        keys('aguru')
        seen.inside = listed('gururangan2020dont')
        keys('<Esc>')
        go_to([[Rare words deserve a remark.]])
        keys('a x')
        seen.outside = listed('section')
    """,
        setup=setup,
    )
    assert seen["inside"] == {"cite_lsp": 1, "texlab": listed}
    assert seen["outside"]["texlab"] == 1


def test_papers_are_indexed_and_told_how_far_that_is(neovim: Neovim, tmp_path: Path) -> None:
    papers = neovim.folder / "my papers.jsonl"
    rows = [{"id": f"p{n}", "title": f"Tides {n}", "abstract": f"Shore {n}."} for n in range(40)]
    papers.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    seen = neovim.play(r"""
        seen.paths = vim.fn.getcompletion('CiteLsp index my', 'cmdline')
        seen.first = vim.fn.getcompletion('CiteLsp index ', 'cmdline')[1]
        open('paper.tex'); ready()
        seen.states, seen.echoed = {}, {}
        vim.api.nvim_create_autocmd('User', { pattern = 'CiteLspStatus', callback = function()
            table.insert(seen.states, require('cite_lsp.status').of(0).state)
        end })
        local echo = vim.api.nvim_echo
        vim.api.nvim_echo = function(chunks, ...)
            table.insert(seen.echoed, chunks[1][1])
            return echo(chunks, ...)
        end
        vim.cmd([[CiteLsp index name=tides my\ papers.jsonl]])
        vim.cmd('CiteLsp index another')
        wait('the summary', function() return seen.messages and #seen.messages > 1 end)
        vim.cmd('CiteLsp index')
        vim.cmd('CiteLsp cancel')
    """)
    assert seen["first"] == "name="
    assert seen["paths"] == ["my\\ papers.jsonl"]
    assert "indexing" in seen["states"] and seen["states"][-1] == "ready"
    assert any(re.search("indexing tides: .* of 40 papers", text) for text in seen["echoed"])
    busy, summary, nothing, none = seen["messages"]
    assert busy.startswith("cite-lsp: a corpus is being built already")
    assert summary == "cite-lsp: the corpus “tides” holds 40 papers"
    assert nothing.startswith("cite-lsp: index what?") and "no corpus" in none


def test_indexing_can_be_called_off(neovim: Neovim) -> None:
    papers = neovim.folder / "papers.jsonl"
    rows = [{"id": f"p{n}", "title": f"Tide {n}", "abstract": f"Sea {n}."} for n in range(8000)]
    papers.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    seen = neovim.play(r"""
        open('paper.tex'); ready()
        vim.cmd('CiteLsp index name=called papers.jsonl')
        local function state() return require('cite_lsp.status').of(0).state end
        wait('the beginning', function() return state() == 'indexing' end)
        vim.cmd('CiteLsp cancel')
        wait('the end', function() return state() == 'ready' end)
        vim.cmd('CiteLsp cancel')
    """)
    assert seen["messages"] == ["cite-lsp: no corpus is being built"]


def test_a_server_that_is_started_again_can_index(neovim: Neovim) -> None:
    papers = neovim.folder / "papers.jsonl"
    rows = [{"id": f"p{n}", "title": f"Tide {n}", "abstract": f"Sea {n}."} for n in range(8000)]
    papers.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (neovim.folder / "few.jsonl").write_text(json.dumps(rows[0]), encoding="utf-8")
    seen = neovim.play(r"""
        open('paper.tex'); ready()
        vim.cmd('CiteLsp index name=left papers.jsonl')
        wait('the beginning', function()
            return require('cite_lsp.status').of(0).state == 'indexing'
        end)
        local before = client().id
        vim.cmd('CiteLsp restart')
        wait('a new server', function() return client() and client().id ~= before end)
        ready()
        vim.cmd('CiteLsp index name=few few.jsonl')
        wait('the summary', function() return seen.messages end)
    """)
    assert seen["messages"] == ["cite-lsp: the corpus “few” holds 1 paper"]


def test_a_restart_keeps_the_buffers(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('paper.tex'); ready()
        local before = client().id
        vim.cmd('CiteLsp restart')
        wait('a new server', function() return client() and client().id ~= before end)
        ready()
        seen.statusline = require('cite_lsp').statusline()
        vim.cmd('CiteLsp status')
    """)
    assert seen["statusline"] == ""
    assert seen["messages"][-1].startswith("cite-lsp: ready; ")


def test_the_statusline_tells_what_the_server_told(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        open('paper.tex'); ready()
        vim.cmd('autocmd User CiteLspStatus let g:heard = get(g:, "heard", 0) + 1')
        local handler = client().config.handlers['citeLsp/status']
        local message = '12,300 of 68,784 papers, 18 %'
        handler(nil, { state = 'indexing', message = message }, { client_id = client().id })
        seen.statusline = require('cite_lsp').statusline()
        seen.heard = vim.g.heard
    """)
    assert seen["statusline"] == "cite-lsp: indexing 12,300 of 68,784 papers, 18 %%"
    assert seen["heard"] == 1


def test_the_command_completes_its_subcommands_and_keys(neovim: Neovim) -> None:
    seen = neovim.play(r"""
        seen.all = vim.fn.getcompletion('CiteLsp ', 'cmdline')
        seen.some = vim.fn.getcompletion('CiteLsp re', 'cmdline')
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{]])
        choose(nil)
        vim.cmd('CiteLsp')
        wait('an offer', function() return seen.offered end)
        seen.keys = vim.fn.getcompletion('CiteLsp insert guru', 'cmdline')
        vim.cmd('CiteLsp insert gururangan2020dont')
        wait('the citation', function() return line():find('gururangan') end)
        vim.cmd('CiteLsp nonsense')
    """)
    assert set(seen["all"]) > {"recommend", "missing", "insert", "dismiss", "status", "restart"}
    assert seen["some"] == ["recommend", "restart", "restore"]
    assert seen["keys"] == ["gururangan2020dont"]
    assert "there is no :CiteLsp nonsense" in seen["messages"][-1]


def test_health_says_what_is_there(neovim: Neovim) -> None:
    program = neovim.folder.parent / "cite-lsp"
    program.write_text(f'#!/bin/sh\nexec "{neovim.server[0]}" -m cite_lsp "$@"\n', encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    seen = neovim.run(
        f"require('cite_lsp').setup({{ cmd = {{ '{program}', 'serve' }} }})",
        """
        open('paper.tex'); ready(); vim.cmd('checkhealth cite_lsp'); seen.report = text()
        local v = vim.version()
        seen.version = ('Neovim %d.%d.%d'):format(v.major, v.minor, v.patch)
        """,
    )
    assert seen["version"] in seen["report"]
    assert "cite-lsp doctor:" in seen["report"]
    assert f"server: {program}" in seen["report"]
    assert "running for" in seen["report"]
    assert "ERROR" not in seen["report"]


def test_health_asks_a_server_whose_command_has_several_words(neovim: Neovim) -> None:
    seen = neovim.play("vim.cmd('checkhealth cite_lsp'); seen.report = text()")
    assert f"server: {' '.join(neovim.server)}" in seen["report"]
    assert "cite-lsp doctor:" in seen["report"]
    assert "ERROR" not in seen["report"]


def test_health_and_start_go_by_what_the_client_was_configured_with(neovim: Neovim) -> None:
    command = ", ".join(map(json.dumps, neovim.server))
    seen = neovim.run(
        f"""
        seen.can = vim.lsp.enable ~= nil
        if seen.can then
            vim.lsp.config('cite_lsp', {{ cmd = {{ {command} }} }})
            vim.lsp.enable('cite_lsp')
        end
        """,
        """
        if not seen.can then return end
        open('paper.tex'); ready()
        vim.cmd('checkhealth cite_lsp'); seen.report = text(); vim.cmd('buffer paper.tex')
        local before = client().id
        vim.cmd('CiteLsp stop'); wait('the end', function() return not client() end)
        vim.cmd('CiteLsp start'); wait('another', client)
        seen.another, seen.root = client().id ~= before, client().config.root_dir
        """,
    )
    if not seen["can"]:
        pytest.skip("vim.lsp.config came with Neovim 0.11")
    assert "ERROR" not in seen["report"] and "cite-lsp doctor:" in seen["report"]
    assert seen["another"] and seen["root"] == str(neovim.folder)


def test_a_missing_server_is_one_clear_line(neovim: Neovim) -> None:
    seen = neovim.run(
        "require('cite_lsp').setup({ cmd = { 'no-such-server' }, colour = 'red' })",
        "open('paper.tex'); pause(300); vim.cmd('checkhealth cite_lsp'); seen.report = text()",
    )
    unknown, missing = seen["messages"]
    assert unknown.startswith("cite-lsp: there is no option “colour”")
    assert missing.startswith("cite-lsp: the command “no-such-server” is not found: install it")
    assert "ERROR" in seen["report"]


def test_it_can_be_enabled_without_setup(
    neovim: Neovim, tmp_path: Path, environment: dict[str, str]
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "cite-lsp"
    program.write_text(f'#!/bin/sh\nexec "{neovim.server[0]}" -m cite_lsp "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = f"{folder}{os.pathsep}{environment['PATH']}"
    plain = Neovim(neovim.program, neovim.folder, [], {**environment, "PATH": path})
    seen = plain.run(
        "seen.can = vim.lsp.enable ~= nil; if seen.can then vim.lsp.enable('cite_lsp') end",
        r"""
        if not seen.can then return end
        open('paper.tex'); ready()
        go_to([[\citep{devlin]])
        keys('a<C-x><C-o>'); wait_for_menu()
        seen.omnifunc = vim.bo.omnifunc
    """,
    )
    if not seen["can"]:
        pytest.skip("vim.lsp.enable came with Neovim 0.11")
    assert "cite_lsp" in seen["omnifunc"]


def test_the_help_has_its_tags(neovim: Neovim, tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[2] / "editors/neovim/doc", tmp_path / "doc")
    seen = neovim.run(
        f"vim.cmd('helptags {tmp_path}/doc'); vim.opt.runtimepath:append('{tmp_path}')",
        """
        for _, tag in ipairs({'cite-lsp', ':CiteLsp', 'cite-lsp-setup', 'cite-lsp-completion'}) do
            vim.cmd('help ' .. tag)
        end
        seen.name = vim.fn.expand('%:t')
    """,
    )
    assert seen["name"] == "cite-lsp.txt"
