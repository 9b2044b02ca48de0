"""Which files a draft is made of, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cite_lsp.manuscript import Inclusion, Manuscript
from cite_lsp.manuscript.model import Names
from cite_lsp.project.files import inclusion, inclusion_paths
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import ProjectCache
from tests.project.projects import MAIN, Open, Write, names

pytestmark = pytest.mark.usefixtures("no_home")


def test_included_files_come_in_reading_order(write: Write, opened: Open) -> None:
    write("main.tex", MAIN % "\\input{intro}\\include{chapters/one}\\input{end.tex}")
    write("intro.tex", "Hello")
    write("chapters/one.tex", "\\input{chapters/deep}\\input{near}")
    write("chapters/deep.tex", "Relative to the main file")
    write("chapters/near.tex", "Relative to the including file")
    write("end.tex", "Bye")
    project = opened("main.tex")
    assert names(project) == "main.tex intro.tex one.tex deep.tex near.tex end.tex".split()
    assert [manuscript.text for manuscript in project.document.files][1] == "Hello"


def test_after_an_edit_what_the_draft_defines_is_applied_to_that_file_alone(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("main.tex", MAIN % "\\newacronym{bert}{BERT}{Bidirectional}\\input{a}\\input{b}")
    write("a.tex", "\\gls{bert} reads")
    write("b.tex", "\\gls{bert} writes")
    applied: list[str] = []
    with_names = Manuscript.with_names

    def noting(manuscript: Manuscript, names: Names) -> Manuscript:
        applied.append(manuscript.text)
        return with_names(manuscript, names)

    cache, read = ProjectCache(), FilesOnDisk().read
    before = cache.open(path, read)
    monkeypatch.setattr(Manuscript, "with_names", noting)
    write("b.tex", "\\gls{bert} writes again")
    after = cache.open(path, read)
    assert set(applied) == {"\\gls{bert} writes again"}
    assert after.files[1][1] is before.files[1][1]
    assert after.document.files[2].sentences[0].text == "Bidirectional (BERT) writes again"


def test_cycles_and_missing_files_are_survived(write: Write, opened: Open) -> None:
    write("main.tex", MAIN % "\\input{a}\\input{none}\\input{\\jobname}\\input{b}")
    write("a.tex", "\\input{main}\\input{a}\\input{b}")
    write("b.tex", "")
    assert names(opened("main.tex")) == ["main.tex", "a.tex", "b.tex"]


def test_imported_files_stand_in_their_folder(write: Write, opened: Open) -> None:
    write("main.tex", MAIN % "\\import{parts/}{a}\\subfile{parts/b}")
    write("parts/a.tex", "\\input{c}")
    write("parts/b.tex", "")
    write("parts/c.tex", "")
    assert names(opened("main.tex")) == ["main.tex", "a.tex", "c.tex", "b.tex"]


def test_macros_in_the_name_of_an_included_file_are_followed(write: Write, opened: Open) -> None:
    write("preamble.tex", "\\newcommand{\\chapdir}{chapters}\\def\\part{\\chapdir/two}")
    body = "\\input{\\chapdir/one}\\include{\\part}\\import{\\chapdir}{three}\\input{\\none/four}"
    write("main.tex", "\\input{preamble}" + MAIN % body)
    for name in ("one", "two", "three", "four"):
        write(f"chapters/{name}.tex", "Prose")
    project = opened("chapters/two.tex")
    assert names(project) == ["main.tex", "preamble.tex", "one.tex", "two.tex", "three.tex"]


def test_commands_of_the_drafts_own_lead_to_its_files(write: Write, opened: Open) -> None:
    main = (
        r"\documentclass{book}\newcommand{\nest}[1]{\subimport{nests/#1/}{all}}"
        r"\newcommand{\refs}[1]{\clearpage\bibliography{#1}}"
        r"\begin{document}\nest{gull}\refs{lib/refs}\end{document}"
    )
    write("main.tex", main)
    write("nests/gull/all.tex", r"\input{eggs}")
    write("nests/gull/eggs.tex", r"Eggs \cite{a}.")
    write("lib/refs.bib", "@misc{a, title={A}}")
    project = opened("main.tex")
    assert names(project) == ["main.tex", "all.tex", "eggs.tex"]
    assert [path.name for path in project.bibliographies] == ["refs.bib"]
    assert names(opened("nests/gull/eggs.tex")) == names(project)


def test_a_file_that_is_included_if_it_exists_belongs_to_the_draft(
    write: Write, opened: Open
) -> None:
    body = "\\InputIfFileExists{parts/one}{}{Nothing}\\InputIfFileExists{none}{}{}"
    write("main.tex", MAIN % body)
    write("parts/one.tex", "Prose")
    assert names(opened("parts/one.tex")) == ["main.tex", "one.tex"]


def test_a_file_that_does_not_exist_is_an_empty_project(opened: Open) -> None:
    assert opened("none.tex").files == () and opened("none.tex").bibliographies == ()


def test_open_buffers_count_before_the_disk(write: Write, tmp_path: Path) -> None:
    main = write("main.tex", MAIN % "")
    write("a.tex", "Prose")
    disk, buffers = FilesOnDisk().read, {main: MAIN % "\\input{a}\\bibliography{new}"}
    project = ProjectCache().open(main, read=lambda path: buffers.get(path) or disk(path))
    assert names(project) == ["main.tex", "a.tex"]
    assert project.bibliographies == (tmp_path / "new.bib",)


def test_a_citing_command_that_the_main_file_defines_counts_in_its_chapters(tmp_path: Path) -> None:
    main, chapter = tmp_path / "main.tex", tmp_path / "chapter.tex"
    main.write_text(
        "\\documentclass{book}\n\\newcommand{\\paper}[1]{[\\cite{#1}]}\n"
        "\\begin{document}\\input{chapter}\\end{document}\n",
        encoding="utf-8",
    )
    chapter.write_text("As known \\paper{smith2020}.\n", encoding="utf-8")
    cache = ProjectCache()
    project = cache.open(chapter, FilesOnDisk().read)
    manuscript = project.manuscript(chapter)
    assert manuscript is not None
    assert [key.text for marker in manuscript.markers for key in marker.keys] == ["smith2020"]
    assert cache.open(chapter, FilesOnDisk().read) is project, "nothing is parsed twice"


def test_what_stands_behind_an_input_is_read_after_the_included_file(tmp_path: Path) -> None:
    main, chapter, loose = (tmp_path / name for name in ("main.tex", "one.tex", "loose.tex"))
    main.write_text(
        "\\documentclass{article}\\begin{document}"
        "A \\cite{a}. \\input{one} B \\cite{b}, \\input{one}.\\end{document}",
        encoding="utf-8",
    )
    chapter.write_text("C \\cite{c}.", encoding="utf-8")
    loose.write_text("% !TeX root = main.tex\nD \\cite{d}.", encoding="utf-8")
    document = ProjectCache().open(chapter, read=FilesOnDisk().read).document
    assert [mention.keys[0] for mention in document.mentions] == ["a", "c", "b"]
    document = ProjectCache().open(loose, read=FilesOnDisk().read).document
    assert [mention.keys[0] for mention in document.mentions] == ["a", "c", "b", "d"]


def test_an_edit_in_the_prose_is_no_reason_to_look_for_files(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = write("main.tex", MAIN % "\\input{one}\\input{two}\\input{none}")
    write("one.tex", "One")
    write("two.tex", "\\input{three}")
    write("three.tex", "Three")
    cache, disk = ProjectCache(), FilesOnDisk().read
    looked, paths_read = list[Path](), list[Path]()

    def included_by(
        root: Path, path: Path, files: dict[Path, Manuscript]
    ) -> Iterator[tuple[Inclusion, Iterator[Path]]]:
        looked.append(path)
        return inclusion_paths.included_by(root, path, files)

    def read(path: Path) -> str | None:
        paths_read.append(path)
        return disk(path)

    monkeypatch.setattr(inclusion, "included_by", included_by)
    cache.open(main, read)
    assert looked == [main, *(main.parent / f"{name}.tex" for name in ("one", "two", "three"))]
    assert len(paths_read) == len(set(paths_read))
    looked.clear()
    write("one.tex", "One and more")
    write("two.tex", "Words before \\input{three}")
    project = cache.open(main, read)
    assert not looked
    assert project.files[1][1].text == "One and more" and project.places[3] == (2, 20)
    write("none.tex", "Here")
    assert names(cache.open(main, read)) == "main.tex one.tex two.tex three.tex none.tex".split()
