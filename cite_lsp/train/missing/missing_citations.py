"""Recipe `missing-citations`: should this sentence cite the paper that is recommended for it?

A logistic regression over the signs of `recommend/missing/confidence.py`, fitted to real drafts
whose sections were emptied in turn: the answer is whether the sentence had cited the paper. They
are the drafts that the ranker of libraries did not learn from, or its scores would be too good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen

from cite_lsp.evaluate.tasks.missing import MaskedSentence, SectionSample, evaluate_draft, figures
from cite_lsp.evaluate.tasks.worthiness import average_precision
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.missing.confidence import MODEL, SIGNS, Confidence, Signs, product_of
from cite_lsp.recommend.missing.gaps import LEVELS, GapOptions, Level
from cite_lsp.train.data.real_drafts import split_drafts
from cite_lsp.train.run.card import Card, Origin, write_config
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import Figures, OptionError, TrainingError, markdown_table, require

TAKES = ("manuscripts", "without")

SENTENCES_PER_DRAFT = 120
REGULARISATION = 1.0
LOWEST = 0.04
"""Worthiness from which on sentences are learned from: somewhat below what is ever looked at."""
_FOLDS = 5
_LANGUAGES = {"en": "English", "zh": "Chinese"}
_OTHER = "Other languages"


def run(job: Job) -> list[Figures]:
    """Fit the weights, write them with their card; returns what they are worth."""
    rows = _emptied(job)
    measured = _measured(rows)
    sentences = [_ranked_sentence(row) for row in rows if row.recommended]
    config = write(job.out, fit(sentences), sentences, job.seed)
    return write_card(job.out, job.origin, config, measured)


def _emptied(job: Job) -> list[MaskedSentence]:
    if job.options.manuscripts is None:
        raise OptionError("missing-citations learns from drafts; name their folder: --manuscripts")
    dealt = split_drafts(job.options.manuscripts, job.options.without, job.report)
    options = GapOptions(Level(LOWEST, 0.0), product_of)
    rows: list[MaskedSentence] = []
    for number, (name, files) in enumerate(dealt.check.items()):
        sample = SectionSample(SENTENCES_PER_DRAFT, f"{job.seed} {name}")
        emptied = evaluate_draft(name, files, FilesOnDisk().read, options, sample=sample)
        language = dealt.languages.get(name)
        rows += [evolve(row, language=language) for row in emptied] if language else emptied
        job.progress("drafts", number + 1, len(dealt.check))
    return rows


def _ranked_sentence(row: MaskedSentence) -> RankedSentence:
    right = tuple(key in row.cited for key in row.recommended)
    return RankedSentence(row.draft, row.signs, right)


@frozen
class RankedSentence:
    """A sentence with the papers ranked for it.

    `signs` are those of each paper, `right` says of each whether the sentence had cited it.
    """

    draft: str
    signs: tuple[Signs, ...]
    right: tuple[bool, ...]


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
            "drafts that cite entries of their own bibliographies"
        )
    signs = np.array(
        [signs for sentence in sentences for signs in sentence.signs], dtype=np.float64
    )
    # Signs are of different sizes: the penalty is to be the same for all.
    centre, spread = signs.mean(axis=0), np.maximum(signs.std(axis=0), 1e-6)
    model = LogisticRegression(C=REGULARISATION, max_iter=1000)
    model.fit((signs - centre) / spread, right)
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
        raise TrainingError(f"only {len(names)} drafts cite what they could lack; give more")
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


def _measured(rows: Sequence[MaskedSentence]) -> list[Figures]:
    recommended = [row for row in rows if row.recommended]
    likely = out_of_draft([_ranked_sentence(row) for row in recommended])
    silent = [row for row in rows if not row.recommended]
    weighed = [_ordered(row, sure) for row, sure in zip(recommended, likely, strict=True)]
    tables = []
    for language in (*_LANGUAGES.values(), _OTHER):
        mine, rest = (
            [row for row in part if _LANGUAGES.get(row.language, _OTHER) == language]
            for part in (weighed, silent)
        )
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


def _ordered(row: MaskedSentence, sure: Sequence[float]) -> MaskedSentence:
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
) -> list[Figures]:
    """Write `README.md` beside the weights; returns the figures in it.

    Raises:
        OSError: it cannot be written.
    """
    weights = {**config["weights"], "bias": config["bias"]}
    rows = [[name, f"{value:.3f}"] for name, value in weights.items()]
    facts = {"weights": markdown_table(("sign", "weight"), rows), "count": len(rows)}
    return CARD.write(folder, origin, measured, **{**config, **facts})


CARD = Card(
    what="""\
Says how likely a sentence should cite the paper that was found for it: a logistic regression over
what [citation-worthiness](../citation-worthiness/README.md) says of the sentence, what the ranker
of the library says of the paper, and why that was found
(`cite_lsp/recommend/missing/confidence.py`).""",
    data="""\
{drafts} real drafts that neither of the two was trained on: {data}.
Some sections of each lost their citations in turn; {sentences:,} of their sentences were likely
enough to need one, and {right:,} of them had cited one of the five papers found.""",
    recipe="`{file}`, seed {seed}.",
    form="`config.json`: a weight for each sign, and a bias.",
    licence="Apache-2.0. It holds {count} numbers.",
    measured="""\
Measured on documents that the weights were not fitted to (five parts by document). *recall* is the
share of the removed citations that the first paper brings back.""",
    below="{weights}",
    files=("config.json",),
)
