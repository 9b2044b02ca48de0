"""The contexts in which a corpus's papers cite each other, placed among them by the query encoder.

Sources that say in which words papers are cited (the citations of Semantic Scholar) teach what full
texts would: in whatever words this was said, they cited that. Contexts are placed when the corpus
is built, and kept beside its references; without them only who cites whom counts.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import nlargest
from itertools import islice
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Encoder, Vectors, unit
from cite_lsp.manuscript import Context
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.references import References
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.index import Rows, SearchIndexError
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.search.words.hashes import WordHashes, text_hashes
from cite_lsp.storage.array_folder import flat_lists, lists_of
from cite_lsp.storage.atomic_write import replacing

MOST_CONTEXTS = 20_000
"""Contexts that are placed, those of the newest citing papers: some minutes of one core while a
corpus is built, and 30 MB of memory where it is used."""
_LOOKED_AT = 1_000_000
"""Contexts among which those are looked for: a minute of reading."""
FILE = "placed.safetensors"
_AT_ONCE = 256


@frozen(eq=False)
class PlacedContexts:
    """k contexts of a corpus.

    citing: rows of the citing papers, (k,). cited: rows of those cited at each. near: hashes of the
    words of each near window. placed: where the query encoder puts each, (k, d).
    """

    citing: Rows
    cited: tuple[NDArray[np.int32], ...]
    near: tuple[WordHashes, ...]
    placed: Vectors


def place_contexts(
    corpus: CorpusView,
    query_encoder: Encoder,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Place the contexts of a corpus and keep them beside its references; return how many.

    Raises:
        OSError: nothing can be written beside the references.
        SearchIndexError: the references are damaged.
    """
    references = corpus.references
    if references is None:
        return 0
    seen = islice(references.contexts(), _LOOKED_AT)
    chosen = nlargest(MOST_CONTEXTS, seen, key=lambda one: int(corpus.years[one[0]]))
    if not chosen:
        return 0
    asked = [
        Context(one.words.left, one.words.right, title=corpus.title(row)) for row, _, one in chosen
    ]
    rows = []
    for start in range(0, len(asked), _AT_ONCE):
        part = asked[start : start + _AT_ONCE]
        rows.append(query_encoder.encode([query_text(one) for one in part]))
        if progress:
            progress(start + len(part), len(asked))
    _save(
        contexts_file(references),
        {
            "citing": np.array([row for row, _, _ in chosen], dtype=np.int32),
            **flat_lists("cited", [cited for _, cited, _ in chosen], np.int32),
            **flat_lists("near", [text_hashes(read_query(one).near) for one in asked], np.uint64),
            "placed": encoded(np.concatenate(rows), "i8"),
        },
        query_encoder.fingerprint,
    )
    return len(chosen)


def contexts_file(references: References) -> Path:
    """Return where the contexts of references are kept once they are placed."""
    return references.folder / FILE


def placed_contexts(references: References, placed_by: str) -> PlacedContexts | None:
    """Return the contexts that the query encoder of a fingerprint placed; None without any.

    Raises:
        SearchIndexError: they are damaged.
    """
    from safetensors import SafetensorError, safe_open

    path = contexts_file(references)
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            if (file.metadata() or {}).get("placed_by") != placed_by:
                return None
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return PlacedContexts(
            arrays["citing"].astype(np.int64),
            lists_of(arrays, "cited"),
            lists_of(arrays, "near"),
            unit(arrays["placed"]),
        )
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise SearchIndexError(
            f"{path}: the contexts of citations cannot be read ({error}); index the sources again"
        ) from error


def _save(path: Path, arrays: dict[str, NDArray[np.generic]], placed_by: str) -> None:
    """Write the file whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    from safetensors.numpy import save_file

    with replacing(path) as scratch:
        save_file(
            {name: np.ascontiguousarray(array) for name, array in arrays.items()},
            scratch,
            metadata={"placed_by": placed_by},
        )
