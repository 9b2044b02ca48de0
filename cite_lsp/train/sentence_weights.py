"""What sentences weigh that models learn from: Chinese ones come from where more of them cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

CHINESE_SHARE = 0.1
"""Share of Chinese sentences that are made to cite, by weight: only the windows around markers are
known of them, and these hold far more citing sentences than theses do."""


class Citing(Protocol):
    """A sentence, its language, and whether it cited."""

    @property
    def language(self) -> str:
        """The language's code."""
        ...

    @property
    def cited(self) -> bool:
        """Whether it cited."""
        ...


def sentence_weights(sentences: Sequence[Citing]) -> NDArray[np.float64]:
    """Return the weight of each sentence, (n,): 1, and less for Chinese ones that cite.

    Of the weight of all Chinese sentences, `CHINESE_SHARE` lies on those that cite, at most.
    """
    chinese = np.array([one.language == "zh" for one in sentences], dtype=bool)
    cited = np.array([one.cited for one in sentences], dtype=bool)
    weights = np.ones(len(sentences))
    citing, silent = int((chinese & cited).sum()), int((chinese & ~cited).sum())
    if citing and silent:
        weights[chinese & cited] = min(CHINESE_SHARE / (1 - CHINESE_SHARE) * silent / citing, 1.0)
    return weights
