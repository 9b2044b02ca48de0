"""An edit of a text, by itself and with others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.manuscript.text.text_edit import TextEdit, apply_edits


def test_a_text_takes_the_place_of_what_was_there() -> None:
    assert TextEdit(2, 4, "x").applied_to("abcdef") == "abxef"
    assert TextEdit.insertion(2, "x").applied_to("abcdef") == "abxcdef"


@given(st.lists(st.text("ab", max_size=3), min_size=2, max_size=5))
def test_several_edits_are_made_in_any_order(parts: list[str]) -> None:
    text = "-".join(parts)
    dashes = [offset for offset, letter in enumerate(text) if letter == "-"]
    edits = [TextEdit(offset, offset + 1, "++") for offset in dashes]
    assert apply_edits(text, reversed(edits)) == "++".join(parts)
