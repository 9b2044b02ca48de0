"""The ranker of libraries that ships: boosted trees over the features of `features.py`."""

from __future__ import annotations

from functools import cache

from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.ranker import Ranker
from cite_lsp.recommend.library.features import FEATURES


@cache
def library_ranker() -> Ranker:
    """Return the ranker of libraries that ships, loaded once.

    Raises:
        RankerError: it is missing or damaged.
    """
    return Ranker(shipped_model("library-ranker"), FEATURES, recipe="library-ranker")
