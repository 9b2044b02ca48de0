"""Task `local`: one citation context, a pool of papers, which of them did its author cite.

A draft cannot cite the future: papers newer than the citing document are no candidates, and neither
is the citing document itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Literal

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.evaluate.metrics import DEPTH, mean_figures, score_ranking
from cite_lsp.recommend.corpus_recommender import CorpusRecommender
from cite_lsp.search.corpus_index import CorpusIndex

Protocol = Literal["section", "cold", "full"]
PROTOCOLS: tuple[Protocol, ...] = ("section", "cold", "full")
"""section: the section's papers are those cited earlier in it, as the writer has them. cold: none
are cited yet. full: all other papers of the section are known."""
Relevant = Literal["cited_abs", "cited"]


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
    recommender: CorpusRecommender,
    *,
    relevant: Relevant = "cited_abs",
    protocol: Protocol = "section",
    seen: Collection[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[RankedContext]:
    """Rank the corpus for every context that has a relevant paper.

    With `cited_abs` only papers with an abstract are candidates, with `cited` all are. `seen` are
    the ids that training documents cite; without them no context is called unseen. `progress` is
    told how many more contexts are done, those without a relevant paper included.
    """
    corpus = recommender.corpus
    for row in rows:
        if progress:
            progress(1)
        wanted = row.cited_abs if relevant == "cited_abs" else row.cited
        if not wanted:
            continue
        context = row.context
        if protocol == "cold":
            context = evolve(context, section_cited=(), section_cited_before=())
        elif protocol == "section":
            context = evolve(context, section_cited=context.section_cited_before)
        cited = [corpus.row_of[name] for name in context.section_cited if name in corpus.row_of]
        found = recommender.rank(
            context, limit=DEPTH, allowed=candidates(corpus, row, relevant), cited=cited
        )
        yield RankedContext(
            context_id=row.context_id,
            ranking=tuple(corpus.paper(candidate.row).id for candidate in found),
            relevant=wanted,
            related=row.related,
            unseen=None if seen is None else not any(name in seen for name in wanted),
        )


def candidates(corpus: CorpusIndex, row: LabelledContext, relevant: Relevant) -> NDArray[np.bool_]:
    """Return for every paper of the corpus whether it may be ranked for a context, shape (n,)."""
    allowed = np.ones(len(corpus), dtype=bool)
    if row.year:
        allowed &= corpus.years <= row.year  # a paper without a year has year 0 and stays in
    if relevant == "cited_abs":
        allowed &= corpus.has_abstract
    own = corpus.row_of.get(row.citing_id)
    if own is not None:
        allowed[own] = False
    return allowed


def slice_figures(results: Sequence[RankedContext]) -> dict[str, dict[str, float]]:
    """Average the metrics over all contexts, those of unseen papers, and related-work sections."""
    slices = {
        "all": list(results),
        "unseen": [result for result in results if result.unseen],
        "related": [result for result in results if result.related],
    }
    return {
        name: {"contexts": len(part)}
        | mean_figures([score_ranking(result.ranking, result.relevant) for result in part])
        for name, part in slices.items()
        if part
    }
