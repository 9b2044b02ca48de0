"""Comments that silence a rule: for a file, a line, or a stretch of it."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.lint.suppress import suppressions_of


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
