"""`bib`: the entries that drafts cite, works that are in twice, false entries."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import TEX, Outcome

Command = Callable[..., Outcome]


def entry(desk: Path, key: str) -> str:
    """Return an entry of the bibliography as it is written."""
    text = (desk / "refs.bib").read_text(encoding="utf-8")
    start = text.index(f"@article{{{key},")
    return text[start : text.index("\n}\n", start) + 3]


def test_the_entries_that_a_draft_cites_are_printed(command: Command, desk: Path) -> None:
    outcome = command("bib", "--cited-only", "draft.tex")
    assert (outcome.status, outcome.out) == (0, entry(desk, "transformer"))


def test_what_a_chunk_of_code_cites_is_taken_and_is_in_use(command: Command, desk: Path) -> None:
    code = 'knitr::kable(data.frame(by = c("@marsh", "see [@gone]")))'
    (desk / "table.qmd").write_text(
        f"---\nbibliography: refs.bib\n---\n\nWords [@vectors].\n\n```{{r}}\n{code}\n```\n\n"
        "```\n@gulls\n```\n",
        encoding="utf-8",
    )
    outcome = command("bib", "--cited-only", "table.qmd")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == entry(desk, "marsh") + entry(desk, "vectors")
    unused = command("check", "table.qmd", "--only", "unused-entry").out
    assert '"gulls"' in unused and '"marsh"' not in unused


def test_keys_that_a_macro_stands_for_are_taken_and_are_in_use(
    command: Command, desk: Path
) -> None:
    (desk / "paper.tex").write_text(
        "\\newcommand{\\mine}{marsh,\n vectors}\\def\\other#1{gulls}\n"
        "\\cite{\\mine}\\bibliography{refs}",
        encoding="utf-8",
    )
    outcome = command("bib", "--cited-only", "paper.tex")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == entry(desk, "marsh") + entry(desk, "vectors")
    unused = command("check", "paper.tex", "--only", "unused-entry").out
    assert '"gulls"' in unused and '"marsh"' not in unused


def test_drafts_share_one_file_in_its_order(command: Command, desk: Path) -> None:
    outcome = command("bib", "--cited-only", "notes.md", "draft.tex", "-o", "cited.bib")
    assert (outcome.status, outcome.out) == (0, "")
    cited = (desk / "cited.bib").read_text(encoding="utf-8")
    assert cited == entry(desk, "transformer") + entry(desk, "vectors")


def test_a_key_without_entry_is_reported_and_fails_the_build(command: Command, desk: Path) -> None:
    (desk / "paper.tex").write_text("\\cite{vectors, gull}\\bibliography{refs}", encoding="utf-8")
    outcome = command("bib", "--cited-only", "paper.tex")
    assert (outcome.status, outcome.out) == (1, entry(desk, "vectors"))
    assert outcome.err == 'no entry has the key "gull"\n'


def test_what_is_broken_of_the_entries_taken_is_told(command: Command, desk: Path) -> None:
    (desk / "more.bib").write_text("@book{fen,\n year = {2001}\n\n@book{moor,\n x = y\n", "utf-8")
    (desk / "paper.tex").write_text("\\cite{fen}\\bibliography{more,refs}", encoding="utf-8")
    outcome = command("bib", "--cited-only", "paper.tex")
    assert (outcome.status, outcome.out) == (0, "@book{fen,\n year = {2001}\n\n")
    assert outcome.err == 'more.bib:1: the entry "fen" is not closed: add the missing "}"\n'


def test_several_bibliographies_become_one(command: Command, desk: Path) -> None:
    (desk / "macros.bib").write_bytes(b"@string{j = {Journal}}\r\n")
    (desk / "more.bib").write_bytes(b"@book{fen,\r\n note = j}")
    (desk / "paper.tex").write_text(
        "\\cite{vectors, fen}\\bibliography{macros,more,refs}", encoding="utf-8"
    )
    assert command("bib", "--cited-only", "paper.tex", "-o", "cited.bib").status == 0
    assert (desk / "cited.bib").read_bytes() == (
        b"@string{j = {Journal}}\r\n@book{fen,\r\n note = j}\n" + entry(desk, "vectors").encode()
    )


def test_bytes_that_are_no_utf_8_stay(command: Command, desk: Path) -> None:
    old = b"@book{m\xfcller, title = {Caf\xe9}}\n"
    (desk / "old.bib").write_bytes(old + b"@book{other}\n")
    (desk / "paper.tex").write_text("\\cite{müller}\\bibliography{old}", encoding="utf-8")
    assert command("bib", "--cited-only", "paper.tex", "-o", "cited.bib").status == 0
    assert (desk / "cited.bib").read_bytes() == old


def test_a_terminal_is_shown_nothing_that_it_obeys(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk / "odd.bib").write_text("@misc{a, title = {\x1b[2JT}}\n", encoding="utf-8")
    assert "\x1b" in command("bib", "--format", "odd.bib").out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "title = {\N{REPLACEMENT CHARACTER}[2JT}" in command("bib", "--format", "odd.bib").out


def test_another_bibliography_can_be_named(command: Command, desk: Path) -> None:
    (desk / "more.bib").write_text("@book{fen}\n@book{moor}\n", encoding="utf-8")
    (desk / "paper.tex").write_text("\\cite{vectors, fen}\\bibliography{refs}", encoding="utf-8")
    outcome = command("bib", "--cited-only", "paper.tex", "-b", "more.bib")
    assert outcome.out == entry(desk, "vectors") + "@book{fen}\n"


def test_csl_is_taken_apart_too(command: Command, desk: Path) -> None:
    (desk / "refs.json").write_text('[{"id": "a"}, {"id": "b"}]\n', encoding="utf-8")
    (desk / "paper.md").write_text("---\nbibliography: refs.json\n---\n[@b]\n", encoding="utf-8")
    assert command("bib", "--cited-only", "paper.md").out == '[{"id": "b"}]\n'


def test_formats_are_not_mixed(command: Command, desk: Path) -> None:
    (desk / "refs.json").write_text('[{"id": "a"}]\n', encoding="utf-8")
    (desk / "paper.md").write_text(
        "---\nbibliography: [refs.bib, refs.json]\n---\n[@a; @vectors]\n", encoding="utf-8"
    )
    error = command("bib", "--cited-only", "paper.md").error
    assert error.endswith("cannot become one file; only .bib files can")


def test_what_a_draft_reads_is_not_overwritten(command: Command, desk: Path) -> None:
    (desk / "part.tex").write_text("Gulls \\cite{gulls}.", encoding="utf-8")
    main = TEX.replace("\\section{Birds}", "\\input{part}")
    (desk / "draft.tex").write_text(main, encoding="utf-8")
    (desk / "cite-lsp.toml").write_text('bibliography = ["refs.bib"]', encoding="utf-8")
    (desk / "link.bib").symlink_to("draft.tex")
    os.link(desk / "refs.bib", desk / "same.bib")
    before = {path.name: path.read_bytes() for path in desk.iterdir()}
    named = ("draft.tex", "part.tex", "refs.bib", "cite-lsp.toml", "link.bib", "same.bib")
    for output in (*named, "../desk/draft.tex"):
        error = command("bib", "--cited-only", "notes.md", "draft.tex", "-o", output).error
        read = "is read by this command, which would overwrite it; name another file"
        assert error == f"{output}: {read}"
    assert {path.name: path.read_bytes() for path in desk.iterdir()} == before


def test_a_file_that_cannot_be_written_is_named_as_it_was_given(
    command: Command, desk: Path
) -> None:
    for arguments in (("--cited-only", "draft.tex"), ("--format", "refs.bib")):
        error = command("bib", *arguments, "-o", "gone/x.bib").error
        assert error == (
            "gone/x.bib: cannot be written (No such file or directory); choose another file"
        )


def test_a_draft_without_bibliography_is_reported(command: Command, desk: Path) -> None:
    (desk / "refs.bib").unlink()
    error = command("bib", "--cited-only", "draft.tex").error
    assert error.startswith("draft.tex: names no bibliography that is a file")


def test_only_a_draft_cites(command: Command, desk: Path) -> None:
    assert "cannot be read as a draft" in command("bib", "--cited-only", "refs.bib").error
    assert command("bib", "--cited-only", "gone.tex").error == "gone.tex: no such file"


TWICE = """@misc{moor, title = {On Fens}, author = {Moor, Ada}, year = 2001}
@misc{li, title = {On Moors}, author = {Li, Bo}, year = 2001}
@misc{moor2001, title = {On {Fens}}, author = {A. Moor}, year = 2001}
"""
FINDING = 'fens.bib:3:7: information: "moor2001" is the same work as "moor" in line 1: merge them'


def test_works_that_are_in_twice_are_listed(command: Command, desk: Path) -> None:
    (desk / "fens.bib").write_text(TWICE, encoding="utf-8")
    (desk / "fens.tex").write_text("\\cite{moor}\\bibliography{fens}", encoding="utf-8")
    outcome = command("bib", "--duplicates", "fens.bib", "fens.tex")
    assert (outcome.status, outcome.out) == (1, f"{FINDING} [duplicate-work]\n")
    assert (command("bib", "--duplicates", "fens.tex").out) == outcome.out
    assert command("bib", "--duplicates", "refs.bib").status == 0


def test_a_program_is_told_of_them_as_by_check(command: Command, desk: Path) -> None:
    (desk / "fens.bib").write_text(TWICE, encoding="utf-8")
    report = command("bib", "--duplicates", "--json", "fens.bib")
    assert report.status == 1
    assert report.out == command("check", "--json", "--only", "duplicate-work", "fens.bib").out
    assert "leave it out" in command("bib", "--format", "--json", "fens.bib").misuse


def test_a_build_fails_on_them_where_it_checks_the_library(command: Command, desk: Path) -> None:
    (desk / "fens.bib").write_text(TWICE, encoding="utf-8")
    (desk / "fens.tex").write_text("\\cite{moor}\\bibliography{fens}", encoding="utf-8")
    assert command("check", "fens.tex").out == ""
    for arguments in (["fens.bib"], ["fens.tex", "--only", "duplicate-work"]):
        assert FINDING in command("check", *arguments).out


def test_what_is_listed_goes_into_no_file(command: Command, desk: Path) -> None:
    misuse = command("bib", "--duplicates", "refs.bib", "-o", "x.bib").misuse
    assert misuse == "--output is for --cited-only and --format; leave it out"


MESSY = b"% M\xfcller\r\n@Book{b,YEAR=2001,\r\nTitle = {Caf\xe9}}\r\n@misc{a}\r\n"
TIDY = b"% M\xfcller\r\n@book{b,\r\n  title = {Caf\xe9},\r\n  year  = 2001,\r\n}\r\n@misc{a}\r\n"


def test_a_file_is_laid_out_where_it_is(command: Command, desk: Path) -> None:
    path = desk / "messy.bib"
    path.write_bytes(MESSY)
    for _ in range(2):
        assert command("bib", "--format", "messy.bib", "-o", "messy.bib").status == 0
        assert path.read_bytes() == TIDY
    path.write_bytes(b"@misc{b}\n@misc{a}\n")
    assert command("bib", "--format", "--sort", "messy.bib").out == "@misc{a}\n@misc{b}\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows lets few users make links")
def test_a_link_to_the_file_stays_one(command: Command, desk: Path) -> None:
    (desk / "messy.bib").write_bytes(MESSY)
    (desk / "link.bib").symlink_to("messy.bib")
    assert command("bib", "--format", "link.bib", "-o", "link.bib").status == 0
    assert (desk / "link.bib").is_symlink()
    assert (desk / "messy.bib").read_bytes() == TIDY
    unwritable = command("bib", "--format", "link.bib", "-o", ".").error
    assert unwritable.startswith(".: cannot be written")


def test_what_cannot_be_formatted_is_told(command: Command, desk: Path) -> None:
    assert command("bib", "--format", "draft.tex").error.startswith("draft.tex: is no .bib file")
    assert "gone.bib" in command("bib", "--format", "gone.bib").error
    assert "belongs to --format" in command("bib", "--sort", "--duplicates", "refs.bib").misuse
    assert "one file" in command("bib", "--format", "refs.bib", "refs.bib").misuse


CLAIMS = """@article{moor, title = {The Growth of Fens}, author = {A. Moor}, year = 2002, doi = {10.1000/1}}
@book{tern, title = {Terns}, author = {Tern, Di}}
@article{li, title = {Storms in Spring}, author = {Li, Bo}, doi = {10.1000/1}}
"""  # noqa: E501 - one entry a line


def test_what_a_corpus_contradicts_is_told(command: Command, desk: Path) -> None:
    (desk / "fens.bib").write_text(CLAIMS, encoding="utf-8")
    assert command("bib", "--verify", "fens.bib").error.startswith("no corpus has been indexed")
    (desk / "papers.jsonl").write_text(
        '{"id": "1", "title": "The growth of fens", "authors": ["Ada Moor"], "year": 2001,'
        ' "doi": "10.1000/1"}',
        encoding="utf-8",
    )
    assert command("index", "papers.jsonl", "--corpus", "moors").status == 0
    outcome = command("bib", "--verify", "fens.bib")
    assert (outcome.status, outcome.out.splitlines()) == (
        1,
        [
            'fens.bib:3:10: warning: "li" differs from 10.1000/1 in the corpus moors: title'
            " “Storms in Spring”, there “The growth of fens”; authors Bo Li, there Ada Moor"
            " [unverified-entry]",
            'fens.bib:2:7: hint: "tern" is not found in the corpus moors [unverified-entry]',
        ],
    )
    assert outcome.err == "1 contradicted, 1 not found\n"
    assert command("check", "fens.bib").out == ""


FEN = {
    "id": "2301.01234",
    "title": "The Growth of Fens",
    "authors": ["José Müller", "Ada Moor"],
    "year": 2023,
    "venue": "Journal of Fens",
    "doi": "10.1000/fens",
}


def test_a_new_entry_comes_from_a_corpus_in_the_style_of_the_file(
    command: Command, desk: Path
) -> None:
    (desk / "papers.jsonl").write_text(json.dumps(FEN), encoding="utf-8")
    error = command("bib", "--from", "10.1000/fens").error
    assert error.startswith("no corpus has been indexed")
    assert command("index", "papers.jsonl", "--corpus", "moors").status == 0
    (desk / "own.bib").write_text(
        '@ARTICLE{Moor:2001, AUTHOR = "Ada Moor", TITLE = "Peat", JOURNAL = "Fens", YEAR = 2001}\n'
        '@ARTICLE{Li:2002, AUTHOR = "Bo Li", TITLE = "Silt", JOURNAL = "Fens", YEAR = 2002}\n',
        encoding="utf-8",
    )
    written = (
        '@ARTICLE{Muller:2023, AUTHOR = "José Müller and Ada Moor", TITLE = "The Growth of Fens",'
        ' JOURNAL = "Journal of Fens", YEAR = 2023, DOI = "10.1000/fens"}\n'
    )
    for work in ("https://doi.org/10.1000/fens", "the growth of fens"):
        assert command("bib", "--from", work, "own.bib").out == written
    (desk / "own.bib").write_text(written, encoding="utf-8")
    error = command("bib", "--from", "10.1000/fens", "own.bib").error
    assert error == 'own.bib: has the work already, as "Muller:2023" in line 1'
    usual = command("bib", "--from", "10.1000/fens").out
    assert usual.startswith("@article{")
    (desk / "new.bib").touch()
    assert command("bib", "--from", "10.1000/fens", "new.bib").out == usual
    assert "no corpus has a work “Gulls”" in command("bib", "--from", "Gulls").error


def test_a_file_is_named_where_one_is_needed(command: Command, desk: Path) -> None:
    assert command("bib", "--duplicates").misuse.startswith("no FILE is given")
    assert "no more than" in command("bib", "--from", "10.1/x", "a.bib", "b.bib").misuse
    assert "is no .bib file" in command("bib", "--from", "10.1/x", "draft.tex").error
