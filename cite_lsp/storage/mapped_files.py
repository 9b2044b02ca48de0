"""Files mapped into memory, and giving back the pages of them that have been read.

What was read of a file stays in memory as long as nobody else needs it, and counts as that of this
process. Given back, it is read again when it is wanted: as a rule from the memory of the system,
which has kept it.
"""

from __future__ import annotations

import mmap
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_GIVE_BACK: int | None = getattr(mmap, "MADV_DONTNEED", None)  # Windows has no such advice


class _Mappings:
    """The mappings that are open. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: WeakSet[mmap.mmap] = WeakSet()

    def add(self, mapping: mmap.mmap) -> None:
        with self._lock:
            self._open.add(mapping)

    def give_back(self, advice: int) -> None:
        with self._lock:
            for mapping in self._open:
                mapping.madvise(advice)


_mappings = _Mappings()


def map_file(
    path: Path, dtype: np.dtype[Any], shape: tuple[int, ...] | None = None
) -> NDArray[Any]:
    """Map a file of nothing but numbers, to be read; without a shape it is one row.

    Raises:
        OSError, ValueError: it is missing, empty, or shorter than the shape.
    """
    # Imported where needed: a server starts without it.
    import numpy as np

    return registered(np.memmap(path, dtype, mode="r", shape=shape))


def registered(mapped: np.memmap[Any, Any]) -> NDArray[Any]:
    """Return an array that is mapped as a plain one whose pages `give_back_pages` gives back.

    Slices of a `memmap` cost several times as much.
    """
    import numpy as np

    if isinstance(mapped.base, mmap.mmap):
        _mappings.add(mapped.base)
    return mapped.view(np.ndarray)


def give_back_pages() -> None:
    """Give back what was read of all mapped files; takes milliseconds."""
    if _GIVE_BACK is not None:
        _mappings.give_back(_GIVE_BACK)
