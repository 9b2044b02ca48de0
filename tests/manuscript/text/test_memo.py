"""Results are cached; of long texts only the latest."""

from __future__ import annotations

import gc
import weakref

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.text.memo import LONG, LONG_CACHE_SIZE, memoized


def test_what_was_read_is_not_read_again() -> None:
    texts_read = []

    @memoized(lambda text: len(text), most=8)
    def read(text: str) -> str:
        texts_read.append(text)
        return text.upper()

    assert [read("gulls"), read("gulls"), read("terns")] == ["GULLS", "GULLS", "TERNS"]
    assert texts_read == ["gulls", "terns"]


def test_of_long_paragraphs_the_latest_states_are_cached_alone() -> None:
    chapter = "The gulls nest on cliffs.\n" * (LONG // 25)
    states = []
    for number in range(LONG_CACHE_SIZE + 40):
        manuscript = parse(f"{chapter}They nest {number} times \\cite{{a}}.", "latex")
        manuscript.prose(0, len(manuscript.text))
        block = manuscript.block_at(10)
        assert block is not None
        states.append(weakref.ref(block.paragraph))
    del manuscript, block
    gc.collect()
    assert sum(state() is not None for state in states) <= LONG_CACHE_SIZE
