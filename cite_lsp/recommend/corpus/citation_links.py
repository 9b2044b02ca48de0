"""What a paper cites and what cites it, as far as the corpora on this machine know.

A paper that several corpora have counts once, by its title and first author (`title_key`); by that
it is told, too, which papers a library has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.library import Library
from cite_lsp.library.entries import Entry
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus.corpus_records import key_of, published_numbers
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.work_rows import row_of_work
from cite_lsp.search.vectors.vector_index import Rows

Direction = Literal["citing", "citedBy"]
"""The papers that a paper cites, or those that cite it."""


@frozen(eq=False)
class _Part:
    """The linked papers of one corpus: their rows, and which of them the library has."""

    name: str
    index: CorpusIndex
    rows: Rows
    owned: NDArray[np.bool_]


@frozen(eq=False)
class CitationLinks:
    """The papers that citations link to one, each once."""

    parts: tuple[_Part, ...] = ()

    def __len__(self) -> int:
        return sum(len(part.rows) for part in self.parts)

    @property
    def in_library(self) -> int:
        """How many of them the library has."""
        return sum(int(part.owned.sum()) for part in self.parts)

    def papers(self, limit: int) -> list[tuple[str, Paper]]:
        """Return up to `limit` papers, each with its corpus: those of the library, then the newest.

        Raises:
            SearchIndexError: a record of a corpus is damaged.
        """
        ranked = sorted(
            (not owned, -int(part.index.years[row]), number, int(row))
            for number, part in enumerate(self.parts)
            for row, owned in zip(part.rows.tolist(), part.owned.tolist(), strict=True)
        )
        best = ((self.parts[number], row) for _, _, number, row in ranked[:limit])
        return [(part.name, part.index.paper(row)) for part, row in best]


def citation_links(
    indexes: Mapping[str, CorpusIndex], library: Library, entry: Entry, direction: Direction
) -> CitationLinks | None:
    """Return what citations link to the work of an entry; None where no corpus knows it and them.

    Raises:
        SearchIndexError: a corpus is damaged.
    """
    if not indexes:
        return None
    library_keys = np.array(
        [key_of(library_entry.record) for library_entry in library.entries], dtype=np.uint64
    )
    seen = np.array([key_of(entry.record)], dtype=np.uint64)
    parts: list[_Part] = []
    is_indexed = False
    for name, index in indexes.items():
        references = index.references
        if references is None or not len(references):
            continue
        row = row_of_work(index, published_numbers(entry), entry.paper.title)
        if row < 0:
            continue
        is_indexed = True
        rows = references.of(row) if direction == "citing" else references.citing(row)
        keys, first = np.unique(
            np.asarray(index.columns.title_keys)[rows.astype(np.int64)], return_index=True
        )
        new = ~np.isin(keys, seen)
        rows, keys = rows.astype(np.int64)[first[new]], keys[new]
        seen = np.concatenate([seen, keys])
        parts.append(_Part(name, index, rows, np.isin(keys, library_keys)))
    return CitationLinks(tuple(parts)) if is_indexed else None
