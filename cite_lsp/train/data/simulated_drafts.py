"""Drafts as a writer's desk has them, made from the citation contexts of finished papers.

A finished paper cites every paper of its own bibliography, which a draft in the making does not: a
model trained on finished papers alone would learn that the one paper cited nowhere else must be
the answer. So the library also gets papers on the same subject that the document never cites, and
many of the markers are seen while writing forward, when what follows does not exist yet.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from attrs import evolve, frozen

from cite_lsp.corpus.contexts import LabelledContext, documents
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper, fold, surname
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.train.run.report import Steps

UNCITED_RATIOS = (0.0, 0.2, 0.5, 1.0, 2.0, 4.0)
"""Papers of the library that the draft never cites, for each one that it does."""
DRAWN_FROM = 3
"""The uncited papers are drawn from so many times their number of those nearest to the subject."""
WITHOUT_ABSTRACTS = 0.7
"""Share of libraries that carry no abstracts (most .bib files do not)."""
GROWTH, SORTED = 0.5, 0.25
"""Share of libraries whose file has grown with the draft, and of those sorted by author."""
RUNS = (1, 3, 8, 30)
"""The most entries that were added to such a file together."""
RUNS_SHUFFLED = 0.4
"""Share of these files in which the runs stand in another order than they are cited in."""
STRAYS = (0.0, 0.7)
"""Share of their entries that stand somewhere else, drawn between the two."""
FORWARD = 0.4
"""Share of markers seen while writing forward."""
NOTHING_RIGHT = 0.6
"""Share of those at which no text stands to the right yet."""
COMPANIONS_GIVEN = 0.3
"""Share of markers with several papers at which all but one are already in place."""


def documents_citing(
    rows: Sequence[LabelledContext], papers: Mapping[str, Paper], minimum: int
) -> list[list[LabelledContext]]:
    """Group contexts by document; only documents that cite at least so many of the papers."""
    return [group for group in documents(rows) if len(papers_of(group, papers)) >= minimum]


def laid_out(
    drafts: Sequence[Sequence[LabelledContext]],
    papers: Mapping[str, Paper],
    others: Iterable[str],
    encoder: Encoder,
    *,
    seed: int,
    progress: Steps = lambda done, total: None,
) -> Iterator[tuple[Sequence[LabelledContext], Pool, random.Random]]:
    """Yield documents as drafts: contexts, a library, and the random numbers for what follows.

    `others` are ids to draw the uncited papers of libraries from, as `simulate_library`; `encoder`
    says how near their titles are to a document.
    """
    names = sorted(others)
    titles = encoder.encode([papers[name].title for name in names])
    for number, document in enumerate(drafts):
        rng = random.Random(f"{seed} {document[0].citing_id}")
        near = nearest_first(names, titles, papers_of(document, papers))
        yield document, simulate_library(document, papers, near, rng), rng
        progress(number + 1, len(drafts))


@frozen
class RankingTask:
    """One question to the ranker: a context, and the names of the papers that answer it."""

    context: Context
    relevant: tuple[str, ...]


def simulate_library(
    document: Sequence[LabelledContext],
    papers: Mapping[str, Paper],
    others: Iterable[str],
    rng: random.Random,
) -> Pool:
    """Make a library of the papers that a document cites and of some that it does not.

    `others` are ids to draw the uncited papers from, those nearest to its subject first: what a
    writer has collected and not cited is on the same subject. Those it cites are passed over.
    """
    cited = papers_of(document, papers)
    cited_ids = set(cited)
    count = round(rng.choice(UNCITED_RATIOS) * len(cited))
    near = list(islice((name for name in others if name not in cited_ids), count * DRAWN_FROM))
    uncited = rng.sample(near, min(count, len(near)))
    names = _as_filed(cited, uncited, papers, rng)
    bare = rng.random() < WITHOUT_ABSTRACTS
    return Pool([evolve(papers[name], abstract="") if bare else papers[name] for name in names])


def papers_of(document: Iterable[LabelledContext], papers: Mapping[str, Paper]) -> list[str]:
    """Return which of the papers some contexts cite, each once, in order."""
    return list(dict.fromkeys(name for row in document for name in row.cited if name in papers))


def _as_filed(
    cited: Sequence[str], uncited: Sequence[str], papers: Mapping[str, Paper], rng: random.Random
) -> list[str]:
    """Put a library in an order in which a writer's file may stand.

    `cited` are in the order of their first citation. Files grow as drafts do, a run of entries at a
    time, many of them put somewhere else; or they are sorted, or in no order at all.
    """
    habit = rng.random()
    if habit < GROWTH:
        return _grown(cited, uncited, rng)
    names = [*cited, *uncited]
    rng.shuffle(names)
    if habit < GROWTH + SORTED:
        names.sort(key=lambda name: _filed_under(papers[name]))
    return names


def _grown(cited: Sequence[str], uncited: Sequence[str], rng: random.Random) -> list[str]:
    strays = rng.uniform(*STRAYS)
    runs = _runs([name for name in cited if rng.random() >= strays], rng)
    if rng.random() < RUNS_SHUFFLED:
        rng.shuffle(runs)
    placed = {name for run in runs for name in run}
    others = [*(name for name in cited if name not in placed), *uncited]
    rng.shuffle(others)
    for run in _runs(others, rng):
        runs.insert(rng.randint(0, len(runs)), run)
    return [name for run in runs for name in run]


def _runs(names: Sequence[str], rng: random.Random) -> list[list[str]]:
    longest = rng.choice(RUNS)
    runs, start = [], 0
    while start < len(names):
        end = start + rng.randint(1, longest)
        runs.append(list(names[start:end]))
        start = end
    return runs


def _filed_under(paper: Paper) -> tuple[str, int]:
    return (fold(surname(paper.authors[0])) if paper.authors else "", paper.year or 0)


def nearest_first(names: Sequence[str], titles: Vectors, cited: Collection[str]) -> Iterator[str]:
    """Yield names of papers, those nearest to the subject of some of them, `cited`, first.

    `titles` are the unit vectors of their titles, (n, d).
    """
    rows = [row for row, name in enumerate(names) if name in cited]
    order = np.argsort(-(titles @ titles[rows].mean(axis=0)), kind="stable")
    return (names[row] for row in order)


def simulate_tasks(
    document: Sequence[LabelledContext], limit: int, rng: random.Random
) -> list[RankingTask]:
    """Ask for the papers of up to `limit` markers of a document, some of them writing forward."""
    rows = [row for row in document if row.cited]
    sample = sorted(rng.sample(range(len(rows)), min(limit, len(rows))))
    return [_task(rows[index], rng) for index in sample]


def _task(row: LabelledContext, rng: random.Random) -> RankingTask:
    context = row.context
    if rng.random() < FORWARD:
        context = context.written_so_far(keep_right=rng.random() >= NOTHING_RIGHT)
    relevant = row.cited
    if len(relevant) > 1 and rng.random() < COMPANIONS_GIVEN:
        removed = rng.choice(relevant)
        remaining = tuple(name for name in relevant if name != removed)
        context = evolve(context, marker_cited=remaining)
        relevant = (removed,)
    return RankingTask(context, relevant)
