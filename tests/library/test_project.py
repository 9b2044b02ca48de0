from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cite_lsp.library import DiskReader, LibraryCache, Project, ProjectCache, open_project
from cite_lsp.library import project as project_module
from cite_lsp.library.entry_target import EntryTarget, entry_target
from cite_lsp.library.inclusion import DraftFiles
from cite_lsp.paper import Paper

Write = Callable[..., Path]
Open = Callable[..., Project]

MAIN = "\\documentclass{article}\n\\begin{document}\n%s\n\\end{document}\n"


@pytest.fixture(autouse=True)
def no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("BIBINPUTS", "TEXMFHOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    yield


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Open the project of a file, named from the test's folder, which is the workspace."""
    return lambda name: open_project(tmp_path / name, read=DiskReader(), workspace=tmp_path)


def names(project: Project) -> list[str]:
    return [path.name for path, _ in project.files]


def bibliographies(project: Project, folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in project.bibliographies]


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
            return [one.root.name for one in (project, *project.beside)]

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
            [mention.keys[0] for mention in one.document.mentions]
            for one in (project, *project.beside)
        ]
        assert cited == [["b"], ["a", "b"]]
        assert cache.open(chapter, read) is project, "nothing is parsed twice"


def test_without_main_file_the_opened_one_is_the_root(write: Write, opened: Open) -> None:
    write("main.tex", MAIN % "% \\input{a}")
    write("a.tex", "Prose")
    project = opened("a.tex")
    assert project.root.name == "a.tex" and names(project) == ["a.tex"]


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


def test_bibliographies_are_those_named_in_order(
    write: Write, opened: Open, tmp_path: Path
) -> None:
    body = "\\bibliography{a, sub/b}\\addbibresource[location=local]{c.bib}\\addbibresource{a.bib}"
    text = MAIN % (body + "\\addbibresource[location=remote]{https://example.org/d.bib}")
    write("main.tex", text)
    for name in ("a.bib", "sub/b.bib", "unused.bib"):
        write(name, "@misc{k, title={T}}")
    project = opened("main.tex")
    assert bibliographies(project, tmp_path) == ["a.bib", "sub/b.bib", "c.bib"]
    assert [
        (path.name, text[declaration.start : declaration.end], target.name)
        for path, declaration, target in project.declared
    ] == [
        ("main.tex", "a", "a.bib"),
        ("main.tex", "sub/b", "b.bib"),
        ("main.tex", "c.bib", "c.bib"),
        ("main.tex", "a.bib", "a.bib"),
    ]


def test_a_named_bibliography_that_is_missing_is_reported_when_read(
    write: Write, opened: Open
) -> None:
    write("main.tex", MAIN % "\\bibliography{none}")
    write("other.bib", "@misc{k, title={T}}")
    library = LibraryCache().load(opened("main.tex").bibliographies)
    assert [problem.path.name for problem in library.problems] == ["none.bib"]
    assert not library.entries


@pytest.mark.parametrize("name", ["bib/*.bib", "\\bibdir/*.bib", "./bib/[ab]?.bib"])
def test_wildcards_in_the_name_of_a_bibliography_stand_for_files(
    write: Write, opened: Open, tmp_path: Path, name: str
) -> None:
    for file in ("bib/b1.bib", "bib/a1.bib", "bib/notes.txt", "bib/more/c1.bib"):
        write(file, "@misc{k, title={T}}")
    body = f"\\newcommand\\bibdir{{bib}}\\addbibresource[glob=true]{{{name}}}"
    write("main.tex", MAIN % body)
    project = opened("main.tex")
    assert bibliographies(project, tmp_path) == ["bib/a1.bib", "bib/b1.bib"]
    assert len(project.declared) == 2


def test_a_file_may_have_brackets_in_its_name(write: Write, opened: Open, tmp_path: Path) -> None:
    write("refs[1].bib", "@misc{k, title={T}}")
    write("main.tex", MAIN % "\\addbibresource{refs[1].bib}")
    assert bibliographies(opened("main.tex"), tmp_path) == ["refs[1].bib"]


def test_wildcards_that_match_no_file_name_none(write: Write, opened: Open) -> None:
    write("main.tex", MAIN % "\\addbibresource[glob=true]{bib/*.bib}")
    assert opened("main.tex").bibliographies == (), "none that could be created"


@pytest.mark.parametrize("name", ["IEEEabrv", "IEEEfull"])
def test_names_of_journals_that_come_with_a_style_are_not_missed(
    write: Write, opened: Open, tmp_path: Path, name: str
) -> None:
    write("main.tex", MAIN % f"\\bibliography{{{name},refs}}")
    write("refs.bib", "@misc{k, title={T}}")
    project = opened("main.tex")
    assert bibliographies(project, tmp_path) == ["refs.bib"] and len(project.declared) == 2
    write(f"{name}.bib", '@string{nat = "Nature"}')
    assert bibliographies(opened("main.tex"), tmp_path) == [f"{name}.bib", "refs.bib"]


@pytest.mark.parametrize(
    "preamble",
    [
        "\\newcommand{\\bibdir}{../library}",
        "\\newcommand*\\bibdir{../library}",
        "\\def\\bibdir{../library}",
        "\\providecommand{\\bibdir}{../library/}",
        "\\NewDocumentCommand{\\bibdir}{}{../library}",
        "\\newcommand{\\top}{..}\\newcommand{\\bibdir}{\\top/library}",
        "\\newcommand{\\bibdir}{../old}\\renewcommand{\\bibdir}{../library}",
        "\\newcommand{\\bibdir}{../library}\\providecommand{\\bibdir}{../old}",
        "\\newcommand{\\bibdir}{../library}\n% \\renewcommand{\\bibdir}{../old}\n",
        "\\input{preamble}",
    ],
)
@pytest.mark.parametrize(
    "name", ["\\bibdir/all", "\\bibdir{}/all.bib", "\\every", "\\bibdir/\\jobname"]
)
def test_macros_in_the_name_of_a_bibliography_are_followed(
    write: Write, opened: Open, tmp_path: Path, preamble: str, name: str
) -> None:
    write("library/all.bib", "@misc{k, title={T}}")
    write("library/main.bib", "@misc{k, title={T}}")
    write("paper/preamble.tex", "\\newcommand{\\bibdir}{../library}")
    every = "\\newcommand\\every{\\bibdir/all,\\bibdir/main}"
    text = f"\\documentclass{{article}}{preamble}{every}\\begin{{document}}\\bibliography{{{name}}}"
    write("paper/main.tex", text)
    expected = {"\\every": ["library/all.bib", "library/main.bib"]}.get(
        name, ["library/main.bib" if "job" in name else "library/all.bib"]
    )
    assert bibliographies(opened("paper/main.tex"), tmp_path) == expected


def test_macros_that_name_themselves_end(write: Write, opened: Open, tmp_path: Path) -> None:
    loop = "\\newcommand{\\a}{\\b/\\b}\\newcommand{\\b}{\\a/\\a}"
    write("main.tex", f"\\documentclass{{article}}{loop}\\bibliography{{\\a/refs}}")
    assert len(opened("main.tex").bibliographies) == 1


def test_a_bibliography_moves_with_the_macro_that_names_it(write: Write, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write(f"{folder}/all.bib", "@misc{k, title={T}}")
    cache, read = ProjectCache(), DiskReader()
    found = []
    for folder in ("one", "two"):
        text = f"\\documentclass{{article}}\\def\\from{{{folder}}}\\bibliography{{\\from/all}}"
        write("main.tex", text)
        found += bibliographies(cache.open(tmp_path / "main.tex", read, tmp_path), tmp_path)
    assert found == ["one/all.bib", "two/all.bib"]


@pytest.mark.parametrize(
    "written",
    [
        "../refs.bib",
        "refs",
        "\\subfix{../refs}",
        "\\main/refs.bib",
        "~/refs.bib",
        "$LIBRARY/refs",
        "${LIBRARY}/refs.bib",
        "texmf-only",
        "listed",
    ],
)
def test_bibliographies_are_found_where_the_writer_means(
    write: Write, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    for name in ("refs.bib", "home/refs.bib", "library/refs.bib", "library/deep/er/listed.bib"):
        write(name, "@misc{k, title={T}}")
    write("home/texmf/bibtex/bib/mine/texmf-only.bib", "@misc{k, title={T}}")
    monkeypatch.setenv("LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("BIBINPUTS", f"{tmp_path / 'library'}//")
    write("paper/main.tex", MAIN % f"\\addbibresource{{{written}}}")
    (found,) = opened("paper/main.tex").bibliographies
    assert found.is_file()


def test_an_absolute_path_is_taken_as_it_is(write: Write, opened: Open) -> None:
    refs = write("elsewhere/refs.bib", "@misc{k, title={T}}")
    write("paper/main.tex", MAIN % f"\\bibliography{{{refs.with_suffix('')}}}")
    assert opened("paper/main.tex").bibliographies == (refs,)


@pytest.mark.parametrize("name", ["draft.md", "draft.tex"])
def test_a_draft_that_names_none_uses_those_beside_it(
    write: Write, opened: Open, tmp_path: Path, name: str
) -> None:
    write(f"paper/{name}", "Prose")
    write("paper/b.bib", "@misc{k, title={T}}")
    write("paper/a.bib", "@misc{k, title={T}}")
    write("above.bib", "@misc{k, title={T}}")
    assert bibliographies(opened(f"paper/{name}"), tmp_path) == ["paper/a.bib", "paper/b.bib"]


@pytest.mark.parametrize(
    "computed",
    [
        "\"`r here::here('refs.bib')`\"",
        "'`{r} here::here(\"refs.bib\")`'",
        '!expr here::here("refs.bib")',
        "!r paste0('refs', '.bib')",
        "https://example.org/refs.bib",
    ],
)
def test_a_name_that_cannot_be_followed_is_as_good_as_none(
    write: Write, opened: Open, tmp_path: Path, computed: str
) -> None:
    write("refs.bib")
    write("draft.Rmd", f"---\nbibliography: {computed}\n---\nText.\n")
    assert bibliographies(opened("draft.Rmd"), tmp_path) == ["refs.bib"]


def test_or_those_of_the_nearest_folder_above_within_the_workspace(
    write: Write, tmp_path: Path
) -> None:
    draft = write("book/chapters/one/draft.md", "Prose")
    write("book/refs.bib", "@misc{k, title={T}}")
    write("above.bib", "@misc{k, title={T}}")
    read = DiskReader()
    within = open_project(draft, read=read, workspace=tmp_path / "book" / "chapters")
    assert within.bibliographies == ()
    whole = open_project(draft, read=read, workspace=tmp_path / "book")
    assert bibliographies(whole, tmp_path) == ["book/refs.bib"]


def test_without_workspace_the_repository_is_the_border(write: Write, tmp_path: Path) -> None:
    draft = write("book/chapters/draft.md", "Prose")
    write("book/.git/HEAD", "ref: refs/heads/main")
    write("above.bib", "@misc{k, title={T}}")
    assert open_project(draft, read=DiskReader()).bibliographies == ()
    write("book/refs.bib", "@misc{k, title={T}}")
    found = open_project(draft, read=DiskReader())
    assert bibliographies(found, tmp_path) == ["book/refs.bib"]


def test_a_draft_with_its_own_items_needs_no_file(write: Write, opened: Open) -> None:
    items = "\\begin{thebibliography}{1}\\bibitem{k} A. Author, 1999.\\end{thebibliography}"
    write("main.tex", MAIN % items)
    write("refs.bib", "@misc{other, title={T}}")
    project = opened("main.tex")
    assert project.bibliographies == ()
    assert list(LibraryCache().load((), project.inline).by_key) == ["k"]


@pytest.mark.parametrize(
    "front",
    ["bibliography: a.bib", "bibliography: [a.bib]", 'bibliography:\n  - "a.bib"\n'],
)
def test_markdown_names_bibliographies_in_its_front_matter(
    write: Write, opened: Open, tmp_path: Path, front: str
) -> None:
    write("draft.md", f"---\n{front}\n---\nProse")
    write("a.bib", "@misc{k, title={T}}")
    write("b.bib", "@misc{k, title={T}}")
    assert bibliographies(opened("draft.md"), tmp_path) == ["a.bib"]


@pytest.mark.parametrize("name", ["_quarto.yml", "_metadata.yml", "_bookdown.yml"])
def test_markdown_uses_what_the_project_configures(
    write: Write, opened: Open, tmp_path: Path, name: str
) -> None:
    write("book/chapters/one.qmd", "Prose")
    write(f"book/{name}", "title: T\nbibliography: [lib/a.bib, /b.bib]\n")
    write("book/lib/a.bib", "@misc{k, title={T}}")
    write("book/b.bib", "@misc{k, title={T}}")
    found = bibliographies(opened("book/chapters/one.qmd"), tmp_path)
    assert found == ["book/lib/a.bib", "book/b.bib"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("_config.yml", "title: T\nbibtex_bibfiles:\n  - lib/a.bib\n  - b.bib\n"),
        ("_config.yml", "sphinx:\n  config:\n    bibtex_bibfiles: [lib/a.bib, b.bib]\n"),
        ("myst.yml", "version: 1\nproject:\n  bibliography: [lib/a.bib, b.bib]\n"),
        ("conf.py", "import os\nproject = 'P'\nbibtex_bibfiles = ['lib/a.bib', \"b.bib\"]\n"),
    ],
)
def test_a_page_uses_what_its_jupyter_book_or_myst_or_sphinx_project_configures(
    write: Write, opened: Open, tmp_path: Path, name: str, text: str
) -> None:
    write(f"book/{name}", text)
    write("book/chapters/one.md", "See {cite}`k`.")
    write("book/lib/a.bib", "@misc{k, title={T}}")
    write("book/b.bib", "@misc{j, title={T}}")
    found = bibliographies(opened("book/chapters/one.md"), tmp_path)
    assert found == ["book/lib/a.bib", "book/b.bib"]


@pytest.mark.parametrize(
    "text", ["bibliography: a.bib\n", "bibtex_bibfiles:\n", "project:\n- bibliography\n", "-\n"]
)
@pytest.mark.parametrize("name", ["_config.yml", "myst.yml", "conf.py"])
def test_a_configuration_of_something_else_names_none(
    write: Write, opened: Open, name: str, text: str
) -> None:
    write(name, text)
    write("one.md", "Prose")
    project = opened("one.md")
    assert project.bibliographies == () and project.problems == ()


def test_a_bookdown_chapter_uses_what_the_index_names(
    write: Write, opened: Open, tmp_path: Path
) -> None:
    write("_bookdown.yml", "book_filename: b")
    write("index.Rmd", "---\nbibliography: book.bib\n---\n")
    write("book.bib", "@misc{k, title={T}}")
    write("02-two.Rmd", "Prose")
    assert bibliographies(opened("02-two.Rmd"), tmp_path) == ["book.bib"]


def test_a_configuration_that_is_no_yaml_is_a_problem(write: Write, opened: Open) -> None:
    write("draft.qmd", "Prose")
    write("_quarto.yml", "title: T\nbibliography: [a.bib\nother: x\n")
    (problem,) = opened("draft.qmd").problems
    assert (problem.path.name, problem.line) == ("_quarto.yml", 3)


class TestCache:
    def test_while_nothing_changes_the_project_is_the_same_object(self, write: Write) -> None:
        main = write("main.tex", MAIN % "\\input{a}\\bibliography{refs}")
        cache, read, part = ProjectCache(), DiskReader(), write("a.tex", "Prose")
        assert cache.open(main, read) is cache.open(main, read)
        assert cache.open(part, read) is cache.open(part, read)

    def test_a_keystroke_parses_the_changed_file_only(self, write: Write) -> None:
        main = write("main.tex", MAIN % "\\input{a}\\input{b}")
        part, other = write("a.tex", "Prose"), write("b.tex", "More")
        cache, disk = ProjectCache(), DiskReader()
        before = cache.open(part, disk)
        after = cache.open(part, lambda path: "Prose!" if path == part else disk(path))
        assert [path for path, _ in after.files] == [main, part, other]
        assert after.manuscript(main) is before.manuscript(main)
        assert after.manuscript(other) is before.manuscript(other)
        assert [one.text for one in after.document][1] == "Prose!"

    def test_a_main_file_written_later_is_noticed(self, write: Write) -> None:
        cache, read, part = ProjectCache(), DiskReader(), write("a.tex", "Prose")
        assert cache.open(part, read).root == part
        main = write("main.tex", MAIN % "\\input{a}")
        assert cache.open(part, read).root == main
        write("main.tex", MAIN % "no longer")
        assert cache.open(part, read).root == part

    def test_projects_may_be_opened_from_several_threads(self, write: Write) -> None:
        main = write("main.tex", MAIN % "\\input{a}")
        write("a.tex", "Prose")
        cache, read = ProjectCache(), DiskReader()
        with ThreadPoolExecutor(8) as pool:
            opened = list(pool.map(lambda _: cache.open(main, read), range(64)))
        assert all(project is opened[0] for project in opened)


@pytest.mark.parametrize(
    ("draft", "root", "count"),
    [
        ("symmetry-book/group.tex", "book.tex", 20),
        ("ferigo-phd-thesis/Chapters/prologue.tex", "thesis.tex", 20),
        ("mecca-phd-thesis/strategy/fake_lepton_estimation.tex", "thesis.tex", 70),
        ("liweitianux-phd/src/chap-simulation.tex", "thesis.tex", 15),
        ("lirui-caes-phd/data/chap03.tex", "main.tex", 10),
        ("celerite/paper/ms.tex", "ms.tex", 9),
        ("prosecutors-fallacy/doc/prosecutor/fallacy.tex", "fallacy.tex", 1),
        ("yellowpaper/Paper.tex", "Paper.tex", 1),
        ("gmr/paper/paper.md", "paper.md", 1),
        ("crump-statistics/03-Correlation.qmd", "03-Correlation.qmd", 1),
        ("noise-phenomena/appendixB/appendixB.Rmd", "appendixB.Rmd", 1),
    ],
)
def test_every_key_that_a_real_draft_cites_is_in_its_library(
    drafts: Path, draft: str, root: str, count: int
) -> None:
    project = open_project(drafts / draft, read=DiskReader(), workspace=drafts)
    assert project.root.name == root and len(project.files) >= count
    library = LibraryCache().load(project.bibliographies, project.inline)
    markers = [marker for text in project.document for marker in text.markers]
    cited = {key.text for marker in markers for key in marker.keys}
    assert cited and {key for key in cited if not library.get(key)} == set()


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


def test_a_label_is_no_key_in_any_file_of_a_typst_draft(write: Write, opened: Open) -> None:
    main = write("main.typ", '#include "one.typ"\n#include "two.typ"\n#bibliography("refs.bib")')
    write("one.typ", '= Intro <intro>\n#label("dyn")\nSee @two.')
    two = write("two.typ", "= Two <two>\nSee @intro, @dyn and @luz.")
    cache, read = ProjectCache(), DiskReader()
    project = cache.open(two, read)
    assert project.root == main
    assert [mention.keys for mention in project.document.mentions] == [("luz",)]
    assert cache.open(two, read) is project, "nothing is parsed twice"
    write("one.typ", "= Intro <into>\nSee @two.")
    after = cache.open(two, read)
    assert [mention.keys[0] for mention in after.document.mentions] == ["intro", "dyn", "luz"]


def test_commands_that_the_settings_name_cite_in_every_file(tmp_path: Path) -> None:
    main, chapter = tmp_path / "main.tex", tmp_path / "one.tex"
    main.write_text(
        "\\documentclass{article}\\begin{document}\\input{one} \\Quelle{b}\\end{document}",
        encoding="utf-8",
    )
    chapter.write_text("As \\Quelle[3]{a}.", encoding="utf-8")
    cache, read = ProjectCache(["\\Quelle"]), DiskReader()
    project = cache.open(chapter, read)
    assert [mention.keys[0] for mention in project.document.mentions] == ["a", "b"]
    assert cache.open(chapter, read) is project, "nothing is parsed twice"
    assert open_project(chapter, read=read).document.mentions == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("refs.json", '[{"id": "luz", "title": "Marshes"}]'),
        ("refs.yaml", "references:\n- id: luz\n  title: Marshes\n"),
        ("refs.yml", "luz:\n  type: Article\n  title: Marshes\n"),
        ("refs.bib", "@misc{luz, title={Marshes}}"),
    ],
)
def test_a_markdown_draft_may_name_a_bibliography_in_any_format(
    write: Write, opened: Open, name: str, text: str
) -> None:
    write(f"lib/{name}", text)
    write("draft.md", f"---\nbibliography: lib/{name}\n---\nSee [@luz].\n")
    library = LibraryCache().load(opened("draft.md").bibliographies)
    assert library.by_key["luz"].paper.title == "Marshes" and library.problems == ()


def test_a_draft_that_names_none_uses_a_data_file_whose_name_says_what_it_is(
    write: Write, opened: Open, tmp_path: Path
) -> None:
    for name in ("package.json", "references.json", "library.yaml", "_quarto.yml"):
        write(name, "{}")
    write("draft.md", "See [@luz].\n")
    assert bibliographies(opened("draft.md"), tmp_path) == ["library.yaml", "references.json"]
    write("refs.bib", "@misc{a, title={A}}")
    assert bibliographies(opened("draft.md"), tmp_path) == ["refs.bib"]


def test_references_in_the_front_matter_are_entries_of_the_draft(
    write: Write, opened: Open
) -> None:
    text = "---\nbibliography: refs.bib\nreferences:\n- id: own\n  title: Mine\n---\n[@own]\n"
    write("refs.bib", "@misc{luz, title={Marshes}}")
    write("draft.md", text)
    project = opened("draft.md")
    library = LibraryCache().load(project.bibliographies, project.inline)
    assert list(library.by_key) == ["luz", "own"]
    entry = library.by_key["own"]
    assert text[entry.key_start : entry.key_end] == "own" and entry.paper.title == "Mine"


def test_typing_in_the_prose_leaves_the_references_of_the_draft_the_same_object(
    write: Write, tmp_path: Path
) -> None:
    cache, text = ProjectCache(), "---\nreferences:\n- id: own\n  title: Mine\n---\nSee.\n"
    path = write("draft.md", text)
    before = cache.open(path, lambda _: text, tmp_path)
    after = cache.open(path, lambda one: text + "More." if one == path else None, tmp_path)
    assert after is not before and after.inline[0] is before.inline[0]


def test_quarto_goes_on_in_its_metadata_files_and_in_its_book(
    write: Write, opened: Open, tmp_path: Path
) -> None:
    write("_quarto.yml", "metadata-files: [shared.yml]\nbook:\n  bibliography: whole.bib\n")
    write("shared.yml", "bibliography: [a.json, b.bib]\n")
    write("draft.qmd", "See [@luz].\n")
    assert bibliographies(opened("draft.qmd"), tmp_path) == ["whole.bib", "a.json", "b.bib"]


@pytest.mark.parametrize("name", ["a" * 5000, "x/" * 3000, "\\a", "a\0b"])
def test_no_name_of_a_bibliography_ends_the_reading(write: Write, opened: Open, name: str) -> None:
    many = "\\newcommand\\a{" + "\\a" * 140 + "}"
    write("main.tex", f"\\documentclass{{article}}{many}\\bibliography{{{name}}}\\input{{{name}}}")
    assert names(opened("main.tex")) == ["main.tex"]


def test_an_abbreviation_is_read_wherever_the_draft_explains_it(tmp_path: Path) -> None:
    main, one, two, names = (tmp_path / f"{name}.tex" for name in ("main", "one", "two", "names"))
    main.write_text(
        "\\documentclass{article}\\begin{document}\\input{one}\\input{two}"
        "\\loadglsentries[main]{names}\\end{document}",
        encoding="utf-8",
    )
    one.write_text("A \\acrshort{gp} by \\cite{a}.", encoding="utf-8")
    two.write_text("A kernel by \\cite{b}.", encoding="utf-8")
    names.write_text("\\newacronym{gp}{GP}{Gaussian process}", encoding="utf-8")
    cache, read = ProjectCache(), DiskReader()
    before = cache.open(one, read)
    assert [mention.left for mention in before.document.mentions] == ["A GP by", "A kernel by"]
    assert cache.open(one, read) is before, "nothing is parsed twice"
    names.write_text("\\newacronym{gp}{GPR}{Gaussian process}", encoding="utf-8")
    after = cache.open(one, read)
    assert [mention.left for mention in after.document.mentions] == ["A GPR by", "A kernel by"]
    assert after.manuscript(one) is not before.manuscript(one)
    assert after.manuscript(two) is before.manuscript(two), "it uses none of the names"
    one.write_text("The \\acrshort{gp} by \\cite{a}.", encoding="utf-8")
    typed = cache.open(one, read)
    assert typed.document.mentions[0].left == "The GPR by"
    assert typed.manuscript(names) is after.manuscript(names)


@pytest.mark.parametrize("bound", ["_CHARACTERS_KEPT", "_PROJECTS_MOST"])
def test_drafts_that_were_only_looked_at_are_let_go_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    texts = {
        tmp_path / f"{number}" / "paper.tex": "\\documentclass{article}\n\\bibitem{k}K\n"
        + "x" * 100
        for number in range(50)
    }
    monkeypatch.setattr(project_module, bound, 40 if bound == "_PROJECTS_MOST" else 5500)
    cache = ProjectCache()
    manuscripts = []
    for path in texts:
        project = cache.open(path, texts.get)
        manuscripts.append(weakref.ref(project.files[0][1]))
    gc.collect()
    alive = [one() is not None for one in manuscripts]
    assert 32 <= sum(alive) <= 41
    assert not any(alive[:4])
    assert cache.open(path, texts.get) is project


def test_going_through_many_drafts_takes_as_long_for_the_last_as_for_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {tmp_path / f"{number}.md": f"Note {number}." for number in range(1000)}
    monkeypatch.setattr(project_module, "_PROJECTS_MOST", 200)
    looked = []
    monkeypatch.setattr(DraftFiles, "forget_others", lambda *held: looked.append(held))
    cache = ProjectCache()
    for path in texts:
        cache.open(path, texts.get)
    assert 0 < len(looked) < 100


def test_a_draft_longer_than_all_that_is_kept_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_module, "_CHARACTERS_KEPT", 10)
    texts = {
        tmp_path / "main.tex": "\\documentclass{book}\\input{one}\\input{two}",
        tmp_path / "one.tex": "The first chapter, and its many words.",
        tmp_path / "two.tex": "The second chapter, and its many words.",
    }
    cache = ProjectCache()
    project = cache.open(tmp_path / "main.tex", texts.get)
    assert len(project.files) == 3
    assert cache.open(tmp_path / "main.tex", texts.get) is project


BBL = """\\begin{thebibliography}{9}
\\bibitem[Moor(2011)]{moor} Ada Moor. \\newblock On tides. 2011.
\\bibitem{fen} Bo Fen. \\newblock On gulls. 2012.
\\end{thebibliography}
"""


@pytest.mark.parametrize("opened_name", ["main.tex", "part.tex"])
def test_what_bibtex_made_stands_in_for_a_bibliography_that_is_missing(
    write: Write, opened: Open, opened_name: str
) -> None:
    write("main.tex", MAIN % "\\cite{moor}\\input{part}\\bibliography{refs}")
    write("part.tex", "\\cite{fen}")
    made = write("main.bbl", BBL)
    project = opened(opened_name)
    assert [(one.path, [entry.key for entry in one.entries]) for one in project.inline] == [
        (made, ["moor", "fen"])
    ]
    assert [path.name for path in project.bibliographies] == ["refs.bib"]  # missing, and told of
    assert names(project) == ["main.tex", "part.tex"]
    assert entry_target(project) == EntryTarget(made, "bibitems")


def test_what_bibtex_made_of_a_bibliography_that_is_there_is_out_of_date(
    write: Write, opened: Open
) -> None:
    write("main.tex", MAIN % "\\cite{moor}\\bibliography{refs}")
    write("main.bbl", BBL)
    write("refs.bib", "@misc{moor, title={On tides}}")
    assert opened("main.tex").inline == ()


def test_what_bibtex_made_is_read_again_when_it_changes(write: Write, tmp_path: Path) -> None:
    write("main.tex", MAIN % "\\cite{moor}\\bibliography{refs}")
    path, cache, read = write("main.bbl", BBL), ProjectCache(), DiskReader()
    first = cache.open(tmp_path / "main.tex", read, tmp_path)
    assert cache.open(tmp_path / "main.tex", read, tmp_path) is first
    path.write_text(BBL.replace("{fen}", "{sand}"))
    (second,) = cache.open(tmp_path / "main.tex", read, tmp_path).inline
    assert [entry.key for entry in second.entries] == ["moor", "sand"]
    path.unlink()
    assert cache.open(tmp_path / "main.tex", read, tmp_path).inline == ()


BIBER = r"""% $ biblatex bbl format version 3.3 $
\refsection{0}
  \datalist[entry]{nty/global//global/global/global}
    \entry{moor}{article}{}{}
      \name{author}{2}{}{%
        {{hash=a1}{%
           family={M{\"o}or},
           familyi={M\bibinitperiod},
           given={Ada},
           giveni={A\bibinitperiod}}}%
        {{hash=b2}{%
           family={Berg},
           given={Jan},
           prefix={van\bibnamedelimb der},
           prefixi={v\bibinitperiod}}}%
      }
      \strng{namehash}{c3}
      \field{labelnamesource}{author}
      \field{journaltitle}{Shores}
      \field{title}{On {Tides} \& ebb}
      \field{year}{2011}
      \verb{doi}
      \verb 10.1000/a_b
      \endverb
      \warn{\item a thing}
    \endentry
    \entry{watch}{report}{}{}
      \name{author}{1}{}{%
        {{hash=d4}{%
           family={{World Shore Watch}}}}%
      }
      \list{institution}{1}{%
        {Shore Press}%
      }
      \true{moreauthor}
      \field{title}{Gulls}
    \endentry
  \enddatalist
\endrefsection
"""


def test_what_biber_made_stands_in_for_a_bibliography_that_is_missing(
    write: Write, opened: Open
) -> None:
    write("main.tex", "\\addbibresource{refs.bib}" + MAIN % "\\cite{moor}\\printbibliography")
    made = write("main.bbl", BIBER)
    (found,) = opened("main.tex").inline
    first, second = found.entries
    assert [(one.path, one.key, one.kind, one.line) for one in (first, second)] == [
        (made, "moor", "article", 4),
        (made, "watch", "report", 27),
    ]
    assert BIBER[first.key_start : first.key_end] == "moor"
    assert first.paper == Paper(
        "entry:moor",
        "On Tides & ebb",
        authors=("Ada Möor", "Jan van der Berg"),
        year=2011,
        venue="Shores",
        doi="10.1000/a_b",
        language="en",
    )
    assert (second.paper.title, second.paper.venue) == ("Gulls", "Shore Press")
    assert second.paper.authors == ("World\u00a0Shore\u00a0Watch",)
    assert second.paper.more_authors
