from __future__ import annotations

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.project.key_case import folds_case


def found_in_any_case(format: str, *texts: str) -> bool:
    return folds_case(format, [parse(text, format) for text in texts])


@pytest.mark.parametrize(
    "text",
    [
        r"\documentclass{article} \bibliography{refs}",
        r"\usepackage{natbib}",
        "% \\usepackage{biblatex}\n\\bibliography{refs}",
        r"\usepackage[style=apa, backend=bibtex]{biblatex}",
        "\\usepackage[\n  backend = {bibtex8},\n]{biblatex}",
        "\\PassOptionsToPackage{backend=bibtex}{biblatex}\n\\addbibresource{refs.bib}",
    ],
)
def test_bibtex_finds_a_key_in_any_case(text: str) -> None:
    assert found_in_any_case("latex", text)


@pytest.mark.parametrize(
    "text",
    [
        r"\usepackage{biblatex}",
        r"100\% \usepackage[style=apa]{csquotes,biblatex}",
        "\\usepackage[\n  backend=biber,  % not backend=bibtex\n]{biblatex}",
        "\\RequirePackage{biblatex-chicago}",
        r"\addbibresource{refs.bib}",
    ],
)
def test_biber_does_not(text: str) -> None:
    assert not found_in_any_case("latex", r"\documentclass{article}", text)


@pytest.mark.parametrize("format", ["markdown", "org", "typst"])
def test_nor_do_other_formats_unless_they_go_by_bibtex(format: str) -> None:
    assert not found_in_any_case(
        format, "---\nbibliography: refs.bib\n---\n#+bibliography: refs.bib\n"
    )


@pytest.mark.parametrize(
    "format, text",
    [
        ("markdown", "---\noutput:\n  pdf_document:\n    citation_package: natbib\n---\n"),
        ("markdown", "---\ncite-method: natbib\n---\n"),
        ("org", "#+bibliography: refs.bib\n#+cite_export: natbib plainnat\n"),
        ("org", "cite:reed1999\n\nbibliography:refs.bib\n"),
    ],
)
def test_these_go_by_bibtex(format: str, text: str) -> None:
    assert found_in_any_case(format, text)
