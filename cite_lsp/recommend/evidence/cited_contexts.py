"""The contexts in which papers of a corpus cite each other, encoded by the query encoder.

Sources with the contexts of citations (Semantic Scholar) give the same precedents as full texts.
The contexts are encoded when the corpus is built, and stored beside its references; without them
only who cites whom is known.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import nlargest
from itertools import islice
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Encoder, Vectors, unit
from cite_lsp.manuscript import Context
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.corpus_references import References
from cite_lsp.search.corpus.version_files import index_again
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.indexing.checksums import add_checksum
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.search.vectors.vector_index import Rows, SearchIndexError
from cite_lsp.search.words.hashes import WordHashes, text_hashes
from cite_lsp.storage.array_folder import flat_lists, lists_of
from cite_lsp.storage.atomic_write import replacing

MOST_CONTEXTS = 20_000
"""Contexts that are encoded, those of the newest citing papers: some minutes of one core while a
corpus is built, and 30 MB of memory where it is used."""
_MOST_READ = 1_000_000
"""Contexts from which those are chosen: a minute of reading."""
FILE = "placed.safetensors"
_AT_ONCE = 256


@frozen(eq=False)
class EncodedContexts:
    """k contexts of a corpus.

    citing: rows of the citing papers, (k,). cited: rows of the papers cited in each. near: hashes
    of the words of each near window. vectors: those of the query encoder, (k, d).
    """

    citing: Rows
    cited: tuple[NDArray[np.int32], ...]
    near: tuple[WordHashes, ...]
    vectors: Vectors


def encode_contexts(
    corpus: CorpusView,
    query_encoder: Encoder,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Encode the contexts of a corpus, store them beside its references; return how many.

    Raises:
        OSError, ValueError: nothing can be written beside the references.
        SearchIndexError: the references are damaged.
    """
    references = corpus.references
    if references is None:
        return 0
    contexts_read = islice(references.contexts(), _MOST_READ)
    chosen = nlargest(MOST_CONTEXTS, contexts_read, key=lambda item: int(corpus.years[item[0]]))
    if not chosen:
        return 0
    contexts = [
        Context(cited.words.left, cited.words.right, title=corpus.title(row))
        for row, _, cited in chosen
    ]
    vectors = []
    for start in range(0, len(contexts), _AT_ONCE):
        part = contexts[start : start + _AT_ONCE]
        vectors.append(query_encoder.encode([query_text(context) for context in part]))
        if progress:
            progress(start + len(part), len(contexts))
    path = encoded_contexts_file(references)
    _save(
        path,
        {
            "citing": np.array([row for row, _, _ in chosen], dtype=np.int32),
            **flat_lists("cited", [cited for _, cited, _ in chosen], np.int32),
            **flat_lists(
                "near", [text_hashes(read_query(context).near) for context in contexts], np.uint64
            ),
            "placed": encoded(np.concatenate(vectors), "i8"),
        },
        query_encoder.fingerprint,
    )
    add_checksum(references.folder.parent, path)
    return len(chosen)


def encoded_contexts_file(references: References) -> Path:
    """Return the file of the encoded contexts of references; it may be missing."""
    return references.folder / FILE


def encoded_contexts(references: References, encoder_fingerprint: str) -> EncodedContexts | None:
    """Return the contexts that a query encoder encoded, by its fingerprint; None if there are none.

    Raises:
        SearchIndexError: the file is damaged.
    """
    # Imported where needed: a server starts without it.
    from safetensors import SafetensorError, safe_open

    path = encoded_contexts_file(references)
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            if (file.metadata() or {}).get("placed_by") != encoder_fingerprint:
                return None
            arrays = {name: file.get_tensor(name) for name in file.keys()}
        return EncodedContexts(
            arrays["citing"].astype(np.int64),
            lists_of(arrays, "cited"),
            lists_of(arrays, "near"),
            unit(arrays["placed"]),
        )
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise SearchIndexError(
            f"{path}: the contexts of citations cannot be read ({error}); "
            f"{index_again(path.parents[2])}"
        ) from error


def _save(path: Path, arrays: dict[str, NDArray[np.generic]], encoder_fingerprint: str) -> None:
    """Write the file whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    from safetensors.numpy import save

    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    with replacing(path) as scratch:  # `save_file` would make one that only its user may read
        scratch.write_bytes(save(whole, metadata={"placed_by": encoder_fingerprint}))
