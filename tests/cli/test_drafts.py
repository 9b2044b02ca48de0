"""`drafts`: what is kept of the writer's drafts, learnt from those on the disk, and forgotten."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]

BIB = """@article{mud, title={Mud settles among reeds}, author={Kim, Jo}, year={2012}}
@article{salt, title={Salt in the marsh}, author={Li, Wei}, year={2011}}
"""


@pytest.fixture
def papers(desk: Path) -> Path:
    """A thesis of two files, a note, what cites nothing, and a draft whose settings keep it."""
    folder = desk / "papers"
    for name, text in {
        "thesis/main.tex": "\\documentclass{book}\\title{On tides}\\begin{document}\n"
        "\\input{one}\nMud settles in reeds \\cite{mud, salt}.\n\\bibliography{all}\\end{document}",
        "thesis/one.tex": "The marsh is salty \\cite{salt}. So it is \\cite{unknown}.\n",
        "thesis/all.bib": BIB,
        "note.md": "---\ntitle: A note\nbibliography: thesis/all.bib\n---\nMud is wet [@mud].\n",
        "README.md": "# Nothing\n\nNo citation.\n",
        "secret/draft.md": "---\nbibliography: ../thesis/all.bib\n---\nSalt, too [@salt].\n",
        "secret/cite-lsp.toml": "otherDrafts = false\n",
        ".git/old.md": "---\nbibliography: ../thesis/all.bib\n---\nOld [@salt].\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    os.utime(folder / "note.md", (1_500_000_000, 1_500_000_000))  # July 2017
    return folder


def listed(command: Command) -> dict[str, tuple[int, int]]:
    drafts = command("drafts", "--json").json["drafts"]
    return {row["title"]: (row["papers"], row["places"]) for row in drafts}


def test_the_drafts_of_a_folder_are_stored_each_once_and_of_its_time(
    command: Command, papers: Path
) -> None:
    outcome = command("drafts", "add", str(papers), "--json")

    assert outcome.status == 0
    known = {row["title"]: row for row in outcome.json["drafts"]}
    assert known.keys() == {"On tides", "A note"}
    assert known["On tides"]["root"] == str(papers / "thesis" / "main.tex")
    assert (known["On tides"]["papers"], known["On tides"]["places"]) == (2, 2)
    assert known["A note"]["year"] == 2017
    assert "otherDrafts = false" in outcome.err and str(papers / "secret") in outcome.err
    assert listed(command) == {"On tides": (2, 2), "A note": (1, 1)}


def test_nothing_is_stored_of_a_draft_that_any_of_its_settings_exclude(
    command: Command, papers: Path
) -> None:
    root = "\\documentclass{article}\\title{%s}\\begin{document}\\input{%s}\\bibliography{%s}"
    for name, text in {
        "secret/main.tex": root % ("Secret", "../open/ch", "../thesis/all") + "\\end{document}",
        "open/ch.tex": "% !TEX root = ../secret/main.tex\nMud is wet \\cite{mud}.\n",
        "whole.tex": root % ("Whole", "secret/part", "thesis/all") + "\\end{document}",
        "secret/part.tex": "Salt is salty \\cite{salt}.\n",
    }.items():
        (papers / name).parent.mkdir(exist_ok=True)
        (papers / name).write_text(text)

    command("drafts", "add", str(papers))

    assert listed(command).keys() == {"On tides", "A note"}


def test_old_drafts_do_not_drive_out_the_newest(
    command: Command, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cite_lsp.recommend.evidence import drafts_store

    monkeypatch.setattr(drafts_store, "_MOST_FILES", 2)
    command("drafts", "add", str(papers / "thesis"))
    for number in range(3):
        old = papers / f"old{number}.md"
        old.write_text((papers / "note.md").read_text().replace("A note", f"Old {number}"))
        os.utime(old, (1_400_000_000 + number, 1_400_000_000 + number))
        command("drafts", "add", str(old))

    assert "On tides" in listed(command) and len(listed(command)) == 2


def test_what_is_damaged_is_forgotten_too(command: Command, papers: Path) -> None:
    command("drafts", "add", str(papers / "note.md"))
    (file,) = (papers.parent.parent / "home").rglob("drafts/*.npz")
    file.write_bytes(file.read_bytes()[:100])

    outcome = command("drafts", "forget", str(papers / "note.md"))

    assert (outcome.status, outcome.out) == (0, f"forgotten: {papers / 'note.md'}\n")
    assert not file.exists()


def test_what_was_stored_serves_the_next_draft(command: Command, papers: Path) -> None:
    command("drafts", "add", str(papers / "note.md"))

    elsewhere = OtherDrafts().beside(papers / "next.tex")

    assert elsewhere is not None
    (draft,) = OtherDrafts().all()
    assert [work.title for work in draft.papers] == ["Mud settles among reeds"]
    assert draft.vectors.shape == (1, 384)


def test_drafts_are_listed_in_lines_and_those_that_are_gone_are_reported(
    command: Command, papers: Path
) -> None:
    assert command("drafts").out.startswith("none yet; learn from those on your disk")
    command("drafts", "add", str(papers))
    (papers / "note.md").unlink()

    lines = command("drafts").out.splitlines()

    assert lines == [
        f"On tides (2 citations of 2 papers), {papers / 'thesis' / 'main.tex'}",
        f"A note (1 citation of 1 paper; gone: it tells nothing any more), {papers / 'note.md'}",
    ]
    assert command("drafts", "list", str(papers / "thesis")).out.splitlines() == lines[:1]
    outside = command("drafts", "list", str(papers / "secret"))
    assert outside.out == "no record of drafts there; `cite-lsp drafts` lists what is\n"


def test_drafts_are_forgotten_by_file_and_by_folder(command: Command, papers: Path) -> None:
    command("drafts", "add", str(papers))

    outcome = command("drafts", "forget", str(papers / "thesis"))

    assert outcome.out == f"forgotten: On tides, {papers / 'thesis' / 'main.tex'}\n"
    assert listed(command) == {"A note": (1, 1)}
    assert command("drafts", "forget", str(papers / "note.md")).status == 0
    assert listed(command) == {}
    outcome = command("drafts", "forget", str(papers))
    assert (outcome.status, outcome.out) == (1, "")
    assert "no record of drafts there" in outcome.err


def test_what_is_no_draft_is_reported_and_nothing_is_stored(command: Command, papers: Path) -> None:
    for name in ("thesis/all.bib", "missing.tex"):
        outcome = command("drafts", "add", str(papers / name))
        assert outcome.status == 1 and outcome.err.startswith(f"cite-lsp: {papers / name}: ")
    outcome = command("drafts", "add", str(papers / "README.md"))
    assert (outcome.status, outcome.out) == (
        0, "no draft here cites an entry of its bibliography (files read: 1)\n",
    )  # fmt: skip
    assert "cite-lsp drafts add PATH" in command("drafts", "add").misuse
    assert listed(command) == {}


def test_drafts_that_cannot_be_stored_are_reported_and_not_said_to_cite_nothing(
    command: Command, papers: Path, desk: Path
) -> None:
    cache = desk.parent / "home" / "cache"
    cache.mkdir(parents=True)
    (cache / "drafts").write_text("no folder")
    outcome = command("drafts", "add", str(papers))
    assert (outcome.status, outcome.out) == (1, "")
    assert "cite-lsp: 2 drafts could not be kept; check the room" in outcome.err


def test_copies_of_a_draft_are_listed_below_it(command: Command, papers: Path) -> None:
    shutil.copytree(papers / "thesis", papers / "thesis 2")
    command("drafts", "add", str(papers))
    lines = command("drafts").out.splitlines()
    assert sum(line.startswith("On tides (2 citations of 2 papers), ") for line in lines) == 1
    (copy,) = (line for line in lines if line.startswith("    "))
    assert copy.startswith("    the same at ") and len(lines) == 3
