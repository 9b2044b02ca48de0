"""The citations of a corpus, as precedents beside those that ship.

If the sources of a corpus give references, co-citation with what the section cites, what papers on
the draft's subject cite, and how often and how recently a paper is cited are known for its papers.
"""

from __future__ import annotations

from threading import Lock

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.recommend.evidence.cited_contexts import (
    EncodedContexts,
    encoded_contexts,
    encoded_contexts_file,
)
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.search.corpus.corpus_references import References
from cite_lsp.search.corpus.paper_columns import take
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.storage.array_folder import places_in
from cite_lsp.storage.caches import ByObject
from cite_lsp.storage.stamps import Stamp, stamp

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
