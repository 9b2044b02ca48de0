r"""Bibliographies that a draft makes itself: `filecontents`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.library import LibraryCache
from cite_lsp.project.entry_target import entry_target
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import Project, ProjectCache

Write = Callable[..., Path]

RECORD = "@article{k1,\n  title = {Own},\n}\n"
DRAFT = "%s\\documentclass{article}\n\\begin{document}\n\\cite{k1} %s\n\\end{document}\n"


def draft(name: str, declaration: str, options: str = "", record: str = RECORD) -> str:
    body = f"\\begin{{filecontents*}}{options}{{{name}}}\n{record}\\end{{filecontents*}}\n"
    return DRAFT % (body, declaration)


def titles(project: Project) -> list[str]:
    library = LibraryCache().load(project.bibliographies, project.inline)
    assert library.problems == ()
    return [entry.paper.title for entry in library.entries]


@pytest.mark.parametrize(
    ("name", "declaration"),
    [
        ("\\jobname.bib", "\\addbibresource{\\jobname.bib}"),
        ("refs.bib", "\\bibliography{refs}"),
        ("lib/refs.bib", "\\bibliography{./lib/refs}"),
    ],
)
def test_its_entries_are_those_of_the_draft(
    write: Write, tmp_path: Path, name: str, declaration: str
) -> None:
    path = write("main.tex", text := draft(name, declaration))
    project = ProjectCache().open(path, read=FilesOnDisk().read, workspace=tmp_path)
    assert titles(project) == ["Own"] and project.bibliographies == ()
    assert [target for _, _, target in project.declared] == [path]
    (entry,) = project.inline[0].entries
    assert entry.path == path and text[entry.key_start : entry.key_end] == "k1"
    assert text[entry.start : entry.end] == RECORD.rstrip() and entry.line == 2


def test_it_counts_in_the_files_that_the_draft_includes(write: Write, tmp_path: Path) -> None:
    write("main.tex", draft("refs.bib", "\\input{parts/one}\\bibliography{refs}"))
    part = write("parts/one.tex", "\\cite{k1}")
    assert titles(ProjectCache().open(part, read=FilesOnDisk().read, workspace=tmp_path)) == ["Own"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [("", ["Written"]), ("[overwrite]", ["Own"]), ("[force,nosearch]", ["Own"])],
)
def test_a_file_that_exists_counts_unless_latex_overwrites_it(
    write: Write, tmp_path: Path, options: str, expected: list[str]
) -> None:
    write("refs.bib", RECORD.replace("Own", "Written"))
    path = write("main.tex", draft("refs.bib", "\\bibliography{refs}", options))
    assert (
        titles(ProjectCache().open(path, read=FilesOnDisk().read, workspace=tmp_path)) == expected
    )


def test_it_stands_beside_other_bibliographies_and_items(write: Write, tmp_path: Path) -> None:
    items = "\\begin{thebibliography}{1}\\bibitem{k3} Third.\\end{thebibliography}"
    write("more.bib", "@misc{k2, title={More}}")
    path = write("main.tex", draft("refs.bib", "\\bibliography{refs,more}" + items))
    project = ProjectCache().open(path, read=FilesOnDisk().read, workspace=tmp_path)
    assert titles(project) == ["More", "Own", "Third."]
    assert len(project.inline) == 1


def test_what_is_wrong_with_it_is_reported_by_the_line_of_the_draft(
    write: Write, tmp_path: Path
) -> None:
    record = RECORD + "@misc{k2,\n  title = {Open\n"
    path = write("main.tex", draft("refs.bib", "\\bibliography{refs}", record=record))
    project = ProjectCache().open(path, read=FilesOnDisk().read, workspace=tmp_path)
    (problem,) = project.inline[0].problems
    assert (problem.path, problem.line) == (path, 5)


def test_a_keystroke_in_the_prose_leaves_its_entries_the_same(write: Write, tmp_path: Path) -> None:
    cache, text = ProjectCache(), draft("refs.bib", "\\bibliography{refs}")
    path = write("main.tex", text)
    before = cache.open(path, FilesOnDisk().read, tmp_path)
    write("main.tex", text.replace("\\cite{k1}", "As in \\cite{k1}"))
    after = cache.open(path, FilesOnDisk().read, tmp_path)
    assert after is not before and after.inline[0] is before.inline[0]


def test_new_entries_go_into_it(write: Write, tmp_path: Path) -> None:
    path = write("main.tex", draft("refs.bib", "\\bibliography{refs}"))
    project = ProjectCache().open(path, read=FilesOnDisk().read, workspace=tmp_path)
    target = entry_target(project, may_take=lambda target: True)
    assert target is not None
    assert (target.path, target.place, target.named) == (path, "filecontents", True)
