"""The files of a version of a corpus: their names, and its papers and vectors opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp.corpus.stored_papers import StoredPapers
from cite_lsp.storage.array_folder import open_array
from cite_lsp.storage.mapped_files import map_file

MANIFEST = "manifest.json"
"""The description of the corpus."""
EMBEDDINGS = "embeddings"
"""The store whose rows are those of the papers."""
NUMBERS = "numbers"
"""The folder of the DOIs and arXiv numbers."""
CHECKSUMS = "checksums.json"
"""The checksums of all other files."""


def index_again(folder: Path, sources: bool = True) -> str:
    """Return what to do about a damaged corpus; `sources`: whether it still names its own."""
    names = "" if sources else "SOURCE... "
    return f"index its sources again: `cite-lsp index {names}--corpus {folder.name}`"


def open_papers(version: Path) -> StoredPapers:
    """Open the papers of a version.

    Raises:
        OSError, ValueError: they are missing, empty or cut off; the message names the file.
    """
    starts = open_array(version / "starts.npy", np.dtype(np.int64))
    return StoredPapers(version / "papers.jsonl", starts)


def open_vectors(version: Path, count: int, width: int) -> NDArray[np.int8]:
    """Open the vectors of a version's papers, memory-mapped, shape (count, width).

    Raises:
        OSError, ValueError: they are missing or not as many.
    """
    path = (version / EMBEDDINGS).with_suffix(".i8")
    if path.stat().st_size != count * width:
        raise ValueError(f"{path.name} is cut off")
    return map_file(path, np.dtype(np.int8), (count, width))
