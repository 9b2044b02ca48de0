"""Flat arrays: kept in a folder, a file each, and holding lists of several lengths end to end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Kinds = Mapping[str, np.dtype[np.generic]]
"""The names of the arrays, and of what type each is."""


def open_arrays(folder: Path, kinds: Kinds) -> dict[str, NDArray[np.generic]]:
    """Open the arrays of a folder, memory-mapped.

    Raises:
        OSError, EOFError: a file is missing or empty.
        ValueError: it is cut off, or holds something else.
    """
    arrays = {}
    for name, dtype in kinds.items():
        mapped = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        arrays[name] = mapped.view(np.ndarray)  # slices of a `memmap` cost several times as much
        if arrays[name].dtype != dtype or arrays[name].ndim != 1:
            raise ValueError(f"{name} has the wrong type")
    return arrays


def save_arrays(folder: Path, kinds: Kinds, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Write the arrays that `kinds` names to a folder, which is made where it is missing.

    Raises:
        OSError: they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in kinds:
        np.save(folder / f"{name}.npy", np.asarray(arrays[name]))


def list_starts(sizes: Sequence[int] | NDArray[np.integer]) -> NDArray[np.int64]:
    """Return where lists of these sizes start when they stand end to end, and the end of the last.

    Shape (n,) to (n + 1,).
    """
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(np.asarray(sizes, dtype=np.int64), out=starts[1:])
    return starts
