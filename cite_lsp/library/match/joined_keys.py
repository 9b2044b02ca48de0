"""The keys of many entries as one text, in which a part of any is found at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class JoinedKeys:
    """Keys, one after the other, and where each ends."""

    def __init__(self, keys: Sequence[str]) -> None:
        # Imported where needed: a server starts without it.
        import numpy as np

        self._text = "\n".join(keys)
        self._ends = np.cumsum([len(key) + 1 for key in keys])

    def rows_with(self, part: str) -> NDArray[np.bool_]:
        """Return which rows have a key with a part, which holds no blank."""
        import numpy as np

        mask = np.zeros(len(self._ends), dtype=bool)
        between = np.array([len(text) for text in self._text.split(part)[:-1]], dtype=np.int64)
        places = np.cumsum(between + len(part)) - 1
        mask[np.searchsorted(self._ends, places, side="right")] = True
        return mask
