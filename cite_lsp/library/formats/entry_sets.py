r"""The sets of entries that a LaTeX draft defines, `\defbibentryset{both}{one,two}`, as entries."""

from __future__ import annotations

from pathlib import Path

from cite_lsp.library.bibtex.reader import BIBTEX
from cite_lsp.library.bibtex.roles import SET
from cite_lsp.library.entries import Bibliography, Entry, Record
from cite_lsp.manuscript import Manuscript


def entry_sets(manuscript: Manuscript, path: Path) -> Bibliography:
    """Return the sets that a draft defines, in order, as entries of the kind "set"."""
    text, entries = manuscript.text, []
    for defined in manuscript.layout.entry_sets:
        record = Record(
            key=defined.key.text,
            kind=SET,
            path=path,
            raw=text[defined.start : defined.end],
            key_at=defined.key.start - defined.start,
            reader=BIBTEX,
            links=tuple(("entryset", member.text.lower()) for member in defined.members),
        )
        entries.append(Entry(record, defined.start, text.count("\n", 0, defined.start) + 1))
    return Bibliography(path, tuple(entries))


def is_of_sets(bibliography: Bibliography) -> bool:
    """Whether a bibliography holds nothing but sets."""
    return all(entry.kind == SET for entry in bibliography.entries)
