"""Recipe `library-ranker`: the second stage that ranks a writer's own library.

LambdaMART (Burges 2010; LightGBM) over the features of `recommend/library/features.py`, learned
from the citation contexts of real papers laid out as drafts (see
`train/data/simulated_drafts.py`), written as ONNX.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.ranker import TREES
from cite_lsp.recommend.library.draft_features import encode_mentions
from cite_lsp.recommend.library.features import (
    FEATURE_INDEX,
    FEATURES,
    gather_evidence,
    pool_features,
)
from cite_lsp.recommend.query.encoder_input import shipped_query_encoder
from cite_lsp.train.data.simulated_drafts import (
    FORWARD,
    documents_citing,
    laid_out,
    papers_of,
    simulate_tasks,
)
from cite_lsp.train.encoders.encoder_run import drafts_encoder
from cite_lsp.train.rankers.encoders import DraftEncoders, query_encoder_in
from cite_lsp.train.rankers.groups import Groups, choose_rows
from cite_lsp.train.rankers.trees import TreeRanker, write_card
from cite_lsp.train.run.card import Card
from cite_lsp.train.run.job import ContextSplit, Job
from cite_lsp.train.run.options import DATA
from cite_lsp.train.run.report import Figures, Progress, Steps, TrainingError, require

TAKES = (*DATA, "without", "query_encoder")

MINIMUM_PAPERS = 12
"""Documents that cite fewer papers make no library worth ranking."""
MARKERS_PER_DOCUMENT = 160
NEGATIVES_HARD, NEGATIVES_RANDOM = 60, 240
"""Papers to learn from beside the relevant ones: the best of each simple order, and chance."""
HARD_ORDERS = {
    "near_title": 1,
    "placed_full": 1,
    "near_words": 1,
    "alike": 1,
    "before": 1,
    "times": 1,
    "section_nearest": 1,
    "file_around": -1,
}
"""Simple orders: features, and whether the greatest or the least comes first."""
WITHOUT_ENCODER = 0.15
"""Share of documents seen without dense features: the server ranks before the encoder is ready."""
WITHOUT_QUERY_ENCODER = 0.05
"""Share of the others seen without a query encoder."""
RANKER = TreeRanker(
    name="library-ranker",
    features=FEATURES,
    parameters={
        "objective": "lambdarank",
        "lambdarank_truncation_level": 10,
        "learning_rate": 0.06,
        "num_leaves": 31,
        "min_data_in_leaf": 200,
        "feature_fraction": 0.6,
        "bagging_fraction": 0.8,
        "lambda_l2": 5.0,
        "metric": "ndcg",
        "eval_at": [5],
    },
    rounds=500,
    patience=40,
    bags=2,
)


def run(job: Job) -> list[Figures]:
    """Train, write trees and card; returns what they are worth."""
    contexts = job.contexts_and_dev()
    rows = [*contexts.train, *contexts.dev]
    queries, queries_of = query_encoder_in(job.options.query_encoder, rows, shipped_query_encoder)
    config = train(
        contexts,
        job.papers(papers_cited(rows)),
        DraftEncoders(drafts_encoder(), queries, queries_of),
        job.out,
        seed=job.seed,
        progress=lambda stage, done, total: job.progress(f"drafts, {stage}", done, total),
    )
    return write_card(CARD, job.out, job.origin, config, "markers", forward=FORWARD)


def make_groups(
    rows: Sequence[LabelledContext],
    papers: dict[str, Paper],
    encoders: DraftEncoders,
    *,
    seed: int,
    progress: Steps = lambda done, total: None,
) -> Groups:
    """Lay the contexts out as drafts and compute the features of their libraries.

    Raises:
        TrainingError: no document cites enough of the papers.
    """
    encoder = encoders.papers
    features: list[NDArray[np.float32]] = []
    relevance: list[NDArray[np.int8]] = []
    drafts = documents_citing(rows, papers, MINIMUM_PAPERS)
    everyone = papers_of(rows, papers)
    for document, pool, rng in laid_out(
        drafts, papers, everyone, encoder, seed=seed, progress=progress
    ):
        if rng.random() >= WITHOUT_ENCODER:
            pool.embed(encoder)
        query_encoder = encoders.place(document[0].citing_id)
        placed = query_encoder if rng.random() >= WITHOUT_QUERY_ENCODER else None
        ranking = Encoders(encoder, placed)
        if pool.embedded:
            here = document[0].context
            encode_mentions(here.mentions, here.title, ranking)
        for task in simulate_tasks(document, MARKERS_PER_DOCUMENT, rng):
            matrix = gather_evidence(pool_features(task.context, pool, ranking), pool).matrix
            labels = np.zeros(len(pool), dtype=np.int8)
            labels[pool.rows(task.relevant)] = 1
            candidates = np.ones(len(pool), dtype=bool)
            candidates[pool.rows(task.context.marker_cited)] = False
            keep = sample_rows(matrix, labels, candidates, rng)
            if labels[keep].any():
                features.append(matrix[keep])
                relevance.append(labels[keep])
    if not features:
        raise TrainingError(
            f"no document of the contexts cites {MINIMUM_PAPERS} of the papers; check that both "
            "name papers by the same ids"
        )
    return Groups(
        np.concatenate(features),
        np.concatenate(relevance),
        np.array([len(group) for group in relevance]),
    )


def sample_rows(
    matrix: NDArray[np.float32],
    labels: NDArray[np.int8],
    candidates: NDArray[np.bool_],
    rng: random.Random,
) -> NDArray[np.int64]:
    """Choose the candidates to learn from, see `choose_rows`; what is not known comes last."""
    allowed = np.flatnonzero(candidates)
    orders = (
        np.nan_to_num(sign * matrix[allowed, FEATURE_INDEX[name]].astype(np.float64), nan=-1e9)
        for name, sign in HARD_ORDERS.items()
    )
    each = NEGATIVES_HARD // len(HARD_ORDERS)
    return allowed[choose_rows(labels[allowed], orders, each, NEGATIVES_RANDOM, rng)]


def train(
    contexts: ContextSplit,
    papers: dict[str, Paper],
    encoders: DraftEncoders,
    out: Path,
    *,
    seed: int = 13,
    progress: Progress = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Train the ranker and write the trees and `config.json` to `out`; returns the figures.

    Raises:
        TrainingError: a package is missing, or the contexts cite too few of the papers.
        OSError: `out` cannot be written.
    """
    require("lightgbm", "onnx")  # before hours of work
    out.mkdir(parents=True, exist_ok=True)
    learned, held_out = (
        make_groups(rows, papers, encoders, seed=seed, progress=partial(progress, part))
        for part, rows in (("train", contexts.train), ("dev", contexts.dev))
    )
    about = {
        "encoder": encoders.papers.fingerprint,
        "checkpoint": encoders.papers.checkpoint,
        "query_encoder": encoders.queries.fingerprint,
    }
    return RANKER.train(learned, held_out, out, about, seed=seed)


def papers_cited(rows: Iterable[LabelledContext]) -> set[str]:
    """Return the ids that the rows cite."""
    return {name for row in rows for name in row.cited}


CARD = Card(
    what="""\
Ranks the papers of a writer's own library for one place of a draft: boosted trees (LambdaMART)
over {width} features of text, of co-cited papers, of the draft's own habits and of where papers
stand in the writer's file (`cite_lsp/recommend/library/features.py`).""",
    data="""\
{train_groups:,} citation markers, laid out as drafts, and {dev_groups:,} of others to stop by:
{data}.
Papers on the same subject that a document does not cite were added to its library, half of the
libraries stand in an order as if grown with the draft, {forward:.0%} of the markers were seen
without what stands below them.""",
    recipe="""\
`{file}`, seed {seed}, {trees} trees of two boosters, with the encoder `{encoder}` and the query
encoder `{query_encoder}`; contexts that it was trained on were placed by one that was not.""",
    form="""\
ONNX, one `TreeEnsembleRegressor`: input `features` (float32, papers × {width}; NaN where no
encoder is at hand), output `score` (float32, papers × 1). A softmax of temperature {temperature}
makes probabilities of the scores of one library.""",
    points={
        "In use": """\
weights for its features are fitted to the markers of the draft at hand
(`cite_lsp/recommend/library/adaptation.py`) and added to what it says: how this writer cites."""
    },
    licence="""\
Apache-2.0. The model holds thresholds over similarities and counts; no text of the data is in
it.""",
    measured="""\
Held-out markers (what `eval manuscripts` finds on real drafts is in
docs/research/evaluation.md):""",
    below="What the trees gain most from: {gains}.",
    files=(TREES, "config.json"),
)
