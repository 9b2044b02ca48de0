"""Which bibliographies a draft names, or uses where it names none, and where they are found."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from cite_lsp.library import LibraryCache
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import ProjectCache
from tests.project.projects import MAIN, Open, Write, bibliographies, names

pytestmark = pytest.mark.usefixtures("no_home")


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
    cache, read = ProjectCache(), FilesOnDisk().read
    paths = []
    for folder in ("one", "two"):
        text = f"\\documentclass{{article}}\\def\\from{{{folder}}}\\bibliography{{\\from/all}}"
        write("main.tex", text)
        paths += bibliographies(cache.open(tmp_path / "main.tex", read, tmp_path), tmp_path)
    assert paths == ["one/all.bib", "two/all.bib"]


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
    (path,) = opened("paper/main.tex").bibliographies
    assert path.is_file()


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
    read = FilesOnDisk().read
    within = ProjectCache().open(draft, read=read, workspace=tmp_path / "book" / "chapters")
    assert within.bibliographies == ()
    whole = ProjectCache().open(draft, read=read, workspace=tmp_path / "book")
    assert bibliographies(whole, tmp_path) == ["book/refs.bib"]


def test_or_those_of_a_folder_whose_name_says_what_it_holds(
    write: Write, opened: Open, tmp_path: Path
) -> None:
    write("thesis/chapters/one.tex", "Prose")
    write("thesis/data/measured.bib", "@misc{k, title={T}}")
    assert bibliographies(opened("thesis/chapters/one.tex"), tmp_path) == []
    write("thesis/references/zotero.bib", "@misc{k, title={T}}")
    assert bibliographies(opened("thesis/chapters/one.tex"), tmp_path) == [
        "thesis/references/zotero.bib"
    ]
    write("thesis/refs.bib", "@misc{k, title={T}}")
    assert bibliographies(opened("thesis/chapters/one.tex"), tmp_path) == ["thesis/refs.bib"]


def test_without_workspace_the_repository_is_the_border(write: Write, tmp_path: Path) -> None:
    draft = write("book/chapters/draft.md", "Prose")
    write("book/.git/HEAD", "ref: refs/heads/main")
    write("above.bib", "@misc{k, title={T}}")
    assert ProjectCache().open(draft, read=FilesOnDisk().read).bibliographies == ()
    write("book/refs.bib", "@misc{k, title={T}}")
    project = ProjectCache().open(draft, read=FilesOnDisk().read)
    assert bibliographies(project, tmp_path) == ["book/refs.bib"]


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


def test_where_a_leading_slash_is_no_root_it_is_still_the_folder_of_the_project(
    write: Write, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = PureWindowsPath.is_absolute
    monkeypatch.setattr(PurePosixPath, "is_absolute", lambda path: rule(PureWindowsPath(path)))
    write("book/chapters/one.qmd", "Prose")
    write("book/_quarto.yml", "bibliography: /b.bib\n")
    write("book/b.bib", "@misc{k, title={T}}")
    assert bibliographies(opened("book/chapters/one.qmd"), tmp_path) == ["book/b.bib"]


@pytest.mark.parametrize("named", [r"refs\new\a.bib", r"..\refs\new\a.bib", r'"refs\\new\\a.bib"'])
def test_folders_may_be_parted_as_on_windows(
    write: Write, opened: Open, tmp_path: Path, named: str
) -> None:
    write("book/draft.md", f"---\nbibliography: {named}\n---\nProse")
    for folder in ("book/refs", "refs"):
        write(f"{folder}/new/a.bib", "@misc{k, title={T}}")
    wanted = "refs/new/a.bib" if named.startswith("..") else "book/refs/new/a.bib"
    assert bibliographies(opened("book/draft.md"), tmp_path) == [wanted]


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


@pytest.mark.parametrize("name", ["a" * 5000, "x/" * 3000, "\\a", "a\0b"])
def test_no_name_of_a_bibliography_ends_the_reading(write: Write, opened: Open, name: str) -> None:
    many = "\\newcommand\\a{" + "\\a" * 140 + "}"
    write("main.tex", f"\\documentclass{{article}}{many}\\bibliography{{{name}}}\\input{{{name}}}")
    assert names(opened("main.tex")) == ["main.tex"]
