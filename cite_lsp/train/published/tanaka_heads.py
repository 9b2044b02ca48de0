"""Recipes `tanaka-phase1 --head` and `tanaka-phase2 --head`: both phases as heads on one encoder.

What is learned from, the loss and the number of negatives are those of the recipes that train whole
encoders (Tanaka et al., sections 3.1 and 3.2). Here the encoder is held still and a linear map of
its vectors learns, one for each phase: the pool is embedded once for both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from attrs import frozen

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.model import Vectors
from cite_lsp.train.data.sampling import Example, context_examples, section_examples
from cite_lsp.train.encoders.encoder_run import RunResult
from cite_lsp.train.encoders.heads import (
    HeadSettings,
    Matrix,
    Measure,
    Triplets,
    fit,
    head_triplets,
)
from cite_lsp.train.encoders.triplet_run import NEGATIVES
from cite_lsp.train.run.progress import Steps


@frozen
class HeadData:
    """Contexts to learn from, and a pool with the base's unit vectors, (n, d).

    `row_of` gives the row of each paper by its id; positives and negatives are among `drawn_from`,
    ids in an order that is always the same.
    """

    contexts: Sequence[LabelledContext]
    row_of: Mapping[str, int]
    drawn_from: Sequence[str]
    papers: Vectors

    def with_anchors(
        self, examples: Sequence[Example], encode: Callable[[Sequence[str]], Vectors]
    ) -> tuple[Vectors, dict[str, int]]:
        """Return the vectors with those of the examples' anchors behind them, and all their rows.

        `encode` is the base: each text that is an anchor is embedded once.
        """
        texts = list(dict.fromkeys(example.anchor for example in examples))
        rows = {text: len(self.papers) + number for number, text in enumerate(texts)}
        vectors = np.concatenate([self.papers, encode(texts)]) if texts else self.papers
        return vectors, {**self.row_of, **rows}


def train_phase1(
    data: HeadData,
    encode: Callable[[Sequence[str]], Vectors],
    measure: Measure,
    settings: HeadSettings,
    *,
    negatives: int = NEGATIVES,
    progress: Steps = lambda done, total: None,
) -> tuple[Matrix, RunResult]:
    """Train the head that brings contexts near the papers that they cite; see `heads.fit`.

    `encode` is the base, for the contexts.

    Raises:
        TrainingError: there is nothing to learn from.
    """
    examples = context_examples(data.contexts, data.drawn_from, negatives, settings.seed)
    vectors, row_of = data.with_anchors(examples, encode)
    triplets = _triplets(examples, row_of, negatives)
    return fit(vectors, triplets, measure, settings, progress)


def train_phase2(
    data: HeadData,
    measure: Measure,
    settings: HeadSettings,
    *,
    negatives: int = NEGATIVES,
    progress: Steps = lambda done, total: None,
) -> tuple[Matrix, RunResult]:
    """Train the head that brings papers cited in one section near each other; see `heads.fit`.

    Raises:
        TrainingError: there is nothing to learn from.
    """
    examples = section_examples(data.contexts, data.drawn_from, negatives, settings.seed)
    triplets = _triplets(examples, data.row_of, negatives)
    return fit(data.papers, triplets, measure, settings, progress)


def _triplets(examples: Sequence[Example], row_of: Mapping[str, int], negatives: int) -> Triplets:
    alone = (one for example in examples for one in example.single())
    return head_triplets(alone, row_of, 1, negatives)
