r"""Markdown chapters that a LaTeX draft above them converts and includes: one draft with it."""

from __future__ import annotations

import pytest

from tests.project.projects import Open, Write, bibliographies, names

MAIN = (
    r"\documentclass{book}\addbibresource{lib/refs.bib}\begin{document}"
    r"%s\end{document}"
)


@pytest.mark.parametrize(
    "inclusion",
    [
        r"\input{chapters/nests}",
        r"\include{chapters/nests.tex}",
        r"\markdownInput{chapters/nests.md}",
        r"\newcommand{\chap}[1]{\input{chapters/#1}}\chap{nests}",
    ],
)
def test_a_chapter_in_markdown_is_a_part_of_the_draft(
    inclusion: str, write: Write, opened: Open
) -> None:
    write("thesis.tex", MAIN % (inclusion + r"\cite{b}"))
    write("lib/refs.bib", "@misc{a, title={A}}")
    chapter = write("chapters/nests.md", "# Nests\n\nTerns nest [@a].\n")
    for file in ("thesis.tex", "chapters/nests.md"):
        project = opened(file)
        assert names(project) == ["thesis.tex", "nests.md"]
        assert bibliographies(project, chapter.parents[1]) == ["lib/refs.bib"]
        cited = [key for mention in project.document.mentions for key in mention.keys]
        assert sorted(cited) == ["a", "b"]


def test_a_chapter_whose_file_of_tex_was_made_belongs_to_the_draft(
    write: Write, opened: Open
) -> None:
    main = write("thesis.tex", MAIN % r"\input{chapters/nests}")
    write("lib/refs.bib", "@misc{a, title={A}}")
    write("chapters/nests.tex", r"Terns nest \autocite{a}.")
    write("chapters/nests.md", "Terns nest [@a].\n")
    project = opened("chapters/nests.md")
    assert project.root == main
    assert bibliographies(project, main.parent) == ["lib/refs.bib"]


def test_a_chapter_that_is_converted_elsewhere_has_the_bibliography_of_the_draft_above(
    write: Write, opened: Open
) -> None:
    main = write("thesis.tex", MAIN % r"\input{build/nests}")
    write("lib/refs.bib", "@misc{a, title={A}}")
    write("macros.tex", r"\newcommand{\x}{x}")
    write("chapters/nests.md", "Terns nest [@a].\n")
    assert bibliographies(opened("chapters/nests.md"), main.parent) == ["lib/refs.bib"]


def test_a_nearer_bibliography_comes_before_that_of_the_draft_above(
    write: Write, opened: Open
) -> None:
    main = write("thesis.tex", MAIN % "Text.")
    write("lib/refs.bib", "@misc{a, title={A}}")
    write("chapters/own.bib", "@misc{b, title={B}}")
    write("chapters/nests.md", "Terns nest [@b].\n")
    assert bibliographies(opened("chapters/nests.md"), main.parent) == ["chapters/own.bib"]


def test_a_draft_of_tex_beside_one_of_the_same_name_is_another(write: Write, opened: Open) -> None:
    write("paper.tex", MAIN % "Gulls \\cite{a}.\\bibliography{refs}")
    write("paper.md", "---\nbibliography: notes.json\n---\n\nGulls [@b].\n")
    project = opened("paper.md")
    assert names(project) == ["paper.md"]
    assert [path.name for path in project.bibliographies] == ["notes.json"]
