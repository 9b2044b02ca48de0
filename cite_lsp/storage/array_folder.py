"""Flat arrays: one file each in a folder, and lists of several lengths stored end to end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cite_lsp.storage.mapped_files import registered

Kinds = Mapping[str, np.dtype[np.generic]]
"""The types of arrays, by their names."""


def open_arrays(folder: Path, kinds: Kinds) -> dict[str, NDArray[np.generic]]:
    """Open the arrays of a folder, memory-mapped.

    Raises:
        OSError, ValueError: as `open_array`.
    """
    return {name: open_array(folder / f"{name}.npy", dtype) for name, dtype in kinds.items()}


def open_array(path: Path, dtype: np.dtype[np.generic], axes: int = 1) -> NDArray[Any]:
    """Open an array of a type and of so many axes, memory-mapped.

    Raises:
        OSError: its file is missing or cannot be read.
        ValueError: it is empty, cut off, or holds something else; the message names the file.
    """
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError:
        raise
    except Exception as error:
        # A damaged header is read as half a line of Python: what its parts raise, NumPy raises.
        raise ValueError(f"{path.name} is no array: {error}") from error
    if not isinstance(mapped, np.memmap) or mapped.dtype != dtype or mapped.ndim != axes:
        raise ValueError(f"{path.name} holds something else")
    return registered(mapped)


def save_arrays(folder: Path, kinds: Kinds, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Write the arrays that `kinds` names to a folder, which is made where it is missing.

    Raises:
        OSError: they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in kinds:
        np.save(folder / f"{name}.npy", np.asarray(arrays[name]))


class StoredArrays:
    """What consists of flat arrays, to be saved in a folder; a subclass says which these are."""

    kinds: ClassVar[Kinds]
    """The types of the arrays, by their names."""
    lists: ClassVar[Mapping[str, str]] = {}
    """Arrays of where lists start, each with that in which they stand end to end."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Take the arrays."""
        self._arrays = arrays

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open what was saved, memory-mapped.

        Raises:
            OSError, ValueError: it is missing, cut off, or something else.
        """
        arrays = open_arrays(folder, cls.kinds)
        for starts, values in cls.lists.items():
            if arrays[starts][-1:].tolist() != [len(arrays[values])]:
                raise ValueError(f"{folder.name}/{values}.npy is cut off")
        return cls(arrays)

    def save(self, folder: Path) -> None:
        """Write the arrays to a folder.

        Raises:
            OSError: they cannot be written.
        """
        save_arrays(folder, self.kinds, self._arrays)


def list_starts(sizes: Sequence[int] | NDArray[np.integer]) -> NDArray[np.int64]:
    """Return where lists of these sizes start when they stand end to end, and the end of the last.

    Shape (n,) to (n + 1,).
    """
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(np.asarray(sizes, dtype=np.int64), out=starts[1:])
    return starts


def places_in(ascending: NDArray[np.generic], values: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return the place of each wanted value among ascending ones, -1 where it is not there."""
    if not len(ascending):
        return np.full(values.shape, -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    return np.where(ascending[places] == values, places, -1)


def flat_lists(
    name: str, lists: Sequence[Sequence[int] | NDArray[np.integer]], dtype: type[np.integer]
) -> dict[str, NDArray[np.generic]]:
    """Return lists of numbers as two arrays: `name`, end to end, and `name_starts`."""
    flat = [np.asarray(values, dtype=dtype) for values in lists]
    starts = list_starts([len(values) for values in flat])
    return {name: np.concatenate([np.zeros(0, dtype), *flat]), f"{name}_starts": starts}


def lists_of(arrays: Mapping[str, NDArray[Any]], name: str) -> tuple[NDArray[Any], ...]:
    """Return the lists that `flat_lists` has put into arrays under a name."""
    return tuple(np.split(arrays[name], arrays[f"{name}_starts"][1:-1]))
