"""What is opened a thousand times and never closed takes time by its length, not by its square."""

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.lint.exempt import is_exempt
from tests.growth import LINEAR, growth


@pytest.mark.parametrize(
    ("opened", "format"),
    [
        (r"\caption{A word", "latex"),
        (r"\caption[", "latex"),
        (r"\begin{tabular}{ w", "latex"),
        (r"\bicaption{a}{A word", "latex"),
        (r"\author{A word ", "latex"),
        (r"A word \\[", "latex"),
        (r"A \iffalse \ifx word \fi ", "latex"),
        ("#table(a, ", "typst"),
        ("A word `{r}```", "markdown"),
        ("A word {% cite a ", "markdown"),
        ("% A word\n", "markdown"),
        (r"A \footnote{word ", "markdown"),
        (r"A \begin{table}{word ", "markdown"),
        ("A {cite}`word ", "markdown"),
        ("A src_r{word ", "org"),
        ("A call_r(word ", "org"),
        ("A =word ", "org"),
        ("A ~word ", "org"),
        (r"A \(word ", "org"),
        ("A word [cite ", "markdown"),
        ("A word [?] ", "latex"),
        ("A word [ref] ", "markdown"),
        (r"A word \todo{cite} ", "latex"),
        ("A word <!-- cite --> ", "markdown"),
        ("%", "latex"),
    ],
)
def test_what_is_never_closed_takes_time_by_its_length(opened: str, format: str) -> None:
    def read(text: str) -> None:
        manuscript = parse(text, format)
        for sentence in manuscript.sentences[-2:]:
            is_exempt(manuscript, sentence)

    assert growth(lambda times: opened * times, read, 64_000 // len(opened)) < LINEAR
