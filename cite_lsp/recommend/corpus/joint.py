"""The papers of several corpora in one list, as if they were in a single corpus.

Rank by rank, the best paper of a corpus on another subject would stand before the second one of the
right corpus.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest

from attrs import evolve

from cite_lsp.library.match.dedupe import same_first_author
from cite_lsp.paper import Paper, joined_title
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.corpus.ranking import WEIGHT_OF_CORPUS

Ranked = Sequence[Recommendation]

SHARE = 2, 5
"""The share of a list that papers of corpora get although the library could fill it."""
_LEAST = math.exp(WEIGHT_OF_CORPUS)
_ROUNDED = 1e-4
"""How far rounding may move a weight, as a share of it."""


def joint(lists: Iterable[Ranked], checkpoints: Mapping[str, str] | None = None) -> list[Ranked]:
    """Return the lists whose papers compare as a single one, and the others.

    By the default method they compare by their logits. The scores become what they would be in one
    corpus, `e^logit / max(Σ z_i, r)`, with the sum z_i of e^logit in a corpus and the least weight
    r of any. By one method of a paper they compare by their scores where these rest on the same
    phase of it and on vectors of the same encoder; `checkpoints` are those of corpora by name.
    Papers that only match what is typed come behind.
    """
    scales: dict[Hashable, list[Ranked]] = {}
    for number, ranked in enumerate(lists):
        scales.setdefault(_scale(ranked, checkpoints or {}) or number, []).append(ranked)
    return [_merged(ranked) if len(ranked) > 1 else ranked[0] for ranked in scales.values()]


def _scale(ranked: Ranked, checkpoints: Mapping[str, str]) -> tuple[str, ...]:
    """Return what the lists that compare have in common, () for one that does with no other."""
    if not ranked:
        return ()
    first = ranked[0]
    if math.isfinite(first.logit):
        return ("logits",)
    if first.method == "default":
        return ()
    return first.method, first.reasons[0].kind, checkpoints.get(first.corpus, "")


def _merged(lists: Sequence[Ranked]) -> Ranked:
    papers = sorted(
        filter(None, chain.from_iterable(zip_longest(*lists))), key=_value, reverse=True
    )
    if not math.isfinite(papers[0].logit):
        return papers
    weight = max(sum(map(_sum_of, lists)), _LEAST)
    return [
        evolve(paper, score=math.exp(paper.logit) / weight) if math.isfinite(paper.logit) else paper
        for paper in papers
    ]


def _value(paper: Recommendation) -> float:
    """Return by what a paper compares; one that only matches what is typed is the least."""
    if math.isfinite(paper.logit):
        return paper.logit
    return paper.score if paper.method != "default" else -math.inf


def _sum_of(ranked: Ranked) -> float:
    """Return the sum of e^logit in a corpus, of which the first papers are listed.

    The scores tell it where it is more than the least weight; else the listed papers have most.
    """
    first = ranked[0]
    weight = math.exp(first.logit) / first.score if first.score else 0.0
    if weight > _LEAST * (1.0 + _ROUNDED):
        return weight
    return sum(math.exp(paper.logit) for paper in ranked if math.isfinite(paper.logit))


def each_once(lists: Sequence[Sequence[Recommendation]]) -> Iterator[Recommendation]:
    """Yield the papers of several lists by rank, each paper once."""
    dois: set[str] = set()
    titles: dict[str, list[Paper]] = {}
    for rank in zip_longest(*lists):
        for candidate in rank:
            if candidate is None:
                continue
            paper, title = candidate.paper, joined_title(candidate.paper.title)
            same_title = titles.setdefault(title, [])
            if paper.doi in dois or any(same_first_author(paper, other) for other in same_title):
                continue
            same_title.append(paper)
            dois.update(filter(None, [paper.doi]))
            yield candidate


def by_screens(
    library: Sequence[Recommendation], corpora: Sequence[Recommendation], places: int
) -> Iterator[Recommendation]:
    """Yield all papers, by so many places: those of the library, then the share of corpora."""
    share = places * SHARE[0] // SHARE[1]
    while library or corpora:
        theirs = max(share, places - len(library))
        ours = places - min(theirs, len(corpora))
        yield from library[:ours]
        yield from corpora[:theirs]
        library, corpora = library[ours:], corpora[theirs:]
