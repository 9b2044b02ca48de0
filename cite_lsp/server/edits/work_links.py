"""Where the work behind an entry can be read: DOI, arXiv, an address, a file on this disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen
from pygls.uris import from_fs_path

from cite_lsp.library.bibtex.field_positions import OF_WORKS, spelt_out
from cite_lsp.library.model import Entry
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.library.text.metadata import is_of_arxiv, plain_address
from cite_lsp.paths import expanded

_ARXIV = re.compile(r"\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?")
_DOI = re.compile(r"10\.\d{4,9}/[^\s{}\"]+")
_SUFFIXES = (".pdf", ".djvu", ".epub", ".ps", ".html")


@frozen
class Work:
    """One place to read a work at: its URI, and what it is in a word ("DOI", "file")."""

    kind: str
    uri: str


@frozen
class WorkField:
    """A field of a record in a file that names such a place, and the range of its value."""

    work: Work
    start: int
    end: int


def works(entry: Entry) -> tuple[Work, ...]:
    """Return where a work can be read, a DOI first, each address once."""
    fields = entry.fields
    found = [
        work for name in OF_WORKS if fields.get(name) and (work := _work(name, fields[name], entry))
    ]
    if not found and entry.paper.url:
        found.append(Work("URL", entry.paper.url))
    return tuple({work.uri: work for work in found}.values())


def work_fields(entry: Entry) -> Iterator[WorkField]:
    """Yield the fields of a record that name such places, with their ranges in the file."""
    for field in entry.record.located:
        if field.name in OF_WORKS and (work := _work(field.name, field.value, entry)):
            start, end = spelt_out(entry.record, field) or (field.value_at, field.end)
            yield WorkField(work, entry.start + start, entry.start + end)


def _work(name: str, value: str, entry: Entry) -> Work | None:
    written = plain_address(value)
    if name == "doi":
        found = _DOI.search(written)
        return Work("DOI", f"https://doi.org/{found.group()}") if found else None
    if name == "eprint":
        number = _ARXIV.search(written)
        if number is None or not is_of_arxiv(written, entry.fields):
            return None
        return Work("arXiv", f"https://arxiv.org/abs/{number.group()}")
    if name == "url":
        return Work("URL", written) if re.match(r"https?://|ftp://", written) else None
    path = _existing(value, entry.path.parent)
    uri = from_fs_path(str(path)) if path else None
    return Work("file", uri) if uri else None


def _existing(value: str, folder: Path) -> Path | None:
    """Return the first file of a `file` field that exists.

    Zotero writes `Title:folder/a.pdf:application/pdf;…` with `:` and `;` escaped, JabRef
    `:a.pdf:PDF`, others a bare path.
    """
    whole = decode(value).strip() or value
    pieces = [value.strip(), whole]
    for one in re.split(r"(?<!\\);", value):
        pieces += re.split(r"(?<!\\):", one)
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
