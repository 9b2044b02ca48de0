"""A folder of one-dimensional arrays, a file each: the form that indexes are memory-mapped from."""

from __future__ import annotations

from collections.abc import Mapping
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
        arrays[name] = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
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
