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
        ("```{r}\nkable(x ", "markdown"),
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
        (r"\[", "latex"),
        (r"\(", "latex"),
        (r"\def\a#1{", "latex"),
        (r"\usepackage{a}\[", "latex"),
        ("[@a @a ", "markdown"),
        ("a|b\n-|-\n: x\n", "markdown"),
        ("[fn::", "org"),
        ("cite", "org"),
        ("#+begin_quote\n", "org"),
    ],
)
def test_what_is_never_closed_takes_time_by_its_length(opened: str, format: str) -> None:
    def read(text: str) -> None:
        manuscript = parse(text, format)
        for sentence in manuscript.sentences[-2:]:
            is_exempt(manuscript, sentence)

    assert growth(lambda times: opened * times, read, 64_000 // len(opened)) < LINEAR


@pytest.mark.parametrize(
    ("before", "piece", "after", "format"),
    [
        ("[", "@a ", "", "markdown"),
        ("A word", "_", "a", "markdown"),
        ("A word", ".", "a", "latex"),
        ("中。", r"\cite{a}", "", "latex"),
        (r"A \cite{a}", " ", "a", "latex"),
        ("a\\", "cite", "", "latex"),
        ("* A", " ", "a", "org"),
    ],
)
def test_a_long_run_takes_time_by_its_length(
    before: str, piece: str, after: str, format: str
) -> None:
    def read(text: str) -> None:
        assert parse(text, format).sentences is not None

    assert growth(lambda n: before + piece * n + after, read, 64_000 // len(piece)) < LINEAR
