"""The chapters that a project lists are one draft: of Quarto, bookdown, MyST, pandoc."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import ProjectCache
from tests.project.projects import Open, Write, bibliographies, names


@pytest.mark.parametrize(
    ("listing", "text", "files", "expected"),
    [
        (
            "_quarto.yml",
            "project: {type: book}\nbook:\n  chapters:\n  - index.qmd\n  - part: P\n    chapters:\n"
            "    - b.qmd\n    - file: a.qmd\n      text: A\n  appendices: [sub/c.qmd, gone.qmd]\n",
            ["a.qmd", "b.qmd", "index.qmd", "sub/c.qmd", "other.qmd"],
            ["index.qmd", "b.qmd", "a.qmd", "c.qmd"],
        ),
        (
            "_bookdown.yml",
            "book_filename: b",
            ["b.Rmd", "a.Rmd", "index.Rmd", "_x.Rmd", "readme.md"],
            ["index.Rmd", "a.Rmd", "b.Rmd"],
        ),
        (
            "_bookdown.yml",
            "rmd_files:\n  html: [index.Rmd, b.Rmd]\n  latex: [index.Rmd, a.Rmd]",
            ["b.Rmd", "a.Rmd", "index.Rmd", "c.Rmd"],
            ["index.Rmd", "b.Rmd", "a.Rmd"],
        ),
        (
            "_bookdown.yml",
            "rmd_subdir: true",
            ["index.Rmd", "part/a.Rmd"],
            ["index.Rmd", "a.Rmd"],
        ),
        (
            "myst.yml",
            "project:\n  toc:\n  - file: b.md\n  - children:\n    - pattern: s/*.md\n",
            ["a.md", "b.md", "s/d.md", "s/c.md"],
            ["b.md", "c.md", "d.md"],
        ),
        (
            "myst.yml",
            "project: {exclude: [drafts/*]}",
            ["p10.md", "p9.md", "index.md", "s/c.md", "drafts/e.md", "_build/f.md"],
            ["index.md", "p9.md", "p10.md", "c.md"],
        ),
        (
            "_toc.yml",
            "root: b\nparts:\n- chapters:\n  - file: s/a\n    sections:\n    - file: c\n",
            ["b.md", "s/a.md", "c.md", "d.md"],
            ["b.md", "a.md", "c.md"],
        ),
        (
            "defaults/book.yaml",
            "input-files: [b.md, s/a.md]\nbibliography: ${.}/refs.bib",
            ["b.md", "s/a.md", "c.md"],
            ["b.md", "a.md"],
        ),
    ],
)
def test_the_chapters_that_a_file_lists_are_one_draft(
    write: Write, opened: Open, listing: str, text: str, files: list[str], expected: list[str]
) -> None:
    write(listing, text)
    for name in files:
        write(name, "Text.\n")
    chapters = [name for name in files if Path(name).name in expected]
    for name in (chapters[0], chapters[-1]):
        project = opened(name)
        assert names(project) == expected and project.root.name == expected[0]
    for name in set(files) - set(chapters):
        assert names(opened(name)) == [Path(name).name]


def test_an_index_whose_site_is_that_of_bookdown_lists_all_files(
    write: Write, opened: Open, tmp_path: Path
) -> None:
    write("index.Rmd", "---\nsite: bookdown::bookdown_site\nbibliography: refs.bib\n---\n")
    write("refs.bib", "@misc{a}")
    write("01-jam.Rmd", "Jam [@a].")
    project = opened("01-jam.Rmd")
    assert names(project) == ["index.Rmd", "01-jam.Rmd"]
    assert bibliographies(project, tmp_path) == ["refs.bib"]


def test_what_a_chapter_includes_and_the_labels_of_another_are_of_the_draft(
    write: Write, opened: Open
) -> None:
    write("_quarto.yml", "book: {chapters: [index.qmd, two.qmd]}\ncrossref: {custom: [{key: map}]}")
    write("index.qmd", "{{< include parts/_one.qmd >}}\n\nSee @fen-a, @map-one and [@Map-two; @a].")
    write("parts/_one.qmd", "Of @b.")
    path = write("two.qmd", ":::{figure} x.png\n:label: fen-a\n:::\n")
    project = opened("parts/_one.qmd")
    assert names(project) == ["index.qmd", "_one.qmd", "two.qmd"] == names(opened(path.name))
    keys = [
        key.text
        for text in project.document.files
        for marker in text.markers
        for key in marker.keys
    ]
    assert keys == ["a", "b"]


def test_a_project_of_myst_has_all_targets_and_all_bibliographies(
    write: Write, opened: Open, tmp_path: Path
) -> None:
    write("myst.yml", "project: {title: Jam}")
    write(
        "pages/a.md",
        "---\nlabel: page-a\n---\n# Jam {#jam}\n\n\\begin{align}\n\\label{eq-j}\n\\end{align}\n",
    )
    write("pages/b.md", "See @jam, @page-a, @eq-j, @a and @no.")
    for name in ("deep/er/a.bib", "b.bib", ".hidden/c.bib", "_build/d.bib"):
        write(name, "@misc{a}")
    project = opened("pages/b.md")
    assert bibliographies(project, tmp_path) == ["b.bib", "deep/er/a.bib"]
    keys = [
        key.text
        for text in project.document.files
        for marker in text.markers
        for key in marker.keys
    ]
    assert keys == ["a", "no"]
    write("myst.yml", "project: {bibliography: [deep/er/a.bib]}")
    assert bibliographies(opened("pages/b.md"), tmp_path) == ["deep/er/a.bib"]


def test_the_first_chapter_stands_for_the_book(write: Write, opened: Open) -> None:
    write("_quarto.yml", "book: {chapters: [index.qmd, two.qmd]}")
    first = write("index.qmd", "One.")
    second = write("two.qmd", "{{< include _part.qmd >}}")
    part = write("_part.qmd", "Part.")
    project = opened("two.qmd")
    assert project.read_in_by(first) == (first, second, part)
    assert project.read_in_by(second) == (second, part)


def test_in_a_project_of_myst_a_doi_is_a_key(write: Write) -> None:
    write("refs.bib", "@misc{jam, doi={10.1234/Jam}}")
    path = write("a.md", "By @doi:10.1234/jam and [](https://doi.org/10.1234/JAM).")
    draft = DraftReader(FilesOnDisk().read).draft(path)
    assert draft.library.get("doi:10.1234/jam") is None and len(draft.manuscript.markers) == 1
    write("myst.yml", "project: {title: Jam}")
    draft = DraftReader(FilesOnDisk().read).draft(path)
    keys = [key.text for marker in draft.manuscript.markers for key in marker.keys]
    entries = [draft.library.get(key) for key in (*keys, "10.1234/jam")]
    assert [entry and entry.key for entry in entries] == ["jam"] * 3
    assert draft.library.get("doi:10.1234/other") is None


def test_a_chapter_in_a_workspace_of_its_own_is_one_of_the_book(
    write: Write, tmp_path: Path
) -> None:
    write("_quarto.yml", "book: {chapters: [index.qmd, ch/two.qmd]}\nbibliography: refs.bib")
    write("refs.bib", "@misc{a}")
    write("index.qmd", "One.")
    path = write("ch/two.qmd", "Two.")
    project = ProjectCache().open(path, read=FilesOnDisk().read, workspace=path.parent)
    assert names(project) == ["index.qmd", "two.qmd"]
    assert bibliographies(project, tmp_path) == ["refs.bib"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "book: [",
        "book: {chapters: 3}",
        "book: {chapters: [{part: [x]}]}",
        "- a",
        "book: &a [*a]",
    ],
)
def test_a_listing_that_cannot_be_read_lists_nothing(write: Write, opened: Open, text: str) -> None:
    write("_quarto.yml", text)
    write("index.qmd", "One.")
    assert names(opened("index.qmd")) == ["index.qmd"]


@pytest.mark.parametrize(
    ("main", "text"),
    [
        ("main.qmd", "{{< include parts/one.md >}}"),
        ("main.Rmd", '```{r, echo=FALSE, child="parts/one.md"}\n```'),
        ("main.Rmd", "```{r child = c('parts/zero.md', 'parts/one.md')}\n```"),
        ("main.Rmd", "```{r}\n#| child: [parts/zero.md, parts/one.md]\n```"),
        ("main.Rmd", "```{r}\n#| child:\n#|   - parts/one.md\n```"),
        ("main.Rmd", "`r knitr::knit_child('parts/one.md')`"),
        ("main.Rmd", '```{r}\nx <- knit_child(input = "parts/one.md", quiet = TRUE)\n```'),
        ("main.md", "```{include} parts/one.md\n:start-line: 2\n```"),
        ("main.md", ":::{include} parts/one.md\n:::"),
        ("main.md", "``` {.include}\nparts/zero.md\nparts/one.md\n```"),
        ("main.md", "!include parts/one.md"),
    ],
)
def test_a_file_that_a_draft_includes_cites_from_it(
    write: Write, opened: Open, tmp_path: Path, main: str, text: str
) -> None:
    write(main, f"---\nbibliography: refs/a.bib\n---\n\n{text}\n")
    write("refs/a.bib", "@misc{a}")
    write("parts/stray.bib", "@misc{b}")
    write("parts/one.md", "By @a.")
    project = opened("parts/one.md")
    assert names(project) == [main, "one.md"] == names(opened(main))
    assert bibliographies(project, tmp_path) == ["refs/a.bib"]


@pytest.mark.parametrize(
    "text",
    [
        "<!-- {{< include one.md >}} -->",
        '```{r, child="one.md", eval=FALSE}\n```',
        "```{r}\n#| eval: false\n#| child: one.md\n```",
        "```{include} one.md\n:literal:\n```",
        "```\n{{< include one.md >}}\n```",
    ],
)
def test_a_file_that_is_not_read_in_stays_alone(write: Write, opened: Open, text: str) -> None:
    write("main.qmd", f"---\nbibliography: a.bib\n---\n\n{text}\n")
    write("one.md", "By @a.")
    assert names(opened("one.md")) == ["one.md"]


def test_of_several_entries_with_a_key_pandoc_takes_the_last(write: Write) -> None:
    for name in ("a", "b"):
        write(f"{name}.bib", f"@misc{{k, title={{{name}}}}} @misc{{own, title={{{name}}}}}")
    references = "references:\n- id: own\n  title: Mine\n"
    path = write("a.md", f"---\nbibliography: [a.bib, b.bib]\n---\n\n@k\n\n---\n{references}---\n")
    library = DraftReader(FilesOnDisk().read).draft(path).library
    titles = [entry and entry.paper.title for entry in map(library.get, ("k", "own"))]
    assert titles == ["b", "Mine"]
    write("c.bib", "@misc{k, title={c}}")
    path = write(
        "a.tex", "\\documentclass{article}\\bibliography{a,c}\\begin{document}\\end{document}"
    )
    entry = DraftReader(FilesOnDisk().read).draft(path).library.get("k")
    assert entry is not None and entry.paper.title == "a"
