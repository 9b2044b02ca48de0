r"""`check`: citations without a key, each told once: `\cite{}`, `[@TODO]`, a hole in a list."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]
EMPTY = {
    "a.tex": [
        *(r"\cite{}", r"\citep{}", r"\cite{ }", r"\textcite{???}", r"\cite{TODO}", r"\cite{?}"),
        *(r"\cite{gulls,,marsh}", r"\cite{gulls,}", r"\cite{,gulls}", "\\cite{%\n}", r"\cite{XXX}"),
        *(r"\autocites{gulls}{}", r"\parencite[see][3]{}", r"\cite{TODO: find}", r"\cite{,}"),
        *(r"\cite{FIXME_a}", r"\nocite{}", r"\citationneeded", r"\todo{cite}", "[?]"),
        *(r"\cite{gulls,?}", r"\footnote{\cite{}}", r"\cite{...}", r"\cite{REF}"),
    ],
    "a.md": [
        *("[@]", "[@TODO]", "[@?]", "[-@]", "[see @]", "[@, p. 3]", "[@gulls; @]", "[@gulls; ]"),
        *("[@gulls; @TODO]", "{cite:p}``", r"\cite{}", "[citation needed]", "[@gulls; @?]"),
    ],
    "a.typ": [
        "#cite(<>)",
        "@TODO",
        "#cite(<TODO>)",
        '#cite(label(""))',
        "#todo[cite]",
        "#cite()",
        "#cite( )",
    ],
    "a.org": ["[cite:@]", "[cite:]", "[cite/t:@TODO]", "[cite:@gulls;@]", "[[cite:&gulls;&]]"],
}
FULL = {
    "a.tex": [
        *(r"\cite{gulls}", "\\cite{gulls,%\n marsh}", r"\cite{\mykey}", r"\nocite{*}", "% cite"),
        *("% \\cite{}", r"\verb|\cite{}|"),
    ],
    "a.md": ["[see @gulls, p. 3; @marsh]", "[@gulls; and others]", "a@b.org", "<!-- cite -->"],
    "a.typ": ["@gulls", "#cite(<gulls>)", "#cite(key)"],
    "a.org": ["[cite:see @gulls p. 3; @marsh;]", "[[cite:&gulls;&marsh]]"],
}
REST = ("-b", "refs.bib", "--threshold", "1")


@pytest.mark.parametrize(
    ("name", "citation"),
    [(name, citation) for name, several in EMPTY.items() for citation in several],
)
def test_an_empty_citation_is_found_once_whatever_stands_in_it(
    command: Command, desk: Path, name: str, citation: str
) -> None:
    (desk / name).write_text(f"Plain words stand here {citation} today.\n", encoding="utf-8")
    outcome = command("check", name, *REST, "--json")
    assert [citation["rule"] for citation in outcome.json["findings"]] == ["empty-citation"]
    assert outcome.json["findings"][0]["message"].startswith("empty citation: ")
    assert outcome.status == 1 and "unchecked" not in outcome.json


@pytest.mark.parametrize(
    ("name", "citation"),
    [(name, citation) for name, several in FULL.items() for citation in several],
)
def test_a_citation_with_its_keys_is_not_called_empty(
    command: Command, desk: Path, name: str, citation: str
) -> None:
    (desk / name).write_text(f"Plain words stand here {citation}\ntoday.\n", encoding="utf-8")
    only = ("--only", "empty-citation", "--only", "unknown-key")
    outcome = command("check", name, "-b", "refs.bib", *only)
    assert (outcome.status, outcome.out) == (0, "")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tex", "Plain words \\cite{", "empty citation: "),
        ("a.tex", "Plain words \\citep[see][3]{\n\nOther words.\n", "empty citation: "),
        ("a.tex", "Plain words \\cite{gulls and more.\n\nOthers.\n", "unclosed citation: "),
        ("a.tex", "Plain words \\autocites{gulls}{mar", "unclosed citation: "),
        ("a.typ", "Plain words #cite(<gulls\n\nOthers.\n", 'unclosed citation: write ">)" '),
        ("a.typ", 'Plain words #cite("gulls\n\nOthers.\n', 'unclosed citation: write "")" '),
        ("a.md", "Plain words \\cite{gulls\n\nOthers.\n", 'unclosed citation: write "}" '),
        ("a.org", "Plain words [cite:@\n\nOthers.\n", "empty citation: "),
    ],
)
def test_a_citation_that_is_never_closed_is_found(
    command: Command, desk: Path, name: str, text: str, message: str
) -> None:
    (desk / name).write_text(text, encoding="utf-8")
    outcome = command("check", name, "-b", "refs.bib", "--json")
    (finding,) = outcome.json["findings"]
    assert finding["rule"] == "empty-citation" and finding["message"].startswith(message)
    assert outcome.status == 1


@pytest.mark.parametrize("citation", [r"\cite{Gulls, and\nall of them}", r"\cite{gull\_a}"])
def test_a_citation_of_odd_keys_is_closed(command: Command, desk: Path, citation: str) -> None:
    (desk / "a.tex").write_text(f"Plain words {citation} here.\n", encoding="utf-8")
    assert command("check", "a.tex", "-b", "refs.bib", "--only", "empty-citation").out == ""


def test_a_word_that_is_the_key_of_an_entry_is_no_placeholder(command: Command, desk: Path) -> None:
    (desk / "more.bib").write_text("@book{TODO, title = {To Do}}\n", encoding="utf-8")
    (desk / "a.tex").write_text("Words \\cite{TODO}.\n", encoding="utf-8")
    assert command("check", "a.tex", "-b", "more.bib", "--only", "empty-citation").out == ""


def test_empty_citations_are_switched_off_and_silenced(command: Command, desk: Path) -> None:
    text = "Plain words stand here \\citep{} today \\cite{TODO}.\n"
    draft = desk / "a.tex"
    draft.write_text(text, encoding="utf-8")
    assert command("check", "a.tex", *REST).out.count("[empty-citation]") == 2
    assert command("check", "a.tex", *REST, "--only", "unknown-key").out == ""
    draft.write_text(f"% cite-lsp: off-next-line empty-citation\n{text}", "utf-8")
    assert command("check", "a.tex", *REST).out == ""
    draft.write_text(text, encoding="utf-8")
    (desk / "cite-lsp.toml").write_text("[diagnostics]\nemptyCitation = false\n", encoding="utf-8")
    assert command("check", "a.tex", *REST).out == ""


def test_the_rule_is_described_in_sarif_and_in_the_help(command: Command, desk: Path) -> None:
    (desk / "a.tex").write_text("Plain words stand here \\citep{}.\n", encoding="utf-8")
    document = command("check", "a.tex", *REST, "--format", "sarif").json
    (rule,) = document["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "empty-citation" and rule["shortDescription"]["text"]
    assert "empty-citation" in command("check", "--help").out
