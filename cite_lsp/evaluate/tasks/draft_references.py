"""Task `references`: take half of the references from real drafts, and see which come back.

A draft loses half of the entries that it cites, drawn by chance: their keys go from its text, they
themselves from its library. Candidates are the entries that were taken out and those of the
libraries of all other drafts; the rest of its own library is none. Who cites whom is known of none
of these papers, so text and what the draft still cites have to do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.formats.json_lines import Report, ignored
from cite_lsp.encode.encoder import Encoder
from cite_lsp.evaluate.metrics import intervals
from cite_lsp.evaluate.tasks.manuscripts import find_drafts, main_language
from cite_lsp.library.entries import Entry
from cite_lsp.manuscript import Manuscript, Marker
from cite_lsp.paper import Paper, joined_title
from cite_lsp.project.citations import cited_keys
from cite_lsp.project.draft import Draft, DraftReader, Reader
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.published.submodular import select
from cite_lsp.recommend.references.draft_text import DraftText, text_of_draft
from cite_lsp.recommend.references.find import CHOSEN_FROM, SELECTION
from cite_lsp.recommend.references.find import LIMIT as SHOWN
from cite_lsp.recommend.references.ranker import RankedPapers, rank_missing
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.query_words import query_words

SYSTEMS = ("bm25", "bm25, whole text", "default, no selection", "default")
"""bm25: words of title and abstract. bm25, whole text: those of all that is read of the draft.
default: what `cite-lsp references` ranks by, its first `SHOWN` chosen as there for coverage and
diversity; without that choice, no selection."""
CUTOFFS = (10, 20, 50)
FEWEST = 4
"""Entries that a draft must cite to be halved."""
LIMIT = 100


@frozen
class HalvedDraft:
    """A draft without half of its references: its text, what it still cites, what was taken out.

    library_papers: all papers of its library, the removed ones too.
    """

    name: str
    text: DraftText
    still_cited: tuple[Paper, ...]
    removed: tuple[Paper, ...]
    library_papers: tuple[Paper, ...]
    language: str = "en"


@frozen
class RankedDraft:
    """A draft and the ranks of what was taken out of it, 0 where it is not among the first."""

    name: str
    language: str
    removed: int
    ranks: tuple[int, ...]

    def recall(self, cutoff: int) -> float:
        """Return the share of what was taken out that is among the first papers."""
        return sum(0 < rank <= cutoff for rank in self.ranks) / self.removed


def halved_drafts(
    folder: Path,
    read: Reader,
    *,
    seed: int = 13,
    without: Collection[str] = (),
    report: Report = ignored,
) -> Iterator[HalvedDraft]:
    """Yield the drafts below a folder without half of what they cite.

    Of a folder with several drafts the one that cites most is taken; one that cites fewer than
    `FEWEST` entries is left out. `without` names drafts to leave out (one that is not there is
    passed to `report`).

    Raises:
        CiteLspError: there is no such folder.
    """
    for name, files in find_drafts(folder.resolve(), without, report).items():
        draft = _main_draft(files, DraftReader(read))
        entries = _cited_entries(draft)
        if len(entries) >= FEWEST:
            yield _halve(name, draft, entries, read, random.Random(f"{seed} {name}"))


def _main_draft(files: Sequence[Path], reader: DraftReader) -> Draft:
    drafts: dict[Path, Draft] = {}
    for path in files:
        draft = reader.draft(path)
        drafts.setdefault(draft.project.root, draft)
    return max(drafts.values(), key=lambda draft: len(_cited_entries(draft)))


def _cited_entries(draft: Draft) -> list[Entry]:
    """Return the entries that a draft cites, each work once; those without a title are none."""
    entries = (draft.library.get(key) for key in cited_keys(draft))
    by_title = {
        joined_title(entry.paper.title): entry
        for entry in entries
        if entry is not None and joined_title(entry.paper.title)
    }
    return list(by_title.values())


def _halve(
    name: str, draft: Draft, entries: list[Entry], read: Reader, rng: random.Random
) -> HalvedDraft:
    removed_places = rng.sample(range(len(entries)), len(entries) // 2)
    removed = [entries[place] for place in sorted(removed_places)]
    still_cited = [entry for place, entry in enumerate(entries) if place not in set(removed_places)]
    keys = {
        key
        for key in cited_keys(draft)
        if (entry := draft.library.get(key)) is not None and entry in removed
    }
    texts = {path: without_keys(file, keys) for path, file in draft.project.files}
    masked = DraftReader(lambda path: texts[path] if path in texts else read(path))
    return HalvedDraft(
        name,
        text_of_draft(masked.draft(draft.path)),
        tuple(entry.paper for entry in still_cited),
        tuple(entry.paper for entry in removed),
        tuple(entry.paper for entry in draft.library.entries),
        main_language([file.language for _, file in draft.project.files]),
    )


def without_keys(manuscript: Manuscript, keys: Collection[str]) -> str:
    """Return the text of a file without some keys, and without the markers that had no others."""
    text = manuscript.text
    parts: list[str] = []
    position = 0
    for marker in manuscript.markers:
        for start, end in _cut(marker, keys):
            if start >= position:
                parts.append(text[position:start])
                position = end
    return "".join([*parts, text[position:]])


def _cut(marker: Marker, keys: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield what has to go of a marker: all of it, or keys with what sets them apart."""
    is_removed = [key.text in keys for key in marker.keys]
    if is_removed and all(is_removed):
        yield marker.start, marker.end
        return
    first = is_removed.index(False) if is_removed else 0
    for place, key in enumerate(marker.keys):
        if is_removed[place]:
            before = place > first
            yield (
                (marker.keys[place - 1].end, key.end)
                if before
                else (key.start, marker.keys[place + 1].start)
            )


class DraftPool:
    """The papers of the libraries of drafts, each work once, and what ranks them."""

    def __init__(self, drafts: Sequence[HalvedDraft], encoder: Encoder | None) -> None:
        """Index the papers; without an encoder they are ranked by words."""
        self._row: dict[str, int] = {}
        papers: list[Paper] = []
        for draft in drafts:
            for paper in (*draft.still_cited, *draft.removed, *draft.library_papers):
                title = joined_title(paper.title)
                if title and self._row.setdefault(title, len(papers)) == len(papers):
                    papers.append(paper)
        self._pool = Pool(papers)
        if encoder is not None:
            self._pool.embed(encoder)
        self.source = LibraryPapers(self._pool)
        self._encoder = encoder

    def __len__(self) -> int:
        return len(self._pool)

    def rows(self, papers: Sequence[Paper]) -> Rows:
        """Return the rows of those papers that the pool has, ascending, each once."""
        titles = {joined_title(paper.title) for paper in papers}
        rows = sorted(self._row[title] for title in titles if title in self._row)
        return np.array(rows, dtype=np.int64)

    def allowed(self, draft: HalvedDraft) -> NDArray[np.bool_]:
        """Return which papers are candidates for a draft, shape (n,)."""
        allowed = np.ones(len(self), dtype=bool)
        allowed[self.rows(draft.library_papers)] = False
        allowed[self.rows(draft.still_cited)] = False
        allowed[self.rows(draft.removed)] = True
        return allowed

    def rank(self, draft: HalvedDraft, system: str) -> Rows:
        """Return the candidates for a draft by one of `SYSTEMS`, best first, up to `LIMIT`.

        Raises:
            RankerError: the ranker that ships cannot be read.
        """
        allowed = self.allowed(draft)
        if system.startswith("default"):
            still_cited = self.rows(draft.still_cited)
            ranked = rank_missing(
                self.source,
                draft.text,
                still_cited,
                encoder=self._encoder,
                limit=LIMIT,
                allowed=allowed,
            )
            return ranked.rows if system == "default, no selection" else self._selected(ranked)
        text = draft.text
        passages = text.passages if system == "bm25, whole text" else ()
        words = " ".join((text.title, text.abstract, *(passage.text for passage in passages)))
        scores = np.where(allowed, self.source.word_scores(query_words(words)), -1.0)
        order = np.argsort(-scores, kind="stable")[:LIMIT]
        return order[scores[order] > 0]

    def _selected(self, ranked: RankedPapers) -> Rows:
        """Return the rows of a ranking, the papers first that `cite-lsp references` would show."""
        vectors = self._pool.full_vectors
        if vectors is None:
            return ranked.rows
        among = ranked.rows[: CHOSEN_FROM * SHOWN]
        places = sorted(select(ranked.scores[: len(among)], vectors[among], SHOWN, SELECTION))
        order: Rows = np.concatenate([among[places], np.delete(ranked.rows, places)])
        return order


def rank_drafts(
    drafts: Sequence[HalvedDraft],
    pool: DraftPool,
    system: str,
    *,
    progress: Callable[[int], None] | None = None,
) -> list[RankedDraft]:
    """Rank the pool for each draft."""
    ranked = []
    for draft in drafts:
        order = {int(row): rank for rank, row in enumerate(pool.rank(draft, system), 1)}
        removed = pool.rows(draft.removed)
        ranks = tuple(order.get(int(row), 0) for row in removed)
        ranked.append(RankedDraft(draft.name, draft.language, len(removed), ranks))
        if progress:
            progress(1)
    return ranked


def recall_figures(rows: Sequence[RankedDraft]) -> Mapping[str, float]:
    """Return the mean recall over drafts at `CUTOFFS`, and MRR of the first that came back."""
    figures: dict[str, float] = {"drafts": len(rows), "removed": sum(row.removed for row in rows)}
    for cutoff in CUTOFFS:
        figures[f"recall@{cutoff}"] = float(np.mean([row.recall(cutoff) for row in rows]))
    firsts = [min((rank for rank in row.ranks if rank), default=0) for row in rows]
    return figures | {"mrr": float(np.mean([1 / first if first else 0.0 for first in firsts]))}


def recall_intervals(rows: Sequence[RankedDraft]) -> dict[str, list[float]]:
    """Return the 95 % bootstrap intervals of mean recall; drafts are drawn."""
    recalls = [{f"recall@{cutoff}": row.recall(cutoff) for cutoff in CUTOFFS} for row in rows]
    return intervals(recalls, [f"recall@{cutoff}" for cutoff in CUTOFFS])


def ratio_interval(
    rows: Sequence[RankedDraft], baseline: Sequence[RankedDraft], cutoff: int = 20
) -> tuple[float, float, float]:
    """Return how many times the recall of a baseline that of others is, with its 95 % interval.

    Both rank the same drafts, which are drawn together.
    """
    recalls = np.array([row.recall(cutoff) for row in rows])
    other = np.array([row.recall(cutoff) for row in baseline])
    samples = np.random.default_rng(13).integers(0, len(recalls), (2000, len(recalls)))
    ratios = recalls[samples].mean(axis=1) / np.maximum(other[samples].mean(axis=1), 1e-9)
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(recalls.mean() / max(other.mean(), 1e-9)), float(low), float(high)
