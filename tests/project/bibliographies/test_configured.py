"""The bibliographies that the settings of a project name."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.project.bibliographies.configured import configured
from cite_lsp.project.files_on_disk import FilesOnDisk
from tests.project.projects import Open, Write, bibliographies


@pytest.mark.parametrize("name", ["_quarto.yml", "_metadata.yml", "_bookdown.yml"])
def test_markdown_uses_what_the_project_configures(
    write: Write, opened: Open, tmp_path: Path, name: str
) -> None:
    write("book/chapters/one.qmd", "Prose")
    write(f"book/{name}", "title: T\nbibliography: [lib/a.bib, /b.bib]\n")
    write("book/lib/a.bib", "@misc{k, title={T}}")
    write("book/b.bib", "@misc{k, title={T}}")
    paths = bibliographies(opened("book/chapters/one.qmd"), tmp_path)
    assert paths == ["book/lib/a.bib", "book/b.bib"]


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
    paths = bibliographies(opened("book/chapters/one.md"), tmp_path)
    assert paths == ["book/lib/a.bib", "book/b.bib"]


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


def test_quarto_goes_on_in_its_metadata_files_and_in_its_book(
    write: Write, opened: Open, tmp_path: Path
) -> None:
    write("_quarto.yml", "metadata-files: [shared.yml]\nbook:\n  bibliography: whole.bib\n")
    write("shared.yml", "bibliography: [a.json, b.bib]\n")
    write("draft.qmd", "See [@luz].\n")
    assert bibliographies(opened("draft.qmd"), tmp_path) == ["whole.bib", "a.json", "b.bib"]


def configuration(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "_quarto.yml").write_text(text)
    return [name for _, name in configured([tmp_path], FilesOnDisk().read)[0]]


@pytest.mark.parametrize("levels", [4, 60])
def test_a_configuration_that_repeats_itself_is_followed_up_to_a_limit(
    tmp_path: Path, levels: int
) -> None:
    parts = ("book", "website", "format", "html", "pdf", "docx")
    every = ", ".join(f"{part}: *a{{0}}" for part in parts)
    tables = "".join(f"a{n}: &a{n} {{{every.format(n - 1)}}}\n" for n in range(1, levels))
    text = (
        f"a0: &a0 {{bibliography: own.bib}}\n{tables}format: *a{levels - 1}\nbibliography: x.bib\n"
    )
    assert configuration(tmp_path, text) == ["x.bib", "own.bib"][: 2 if levels == 4 else 1]
    merged = "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, levels))
    text = f"a0: &a0 {{bibliography: own.bib}}\n{merged}format: *a{levels - 1}\n"
    assert configuration(tmp_path, text) == ["own.bib"][: 1 if levels == 4 else 0]


def test_a_configuration_within_itself_is_read_once(tmp_path: Path) -> None:
    assert configuration(tmp_path, "bibliography: x.bib\nformat: &f\n  html: *f\n") == ["x.bib"]


@pytest.mark.parametrize("value", ["2020-13-45", "[" * 3 + "]" * 3, "1e400", "0o9"])
def test_a_value_that_is_none_costs_no_bibliography(tmp_path: Path, value: str) -> None:
    assert configuration(tmp_path, f"bibliography: x.bib\ndate: {value}\n") == ["x.bib"]


def test_a_configuration_that_is_nested_too_deeply_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "_quarto.yml").write_text("bibliography: x.bib\na: " + "[" * 100_000)
    named, _, problems = configured([tmp_path], FilesOnDisk().read)
    assert not named and len(problems) == 1
