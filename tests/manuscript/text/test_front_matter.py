"""Front matter: fields, and blocks that are not closed."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript.text.front_matter import read_front_matter, read_later_matter

MANY = 100_000
"""Levels of which a few thousand end a process that follows them with its stack."""


@pytest.mark.parametrize("line", ["-a: x\n", "- a: x\n", "-: x\n", " x\n", "a: x\n", "\n a\n"])
def test_a_later_block_that_is_not_closed_is_given_up_in_one_pass(line: str) -> None:
    assert read_later_matter("---\na: b\n" + line * 2000 + "!", 0) is None
    front_matter = read_later_matter("---\ntitle: T\n" + line * 2 + "---\n", 0)
    assert front_matter is not None


def test_a_field_of_the_front_matter_repeats_no_list() -> None:
    many = 2000
    text = f"---\na: &a [{','.join('x' * many)}]\nb: &b [{','.join(['*a'] * many)}]\n"
    text += f"bibliography: [{','.join(['*b'] * many)}, refs.bib]\ntitle: [T, [U]]\n---\n"
    front = read_front_matter(text)
    assert len(front.bibliographies) == 200 and front.title == "T"


def test_front_matter_that_is_nested_too_deeply_says_nothing() -> None:
    assert not read_front_matter("---\ntitle: " + "[" * MANY + "\n---\n").title
