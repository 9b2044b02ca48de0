from __future__ import annotations

from pathlib import Path

from cite_lsp.library import bibitems
from cite_lsp.manuscript import parse

DRAFT = r"""\documentclass{article}
\begin{document}
Text \cite{hastings2012}.
\begin{thebibliography}{9}
\bibitem[{Boole and Hastings(2012)Boole, Hastings, and M\"uller}]{hastings2012}
Boole, C., Hastings, A., May 2012. {Quantifying limits}. \emph{Journal}~9, 2527--2539.

\bibitem{plain:1999} K.~G{\"o}del, Collected works, pp. 1900--1950, Oxford, 1999.
\end{thebibliography}
\end{document}
"""


def test_the_items_of_a_draft_are_entries_with_their_positions() -> None:
    found = bibitems(parse(DRAFT, "latex"), Path("paper.tex")).entries
    assert [(e.key, e.kind, e.line) for e in found] == [
        ("hastings2012", "bibitem", 5),
        ("plain:1999", "bibitem", 8),
    ]
    for entry in found:
        assert DRAFT[entry.key_start : entry.key_end] == entry.key
        assert DRAFT[entry.start : entry.end] == entry.raw


def test_the_whole_text_of_an_item_is_its_title() -> None:
    first, second = bibitems(parse(DRAFT, "latex"), Path("paper.tex")).entries
    assert first.paper.title == (
        "Boole, C., Hastings, A., May 2012. Quantifying limits. Journal 9, 2527–2539."
    )
    assert second.paper.title.startswith("K. Gödel, Collected works")


def test_people_and_year_come_from_the_natbib_label_or_the_text() -> None:
    first, second = bibitems(parse(DRAFT, "latex"), Path("paper.tex")).entries
    assert (first.paper.authors, first.paper.year) == (("Boole", "Hastings", "Müller"), 2012)
    assert (second.paper.authors, second.paper.year) == ((), 1999)
