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

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.model import Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.pool import Pool

UNCITED_RATIOS = (0.0, 0.2, 0.5, 1.0, 2.0, 4.0)
"""Papers of the library that the draft never cites, for each one that it does."""
DRAWN_FROM = 3
"""The uncited papers are drawn from so many times their number of those nearest to the subject."""
WITHOUT_ABSTRACTS = 0.7
"""Share of libraries that carry no abstracts (most .bib files do not)."""
FORWARD = 0.4
"""Share of markers seen while writing forward."""
NOTHING_RIGHT = 0.6
"""Share of those at which no text stands to the right yet."""
COMPANIONS_GIVEN = 0.3
"""Share of markers with several papers at which all but one are already in place."""


@frozen
class Task:
    """One question to the ranker: a context, and the names of the papers that answer it."""

    context: Context
    relevant: tuple[str, ...]


def simulate_library(
    document: Sequence[LabelledContext],
    papers: Mapping[str, Paper],
    others: Iterable[str],
    dice: random.Random,
) -> Pool:
    """Make a library of the papers that a document cites and of some that it does not.

    `others` are ids to draw the uncited papers from, those nearest to its subject first: what a
    writer has collected and not cited is on the same subject. Those it cites are passed over.
    """
    cited = list(dict.fromkeys(name for row in document for name in row.cited if name in papers))
    known = set(cited)
    wanted = round(dice.choice(UNCITED_RATIOS) * len(cited))
    near = list(islice((name for name in others if name not in known), wanted * DRAWN_FROM))
    names = cited + dice.sample(near, min(wanted, len(near)))
    dice.shuffle(names)
    bare = dice.random() < WITHOUT_ABSTRACTS
    return Pool([evolve(papers[name], abstract="") if bare else papers[name] for name in names])


def nearest_first(names: Sequence[str], titles: Vectors, cited: Collection[str]) -> Iterator[str]:
    """Yield names of papers, those nearest to the subject of some of them, `cited`, first.

    `titles` are the unit vectors of their titles, (n, d).
    """
    rows = [row for row, name in enumerate(names) if name in cited]
    order = np.argsort(-(titles @ titles[rows].mean(axis=0)), kind="stable")
    return (names[row] for row in order)


def simulate_tasks(
    document: Sequence[LabelledContext], limit: int, dice: random.Random
) -> list[Task]:
    """Ask for the papers of up to `limit` markers of a document, some of them writing forward."""
    rows = [row for row in document if row.cited]
    chosen = sorted(dice.sample(range(len(rows)), min(limit, len(rows))))
    return [_task(rows[index], dice) for index in chosen]


def _task(row: LabelledContext, dice: random.Random) -> Task:
    context = row.context
    if dice.random() < FORWARD:
        context = context.written_so_far(keep_right=dice.random() >= NOTHING_RIGHT)
    relevant = row.cited
    if len(relevant) > 1 and dice.random() < COMPANIONS_GIVEN:
        wanted = dice.choice(relevant)
        given = tuple(name for name in relevant if name != wanted)
        context = evolve(context, marker_cited=given)
        relevant = (wanted,)
    return Task(context, relevant)
