"""Where the paper of an entry can be read: DOI, arXiv, an address, a file on this disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.field_positions import OF_ADDRESSES, value_position
from cite_lsp.library.entries import Entry
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.library.text.metadata import is_of_arxiv, plain_address
from cite_lsp.paths import expanded
from cite_lsp.server.render.markup import is_web_address
from cite_lsp.server.session.uris import uri_of

_ARXIV = lazy_re(r"\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?")
_DOI = lazy_re(r"10\.\d{4,9}/[^\s{}\"]+")
_SUFFIXES = (".pdf", ".djvu", ".epub", ".ps", ".html")


@frozen
class PaperLink:
    """A place to read a paper at: its URI, and what it is in a word ("DOI", "file")."""

    kind: str
    uri: str


def links_of(entry: Entry) -> tuple[PaperLink, ...]:
    """Return where the paper of an entry can be read, a DOI first, each address once."""
    fields = entry.fields
    links = [
        link
        for name in OF_ADDRESSES
        if fields.get(name) and (link := _link(name, fields[name], entry))
    ]
    if not links and is_web_address(entry.paper.url):
        links.append(PaperLink("URL", entry.paper.url))
    return tuple({link.uri: link for link in links}.values())


def link_fields(entry: Entry) -> Iterator[tuple[PaperLink, int, int]]:
    """Yield the places that fields of a record name, each with the range of the field's value."""
    for field in entry.record.located:
        if field.name in OF_ADDRESSES and (link := _link(field.name, field.value, entry)):
            start, end = value_position(entry.record, field) or (field.value_at, field.end)
            yield link, entry.start + start, entry.start + end


def _link(name: str, value: str, entry: Entry) -> PaperLink | None:
    address = plain_address(value)
    if name == "doi":
        match = _DOI.search(address)
        return PaperLink("DOI", f"https://doi.org/{match.group()}") if match else None
    if name == "eprint":
        number = _ARXIV.search(address)
        if number is None or not is_of_arxiv(address, entry.fields):
            return None
        return PaperLink("arXiv", f"https://arxiv.org/abs/{number.group()}")
    if name == "url":
        return PaperLink("URL", address) if is_web_address(address) else None
    path = _existing(value, entry.path.parent)
    return PaperLink("file", uri_of(path)) if path else None


def _existing(value: str, folder: Path) -> Path | None:
    """Return the first file of a `file` field that exists.

    Zotero writes `Title:folder/a.pdf:application/pdf;…` with `:` and `;` escaped, JabRef
    `:a.pdf:PDF`, others a bare path.
    """
    whole = decode(value).strip() or value
    pieces = [value.strip(), whole]
    for file in re.split(r"(?<!\\);", value):
        pieces += re.split(r"(?<!\\):", file)
    for piece in pieces:
        name = re.sub(r"\\([:;_&%#\\])", r"\1", piece).strip()
        if not name.lower().endswith(_SUFFIXES) or "\0" in name:
            continue
        path = Path(os.path.abspath(folder / expanded(name)))
        try:
            if path.is_file():
                return path
        except OSError:
            continue
    return None
