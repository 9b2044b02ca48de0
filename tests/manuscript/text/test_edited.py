"""Which paragraphs an edit has touched."""

from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.manuscript.text.edited import edited_stretch

TEXT = "Head.\n\nOne.\n\nTwo a.\nTwo b.\n \nThree.\n\nFour.\n"
PIECES = st.lists(st.sampled_from(["word ", "\n", "\n\n", " \n", "\t", "\r\n", "x"]), max_size=30)


def test_it_is_the_paragraph_with_its_neighbours() -> None:
    after = TEXT.replace("Two b", "Two and b")
    stretch = edited_stretch(TEXT, after)
    assert stretch
    assert TEXT[stretch.start : stretch.end_before] == "One.\n\nTwo a.\nTwo b.\n \nThree.\n"
    assert after[stretch.start : stretch.end] == "One.\n\nTwo a.\nTwo and b.\n \nThree.\n"
    assert stretch.shift == 4


def test_what_is_typed_at_the_end_has_a_neighbour_above_only() -> None:
    stretch = edited_stretch(TEXT, TEXT + "More")
    assert stretch and TEXT[stretch.start : stretch.end_before] == "Three.\n\nFour.\n"


def test_there_is_none_in_the_first_paragraphs_and_beside_other_blanks() -> None:
    assert edited_stretch(TEXT, TEXT.replace("Head", "Heads")) is None
    assert edited_stretch(TEXT, TEXT.replace("One", "None")) is None
    text = TEXT.replace("One.", "\f")
    assert edited_stretch(text, text.replace("Two", "2")) is None


@given(PIECES, PIECES, PIECES, PIECES)
def test_around_it_both_texts_are_the_same(
    above: list[str], old: list[str], new: list[str], below: list[str]
) -> None:
    before, text = ("".join((*above, *middle, *below)) for middle in (old, new))
    stretch = edited_stretch(before, text)
    if stretch is not None:
        assert before[: stretch.start] == text[: stretch.start]
        assert before[stretch.end_before :] == text[stretch.end :]
        assert before[: stretch.start].rstrip(" \t\r\n") != before[: stretch.start]
        assert stretch.end_before - stretch.start >= 0
