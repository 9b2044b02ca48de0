"""Why a draft as a whole should cite a paper, from the evidence that ranked it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from cite_lsp.recommend.base.method import PaperSource
from cite_lsp.recommend.base.recommendation import Reason
from cite_lsp.recommend.library.reasons import SIMILAR_PAPERS, shared_words
from cite_lsp.recommend.references.citation_evidence import NEAREST
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_text import DraftQuery
from cite_lsp.recommend.references.ranker import RankedPapers
from cite_lsp.search.vectors.vector_index import Rows

_NAMED = 2
"""Cited papers that a reason names."""
_FEWEST_NEAREST = 2
"""Nearest documents that must cite a paper for that to be a reason."""
_NEAR = 0.4
"""Cosine from which on nearness is a reason."""
_FEWEST_SHARED = 2
_FEWEST_WORDS = 2
"""Words of a title that a section must hold for that to be a reason: any title shares one."""

NameOf = Callable[[int], str]
"""Returns how prose names the paper of a row."""


def reasons_for(
    number: int,
    ranked: RankedPapers,
    source: PaperSource,
    graph: CitationGraph | None,
    name: NameOf,
) -> tuple[Reason, ...]:
    """Return the reasons for the paper of a number in a ranking, the most telling first.

    There is none where the ranking rests on many small things and nothing can be named.
    """
    row = int(ranked.rows[number])
    reasons: list[Reason] = []
    if graph is not None:
        place = int(graph.places_of(np.array([row], dtype=np.int64))[0])
        if place >= 0:
            reasons += _by_citations(place, ranked, graph, name)
        shared = _cited_too(row, ranked.query, graph)
        if shared >= _FEWEST_SHARED:
            reasons.append(Reason("cites-same", float(shared)))
    if not any(reason.kind == "cited-together" for reason in reasons):
        reasons += _near_cited(row, ranked.query, source, name)
    reasons += _by_text(row, ranked.query, source)
    return tuple(reasons or _by_words(row, ranked.query, source))


def beside_cited(row: int, query: DraftQuery, graph: CitationGraph) -> list[tuple[int, int]]:
    """Return the rows that the draft cites and others cite together with a row, most often first.

    Each comes with the number of documents that cite both.
    """
    place = int(graph.places_of(np.array([row], dtype=np.int64))[0])
    cited = graph.places_of(query.cited)
    cited = cited[cited >= 0]
    if place < 0 or not len(cited):
        return []
    citing = np.zeros(len(graph.documents), dtype=np.float32)
    citing[graph.citing[graph.cites == place]] = 1.0
    counts = graph.votes(citing * query.known_documents)[cited]
    order = np.argsort(-counts, kind="stable")
    return [(int(graph.rows[cited[n]]), int(counts[n])) for n in order if counts[n] > 0]


def _by_citations(
    place: int, ranked: RankedPapers, graph: CitationGraph, name: NameOf
) -> Iterator[Reason]:
    query = ranked.query
    together = beside_cited(int(graph.rows[place]), query, graph)[:_NAMED]
    if together:
        names = tuple(dict.fromkeys(name(row) for row, _ in together))
        yield Reason("cited-together", float(together[0][1]), papers=names)
    documents = graph.citing[graph.cites == place]
    near = int(np.isin(ranked.near, documents).sum())
    if near >= min(_FEWEST_NEAREST, NEAREST):
        yield Reason("cited-by-nearest", float(near), words=(str(len(ranked.near)),))


def _cited_too(row: int, query: DraftQuery, graph: CitationGraph) -> int:
    """Return how many papers that the draft cites the paper of a row cites."""
    numbers = np.flatnonzero(graph.documents == row)
    if not len(numbers) or not len(query.cited):
        return 0
    start, end = graph.starts[numbers[0]], graph.starts[numbers[0] + 1]
    return int(np.isin(graph.rows[graph.cites[start:end]], query.cited).sum())


def _near_cited(row: int, query: DraftQuery, source: PaperSource, name: NameOf) -> Iterator[Reason]:
    if not source.has_vectors or not len(query.cited):
        return
    cosines = source.vectors(query.cited) @ source.vectors(_as_rows(row))[0]
    order = np.argsort(-cosines, kind="stable")[:_NAMED]
    near = [int(query.cited[place]) for place in order if cosines[place] >= SIMILAR_PAPERS]
    if near:
        names = tuple(dict.fromkeys(map(name, near)))
        yield Reason("near-cited", float(cosines[order[0]]), papers=names)


def _by_words(row: int, query: DraftQuery, source: PaperSource) -> Iterator[Reason]:
    """Yield which words of its title the passage has that has most of them."""
    paper = source.paper(row)
    shared = [shared_words(paper, passage.text) for passage in query.text.passages]
    most = max(shared, key=len, default=())
    if len(most) >= _FEWEST_WORDS:
        title = query.text.passages[shared.index(most)].section
        yield Reason("section-words", float(len(most)), words=(title, *most))


def _by_text(row: int, query: DraftQuery, source: PaperSource) -> Iterator[Reason]:
    if query.vectors is None or not source.has_vectors:
        return
    cosines = query.vectors @ source.vectors(_as_rows(row))[0]
    if len(cosines) > 1:
        nearest = int(np.argmax(cosines[1:]))
        title = query.text.passages[nearest].section
        if title and cosines[1 + nearest] >= _NEAR:
            yield Reason("near-section", float(cosines[1 + nearest]), words=(title,))
            return
    if cosines[0] >= _NEAR:
        yield Reason("near-draft", float(cosines[0]))


def _as_rows(row: int) -> Rows:
    return np.array([row], dtype=np.int64)
