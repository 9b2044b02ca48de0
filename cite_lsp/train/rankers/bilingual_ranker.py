"""Recipe `bilingual-ranker`: the trees that rank a corpus for Chinese contexts.

LambdaMART (Burges 2010; LightGBM), the mean of a few boosters, over the features of
`recommend/corpus/features_zh.py`. None of them may have been learned from the contexts that the
trees learn from, or they would trust it too much: hence another lexicon for these than for the
contexts of development. What is often cited is not among them, for the papers of a new draft are
seldom those of another.
"""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.encoder import Encoder
from cite_lsp.option_types import OptionGroup
from cite_lsp.recommend.base.ranker import TREES
from cite_lsp.recommend.corpus.features_zh import BILINGUAL_FEATURES, BILINGUAL_PLACE
from cite_lsp.recommend.corpus.reranker_zh import MODEL, BilingualRetrieval
from cite_lsp.recommend.query.encoder_input import shipped_chinese_query_encoder
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.train.encoders.encoder_run import drafts_encoder
from cite_lsp.train.rankers.encoders import EncoderOf, query_encoder_in
from cite_lsp.train.rankers.groups import (
    Group,
    choose_rows,
    compute_groups,
    labels_of,
    section_seen,
)
from cite_lsp.train.rankers.trees import TreeRanker, write_card
from cite_lsp.train.run.card import Card
from cite_lsp.train.run.job import CHECKPOINTS, ContextSplit, Job, claim_checkpoints, finish
from cite_lsp.train.run.options import DATA
from cite_lsp.train.run.report import Figures, Progress, require
from cite_lsp.translate.lexicon import Lexicon
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

TAKES = DATA

PROTOCOLS = {"all": 0.5, "before": 0.35, "none": 0.15}
"""Which papers of the section a context is seen with, and how often: drafts are revised, written
forward, begun."""
HARD_ORDERS = (
    *("faded", "words_wide", "latin_near"),
    *("near", "translated_near", "placed"),
    "in_section",
)
NEGATIVES_HARD, NEGATIVES_RANDOM = 90, 60
"""Candidates to learn from beside the relevant ones: the best of each hard order, and chance."""
RANKER = TreeRanker(
    name=MODEL,
    features=BILINGUAL_FEATURES,
    parameters={
        "objective": "lambdarank",
        "lambdarank_truncation_level": 30,
        "learning_rate": 0.1,
        "num_leaves": 15,
        "min_data_in_leaf": 300,
        "feature_fraction": 0.3,
        "bagging_fraction": 0.8,
        "lambda_l2": 20.0,
        "max_bin": 127,
    },
    rounds=125,
    bags=2,
)


@frozen
class FeatureModels:
    """What the features are made with.

    encoder: that of papers and texts. translator: that of the product. query_encoder: that of the
    product. encoder_of: gives one that has not seen a document, by its id, for those that are
    learned from. learning_by: reads the contexts that are learned from: a translator that has not
    learned from them itself, as `translator` may have, or the trees would trust it more than it
    deserves.
    """

    encoder: Encoder
    translator: DictionaryTranslator
    query_encoder: Encoder | None = None
    encoder_of: EncoderOf | None = None
    learning_by: DictionaryTranslator | None = None

    def about(self) -> dict[str, str]:
        """Return their fingerprints, by what they are."""
        return {
            "encoder": self.encoder.fingerprint,
            "checkpoint": self.encoder.checkpoint,
            "query_encoder": self.query_encoder.fingerprint if self.query_encoder else "",
            "translator": self.translator.fingerprint,
            "learning_by": (self.learning_by or self.translator).fingerprint,
        }

    def retrieval(
        self, corpus: CorpusIndex, document: str, *, learning: bool
    ) -> BilingualRetrieval:
        """Return the retrieval for a context of a document."""
        translator = (learning and self.learning_by) or self.translator
        queries = self.encoder_of(document) if self.encoder_of else self.query_encoder
        return BilingualRetrieval(corpus, translator, queries)


def add_arguments(group: OptionGroup) -> None:
    """Declare the options that this recipe has beside those of several."""
    group.add_argument(
        "--lexicon",
        type=Path,
        metavar="DIR",
        help="the lexicon that --contexts are read with, if the one that ships was learned from"
        " them",
    )
    group.add_argument(
        "--chinese-query-encoder",
        type=Path,
        metavar="DIR",
        help="folder that `train query-encoder-zh` wrote with the same contexts",
    )


def run(job: Job) -> list[Figures]:
    """Train, write the trees with their card; returns what they are worth."""
    claim_checkpoints(job.options)
    options, corpus = job.options, job.open_pool()
    rows, check = job.contexts_and_dev()
    query_encoder, encoder_of = query_encoder_in(
        options.chinese_query_encoder, rows, shipped_chinese_query_encoder, chinese=True
    )
    learning_by = options.lexicon and DictionaryTranslator(Lexicon.open(options.lexicon))
    config = train(
        ContextSplit(rows, check),
        corpus,
        FeatureModels(
            drafts_encoder(), shipped_translator(), query_encoder, encoder_of, learning_by
        ),
        job.out,
        seed=job.seed,
        progress=job.progress,
    )
    return write_card(CARD, job.out, job.origin, config, "contexts", gains=10)


def _group(
    corpus: CorpusIndex,
    models: FeatureModels,
    seed: int,
    learning: bool,
    row: LabelledContext,
) -> Group | None:
    """Return the features of the candidates of a context, None where no relevant paper is found.

    Contexts are `learning` material, of whose candidates a sample is taken and whose section is
    known in part, or are measured as in the task `bilingual`.
    """
    row_of = corpus.row_of
    rng = random.Random(f"{seed} {row.context_id}")
    protocol = "all"
    if learning:
        protocol = rng.choices(list(PROTOCOLS), list(PROTOCOLS.values()))[0]
    section = section_seen(row, protocol, row_of)
    retrieval = models.retrieval(corpus, row.citing_id, learning=learning)
    rows, matrix = retrieval.gather(row.context, models.encoder, section=section)
    labels = labels_of(row, rows, row_of)
    if not labels.any():
        return None
    if not learning:
        return matrix, labels
    keep = sample_candidates(matrix, labels, rng)
    return matrix[keep], labels[keep]


def sample_candidates(
    matrix: NDArray[np.float32], labels: NDArray[np.int8], rng: random.Random
) -> Rows:
    """Choose the candidates to learn from, see `choose_rows`."""
    orders = (np.nan_to_num(matrix[:, BILINGUAL_PLACE[name]]) for name in HARD_ORDERS)
    each = NEGATIVES_HARD // len(HARD_ORDERS)
    return choose_rows(labels, orders, each, NEGATIVES_RANDOM, rng)


def train(
    contexts: ContextSplit,
    corpus: CorpusIndex,
    models: FeatureModels,
    out: Path,
    *,
    seed: int = 13,
    progress: Progress = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Train, and write the trees and `config.json` to `out`; returns the figures.

    Raises:
        TrainingError: a package is missing, or the contexts cite too few of the papers.
        OSError: `out` cannot be written.
    """
    require("lightgbm", "onnx")
    out.mkdir(parents=True, exist_ok=True)
    learn = [row for row in contexts.train if any(name in corpus.row_of for name in row.cited)]
    check = [row for row in contexts.dev if any(name in corpus.row_of for name in row.cited)]
    about = {**models.about(), "papers": len(corpus)}
    learned, held_out = (
        compute_groups(
            rows,
            partial(_group, corpus, models, seed, part == "train"),
            len(BILINGUAL_FEATURES),
            out / CHECKPOINTS / part,
            partial(progress, f"{part} contexts"),
        )
        for part, rows in (("train", learn), ("dev", check))
    )
    config = RANKER.train(learned, held_out, out, about, seed=seed)
    finish(out)
    return config


CARD = Card(
    what="""\
Ranks the papers of a corpus for one place of a draft in Chinese: boosted trees (LambdaMART) over
{width} features (`cite_lsp/recommend/corpus/features_zh.py`): words through the lexicon, words in
Latin letters, authors and years that are named and how far from the marker, vectors of
`cross-lingual`, where `query-encoder-zh` places the context, and nearness to the papers that the
section cites.""",
    data="""\
{train_groups:,} contexts of Chinese documents against a pool of {papers:,} papers, and
{dev_groups:,} of other documents to measure on: {data}""",
    recipe="""\
`{file}`, seed {seed}, {trees} trees, with the encoders `{encoder}` and `{query_encoder}` and the
translator `{translator}`; the contexts to learn from were read by `{learning_by}`, and placed by
encoders that had not seen their documents.""",
    form="""\
ONNX, one `TreeEnsembleRegressor` (NaN where a feature is not known). A softmax of temperature
{temperature} makes probabilities of the scores of one context.""",
    licence="""\
Apache-2.0. The model holds thresholds over similarities and counts; no text of the data is in
it.""",
    measured="""\
Contexts among their candidates (what `eval bilingual` finds is in docs/research/evaluation.md):""",
    below="What the trees gain most from: {gains}.",
    files=(TREES, "config.json"),
)
