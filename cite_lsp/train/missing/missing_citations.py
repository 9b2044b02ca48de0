"""Recipe `missing-citations`: should this sentence cite the paper that is recommended for it?

A logistic regression over the signs of `recommend/missing/confidence.py`, fitted to sentences of
drafts whose sections were emptied (`train/data/rebuilt_drafts.py` lays such drafts out) and the
papers recommended for them: the answer is whether the sentence had cited the paper.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen

from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached import CachedEncoder
from cite_lsp.evaluate.tasks.missing import Emptied, evaluate_folder, figures
from cite_lsp.evaluate.tasks.worthiness import average_precision
from cite_lsp.library import DiskReader
from cite_lsp.option_types import OptionGroup, add_paths
from cite_lsp.recommend.missing.confidence import MODEL, SIGNS, Confidence, Signs, product_of
from cite_lsp.recommend.missing.gaps import LEVELS, GapOptions, Level
from cite_lsp.train.data.rebuilt_drafts import lay_out, read_plain_sentences
from cite_lsp.train.data.sentence_weights import sentence_weights
from cite_lsp.train.run.card import Card, Origin, write_config
from cite_lsp.train.run.errors import TrainingError, require
from cite_lsp.train.run.figures import Figures, markdown_table
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.progress import counting

TAKES = ("papers", "sentences", "without")
"""The options that it takes beside those of all recipes."""

REGULARISATION = 1.0
LOWEST = 0.06
"""Worthiness from which on sentences are learned from: somewhat below what is ever looked at."""
_FOLDS = 5
_LANGUAGES = {"en": "English", "zh": "Chinese"}


def add_arguments(group: OptionGroup) -> None:
    """Declare the options that this recipe has beside those of several."""
    add_paths(
        group,
        "--sentences",
        help="all sentences of the documents of --contexts, where they are known",
    )


def run(job: Job) -> list[Figures]:
    """Fit the weights, write them with their card; returns what they are worth."""
    rows = _emptied(job)
    measured = _measured(rows)
    sentences = [_ranked_sentence(row) for row in rows if row.recommended]
    config = write(job.out, fit(sentences), sentences, job.seed)
    write_card(job.out, job.origin, config, measured)
    return measured


def _emptied(job: Job) -> list[Emptied]:
    """Lay the documents out as drafts, empty their sections, and ask what is missing there."""
    options = job.options
    sentences = read_plain_sentences(options.sentences, job.report)
    everything = job.contexts(options.contexts, options.without)
    # Of Chinese documents the windows around their markers are all there is.
    known = {row.citing_id for row in everything if row.context.language == "zh"} | {*sentences}
    contexts = [row for row in everything if row.citing_id in known]
    papers = job.papers({name for row in contexts for name in row.cited})
    encoder = CachedEncoder(load_encoder(threads=os.cpu_count() or 1))
    advance = counting(job.progress, "sentences of drafts")
    with tempfile.TemporaryDirectory() as folder:
        lay_out(contexts, sentences, papers, encoder, Path(folder), seed=job.seed)
        return evaluate_folder(
            Path(folder),
            DiskReader(),
            options=GapOptions(Level(LOWEST, 0.0), product_of),
            progress=lambda name, count: advance(count),
        )


def _ranked_sentence(row: Emptied) -> RankedSentence:
    right = tuple(key in row.cited for key in row.recommended)
    return RankedSentence(row.draft, row.language, row.signs, right, bool(row.cited))


@frozen
class RankedSentence:
    """A sentence with the papers ranked for it.

    `signs` are those of each paper, `right` says of each whether the sentence had cited it, `cited`
    whether it had cited anything.
    """

    draft: str
    language: str
    signs: tuple[Signs, ...]
    right: tuple[bool, ...]
    cited: bool

    @property
    def whole(self) -> bool:
        """Whether all of its document was laid out: of Chinese ones what is near their markers."""
        return self.language != "zh"


def fit(sentences: Sequence[RankedSentence]) -> Confidence:
    """Fit the weights.

    Raises:
        TrainingError: a package is missing, or all papers are right, or all wrong.
    """
    require("sklearn")
    # Imported where it trains: an extra has it, and loading it takes seconds.
    from sklearn.linear_model import LogisticRegression

    right = np.array([right for sentence in sentences for right in sentence.right], dtype=bool)
    if not right.any() or right.all():
        raise TrainingError(
            "among the sentences of these drafts there are not both right and wrong papers; give "
            "contexts and sentences of the same documents"
        )
    signs = np.array(
        [signs for sentence in sentences for signs in sentence.signs], dtype=np.float64
    )
    papers = [len(sentence.signs) for sentence in sentences]
    # Signs are of different sizes: the penalty is to be the same for all.
    centre, spread = signs.mean(axis=0), np.maximum(signs.std(axis=0), 1e-6)
    model = LogisticRegression(C=REGULARISATION, max_iter=1000)
    model.fit(
        (signs - centre) / spread,
        right,
        sample_weight=np.repeat(sentence_weights(sentences), papers),
    )
    weights = model.coef_[0] / spread
    bias = float(model.intercept_[0]) - float(weights @ centre)
    return Confidence(tuple(float(weight) for weight in weights), bias)


def out_of_draft(sentences: Sequence[RankedSentence]) -> list[tuple[float, ...]]:
    """Return for each sentence how sure each paper is, by weights fitted to other drafts.

    Raises:
        TrainingError: see `fit`; or there are too few drafts.
    """
    names = sorted({sentence.draft for sentence in sentences})
    if len(names) < _FOLDS:
        raise TrainingError(f"only {len(names)} drafts could be laid out; give more contexts")
    fold_of = {name: number % _FOLDS for number, name in enumerate(names)}
    confidences: list[tuple[float, ...]] = [()] * len(sentences)
    for fold in range(_FOLDS):
        learned = fit([sentence for sentence in sentences if fold_of[sentence.draft] != fold])
        for place, sentence in enumerate(sentences):
            if fold_of[sentence.draft] == fold:
                confidences[place] = tuple(map(learned, sentence.signs))
    return confidences


def write(
    folder: Path, confidence: Confidence, sentences: Sequence[RankedSentence], seed: int
) -> dict[str, Any]:
    """Write `config.json` and return what it says.

    Raises:
        OSError: it cannot be written.
    """
    config: dict[str, Any] = {
        "name": MODEL,
        "signs": list(SIGNS),
        "weights": dict(
            zip(SIGNS, (round(weight, 4) for weight in confidence.weights), strict=True)
        ),
        "bias": round(confidence.bias, 4),
        "seed": seed,
        "drafts": len({sentence.draft for sentence in sentences}),
        "sentences": len(sentences),
        "right": sum(any(sentence.right) for sentence in sentences),
    }
    write_config(folder, config)
    return config


def _measured(rows: Sequence[Emptied]) -> list[Figures]:
    """Measure weights fitted to other drafts.

    Raises:
        TrainingError: there are too few drafts.
    """
    recommended = [row for row in rows if row.recommended]
    likely = out_of_draft([_ranked_sentence(row) for row in recommended])
    silent = [row for row in rows if not row.recommended]
    weighed = [_ordered(row, sure) for row, sure in zip(recommended, likely, strict=True)]
    tables = []
    for code, language in _LANGUAGES.items():
        mine, rest = ([row for row in part if row.language == code] for part in (weighed, silent))
        if not mine:
            continue
        precise = average_precision(
            [row.recommended[0] in row.cited for row in mine], [row.confidence for row in mine]
        )
        by_level = {
            name: _shown(figures([*mine, *rest], level), precise) for name, level in LEVELS.items()
        }
        removed = sum(len(row.cited) for row in (*mine, *rest))
        title = f"{language}: {removed:,} citations removed"
        tables.append(Figures(by_level, heading="level", title=title))
    return tables


def _shown(measured: Mapping[str, float], precise: float) -> dict[str, float]:
    return {
        "offers": int(measured["offers"]),
        "precision": measured["precision"],
        "recall": measured["recall@1"],
        "average precision": precise,
    }


def _ordered(row: Emptied, sure: Sequence[float]) -> Emptied:
    """Return what would have been offered were the papers so sure."""
    order = sorted(range(len(sure)), key=lambda place: -sure[place])
    return evolve(
        row,
        recommended=tuple(row.recommended[place] for place in order),
        signs=tuple(row.signs[place] for place in order),
        confidence=sure[order[0]],
    )


def write_card(
    folder: Path,
    origin: Origin,
    config: Mapping[str, Any],
    measured: Sequence[Figures],
) -> None:
    """Write `README.md` beside the weights.

    Raises:
        OSError: it cannot be written.
    """
    weights = {**config["weights"], "bias": config["bias"]}
    rows = [[name, f"{value:.3f}"] for name, value in weights.items()]
    facts = {"weights": markdown_table(("sign", "weight"), rows), "count": len(rows)}
    CARD.write(folder, origin, measured, **{**config, **facts})


CARD = Card(
    what="""\
Says how likely a sentence should cite the paper that was found for it: a logistic regression over
what [citation-worthiness](../citation-worthiness/README.md) says of the sentence, what the ranker
of the library says of the paper, and why that was found
(`cite_lsp/recommend/missing/confidence.py`).""",
    data="""\
{drafts} documents that neither of the two was trained on, laid out as drafts again from their
sentences and the contexts of their markers, with papers on the same subject beside those they cite:
{data}.
Each section in turn lost its citations; {sentences:,} of its sentences were likely enough to need
one, and {right:,} of them had cited one of the five papers found. Chinese documents are known
around their markers alone, so the sentences that cited weigh less there: one in ten.""",
    recipe="`{file}`, seed {seed}.",
    form="`config.json`: a weight for each sign, and a bias.",
    licence="Apache-2.0. It holds {count} numbers.",
    measured="""\
Measured on documents that the weights were not fitted to (five parts by document). *recall* is the
share of the removed citations that the first paper brings back.""",
    below="{weights}",
    files=("config.json",),
)
