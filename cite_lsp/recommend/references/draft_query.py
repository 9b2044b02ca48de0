"""A draft as it is compared with papers: words, vectors, names, and what it cites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Cancel, Encoder, Vectors
from cite_lsp.paper import fold, surname
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_text import DraftText
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import Hashes, word_hashes
from cite_lsp.search.words.query_words import Words, query_words
from cite_lsp.storage.array_folder import places_in

_PASSAGE_TERMS = 40
"""Different words of a passage that are searched for: the most frequent."""


@frozen(eq=False)
class DraftQuery:
    """A draft as it is compared with a source: words, vectors (None without an encoder), citations.

    vectors: of the summary first, then of each passage, shape (1 + p, d). cited: rows that the
    draft cites. known: 1 for each document of the graph that counts, shape (n,). authors, names:
    hashes of the surnames of the draft's authors, and of the names in its text.
    """

    text: DraftText
    summary: Words
    passages: tuple[Words, ...]
    vectors: Vectors | None
    cited: Rows
    known: Column
    authors: Hashes
    names: Hashes


def query_of(
    text: DraftText,
    encoder: Encoder | None,
    cited: Sequence[int] = (),
    graph: CitationGraph | None = None,
    *,
    own: int = -1,
    cancelled: Cancel | None = None,
) -> DraftQuery:
    """Return a draft as a query; documents newer than it, and itself (row `own`), are not known.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    vectors = None
    if encoder is not None:
        texts = [text.summary, *(f"{part.section}. {part.text}" for part in text.passages)]
        vectors = encoder.encode(texts, cancelled=cancelled)
    known = np.zeros(0, dtype=np.float32)
    if graph is not None:
        known = np.ones(len(graph.documents), dtype=np.float32)
        if text.year:
            known[graph.years > text.year] = 0.0
        if own >= 0:
            known[graph.documents == own] = 0.0
    return DraftQuery(
        text,
        query_words(f"{text.title}. {text.abstract}"),
        tuple(frequent(query_words(f"{part.section}. {part.text}")) for part in text.passages),
        vectors,
        np.unique(np.asarray(cited, dtype=np.int64)),
        known,
        word_hashes(fold(surname(author)) for author in text.authors),
        word_hashes(text.names),
    )


def frequent(words: Words) -> Words:
    """Return the words of a text that count most in it."""
    return dict(Counter(words).most_common(_PASSAGE_TERMS))


def rarities(names: NDArray[np.generic], wanted: Hashes) -> Column:
    """Return for each name how rare it is among all of them, 0 to 1; 0 for one not wanted."""
    place = places_in(wanted, names)
    counts = np.bincount(place[place >= 0], minlength=len(wanted))
    rare = np.log1p(len(names) / np.maximum(counts, 1)) / np.log1p(max(len(names), 1))
    return np.append(rare, 0.0)[place].astype(np.float32)
