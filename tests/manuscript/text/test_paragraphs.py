"""What is read of paragraphs is cached; of long ones only the latest."""

from __future__ import annotations

import gc
import weakref

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.text.paragraphs import LONG, MOST_LONG


def test_of_long_paragraphs_the_latest_states_are_cached_alone() -> None:
    chapter = "The gulls nest on cliffs.\n" * (LONG // 25)
    states = []
    for number in range(MOST_LONG + 40):
        manuscript = parse(f"{chapter}They nest {number} times \\cite{{a}}.", "latex")
        manuscript.prose(0, len(manuscript.text))
        block = manuscript.block_at(10)
        assert block is not None
        states.append(weakref.ref(block.paragraph))
    del manuscript, block
    gc.collect()
    assert sum(state() is not None for state in states) <= MOST_LONG
