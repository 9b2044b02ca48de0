"""The case of keys counts, but to BibTeX, which has a way of its own with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]
BIBER = "\\usepackage{biblatex}\n\\addbibresource{lib.bib}\n%s\n"
BIBTEX = "%s\n\\bibliography{lib}\n"
CASES = ("--only", "unknown-key", "--only", "duplicate-key")
ENTRY = "@book{reed1999, title = {Mud}}\n"
ENTRIES = ENTRY + "@book{Reed1999, title = {Silt}}\n"
DRAFTS = {
    "a.md": "---\nbibliography: lib.bib\n---\n\nMud [@Reed1999].\n",
    "a.typ": '#bibliography("lib.bib")\n\nMud @Reed1999.\n',
    "a.org": "#+bibliography: lib.bib\n\nMud [cite:@Reed1999].\n",
    "a.tex": BIBER % r"\cite{Reed1999}",
}


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name, draft", DRAFTS.items(), ids=DRAFTS)
def test_a_key_in_another_case_is_unknown(
    command: Command, desk: Path, name: str, draft: str
) -> None:
    write(desk, lib_bib=ENTRY)
    (desk / name).write_text(draft, encoding="utf-8")
    (line,) = command("check", name, *CASES).out.splitlines()
    assert 'no entry has the key "Reed1999": did you mean "reed1999"?' in line
    write(desk, lib_bib=ENTRIES)
    assert command("check", name, "lib.bib", *CASES).out == ""


def test_it_is_known_to_bibtex_once(command: Command, desk: Path) -> None:
    write(desk, lib_bib=ENTRY, a_tex=BIBTEX % r"\cite{Reed1999}")
    assert command("check", "a.tex", "lib.bib", *CASES).out == ""
    write(desk, a_tex=BIBTEX % "\\cite{Reed1999}\n\\cite{reed1999}")
    (line,) = command("check", "a.tex", *CASES).out.splitlines()
    assert line.startswith('a.tex:2:7: warning: "reed1999" is cited as "Reed1999" before: BibTeX')


def test_two_entries_of_one_key_are_duplicates_to_bibtex(command: Command, desk: Path) -> None:
    write(desk, lib_bib=ENTRIES, a_tex=BIBTEX % r"\cite{Reed1999}")
    lines = command("check", "a.tex", "lib.bib", *CASES).out.splitlines()
    assert len(lines) == 1 and "duplicate-key" in lines[0]


def test_a_related_key_in_another_case_is_unknown_to_biber(command: Command, desk: Path) -> None:
    part = "@incollection{part, title = {Ebb}, crossref = {Reed1999}}\n"
    write(desk, lib_bib=part + ENTRY, a_tex=BIBER % r"\cite{part}")
    (line,) = command("check", "lib.bib", *CASES).out.splitlines()
    assert 'no entry has the key "Reed1999"' in line
    write(desk, a_tex=BIBTEX % r"\cite{part}")
    assert command("check", "lib.bib", *CASES).out == ""


def test_a_record_of_data_alone_is_printed_by_bibtex_only(command: Command, desk: Path) -> None:
    write(desk, lib_bib=ENTRY.replace("@book", "@xdata"), a_tex=BIBER % r"\cite{reed1999}")
    (line,) = command("check", "a.tex", *CASES).out.splitlines()
    assert '"reed1999" is an @xdata record' in line
    write(desk, a_tex=BIBTEX % r"\cite{reed1999}")
    assert command("check", "a.tex", *CASES).out == ""


def test_a_bibitem_has_one_case(command: Command, desk: Path) -> None:
    items = "\\begin{thebibliography}{9}\\bibitem{reed1999} Mud.\\end{thebibliography}\n"
    write(desk, a_tex=f"\\documentclass{{article}}\n\\cite{{Reed1999}}\n{items}")
    (line,) = command("check", "a.tex", *CASES).out.splitlines()
    assert 'no entry has the key "Reed1999"' in line
