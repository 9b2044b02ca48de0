"""What the writer has filed and noted with an entry: keywords and notes, as text for display."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.csl.item import csl_text, read_item
from cite_lsp.library.csl.zotero_items import notes_of_item
from cite_lsp.library.entries import Entry
from cite_lsp.library.text.display import shortened
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.latex_decode import decode, readable

LONGEST_KEYWORDS = 300
LONGEST_NOTES = 1000
"""Characters of keywords, and of all notes of an entry, that are shown."""
_WITH_LATEX = ("bibtex", "bbl")
_NOTE_FIELDS = ("annotation", "annote", "note")
_DATA_FIELDS = ("annote", "note")
_DATUM = lazy_re(
    r"(?:citation[ -]?key|bibtex|biblatex|tex\.[\w.*-]+|doi|pmid|pmcid|arxiv|isbn|issn|oclc|url"
    r"|type|status|license|issued|accessed|genre|medium|number|version|original[ -](?:date|title)"
    r"|event[ -](?:date|place|title)|google-books-id|ads bibcode|mag id|s2id|zscc|gscc|_eprint"
    r"|publisher|archive|citations?)\s*:",
    re.IGNORECASE,
)
"""How a line of Zotero's *Extra* begins that is a field by another name, and no note."""


@frozen
class Annotations:
    """Keywords, in one text, and notes, each on one line; empty where there are none."""

    keywords: str = ""
    notes: tuple[str, ...] = ()


NONE = Annotations()


def annotations_of(entry: Entry | None) -> Annotations:
    """Return the keywords and notes of an entry, of bounded length; without one, none."""
    if entry is None:
        return NONE
    notes: list[str] = []
    left = LONGEST_NOTES
    for note in _notes(entry):
        if note and note not in notes:
            notes.append(shortened(note, left))
            left -= len(notes[-1])
        if left <= 0:
            break
    keywords = " ".join(readable(entry.paper.keywords).split())
    return Annotations(shortened(keywords, LONGEST_KEYWORDS), tuple(notes))


def _notes(entry: Entry) -> Iterator[str]:
    yield from entry.record.notes
    if entry.source in _WITH_LATEX:
        for name in _NOTE_FIELDS:
            note = entry.fields.get(name, "")
            yield " ".join(readable(without_markup(decode(note))).split())
    elif entry.source != "bibitem":
        yield from _exported_notes(entry)
        item = read_item(entry.record)
        for name in _DATA_FIELDS:
            lines = str(item.get(name) or "").splitlines()
            yield csl_text(" ".join(line for line in lines if not _DATUM.match(line.strip())))


def _exported_notes(entry: Entry) -> Iterator[str]:
    """Yield the notes of an item that Better BibTeX exported: its CSL has no place for them."""
    if entry.source == "csl-json" and entry.record.data:
        with suppress(ValueError, RecursionError):
            yield from notes_of_item(json.loads(entry.raw))
