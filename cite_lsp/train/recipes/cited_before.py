"""Recipe `cited-before`: how much it weighs in a library how others cited its papers before.

Documents are laid out as drafts (`train/drafts.py`), and six weights are fitted to what precedents
say of the papers of their libraries, beside what the ranker that ships says. Neither it nor the
precedents may have seen the documents.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cite_lsp.corpus.contexts import LabelledContext, documents
from cite_lsp.encode.model import Encoder
from cite_lsp.paper import Paper
from cite_lsp.recommend.adaptation import Observation
from cite_lsp.recommend.asking import asking_of_place
from cite_lsp.recommend.cited_before import MODEL, SIGNS, CitedBefore, title_keys
from cite_lsp.recommend.features import gather_evidence, survey
from cite_lsp.recommend.habits import remember_mentions
from cite_lsp.recommend.precedents import Precedents
from cite_lsp.recommend.ranker import library_ranker
from cite_lsp.train.drafts import nearest_first, papers_of, simulate_library, simulate_tasks
from cite_lsp.train.errors import TrainingError
from cite_lsp.train.questions import (
    MARKERS_PER_DOCUMENT,
    MINIMUM_PAPERS,
    Question,
    fit,
    with_sign,
    write_weights,
)

Progress = Callable[[int, int], None]


def ask(
    rows: Sequence[LabelledContext],
    papers: Mapping[str, Paper],
    precedents: Precedents,
    encoder: Encoder,
    query_encoder: Encoder,
    *,
    seed: int,
    progress: Progress | None = None,
) -> list[Question]:
    """Lay out documents as drafts, and ask for their markers.

    Raises:
        TrainingError: none of them cites enough of the papers to make a library.
    """
    drafts = [one for one in documents(rows) if len(papers_of(one, papers)) >= MINIMUM_PAPERS]
    if not drafts:
        raise TrainingError(
            f"no document cites {MINIMUM_PAPERS} of the papers; give contexts of more documents"
        )
    everyone = sorted({name for row in rows for name in row.cited if name in papers})
    titles = encoder.encode([papers[name].title for name in everyone])
    questions = []
    for number, document in enumerate(drafts):
        dice = random.Random(f"{seed} {document[0].citing_id}")
        near = list(nearest_first(everyone, titles, papers_of(document, papers)))
        pool = simulate_library(document, papers, near, dice)
        pool.embed(encoder)
        before = CitedBefore(precedents, title_keys(pool.papers))
        here = document[0].context
        remember_mentions(here.mentions, here.title, encoder, query_encoder)
        for task in simulate_tasks(document, MARKERS_PER_DOCUMENT, dice):
            context = task.context
            found = survey(context, pool, encoder, query_encoder)
            evidence = gather_evidence(found, pool)
            open_to = ~np.isin(evidence.rows, pool.rows(context.marker_cited))
            right = np.isin(evidence.rows, pool.rows(task.relevant))[open_to]
            if right.any():
                asking = asking_of_place(context.left, context.right, context.title)
                placed = query_encoder.encode([asking])[0]
                signs = before.signs(context, found.query, pool, placed, found.columns["times"])
                logits = library_ranker().logits(evidence.matrix)[open_to]
                seen = Observation(logits, signs[evidence.rows][open_to], right)
                questions.append(Question(document[0].citing_id, seen))
        if progress:
            progress(number + 1, len(drafts))
    return questions


def write(
    folder: Path, learned: Sequence[Question], held_out: Sequence[Question], seed: int
) -> dict[str, Any]:
    """Fit the weights, write `config.json` and return what it says.

    Raises:
        OSError: it cannot be written.
    """
    weights = dict(zip(SIGNS, fit(learned).tolist(), strict=True))
    quoted = with_sign(held_out, SIGNS.index("contexts"))
    measured = {"all": held_out, "cited at a known place": quoted}
    return write_weights(folder, MODEL, weights, learned, measured, seed)
