"""What has changed between two texts is the few characters that differ."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.manuscript.text import text_diff
from cite_lsp.manuscript.text.text_edit import TextEdit

TEXTS = st.text("ab\r\n深😀", max_size=12)


@given(TEXTS, TEXTS, st.sampled_from((1, 2, 3, 100)))
def test_the_change_is_no_longer_than_what_differs(before: str, after: str, at_a_time: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_diff, "STEP", at_a_time)
        edit = text_diff.difference(before, after)
    alike = len(os.path.commonprefix((before, after)))
    left = before[alike:][::-1], after[alike:][::-1]
    assert edit.start == alike and len(before) - edit.end == len(os.path.commonprefix(left))
    assert edit.applied_to(before) == after


def test_a_letter_typed_into_a_long_text_is_that_letter() -> None:
    text = "deep " * (text_diff.STEP // 2)
    middle = len(text) // 2 + 2
    typed = f"{text[:middle]}x{text[middle:]}"
    assert text_diff.difference(text, typed) == TextEdit(middle, middle, "x")
    assert text_diff.difference(typed, text) == TextEdit(middle, middle + 1, "")
    assert text_diff.difference(text, text) == TextEdit(len(text), len(text), "")
