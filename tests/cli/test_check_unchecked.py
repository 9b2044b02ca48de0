"""`check`: what could not be checked does not pass; folders are checked with all their drafts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.project.files_on_disk import FilesOnDisk
from tests.cli.conftest import Outcome
from tests.cli.test_check import NEEDY

Command = Callable[..., Outcome]
DRAFT = r"""\documentclass{article}
\begin{document}
Gulls nest here \cite{gulls}.
\include{ch}
\bibliography{refs}
\end{document}
"""


def test_a_bibliography_that_is_named_has_to_be_there(command: Command, desk: Path) -> None:
    (desk / "a.tex").write_text("Words.\n", encoding="utf-8")
    outcome = command("check", "a.tex", "-b", "gone.bib", "--only", "unknown-key")
    assert outcome.error.startswith("gone.bib: the bibliography does not exist: create it or ")
    (desk / "lib.bib").mkdir()
    for rest in (("check", "a.tex"), ("suggest", "a.tex"), ("search", "words")):
        message = command(*rest, "-b", "lib.bib").error
        assert message == "lib.bib: the bibliography is a folder: name a .bib file in it"


@pytest.mark.parametrize("content", [b"%PDF-1.7\nwords", b"words\0words", b"PK\x03\x04words"])
def test_a_file_that_is_no_text_does_not_pass(command: Command, desk: Path, content: bytes) -> None:
    (desk / "scan.tex").write_bytes(content)
    message = "scan.tex: is no text; name the draft itself, saved as UTF-8"
    assert command("check", "scan.tex").err == f"{message}\n"
    assert command("suggest", "scan.tex").error == message
    assert command("drafts", "add", "scan.tex").error.startswith("scan.tex: is no text; name the")
    (desk / "a.tex").write_text("\\input{scan}\n", encoding="utf-8")
    outcome = command("check", "a.tex", "--only", "empty-citation")
    assert outcome.status == 1 and "scan.tex: is no text; save it as UTF-8" in outcome.err


def test_what_is_no_draft_costs_no_findings(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk / "a.md").write_text(
        "---\nbibliography: refs.bib\n---\nGulls [@gone].\n", encoding="utf-8"
    )
    (desk / "scan.tex").write_bytes(b"words\0words")
    (desk / "empty").mkdir()
    (desk / "large.md").write_text("Words.\n", encoding="utf-8")
    monkeypatch.setattr(
        "cite_lsp.cli.checking.checker.FilesOnDisk.read",
        lambda files, path, read=FilesOnDisk.read: (
            None if path.name == "large.md" else read(files, path)
        ),
    )
    reasons = {
        "scan.tex": "is no text; name the draft itself, saved as UTF-8",
        "gone.tex": "no such file",
        "dump.jsonl": "cannot be read as a draft or a bibliography; give a .tex, .md,",
        "empty": "holds no draft; name a folder with",
        "ch*.tex": "matches no file; check the pattern",
        "large.md": "cannot be read; check the path and the permissions",
    }
    arguments = ("check", *reasons, "a.md", "--only", "unknown-key")
    outcome = command(*arguments)
    assert outcome.status == 1 and outcome.out.count("[unknown-key]") == 1
    assert len(outcome.err.splitlines()) == len(reasons)
    result = command(*arguments, "--json")
    assert result.status == 1 and len(result.json["findings"]) == 1
    unchecked = {
        str(Path(part["file"]).relative_to(desk)): part["message"]
        for part in result.json["unchecked"]
    }
    assert unchecked.keys() == reasons.keys()
    for name, reason in reasons.items():
        assert unchecked[name].startswith(reason)
        assert f"{name}: {reason}" in outcome.err
    (run,) = command(*arguments, "--format", "sarif").json["runs"]
    (invocation,) = run["invocations"]
    assert len(invocation["toolExecutionNotifications"]) == len(reasons)


def test_a_draft_in_utf_16_is_a_text(command: Command, desk: Path) -> None:
    (desk / "a.tex").write_bytes("Words.\n".encode("utf-16"))
    assert command("check", "a.tex", "--only", "empty-citation").status == 0


def test_a_part_that_is_not_there_does_not_pass(command: Command, desk: Path) -> None:
    (desk / "paper.tex").write_text(DRAFT, encoding="utf-8")
    only = ("paper.tex", "--only", "unknown-key")
    outcome = command("check", *only)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.splitlines()[-1] == (
        "paper.tex:4: includes ch.tex, which is not there; create it or correct the path"
    )
    (part,) = command("check", *only, "--json").json["unchecked"]
    assert (part["line"], part["message"].split(",")[0]) == (4, "includes ch.tex")
    (run,) = command("check", *only, "--format", "sarif").json["runs"]
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    assert "ch.tex" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    (desk / "ch.tex").write_text("Words.\n", encoding="utf-8")
    outcome = command("check", *only)
    assert (outcome.status, outcome.err) == (0, "")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.typ", '#include "part.typ"'),
        ("a.org", '#+INCLUDE: "part.org"'),
        ("a.qmd", "{{< include part.qmd >}}"),
        ("a.tex", r"\import{parts/}{part}"),
    ],
)
def test_so_it_is_in_every_format(command: Command, desk: Path, name: str, text: str) -> None:
    (desk / name).write_text(f"Words.\n\n{text}\n", encoding="utf-8")
    outcome = command("check", name, "--only", "unknown-key")
    assert outcome.status == 1 and f"{name}:3: includes part." in outcome.err


@pytest.mark.parametrize(
    "included",
    [
        r"\IfFileExists{ch}{\input{ch}}{}",
        r"\InputIfFileExists{ch}{}{}",
        r"\input{glyphtounicode}",
        r"\input{figure.pdf_tex}",
        r"\newcommand{\chapterfile}[1]{\input{#1}}",
        "\\begin{filecontents}{ch.tex}\nWords.\n\\end{filecontents}\n\\input{ch}",
        "% cite-lsp: off-next-line\n\\input{ch}",
        "% \\input{ch}",
        r"\includeonly{ab, c}\include{ch}",
        r"9\% \includeonly{ab, c}\include{ch}",
    ],
)
def test_a_part_that_may_well_be_missing_passes(
    command: Command, desk: Path, included: str
) -> None:
    (desk / "a.tex").write_text(f"Words.\n{included}\n", encoding="utf-8")
    outcome = command("check", "a.tex", "--only", "unknown-key")
    assert (outcome.status, outcome.err) == (0, "")


@pytest.mark.parametrize(
    "included",
    [
        r"\includeonly{ab, ch}\include{ch}",
        r"\includeonly{ab}\input{ch}",
        "% \\includeonly{ab}\n\\include{ch}",
    ],
)
def test_a_part_that_is_set_must_be_there(command: Command, desk: Path, included: str) -> None:
    (desk / "a.tex").write_text(f"Words.\n{included}\n", encoding="utf-8")
    outcome = command("check", "a.tex", "--only", "unknown-key")
    assert outcome.status == 1 and "includes ch.tex" in outcome.err


def test_keys_are_not_checked_beside_a_bibliography_at_an_address(
    command: Command, desk: Path
) -> None:
    named = r"\addbibresource{refs.bib}\addbibresource[location=remote]{https://example.org/a.bib}"
    (desk / "a.tex").write_text(f"Words \\cite{{terns}}.\n{named}\n", encoding="utf-8")
    outcome = command("check", "a.tex", "--only", "unknown-key")
    assert (
        outcome.status == 1
        and "because https://example.org/a.bib is not fetched; name a copy" in outcome.err
    )


def test_a_draft_without_keys_or_without_the_rule_passes_without_a_bibliography(
    command: Command, desk: Path
) -> None:
    folder = desk / "alone"
    (folder / ".git").mkdir(parents=True)
    path = folder / "a.md"
    path.write_text("Thanks to @ada.\n", encoding="utf-8")
    assert command("check", path, "--threshold", "1").status == 0
    path.write_text("Words [@ada].\n", encoding="utf-8")
    assert command("check", path, "--threshold", "1").status == 1
    path.write_text("<!-- cite-lsp: off unknown-key -->\nWords [@ada].\n", encoding="utf-8")
    assert command("check", path, "--threshold", "1").status == 0
    path.write_text("Words [@ada].\n", encoding="utf-8")
    (folder / "cite-lsp.toml").write_text("[diagnostics]\nunknownKey = false\n", encoding="utf-8")
    assert command("check", path, "--threshold", "1").status == 0


def test_a_folder_is_checked_with_all_drafts_in_it_each_once(command: Command, desk: Path) -> None:
    files = {
        "thesis.tex": DRAFT.replace("{ch}", "{a/part}").replace("refs", "../refs"),
        "a/part.tex": "Words \\cite{}.\n",
        "notes.md": "Words [@].\n",
        ".old/paper.tex": "Words \\cite{}.\n",
        "build/paper.tex": "Words \\cite{}.\n",
        "data.txt": "Words \\cite{}.\n",
    }
    for name, text in files.items():
        path = desk / "thesis" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (desk / "thesis" / "scan.tex").write_bytes(b"words\0words")
    outcome = command("check", "thesis", "--only", "empty-citation")
    places = [line.split(": ")[0].replace(os.sep, "/") for line in outcome.out.splitlines()]
    assert places == ["thesis/notes.md:1:7", "thesis/a/part.tex:1:7"]
    assert "scan.tex: is no text" in outcome.err and outcome.status == 1


@pytest.mark.parametrize("name", ["README.md", "Licence.txt.md", "CODE_OF_CONDUCT.md", "todo.org"])
def test_what_is_about_a_project_lacks_no_citations(
    command: Command, desk: Path, name: str
) -> None:
    (desk / "draft.tex").unlink()
    (desk / name).write_text(NEEDY + "\n", encoding="utf-8")
    (desk / "paper.md").write_text(NEEDY + "\n", encoding="utf-8")

    def hinted(*files: str) -> set[str]:
        lines = command("check", *files, "--only", "missing-citation").out.splitlines()
        return {line.partition(":")[0] for line in lines if line[:1] != " "}

    assert hinted(".") == {"paper.md"}
    assert hinted(".", name) == {"paper.md", name}, "it was named itself"
    cite = "[cite:@marsh]" if name.endswith(".org") else "[@marsh]"
    (desk / name).write_text(f"{NEEDY}\n\nA marsh {cite}.\n", encoding="utf-8")
    assert hinted(".") == {"paper.md", name}, "it cites"


def test_a_folder_without_a_draft_or_with_too_many_is_one_line(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk / "empty").mkdir()
    assert command("check", "empty").err.startswith("empty: holds no draft; name a folder with")
    monkeypatch.setattr("cite_lsp.cli.checking.draft_folders.MOST_DRAFTS", 1)
    assert command("check", ".").err == ".: holds more than 1 drafts; name a smaller folder\n"
