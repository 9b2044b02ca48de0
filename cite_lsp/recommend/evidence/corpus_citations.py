"""The citations of a corpus, as precedents beside those that ship.

If the sources of a corpus give references, co-citation with what the section cites, what papers on
the draft's subject cite, and how often and how recently a paper is cited are known for its papers.
Sources with the contexts of citations (Semantic Scholar) give the same precedents as full texts:
the contexts are encoded by the query encoder when the corpus is built, and stored beside its
references.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import nlargest
from itertools import islice
from pathlib import Path
from threading import Lock

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Encoder, Vectors, unit
from cite_lsp.manuscript import Context
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.corpus_references import References
from cite_lsp.search.corpus.paper_columns import take
from cite_lsp.search.corpus.version_files import index_again
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.indexing.checksums import add_checksum
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.search.vectors.vector_index import Rows, SearchIndexError
from cite_lsp.search.words.hashes import WordHashes, text_hashes
from cite_lsp.storage.array_folder import flat_lists, lists_of, places_in
from cite_lsp.storage.atomic_write import replacing
from cite_lsp.storage.caches import ByObject
from cite_lsp.storage.stamps import Stamp, stamp

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
    newest_contexts = nlargest(
        MOST_CONTEXTS, contexts_read, key=lambda item: int(corpus.years[item[0]])
    )
    if not newest_contexts:
        return 0
    contexts = [
        Context(cited.words.left, cited.words.right, title=corpus.title(row))
        for row, _, cited in newest_contexts
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
            "citing": np.array([row for row, _, _ in newest_contexts], dtype=np.int32),
            **flat_lists("cited", [cited for _, cited, _ in newest_contexts], np.int32),
            **flat_lists(
                "near", [text_hashes(read_query(context).near) for context in contexts], np.uint64
            ),
            "placed": encoded(np.concatenate(vectors), "i8"),
        },
        query_encoder.fingerprint,
    )
    add_checksum(references.folder.parent, path)
    return len(newest_contexts)


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


MOST_CITATIONS = 500_000
"""Citations that are used for every context; of a larger graph those of the newest papers."""
_FEWEST_REFERENCES = 2
"""References from which on a paper counts for co-citation."""


@frozen(eq=False)
class _Extended:
    """Precedents with the citations of a corpus, and what they were computed from."""

    precedents: Precedents
    encoder_fingerprint: str
    contexts: Stamp
    result: Precedents

    def is_of(self, precedents: Precedents, encoder_fingerprint: str, contexts: Stamp) -> bool:
        same = self.precedents is precedents
        return same and (self.encoder_fingerprint, self.contexts) == (encoder_fingerprint, contexts)


_extended: ByObject[CorpusView, _Extended] = ByObject()
_lock = Lock()


def with_own_references(
    precedents: Precedents, corpus: CorpusView, encoder_fingerprint: str = ""
) -> Precedents:
    """Return precedents together with the citations of a corpus, and their contexts.

    Contexts count if the query encoder with this fingerprint encoded them. The result is computed
    once for an opened corpus, for its own ranking and those of libraries.

    Raises:
        SearchIndexError: the references of the corpus are damaged.
    """
    references = corpus.references
    if references is None or not len(references):
        return precedents
    state = precedents, encoder_fingerprint, stamp(encoded_contexts_file(references))
    with _lock:
        cached = _extended.get(corpus)
        if cached is None or not cached.is_of(*state):
            result = _extend(precedents, corpus, references, encoder_fingerprint)
            cached = _extended.keep(corpus, _Extended(*state, result))
        return cached.result


def _extend(
    precedents: Precedents, corpus: CorpusView, references: References, encoder_fingerprint: str
) -> Precedents:
    contexts = encoded_contexts(references, encoder_fingerprint)
    quoting = contexts.citing if contexts is not None else np.zeros(0, dtype=np.int64)
    rows = citing_rows(references, np.asarray(corpus.years), quoting)
    keys = np.asarray(corpus.columns.title_keys)
    documents, first = np.unique(keys[rows], return_index=True)
    rows = rows[first]  # one of several records of a paper
    places, starts = take(np.asarray(references.starts), rows)
    cited = keys[np.asarray(references.cites)[places]]
    extended = precedents.extended(documents, np.asarray(corpus.years)[rows], starts, cited)
    if contexts is None:
        return extended
    return _with_words(extended, len(precedents.documents), contexts, keys)


def _with_words(
    precedents: Precedents, first: int, contexts: EncodedContexts, keys: NDArray[np.uint64]
) -> Precedents:
    """Return precedents with the contexts of their documents from number `first` on.

    `keys` are the title keys of the rows; the contexts of earlier documents are there already.
    """
    own_documents = precedents.documents[first:]  # ascending
    numbers = places_in(own_documents, keys[contexts.citing])
    citing_contexts, places = [], []
    for place in np.flatnonzero(numbers >= 0).tolist():
        cited = np.unique(keys[contexts.cited[place]])
        cited = cited[places_in(precedents.papers, cited) >= 0]
        near = contexts.near[place].tolist()
        if len(cited):
            citing_contexts.append(
                CitingContext(first + int(numbers[place]), near, tuple(cited.tolist()))
            )
            places.append(place)
    return precedents.with_contexts(citing_contexts, contexts.vectors[places])


def citing_rows(references: References, years: NDArray[np.int32], quoting: Rows) -> Rows:
    """Return the rows of the papers whose references are used: the newest, up to the limit.

    `quoting` are papers with contexts: for them one reference is enough.
    """
    sizes = np.diff(references.starts)
    usable = sizes >= _FEWEST_REFERENCES
    usable[quoting] = sizes[quoting] > 0
    rows = np.flatnonzero(usable)
    rows = rows[np.argsort(-years[rows], kind="stable")]
    return rows[np.cumsum(sizes[rows]) <= MOST_CITATIONS]
