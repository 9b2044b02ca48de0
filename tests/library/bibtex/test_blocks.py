from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library.bibtex.blocks import blocks_of

PATH = Path("/drafts/refs.bib")
PIECES = ["@article{a, title = {T}}", "@string{x = {y}}", "@comment{c}", "@book{", "% note", "\n",
          "\r\n", "\r", "  ", "words", "}", "@article{,}"]  # fmt: skip


def pieces(text: str) -> list[str]:
    return [text[block.start : block.end] for block in blocks_of(text, PATH)]


def test_comments_directly_above_a_record_belong_to_it() -> None:
    text = "% of nobody\n\n% of a\n% twice\n@article{a}\n\n% of b\n@article{b} % too\n"
    assert pieces(text) == [
        "% of nobody\n\n",
        "% of a\n% twice\n@article{a}\n\n",
        "% of b\n@article{b} % too\n",
    ]


def test_blank_lines_belong_to_the_record_above() -> None:
    assert pieces("\n\n@a{a}\n\n\n@b{b}\r\n\r\n@c{c}") == [
        "\n\n",
        "@a{a}\n\n\n",
        "@b{b}\r\n\r\n",
        "@c{c}",
    ]


def test_records_of_one_line_are_blocks_of_their_own() -> None:
    assert pieces("@a{a}, @b{b} end\n") == ["@a{a}, ", "@b{b} end\n"]


def test_what_is_no_entry_has_blocks_too() -> None:
    text = "@string{x = {y}}\n@comment{@a{a}}\n@preamble{x}\n@book{,}\n@b{b}\n"
    kinds = [block.record.kind for block in blocks_of(text, PATH) if block.record]
    assert kinds == ["string", "comment", "preamble", "book", "b"]
    assert [block.entry.key for block in blocks_of(text, PATH) if block.entry] == ["b"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_the_blocks_of_any_text_are_the_text(text: str) -> None:
    blocks = blocks_of(text, PATH)
    assert "".join(pieces(text)) == text
    assert all(block.start < block.end for block in blocks)
    assert all(
        block.start <= block.record.start <= block.record.end <= block.end
        for block in blocks
        if block.record
    )
