"""A sentence as it is shown: what plain text has no words for is an ellipsis."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.draft.readable_sentence import readable_sentence


def shown(text: str, markup: str = "latex") -> list[str]:
    manuscript = parse(text, markup)
    return [readable_sentence(manuscript, sentence) for sentence in manuscript.sentences]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            r"It is proposed in Chapter~\ref{a}, by \textbf{gulls}.",
            "It is proposed in Chapter …, by gulls.",
        ),
        (r"In Equation~\eqref{a} and \cref*{b}, we sum.", "In Equation … and …, we sum."),
        (r"See Chapters \crefrange{a}{b} here.", "See Chapters … here."),
        (
            r"Let $k$ be $\sum_{i=1}^{n} \frac{a_i}{b_i} + abc + def + ghi$ then.",
            "Let k be … then.",
        ),
        (r"Gulls\footnote{In Figure~\ref{a}.} nest~\cite{a}.", "Gulls nest."),
        (r"As \citet{a} show, \textcite{b} err~\cite{c}.", "As […] show, […] err."),
        (r"A \hyperref[a]{link} to \href{http://x.org}{this}.", "A link to this."),
    ],
)
def test_of_latex_references_and_formulas_are_marked(written: str, read: str) -> None:
    assert shown(f"Before this.\n\n{written}")[1] == read


def test_own_macros_and_sentences_in_the_middle_are_read() -> None:
    text = "\\newcommand{\\nest}{\\textsc{Nest}}\nFirst~\\ref{a} one. \\nest{} is in \\ref{b}.\n"
    assert shown(text) == ["First … one.", "Nest is in …."]


def test_a_sentence_without_its_subject_shows_where_that_is_cited() -> None:
    assert shown("@moor shows that gulls nest [@tern].\n", "markdown") == [
        "[…] shows that gulls nest."
    ]


@pytest.mark.parametrize("markup", ["markdown", "typst"])
def test_references_of_other_formats_are_marked(markup: str) -> None:
    manuscript = parse("We see gulls in @fig-one here.\n", markup).with_labels({"fig-one"})
    (sentence,) = manuscript.sentences
    assert readable_sentence(manuscript, sentence) == "We see gulls in … here."
