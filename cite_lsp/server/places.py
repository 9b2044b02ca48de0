"""Where a citation goes in an open draft, and the edit that puts it there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import frozen
from lsprotocol import types

from cite_lsp.manuscript.insertion import addition, insertion
from cite_lsp.manuscript.model import Marker, Sentence
from cite_lsp.server.request import Request

if TYPE_CHECKING:
    from cite_lsp.recommend.draft import Draft


@frozen
class Place:
    """Where a citation would go: into a marker, or else into a sentence that has none."""

    draft: Draft
    marker: Marker | None
    sentence: Sentence | None

    @property
    def text(self) -> str:
        """The sentence in plain text, which dismissals are kept for."""
        if self.sentence is not None:
            return self.sentence.text
        start = self.marker.start if self.marker else 0
        sentence = self.draft.manuscript.sentence_at(start)
        return sentence.text if sentence else ""

    @property
    def offset(self) -> int:
        """The offset that recommendations are asked for."""
        if self.marker is not None:
            return self.marker.start
        return self.sentence.start if self.sentence else 0

    @property
    def cited(self) -> frozenset[str]:
        """The keys that the sentence cites already, or the marker where it is in no sentence."""
        manuscript = self.draft.manuscript
        sentence = self.sentence or manuscript.sentence_at(self.offset)
        markers = {*(sentence.markers if sentence else ())} | {self.marker}
        return frozenset(key.text for marker in markers if marker for key in marker.keys)

    def edit(self, request: Request, keys: Sequence[str]) -> types.TextEdit:
        """Return the edit that cites `keys` here, at least one."""
        manuscript, document = self.draft.manuscript, self.draft.document
        if self.marker is not None:
            offset, text = addition(manuscript, self.marker, keys, document)
        elif self.sentence is not None:
            offset, text = insertion(manuscript, self.sentence, keys, document)
        else:
            raise ValueError("no place for a citation")
        return types.TextEdit(request.range(offset, offset), text)


def place_at(request: Request, offset: int) -> Place | None:
    """Return where a citation would go at an offset; None in a cited sentence and off the prose."""
    draft = request.draft()
    marker = draft.manuscript.marker_at(offset)
    if marker is not None:
        return Place(draft, marker, None)
    sentence = draft.manuscript.sentence_at(offset)
    if sentence is None or sentence.markers:
        return None
    return Place(draft, None, sentence)
