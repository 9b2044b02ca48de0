"""The graph of neighbours (HNSW) that USearch makes: how it is made, opened and saved.

USearch is imported where a graph is used: a library is ranked without one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cite_lsp.storage.mapped_files import map_file

if TYPE_CHECKING:
    from usearch.index import Index

_CONNECTIVITY = 16
_EXPANSION_BUILD = 64
_EXPANSION_SEARCH = 384
_TERMINATED = "Operation has been terminated"
"""What USearch raises as a `RuntimeError` in the place of the `KeyboardInterrupt` that it met."""
_IN_CODE_PAGE = os.name == "nt"
"""Whether USearch opens files by names in the code page of the system, not in UTF-8."""


def new_graph(dimensions: int) -> Index:
    """Return an empty graph for vectors of so many numbers in eight bits."""
    # Imported where needed: a library is ranked without it.
    from usearch.index import Index

    return Index(
        ndim=dimensions,
        metric="cos",
        dtype="i8",
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION_BUILD,
        expansion_search=_EXPANSION_SEARCH,
    )


def _opens(path: Path) -> bool:
    """Whether USearch can open a file: not on Windows where its path has letters beyond ASCII.

    See https://github.com/unum-cloud/USearch/issues/745.
    """
    return not _IN_CODE_PAGE or str(path).isascii()


def restore_graph(path: Path, *, view: bool) -> Index:
    """Return the graph in a file: memory-mapped with `view`, else read so that it can grow.

    Of one that is mapped no vector can be asked for by row, so that opening it needs no walk
    through all of it.

    Raises:
        OSError, ValueError, RuntimeError: the file is not a graph, or is cut off.
    """
    from usearch.index import Index

    source = map_file(path, np.dtype(np.uint8)).data if view or not _opens(path) else str(path)
    graph = Index.restore(
        source,
        view=view,
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION_BUILD,
        expansion_search=_EXPANSION_SEARCH,
        enable_key_lookups=not view,
    )
    if graph is None:
        raise ValueError("no graph in it")
    if view:
        graph.source = source  # type: ignore[attr-defined] # which has to stay
    return graph


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C be what it is while USearch adds or searches vectors.

    Raises:
        KeyboardInterrupt: USearch met a signal, which it reports as an error of its own.
    """
    try:
        yield
    except RuntimeError as error:
        if str(error) != _TERMINATED:
            raise
        raise KeyboardInterrupt from error


def save_graph(graph: Index, path: Path) -> None:
    """Write a graph to a file, and open it to see whether the disk was full.

    Raises:
        OSError, ValueError, RuntimeError: it could not be written whole.
    """
    if _opens(path):
        graph.save(str(path))
    else:
        path.write_bytes(graph.save() or b"")
    restore_graph(path, view=True)
