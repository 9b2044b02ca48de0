"""Recipe `missing-citations`: should this sentence cite the paper found for it?

A logistic regression over the signs of `recommend/missing/confidence.py`, fitted to sentences of
drafts whose sections were emptied (`train/data/rebuilt_drafts.py` lays such drafts out) and the
papers found for them: the answer is whether the sentence had cited the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from cite_lsp.recommend.missing.confidence import MODEL, SIGNS, Confidence, Signs
from cite_lsp.train.data.sentence_weights import sentence_weights
from cite_lsp.train.run.config import write_config
from cite_lsp.train.run.errors import TrainingError, require

REGULARISATION = 1.0


@frozen
class AskedSentence:
    """A sentence for which papers were found.

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


def fit(sentences: Sequence[AskedSentence]) -> Confidence:
    """Fit the weights.

    Raises:
        TrainingError: a package is missing, or no paper found was ever right, or none wrong.
    """
    require("sklearn")
    from sklearn.linear_model import LogisticRegression

    right = np.array([right for one in sentences for right in one.right], dtype=bool)
    if not right.any() or right.all():
        raise TrainingError(
            "among the sentences of these drafts there are not both right and wrong papers; give "
            "contexts and sentences of the same documents"
        )
    signs = np.array([signs for one in sentences for signs in one.signs], dtype=np.float64)
    papers = [len(one.signs) for one in sentences]
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


def out_of_draft(sentences: Sequence[AskedSentence], folds: int = 5) -> list[tuple[float, ...]]:
    """Return for each sentence how sure each paper is, by weights fitted to other drafts.

    Raises:
        TrainingError: see `fit`; or there are too few drafts.
    """
    names = sorted({one.draft for one in sentences})
    if len(names) < folds:
        raise TrainingError(f"only {len(names)} drafts could be laid out; give more contexts")
    fold_of = {name: number % folds for number, name in enumerate(names)}
    found: list[tuple[float, ...]] = [()] * len(sentences)
    for fold in range(folds):
        learned = fit([one for one in sentences if fold_of[one.draft] != fold])
        for place, one in enumerate(sentences):
            if fold_of[one.draft] == fold:
                found[place] = tuple(map(learned, one.signs))
    return found


def write(
    folder: Path, confidence: Confidence, sentences: Sequence[AskedSentence], seed: int
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
        "drafts": len({one.draft for one in sentences}),
        "sentences": len(sentences),
        "right": sum(any(one.right) for one in sentences),
    }
    write_config(folder, config)
    return config
