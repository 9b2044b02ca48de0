"""The configurations in the documentation: each can be read, and does what is said of it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.server.config.options import Options, read_options

DOCUMENTATION = Path(__file__).parents[1] / "docs"
PAGES = [DOCUMENTATION / "editors.md", DOCUMENTATION / "other-editors.md"]
if not DOCUMENTATION.exists():
    pytest.skip("the documentation is not part of this copy", allow_module_level=True)

READERS = {"json": json.loads, "toml": tomllib.loads}


def texts() -> dict[str, tuple[str, str]]:
    """The kind and the text of what stands in each section in JSON or TOML."""
    sections: list[str] = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        sections += re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    return {
        title: (kind, text)
        for title, section in zip(sections[::2], sections[1::2], strict=True)
        for kind, text in re.findall(r"^```(json|toml)\n(.*?)^```$", section, re.DOTALL | re.M)
    }


def snippets() -> dict[str, dict[str, Any]]:
    """What stands in each section in JSON or TOML, read."""
    return {title: READERS[kind](text) for title, (kind, text) in texts().items()}


def command_lines(value: object) -> Iterator[list[str]]:
    """Every command line in a configuration, in each of the ways that editors write one."""
    if isinstance(value, dict):
        program = value.get("command", value.get("path"))
        if isinstance(program, list):
            yield program
        elif isinstance(program, str):
            arguments = value.get("args", value.get("arguments"))
            yield [program, *(arguments if isinstance(arguments, list) else ())]
        for inner in value.values():
            yield from command_lines(inner)


@pytest.mark.parametrize("editor", ["Helix", "Kate", "Sublime Text", "Zed"])
def test_a_configuration_starts_the_server(editor: str) -> None:
    lines = list(command_lines(snippets()[editor]))

    assert lines
    assert all(line == ["cite-lsp", "serve"] for line in lines)


def test_a_server_that_a_language_names_in_helix_is_described_or_its_own() -> None:
    helix = snippets()["Helix"]
    own = {"texlab", "marksman"}

    for language in helix["language"]:
        assert set(language["language-servers"]) <= {*helix["language-server"], *own}


def test_the_settings_that_are_listed_are_those_of_the_server_with_their_defaults() -> None:
    options, complaints = read_options(("docs/editors.md", snippets()["Settings"]))

    assert complaints == ()
    assert options == Options()


def test_the_settings_that_are_examples_are_accepted() -> None:
    _, text = texts()["Settings"]
    examples, number = re.subn(r"^# (?=\w+ = )", "", text, flags=re.MULTILINE)
    options, complaints = read_options(("docs/editors.md", tomllib.loads(examples)))

    assert number >= 5
    assert complaints == ()
    assert options != Options()
