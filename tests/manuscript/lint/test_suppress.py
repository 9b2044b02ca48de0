"""Comments that silence a rule: for a file, a line, or a stretch of it."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.lint.suppress import suppressions_of
from tests.growth import LINEAR, growth


def silenced(text: str, rule: str = "missing-citation") -> list[int]:
    """Return the lines, from 0, in which a rule is silenced."""
    lines = LineIndex(text)
    silence = suppressions_of(lines)
    return [line for line in range(len(text.split("\n"))) if silence.covers(rule, line)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\n% cite-lsp: off\nb", [0, 1, 2]),
        ("a\n<!-- cite-lsp: off -->\nb\n<!-- cite-lsp: on -->\nc", [1, 2]),
        ("a\n% cite-lsp: off-next-line\nb\nc", [2]),
        ("% cite-lsp: off\na\n% cite-lsp: on\nb\n% cite-lsp: off\nc\n% cite-lsp: on", [0, 1, 4, 5]),
        ("% cite-lsp: off unknown-key\na", []),
        ("% cite-lsp: off missing-citation\na\n% cite-lsp: on missing-citation\nb", [0, 1]),
        ("% cite-lsp: off missing-citation\na\n% cite-lsp: on unknown-key\nb", [0, 1, 2, 3]),
        (
            "% cite-lsp: off unknown-key missing-citation\na\n% cite-lsp: on unknown-key\nb",
            [0, 1, 2, 3],
        ),
        (
            "% cite-lsp: off unknown-key missing-citation\na\n% cite-lsp: on missing-citation\nb",
            [0, 1],
        ),
        ("a\n% cite-lsp: on\nb", []),
    ],
)
def test_off_holds_to_the_next_on_or_for_the_file(text: str, lines: list[int]) -> None:
    assert silenced(text) == lines


def test_a_range_ends_where_its_own_rule_is_named() -> None:
    text = "% cite-lsp: off a b\n\n% cite-lsp: on a\n\n% cite-lsp: on\n\n% cite-lsp: off a\n"
    covered = suppressions_of(LineIndex(text + "% cite-lsp: on\n"))
    assert [covered.covers("a", line) for line in range(8)] == [True] * 2 + [False] * 4 + [
        True,
        False,
    ]
    assert [covered.covers("b", line) for line in range(8)] == [True] * 4 + [False] * 4


def test_many_comments_take_time_by_their_number() -> None:
    def read(text: str) -> None:
        lines = LineIndex(text)
        covered = suppressions_of(lines)
        assert not any(covered.covers("a", line) for line in range(1, len(lines), 2))

    pair = "% cite-lsp: off\n% cite-lsp: on\n"
    assert growth(lambda times: pair * times, read, 4_000) < LINEAR
    assert growth(lambda times: "% cite-lsp: off a" + "%" * times, read, 40_000) < LINEAR
