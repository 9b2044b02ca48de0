"""What the papers of a corpus cite, as precedents beside those that ship.

What is cited beside what the section cites, what papers on the draft's subject cite, how often and
how lately a paper is cited: all of it is known for the corpus's own papers where its sources say
whom they cite.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cite_lsp.recommend.precedents import Precedents
from cite_lsp.search.corpus_view import CorpusView
from cite_lsp.search.paper_columns import take
from cite_lsp.search.references import References
from cite_lsp.search.vectors import Rows

MOST_CITATIONS = 500_000
"""Citations that are looked at for every context; of a larger graph those of the newest papers."""
_LEAST = 2
"""References from which on a paper says what goes together."""


def with_own_references(precedents: Precedents, corpus: CorpusView) -> Precedents:
    """Return precedents together with what the papers of a corpus cite.

    Raises:
        SearchIndexError: the references of the corpus are damaged.
    """
    references = corpus.references
    if references is None or not len(references):
        return precedents
    rows = citing_rows(references, np.asarray(corpus.years))
    keys = np.asarray(corpus.columns.title_keys)
    documents, first = np.unique(keys[rows], return_index=True)
    rows = rows[first]  # of several records of a paper one is enough
    places, starts = take(np.asarray(references.starts), rows)
    cited = keys[np.asarray(references.cites)[places]]
    return precedents.extended(documents, np.asarray(corpus.years)[rows], starts, cited)


def citing_rows(references: References, years: NDArray[np.int32]) -> Rows:
    """Return the rows of the papers whose references are used: the newest, while there is room."""
    sizes = np.diff(references.starts)
    rows = np.flatnonzero(sizes >= _LEAST)
    rows = rows[np.argsort(-years[rows], kind="stable")]
    return rows[np.cumsum(sizes[rows]) <= MOST_CITATIONS]
