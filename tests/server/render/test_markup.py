"""What comes from a file becomes no markup, and no link but to the web."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol.types import MarkupKind

from cite_lsp.library.load.read import parse_as_named
from cite_lsp.paper import Paper
from cite_lsp.server.render import cards
from cite_lsp.server.render.citeproc import ReferenceFormatter
from cite_lsp.server.render.markup import escaped, is_web_address, link

HARMFUL = (
    "command:workbench.action.terminal.new",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "vscode://extension/run",
    "data:text/html,x",
    "https://a.b\nc",
    "https://a.b/\u202egpj.exe",
    " https://a.b",
    "//a.b",
)


def test_addresses_on_the_web_become_links() -> None:
    assert is_web_address("https://doi.org/10.1/x") and is_web_address("HTTP://a.b/c?d#e")


@pytest.mark.parametrize("address", HARMFUL)
def test_no_other_address_becomes_a_link(address: str) -> None:
    assert not is_web_address(address)
    described = cards.card(Paper("1", "T", url=address), MarkupKind.Markdown)
    shown = described if isinstance(described, str) else described.value
    assert "](" not in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![a](https://attacker.example/p.png)", r"!\[a\](https://attacker.example/p.png)"),
        ("<img src=x>", r"\<img src=x\>"),
        ("&lt;b&gt; &#x202e;", r"\&lt;b\&gt; \&\#x202e;"),
        ("`code` *a* _b_", r"\`code\` \*a\* \_b\_"),
    ],
)
def test_markdown_of_a_file_is_shown_as_it_is(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_an_address_ends_no_link_and_begins_no_picture() -> None:
    assert link("https://a.b/<x>", "D") == "[D](<https://a.b/%3Cx%3E>)"
    assert link("https://a.b/c\\>d", "D") == "[D](<https://a.b/c%5C%3Ed>)"
    assert link("https://a.b", "[x](command:y)") == r"[\[x\](command:y)](<https://a.b>)"
    assert link("https://a.b/c") == "<https://a.b/c>"


def test_the_address_in_a_reference_is_one_to_its_end(tmp_path: Path) -> None:
    pytest.importorskip("citeproc")
    address = "https://a.b/c<![x](https://attacker.example/p.png)"
    text = f"@misc{{a, title={{T}}, author={{Doe, Jane}}, year=2020, url={{{address}}}}}"
    (entry,) = parse_as_named(text, Path("a.bib")).entries
    shown = ReferenceFormatter().format(entry, "apa", tmp_path, markdown=True)
    assert "attacker.example" in shown
    assert "[" not in shown and shown.count("<") == 1
