"""Task `local`: one citation context, a pool of papers, which of them did its author cite.

A draft cannot cite the future: papers newer than the citing document are no candidates, and neither
is the citing document itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext, documents
from cite_lsp.evaluate.metrics import CUTOFFS, DEPTH, intervals, mean_figures, score_ranking
from cite_lsp.manuscript.model import Context
from cite_lsp.search.corpus.view import CorpusView

Masking = Literal["section", "cold", "full", "masked", "related-work"]
PROTOCOLS: tuple[Masking, ...] = ("section", "cold", "full", "masked", "related-work")
"""section: the section's papers are those cited earlier in it, as the writer has them. cold: none
are cited yet. full: all other papers of the section are known. masked: as the literature masks a
citation, the papers to find are cited nowhere else in the section, and what is known to
be cited there is no candidate. related-work: as full, but for one marker alone of each related-work
section with at least two cited papers (Tanaka et al.)."""
Relevant = Literal["cited_abs", "cited"]
ENCODED_TOGETHER = 256
"""Contexts that are encoded together where a system can: an encoder makes its batches of them."""
INTERVALS = ("mrr@10", "recall@10")
"""Figures that are given with a 95 % bootstrap interval over contexts."""


class HasRow(Protocol):
    """A paper that a system ranked, by its row in the corpus."""

    @property
    def row(self) -> int:
        """The row."""


class LocalSystem(Protocol):
    """Whatever ranks the papers of a corpus for a context: the Recommender, or a baseline."""

    @property
    def corpus(self) -> CorpusView:
        """The pool."""

    def rank(
        self,
        context: Context,
        *,
        limit: int = ...,
        allowed: NDArray[np.bool_] | None = ...,
        cited: Collection[int] = ...,
    ) -> Sequence[HasRow]:
        """Return up to `limit` papers, best first; see `CorpusRecommender.rank`."""


@runtime_checkable
class EncodesAhead(Protocol):
    """A system that encodes several contexts in less time together than one by one."""

    def encode_ahead(self, contexts: Sequence[Context]) -> None:
        """Encode contexts, each of which will be ranked for before others are encoded."""


@frozen
class RankedContext:
    """A context, the ids ranked for it (up to 100, best first), and the ids that were right."""

    context_id: str
    ranking: tuple[str, ...]
    relevant: tuple[str, ...]
    related: bool
    unseen: bool | None


def rank_contexts(
    rows: Sequence[LabelledContext],
    system: LocalSystem,
    *,
    relevant: Relevant = "cited_abs",
    protocol: Masking = "section",
    seen: Collection[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[RankedContext]:
    """Rank the corpus for every context that has a relevant paper.

    With `cited_abs` only papers with an abstract are candidates, with `cited` all are. `seen` are
    the ids that training documents cite; without them no context is called unseen. `progress` is
    called with how many more contexts are done, those without a relevant paper included.
    """
    corpus = system.corpus
    if protocol == "related-work":
        rows = sample_per_section(rows, relevant)
    for place, row in enumerate(rows):
        if isinstance(system, EncodesAhead) and place % ENCODED_TOGETHER == 0:
            together = rows[place : place + ENCODED_TOGETHER]
            system.encode_ahead(
                [
                    _asked(labelled_context, protocol)
                    for labelled_context in together
                    if getattr(labelled_context, relevant)
                ]
            )
        if progress:
            progress(1)
        relevant_ids: tuple[str, ...] = getattr(row, relevant)
        if not relevant_ids:
            continue
        context = _asked(row, protocol)
        cited = [corpus.row_of[name] for name in context.section_cited if name in corpus.row_of]
        allowed = candidates(corpus, row, relevant)
        if protocol == "masked":
            allowed[cited] = False
        ranked = system.rank(context, limit=DEPTH, allowed=allowed, cited=cited)
        yield RankedContext(
            context_id=row.context_id,
            ranking=tuple(corpus.paper(candidate.row).id for candidate in ranked),
            relevant=relevant_ids,
            related=row.related,
            unseen=None if seen is None else not any(name in seen for name in relevant_ids),
        )


def _asked(row: LabelledContext, protocol: Masking) -> Context:
    """Return a context with what a protocol says that its section is known to cite."""
    context = row.context
    match protocol:
        case "cold":
            return evolve(context, section_cited=(), section_cited_before=())
        case "section":
            return evolve(context, section_cited=context.section_cited_before)
        case "masked":
            return _masked(context, row.cited)
    return context


def _masked(context: Context, masked: Collection[str]) -> Context:
    return evolve(
        context,
        section_cited=tuple(name for name in context.section_cited if name not in masked),
        section_cited_before=tuple(
            name for name in context.section_cited_before if name not in masked
        ),
    )


def candidates(corpus: CorpusView, row: LabelledContext, relevant: Relevant) -> NDArray[np.bool_]:
    """Return for every paper of the corpus whether it may be ranked for a context, shape (n,)."""
    allowed = np.ones(len(corpus), dtype=bool)
    if row.year:
        allowed &= corpus.years <= row.year  # a paper without a year has year 0 and stays in
    if relevant == "cited_abs":
        allowed &= corpus.has_abstract
    citing_row = corpus.row_of.get(row.citing_id)
    if citing_row is not None:
        allowed[citing_row] = False
    return allowed


def ranked_rows(
    scores: NDArray[np.float32], count: int, allowed: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """Return up to `count` rows of the greatest scores, best first; of equal ones the first row.

    `scores` has shape (n,), as has `allowed`, which is true of what may be among them.
    """
    rows = np.arange(len(scores)) if allowed is None else np.flatnonzero(allowed)
    if not len(rows) or count < 1:
        return rows[:0]
    allowed_scores = scores[rows]
    last = max(len(rows) - count, 0)
    least = np.partition(allowed_scores, last)[last]
    above = rows[allowed_scores > least]
    rows = np.concatenate([above, rows[allowed_scores == least][: count - len(above)]])
    return rows[np.lexsort((rows, -scores[rows]))]


def sample_per_section(
    rows: Sequence[LabelledContext], relevant: Relevant = "cited_abs"
) -> list[LabelledContext]:
    """Choose a marker of each related-work section, by chance, whose papers are not all it cites.

    A section counts if it cites at least two papers that may be relevant.
    """
    rng = random.Random(f"{relevant} 13")
    sections = [row.context.section for document in documents(rows) for row in document]
    placed = zip(rows, sections, strict=True)
    sample = []
    for _, group in groupby(placed, key=lambda pair: (pair[0].citing_id, pair[1])):
        section = [row for row, _ in group if row.related and getattr(row, relevant)]
        relevant_ids = {name for row in section for name in getattr(row, relevant)}
        open_to_phase_2 = [row for row in section if row.context.section_cited]
        if len(relevant_ids) > 1 and open_to_phase_2:
            sample.append(rng.choice(open_to_phase_2))
    return sample


def slices(results: Sequence[RankedContext]) -> dict[str, list[RankedContext]]:
    """Return all contexts, those of unseen papers, and those of related-work sections.

    A slice of none is left out, and so is a slice of all.
    """
    parts = {
        "all": list(results),
        "unseen": [result for result in results if result.unseen],
        "related": [result for result in results if result.related],
    }
    return {
        name: part
        for name, part in parts.items()
        if part and (name == "all" or len(part) < len(results))
    }


def slice_figures(
    results: Sequence[RankedContext], cutoffs: Sequence[int] = CUTOFFS
) -> dict[str, dict[str, float]]:
    """Average the metrics over every slice."""
    return {
        name: {"contexts": len(part)}
        | mean_figures([score_ranking(result.ranking, result.relevant, cutoffs) for result in part])
        for name, part in slices(results).items()
    }


def slice_intervals(
    results: Sequence[RankedContext], figures: Sequence[str] = INTERVALS
) -> dict[str, dict[str, list[float]]]:
    """Return 95 % bootstrap intervals of some figures, for every slice."""
    return {
        name: intervals(
            [score_ranking(result.ranking, result.relevant) for result in part], figures
        )
        for name, part in slices(results).items()
    }


FIGURES = ("recall@10", "map@10")
RARE = 1
"""Sections that cite a pair of papers which is rarely cited together, at most."""

Sections = Mapping[str, frozenset[tuple[str, str]]]
"""The sections that cite a paper, by document and title, for each id."""


def citing_sections(rows: Iterable[LabelledContext]) -> Sections:
    """Return the sections of training documents that cite each paper."""
    sections: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        for name in row.cited:
            sections.setdefault(name, set()).add((row.citing_id, row.context.section_title))
    return {name: frozenset(places) for name, places in sections.items()}


def positive_figures(
    results: Sequence[RankedContext], sections: Sections | None = None
) -> dict[str, dict[str, float]]:
    """Average Recall@10 and MAP@10 over contexts of one paper, of any number, and of several.

    With `sections` the last are parted: "rare" are those each pair of whose papers is cited
    together in at most `RARE` of them, "frequent" the others. A part of none is left out.
    """
    several = [result for result in results if len(result.relevant) > 1]
    parts = {
        "one": [result for result in results if len(result.relevant) == 1],
        "one or more": list(results),
        "two or more": several,
    }
    if sections is not None:
        rare = [result for result in several if _is_rare(result.relevant, sections)]
        parts["two or more, rare"] = rare
        parts["two or more, frequent"] = [result for result in several if result not in rare]
    return {name: {"contexts": len(part), **_figures(part)} for name, part in parts.items() if part}


def _figures(part: Sequence[RankedContext]) -> dict[str, float]:
    means = mean_figures([score_ranking(result.ranking, result.relevant) for result in part])
    return {name: means[name] for name in FIGURES}


def _is_rare(names: Iterable[str], sections: Sections) -> bool:
    none: frozenset[tuple[str, str]] = frozenset()
    pairs = combinations(names, 2)
    return all(
        len(sections.get(first, none) & sections.get(second, none)) <= RARE
        for first, second in pairs
    )
