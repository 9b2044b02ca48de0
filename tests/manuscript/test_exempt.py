"""Captions, abstracts, thanks and theorems are left alone; so is what is hardly a sentence."""

from __future__ import annotations

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.exempt import is_exempt

LATEX = r"""\documentclass{article}
\begin{document}
\begin{abstract}We do a certain new thing.\end{abstract}
\section{Intro}
Deep nets win at many tasks. See below.
\begin{figure}\caption[short]{A caption {of} two sentences. This is the second.}\end{figure}
This one comes behind the caption. 深度网络有效。
\begin{theorem}Let all of them be even.\end{theorem}
And this behind the theorem.
\section*{Acknowledgements}
We thank all our good friends.
\end{document}
"""


def left(text: str, format: str) -> list[str]:
    manuscript = parse(text, format)
    return [one.text for one in manuscript.sentences if not is_exempt(manuscript, one)]


def test_of_latex_the_running_text_is_left() -> None:
    assert left(LATEX, "latex") == [
        "Deep nets win at many tasks.",
        "This one comes behind the caption.",
        "深度网络有效。",
        "And this behind the theorem.",
    ]


def test_of_markdown_captions_are_left_out() -> None:
    text = (
        "# Birds\n\n![A caption of a certain picture](a.png)\n\n"
        "Table: A caption of the table.\n\nGulls nest on steep cliffs.\n\n"
        "# Acknowledgments\n\nWe thank all our friends.\n"
    )
    assert left(text, "markdown") == ["Gulls nest on steep cliffs."]


def test_a_caption_that_is_never_closed_hides_nothing() -> None:
    assert left("\\caption{Begun and\n\nGulls nest on steep cliffs.", "latex") == [
        "Gulls nest on steep cliffs."
    ]
