"""In a real Neovim: indexing, starting again, health, and starting without a plugin."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from tests.editors.neovim import Neovim


def test_papers_are_indexed_and_the_progress_is_reported(neovim: Neovim, tmp_path: Path) -> None:
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


RESTARTED = r"""
open('paper.tex'); ready()
local before, cmd = client().id, require('cite_lsp.config').options.cmd
require('cite_lsp').setup({ cmd = cmd, SETTINGS })
vim.cmd('CiteLsp restart')
wait('a new server', function() return client() and client().id ~= before end)
ready()
go_to([[alike, whether labels are plenty or few \citep{]])
keys('a<C-x><C-o>')
wait_for_menu()
seen.listed = #menu()
"""
"""Calls `setup()` with SETTINGS, restarts, and says how many papers a list has then."""


def test_a_restart_takes_what_setup_was_called_with_last(neovim: Neovim) -> None:
    scenario = RESTARTED.replace("SETTINGS", "settings = { completion = { limit = 3 } }")
    seen = neovim.play(scenario, setup="settings = { completion = { limit = 9 } }")
    assert seen["listed"] == 3


def test_an_option_that_setup_is_not_called_with_again_is_the_default_after_a_restart(
    neovim: Neovim,
) -> None:
    scenario = RESTARTED.replace("SETTINGS", "")
    seen = neovim.play(scenario, setup="settings = { completion = { limit = 3 } }")
    assert seen["listed"] > 3


def test_a_restart_after_a_crash_serves_every_buffer_again(neovim: Neovim) -> None:
    neovim.play(r"""
        open('paper.tex'); ready()
        open('notes.md'); ready()
        for _, process in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
            vim.loop.kill(process, 'sigkill')
        end
        wait('the end', function() return not client() end)
        vim.cmd('CiteLsp restart')
        ready()
        vim.cmd('buffer paper.tex')
        wait('the server of the other buffer', client, 5000)
    """)


def test_buffers_that_are_opened_at_once_share_the_server_of_their_project(neovim: Neovim) -> None:
    other = neovim.folder / "other"
    other.mkdir()
    for name in ("cite-lsp.toml", "notes.md"):
        shutil.copy(neovim.folder / name, other / name)
    seen = neovim.play(r"""
        vim.cmd('set hidden | edit paper.tex | edit other/notes.md | edit notes.md')
        ready()
        local function id(name)
            local found = require('cite_lsp.server').of(vim.fn.bufnr(name))
            return found and found.id
        end
        local names = { 'paper.tex', 'other/notes.md', 'notes.md' }
        wait('all servers', function() return #vim.tbl_map(id, names) == 3 end)
        seen.ids = vim.tbl_map(id, names)
    """)
    draft, other_notes, notes = seen["ids"]
    assert draft == notes != other_notes


def test_the_statusline_shows_what_the_server_reported(neovim: Neovim) -> None:
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
    assert seen["some"] == ["recommend", "references", "restart", "restore"]
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
