"""Weights of evidence from outside a draft: what `cited-before` and `other-drafts` share.

Documents are laid out as drafts (`train/data/simulated_drafts.py`), and a weight is fitted for each
feature of the evidence, beside what the ranker that ships says.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.evaluate.metrics import hit_figures
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.adaptation import Observation, Weights, fit_weights
from cite_lsp.recommend.library.draft_features import encode_mentions
from cite_lsp.recommend.library.features import (
    PoolFeatures,
    gather_evidence,
    library_ranker,
    pool_features,
)
from cite_lsp.recommend.query.encoder_input import (
    LIBRARY_QUERY_ENCODER,
    cached_query_encoder,
    open_query_encoder,
    query_text_at,
)
from cite_lsp.train.data.simulated_drafts import simulate_tasks
from cite_lsp.train.encoders.encoder_run import drafts_encoder
from cite_lsp.train.rankers.encoders import DraftEncoders
from cite_lsp.train.run.card import Card, Origin, write_config
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import Figures, markdown_table

DocumentContexts = Sequence[LabelledContext]
MINIMUM_PAPERS = 8
"""Documents that cite fewer papers make no library worth ranking."""
MARKERS_PER_DOCUMENT = 40


@frozen
class MarkerQuestion:
    """A marker: the logits of the ranker, the features of each paper, and which are right."""

    draft: str
    seen: Observation


@frozen(eq=False)
class Marker:
    """A marker of a draft, and what the ranker says there of the papers that can be cited.

    `vector` is where the query encoder puts it, shape (d,). `rows` are the papers, by their numbers
    in the library, `logits` what the ranker says of each, `right` which of them are cited: (r,).
    """

    draft: str
    place: PoolFeatures
    vector: NDArray[np.float32]
    rows: NDArray[np.int64]
    logits: NDArray[np.float32]
    right: NDArray[np.bool_]

    def question(self, features: NDArray[np.float32]) -> MarkerQuestion:
        """Return the marker with the features of all papers of the library, shape (n, f)."""
        return MarkerQuestion(self.draft, Observation(self.logits, features[self.rows], self.right))


@frozen
class EvidenceModel:
    """What is trained: the weights of some features.

    beside: what the evidence is. measured: the name of the part of the held-out markers whose
    answer has one feature, and that feature. `what` and `data` are for the card.
    """

    name: str
    features: tuple[str, ...]
    beside: str
    measured: tuple[str, str]
    what: str
    data: str

    @property
    def card(self) -> Card:
        """The card: what the weights are and what they learned from."""
        return Card(
            what=self.what,
            data=self.data,
            recipe="`{file}`, seed {seed}.",
            form="`config.json`: a weight for each feature.",
            licence=f"Apache-2.0. It holds {len(self.features)} numbers.",
            measured="Measured on {dev_drafts} documents that the weights were not fitted to:",
            below="{weights}",
            files=("config.json",),
        )


def markers_in(
    document: DocumentContexts, pool: Pool, encoders: DraftEncoders, rng: random.Random
) -> Iterator[Marker]:
    """Yield markers of a document laid out as a draft whose library is `pool`.

    A marker is passed over whose papers the library lacks.
    """
    ranking = Encoders(encoders.papers, encoders.queries)
    pool.embed(encoders.papers)
    here = document[0].context
    encode_mentions(here.mentions, here.title, ranking)
    for task in simulate_tasks(document, MARKERS_PER_DOCUMENT, rng):
        context = task.context
        place = pool_features(context, pool, ranking)
        evidence = gather_evidence(place, pool)
        open_to = ~np.isin(evidence.rows, pool.rows(context.marker_cited))
        right = np.isin(evidence.rows, pool.rows(task.relevant))[open_to]
        if right.any():
            asking = query_text_at(context.left, context.right, context.title)
            vector = encoders.precedents.encode([asking])[0]
            logits = library_ranker().logits(evidence.matrix)[open_to]
            name = document[0].citing_id
            yield Marker(name, place, vector, evidence.rows[open_to], logits, right)


def fit(questions: Sequence[MarkerQuestion]) -> Weights:
    """Return the weight of each feature, shape (f,)."""
    return fit_weights([question.seen for question in questions])


def figures(questions: Sequence[MarkerQuestion], weights: Weights) -> dict[str, float]:
    """Return hit@1, hit@5 and MRR of questions; ties count against the ranking."""
    return hit_figures([_rank(question.seen, weights) for question in questions])


def with_feature(questions: Sequence[MarkerQuestion], number: int) -> list[MarkerQuestion]:
    """Return the questions with an answer whose feature of a number is not 0."""
    return [
        question
        for question in questions
        if question.seen.columns[question.seen.right, number].any()
    ]


def shipped_encoders() -> DraftEncoders:
    """Return the encoders by which drafts are ranked."""
    return DraftEncoders(
        drafts_encoder(),
        open_query_encoder(shipped_model(LIBRARY_QUERY_ENCODER)),
        precedents=cached_query_encoder(),
    )


def write_model(
    job: Job,
    model: EvidenceModel,
    learned: Sequence[MarkerQuestion],
    held_out: Sequence[MarkerQuestion],
) -> list[Figures]:
    """Fit the weights, write them with their card; returns what they are worth.

    Raises:
        OSError: they cannot be written.
    """
    config = write(job.out, model, learned, held_out, job.seed)
    return write_card(job.out, job.origin, config, model)


def write(
    folder: Path,
    model: EvidenceModel,
    learned: Sequence[MarkerQuestion],
    held_out: Sequence[MarkerQuestion],
    seed: int,
) -> dict[str, Any]:
    """Fit the weights to some questions, measure them on others, and write `config.json`.

    Returns:
        What it says; of a part without questions nothing.

    Raises:
        OSError: it cannot be written.
    """
    fitted = fit(learned)
    part, feature = model.measured
    parts = {"all": held_out, part: with_feature(held_out, model.features.index(feature))}
    weights = zip(model.features, fitted.tolist(), strict=True)
    config: dict[str, Any] = {
        "name": model.name,
        "weights": {name: round(weight, 4) for name, weight in weights},
        "seed": seed,
        "drafts": len({question.draft for question in learned}),
        "markers": len(learned),
        "dev_drafts": len({question.draft for question in held_out}),
        "dev": {
            part: {
                "without": figures(questions, np.zeros_like(fitted)),
                "with": figures(questions, fitted),
            }
            for part, questions in parts.items()
            if questions
        },
    }
    write_config(folder, config)
    return config


def write_card(
    folder: Path, origin: Origin, config: dict[str, Any], model: EvidenceModel
) -> list[Figures]:
    """Write the card beside weights; returns the figures in it."""
    rows = {
        f"{part}, {how} {model.beside}": measured
        for part, both in config["dev"].items()
        for how, measured in both.items()
    }
    measured = [Figures(rows, heading="the paper")]
    weights = markdown_table(
        ("feature", "weight"), [[name, f"{value:.2f}"] for name, value in config["weights"].items()]
    )
    return model.card.write(folder, origin, measured, **{**config, "weights": weights})


def _rank(seen: Observation, weights: Weights) -> int:
    scores = seen.logits + seen.columns @ weights
    best = scores[seen.right].max()
    return int(((scores >= best) & ~seen.right).sum()) + 1
