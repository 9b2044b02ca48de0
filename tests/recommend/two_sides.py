"""An encoder to which texts are of one side or of the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from attrs import frozen

from cite_lsp.encode import Vectors


@frozen
class TwoSides:
    """Texts of one side are alike, and unlike those of the other; `is_first` tells them apart."""

    is_first: Callable[[str], bool]
    name = fingerprint = checkpoint = "two sides"
    dimensions = 2

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> Vectors:
        first = [float(self.is_first(text)) for text in texts]
        return np.array([[side, 1 - side] for side in first], dtype=np.float32)
