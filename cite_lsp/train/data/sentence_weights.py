"""What sentences weigh that models learn from: some come from where more of them cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

CITING_SHARE = 0.1
"""Share of the sentences of documents known in part that are made to cite, by weight: only the
windows around markers are known of them, which hold far more citing sentences than theses do."""


class Citing(Protocol):
    """A sentence, its language, whether it cited, and whether all of its document is known."""

    @property
    def language(self) -> str:
        """The language's code."""

    @property
    def cited(self) -> bool:
        """Whether it cited."""

    @property
    def whole(self) -> bool:
        """Whether all sentences of its document are known."""


def sentence_weights(sentences: Sequence[Citing]) -> NDArray[np.float64]:
    """Return the weight of each sentence, (n,): 1, and less for some that cite.

    Of the weight of all sentences of documents known in part, in one language, `CITING_SHARE` lies
    on those that cite, at most.
    """
    cited = np.array([sentence.cited for sentence in sentences], dtype=bool)
    weights = np.ones(len(sentences))
    for language in {sentence.language for sentence in sentences}:
        partly = np.array(
            [sentence.language == language and not sentence.whole for sentence in sentences]
        )
        citing, silent = int((partly & cited).sum()), int((partly & ~cited).sum())
        if citing and silent:
            weights[partly & cited] = min(CITING_SHARE / (1 - CITING_SHARE) * silent / citing, 1.0)
    return weights
