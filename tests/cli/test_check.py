"""`check`: what is wrong with the citations of a draft, and an exit status for builds."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cite_lsp.cli.checking.checker import Checker
from cite_lsp.cli.checking.report import ReportedFinding
from cite_lsp.recommend.missing import doubts
from tests.cli.conftest import TITLES, Outcome

Command = Callable[..., Outcome]
NEEDY = "In recent years, word vectors have been learned from large corpora (Moor, 2001)."
DRAFT = rf"""\documentclass{{article}}
\begin{{document}}
\section{{Related work}}
Our method comes first. 深 😀 {NEEDY}
Gulls nest here \cite{{gull}}.
\bibliography{{refs}}
\end{{document}}
"""


@pytest.fixture
def draft(desk: Path) -> Path:
    path = desk / "paper.tex"
    path.write_text(DRAFT, encoding="utf-8")
    return path


def test_findings_come_with_their_places_and_fail_the_build(command: Command, draft: Path) -> None:
    outcome = command("check", "paper.tex")
    assert outcome.status == 1
    unknown, missing, sentence = outcome.out.splitlines()
    assert missing.startswith("paper.tex:4:25: hint: a citation may be missing here: Moor 2001?")
    assert missing.endswith("[missing-citation]")
    assert sentence.startswith("    “深 😀 In recent years, word vectors")
    assert sentence.endswith(" large corpora (Moor, …” → vectors")
    assert unknown.startswith('paper.tex:5:23: warning: no entry has the key "gull"')


def test_a_long_sentence_is_shown_by_its_beginning(command: Command, draft: Path) -> None:
    words = (
        "In recent years, word vectors have been learned from very large corpora of\n plain text"
    )
    draft.write_text(DRAFT.replace(NEEDY, f"{words} (Moor, 2001)."), encoding="utf-8")
    _, sentence = command("check", "paper.tex", "--only", "missing-citation").out.splitlines()
    beginning, key = sentence.split(" …” → ")
    assert key == "vectors" and len(beginning) <= 85
    assert beginning.endswith("word vectors have been learned from very large corpora of")


def test_a_sentence_that_begins_in_the_middle_of_markup_is_shown_as_it_reads(
    command: Command, draft: Path
) -> None:
    marked = NEEDY.replace("In recent years", r"\textbf{\texttt{Recently}}").replace(
        "word", r"\emph{word}"
    )
    draft.write_text(
        DRAFT.replace(f"first. 深 😀 {NEEDY}", f"first.\n\n{marked}"), encoding="utf-8"
    )
    _, sentence = command("check", "paper.tex", "--only", "missing-citation").out.splitlines()
    assert sentence.startswith("    “Recently, word vectors have been")
    (finding,) = command("check", "paper.tex", "--only", "missing-citation", "--json").json[
        "findings"
    ]
    assert r"\emph{word} vectors" in finding["sentence"] and "said" not in finding


def test_a_draft_without_findings_passes(command: Command, draft: Path) -> None:
    draft.write_text(DRAFT.replace(NEEDY, "").replace("{gull}", "{gulls}"), encoding="utf-8")
    outcome = command("check", "paper.tex")
    assert (outcome.status, outcome.out) == (0, "")


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("", "paper.tex: its keys were not checked, because no bibliography with entries belongs"),
        (r"\bibliography{refs,lost}", "paper.tex: its keys were not checked, because lost.bib is"),
        (r"\bibliography{refs}", ""),
    ],
)
def test_keys_that_cannot_be_checked_are_reported(
    command: Command, draft: Path, named: str, message: str
) -> None:
    draft.write_text(DRAFT.replace(r"\bibliography{refs}", named), encoding="utf-8")
    if not named:  # else the one beside the draft counts
        (draft.parent / "refs.bib").unlink()
    outcome = command("check", "paper.tex", "--only", "unknown-key")
    assert outcome.err.split("\n")[0].startswith(message) and bool(message) == bool(outcome.err)
    assert outcome.status == 1, "what was not checked does not pass"


def test_included_files_are_checked_with_the_draft_each_once(
    command: Command, draft: Path, desk: Path
) -> None:
    (desk / "ch").mkdir()
    (desk / "ch" / "one.tex").write_text("One \\cite{terns}.\n\\input{ch/two}", encoding="utf-8")
    (desk / "ch" / "two.tex").write_text("Two \\cite{auks}.\n", encoding="utf-8")
    main = DRAFT.replace(NEEDY, "").replace("\\bibliography", "\\include{ch/one}\n\\bibliography")
    draft.write_text(main, encoding="utf-8")

    def places(*files: str) -> list[str]:
        lines = command("check", *files, "--only", "unknown-key").out.splitlines()
        return [line.partition(": ")[0] for line in lines]

    first, second = "ch/one.tex:1:11", "ch/two.tex:1:11"
    assert places("paper.tex") == ["paper.tex:5:23", first, second]
    assert places("paper.tex", "ch/one.tex", "./paper.tex") == ["paper.tex:5:23", first, second]
    assert places("ch/../ch/one.tex") == [first, second]
    assert places("ch/two.tex", "ch/one.tex") == [second, first]


def test_an_included_file_is_checked_against_what_the_named_draft_cites_from(
    command: Command, draft: Path, desk: Path
) -> None:
    whole = "\\documentclass{article}\n\\begin{document}\n\\input{part}\n\\bibliography{%s}\n"
    (desk / "a.tex").write_text(whole % "other", encoding="utf-8")
    (desk / "b.tex").write_text(whole % "refs", encoding="utf-8")
    (desk / "part.tex").write_text("Gulls nest \\cite{gulls}.\n", encoding="utf-8")
    (desk / "other.bib").write_text("@book{auk, title = {Auks}}\n", encoding="utf-8")
    assert "gulls" in command("check", "a.tex", "--only", "unknown-key").out
    assert command("check", "b.tex", "--only", "unknown-key").out == ""


def test_a_bibliography_that_only_the_settings_name_is_missed_once(
    command: Command, draft: Path, desk: Path
) -> None:
    (desk / "cite-lsp.toml").write_text('bibliography = ["gone.bib"]\n', encoding="utf-8")
    (desk / "part.tex").write_text("Gulls nest here.\n", encoding="utf-8")
    draft.write_text(DRAFT.replace("\\section", "\\input{part}\n\\section"), encoding="utf-8")
    (line,) = command("check", "paper.tex", "--only", "missing-bibliography").out.splitlines()
    assert line.startswith("paper.tex:1:1: error: gone.bib")


def test_a_missing_bibliography_of_the_settings_file_is_reported_with_that_file(
    command: Command, draft: Path, desk: Path
) -> None:
    (desk / "cite-lsp.toml").write_text('bibliography = ["gone.bib"]\n', encoding="utf-8")
    (line,) = command("check", "paper.tex", "--only", "missing-bibliography").out.splitlines()
    assert line == (
        "paper.tex:1:1: error: gone.bib, named in cite-lsp.toml, does not exist: create it or "
        "correct the setting [missing-bibliography]"
    )


def test_an_empty_citation_is_reported_where_it_stands_with_all_of_its_sentence(
    command: Command, draft: Path
) -> None:
    waiting = NEEDY.replace("large corpora (Moor, 2001).", "large\ncorpora \\citep{}.")
    draft.write_text(DRAFT.replace(NEEDY, waiting), encoding="utf-8")
    only = ("--only", "missing-citation", "--only", "empty-citation")
    (finding,) = command("check", "paper.tex", *only, "--format", "json").json["findings"]
    assert (finding["line"], finding["column"], finding["end_column"]) == (5, 9, 17)
    assert finding["rule"] == "empty-citation" and finding["message"].startswith("empty citation: ")
    assert finding["sentence"].endswith("from large corpora \\citep{}.")
    assert finding["keys"]


def test_rules_and_the_threshold_can_be_chosen(command: Command, draft: Path) -> None:
    only = command("check", "paper.tex", "--only", "unknown-key")
    assert only.status == 1 and "missing-citation" not in only.out
    outcome = command("check", "paper.tex", "--only", "missing-citation", "--threshold", "1")
    assert (outcome.status, outcome.out) == (0, "")


def test_the_level_can_be_chosen(command: Command, draft: Path, desk: Path) -> None:
    (desk / "cite-lsp.toml").write_text("[missing]\nconfidence = 1.0\n", encoding="utf-8")
    only = ("check", "paper.tex", "--only", "missing-citation")
    assert command(*only, "--level", "eager").status == 0, "a figure of its own wins over a level"
    assert command(*only, "--level", "eager", "--confidence", "0.1").status == 1
    (desk / "cite-lsp.toml").unlink()
    counts = [
        len(command(*only, "--level", level).out.splitlines())
        for level in ("careful", "balanced", "eager")
    ]
    assert counts == sorted(counts) and counts[-1] > 0


def test_a_comment_and_a_dismissal_silence(command: Command, draft: Path) -> None:
    draft.write_text(DRAFT.replace("work}", "work}\n% cite-lsp: off"), encoding="utf-8")
    assert command("check", "paper.tex").status == 0
    draft.write_text(DRAFT, encoding="utf-8")
    dismissals = draft.parent / ".cite-lsp" / "dismissed.json"
    dismissals.parent.mkdir()
    words = "深 in recent years word vectors have been learned from large corpora moor 2001"
    row = {"sentence": words, "keys": ["vectors", "transformer", "marsh", "gulls"]}
    dismissals.write_text(json.dumps({"version": 1, "dismissed": [row]}), encoding="utf-8")
    assert command("check", "paper.tex", "--only", "missing-citation").status == 0


def test_json_says_where_and_what(command: Command, draft: Path) -> None:
    findings = command("check", "paper.tex", "--format", "json").json["findings"]
    (missing,) = [item for item in findings if item["rule"] == "missing-citation"]
    assert missing["file"].endswith("paper.tex")
    assert (missing["line"], missing["column"], missing["severity"]) == (4, 25, "hint")
    line = DRAFT.splitlines()[missing["line"] - 1]
    sentence = line[missing["column"] - 1 : missing["end_column"] - 1]
    assert sentence.endswith(NEEDY)
    assert (missing["sentence"], missing["keys"]) == (sentence, ["vectors"])
    assert missing["titles"] == ["Word Vectors from Large Corpora"]
    (unknown,) = [item for item in findings if item["rule"] == "unknown-key"]
    assert not {"sentence", "keys", "titles"} & set(unknown)


def test_json_is_an_option_as_of_other_commands(command: Command, draft: Path) -> None:
    outcome = command("check", "paper.tex", "--json")
    assert outcome.json == command("check", "paper.tex", "--format", "json").json
    assert outcome.status == 1
    assert command("check", "paper.tex", "--json", "--format", "sarif").status == 2


def test_sarif_is_what_code_hosts_read(command: Command, draft: Path) -> None:
    document = command("check", "paper.tex", "--format", "sarif").json
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert rules == {"missing-citation", "unknown-key"}
    for result in run["results"]:
        assert result["ruleId"] in rules and result["level"] in ("error", "warning", "note")
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "paper.tex"
        assert place["region"]["startLine"] in (4, 5)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone.tex", "no such file"),
        ("gone.bib", "no such file"),
        ("dump.jsonl", "cannot be read as a draft or a bibliography"),
    ],
)
def test_what_is_no_draft_is_one_line(command: Command, name: str, reason: str) -> None:
    outcome = command("check", name)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith(f"{name}: {reason}") and outcome.err.count("\n") == 1


def test_the_settings_of_the_project_count(command: Command, draft: Path, desk: Path) -> None:
    (desk / "cite-lsp.toml").write_text(
        "[missing]\nthreshold = 1.0\n[diagnostics]\nunknownKey = false\n[nonsense]\nx = 1\n",
        encoding="utf-8",
    )
    outcome = command("check", "paper.tex")
    assert (outcome.status, outcome.out) == (0, "")
    assert "unknown setting “nonsense.x” ignored" in outcome.err


def test_the_encoder_of_the_settings_is_used(
    command: Command, draft: Path, desk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    command("check", "paper.tex")
    assert "ranking by words only" not in caplog.text
    (desk / "cite-lsp.toml").write_text('encoder = "gone"\n', encoding="utf-8")
    command("check", "paper.tex")
    assert "ranking by words only" in caplog.text


def test_rules_about_entries_examine_the_bibliographies_on_demand(
    command: Command, draft: Path, desk: Path
) -> None:
    (desk / "refs.bib").write_text(
        "@article{gull, title = {Gulls}, author = {Moor, Ann}, journal = {CoRR}, year = {2019}}\n",
        encoding="utf-8",
    )
    (desk / "papers.jsonl").write_text(
        '{"id": "1", "title": "Gulls", "authors": ["Ann Moor"], "year": 2020, "venue": "Proc. X"}',
        encoding="utf-8",
    )
    assert command("index", "papers.jsonl", "--corpus", "birds").status == 0
    assert not command("check", "paper.tex", "--only", "unused-entry").out
    outcome = command("check", "paper.tex", "--only", "preprint")
    assert (outcome.status, outcome.out) == (
        1,
        'refs.bib:1:10: hint: "gull" is a preprint of what was published: Proc. X, 2020'
        " [preprint]\n",
    )
    draft.write_text(DRAFT.replace("gull", "tern"), encoding="utf-8")
    outcome = command("check", "paper.tex", "--only", "unused-entry")
    assert outcome.out == 'refs.bib:1:10: hint: no draft cites "gull" [unused-entry]\n'
    assert "[unused-entry]" not in command("check", "paper.tex").out


def test_a_bibliography_is_checked_for_itself(command: Command, draft: Path, desk: Path) -> None:
    assert command("check", "refs.bib").status == 0
    path = desk / "lab" / "all.bib"
    path.parent.mkdir()
    path.write_text(
        "@book{gull, title = {Gulls}}\n@book{gull, title = {Terns}}\n@book{tern, title = {Cut\n",
        encoding="utf-8",
    )
    outcome = command("check", "lab/all.bib")
    assert outcome.status == 1
    assert [line.split(": ")[0] for line in outcome.out.splitlines()] == [
        "lab/all.bib:3:1",
        "lab/all.bib:2:7",
    ]
    assert "[duplicate-key]" in command("check", "lab/all.bib", "--only", "duplicate-key").out
    assert command("check", "lab/all.bib", "--only", "unknown-key").status == 0
    outcome = command("check", "refs.bib", "--only", "unused-entry")
    assert outcome.out.count("[unused-entry]") == 2, outcome.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the bibliography is empty: add entries to it"),
        (b"<!DOCTYPE html><html><body>404 Not found</body></html>", "holds no entry: is it a "),
        ("@book{gull, title = {Möwen}}\n".encode("latin-1"), "read as Windows-1252: save it as"),
    ],
)
def test_a_file_that_is_no_bibliography_does_not_pass(
    command: Command, desk: Path, content: bytes, message: str
) -> None:
    (desk / "all.bib").write_bytes(content)
    outcome = command("check", "all.bib")
    assert (outcome.status, outcome.out.count("\n")) == (1, 1)
    assert outcome.out.startswith("all.bib:1:1: warning: ") and message in outcome.out


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names are Unicode there")
def test_a_bibliography_is_checked_whatever_its_name(command: Command, desk: Path) -> None:
    name = os.fsdecode(b"b\xe9d.bib")
    (desk / name).write_text("@book{gull, title = {Gulls}}\n", encoding="utf-8")
    assert (command("check", name).out, command("check", name).status) == ("", 0)


def test_of_files_without_sentences_no_progress_is_reported(
    command: Command, draft: Path, desk: Path
) -> None:
    (desk / "macros.tex").write_text("\\newcommand{\\gull}{Larus}\n", encoding="utf-8")
    draft.write_text(DRAFT.replace("\\begin", "\\input{macros}\n\\begin", 1), encoding="utf-8")
    outcome = command("check", "paper.tex")
    assert "paper.tex (1 of 2), sentences: " in outcome.err and "macros.tex" not in outcome.err


def test_of_several_files_progress_says_which(command: Command, draft: Path, desk: Path) -> None:
    (desk / "one.tex").write_text(f"{NEEDY}\n\\input{{two}}\n", encoding="utf-8")
    (desk / "two.tex").write_text(NEEDY, encoding="utf-8")
    (desk / "notes.md").write_text(NEEDY, encoding="utf-8")
    draft.write_text(DRAFT.replace("\\bib", "\\input{one}\n\\bib"), encoding="utf-8")
    lines = command("check", "paper.tex", "notes.md").err.splitlines()
    assert [line.partition(", sentences")[0] for line in lines] == [
        "paper.tex (1 of 4)",
        "one.tex (2 of 4)",
        "two.tex (3 of 4)",
        "notes.md (4 of 4)",
    ]


def test_what_was_found_is_printed_when_a_later_draft_is_interrupted(
    command: Command, draft: Path, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk / "notes.md").write_text("Gulls [@none].", encoding="utf-8")
    checks = Checker.check

    def check(checker: Checker, path: Path) -> Iterator[ReportedFinding]:
        if path.name == "notes.md":
            raise KeyboardInterrupt
        return checks(checker, path)

    monkeypatch.setattr(Checker, "check", check)
    outcome = command("check", "paper.tex", "notes.md", "--only", "unknown-key")
    assert outcome.status > 1 and "[unknown-key]" in outcome.out


def test_a_fault_of_a_bibliography_is_reported_once_where_it_is(
    command: Command, draft: Path, desk: Path
) -> None:
    extra = "@misc{gulls, title = {Other}}\n@misc{open,\n title = {T}\n\n"
    refs = desk / "refs.bib"
    refs.write_text(refs.read_text(encoding="utf-8") + extra, encoding="utf-8")
    for rule in ("duplicate-key", "broken-record"):
        (line,) = command("check", "paper.tex", "--only", rule).out.splitlines()
        assert line.startswith("refs.bib:")


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
def test_a_bibliography_that_tex_has_is_waited_for(
    command: Command, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (draft.parent / "texmf").mkdir()
    installed = draft.parent / "texmf" / "tugboat.bib"
    installed.write_text("@misc{gull, title = {Gulls}}\n")
    program = draft.parent / "bin" / "kpsewhich"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho {installed}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    draft.write_text(DRAFT.replace("{refs}", "{tugboat}"), encoding="utf-8")
    assert "tugboat" not in command("check", "paper.tex").out


def test_a_wrong_key_is_reported_where_that_is_wanted(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doubts, "TIMES", 5.0)  # a library of four entries has no 2,000
    sentence = "The nesting habits of the herring gull have been described"
    (desk / "paper.tex").write_text(
        f"\\begin{{document}}\n{sentence} \\cite{{vectors}}.\n\\bibliography{{refs}}\n",
        encoding="utf-8",
    )
    assert "doubtful" not in command("check", "paper.tex").out
    only = ("check", "paper.tex", "--only", "doubtful-citation")
    line, shown = command(*only).out.splitlines()
    assert line == (
        'paper.tex:2:66: information: "vectors" hardly fits here, "gulls" (Moor 2001) does:'
        " check which is meant [doubtful-citation]"
    )
    assert shown == f"    “{sentence}.” → gulls"
    (finding,) = command(*only, "--json").json["findings"]
    assert finding["keys"] == ["gulls"] and finding["titles"] == [TITLES["gulls"]]
    (desk / "cite-lsp.toml").write_text("[diagnostics]\ndoubtfulCitation = true\n")
    assert line in command("check", "paper.tex").out
