"""What a draft says as a whole: its title, its abstract and its sections, as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Context, Document, Manuscript
from cite_lsp.manuscript.lint.exempt_titles import is_exempt_title
from cite_lsp.paper import fold
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.references.authors import authors_of

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
class Passage:
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
    passages: tuple[Passage, ...] = ()
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
    abstract = next((file.abstract for file in document if file.abstract), "")
    parts = [part for file in document for part in _parts(file)]
    # A draft that is just begun has nothing but short sections.
    passages = tuple(filter(_says_something, parts)) or tuple(parts)
    spread = _spread(passages, MOST_PASSAGES)
    first = spread[0].text if spread else ""
    return DraftText(
        title=document.title or ("" if abstract else first),
        abstract=abstract or (first if document.title else ""),
        passages=spread,
        language=language,
        authors=authors_of(document),
        names=_names(passage.text for passage in passages),
    )


def text_of_context(context: Context, authors: tuple[str, ...] = ()) -> DraftText:
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


def _says_something(passage: Passage) -> bool:
    words = passage.text.split()
    return len(words) >= _FEWEST_WORDS or len("".join(words)) >= PASSAGE_WORDS


def _parts(file: Manuscript) -> Iterator[Passage]:
    """Yield what the sections of a file say, in parts of `PASSAGE_WORDS`."""
    for section in file.sections:
        if is_exempt_title(section.title):
            continue
        words = file.prose(section.body, section.end).split()
        for start in range(0, len(words), PASSAGE_WORDS):
            yield Passage(section.title, " ".join(words[start : start + PASSAGE_WORDS]))


def _spread(passages: tuple[Passage, ...], most: int) -> tuple[Passage, ...]:
    if len(passages) <= most:
        return passages
    return tuple(passages[place * len(passages) // most] for place in range(most))
