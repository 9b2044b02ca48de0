r"""What a draft says beside its text: what it hides by commands of its own, and remarks."""

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.lint.exempt import is_exempt
from cite_lsp.manuscript.model import PLACEHOLDER
from cite_lsp.manuscript.placeholders.placeholders import work_named_by
from tests.manuscript.cited import markers


def keys(text: str) -> list[str]:
    return [key.text for marker in markers(text, "latex") for key in marker.keys]


@pytest.mark.parametrize(
    "text",
    [
        r"\newcommand{\eat}[1]{#1} \eat{\cite{a}}",
        r"\newcommand{\eat}{} \eat{\cite{a}}",
        r"\newcommand{\eat}[1][]{} \eat{\cite{a}}",
        r"\ifdraft\newcommand{\eat}[1]{#1}\else\newcommand{\eat}[1]{}\fi \eat{\cite{a}}",
        "%\\newcommand{\\eat}[1]{}\n\\eat{\\cite{a}}",
        r"\renewcommand{\section}[1]{} \section{Of \cite{a}}",
        "\\excludecomment{eat}\\includecomment{eat}\n\\begin{eat}\\cite{a}\\end{eat}",
    ],
)
def test_a_command_that_prints_its_arguments_hides_nothing(text: str) -> None:
    assert keys(text) == ["a"]


def test_what_a_draft_hides_is_no_prose() -> None:
    text = (
        r"\newcommand{\eat}[1]{}\begin{document}Whales sing. \eat{This was cut.} "
        r"Birds sing \cite{b}."
        "\n\n\\eat{A paragraph\n\nand one more \\emph{that was} cut.} They sing.\n"
        "\\eat{never closed\nThe end.\\end{document}"
    )
    document = parse(text, "latex")
    read = [sentence.text for sentence in document.sentences]
    assert read == ["Whales sing.", "Birds sing.", "They sing.", "The end."]


REMARKS = [
    r"\newcommand{\ada}[1]{\textcolor{red}{[Ada: #1]}}",
    r"\newcommand{\ada}[1]{{\color{blue}\bf Ada: #1}}",
    r"\newcommand\ada[1]{{\small\textcolor{orange}{{\bf Ada: }#1}}}",
    r"\newcommand{\ada}[1]{\textcolor{red}{\textbf{[#1]}}}",
    r"\newcommand{\ada}[1]{\textcolor{green}{$\langle$#1$\rangle$}}",
    r"\newcommand{\ada}[1]{\todo[inline]{Ada: #1}}",
    r"\newcommandx{\ada}[2][1=]{\todo[linecolor=red,#1]{#2}}",
    r"\newcommand{\ada}[1]{\textbf{[TODO: #1]}}",
    r"\newcommand{\ada}[1]{[Ada: #1]}",
    r"\def\ada#1{{\color{red} TODO #1}}",
    r"\NewDocumentCommand{\ada}{m}{\textcolor{red}{Ada：#1}}",
    r"\newcommand{\todo}[2]{{\color{#1}\emph{TODO}: #2}} \newcommand{\ada}[1]{\todo{red}{#1}}",
    r"\newcommand{\says}[2]{\textcolor{red}{[#1: #2]}} \newcommand{\ada}[1]{\says{Ada}{#1}}",
]


@pytest.mark.parametrize("definition", REMARKS)
def test_remarks_of_authors_are_separate_from_the_text(definition: str) -> None:
    text = rf"{definition} \begin{{document}}Whales \ada{{do they? see \cite{{a}}}} sing."
    text += r" Yes \cite{b}."
    read = parse(text, "latex")
    assert [sentence.text for sentence in read.sentences] == [
        "Whales sing.",
        "Yes.",
        "do they? see",
    ]
    assert [key.text for marker in read.markers for key in marker.keys] == ["a", "b"]
    (note,) = read.layout.notes
    assert note.remark
    exempt = [is_exempt(read, sentence) for sentence in read.sentences]
    assert exempt[2]


@pytest.mark.parametrize(
    "definition",
    [
        r"\newcommand{\ada}[1]{\textcolor{blue}{#1}}",
        r"\newcommand{\ada}[1]{{\color{blue}#1}}",
        r"\newcommand{\ada}[1]{\textcolor{gray}{(#1)}}",
        r"\newcommand{\ada}[1]{\textbf{Claim: #1}}",
        r"\newcommand{\ada}[1]{``#1''}",
        r"\newcommand{\ada}[2]{\textcolor{#1}{#2}}",
        r"\newcommand{\ada}[1]{#1 \textcolor{red}{[new]}}",
    ],
)
def test_coloured_text_is_no_remark(definition: str) -> None:
    text = rf"{definition}\begin{{document}}Whales \ada{{of the sea}} sing \cite{{a}}."
    assert not parse(text, "latex").layout.notes


def test_a_draft_may_define_the_command_of_remarks_for_itself() -> None:
    definition = r"\newcommand{\todo}[3]{{\color{#2}\emph{#1}: #3}}"
    read = parse(rf"{definition} Whales sing \todo{{Ada}}{{red}}{{do they?}} in spring.", "latex")
    assert [sentence.text for sentence in read.sentences] == ["Whales sing in spring.", "do they?"]


def test_a_remark_may_ask_for_a_citation() -> None:
    text = rf"{REMARKS[0]} Whales sing \ada{{cite Doe 2020}}. They do \todo{{why? \cite{{a}}}}."
    read = parse(text, "latex")
    placeholder, cited = read.markers
    assert (placeholder.command, text[placeholder.start : placeholder.end]) == (
        PLACEHOLDER,
        r"\ada{cite Doe 2020}",
    )
    assert work_named_by(text, placeholder) == "Doe 2020"
    assert [key.text for key in cited.keys] == ["a"]
    assert [sentence.text for sentence in read.sentences][:2] == ["Whales sing.", "They do."]


@pytest.mark.parametrize(
    "struck",
    [
        r"\deleted{often }",
        r"\deleted[id=ada]{often \cite{b}}",
        r"\sout{often}",
        r"\st{often, \emph{very}}",
        r"\replaced{}{often}",
    ],
)
def test_struck_text_is_not_read(struck: str) -> None:
    read = parse(rf"Whales {struck} sing \added{{in spring}} \cite{{a}}.", "latex")
    assert [sentence.text for sentence in read.sentences] == ["Whales sing in spring."]
    assert read.markers[-1].keys[0].text == "a"


@pytest.mark.parametrize(
    "used",
    [
        r"\newcommand{\del}[1]{\textcolor{red}{\sout{#1}}} Whales \del{often} sing \cite{a}.",
        r"\def\del#1{\st{#1}} Whales \del{often \cite{b}} sing \cite{a}.",
        r"\newcommand{\rep}[2]{\sout{#1}\textcolor{red}{#2}} Whales \rep{roar}{sing} \cite{a}.",
    ],
)
def test_nor_is_what_a_command_of_the_drafts_own_strikes(used: str) -> None:
    assert keys(used) == ["a"]
    assert [sentence.text for sentence in parse(used, "latex").sentences] == ["Whales sing."]


def test_what_replaces_is_read() -> None:
    read = parse(
        r"Whales \replaced{sing}{roar \cite{b}} in \replaced[id=a]{spring}{fall}.", "latex"
    )
    assert [sentence.text for sentence in read.sentences] == ["Whales sing in spring."]
    assert parse(r"Whales \st are \sout{never closed", "latex").sentences


def test_what_one_file_hides_another_may_print() -> None:
    macros = parse(r"\newcommand{\eat}[1]{}", "latex").cite_commands
    assert [
        key.text for m in parse(r"\eat{\cite{a}}", "latex", macros).markers for key in m.keys
    ] == []
    printing = parse(r"\renewcommand{\eat}[1]{#1}", "latex", macros).cite_commands
    printed = parse(r"\eat{\cite{a}}", "latex", printing)
    assert [key.text for marker in printed.markers for key in marker.keys] == ["a"]


@pytest.mark.parametrize(
    "body", [r"\textcolor{blue}{[\citenum{#1}]}", r"{\color{red}[TODO: \citep[p.~2]{#1}]}"]
)
def test_a_citation_in_brackets_and_colour_is_no_remark(body: str) -> None:
    assert keys(rf"\newcommand{{\eat}}[1]{{{body}}} Whales sing \eat{{a}}.") == ["a"]
