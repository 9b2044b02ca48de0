"""What the papers of a corpus cite, as precedents beside those that ship.

What is cited beside what the section cites, what papers on the draft's subject cite, how often and
how lately a paper is cited: all of it is known for the corpus's own papers where its sources say
whom they cite.
"""

from __future__ import annotations

from threading import Lock

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.library.load.read import Stamp, stamp
from cite_lsp.recommend.evidence.cited_contexts import (
    PlacedContexts,
    contexts_file,
    placed_contexts,
)
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.search.corpus.paper_columns import take
from cite_lsp.search.corpus.references import References
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.index import Rows
from cite_lsp.storage.caches import ByObject

MOST_CITATIONS = 500_000
"""Citations that are looked at for every context; of a larger graph those of the newest papers."""
_LEAST = 2
"""References from which on a paper says what goes together."""


@frozen(eq=False)
class _Extended:
    """Precedents with what a corpus cites, and what they were put together of."""

    precedents: Precedents
    placed_by: str
    contexts: Stamp
    result: Precedents

    def is_of(self, precedents: Precedents, placed_by: str, contexts: Stamp) -> bool:
        same = self.precedents is precedents
        return same and (self.placed_by, self.contexts) == (placed_by, contexts)


_extended: ByObject[CorpusView, _Extended] = ByObject()
_lock = Lock()


def with_own_references(
    precedents: Precedents, corpus: CorpusView, placed_by: str = ""
) -> Precedents:
    """Return precedents together with what the papers of a corpus cite, and in which words.

    Words count where the query encoder with the fingerprint `placed_by` has placed them. Of an
    opened corpus this is found out once for all that ask, its own ranking and those of libraries.

    Raises:
        SearchIndexError: the references of the corpus are damaged.
    """
    references = corpus.references
    if references is None or not len(references):
        return precedents
    asked = precedents, placed_by, stamp(contexts_file(references))
    with _lock:
        kept = _extended.get(corpus)
        if kept is None or not kept.is_of(*asked):
            result = _put_together(precedents, corpus, references, placed_by)
            kept = _extended.keep(corpus, _Extended(*asked, result))
        return kept.result


def _put_together(
    precedents: Precedents, corpus: CorpusView, references: References, placed_by: str
) -> Precedents:
    contexts = placed_contexts(references, placed_by)
    quoting = contexts.citing if contexts is not None else np.zeros(0, dtype=np.int64)
    rows = citing_rows(references, np.asarray(corpus.years), quoting)
    keys = np.asarray(corpus.columns.title_keys)
    documents, first = np.unique(keys[rows], return_index=True)
    rows = rows[first]  # of several records of a paper one is enough
    places, starts = take(np.asarray(references.starts), rows)
    cited = keys[np.asarray(references.cites)[places]]
    extended = precedents.extended(documents, np.asarray(corpus.years)[rows], starts, cited)
    if contexts is None:
        return extended
    return _with_words(extended, len(precedents.documents), contexts, keys)


def _with_words(
    precedents: Precedents, first: int, contexts: PlacedContexts, keys: NDArray[np.uint64]
) -> Precedents:
    """Return precedents with the contexts of their documents from number `first` on.

    `keys` are the title keys of the rows; of the documents before, the contexts are there already.
    """
    own = precedents.documents[first:]  # ascending
    numbers = precedents.find(own, keys[contexts.citing])
    found, places = [], []
    for place in np.flatnonzero(numbers >= 0).tolist():
        cited = np.unique(keys[contexts.cited[place]])
        cited = cited[precedents.find(precedents.papers, cited) >= 0]
        near = contexts.near[place].tolist()
        if len(cited):
            found.append(CitingContext(first + int(numbers[place]), near, tuple(cited.tolist())))
            places.append(place)
    return precedents.with_contexts(found, contexts.placed[places])


def citing_rows(references: References, years: NDArray[np.int32], quoting: Rows) -> Rows:
    """Return the rows of the papers whose references are used: the newest, while there is room.

    `quoting` are papers of which it is known in which words they cite: one reference is enough.
    """
    sizes = np.diff(references.starts)
    told = sizes >= _LEAST
    told[quoting] = sizes[quoting] > 0
    rows = np.flatnonzero(told)
    rows = rows[np.argsort(-years[rows], kind="stable")]
    return rows[np.cumsum(sizes[rows]) <= MOST_CITATIONS]
