"""The row of a work in a corpus: by its numbers, by its title."""

from __future__ import annotations

from collections.abc import Iterable

from cite_lsp.paper import normalise_title
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.words.tokens import tokenise

_SIMILAR_TITLES = 5
"""Papers with the words of a title whose titles are compared with it."""


def row_with_title(index: CorpusIndex, title: str) -> int:
    """Return the row of the paper with a title, -1 where a corpus lacks it."""
    normal = normalise_title(title)
    rows, _ = index.words.search(tokenise(title), _SIMILAR_TITLES)
    for row in rows.tolist() if normal else ():
        if normalise_title(index.paper(row).title) == normal:
            return int(row)
    return -1


def row_of_work(index: CorpusIndex, numbers: Iterable[str], title: str) -> int:
    """Return the row of a work by its numbers (DOI, arXiv), else by its title; -1 without it."""
    for number in numbers:
        if len(rows := index.numbered(number)):
            return int(rows[0])
    return row_with_title(index, title)
