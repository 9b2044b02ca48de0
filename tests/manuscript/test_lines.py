"""Lines and positions agree with a slow, obvious reading of the protocol."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.manuscript.lines import Encoding, LineIndex, width

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
UNIT = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}

# All that Python, Unicode or an editor may take for a line break, wide and combining characters.
PIECES = [
    *"a \n\r\t\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029é",
    *("\r\n", "\n\r", "深", "学", "。", "😀", "👩🏽\u200d🔬"),
    *("e\u0301", "\u0b95\u0bcd", "\ufeff", "\x00"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
encodings = st.sampled_from(ENCODINGS)
numbers = st.integers(min_value=-3, max_value=60)


def units(text: str, encoding: Encoding) -> int:
    codec, size = UNIT[encoding]
    return len(text.encode(codec)) // size


def slow_lines(text: str) -> list[tuple[int, str]]:
    """Return (offset, characters without the break) of every line, one character at a time."""
    lines = []
    begin = at = 0
    while at < len(text):
        if text[at] in "\r\n":
            lines.append((begin, text[begin:at]))
            at += 2 if text[at : at + 2] == "\r\n" else 1
            begin = at
        else:
            at += 1
    return [*lines, (begin, text[begin:])]


def slow_offset(text: str, line: int, character: int, encoding: Encoding) -> int:
    lines = slow_lines(text)
    if line < 0:
        return 0
    if line >= len(lines):
        return len(text)
    begin, content = lines[line]
    reached = 0
    for count in range(len(content) + 1):
        if units(content[:count], encoding) <= character:
            reached = count
    return begin + reached


def slow_position(text: str, offset: int, encoding: Encoding) -> tuple[int, int]:
    offset = min(max(offset, 0), len(text))
    number, (begin, content) = max(
        (number, line) for number, line in enumerate(slow_lines(text)) if line[0] <= offset
    )
    return number, units(content[: offset - begin], encoding)


@given(texts)
def test_lines_break_at_cr_lf_and_crlf_only(text: str) -> None:
    index = LineIndex(text)
    read = [(start, text[start : index.line_end(n)]) for n, start in enumerate(index.starts)]
    assert read == slow_lines(text)


@given(texts, numbers, numbers, encodings)
def test_every_position_has_the_offset_the_protocol_gives_it(
    text: str, line: int, character: int, encoding: Encoding
) -> None:
    expected = slow_offset(text, line, character, encoding)
    assert LineIndex(text).offset(line, character, encoding) == expected


@given(texts, encodings)
def test_every_offset_has_the_position_the_protocol_gives_it(text: str, encoding: Encoding) -> None:
    index = LineIndex(text)
    for offset in range(-2, len(text) + 3):
        assert index.position(offset, encoding) == slow_position(text, offset, encoding)


@given(texts, st.data(), encodings)
def test_offset_and_position_are_inverse(
    text: str, data: st.DataObject, encoding: Encoding
) -> None:
    offset = data.draw(st.integers(0, len(text)))
    returned = LineIndex(text).offset(*LineIndex(text).position(offset, encoding), encoding)
    between_cr_and_lf = text[offset - 1 : offset + 1] == "\r\n" if offset else False
    assert returned == offset - between_cr_and_lf


@given(texts, st.lists(st.tuples(numbers, numbers, texts), max_size=8))
def test_an_edited_index_equals_a_fresh_one(text: str, edits: list[tuple[int, int, str]]) -> None:
    index = LineIndex(text)
    for start, end, new in edits:
        index = index.replace(start, end, new)
        start, end = sorted(min(max(at, 0), len(text)) for at in (start, end))
        text = text[:start] + new + text[end:]
        assert index.text == text
        assert index.starts == LineIndex(text).starts


def test_an_edit_leaves_the_index_it_came_from_alone() -> None:
    index = LineIndex("one\ntwo")
    index.replace(0, 3, "1\n")
    assert index == LineIndex("one\ntwo")
    assert index.starts == (0, 4)


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("a\r\nb", (2, 2, "x"), (0, 2, 4)),  # \r\n parted: two breaks
        ("a\rx\nb", (2, 3, ""), (0, 3)),  # joined: one
        ("a\nb", (1, 1, "\r"), (0, 3)),  # joined from the left
        ("a\rb", (2, 2, "\n"), (0, 3)),  # joined from the right
        ("a\r\nb", (1, 2, ""), (0, 2)),  # \r deleted, \n stays
    ],
)
def test_edits_join_and_part_crlf(
    before: str, edit: tuple[int, int, str], after: tuple[int, ...]
) -> None:
    assert LineIndex(before).replace(*edit).starts == after


@pytest.mark.parametrize(
    ("encoding", "character", "offset"),
    [("utf-8", 3, 1), ("utf-8", 4, 1), ("utf-8", 7, 2), ("utf-16", 2, 1), ("utf-16", 3, 2)],
)
def test_a_position_inside_a_character_means_its_beginning(
    encoding: Encoding, character: int, offset: int
) -> None:
    assert LineIndex("深😀x").offset(0, character, encoding) == offset


def test_of_the_characters_of_two_units_those_before_a_position_count() -> None:
    index = LineIndex("a😀b😀c")
    offsets = [index.offset(0, character, "utf-16") for character in range(9)]
    assert offsets == [0, 1, 1, 2, 3, 3, 4, 5, 5]


def test_the_line_behind_the_last_one_means_the_end() -> None:
    assert LineIndex("one\ntwo").offset(2, 0, "utf-16") == 7


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_empty_document_has_one_empty_line(encoding: Encoding) -> None:
    assert len(LineIndex("")) == 1
    assert LineIndex("").position(5, encoding) == (0, 0)
    assert LineIndex("").offset(5, 5, encoding) == 0


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_lone_surrogates_do_not_raise(encoding: Encoding) -> None:
    index = LineIndex("a\ud800b\udc00")
    assert [index.offset(0, n, encoding) for n in range(12)][-1] == 4
    assert index.position(4, encoding)[1] == width("a\ud800b\udc00", encoding)
