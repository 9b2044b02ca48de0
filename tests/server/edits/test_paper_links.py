"""The addresses that records name are read from their fields, not from their prose."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, parse_bibliography
from cite_lsp.server.edits.paper_links import link_fields


def parsed(text: str) -> Bibliography:
    return parse_bibliography(text, Path("/drafts/refs.bib"))


def test_an_address_that_an_abstract_speaks_of_is_no_link() -> None:
    entry = parsed(
        "@misc{a, abstract = {It has fields such as url = {https://example.org}}, title = {A}}\n"
    ).entries[0]
    assert list(link_fields(entry)) == []


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("{https://x.org/{a{b}}c}", "https://x.org/{a{b}}c"),
        ('"https://x.org/{a{b}}c"', "https://x.org/{a{b}}c"),
        ("site # {/{a{b}}c}", "site # {/{a{b}}c}"),
    ],
)
def test_an_address_is_a_link_however_it_is_written(value: str, written: str) -> None:
    text = f"@string{{site = {{https://x.org}}}}\n@misc{{a, url = {value}, title = {{A}}}}\n"
    ((link, start, end),) = link_fields(parsed(text).entries[0])
    assert link.uri == "https://x.org/abc"
    assert text[start:end] == written
