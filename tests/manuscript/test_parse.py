"""Which files are drafts."""

from pathlib import Path

import pytest

from cite_lsp.manuscript import format_of, parse


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((f"a{suffix}", "latex") for suffix in (".tex", ".ltx", ".latex", ".TEX", ".Rnw")),
        *((f"a{suffix}", "markdown") for suffix in (".md", ".markdown", ".Rmd", ".qmd", ".mdx")),
        ("a.typ", "typst"),
        ("a.org", "org"),
        *((name, None) for name in ("a.sty", "a.cls", "a.bib", "tex", "a")),
    ],
)
def test_the_file_name_tells_the_format(name: str, expected: str | None) -> None:
    assert format_of(Path("folder") / name) == expected


def test_the_language_is_that_of_the_prose() -> None:
    assert parse("\\section{方法}\n我们使用\\emph{注意力}机制\\cite{a}。", "latex").language == "zh"
    assert parse("\\section{Methods}\nWe use attention.", "latex").language == "en"


@pytest.mark.parametrize(("format", "heading"), [("markdown", "#"), ("org", "*"), ("typst", "=")])
def test_the_abstract_may_stand_below_a_heading(format: str, heading: str) -> None:
    text = f"{heading} Abstract\n\nGulls bring rain.\n\n{heading} Nests\n\nMore.\n"
    assert parse(text, format).abstract == "Gulls bring rain."


TITLES = ("Ways", "Times", "Summary")


@pytest.mark.parametrize(("format", "heading"), [("markdown", "#"), ("org", "*"), ("typst", "=")])
def test_a_summary_is_the_abstract_at_the_top_and_not_at_the_end_of_a_chapter(
    format: str, heading: str
) -> None:
    parts = "".join(f"{heading}{heading} {title}\n\nOn foot.\n\n" for title in TITLES)
    assert parse(f"{heading} Nests\n\nMore.\n\n{parts}\n", format).abstract == ""
    assert parse(f"{heading} Summary\n\nAll.\n\n{parts}\n", format).abstract.startswith("All.")
