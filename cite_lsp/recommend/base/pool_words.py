"""The words of the papers of a pool, indexed, and the columns that take reading every paper.

Of a large library they are kept on disk, under a digest of its entries: the next start need not
read every paper again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.library.model import Entry, Record, digest_of
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.texts import searched_text
from cite_lsp.search.words.index import WordIndex
from cite_lsp.storage.npz_cache import drop_arrays, keep_arrays, load_arrays

Sources = tuple[Record | Paper, ...]
"""What papers are read from: their records, or papers of which more is known than those say."""

_INDEXED = "with keywords"
"""What is indexed of papers; a cache of other words is of another library."""
_KEPT_FROM = 2000
"""Entries from which on the word indexes are kept from one start to the next."""


@frozen(eq=False)
class PoolWords:
    """Two word indexes, of `everything` in a paper and of `titles` alone, and two columns.

    `years` (0 where there is none) and `has_abstract` are of shape (n,); `sources` are what the
    papers were read from, in the same order, () where no later pool takes them over.
    """

    everything: WordIndex
    titles: WordIndex
    years: NDArray[np.float32]
    has_abstract: NDArray[np.float32]
    sources: Sources = ()

    @classmethod
    def build(cls, papers: Iterable[Paper], sources: Sources = ()) -> PoolWords:
        """Read all papers."""
        papers = list(papers)
        return cls(
            WordIndex.build([searched_text(paper) for paper in papers]),
            WordIndex.build([paper.title for paper in papers]),
            np.array([paper.year or 0 for paper in papers], dtype=np.float32),
            np.array([bool(paper.abstract) for paper in papers], dtype=np.float32),
            sources,
        )

    @classmethod
    def of_entries(
        cls, papers: Sequence[Paper], entries: Sequence[Entry], sources: Sources
    ) -> PoolWords:
        """Read the papers of entries; those of a large library only once, not at every start."""
        if len(entries) < _KEPT_FROM:
            return cls.build(papers, sources)
        told = [
            f"{row} {one.abstract}" for row, one in enumerate(sources) if isinstance(one, Paper)
        ]
        digest = digest_of(entries, [_INDEXED, *told])
        kept = load_arrays("pool", digest)
        if kept is not None:
            try:
                return cls._opened(kept, sources)
            except (ValueError, KeyError, IndexError):
                drop_arrays("pool", digest)
        words = cls.build(papers, sources)
        arrays = {f"all-{name}": array for name, array in words.everything.arrays.items()}
        arrays |= {f"title-{name}": array for name, array in words.titles.arrays.items()}
        arrays |= {"years": words.years, "has_abstract": words.has_abstract}
        keep_arrays("pool", digest, arrays)
        return words

    @classmethod
    def _opened(cls, kept: Mapping[str, NDArray[np.generic]], sources: Sources) -> PoolWords:
        indexes = [
            WordIndex(
                {
                    name.removeprefix(prefix): array
                    for name, array in kept.items()
                    if name.startswith(prefix)
                }
            )
            for prefix in ("all-", "title-")
        ]
        years = np.asarray(kept["years"], dtype=np.float32)
        has_abstract = np.asarray(kept["has_abstract"], dtype=np.float32)
        if {len(years), len(has_abstract), *map(len, indexes)} != {len(sources)}:
            raise ValueError("of another library")
        return cls(indexes[0], indexes[1], years, has_abstract, sources)
