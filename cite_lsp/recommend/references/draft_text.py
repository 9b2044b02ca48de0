"""What a draft says as a whole: its title, its abstract and its sections, as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from cite_lsp.manuscript import Context, Manuscript
from cite_lsp.manuscript.lint.exempt_titles import is_exempt_title
from cite_lsp.project.draft import Draft

PASSAGE_WORDS = 150
"""Words of a passage: about what an encoder reads of a text at once."""
MOST_PASSAGES = 24
"""Passages of a long draft that are compared with papers, spread evenly over it."""
_FEWEST_WORDS = 12
"""Words from which on a passage says anything."""


@frozen
class Passage:
    """A piece of a section: the section's title, and up to `PASSAGE_WORDS` words of its text."""

    section: str
    text: str


@frozen
class DraftText:
    """A draft as a query: title, abstract, passages; its year and language. Any may be empty."""

    title: str
    abstract: str = ""
    passages: tuple[Passage, ...] = ()
    year: int | None = None
    language: str = "en"

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
    document = draft.document
    abstract = next((file.abstract for file in document if file.abstract), "")
    passages = tuple(passage for file in document for passage in _passages(file))
    spread = _spread(passages, MOST_PASSAGES)
    first = spread[0].text if spread else ""
    return DraftText(
        title=document.title or ("" if abstract else first),
        abstract=abstract or (first if document.title else ""),
        passages=spread,
        language=draft.manuscript.language,
    )


def text_of_context(context: Context) -> DraftText:
    """Return what title and abstract of a context say: a draft of which nothing else is known."""
    return DraftText(context.title, context.abstract, (), context.year, context.language)


def _passages(file: Manuscript) -> Iterator[Passage]:
    for section in file.sections:
        if is_exempt_title(section.title):
            continue
        words = file.prose(section.body, section.end).split()
        for start in range(0, len(words), PASSAGE_WORDS):
            part = words[start : start + PASSAGE_WORDS]
            if len(part) >= _FEWEST_WORDS or len("".join(part)) >= PASSAGE_WORDS:
                yield Passage(section.title, " ".join(part))


def _spread(passages: tuple[Passage, ...], most: int) -> tuple[Passage, ...]:
    if len(passages) <= most:
        return passages
    return tuple(passages[place * len(passages) // most] for place in range(most))
