r"""What commands of a draft's own print: formulas, headings."""

import pytest

from cite_lsp.manuscript import Manuscript, parse


def sentences(text: str) -> list[str]:
    return [sentence.text for sentence in parse(text, "latex").sentences]


@pytest.mark.parametrize(
    "definitions",
    [
        "\\newcommand{\\be}{\\begin{equation}}\n\\newcommand{\\ee}{\\end{equation}}",
        "\\def\\be{\\begin{equation*}} \\def\\ee{\\end{equation*}}",
        "\\newcommand\\be{\\begin{align}\\begin{split}}\\newcommand\\ee{\\end{split}\\end{align}}",
        "\\def\\be#1\\ee{\\begin{align}#1\\end{align}}",
    ],
)
def test_a_formula_between_commands_of_the_drafts_own_is_no_prose(definitions: str) -> None:
    text = (
        f"{definitions}\n\\begin{{document}}\nIt is\n\\be\nH = \\sum_k \\epsilon_k, \\label{{a}}\n"
        "\\ee\nwhere so. It is\n\\be x = y. \\ee\nNext one.\n\n\\be x = y\n\nThen.\\end{document}"
    )
    assert sentences(text) == ["It is where so.", "It is.", "Next one.", "x = y", "Then."]


@pytest.mark.parametrize(
    ("definition", "level"),
    [
        (r"\newcommand{\para}[1]{\vspace{2pt}\noindent\textbf{#1.}\quad}", 6),
        (r"\newcommand\para[1]{\medskip\noindent{\bf #1}\hspace{1em}}", 6),
        (r"\def\para#1{\par\vskip 2pt{\bfseries\color{blue}#1:} }", 6),
        (r"\newcommand{\para}[1]{\subsubsection*{\textsc{#1}}}", 5),
    ],
)
def test_a_draft_may_have_headings_of_its_own(definition: str, level: int) -> None:
    text = f"{definition}\n\\begin{{document}}\\para{{Of nests}} Gulls nest.\\end{{document}}"
    read = parse(text, "latex")
    assert [sentence.text for sentence in read.sentences] == ["Gulls nest."]
    assert [(section.title, section.level) for section in read.sections][1:] == [
        ("Of nests", level)
    ]


@pytest.mark.parametrize(
    "definition",
    [
        r"\newcommand{\para}[1]{\textbf{#1}}",
        r"\newcommand{\para}[1]{\noindent\textit{#1}}",
        r"\newcommand{\para}[1]{\noindent\textbf{Thesis:} #1}",
        r"%\newcommand{\para}[1]{\paragraph{#1}}",
    ],
)
def test_what_is_only_emphasised_is_no_heading(definition: str) -> None:
    text = f"{definition}\n\\begin{{document}}\\para{{Of nests}} gulls sing.\\end{{document}}"
    assert sentences(text) == ["Of nests gulls sing."]


ALIASES = (
    r"\let\own\{}",
    r"\let \own = \{}",
    r"\LetLtxMacro\own\{}",
    r"\LetLtxMacro{{\own}}{{\{}}}",
    r"\NewCommandCopy{{\own}}{{\{}}}",
    r"\NewCommandCopy\own\{}",
    r"\RenewCommandCopy{{\own}}{{\{}}}",
    r"\DeclareCommandCopy\own\{}",
)


@pytest.mark.parametrize("alias", ALIASES)
def test_another_name_of_a_command_does_as_the_command_however_it_is_given(alias: str) -> None:
    def read(target: str, text: str) -> Manuscript:
        return parse(f"Gulls nest. {alias.format(target)}\n{text} Terns sing.", "latex")

    cited = read("citep", r"Gulls \own{a}.")
    assert [key.text for marker in cited.markers for key in marker.keys] == ["a"]
    assert [part.path for part in read("input", r"\own{part}").layout.inputs] == ["part"]
    for target, text in (
        ("@gobble", r"\own{Not \cite{a} here.}"),
        ("lstinline", r"\own{Not \cite{a} here.}"),
        ("verbatim", "\\begin{own}\nNot \\cite{a} here.\n\\end{own}"),
        ("comment", "\\begin{own}\nNot \\cite{a} here.\n\\end{own}"),
    ):
        manuscript = read(target, text)
        assert not manuscript.markers
        assert [sentence.text for sentence in manuscript.sentences] == [
            "Gulls nest.",
            "Terns sing.",
        ]
