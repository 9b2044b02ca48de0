r"""The files that a LaTeX draft names."""

import pytest

from cite_lsp.manuscript import parse


def read(text: str) -> tuple[list[str], list[str]]:
    """Return the files that a text reads in, and its bibliographies."""
    manuscript = parse(text, "latex")
    inputs = [inclusion.path for inclusion in manuscript.inputs]
    return inputs, [declaration.path for declaration in manuscript.declarations]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\bibliography{%\n  gulls,%\n  terns% the second\n}", ["gulls", "terns"]),
        ("\\bibliography{gulls,%auks,\nterns}", ["gulls", "terns"]),
        ("\\bibliography{gulls,%auks}\n  terns,%\n}", ["gulls", "terns"]),
        ("\\bibliography{gu%\n  lls}", ["gulls"]),
        ("\\bibliography%\n  {gulls}", ["gulls"]),
        ("\\addbibresource[label=a]{% all\n  lib/gulls.bib%\n}", ["lib/gulls.bib"]),
        ("\\addbibresource{gulls, terns.bib}", ["gulls, terns.bib"]),
        ("\\nobibliography{%\n}", []),
        (
            "\\begin{refsection}[%\n  gulls.bib,%\n  terns.bib]x\\end{refsection}",
            ["gulls.bib", "terns.bib"],
        ),
        ("\\putbib[%\n  gulls]", ["gulls"]),
    ],
)
def test_a_comment_in_a_list_of_bibliographies_is_dropped(text: str, expected: list[str]) -> None:
    assert read(text)[1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\input{%\n  parts/nests%\n}", ["parts/nests"]),
        ("\\include{% the first\n  nests}", ["nests"]),
        ("\\import{%\n  parts/}{%\n  nests}", ["parts/nests"]),
        ("\\subfile%\n{nests}", ["nests"]),
        ("\\includeonly{%\n  nests,%\n  eggs}", []),
    ],
)
def test_a_comment_beside_the_name_of_a_file_is_dropped(text: str, expected: list[str]) -> None:
    assert read(text)[0] == expected


def test_the_range_of_a_name_is_that_of_the_name_alone() -> None:
    text = "\\bibliography{%\n  gulls,%\n  terns% the second\n}"
    declarations = parse(text, "latex").declarations
    assert [text[place.start : place.end] for place in declarations] == ["gulls", "terns"]


@pytest.mark.parametrize(
    "guard", ["\\ifdefined\\book\\endinput\\fi", "\\ifx\\x\\y\n\\endinput\n\\fi"]
)
def test_what_stands_behind_the_end_of_a_file_on_a_condition_is_read(guard: str) -> None:
    text = f"{guard}\nTerns sing \\cite{{a}}."
    assert [marker.keys[0].text for marker in parse(text, "latex").markers] == ["a"]


def test_tex_reads_the_line_of_endinput_and_nothing_behind_it() -> None:
    text = (
        "\\newif\\ifbook\nTerns sing \\cite{a}. \\endinput They nest \\cite{b}.\n"
        "Gulls \\cite{c} \\input{x}\\bibliography{y}\\section{Old}\\bibitem{z}"
    )
    manuscript = parse(text, "latex")
    assert [marker.keys[0].text for marker in manuscript.markers] == ["a", "b"]
    assert [sentence.text for sentence in manuscript.sentences] == ["Terns sing.", "They nest."]
    assert not manuscript.inputs and not manuscript.declarations and not manuscript.items
    assert len(manuscript.sections) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            r"\newcommand{\nest}[1]{\subimport{nests/#1/}{main.tex}} \nest{gull}",
            ["nests/gull/main.tex"],
        ),
        (
            r"\def\nest#1#2{\chapter{#1}\input{nests/#2}} \nest{Of terns \cite{a}}{tern}",
            ["nests/tern"],
        ),
        (
            r"\newcommand{\nest}[2][old]{\include{#1/#2}} \nest{tern} \nest[new]{tern}",
            ["old/tern", "new/tern"],
        ),
        (r"\NewDocumentCommand{\nest}{s O{old} +m}{\input{#2/#3}} \nest*{tern}", ["old/tern"]),
        (r"\newcommandx{\nest}[3][1=old,2=x]{\input{#1/#2/#3}} \nest{tern}", ["old/x/tern"]),
        (r"\newcommand{\all}{\input{gull}\input{tern}} \all", ["gull", "tern"]),
        (r"\newcommand{\one}[1]{\input{x/#1}}\newcommand{\two}[1]{\one{y/#1}} \two{z}", ["x/y/z"]),
        (r"\newcommand{\take}{\input} \take{tern} \let\get=\include \get{gull}", ["tern", "gull"]),
        ("\\newcommand{\\nest}[1]{% of\n  \\input{% it\n  #1}} \\nest{%\n  tern}", ["tern"]),
        (r"\newcommand{\nest}[1]{\input{#1}}", []),
        (r"\newcommand{\nest}[1]{\textbf{#1}} \nest{tern}", []),
        (r"\renewcommand{\input}[1]{\oldinput{x/#1}} \input{tern}", ["tern"]),
    ],
)
def test_a_command_of_the_drafts_own_reads_in_files(text: str, expected: list[str]) -> None:
    assert read(text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            r"\newcommand{\refs}[1]{\clearpage\bibliography{#1}} \refs{lib/gulls, terns}",
            ["lib/gulls", "terns"],
        ),
        (r"\newcommand{\refs}{\bibliographystyle{plain}\bibliography{gulls}} \refs", ["gulls"]),
        (
            r"\newcommand{\refs}[1]{\addbibresource{lib/#1.bib}} \refs{gulls} \refs{terns}",
            ["lib/gulls.bib", "lib/terns.bib"],
        ),
        (r"\let\refs\bibliography \refs{gulls}", ["gulls"]),
    ],
)
def test_a_command_of_the_drafts_own_names_bibliographies(text: str, expected: list[str]) -> None:
    assert read(text)[1] == expected


def test_what_a_command_of_the_drafts_own_names_stands_at_its_argument() -> None:
    definition = r"\newcommand{\nest}[2]{\section{#1}\input{x/#2}\bibliography{#2}}"
    text = rf"{definition} \nest{{Terns}}{{ tern }} It is."
    manuscript = parse(text, "latex")
    place = manuscript.inputs[0]
    assert text[place.start : place.end].strip() == "tern"
    declaration = manuscript.declarations[0]
    assert text[declaration.start : declaration.end] == "tern"
    assert [section.title for section in manuscript.sections] == ["", "Terns"]
    assert [sentence.text for sentence in manuscript.sentences] == ["It is."]


def test_commands_that_call_themselves_end() -> None:
    text = r"\newcommand{\nest}{\input{tern}\nest\nest} " + r"\nest" * 50
    assert set(read(text)[0]) == {"tern"}
