"""What comes from a file becomes no markup, and no link but to the web."""

from __future__ import annotations

import pytest
from lsprotocol.types import MarkupKind

from cite_lsp.paper import Paper
from cite_lsp.server.render import cards
from cite_lsp.server.render.markup import is_web_address

HARMFUL = (
    "command:workbench.action.terminal.new",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "vscode://extension/run",
    "data:text/html,x",
    "https://a.b\nc",
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
