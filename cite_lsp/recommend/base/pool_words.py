"""The word indexes of a pool, and the columns that need every paper to be read.

Those of a large library are cached on disk, under a digest of its entries, so that the next start
need not read every paper again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.library.entries import Entry, Record, digest_of
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.texts import searched_text
from cite_lsp.search.words.word_index import WordIndex
from cite_lsp.storage.npz_cache import drop_arrays, has_arrays, keep_arrays, load_arrays

Sources = tuple[Record | Paper, ...]
"""What papers are read from: their records, or papers that a corpus completed."""

_KIND = "pool-3"
"""The kind of cache file; a new name invalidates all old files."""
_CACHED_FROM = 2000
"""Entries from which on the word indexes are cached on disk."""


@frozen(eq=False)
class PoolWords:
    """Two word indexes, of `everything` in a paper and of `titles` alone, and two columns.

    `years` (0 where unknown) and `has_abstract` are of shape (n,). `sources` are what the papers
    were read from, in the same order; () where no later pool reuses them.
    """

    everything: WordIndex
    titles: WordIndex
    years: NDArray[np.float32]
    has_abstract: NDArray[np.float32]
    sources: Sources = ()

    @classmethod
    def build(cls, papers: Iterable[Paper], sources: Sources = ()) -> PoolWords:
        """Index all papers."""
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
        cls,
        papers: Sequence[Paper],
        entries: Sequence[Entry],
        sources: Sources,
        digest: str = "",
    ) -> PoolWords:
        """Index the papers of entries; those of a large library come from the cache if they can.

        `digest` is that of the entries, where it is known.
        """
        if len(entries) < _CACHED_FROM:
            return cls.build(papers, sources)
        completed = [
            f"{row} {source.abstract}"
            for row, source in enumerate(sources)
            if isinstance(source, Paper)
        ]
        digest = digest or digest_of(entries)
        if completed:
            digest = digest_of((), [digest, *completed])
        cached = load_arrays(_KIND, digest)
        if cached is not None:
            try:
                return cls._from_cache(cached, sources)
            except (ValueError, KeyError, IndexError):
                drop_arrays(_KIND, digest)
        words = cls.build(papers, sources)
        arrays = {f"all-{name}": array for name, array in words.everything.arrays.items()}
        arrays |= {f"title-{name}": array for name, array in words.titles.arrays.items()}
        arrays |= {"years": words.years, "has_abstract": words.has_abstract}
        keep_arrays(_KIND, digest, arrays)
        return words

    @staticmethod
    def is_stored(digest: str) -> bool:
        """Whether the indexes of the entries with a digest are in the cache on disk."""
        return has_arrays(_KIND, digest)

    @classmethod
    def _from_cache(cls, cached: Mapping[str, NDArray[np.generic]], sources: Sources) -> PoolWords:
        indexes = [
            WordIndex(
                {
                    name.removeprefix(prefix): array
                    for name, array in cached.items()
                    if name.startswith(prefix)
                }
            )
            for prefix in ("all-", "title-")
        ]
        years = np.asarray(cached["years"], dtype=np.float32)
        has_abstract = np.asarray(cached["has_abstract"], dtype=np.float32)
        if {len(years), len(has_abstract), *map(len, indexes)} != {len(sources)}:
            raise ValueError("of another library")
        return cls(indexes[0], indexes[1], years, has_abstract, sources)
