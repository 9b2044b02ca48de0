"""What the recipes share that weigh signs: weights fitted to the markers of drafts.

Signs are what something beside the ranker says for the papers of a library.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.adaptation import Observation, Weights, fit_weights
from cite_lsp.recommend.library.draft_features import encode_mentions
from cite_lsp.recommend.library.features import Survey, gather_evidence, survey_pool
from cite_lsp.recommend.library.ranker import library_ranker
from cite_lsp.recommend.query.encoder_input import cached_query_encoder, query_text_at
from cite_lsp.train.data.simulated_drafts import simulate_tasks
from cite_lsp.train.rankers.encoders import DraftEncoders, drafts_encoder
from cite_lsp.train.run.card import Card, Origin, write_config
from cite_lsp.train.run.figures import Figures, markdown_table
from cite_lsp.train.run.job import ContextSplit, Job

SignsAt = Callable[[Survey, NDArray[np.float32]], NDArray[np.float32]]
"""What gives the signs of each paper, (n, s), at a place surveyed and where it is put, (d,)."""
Write = Callable[[Path, "list[MarkerQuestion]", "list[MarkerQuestion]", int], dict[str, Any]]
MINIMUM_PAPERS = 8
"""Documents that cite fewer papers make no library worth ranking."""
MARKERS_PER_DOCUMENT = 40


@frozen
class SignMaterial:
    """The contexts that weights are fitted to, those they are measured on, what makes questions.

    `ask` takes contexts and encoders and, by name, `seed` and `progress`.
    """

    contexts: ContextSplit
    ask: Callable[..., list[MarkerQuestion]]


@frozen
class MarkerQuestion:
    """A marker: the logits of the ranker, the signs of each paper, and which papers are right."""

    draft: str
    seen: Observation


def ask_markers(
    document: Sequence[LabelledContext],
    pool: Pool,
    encoders: DraftEncoders,
    dice: random.Random,
    signs_at: SignsAt,
) -> Iterator[MarkerQuestion]:
    """Yield questions for markers of a document laid out as a draft whose library is `pool`.

    A marker is passed over whose papers the library lacks.
    """
    encoder, query_encoder = encoders.papers, encoders.queries
    pool.embed(encoder)
    here = document[0].context
    encode_mentions(here.mentions, here.title, encoder, query_encoder)
    for task in simulate_tasks(document, MARKERS_PER_DOCUMENT, dice):
        context = task.context
        place = survey_pool(context, pool, encoder, query_encoder)
        evidence = gather_evidence(place, pool)
        open_to = ~np.isin(evidence.rows, pool.rows(context.marker_cited))
        right = np.isin(evidence.rows, pool.rows(task.relevant))[open_to]
        if right.any():
            asking = query_text_at(context.left, context.right, context.title)
            signs = signs_at(place, query_encoder.encode([asking])[0])
            logits = library_ranker().logits(evidence.matrix)[open_to]
            seen = Observation(logits, signs[evidence.rows][open_to], right)
            yield MarkerQuestion(document[0].citing_id, seen)


def fit(questions: Sequence[MarkerQuestion]) -> Weights:
    """Return the weight of each sign, shape (s,)."""
    return fit_weights([question.seen for question in questions])


def figures(questions: Sequence[MarkerQuestion], weights: Weights) -> dict[str, float]:
    """Return hit@1, hit@5 and MRR of questions; ties count against the ranking."""
    ranks = np.array([_rank(question.seen, weights) for question in questions])
    return {
        "markers": len(ranks),
        "hit@1": float((ranks <= 1).mean()),
        "hit@5": float((ranks <= 5).mean()),
        "mrr": float((1 / ranks).mean()),
    }


def with_sign(questions: Sequence[MarkerQuestion], sign: int) -> list[MarkerQuestion]:
    """Return the questions with an answer that has a sign, given by its number."""
    return [
        question for question in questions if question.seen.columns[question.seen.right, sign].any()
    ]


def write_weights(
    folder: Path,
    name: str,
    weights: Mapping[str, float],
    learned: Sequence[MarkerQuestion],
    measured: Mapping[str, Sequence[MarkerQuestion]],
    seed: int,
) -> dict[str, Any]:
    """Write `config.json` and return what it says.

    Args:
        folder: Where to write.
        name: Of the model.
        weights: By sign.
        learned: What they were fitted to.
        measured: What they were not fitted to, in parts; the first part is all of it, and of an
            empty one nothing is said.
        seed: Of the drafts.

    Raises:
        OSError: it cannot be written.
    """
    fitted = np.array(list(weights.values()), dtype=np.float32)
    everything = next(iter(measured.values()))
    config: dict[str, Any] = {
        "name": name,
        "weights": {sign: round(float(weight), 4) for sign, weight in weights.items()},
        "seed": seed,
        "drafts": len({question.draft for question in learned}),
        "markers": len(learned),
        "dev_drafts": len({question.draft for question in everything}),
        "dev": {
            part: {
                "without": figures(questions, np.zeros_like(fitted)),
                "with": figures(questions, fitted),
            }
            for part, questions in measured.items()
            if questions
        },
    }
    write_config(folder, config)
    return config


def weigh_signs(
    job: Job, material: SignMaterial, write: Write, card: Card, beside: str
) -> list[Figures]:
    """Fit the weights, write them with their card; returns what they are worth.

    `write` fits them to the first questions, measures them on the second and returns what it wrote.
    `beside` says what gives the signs.

    Raises:
        TrainingError: nothing can be learned from the material.
        OSError: they cannot be written.
    """
    encoders = DraftEncoders(drafts_encoder(), cached_query_encoder())

    def questions_of(rows: Sequence[LabelledContext], stage: str) -> list[MarkerQuestion]:
        return material.ask(
            rows,
            encoders,
            seed=job.seed,
            progress=partial(job.progress, f"drafts, {stage}"),
        )

    learned = questions_of(material.contexts.train, "learned from")
    held_out = questions_of(material.contexts.dev, "measured on")
    config = write(job.out, learned, held_out, job.seed)
    return write_card(job.out, job.origin, config, card, beside)


def write_card(
    folder: Path, origin: Origin, config: Mapping[str, Any], card: Card, beside: str
) -> list[Figures]:
    """Write the card beside weights; returns the figures in it."""
    rows = {
        f"{part}, {how} {beside}": measured
        for part, both in config["dev"].items()
        for how, measured in both.items()
    }
    figures = [Figures(rows, heading="the paper")]
    weights = markdown_table(
        ("sign", "weight"), [[name, f"{value:.2f}"] for name, value in config["weights"].items()]
    )
    card.write(folder, origin, figures, **{**config, "weights": weights})
    return figures


def weights_card(*, what: str, data: str, count: int) -> Card:
    """Return the card of so many weights: what they are and what they learned from."""
    return Card(
        what=what,
        data=data,
        recipe="`{file}`, seed {seed}.",
        form="`config.json`: a weight for each sign.",
        licence=f"Apache-2.0. It holds {count} numbers.",
        measured="Measured on {dev_drafts} documents that the weights were not fitted to:",
        below="{weights}",
        files=("config.json",),
    )


def _rank(seen: Observation, weights: Weights) -> int:
    scores = seen.logits + seen.columns @ weights
    best = scores[seen.right].max()
    return int(((scores >= best) & ~seen.right).sum()) + 1
