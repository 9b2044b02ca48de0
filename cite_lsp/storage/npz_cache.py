"""Arrays in the user's cache folder, under a digest of what they were made from.

A file is named by the digest of its source, so a stale one is never read; one that is damaged,
or of another version, is removed and made again. Nothing here raises: a cache is never worth an
error.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp import paths
from cite_lsp.storage.atomic_write import discard, for_user_alone, replacing
from cite_lsp.storage.eviction import remove_oldest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.generic]]

log = logging.getLogger(__name__)

_FORMAT = "1"
_MOST_FILES = 40


def has_arrays(kind: str, digest: str) -> bool:
    """Whether there are arrays of a digest, damaged or not."""
    return os.path.isfile(_path(kind, digest))


def load_arrays(kind: str, digest: str) -> dict[str, NDArray[np.generic]] | None:
    """Return the arrays of a digest, or None."""
    path = _path(kind, digest)
    try:
        arrays = read_arrays(path)
    except FileNotFoundError:
        return None
    except ValueError as error:
        log.warning("%s: damaged, it is made again (%s)", path, error)
        drop_arrays(kind, digest)
        return None
    with suppress(OSError):  # a folder that may only be read
        os.utime(path)  # the least recently used files go first
    return arrays


def read_arrays(path: Path) -> dict[str, NDArray[np.generic]]:
    """Return the arrays in a file of NumPy's.

    Raises:
        FileNotFoundError: it is not there.
        ValueError: it cannot be read; the message is the reason.
    """
    # Imported where needed: a server starts without numpy.
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise
    except Exception as error:
        # Damage may read as a password, as a compression of later days or as half a line of Python:
        # what its parts raise, NumPy raises.
        raise ValueError(str(error)) from error


def drop_arrays(kind: str, digest: str) -> None:
    """Remove arrays that turned out to be wrong."""
    with suppress(OSError):
        discard(_path(kind, digest))


def keep_arrays(kind: str, digest: str, arrays: Arrays) -> None:
    """Store arrays under a digest, whole or not at all."""
    path = _path(kind, digest)
    try:
        write_arrays(path, arrays)
        remove_oldest(path.parent, ".npz", _MOST_FILES)
    except OSError as error:
        log.warning("%s: cannot be kept (%s)", path, error)


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Put arrays into a file of NumPy's in one step; its folder is made where it is missing.

    Raises:
        OSError: it cannot be written.
    """
    import numpy as np

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.is_dir():
        discard(path)
    with replacing(path) as scratch, open(scratch, "wb", opener=for_user_alone) as file:
        np.savez(file, allow_pickle=False, **arrays)


def text_array(texts: Iterable[str]) -> NDArray[np.generic]:
    """Return texts, none of which holds a NUL, as one array of bytes."""
    import numpy as np

    joined = "\0".join(texts).encode("utf-8", "surrogatepass")
    return np.frombuffer(joined, dtype=np.uint8)


def texts_of(array: NDArray[np.generic]) -> list[str]:
    """Return the texts of `text_array`."""
    return array.tobytes().decode("utf-8", "surrogatepass").split("\0")


def _path(kind: str, digest: str) -> Path:
    return paths.cache_folder() / "libraries" / f"{kind}-{_FORMAT}-{digest}.npz"
