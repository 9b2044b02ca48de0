"""Which files a draft is made of, in which order, and which of them is the main one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import DiskReader
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.model import Names
from cite_lsp.project.project import ProjectCache, open_project
from tests.project.projects import MAIN, Open, Write, bibliographies, names

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
    assert [manuscript.text for manuscript in project.document][1] == "Hello"


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

    cache, read = ProjectCache(), DiskReader()
    before = cache.open(path, read)
    monkeypatch.setattr(Manuscript, "with_names", noting)
    write("b.tex", "\\gls{bert} writes again")
    after = cache.open(path, read)
    assert set(applied) == {"\\gls{bert} writes again"}
    assert after.files[1][1] is before.files[1][1]
    assert after.document[2].sentences[0].text == "Bidirectional (BERT) writes again"


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
        project = cache.open(chapter, DiskReader(), tmp_path)
        assert project.root == paper and len(project.beside) == 1
        assert cache.open(chapter, DiskReader(), tmp_path) is project, "nothing is parsed twice"

    def test_is_of_the_one_that_names_a_bibliography(
        self, write: Write, chapter: Path, opened: Open
    ) -> None:
        write("a_supplement.tex", MAIN % "\\input{parts/one}")
        assert opened("parts/one.tex").root.name == "paper.tex"

    def test_follows_a_draft_that_comes_or_goes(
        self, write: Write, chapter: Path, tmp_path: Path
    ) -> None:
        cache, read = ProjectCache(), DiskReader()

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
        cache, read = ProjectCache(), DiskReader()
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
        cache, read = ProjectCache(), DiskReader()
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


def test_a_file_that_does_not_exist_is_an_empty_project(opened: Open) -> None:
    assert opened("none.tex").files == () and opened("none.tex").bibliographies == ()


def test_open_buffers_count_before_the_disk(write: Write, tmp_path: Path) -> None:
    main = write("main.tex", MAIN % "")
    write("a.tex", "Prose")
    disk, buffers = DiskReader(), {main: MAIN % "\\input{a}\\bibliography{new}"}
    project = open_project(main, read=lambda path: buffers.get(path) or disk(path))
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
    project = cache.open(chapter, DiskReader())
    manuscript = project.manuscript(chapter)
    assert manuscript is not None
    assert [key.text for marker in manuscript.markers for key in marker.keys] == ["smith2020"]
    assert cache.open(chapter, DiskReader()) is project, "nothing is parsed twice"


def test_what_stands_behind_an_input_is_read_after_the_included_file(tmp_path: Path) -> None:
    main, chapter, loose = (tmp_path / name for name in ("main.tex", "one.tex", "loose.tex"))
    main.write_text(
        "\\documentclass{article}\\begin{document}"
        "A \\cite{a}. \\input{one} B \\cite{b}, \\input{one}.\\end{document}",
        encoding="utf-8",
    )
    chapter.write_text("C \\cite{c}.", encoding="utf-8")
    loose.write_text("% !TeX root = main.tex\nD \\cite{d}.", encoding="utf-8")
    document = open_project(chapter, read=DiskReader()).document
    assert [mention.keys[0] for mention in document.mentions] == ["a", "c", "b"]
    document = open_project(loose, read=DiskReader()).document
    assert [mention.keys[0] for mention in document.mentions] == ["a", "c", "b", "d"]


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
    project = open_project(part, read=DiskReader(), workspace=tmp_path)
    assert project.root == root
    assert project.bibliographies == (tmp_path / "refs.bib",)
    assert [mention.keys[0] for mention in project.document.mentions] == ["c", "b"]
