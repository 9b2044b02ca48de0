"""What is known of a manuscript before it is read: what was read of its text before an edit."""

from __future__ import annotations

from bisect import bisect_left

from attrs import define, field, frozen

from cite_lsp.manuscript.draft.blocks import Block
from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.model import Mention
from cite_lsp.manuscript.text.edited import Stretch


@frozen
class Inclusions:
    """The inclusions in a file: their offsets, and how many markers stand in the first n of them.

    `before` is the number of markers above the file, those above its place included.
    """

    before: int
    offsets: tuple[int, ...] = ()
    markers: tuple[int, ...] = (0,)

    def order(self, markers_before: int, offset: int) -> int:
        """Return the order of what stands at an offset, behind `markers_before` of the file."""
        return self.before + markers_before + self.markers[bisect_left(self.offsets, offset)]


MentionPlace = tuple[int, Inclusions]
"""The number of a file in its draft, and the inclusions in it: where its markers stand."""
Mentions = tuple[Mention, ...]


@define
class ReadParts:
    """What was read of a manuscript so far, for the reading of its text after an edit."""

    blocks: tuple[Block, ...] | None = None
    windows: tuple[tuple[str, str], ...] | None = None
    brackets: tuple[int, ...] | None = None
    """Where in the text brackets begin that may be notes."""
    mentions: dict[MentionPlace, Mentions] = field(factory=dict)
    """Those at its last places in drafts."""


@frozen(eq=False)
class Edit:
    """What is known of a manuscript by the text before an edit, of which a `stretch` differs.

    It is about the manuscript of the `layout`; `part` is the layout of the stretch alone. `groups`,
    `blocks`, `windows`, `brackets` and `mentions` are those of the text before, None where they
    have not been read.
    """

    layout: Layout
    stretch: Stretch
    part: Layout
    groups: tuple[int, ...]
    blocks: tuple[Block, ...] | None
    windows: tuple[tuple[str, str], ...] | None
    brackets: tuple[int, ...] | None
    mentions: dict[MentionPlace, Mentions]
