"""The `@string` definitions of one file that hold in those read after it.

BibTeX and biber read the files of a draft in order and forget no macro between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from attrs import evolve

from cite_lsp.library.entries import Bibliography, Entry, Record
from cite_lsp.storage.caches import ByObject

_Cached = tuple[Mapping[str, str], Record]
_with_macros: ByObject[Record, _Cached] = ByObject()
"""The records that were given macros: they stay the same objects as long as these do."""


def with_earlier_macros(bibliographies: Sequence[Bibliography]) -> Iterator[Entry]:
    """Yield the entries that use a macro of an earlier file, with all macros that hold there."""
    earlier: dict[str, str] = {}
    for bibliography in bibliographies:
        file_macros = bibliography.macros
        foreign = earlier.keys() - file_macros.keys()
        if foreign:
            macros = MappingProxyType({**earlier, **file_macros})
            for entry in bibliography.entries:
                if entry.source == "bibtex" and not foreign.isdisjoint(entry.record.bare_words):
                    yield evolve(entry, record=_record(entry.record, macros))
        earlier.update(file_macros)


def _record(record: Record, macros: Mapping[str, str]) -> Record:
    cached = _with_macros.get(record)
    if cached is None or cached[0] != macros:
        cached = _with_macros.keep(record, (macros, evolve(record, macros=macros)))
    return cached[1]
