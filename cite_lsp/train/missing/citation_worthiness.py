"""Recipe `citation-worthiness`: does a sentence need a citation (recommend/missing/worthiness)?

Linear models over word n-grams (logistic regression; n-grams of one document alone are left out),
then boosted trees (LightGBM) over their scores on documents that the linear models had not seen,
written as ONNX. The linear models learn from what stands around markers, too; the trees, who weigh
how much a draft cites, from documents known as a whole, where a language has any. Real drafts are
such documents; some of them are held out, to measure on. The scores are made probabilities on
development documents (Platt 1999), and there they are joined with those of encoders.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray

from cite_lsp.encode.tokens.chinese import CHINESE
from cite_lsp.evaluate.tasks.worthiness import best_threshold, figures_at
from cite_lsp.option_types import OptionGroup, add_paths
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.ranker import TREES
from cite_lsp.recommend.missing.passages import Passage
from cite_lsp.recommend.missing.place_features import PLACE_FEATURES
from cite_lsp.recommend.missing.worthiness import (
    FEATURES,
    JOINED,
    MODEL,
    THRESHOLD,
    CombinedLogit,
    WorthinessModel,
    gather,
    linear_score,
    worth_reading,
)
from cite_lsp.recommend.missing.worthiness_encoder import WorthinessEncoder
from cite_lsp.train.data.labelled_sentences import (
    LabelledSentence,
    draft_sentences,
    read_sentences,
    read_uncited,
    sentence_weights,
    texts_of,
)
from cite_lsp.train.missing.ngrams import NgramTables, bucket_matrix, frequent_buckets, ngram_tables
from cite_lsp.train.rankers.trees import Bag
from cite_lsp.train.run.card import Card, gains_line, write_config
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import Figures, Progress, TrainingError, require

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

TAKES = ("contexts", "dev", "test", "without", "manuscripts")

_LANGUAGES = {"en": "English", "zh": "Chinese"}
_OTHER = "Other languages"
_HELD_OUT = "drafts held out, by which the probabilities were chosen, too"
FOLDS = 5
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


def add_arguments(group: OptionGroup) -> None:
    """Declare the options that this recipe has beside those of several."""
    add_paths(
        group,
        "--uncited",
        help="paragraphs of books all of whose citing sentences are among --contexts",
    )
    group.add_argument(
        "--window-encoder",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="folder that `train worthiness-encoder` wrote, to be joined with the trees; may be"
        " given several times",
    )


def run(job: Job) -> list[Figures]:
    """Train the model, write it with its card; returns what it is worth."""
    options = job.options
    drafts = draft_sentences(job)
    learn = read_sentences(options.contexts, job.report)
    uncited = (
        sentence for path in options.uncited for sentence in read_uncited(path, learn, job.report)
    )
    check = read_sentences(options.dev, job.report)
    test = read_sentences(options.test or options.dev, job.report)
    learn = [
        sentence
        for sentence in (*learn, *uncited, *drafts.learn)
        if not any(name in sentence.document for name in options.without)
    ]
    readers = [WorthinessEncoder(folder) for folder in options.window_encoder]
    held_out = [*check, *drafts.check]
    config = train(learn, held_out, job.out, readers=readers, seed=job.seed, progress=job.progress)
    model = WorthinessModel(job.out, readers)
    figures = _measured(model, check, test)
    if drafts.check:
        figures += _measured(model, drafts.check, drafts.check, _HELD_OUT)
    facts = {
        "width": len(FEATURES),
        "measured": _TESTED if options.test else _ON_DEVELOPMENT,
        "gains": gains_line(config),
        "and_encoder": "".join(_JOINED[key] for key in JOINED.values() if config[key]),
    }
    return CARD.write(job.out, job.origin, figures, **config, **facts)


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
    readers: Sequence[WorthinessEncoder],
    seed: int,
    progress: Progress,
) -> dict[str, Any]:
    """Train the model and write `words.npz`, the trees and `config.json` to `out`.

    `held_out` are sentences of other documents, to make probabilities of the scores, and to join
    them with those of `readers`.

    Raises:
        TrainingError: a package is missing, or there are too few documents to learn from.
        OSError: `out` cannot be written.
    """
    require("lightgbm", "onnx", "scipy", "sklearn")
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import lightgbm

    out.mkdir(parents=True, exist_ok=True)
    labels = np.array([sentence.cited for sentence in sentences], dtype=np.int8)
    weights = sentence_weights(sentences)
    ngrams = ngram_tables([sentence.passage for sentence in sentences])
    frequent = frequent_buckets(sentences, ngrams)
    words, titles = (bucket_matrix(rows, frequent) for rows in (ngrams.sentences, ngrams.titles))
    tables = _Tables(words, titles, labels, weights)
    matrix = _out_of_fold(sentences, ngrams, tables, seed, progress)
    is_whole = _best_known(sentences)
    booster = lightgbm.train(
        PARAMETERS | {"seed": seed},
        lightgbm.Dataset(
            matrix[is_whole],
            labels[is_whole],
            weight=weights[is_whole],
            feature_name=list(FEATURES),
        ),
        num_boost_round=ROUNDS,
    )
    linear, title = tables.fit()
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
        **dict.fromkeys(JOINED.values()),
        "seed": seed,
        "trees": trees.save(out / TREES),
        "train_sentences": len(sentences),
        "train_cited": int(labels.sum()),
        "gain": trees.gains(),
    }
    write_config(out, config)
    config |= _calibrated(WorthinessModel(out), held_out)
    write_config(out, config)
    for reader in readers:
        config[JOINED[reader.words]] = _joined(WorthinessModel(out), reader, held_out)
    write_config(out, config)
    return config


def _best_known(sentences: Sequence[LabelledSentence]) -> NDArray[np.bool_]:
    """Return which sentences are of whole documents, or of a language that has none, (n,)."""
    languages = {sentence.language for sentence in sentences if sentence.whole}
    return np.array(
        [sentence.whole or sentence.language not in languages for sentence in sentences]
    )


@frozen
class _Tables:
    """What linear models learn from: n-grams of sentences and of titles, (n, d), which cite, (n,).

    Each sentence counts by its weight, (n,).
    """

    words: csr_matrix
    titles: csr_matrix
    labels: NDArray[np.int8]
    weights: NDArray[np.float64]

    def fit(self, rows: NDArray[np.bool_] | slice = slice(None)) -> tuple[Linear, Linear]:
        """Return the model of words and that of titles, learned from the chosen sentences."""
        labels, weights = self.labels[rows], self.weights[rows]
        return _fit(self.words[rows], labels, weights), _fit(self.titles[rows], labels, weights)


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
    ngrams: NgramTables,
    tables: _Tables,
    seed: int,
    progress: Progress,
) -> NDArray[np.float32]:
    """Return the features of all sentences, their linear scores by models of other documents."""
    names = sorted({sentence.document for sentence in sentences})
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = {names[place]: number % FOLDS for number, place in enumerate(order)}
    folds = np.array([fold_of[sentence.document] for sentence in sentences])
    word_scores = np.full((len(sentences), 3), np.nan)
    title_scores = np.full(len(sentences), np.nan)
    for fold in range(FOLDS):
        learned, held_out = folds != fold, np.flatnonzero(folds == fold)
        linear, title = tables.fit(learned)
        for row in held_out:
            for column, part in enumerate((ngrams.sentences, ngrams.previous, ngrams.next)):
                if part[row]:
                    word_scores[row, column] = linear_score(linear.weights, part[row], linear.bias)
            if ngrams.titles[row]:
                title_scores[row] = linear_score(title.weights, ngrams.titles[row], title.bias)
        progress("folds", fold + 1, FOLDS)
    start, parts = 0, []
    for text in texts_of(sentences):
        rows = slice(start, start + len(text))
        passages = [sentence.passage for sentence in text]
        features = gather(passages, word_scores[rows].tolist(), title_scores[rows].tolist())
        if not text[0].whole:
            features[:, -len(PLACE_FEATURES) :] = np.nan
        parts.append(features)
        start += len(text)
    return np.concatenate(parts)


def _calibrated(model: WorthinessModel, held_out: Sequence[LabelledSentence]) -> dict[str, float]:
    """Return slope and intercept that make the trees' scores probabilities on held-out ones."""
    if len({sentence.cited for sentence in held_out}) < 2:
        return {}
    scores = np.concatenate([model.tree_scores(_passages(text)) for text in texts_of(held_out)])
    (slope,), intercept = _regression(scores[:, None], held_out)
    return {"slope": slope, "intercept": intercept}


def _joined(
    model: WorthinessModel, reader: WorthinessEncoder, held_out: Sequence[LabelledSentence]
) -> dict[str, float] | None:
    """Return the weights that join trees and encoder, fitted to what both read of held-out ones."""
    rows: list[LabelledSentence] = []
    trees, logits = [], []
    for text in texts_of(held_out):
        passages = _passages(text)
        read = worth_reading(passages, model.log_odds(passages), reader.words)
        text = [sentence for sentence, is_read in zip(text, read, strict=True) if is_read]
        rows += text
        trees.append(model.tree_scores(passages)[read])
        logits.append(reader.logits(_passages(text)))
    if len({sentence.cited for sentence in rows}) < 2:
        return None
    both = np.stack([np.concatenate(trees), np.concatenate(logits)], axis=1)
    (of_trees, of_encoder), bias = _regression(both, rows)
    return asdict(CombinedLogit(of_trees, of_encoder, bias))


def _regression(
    scores: NDArray[np.floating], sentences: Sequence[LabelledSentence]
) -> tuple[list[float], float]:
    """Fit whether sentences cited to scores of them, (n, s); returns the weights and the bias."""
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1e6).fit(
        scores,
        [sentence.cited for sentence in sentences],
        sample_weight=sentence_weights(sentences),
    )
    return [float(weight) for weight in fitted.coef_[0]], float(fitted.intercept_[0])


def _passages(text: Sequence[LabelledSentence]) -> list[Passage]:
    return [sentence.passage for sentence in text]


def _likely(model: WorthinessModel, sentences: Sequence[LabelledSentence]) -> Column:
    parts = [model.probabilities(_passages(text)) for text in texts_of(sentences)]
    return np.concatenate(parts)


def _measured(
    model: WorthinessModel,
    check: Sequence[LabelledSentence],
    test: Sequence[LabelledSentence],
    note: str = "",
) -> list[Figures]:
    """Measure the model on `test`, by language; `note` says what is measured on, if anything.

    Thresholds are chosen on the development sentences, `check`.
    """
    tables = []
    for language in (*_LANGUAGES.values(), _OTHER):
        language_check, language_test = (
            [row for row in part if _LANGUAGES.get(row.language, _OTHER) == language]
            for part in (check, test)
        )
        if language_test and language_check:
            title = f"{language}, {note}" if note else language
            tables.append(_measured_in(title, model, language_check, language_test))
    return tables


def _measured_in(
    language: str,
    model: WorthinessModel,
    check: Sequence[LabelledSentence],
    test: Sequence[LabelledSentence],
) -> Figures:
    truth = [sentence.cited for sentence in test]
    likely = _likely(model, test)
    best = best_threshold([sentence.cited for sentence in check], _likely(model, check))
    half_right = figures_at(truth, likely, THRESHOLD)
    decisions = {
        "always": figures_at(truth, [1.0] * len(test), 0.5),
        f"model, from {best:.2f} on (best F1 on dev)": figures_at(truth, likely, best),
        f"model, from {THRESHOLD:.2f} on (half of them right)": half_right,
    }
    title = f"{language}: {len(test):,} sentences, {sum(truth):,} cite"
    return Figures(decisions, heading="decided by", title=title)


_TESTED = "On the test documents, none of which served for training or for choosing anything"
_ON_DEVELOPMENT = "On the development documents, by which the probabilities were chosen, too"
_JOINED = {
    JOINED[""]: """
What they do not rule out is read by [worthiness-encoder](../worthiness-encoder/README.md), too,
Chinese apart; a logistic regression joins the two.""",
    JOINED[CHINESE]: """
Chinese sentences are read by [worthiness-encoder-zh](../worthiness-encoder-zh/README.md), which is
joined with the trees likewise.""",
}
CARD = Card(
    what="""\
Says how likely a sentence leans on work that it should name, from the sentence, what stands around
it, where it stands, and the title of its section. Two linear models over hashed word n-grams, and
{trees} boosted trees over their scores, plain cues and places
(`cite_lsp/recommend/missing/worthiness.py`).{and_encoder}""",
    data="""\
{train_sentences:,} sentences, {train_cited:,} of which cited: {data}.
Markers were taken out, and what they leave behind with them. Of drafts and of some English
documents every sentence is known; of others, and of Chinese contexts, those in the windows around
citation markers, where citing is far more frequent, beside book paragraphs that cite nothing: there
citing ones were weighted down to one in ten. Trees learned from whole documents where a language
has any.
Documents that the command leaves out are drafts that `cite-lsp eval missing` is run on.""",
    recipe="`{file}`, seed {seed}.",
    form="""\
`words.npz`: float16 weights of the hashed n-grams; `model.onnx.zst`: a `TreeEnsembleRegressor`
over {width} features (float32; NaN where a neighbour, a title or further sections are missing).
Logistic curves fitted on development documents make probabilities of the scores.""",
    licence="""\
Apache-2.0. The model holds weights of hashed words and thresholds; no text of the data is in
it.""",
    measured="{measured}:",
    below="""\
*always* calls every sentence citation-worthy: its precision is the share of sentences that cite.
The figures count a sentence as wrong that its author left without a citation, though it may well
have deserved one.

What the trees gain most from: {gains}.""",
    files=(TREES, "words.npz", "config.json"),
)
