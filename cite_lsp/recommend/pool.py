"""The papers that can be recommended, with everything that ranking them needs, row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cite_lsp.encode.model import Encoder, Vectors
from cite_lsp.library.model import Entry
from cite_lsp.paper import Paper, fold, surname
from cite_lsp.search.tokens import tokenise
from cite_lsp.search.words import WordIndex


def title_text(paper: Paper) -> str:
    """The text that stands for a paper where space is short: its title."""
    return paper.title


def full_text(paper: Paper) -> str:
    """The text that stands for a paper in phase 1: title and abstract (Tanaka et al.)."""
    return f"{paper.title}. {paper.abstract}" if paper.abstract else paper.title


def searchable_text(paper: Paper) -> str:
    """Every word by which a sentence may name a paper: title, authors, year, venue, abstract."""
    year = str(paper.year or "")
    return " ".join((paper.title, " ".join(paper.authors), year, paper.venue, paper.abstract))


class Pool:
    """Papers in a fixed order; row i of every array belongs to paper i.

    Keys (of entries) and ids (of papers without one) name rows; the words are indexed at once, the
    vectors when `embed` is called, because they need a model.
    """

    def __init__(
        self, papers: Sequence[Paper], entries: Sequence[Entry | None] | None = None
    ) -> None:
        """Index the words of the papers; `entries`, if given, stand beside them one to one."""
        self.papers = tuple(papers)
        self.entries = tuple(entries) if entries is not None else (None,) * len(self.papers)
        self.names = tuple(
            entry.key if entry else paper.id
            for paper, entry in zip(self.papers, self.entries, strict=True)
        )
        self.row_of = {name: row for row, name in reversed(list(enumerate(self.names)))}
        self.words = WordIndex.build([searchable_text(paper) for paper in self.papers])
        self.title_words = WordIndex.build([paper.title for paper in self.papers])
        self.title_tokens = [frozenset(tokenise(paper.title)) for paper in self.papers]
        self.surnames = [
            tuple(name for name in map(fold, map(surname, paper.authors)) if len(name) > 1)
            for paper in self.papers
        ]
        self.years: NDArray[np.float32] = np.array(
            [paper.year or 0 for paper in self.papers], dtype=np.float32
        )
        self.has_abstract: NDArray[np.float32] = np.array(
            [bool(paper.abstract) for paper in self.papers], dtype=np.float32
        )
        self.title_vectors: Vectors | None = None
        self.full_vectors: Vectors | None = None

    def __len__(self) -> int:
        return len(self.papers)

    @cached_property
    def full_words(self) -> WordIndex:
        """The words of titles and abstracts alone: the plain BM25 to measure by."""
        return WordIndex.build([full_text(paper) for paper in self.papers])

    def embed(self, encoder: Encoder, *, cancelled: Callable[[], bool] | None = None) -> None:
        """Encode titles first, then titles with abstracts where there are any.

        Raises:
            Cancelled: `cancelled` said so; what has been encoded so far is kept by the caller's
                encoder if it caches.
        """
        titles = encoder.encode([title_text(paper) for paper in self.papers], cancelled=cancelled)
        long = [row for row, paper in enumerate(self.papers) if paper.abstract]
        full = titles.copy()
        if long:
            full[long] = encoder.encode(
                [full_text(self.papers[row]) for row in long], cancelled=cancelled
            )
        self.title_vectors, self.full_vectors = titles, full

    def rows(self, names: Sequence[str]) -> list[int]:
        """Return the rows of the names that the pool knows, in the order given."""
        return [self.row_of[name] for name in names if name in self.row_of]
