r"""What the packages and classes of a draft's own define, and that nothing else of them counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import Project, ProjectCache

Write = Callable[..., Path]

PACKAGE = r"""\RequirePackage{cites/more}
\newcommand{\fc}[2][]{\footcite[#1]{#2}}
\newcommand{\todocite}[1]{\textbf{[cite #1]}}
\section{No section} Words \cite{c}. \addbibresource{none.bib} \newacronym{gp}{GP}{Process}
"""
MAIN = r"""\documentclass{own}
\usepackage{graphicx,% not, these
  macros}
\begin{document}\input{one}\end{document}
"""
CHAPTER = "By \\fc[3]{a}, \\mc{b}, \\cc{d}. \\todocite{some paper} \\acrshort{gp}\n"


@pytest.fixture
def chapter(write: Write) -> Path:
    """Return a chapter of a draft that has packages and a class of its own."""
    write("main.tex", MAIN)
    write("own.cls", r"\LoadClass{book}\newcommand{\cc}[1]{(\cite{#1})}")
    write("macros.sty", PACKAGE)
    write("cites/more.sty", r"\RequirePackage{macros}\newcommand{\mc}[1]{\cite{#1}}")
    return write("one.tex", CHAPTER)


def cited(project: Project) -> list[str]:
    return [key for mention in project.document.mentions for key in mention.keys]


def test_commands_that_they_define_cite_in_every_file(chapter: Path, tmp_path: Path) -> None:
    project = ProjectCache().open(chapter, read=FilesOnDisk().read, workspace=tmp_path)
    assert cited(project) == ["a", "b", "d"]
    assert [path.relative_to(tmp_path).as_posix() for path in project.packages] == [
        "own.cls",
        "cites/more.sty",
        "macros.sty",
    ]


def test_nothing_else_of_them_belongs_to_the_draft(chapter: Path, tmp_path: Path) -> None:
    project = ProjectCache().open(chapter, read=FilesOnDisk().read, workspace=tmp_path)
    assert [path.name for path, _ in project.files] == ["main.tex", "one.tex"]
    assert project.bibliographies == ()
    assert not any(
        section.title for manuscript in project.document.files for section in manuscript.sections
    )
    assert not any("Process" in sentence.text for sentence in project.document.files[1].sentences)


def test_one_is_read_again_when_it_changes(chapter: Path, write: Write, tmp_path: Path) -> None:
    cache, read = ProjectCache(), FilesOnDisk().read
    before = cache.open(chapter, read)
    assert cache.open(chapter, read) is before, "nothing is parsed twice"
    package = write("macros.sty", PACKAGE.replace("{\\fc}", "{\\other}"))
    assert cited(cache.open(chapter, read)) == ["b", "d"]
    package.unlink()
    assert cited(cache.open(chapter, read)) == ["d", "some paper"]


def test_what_the_draft_defines_counts_before_it(chapter: Path, write: Write) -> None:
    write("one.tex", r"\renewcommand{\fc}[2]{\cite{#2}}" + CHAPTER.replace("[3]{a}", "{3}{a}"))
    assert cited(ProjectCache().open(chapter, read=FilesOnDisk().read)) == ["a", "b", "d"]


def test_what_nobody_loads_is_not_read(chapter: Path, write: Write) -> None:
    write("other.sty", r"\newcommand{\cc}[1]{#1}")
    disk, seen = FilesOnDisk().read, set()

    def read(path: Path) -> str | None:
        seen.add(path.name)
        return disk(path)

    ProjectCache().open(chapter, read=read)
    assert seen == {"main.tex", "one.tex", "own.cls", "more.sty", "macros.sty"}


def test_the_main_file_knows_the_commands_of_what_its_preamble_reads_in(
    write: Write, tmp_path: Path
) -> None:
    main = write(
        "main.tex",
        r"\documentclass{book}\input{setup/all}\include{none}\begin{document}"
        r"By \mc{a}, \kc{b}. \nest{gull} \input{late} \lc{c}\end{document}",
    )
    write("setup/all.tex", r"\newcommand{\mc}[1]{\cite{#1}}\input{setup/more.tex}\input{main}")
    write(
        "setup/more.tex",
        r"\newcommand{\kc}{\@ifstar{\cite@a}{\cite@b}}\newcommand{\nest}[1]{\input{nests/#1}}",
    )
    write("late.tex", "")
    write("nests/gull.tex", r"By \mc{d}.")
    project = ProjectCache().open(main, read=FilesOnDisk().read, workspace=tmp_path)
    assert cited(project) == ["a", "b", "d"]
    assert [path.name for path, _ in project.files] == [
        "main.tex", "all.tex", "more.tex", "gull.tex", "late.tex",
    ]  # fmt: skip
    assert project.packages == ()
    write("setup/all.tex", r"\newcommand{\mc}[1]{#1}\input{setup/more.tex}")
    project = ProjectCache().open(main, read=FilesOnDisk().read, workspace=tmp_path)
    assert cited(project) == ["b"]
