"""What a draft says as a whole, as plain text; and as it is compared with papers: as queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Context, Document, Manuscript
from cite_lsp.manuscript.lint.exempt_titles import is_exempt_title
from cite_lsp.paper import fold, surname
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.references.authors import authors_of
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import Hashes, word_hashes
from cite_lsp.search.words.query_words import Words, query_words
from cite_lsp.storage.array_folder import places_in

PASSAGE_WORDS = 150
"""Words of a passage: about what an encoder reads of a text at once."""
MOST_PASSAGES = 24
"""Passages of a long draft that are compared with papers, spread evenly over it."""
_FEWEST_WORDS = 12
"""Words from which on a passage says anything."""
_MOST_NAMES = 5000
_CAPITALISED = lazy_re(r"\b[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’-]*[a-zß-ÿ][\w'’-]*")
"""A word that may be a surname."""
_POSSESSIVE = lazy_re(r"['’]s?\Z")


@frozen
class SectionPassage:
    """A piece of a section: the section's title, and up to `PASSAGE_WORDS` words of its text."""

    section: str
    text: str


@frozen
class DraftText:
    """A draft as a query: title, abstract, passages; its year and language. Any may be empty.

    authors: who writes it. names: the folded words of its text that may be surnames.
    """

    title: str
    abstract: str = ""
    passages: tuple[SectionPassage, ...] = ()
    year: int | None = None
    language: str = "en"
    authors: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()

    @property
    def summary(self) -> str:
        """Title and abstract, as an encoder reads those of papers."""
        return f"{self.title}. {self.abstract}" if self.title and self.abstract else self.head

    @property
    def head(self) -> str:
        """The title, or the abstract where there is none."""
        return self.title or self.abstract


def text_of_draft(draft: Draft) -> DraftText:
    """Return what all files of a draft say; without title and abstract its first passage heads."""
    return text_of_document(draft.document, draft.manuscript.language)


def text_of_document(document: Document, language: str) -> DraftText:
    """Return what the files of a draft in a language say; see `text_of_draft`."""
    abstract = next((file.abstract for file in document.files if file.abstract), "")
    parts = [part for file in document.files for part in _parts(file)]
    # A draft that is just begun has nothing but short sections.
    passages = tuple(filter(_says_something, parts)) or tuple(parts)
    spread = _spread(passages, MOST_PASSAGES)
    first = spread[0].text if spread else ""
    return DraftText(
        title=document.title or ("" if abstract else first),
        abstract=abstract or (first if document.title else ""),
        passages=spread,
        language=language,
        authors=authors_of(document.files),
        names=_names(passage.text for passage in passages),
    )


def text_of_context(context: Context, authors: tuple[str, ...]) -> DraftText:
    """Return what title and abstract of a context say: a draft of which little else is known."""
    return DraftText(
        context.title, context.abstract, (), context.year, context.language, authors=authors
    )


def _names(texts: Iterable[str]) -> frozenset[str]:
    """Return the words, folded, that texts write with a capital letter and never without."""
    capitalised: set[str] = set()
    plain: set[str] = set()
    for text in texts:
        words = {_POSSESSIVE.sub("", word) for word in _CAPITALISED.findall(text)}
        capitalised.update(fold(word) for word in words)
        plain.update(word for word in text.split() if word.islower())
    return frozenset(sorted(capitalised - plain)[:_MOST_NAMES])


def _says_something(passage: SectionPassage) -> bool:
    words = passage.text.split()
    return len(words) >= _FEWEST_WORDS or len("".join(words)) >= PASSAGE_WORDS


def _parts(file: Manuscript) -> Iterator[SectionPassage]:
    """Yield what the sections of a file say, in parts of `PASSAGE_WORDS`."""
    for section in file.sections:
        if is_exempt_title(section.title):
            continue
        words = file.prose(section.body, section.end).split()
        for start in range(0, len(words), PASSAGE_WORDS):
            yield SectionPassage(section.title, " ".join(words[start : start + PASSAGE_WORDS]))


def _spread(passages: tuple[SectionPassage, ...], most: int) -> tuple[SectionPassage, ...]:
    if len(passages) <= most:
        return passages
    return tuple(passages[place * len(passages) // most] for place in range(most))


_PASSAGE_TERMS = 40
"""Different words of a passage that are searched for: the most frequent."""


@frozen(eq=False)
class DraftQuery:
    """A draft as it is compared with a source: words, vectors (None without an encoder), citations.

    vectors: of the summary first, then of each passage, shape (1 + p, d). cited: rows that the
    draft cites. known_documents: 1 for each document of the graph that counts, shape (n,). authors,
    names: hashes of the surnames of the draft's authors, and of the names in its text.
    """

    text: DraftText
    summary: Words
    passages: tuple[Words, ...]
    vectors: Vectors | None
    cited: Rows
    known_documents: Column
    authors: Hashes
    names: Hashes


def query_of(
    text: DraftText,
    encoder: Encoder | None,
    cited: Sequence[int] = (),
    graph: CitationGraph | None = None,
    *,
    draft_row: int = -1,
    cancelled: Cancel | None = None,
) -> DraftQuery:
    """Return a draft as a query; documents newer than it, and itself (`draft_row`), are not known.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    vectors = None
    if encoder is not None:
        texts = [text.summary, *(f"{part.section}. {part.text}" for part in text.passages)]
        vectors = encoder.encode(texts, cancelled=cancelled)
    known_documents = np.zeros(0, dtype=np.float32)
    if graph is not None:
        known_documents = np.ones(len(graph.documents), dtype=np.float32)
        if text.year:
            known_documents[graph.years > text.year] = 0.0
        if draft_row >= 0:
            known_documents[graph.documents == draft_row] = 0.0
    return DraftQuery(
        text,
        query_words(f"{text.title}. {text.abstract}"),
        tuple(frequent(query_words(f"{part.section}. {part.text}")) for part in text.passages),
        vectors,
        np.unique(np.asarray(cited, dtype=np.int64)),
        known_documents,
        word_hashes(fold(surname(author)) for author in text.authors),
        word_hashes(text.names),
    )


def frequent(words: Words) -> Words:
    """Return the words of a text that count most in it."""
    return dict(Counter(words).most_common(_PASSAGE_TERMS))


def rarities(names: NDArray[np.generic], members: Hashes) -> Column:
    """Return for each name how rare it is among all of them, 0 to 1; 0 for one not wanted."""
    place = places_in(members, names)
    counts = np.bincount(place[place >= 0], minlength=len(members))
    rare = np.log1p(len(names) / np.maximum(counts, 1)) / np.log1p(max(len(names), 1))
    return np.append(rare, 0.0)[place].astype(np.float32)
