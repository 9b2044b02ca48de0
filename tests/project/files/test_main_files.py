"""Which file of a draft is the main one, and of which drafts a file is a part."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import ProjectCache
from tests.project.projects import MAIN, Open, Write, bibliographies, names

pytestmark = pytest.mark.usefixtures("no_home")


@pytest.mark.parametrize(
    "head", ["% !TeX root = ../main.tex\n", "\\documentclass[../main]{subfiles}\n"]
)
def test_a_named_main_file_is_the_root(write: Write, opened: Open, head: str) -> None:
    write("main.tex", MAIN % "\\subfile{parts/a}\\bibliography{refs}")
    write("parts/a.tex", head)
    project = opened("parts/a.tex")
    assert project.root.name == "main.tex" and names(project) == ["main.tex", "a.tex"]


def test_a_main_file_is_found_in_the_folders_above(write: Write, opened: Open) -> None:
    write("other.tex", MAIN % "Something else")
    write("thesis.tex", MAIN % "% \\input{not-this}\n\\input{parts/two/a}\\bibliography{lib/refs}")
    write("parts/two/a.tex", "\\input{parts/two/b}")
    write("parts/two/b.tex", "Prose")
    write("lib/refs.bib", "@misc{a, title={A}}")
    project = opened("parts/two/b.tex")
    assert names(project) == ["thesis.tex", "a.tex", "b.tex"]
    assert project.bibliographies[0].name == "refs.bib"


@pytest.mark.parametrize(
    ("main", "part", "text"),
    [
        ("paper/main.tex", "shared/a.tex", MAIN % "\\input{../shared/a}\\bibliography{refs}"),
        ("paper/main.typ", "shared/a.typ", '#include "../shared/a.typ"\n#bibliography("refs.bib")'),
        (
            "paper/main.qmd",
            "shared/_a.qmd",
            "---\nbibliography: refs.bib\n---\n{{< include ../shared/_a.qmd >}}\n",
        ),
    ],
)
def test_a_main_file_is_found_in_a_folder_beside(
    write: Write, opened: Open, main: str, part: str, text: str
) -> None:
    write(main, text)
    write(part, "Prose")
    write(main.replace("paper", "other"), text.replace("shared", "own"))
    write("paper/refs.bib", "@misc{a, title={A}}")
    project = opened(part)
    assert names(project) == [Path(main).name, Path(part).name]
    assert [path.parent.name for path in project.bibliographies] == ["paper"]


def test_the_main_file_may_have_its_class_in_another(write: Write, opened: Open) -> None:
    write("preamble.tex", "\\documentclass{book}")
    write("book.tex", "\\input{preamble}\\begin{document}\\input{a}\\end{document}")
    write("a.tex", "Prose")
    assert opened("a.tex").root.name == "book.tex"


@pytest.mark.parametrize(
    "head", ["\\documentclass{standalone}", "\\documentclass[class=book,preview]{standalone}"]
)
def test_a_chapter_that_can_be_set_alone_belongs_to_the_book(
    write: Write, opened: Open, tmp_path: Path, head: str
) -> None:
    write("main.tex", MAIN % "\\addbibresource{bib/refs.bib}\\input{parts/one}")
    write("parts/one.tex", head + "\\begin{document}\\input{parts/two}\\end{document}")
    write("parts/two.tex", "\\cite{a}")
    for name in ("parts/one.tex", "parts/two.tex"):
        project = opened(name)
        assert names(project) == ["main.tex", "one.tex", "two.tex"]
        assert bibliographies(project, tmp_path) == ["bib/refs.bib"] and project.beside == ()
    write("main.tex", MAIN % "no longer")
    assert opened("parts/one.tex").root.name == "one.tex"


def test_a_file_that_a_subfile_includes_belongs_to_the_book(
    write: Write, opened: Open, tmp_path: Path
) -> None:
    write("main.tex", MAIN % "\\bibliography{refs}\\subfile{parts/one}")
    write("parts/one.tex", "\\documentclass[../main]{subfiles}\n" + "\\input{parts/two}")
    write("parts/two.tex", "\\cite{a}")
    assert bibliographies(opened("parts/two.tex"), tmp_path) == ["refs.bib"]


class TestAChapterOfTwoDrafts:
    @pytest.fixture
    def chapter(self, write: Write) -> Path:
        write("a_supplement.tex", MAIN % "\\input{parts/one}\\bibliography{old}")
        write("paper.tex", MAIN % "\\input{parts/one}\\bibliography{refs}")
        write("slides.tex", MAIN % "Something else")
        return write("parts/one.tex", "\\cite{b}")

    def test_knows_both(self, chapter: Path, opened: Open, tmp_path: Path) -> None:
        project = opened("parts/one.tex")
        (other,) = project.beside
        assert (project.root.name, other.root.name) == ("a_supplement.tex", "paper.tex")
        assert names(other) == ["paper.tex", "one.tex"]
        assert bibliographies(project, tmp_path) == ["old.bib"]
        assert bibliographies(other, tmp_path) == ["refs.bib"]
        assert opened("paper.tex").beside == ()

    def test_is_of_the_one_that_is_open(self, chapter: Path, tmp_path: Path) -> None:
        paper = tmp_path / "paper.tex"
        cache = ProjectCache(buffer=lambda path: "" if path == paper else None)
        project = cache.open(chapter, FilesOnDisk().read, tmp_path)
        assert project.root == paper and len(project.beside) == 1
        assert cache.open(chapter, FilesOnDisk().read, tmp_path) is project, (
            "nothing is parsed twice"
        )

    def test_is_of_the_one_that_names_a_bibliography(
        self, write: Write, chapter: Path, opened: Open
    ) -> None:
        write("a_supplement.tex", MAIN % "\\input{parts/one}")
        assert opened("parts/one.tex").root.name == "paper.tex"

    def test_follows_a_draft_that_comes_or_goes(
        self, write: Write, chapter: Path, tmp_path: Path
    ) -> None:
        cache, read = ProjectCache(), FilesOnDisk().read

        def roots() -> list[str]:
            project = cache.open(chapter, read, tmp_path)
            return [draft.root.name for draft in (project, *project.beside)]

        assert roots() == ["a_supplement.tex", "paper.tex"]
        write("a_supplement.tex", MAIN % "no longer")
        assert roots() == ["paper.tex"]
        write("thesis.tex", MAIN % "\\input{parts/one}\\bibliography{refs}")
        assert roots() == ["paper.tex", "thesis.tex"]

    def test_is_read_with_the_commands_of_each(self, write: Write, chapter: Path) -> None:
        body = "\\input{parts/one}\\bibliography{refs}"
        write("paper.tex", "\\newcommand\\by[1]{\\cite{#1}}" + MAIN % body)
        write("parts/one.tex", "\\by{a} \\cite{b}")
        cache, read = ProjectCache(), FilesOnDisk().read
        project = cache.open(chapter, read)
        cited = [
            [mention.keys[0] for mention in draft.document.mentions]
            for draft in (project, *project.beside)
        ]
        assert cited == [["b"], ["a", "b"]]
        assert cache.open(chapter, read) is project, "nothing is parsed twice"


def test_without_main_file_the_opened_one_is_the_root(write: Write, opened: Open) -> None:
    write("main.tex", MAIN % "% \\input{a}")
    write("a.tex", "Prose")
    project = opened("a.tex")
    assert project.root.name == "a.tex" and names(project) == ["a.tex"]


class TestAChapterThatNothingIncludesYet:
    @pytest.fixture(autouse=True)
    def thesis(self, write: Write) -> None:
        write("thesis.tex", MAIN % "\\input{preamble}\\include{parts/one}")
        write("preamble.tex", "\\addbibresource{lib/refs.bib}")
        write("lib/refs.bib", "@misc{a, title={A}}")
        write("poster.tex", MAIN % "Nothing is cited here.")
        write("parts/one.tex", "One")
        write("parts/new.tex", "New \\input{parts/newer}")
        write("parts/newer.tex", "Newer")

    @pytest.mark.parametrize("name", ["parts/new.tex", "new.tex"])
    def test_is_read_behind_the_draft_that_it_lies_with(
        self, write: Write, opened: Open, tmp_path: Path, name: str
    ) -> None:
        write("preamble.tex", "\\newcommand\\by[1]{\\cite{#1}}\\addbibresource{lib/refs.bib}")
        write(name, "New \\by{a} \\input{parts/newer}")
        project = opened(name)
        assert [mention.keys for mention in project.document.mentions] == [("a",)]
        assert names(project) == ["thesis.tex", "preamble.tex", "one.tex", "new.tex", "newer.tex"]
        assert bibliographies(project, tmp_path) == ["lib/refs.bib"] and project.beside == ()
        assert [file.name for file in project.read_in_by(tmp_path / name)] == [
            "new.tex",
            "newer.tex",
        ]
        assert names(opened("thesis.tex")) == ["thesis.tex", "preamble.tex", "one.tex"]

    def test_is_a_part_of_it_once_it_is_included(
        self, write: Write, opened: Open, tmp_path: Path
    ) -> None:
        cache, read = ProjectCache(), FilesOnDisk().read
        new = tmp_path / "parts" / "new.tex"
        assert cache.open(new, read, tmp_path).root.name == "thesis.tex"
        write("report.tex", MAIN % "\\input{parts/new}")
        assert cache.open(new, read, tmp_path).root.name == "report.tex"

    def test_is_a_draft_of_its_own_where_it_names_a_bibliography(
        self, write: Write, opened: Open
    ) -> None:
        write("parts/new.tex", "\\cite{b} \\bibliography{other}")
        assert names(opened("parts/new.tex")) == ["new.tex"]

    def test_has_the_bibliography_that_is_nearer(
        self, write: Write, opened: Open, tmp_path: Path
    ) -> None:
        write("parts/own.bib", "@misc{b, title={B}}")
        project = opened("parts/new.tex")
        assert bibliographies(project, tmp_path) == ["parts/own.bib"]
        assert names(project) == ["new.tex"]


def test_the_opened_file_belongs_to_its_project_in_any_case(write: Write, opened: Open) -> None:
    write("main.tex", MAIN % "\\bibliography{refs}")
    write("a.tex", "% !TeX root = main.tex\nNot yet included")
    project = opened("a.tex")
    assert project.root.name == "main.tex" and names(project) == ["main.tex", "a.tex"]


@pytest.mark.parametrize(
    ("suffix", "main", "chapter"),
    [
        ("typ", '#include "parts/one.typ"\nB @b.\n#bibliography("refs.bib")\n', "C @c."),
        ("typ", '#include "/parts/one.typ"\nB @b.\n#bibliography("refs.bib")\n', "C @c."),
        (
            "org",
            '#+bibliography: refs.bib\n#+include: "parts/one.org"\nB [cite:@b].',
            "C [cite:@c].",
        ),
    ],
)  # fmt: skip
def test_a_chapter_in_typst_or_org_belongs_to_the_file_that_includes_it(
    tmp_path: Path, suffix: str, main: str, chapter: str
) -> None:
    (tmp_path / "parts").mkdir()
    root, part = tmp_path / f"main.{suffix}", tmp_path / "parts" / f"one.{suffix}"
    root.write_text(main, encoding="utf-8")
    part.write_text(chapter, encoding="utf-8")
    (tmp_path / f"other.{suffix}").write_text("Nothing.", encoding="utf-8")
    project = ProjectCache().open(part, read=FilesOnDisk().read, workspace=tmp_path)
    assert project.root == root
    assert project.bibliographies == (tmp_path / "refs.bib",)
    assert [mention.keys[0] for mention in project.document.mentions] == ["c", "b"]
