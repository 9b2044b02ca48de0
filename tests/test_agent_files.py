"""The files for writing assistants: each program starts as they say, for the drafts they say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.cli import build_parser
from cite_lsp.manuscript import format_of
from cite_lsp.project.workspace import is_bibliography

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "editors" / "agents"
if not PLUGIN.exists():
    pytest.skip("the editors' packages are not part of this copy", allow_module_level=True)


def read(name: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    return json.loads((PLUGIN / name).read_text(encoding="utf-8"))


def test_each_server_is_a_command_of_the_command_line() -> None:
    servers = {**read(".mcp.json")["mcpServers"], "lsp": read(".lsp.json")["cite-lsp"]}
    started = [build_parser().parse_args(server["args"]).command for server in servers.values()]
    assert started == ["mcp", "serve"]
    assert {server["command"] for server in servers.values()} == {"cite-lsp"}


def test_the_language_server_is_started_for_drafts_and_bibliographies_by_names_it_knows() -> None:
    languages = read(".lsp.json")["cite-lsp"]["extensionToLanguage"]
    package = json.loads((ROOT / "editors/vscode/package.json").read_text(encoding="utf-8"))
    known = {event.removeprefix("onLanguage:") for event in package["activationEvents"]}
    assert set(languages.values()) <= known
    for suffix in languages:
        file = Path(f"draft{suffix}")
        assert format_of(file) is not None or is_bibliography(file), suffix


def test_the_page_shows_the_entry_of_the_plugin() -> None:
    page = (ROOT / "docs" / "assistants.md").read_text(encoding="utf-8")
    shown = re.search(r"^```json\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert shown is not None
    assert json.loads(shown[1]) == read(".mcp.json")
