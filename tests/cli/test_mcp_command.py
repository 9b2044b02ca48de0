"""`cite-lsp mcp`: the official client is answered as the command line answers, and confined."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.cli import mcp_command
from tests.cli.conftest import MARKDOWN, Outcome

if find_spec("mcp") is None:
    pytest.skip("needs the mcp extra", allow_module_level=True)

from mcp import Client, StdioServerParameters
from mcp_types import TextContent

from cite_lsp.cli.agents.tools import server


async def answer(desk: Path, tool: str, **arguments: Any) -> Any:  # noqa: ANN401 - of any tool
    """What a tool answers in this process."""
    async with Client(server([desk])) as client:
        result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refusal(desk: Path, tool: str, **arguments: Any) -> str:  # noqa: ANN401 - of any tool
    """The one line that a tool is refused with."""
    async with Client(server([desk])) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text.removeprefix(f"Error executing tool {tool}: ")


@pytest.fixture
def corpus(command: Callable[..., Outcome], desk: Path) -> None:
    """A corpus with a work that the bibliography of the desk lacks."""
    record = {"id": "n:1", "title": "Mud Snails of the Baltic", "authors": ["Bo Lind"]}
    record |= {"year": "2011", "doi": "10.1000/mud"}
    (desk / "more.jsonl").write_text(json.dumps(record), encoding="utf-8")
    assert command("index", "more.jsonl", "--corpus", "snails").status == 0


async def test_a_client_on_stdio_gets_the_tools_and_the_answer_of_the_command_line(
    command: Callable[..., Outcome], desk: Path
) -> None:
    process = StdioServerParameters(
        command=sys.executable, args=["-m", "cite_lsp", "mcp"], cwd=desk, env=dict(os.environ)
    )
    async with Client(process) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        result = await client.call_tool("suggest", {"draft": "draft.tex", "line": 8, "limit": 2})
    assert set(tools) == {"suggest", "references", "search", "check", "add_entry"}
    writing = [
        name
        for name, tool in tools.items()
        if not (tool.annotations or tool).read_only_hint  # type: ignore[union-attr]
    ]
    assert writing == ["add_entry"]
    assert result.structured_content == command("suggest", "draft.tex:8", "-k2", "--json").json


async def test_search_answers_as_the_command_line(
    command: Callable[..., Outcome], desk: Path
) -> None:
    result = await answer(desk, "search", query="herring gull", bibliographies=["refs.bib"])
    assert result == command("search", "herring gull", "-b", "refs.bib", "--json").json


async def test_references_answers_as_the_command_line(
    command: Callable[..., Outcome], desk: Path
) -> None:
    result = await answer(desk, "references", draft="draft.tex", limit=3)
    assert result == command("references", "draft.tex", "-k3", "--json").json
    assert result["groups"]


async def test_check_answers_as_the_command_line(
    command: Callable[..., Outcome], desk: Path
) -> None:
    only = ["empty-citation", "unused-entry"]
    result = await answer(desk, "check", files=["draft.tex"], only=only)
    options = [option for rule in only for option in ("--only", rule)]
    assert result == command("check", "draft.tex", "--json", *options).json
    assert {finding["rule"] for finding in result["findings"]} == set(only)


@pytest.mark.usefixtures("corpus")
async def test_an_entry_is_added_to_the_bibliography_of_the_draft_once(desk: Path) -> None:
    before = (desk / "refs.bib").read_text(encoding="utf-8")
    added = await answer(desk, "add_entry", draft="notes.md", work="10.1000/mud")
    after = (desk / "refs.bib").read_text(encoding="utf-8")
    assert added["added"] and added["file"] == str(desk / "refs.bib")
    assert after == f"{before}{added['entry']}\n"
    assert f"{{{added['key']}," in added["entry"] and "Mud Snails" in added["entry"]
    again = await answer(desk, "add_entry", draft="notes.md", work="Mud snails of the Baltic")
    assert again == {"added": False, "key": added["key"], "file": str(desk / "refs.bib")}
    assert (desk / "refs.bib").read_text(encoding="utf-8") == after


@pytest.mark.usefixtures("corpus")
async def test_no_entry_is_added_for_a_draft_that_names_no_bibliography(desk: Path) -> None:
    (desk / "bare.md").write_text("Snails.\n", encoding="utf-8")  # it cites from refs.bib
    (desk / "cite-lsp.toml").write_text('addEntriesTo = "more.bib"\n', encoding="utf-8")
    files = sorted(desk.iterdir())
    said = await refusal(desk, "add_entry", draft="bare.md", work="10.1000/mud")
    assert "it names no bibliography" in said and sorted(desk.iterdir()) == files


@pytest.mark.usefixtures("corpus")
async def test_no_entry_is_added_outside_the_folders_by_a_name_or_by_a_link(
    desk: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.bib"
    outside.write_text((desk / "refs.bib").read_text(encoding="utf-8"), encoding="utf-8")
    before = outside.read_bytes()
    (desk / "linked.bib").symlink_to(outside)
    for name in ("../outside.bib", "linked.bib"):
        (desk / "notes.md").write_text(MARKDOWN.replace("refs.bib", name), encoding="utf-8")
        said = await refusal(desk, "add_entry", draft="notes.md", work="10.1000/mud")
        assert "lies outside" in said
    assert outside.read_bytes() == before


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("suggest", {"draft": "../outside.tex"}),
        ("suggest", {"draft": "linked.tex"}),
        ("references", {"draft": "../outside.tex"}),
        ("check", {"files": [".."]}),
        ("search", {"query": "x", "bibliographies": ["../outside.bib"]}),
        ("add_entry", {"draft": "../outside.tex", "work": "x"}),
    ],
)
async def test_files_outside_the_folders_are_not_read(
    desk: Path, tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    (tmp_path / "outside.tex").write_text("Secret.", encoding="utf-8")
    (tmp_path / "outside.bib").write_text("@misc{a, title={x}}", encoding="utf-8")
    (desk / "linked.tex").symlink_to(tmp_path / "outside.tex")
    assert "lies outside" in await refusal(desk, tool, **arguments)


async def test_what_is_no_bibliography_is_not_searched(desk: Path) -> None:
    said = await refusal(desk, "search", query="x", bibliographies=["draft.tex"])
    assert said == "draft.tex: is no bibliography; name a .bib, .json, .yaml or .ris file"


async def test_no_query_goes_to_another_machine(desk: Path) -> None:
    said = await refusal(desk, "search", query="x", corpus="milvus://elsewhere:19530/papers")
    assert "is on another machine" in said


async def test_what_cannot_be_done_is_the_line_of_the_command_line(
    command: Callable[..., Outcome], desk: Path
) -> None:
    said = await refusal(desk, "suggest", draft="draft.tex", line=99)
    named = f"{desk / 'draft.tex'}"
    assert said == command("suggest", f"{named}:99").error


def test_without_the_extra_a_line_says_how_to_install_it(
    command: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_command, "find_spec", lambda name: None)
    line = command("mcp").error
    assert line.startswith("mcp needs the extra mcp; run `") and "[mcp]" in line


def test_a_folder_that_is_not_there_is_named(command: Callable[..., Outcome]) -> None:
    assert command("mcp", "nowhere").error.startswith("nowhere: no such folder")
