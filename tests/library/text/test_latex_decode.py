from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import parse_bibliography
from cite_lsp.library.match.match import EntryMatcher
from cite_lsp.library.text.latex_decode import decode


@pytest.mark.parametrize(
    "written, read",
    [
        (r"\ifmmode \check{S}\else \v{S}\fi{}koda", "Škoda"),
        (r"Mu\ifmmode \tilde{n}\else \~{n}\fi{}oz", "Muñoz"),
        (r"Gar\ifmmode \mbox{\c{c}}\else \c{c}\fi{}on", "Garçon"),
        (r"5\ifmmode\pm\else\textpm\fi{}2 \ifmmode\mu\else\textmu\fi{}m", "5±2 µm"),
        (r"3\ifmmode\times\else\texttimes\fi{}4", "3×4"),
        (r"A \ifmmode\bar{p}\else$\bar{p}$\fi{} beam", "A p beam"),
        (r"$\ifmmode\alpha\else a\fi$ and \ensuremath{\ifmmode\beta\else b\fi}", "α and β"),
        (r"\ifmmode a\fi b", "b"),
        (r"\ifmmode a\else \ifmmode b\else c\fi{}d\fi", "cd"),
        (r"\textgamma-rays \textrightarrow{} \textalpha", "γ-rays → α"),
        (r"5 $\upmu$m, $\uptau$", "5 μm, τ"),
        (
            r"$\less$i$\greater$Salix$\less$/i$\greater$ {\&}amp$\mathsemicolon$ Co",
            "<i>Salix</i> &amp; Co",
        ),
        (r"\ifmmode never closed", "never closed"),
    ],
)
def test_letters_that_publishers_export_are_those_that_are_printed(written: str, read: str) -> None:
    assert decode(written) == read


def test_names_with_such_letters_are_distinguished_and_matched() -> None:
    s, r = r"\ifmmode \check{S}\else \v{S}\fi{}", r"\ifmmode \check{r}\else \v{r}\fi{}"
    record = rf"@article{{k, author = {{Ond{r}ej {s}koda and {s}im{r}, Jan}}, title = {{T}}}}"
    (entry,) = parse_bibliography(record, Path("a.bib")).entries
    assert entry.paper.authors == ("Ondřej Škoda", "Jan Šimř")
    for typed in ("škoda", "skoda", "Ondřej"):
        assert list(EntryMatcher([entry]).match(typed)), typed
