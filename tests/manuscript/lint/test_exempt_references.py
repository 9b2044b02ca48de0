"""What a draft writes out of references lacks none."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.lint.exempt import is_exempt
from tests.growth import LINEAR, growth

BEFORE, BEHIND = "It was shown first at a workshop.", "Terns nest on sandy coasts there."
LATEX = r"""\textbf{Gull-
World: Counting birds on many steep cliffs} \\
    Ann Auk, Bo van der Tern \\
    \textit{Journal of Birds - Workshop on cliffs}, 2019
"""
ROLES = r"""
    \vspace{1mm}
    \textsc{CRediT} \hspace{2mm}
    \textbf{AA:} Conceptualization, Methodology, Writing - Original Draft;
    \textbf{BT:} Supervision, Funding acquisition.
"""


def left(text: str, markup: str) -> list[str]:
    manuscript = parse(text, markup)
    return [
        sentence.text for sentence in manuscript.sentences if not is_exempt(manuscript, sentence)
    ]


@pytest.mark.parametrize(
    ("reference", "markup"),
    [
        (f"%\n\\begin{{quote}}\n    {LATEX}{ROLES}\\end{{quote}}\n", "latex"),
        (f"\n\\noindent\n{LATEX}", "latex"),
        (
            "\n\\emph{Counting the birds of cliffs} \\\\\nA. Auk and B. Tern. Birds, 2020.\n",
            "latex",
        ),
        (
            "\n> **Counting the birds of cliffs**\\\n> Ann Auk, Bo Tern\\\n> *Birds*, 2019\n",
            "markdown",
        ),
        ("\n*Counting the birds of cliffs* \\\nAnn Auk, Bo Tern \\\n_Birds_, 2019\n", "typst"),
        ("\n*Counting the birds of cliffs* \\\\\nAnn Auk, Bo Tern \\\\\n/Birds/, 2019\n", "org"),
    ],
)
def test_a_reference_that_is_written_out_is_left_out(reference: str, markup: str) -> None:
    assert left(f"{BEFORE}\n{reference}\n{BEHIND}\n", markup) == [BEFORE, BEHIND]


@pytest.mark.parametrize(
    ("note", "exempt"),
    [
        (r"Ann Auk, \emph{Counting birds}, London 2019, p. 3.", True),
        (r"See also A. Auk, “Terns,” \textit{Birds of Cliffs} 12 (2019): 3–5.", True),
        (r"Auk, A. (2019). \emph{Counting birds}. London: Tern.", True),
        (r"Auk, A., and Tern, B. (2019). Counting. \emph{Birds of Cliffs}, 12.", True),
        (r"A. Auk (2019), \emph{Counting birds}, London.", True),
        (r"\emph{Ibid.}, p. 5.", True),
        ("So auch Auk, a. a. O., S. 7.", True),
        (r"These were counted by \emph{Sterna} experts, in 2019 at the latest.", False),
        ("They had been counted in an earlier year as well.", False),
        (r"They were counted by Auk (2019), who names \emph{Sterna} first.", False),
    ],
)
def test_a_footnote_that_writes_a_reference_out_lacks_none(note: str, exempt: bool) -> None:
    text = f"{BEFORE}\\footnote{{{note}}} {BEHIND}\n"
    assert (BEFORE not in left(text, "latex")) is exempt
    assert BEHIND in left(text, "latex")
    markdown = note.replace(r"\emph{", "*").replace(r"\textit{", "*").replace("}", "*")
    apart = left(f"{BEFORE}[^1] {BEHIND}\n\n[^1]: {markdown}\n", "markdown")
    assert (apart == [BEHIND]) is exempt
    assert (BEFORE not in apart) is exempt


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{quote}\nAll gulls nest on cliffs, says one in 2019\n\\end{quote}",
        "\\textbf{Gulls and terns} \\\\\nThey have nested on these cliffs since 2019\n",
        "\\textbf{Gulls and terns} nest where Ann Auk, Bo Tern saw them in 2019\n",
    ],
)
def test_a_quotation_and_a_title_above_prose_are_not(text: str) -> None:
    assert len(left(f"{BEFORE}\n\n{text}\n\n{BEHIND}\n", "latex")) == 3


@pytest.mark.parametrize("unit", ["\\textbf{A} \\\\ Ann Auk, ", "\\begin{quote}\n\\emph{{a}\n"])
def test_many_that_do_not_end_are_read_in_no_time(unit: str) -> None:
    def many(count: int) -> str:
        return f"Gulls nest.\n{unit * count}"

    assert growth(many, lambda text: left(text, "latex"), 1_000) < LINEAR
