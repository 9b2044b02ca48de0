r"""Abbreviations are read as what they stand for, and the way back to the source stays exact."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import parse
from tests.manuscript.lone_file import context_of

DEFINITIONS = {
    "acronym": r"\begin{acronym}\acro{cdae}[CDAE]{coding \acroextra{deep} net}\end{acronym}",
    "acronym, short": r"\acrodef{cdae}[CDAE]{coding deep net}",
    "acronym, new": r"\newacro{cdae}[CDAE]{coding deep net}",
    "glossaries": r"\newacronym[sort=c]{cdae}{CDAE}{coding deep net}",
    "glossaries-extra": r"\newabbreviation{cdae}{CDAE}{coding deep net}",
    "acro": "\\DeclareAcronym{cdae}{\n  short = CDAE, % why\n  long = {coding deep net},\n}",
}


def read(text: str, before: str = DEFINITIONS["acro"]) -> str:
    manuscript = parse(f"{before}\n\\begin{{document}}\n{text} \\cite{{a}}.", "latex")
    return context_of(manuscript, manuscript.cited[0]).left


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
@pytest.mark.parametrize(
    ("use", "stands_for"),
    [(r"\acs{cdae}", "CDAE"), (r"\acl{cdae}", "coding deep net"),
     (r"\acf{cdae}", "coding deep net (CDAE)")],
)  # fmt: skip
def test_every_package_says_what_its_abbreviations_stand_for(
    definition: str, use: str, stands_for: str
) -> None:
    assert read(f"A {use} of", definition) == f"A {stands_for} of"


@pytest.mark.parametrize(
    ("use", "stands_for"),
    [
        (r"\acp*{cdae}", "coding deep nets (CDAEs)"),
        (r"\Acsp{cdae}", "CDAEs"),
        (r"\glspl{cdae}", "coding deep nets (CDAEs)"),
        (r"\Gls[x=y]{ cdae }", "coding deep net (CDAE)"),
        (r"\acrshort{cdae}", "CDAE"),
        (r"\acrlongpl{cdae}", "coding deep nets"),
        (r"\glsxtrfull{cdae}", "coding deep net (CDAE)"),
        (r"\ac{other}", "other"),
        (r"\acuse{cdae}", ""),
        (r"$\ac{cdae}_i$", "cdaei"),
    ],
)
def test_the_command_says_which_form_is_printed(use: str, stands_for: str) -> None:
    assert read(f"A {use} of").split() == f"A {stands_for} of".split()


def test_the_long_form_is_read_at_the_first_use_that_leaves_the_form_open() -> None:
    uses = r"\acs{cdae}, \ac{cdae}, \ac{cdae}, \acp{cdae}, \acf{cdae} by"
    assert read(uses) == "CDAE, coding deep net (CDAE), CDAE, CDAEs, coding deep net (CDAE) by"


def test_a_long_form_in_another_language_is_read_with_it() -> None:
    acro = r"\DeclareAcronym{gp}{short = GP, long = 高斯过程, foreign = Gaussian process}"
    assert read(r"用\ac{gp}与\ac{gp}", acro) == "用高斯过程 (Gaussian process, GP)与GP"


def test_the_key_is_short_where_no_short_form_is_given() -> None:
    assert read(r"\acs{RK}", r"\acro{RK}{Runge Kutta}") == "RK"


def test_an_entry_of_a_glossary_is_its_name() -> None:
    entry = r"\newglossaryentry{ml}{name={machine learning}, description={What, learns}}"
    assert read(r"By \gls{ml}", entry) == "By machine learning"


@pytest.mark.parametrize(
    ("definition", "read_as"),
    [
        (r"\newcommand{\nest}{sea birds\xspace}", "The sea birds of"),
        (r"\newcommand*\nest{$\Lambda$CDM}", "The ΛCDM of"),
        (r"\def\nest{\textsc{Auk}\xspace}", "The Auk of"),
        (r"\newcommand{\nest}{w.r.t.\@\xspace}", "The w.r.t. of"),
        (r"\def\nest{w.r.t\onedot}", "The w.r.t. of"),
        (r"\def\nest{\@latex@warning}", "The of"),
        (r"\newcommand{\nest}{\spacedlowsmallcaps{NEST}sim\xspace}", "The NESTsim of"),
        (r"\newcommand{\nest}{\project{auk}}", "The auk of"),
        (r"\newcommand{\nest}{\cellcolor{gray}}", "The of"),
        (r"\newcommand{\nest}{\pagestyle{plain}}", "The of"),
        (r"\newcommand{\nest}[1]{birds #1}", "The of"),
        (r"\newcommand{\nest}{\vspace{1em}}", "The of"),
        (r"\newcommand{\nest}{-2.5em}", "The of"),
        (r"\newcommand{\nest}{%s}" % ("word " * 30), "The of"),
        (r"% \newcommand{\nest}{birds}", "The of"),
    ],
)
def test_a_macro_of_a_few_plain_words_is_read(definition: str, read_as: str) -> None:
    assert read(r"The \nest{} of", definition) == read_as


def test_titles_and_abstract_are_read_the_same_way() -> None:
    text = (
        DEFINITIONS["acro"] + r"\title{A \acs{cdae}}\begin{document}"
        r"\begin{abstract}On \acl{cdae}s.\end{abstract}\section[x]{The \acs{cdae}} Words."
    )
    manuscript = parse(text, "latex")
    assert (manuscript.title, manuscript.abstract) == ("A CDAE", "On coding deep nets.")
    assert [section.title for section in manuscript.sections] == ["", "The CDAE"]


def test_offsets_behind_an_abbreviation_are_those_of_the_source() -> None:
    text = DEFINITIONS["acro"] + "\n\nThe \\acf{cdae} works. So do \\acs{cdae} and gulls~\\cite{a}."
    manuscript = parse(text, "latex")
    assert [text[sentence.start : sentence.end] for sentence in manuscript.sentences] == [
        "The \\acf{cdae} works.",
        "So do \\acs{cdae} and gulls~\\cite{a}.",
    ]
    start, end = text.index("cdae} and"), text.index("gulls")
    assert manuscript.prose(end, len(text)) == "gulls."
    assert manuscript.prose(start - 5, end) == "CDAE and"


def test_names_given_from_elsewhere_win_only_where_they_are_used() -> None:
    names = parse(DEFINITIONS["acro"], "latex").layout.names
    user, other = parse("A \\acs{cdae}.", "latex"), parse("No \\acs{other}.", "latex")
    assert [sentence.text for sentence in user.with_names(names).sentences] == ["A CDAE."]
    assert other.with_names(names) is other
    assert [sentence.text for sentence in user.with_names(names).with_names({}).sentences] == [
        "A cdae."
    ]
