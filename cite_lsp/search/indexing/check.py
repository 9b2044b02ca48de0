"""Whether a corpus is what was written: counts, checksums, papers, and what its graph finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from attrs import frozen

from cite_lsp.encode.encoder import Vectors
from cite_lsp.search.corpus.corpus_index import CURRENT, CorpusIndex, current_version, named_version
from cite_lsp.search.corpus.version_files import index_again
from cite_lsp.search.indexing.checksums import damage
from cite_lsp.search.vectors.vector_index import SearchIndexError

SAMPLE, NEAREST = 100, 10
"""Papers whose nearest neighbours are searched for, and how many of them."""
ENOUGH = 0.9
"""Recall of the graph from which on it is sound; it is 0.96 to 1.0 as a rule."""
_ROWS = 1 << 14
_SAME = 1e-5
"""Cosines that differ by less are the same but for the order of additions."""


@frozen
class CorpusCheck:
    """The result: how many papers, the recall of the graph (NaN where unknown), what is wrong.

    Recall is the share of the `NEAREST` neighbours by exact search that the graph finds too.
    """

    name: str
    papers: int
    recall: float
    faults: tuple[str, ...]


def check_corpus(folder: Path, progress: Callable[[str], None] | None = None) -> CorpusCheck:
    """Check the corpus of a folder; what is wrong with it is in the result, nothing is raised.

    A version whose place a build takes meanwhile loses its files: then the new one is checked.
    """
    report = progress or (lambda step: None)
    while True:
        version = current_version(folder)
        result = _checked(folder, report)
        if not result.faults or current_version(folder) == version:
            return result


def _checked(folder: Path, report: Callable[[str], None]) -> CorpusCheck:
    try:
        corpus = CorpusIndex(folder)
    except SearchIndexError as error:
        return CorpusCheck(folder.name, 0, float("nan"), (str(error),))
    report("checksums")
    version, remedy = corpus.records.parent, index_again(folder)
    faults = [f"{fault}; {remedy}" for fault in _changed_files(folder, version)]
    if faults:  # what damaged files hold means nothing
        return CorpusCheck(folder.name, len(corpus), float("nan"), tuple(faults))
    report("papers")
    faults += (f"{fault}; {remedy}" for fault in _bad_papers(corpus))
    report("neighbours")
    recall = graph_recall(corpus)
    if recall < ENOUGH:
        faults.append(f"its graph finds {recall:.0%} of the nearest papers; {remedy}")
    return CorpusCheck(folder.name, len(corpus), recall, tuple(faults))


def graph_recall(corpus: CorpusIndex) -> float:
    """Return the recall of the graph on a sample of the papers' own vectors."""
    rows = np.linspace(0, len(corpus) - 1, min(SAMPLE, len(corpus)), dtype=np.int64)
    queries = corpus.vectors.vectors(rows)
    count = min(NEAREST, len(corpus))
    worst = _nearest(corpus, queries, count)[:, -1:]
    cosines = corpus.vectors.search(queries, count)[1]
    # Of papers with the same text any will do: what counts is how near they are.
    return float((cosines >= worst - _SAME).mean())


def _nearest(corpus: CorpusIndex, queries: Vectors, count: int) -> Vectors:
    """Return the cosines of the nearest vectors, looking at all of them, shape (queries, count)."""
    best = np.full((len(queries), count), -2.0, dtype=np.float32)
    for start in range(0, len(corpus), _ROWS):
        part = np.arange(start, min(start + _ROWS, len(corpus)), dtype=np.int64)
        scores = np.concatenate([best, queries @ corpus.vectors.vectors(part).T], axis=1)
        best = -np.partition(-scores, count - 1, axis=1)[:, :count]
    return np.asarray(-np.sort(-best, axis=1), dtype=np.float32)


def _changed_files(folder: Path, version: Path) -> Iterator[str]:
    if named_version(folder) is None:
        yield f"{CURRENT} names no version"
    yield from damage(version, "")


def _bad_papers(corpus: CorpusIndex) -> Iterator[str]:
    ids: set[str] = set()
    for row in range(len(corpus)):
        try:
            paper = corpus.papers[row]
        except ValueError as error:
            yield f"paper {row + 1} cannot be read ({error})"
            return
        if paper.id in ids:
            yield f"the id {paper.id!r} stands there twice"
            return
        ids.add(paper.id)
