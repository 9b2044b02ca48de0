"""Recipe `citation-worthiness`: does a sentence need a citation (recommend/missing/worthiness)?

Linear models over word n-grams (logistic regression; n-grams of one document alone are left out),
then boosted trees (LightGBM) over their scores on documents that the linear models had not seen,
written as ONNX. The linear models learn from what stands around markers, too; the trees, who weigh
how much a draft cites, from documents known as a whole, where a language has any. The scores are
made probabilities on development documents (Platt 1999).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.recommend.missing.worthiness import (
    BUCKETS,
    FEATURES,
    MODEL,
    Passage,
    WorthinessModel,
    gather,
    linear_score,
    sentence_buckets,
    title_buckets,
)
from cite_lsp.train.data.labelled_sentences import LabelledSentence
from cite_lsp.train.data.sentence_weights import sentence_weights
from cite_lsp.train.rankers.bags import Bag
from cite_lsp.train.run.config import write_config
from cite_lsp.train.run.errors import TrainingError, require
from cite_lsp.train.run.progress import Progress

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

FOLDS = 5
DOCUMENTS_WITH = 4
"""Documents in which an n-gram must occur."""
REGULARISATION = 1.5
PARAMETERS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 200,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "verbosity": -1,
    "deterministic": True,
    "force_row_wise": True,
}
ROUNDS = 220


@frozen
class Linear:
    """A linear model over hashed n-grams: weights [BUCKETS] and a bias."""

    weights: NDArray[np.float32]
    bias: float


def train(
    sentences: Sequence[LabelledSentence],
    held_out: Sequence[LabelledSentence],
    out: Path,
    *,
    seed: int = 13,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train the model and write `words.npz`, `model.onnx` and `config.json` to `out`.

    `held_out` are sentences of other documents, to make probabilities of the scores.

    Raises:
        TrainingError: a package is missing, or there are too few documents to learn from.
        OSError: `out` cannot be written.
    """
    require("lightgbm", "onnx", "scipy", "sklearn")
    import lightgbm

    out.mkdir(parents=True, exist_ok=True)
    labels = np.array([one.cited for one in sentences], dtype=np.int8)
    weights = sentence_weights(sentences)
    tell = progress or (lambda stage, done, total: None)
    tables = _tables([one.passage for one in sentences])
    frequent = _frequent(sentences, tables)
    words, titles = (_matrix(rows, frequent) for rows in (tables.sentences, tables.titles))
    matrix = _out_of_fold(sentences, tables, words, titles, labels, weights, seed, tell)
    known = _best_known(sentences)
    booster = lightgbm.train(
        PARAMETERS | {"seed": seed},
        lightgbm.Dataset(
            matrix[known], labels[known], weight=weights[known], feature_name=list(FEATURES)
        ),
        num_boost_round=ROUNDS,
    )
    linear, title = (_fit(rows, labels, weights) for rows in (words, titles))
    trees = Bag([booster], FEATURES)
    together = (linear.weights + title.weights).astype(np.float16)
    np.savez_compressed(out / "words.npz", weights=together)
    config: dict[str, Any] = {
        "name": MODEL,
        "features": list(FEATURES),
        "bias": linear.bias,
        "title_bias": title.bias,
        "slope": 1.0,
        "intercept": 0.0,
        "seed": seed,
        "trees": trees.save(out / "model.onnx"),
        "train_sentences": len(sentences),
        "train_cited": int(labels.sum()),
        "gain": trees.gains(),
    }
    write_config(out, config)
    config |= _calibrated(WorthinessModel(out), held_out)
    write_config(out, config)
    return config


def _best_known(sentences: Sequence[LabelledSentence]) -> NDArray[np.bool_]:
    """Return which sentences are of whole documents, or of a language that has none, (n,)."""
    languages = {one.language for one in sentences if one.whole}
    return np.array([one.whole or one.language not in languages for one in sentences])


@frozen
class _Tables:
    """The buckets of the passages, each text once: rows of buckets and which row is whose."""

    sentences: list[list[int]]
    previous: list[list[int]]
    next: list[list[int]]
    titles: list[list[int]]


def _tables(passages: Sequence[Passage]) -> _Tables:
    known: dict[str, list[int]] = {"": []}

    def buckets(text: str) -> list[int]:
        if text not in known:
            known[text] = sentence_buckets(text)
        return known[text]

    return _Tables(
        [buckets(one.sentence) for one in passages],
        [buckets(one.previous) for one in passages],
        [buckets(one.next) for one in passages],
        [title_buckets(one.section_title) for one in passages],
    )


def _frequent(sentences: Sequence[LabelledSentence], tables: _Tables) -> NDArray[np.bool_]:
    """Return which buckets hold n-grams of enough documents, [BUCKETS]."""
    documents: dict[int, set[str]] = defaultdict(set)
    for one, words, title in zip(sentences, tables.sentences, tables.titles, strict=True):
        for bucket in (*words, *title):
            if len(documents[bucket]) < DOCUMENTS_WITH:
                documents[bucket].add(one.document)
    kept = np.zeros(BUCKETS, dtype=bool)
    kept[[bucket for bucket, names in documents.items() if len(names) >= DOCUMENTS_WITH]] = True
    return kept


def _matrix(rows: Sequence[Sequence[int]], kept: NDArray[np.bool_]) -> csr_matrix:
    """Return rows of buckets as `linear_score` weighs them, [n, BUCKETS]; rare ones weigh nothing.

    They count for the length of their row all the same: a reader of a new text cannot know them.
    """
    from scipy.sparse import csr_matrix

    columns, values, ends = [], [], [0]
    for row in rows:
        frequent = [bucket for bucket in row if kept[bucket]]
        columns += frequent
        values += [1.0 / math.sqrt(max(len(row), 1))] * len(frequent)
        ends.append(len(columns))
    return csr_matrix(
        (np.array(values, dtype=np.float32), columns, ends), shape=(len(rows), BUCKETS)
    )


def _fit(matrix: csr_matrix, labels: NDArray[np.int8], weights: NDArray[np.float64]) -> Linear:
    from sklearn.linear_model import LogisticRegression

    if len(set(labels.tolist())) < 2:
        raise TrainingError(
            "sentences that cite and sentences that do not are needed, of several documents each;"
            " give more --contexts"
        )
    model = LogisticRegression(C=REGULARISATION, solver="liblinear", tol=1e-3, max_iter=200)
    model.fit(matrix, labels, sample_weight=weights)
    return Linear(model.coef_[0].astype(np.float32), float(model.intercept_[0]))


def _out_of_fold(
    sentences: Sequence[LabelledSentence],
    tables: _Tables,
    words: csr_matrix,
    titles: csr_matrix,
    labels: NDArray[np.int8],
    weights: NDArray[np.float64],
    seed: int,
    tell: Progress,
) -> NDArray[np.float32]:
    """Return the features of all sentences, their linear scores by models of other documents."""
    names = sorted({one.document for one in sentences})
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = {names[place]: number % FOLDS for number, place in enumerate(order)}
    folds = np.array([fold_of[one.document] for one in sentences])
    word_scores = np.full((len(sentences), 3), np.nan)
    title_scores = np.full(len(sentences), np.nan)
    for fold in range(FOLDS):
        learned, asked = folds != fold, np.flatnonzero(folds == fold)
        linear = _fit(words[learned], labels[learned], weights[learned])
        title = _fit(titles[learned], labels[learned], weights[learned])
        for row in asked:
            for column, part in enumerate((tables.sentences, tables.previous, tables.next)):
                if part[row]:
                    word_scores[row, column] = linear_score(linear.weights, part[row], linear.bias)
            if tables.titles[row]:
                title_scores[row] = linear_score(title.weights, tables.titles[row], title.bias)
        tell("folds", fold + 1, FOLDS)
    passages = [one.passage for one in sentences]
    return gather(passages, word_scores.tolist(), title_scores.tolist())


def _calibrated(model: WorthinessModel, held_out: Sequence[LabelledSentence]) -> dict[str, float]:
    """Return slope and intercept that make the model's scores probabilities on held-out ones."""
    from sklearn.linear_model import LogisticRegression

    if len({one.cited for one in held_out}) < 2:
        return {}
    likely = model.probabilities([one.passage for one in held_out]).astype(np.float64)
    scores = np.log(likely / (1 - likely))[:, None]
    fitted = LogisticRegression(C=1e6).fit(
        scores, [one.cited for one in held_out], sample_weight=sentence_weights(held_out)
    )
    return {"slope": float(fitted.coef_[0][0]), "intercept": float(fitted.intercept_[0])}
