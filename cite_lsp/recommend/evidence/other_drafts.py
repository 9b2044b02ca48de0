"""What the writer's other drafts say for a paper: evidence, and what it weighs.

A writer cites much again from one draft to the next, and in much the same words. But one library
often serves all drafts, and then most of what another draft cites is of no use here: that it is
cited there tells little, that it is cited there where the text reads like this tells a lot.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Vectors
from cite_lsp.library.match.dedupe import SameWork
from cite_lsp.library.model import Entry
from cite_lsp.paper import Paper
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.linear_weights import read_weights
from cite_lsp.recommend.base.word_overlap import Checksums, WordSimilarity, checksums
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.vectors.index import Rows
from cite_lsp.search.words.hashes import WordHashes

MODEL = "other-drafts"
SIGNS = ("cited", "alike", "placed")
"""cited: 1. alike: the greatest likeness to the sentence of a place that cites the paper, 0 to 1.
placed: the greatest cosine of where the query encoder puts this place and one that cites it, less
`USUAL`; 0 where that is not known. Of papers that no other draft cites all three are 0."""
USUAL = 0.4
"""The cosine to which the nearest place that cites a paper comes on average."""


@frozen(eq=False)
class CitingDraft:
    """What a draft cites at k places.

    works: what it cites. cites: for each place its numbers among them. words: the words of its
    sentence. placed: where the query encoder puts it, (k, d), (0, 0) where there was none.
    placed_by: the fingerprint of that encoder. near: the words of its near window, as indexes of
    words hash them. root: the main file. year: when it was last kept, 0 where that is not known.
    """

    title: str
    works: tuple[Paper, ...]
    cites: tuple[NDArray[np.integer], ...]
    words: tuple[Checksums, ...]
    placed: Vectors
    placed_by: str = ""
    near: tuple[WordHashes, ...] = ()
    root: Path = Path()
    year: int = 0


@frozen(eq=False)
class Told:
    """What other drafts say for the papers of a pool, at one place.

    signs: `SIGNS` of each paper, shape (n, 3). draft: for each the number of the draft in which the
    likest place stands that cites it, -1 for none, shape (n,).
    """

    signs: NDArray[np.float32]
    draft: Rows


class Elsewhere:
    """What several drafts cite: w works, at k places. Safe to share."""

    def __init__(self, drafts: Sequence[CitingDraft]) -> None:
        """Take the drafts."""
        self.titles = tuple(draft.title for draft in drafts)
        number: dict[int, int] = {}
        works: list[Paper] = []
        pairs: list[tuple[int, int]] = []
        place = 0
        for draft in drafts:
            own = [number.setdefault(title_key(work), len(number)) for work in draft.works]
            for work, at in zip(draft.works, own, strict=True):
                if at == len(works):
                    works.append(work)
            for cited in draft.cites:
                pairs += [(place, own[one]) for one in cited.tolist()]
                place += 1
        self.works = tuple(works)
        self._place, self._work = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        self._draft = np.repeat(np.arange(len(drafts)), [len(draft.words) for draft in drafts])
        self._word_similarity = WordSimilarity([words for draft in drafts for words in draft.words])
        self._drafts = drafts
        self._vectors: dict[str, tuple[Vectors, NDArray[np.bool_]]] = {}

    def within(self, entries: Sequence[Entry]) -> InLibrary:
        """Return the same as a library sees it; takes a while for a large one."""
        works = SameWork(entries)
        row = {id(entry): place for place, entry in enumerate(entries)}
        found = (works.find(work) for work in self.works)
        rows = np.array([-1 if one is None else row[id(one)] for one in found], dtype=np.int64)
        return InLibrary(self, rows, len(entries))

    def told(self, sentence: str, placed: Column | None, placed_by: str) -> Told:
        """Return what is said for each of the works at a place.

        `placed` is where a query encoder puts the place, None for nowhere, `placed_by` the
        fingerprint of that encoder.
        """
        alike = self._word_similarity.to(checksums(sentence))
        count = len(self.works)
        greatest = np.zeros(count, dtype=np.float32)
        np.maximum.at(greatest, self._work, alike[self._place])
        nearest = np.full(count, -np.inf, dtype=np.float32)
        if placed is not None:
            vectors, known = self._placed(placed_by, len(placed))
            cosines = np.where(known, vectors @ placed, -np.inf)
            np.maximum.at(nearest, self._work, cosines[self._place])
        near = np.where(np.isfinite(nearest), nearest - USUAL, 0.0)  # 0: neither for nor against
        draft = np.full(count, -1, dtype=np.int64)
        by_likeness = np.argsort(alike[self._place], kind="stable")  # the likest is written last
        draft[self._work[by_likeness]] = self._draft[self._place[by_likeness]]
        signs = np.stack([np.ones(count, dtype=np.float32), greatest, near], axis=1)
        return Told(signs.astype(np.float32), draft)

    def _placed(self, placed_by: str, dimensions: int) -> tuple[Vectors, NDArray[np.bool_]]:
        """Return where the places lie, (k, d), and of which that is known, (k,)."""
        if placed_by not in self._vectors:
            vectors, known = [], []
            for draft in self._drafts:
                shape = len(draft.words), dimensions
                known.append(draft.placed_by == placed_by and draft.placed.shape == shape)
                vectors.append(draft.placed if known[-1] else np.zeros(shape, dtype=np.float32))
            self._vectors[placed_by] = np.concatenate(vectors), np.array(known)[self._draft]
        return self._vectors[placed_by]


@frozen(eq=False)
class InLibrary:
    """What other drafts cite, in a library of n papers; `rows` are its rows of the works, or -1."""

    elsewhere: Elsewhere
    rows: Rows
    size: int

    def told(self, sentence: str, placed: Column | None, placed_by: str) -> Told:
        """Return what is said for each paper of the library at a place, as `Elsewhere` does."""
        said = self.elsewhere.told(sentence, placed, placed_by)
        signs = np.full((self.size, len(SIGNS)), -np.inf, dtype=np.float32)
        draft = np.full(self.size, -1, dtype=np.int64)
        # What two drafts call differently is two works, and one entry: the likest counts.
        there = np.flatnonzero(self.rows >= 0)
        there = there[np.argsort(said.signs[there, 1], kind="stable")]
        np.maximum.at(signs, self.rows[there], said.signs[there])
        draft[self.rows[there]] = said.draft[there]
        return Told(np.where(draft[:, None] >= 0, signs, np.float32(0.0)), draft)


@cache
def shipped_weights() -> Column:
    """Return what each of `SIGNS` adds to the logit of a paper, shape (3,).

    Raises:
        RankerError: they cannot be read.
    """
    return read_weights(shipped_model(MODEL), SIGNS)
