"""What is known of a manuscript before it is read: what was read of its text before an edit."""

from __future__ import annotations

from attrs import define, frozen

from cite_lsp.manuscript.draft.blocks import Block
from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.text.edited import Stretch


@define
class ReadParts:
    """What was read of a manuscript so far, for the reading of its text after an edit."""

    blocks: tuple[Block, ...] | None = None
    windows: tuple[tuple[str, str], ...] | None = None


@frozen(eq=False)
class Edit:
    """What is known of a manuscript by the text before an edit, of which a `stretch` differs.

    It is about the manuscript of the `layout`; `part` is the layout of the stretch alone. `blocks`
    and `windows` are those of the text before, None where they have not been read.
    """

    layout: Layout
    stretch: Stretch
    part: Layout
    blocks: tuple[Block, ...] | None
    windows: tuple[tuple[str, str], ...] | None
