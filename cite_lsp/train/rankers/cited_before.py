"""Recipe `cited-before`: how much it weighs in a library how others cited its papers before.

Documents are laid out as drafts (`train/data/simulated_drafts.py`), and six weights are fitted to
what precedents say of the papers of their libraries, beside what the ranker that ships says.
Neither it nor the precedents may have seen the documents.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cite_lsp.corpus.contexts import LabelledContext, documents
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.evidence.cited_before import FEATURES, MODEL, CitedBefore, title_keys
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.evidence.shipped_precedents import shipped_precedents
from cite_lsp.recommend.library.features import Survey
from cite_lsp.train.data.simulated_drafts import nearest_first, papers_of, simulate_library
from cite_lsp.train.rankers.encoders import DraftEncoders
from cite_lsp.train.rankers.sign_weights import (
    MINIMUM_PAPERS,
    MarkerQuestion,
    SignMaterial,
    ask_markers,
    fit,
    weigh_signs,
    weights_card,
    with_sign,
    write_weights,
)
from cite_lsp.train.run.errors import TrainingError
from cite_lsp.train.run.figures import Figures
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.progress import Steps

TAKES = ("papers", "without")
"""The options that it takes beside those of all recipes."""
BESIDE = "precedents"


def run(job: Job) -> list[Figures]:
    """Fit the weights, write them with their card; returns what they are worth."""
    contexts = job.contexts_and_dev()
    rows = (*contexts.train, *contexts.dev)
    papers = job.papers({name for row in rows for name in row.cited})
    material = SignMaterial(contexts, partial(ask, papers=papers, precedents=shipped_precedents()))
    return weigh_signs(job, material, write, CARD, BESIDE)


def ask(
    rows: Sequence[LabelledContext],
    encoders: DraftEncoders,
    *,
    papers: Mapping[str, Paper],
    precedents: Precedents,
    seed: int,
    progress: Steps | None = None,
) -> list[MarkerQuestion]:
    """Lay out documents as drafts, and ask for their markers.

    Raises:
        TrainingError: none of them cites enough of the papers to make a library.
    """
    drafts = [
        document
        for document in documents(rows)
        if len(papers_of(document, papers)) >= MINIMUM_PAPERS
    ]
    if not drafts:
        raise TrainingError(
            f"no document cites {MINIMUM_PAPERS} of the papers; give contexts of more documents"
        )
    everyone = sorted({name for row in rows for name in row.cited if name in papers})
    titles = encoders.papers.encode([papers[name].title for name in everyone])
    questions: list[MarkerQuestion] = []
    for number, document in enumerate(drafts):
        dice = random.Random(f"{seed} {document[0].citing_id}")
        near = list(nearest_first(everyone, titles, papers_of(document, papers)))
        pool = simulate_library(document, papers, near, dice)
        before = CitedBefore(precedents, title_keys(pool.papers))

        def signs_at(
            place: Survey, placed: Column, before: CitedBefore = before, pool: Pool = pool
        ) -> Column:
            return before.features(place.context, place.query, pool, placed, place.columns["times"])

        questions += ask_markers(document, pool, encoders, dice, signs_at)
        if progress:
            progress(number + 1, len(drafts))
    return questions


def write(
    folder: Path, learned: Sequence[MarkerQuestion], held_out: Sequence[MarkerQuestion], seed: int
) -> dict[str, Any]:
    """Fit the weights, write `config.json` and return what it says.

    Raises:
        OSError: it cannot be written.
    """
    weights = dict(zip(FEATURES, fit(learned).tolist(), strict=True))
    quoted = with_sign(held_out, FEATURES.index("contexts"))
    measured = {"all": held_out, "cited at a known place": quoted}
    return write_weights(folder, MODEL, weights, learned, measured, seed)


CARD = weights_card(
    what="""\
How much it weighs for a paper of a library how others cited it before: six weights, added to what
[library-ranker](../library-ranker/README.md) says
(`cite_lsp/recommend/evidence/cited_before.py`). How others cited stands in the precedents of
[corpus-ranker](../corpus-ranker/README.md) and in the corpora of the writer.""",
    data="""\
{markers:,} markers of {drafts} documents that the precedents do not hold: {data}.
They were laid out as drafts.""",
    count=len(FEATURES),
)
