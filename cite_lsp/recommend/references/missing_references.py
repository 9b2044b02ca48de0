"""What is found for a draft as a whole: groups of papers, each with its place, and completeness."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.model import Sentence
from cite_lsp.recommend.base.recommendation import Recommendation


@frozen
class PlaceInDraft:
    """Where a paper would be cited: a sentence of a file of the draft, and its section's title."""

    path: Path
    manuscript: Manuscript
    sentence: Sentence
    section: str


@frozen
class MissingReference:
    """A paper that a draft should cite and does not; `place` is None where there is no prose."""

    recommendation: Recommendation
    place: PlaceInDraft | None = None


@frozen
class ReferenceGroup:
    """Papers on one topic, best first; `name` are words that tell it from the other groups."""

    name: str
    references: tuple[MissingReference, ...]


@frozen
class CommonReference:
    """A paper that many of the documents nearest to a draft cite: `count` of them."""

    recommendation: Recommendation
    count: int


@frozen
class Completeness:
    """How much of what the documents nearest to a draft cite in common the draft cites.

    nearest: how many documents were looked at. fewest: how many of them cite a paper that counts.
    cited: those of these papers that the draft cites, `of` them all. missing: the others, those of
    most documents first.
    """

    nearest: int = 0
    fewest: int = 0
    cited: int = 0
    of: int = 0
    missing: tuple[CommonReference, ...] = ()


@frozen
class DraftReferences:
    """What a draft as a whole should cite and does not."""

    groups: tuple[ReferenceGroup, ...]
    completeness: Completeness
    papers: int
    """Papers that were looked at: those of the library that are not cited, and of the corpora."""
