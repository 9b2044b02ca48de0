"""The precedents that ship, beside the ranker of corpora that was trained on them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp.paths import shipped_model
from cite_lsp.recommend.evidence.precedent_arrays import papers_in
from cite_lsp.recommend.evidence.precedents import Precedents

MODEL = "corpus-ranker"
"""The folder of the model that the precedents belong to."""
_FILE = "precedents.safetensors.zst"


@cache
def _open_precedents(folder: Path) -> Precedents:
    return Precedents.open(folder / _FILE)


def shipped_precedents() -> Precedents:
    """Return the precedents that ship, loaded once.

    Raises:
        RankerError: they cannot be read.
    """
    return _open_precedents(shipped_model(MODEL))


@cache
def shipped_precedent_papers() -> NDArray[np.uint64]:
    """Return the title keys of the papers in the precedents that ship, ascending, shape (m,).

    They are a small part of the file, and read without the rest.

    Raises:
        RankerError: they cannot be read.
    """
    return papers_in(shipped_model(MODEL) / _FILE)
