"""In a real Neovim: completion by keys."""

from __future__ import annotations

import json

import pytest

from tests.editors.conftest import CHINESE
from tests.editors.neovim import Neovim

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
    assert "Gururangan" in seen["card"] and "which this section cites" in seen["card"]
    menu, (row, column) = seen["menu"], seen["corner"]
    if beside:
        assert column >= menu["col"] + menu["width"] or column + seen["width"] <= menu["col"]
    else:
        assert row >= menu["row"] + menu["height"] or row + seen["height"] <= menu["row"]
    assert seen["kept"] and seen["stays"]
    assert "left" not in seen
    assert seen["line"].endswith(r"\citep{gururangan2020dont}.")


def test_each_sentence_takes_the_chosen_method_of_its_language(neovim: Neovim) -> None:
    (neovim.folder / "论文.md").write_text(CHINESE, encoding="utf-8")
    seen = neovim.play(
        CARD
        + r"""
        vim.o.columns, vim.o.lines, vim.o.completeopt = 160, 40, 'menuone,noinsert,preview'
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{]])
        keys('a<C-x><C-o>'); wait_for_menu(); wait_for_card('phase 2: 0')
        keys('<C-e><Esc>')
        open('论文.md'); ready()
        go_to('[@')
        keys('a<C-x><C-o>'); wait_for_menu(); wait_for_card('跨语言相近')
        seen.words = words()
    """,
        setup="settings = { method = { 'two-phase', 'blsrec-2' } }",
    )
    assert "devlin2019bert" in seen["words"]


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


@pytest.mark.parametrize("typed", ["p", "pretraining"])
def test_the_list_opens_in_a_citation_that_stands_there_empty(neovim: Neovim, typed: str) -> None:
    seen = neovim.play(
        rf"""
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{{]])
        keys('a{typed}')
        wait('the list', function() return #menu() > 0 end)
        seen.words = words()
    """,
        setup="autocomplete = true",
    )
    assert len(seen["words"]) > 0


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


@pytest.mark.parametrize("first", ["plain2018", "DBLP:conf/naacl/Devlin19"])
@pytest.mark.parametrize("taken", ["plain2018", "DBLP:conf/naacl/Devlin19"])
def test_a_key_that_no_sign_of_typst_can_hold_takes_the_place_of_both_signs(
    neovim: Neovim, first: str, taken: str
) -> None:
    """Whichever comes first in a list with one that can stand between them."""
    titles = {key: "Lives of wombats" for key in ("plain2018", "DBLP:conf/naacl/Devlin19")}
    titles[first] = "Bidirectional encoders of wombats"
    (neovim.folder / "odd.bib").write_text(
        "".join(f"@misc{{{key}, title={{{title}}}}}\n" for key, title in titles.items()),
        encoding="utf-8",
    )
    (neovim.folder / "draft.typ").write_text(
        'Bidirectional encoders #cite(<>), of course\n\n#bibliography("odd.bib")\n',
        encoding="utf-8",
    )
    seen = neovim.play(rf"""
        vim.o.completeopt = 'menu,menuone,noinsert'
        open('draft.typ'); vim.bo.filetype = 'typst'; ready()
        go_to([[encoders #cite(<]])
        keys('awombats')
        keys('<C-x><C-o>'); wait_for_menu()
        seen.words = words()
        keys('{"" if first == taken else "<C-n>"}<C-y><Esc>')
        seen.line = line()
    """)
    assert first in seen["words"][0] and len(seen["words"]) == 2
    written = f'label("{taken}")' if "/" in taken else f"<{taken}>"
    assert seen["line"] == f"Bidirectional encoders #cite({written}), of course"


def test_a_key_that_is_typed_before_another_one_comes_with_a_comma(neovim: Neovim) -> None:
    seen = neovim.play(
        r"""
        open('paper.tex'); ready()
        go_to([[\citep{]])
        keys('ascibert'); wait_for_menu()
        seen.shown = menu()[1].abbr
        keys('<C-n><C-p><C-y>')
        pause(500)
        seen.line, seen.open = line(), #menu()
        keys('devlin'); wait_for_menu()
        """,
        setup="autocomplete = true",
    )
    assert r"\citep{beltagy2019scibert,bhagavatula2018content}" in seen["line"]
    assert seen["shown"] == "beltagy2019scibert" and seen["open"] == 0


@pytest.mark.parametrize("closing", ["<C-e>", "<C-n><C-n><C-e>"])
def test_a_list_that_was_closed_stays_closed(neovim: Neovim, closing: str) -> None:
    seen = neovim.play(
        rf"""
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{{]])
        keys('apre'); wait_for_menu()
        keys('{closing}'); pause(100)
        keys('train'); pause(800)
        seen.open = #menu()
        keys('<Esc>'); seen.line = line()
    """,
        setup="autocomplete = true",
    )
    assert seen["open"] == 0
    assert seen["line"].endswith(r"\citep{pretrain}.")


def test_a_list_that_was_closed_before_the_first_letter_stays_closed(neovim: Neovim) -> None:
    seen = neovim.play(
        r"""
        open('paper.tex'); ready()
        go_to([[\citep{bhagavatula2018content}. ]])
        keys('aSo \\citep{'); wait_for_menu()
        keys('<C-e>'); pause(100)
        keys('pre'); pause(800)
        seen.open = #menu()
    """,
        setup="autocomplete = true",
    )
    assert seen["open"] == 0


@pytest.mark.parametrize("pressed", [["<C-x><C-o>"], ["<C-x>", "<C-o>"]])
def test_a_list_that_is_open_by_itself_opens_again_by_key(
    neovim: Neovim, pressed: list[str]
) -> None:
    played = " ".join(f"keys('{key}')" for key in pressed)
    seen = neovim.play(
        rf"""
        vim.o.completeopt = 'menuone,noinsert'
        open('paper.tex'); ready()
        go_to([[alike, whether labels are plenty or few \citep{{]])
        keys('apre'); wait_for_menu(); pause(500)
        {played}; pause(500); wait_for_menu()
        keys('<C-y><Esc>')
        seen.line = line()
    """,
        setup="autocomplete = true",
    )
    assert seen["line"] == r"alike, whether labels are plenty or few \citep{gururangan2020dont}."


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
