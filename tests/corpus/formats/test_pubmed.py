"""What PubMed leaves open: titles that it has not, names that it corrected, books."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.paper import Paper
from tests.corpus.sources_read import papers_of_source

ARTICLE = """<PubmedArticle><MedlineCitation><PMID>7</PMID><Article>
<Journal><JournalIssue><PubDate><Year>1998</Year></PubDate></JournalIssue><Title>Mud</Title></Journal>
<ArticleTitle>{title}</ArticleTitle>{more}
<AuthorList>{authors}</AuthorList></Article></MedlineCitation></PubmedArticle>"""
AUTHOR = (
    '<Author ValidYN="{valid}"><LastName>{last}</LastName><Initials>B</Initials>{more}</Author>'
)


def article(tmp_path: Path, title: str, authors: str = "", more: str = "") -> list[Paper]:
    record = ARTICLE.format(title=title, authors=authors, more=more)
    return read(tmp_path, f"<PubmedArticleSet>{record}</PubmedArticleSet>", "a.xml")


def read(tmp_path: Path, text: str, name: str) -> list[Paper]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return list(papers_of_source(tmp_path / name, print))


@pytest.mark.parametrize("title", ["[Not Available].", "[Not available]", ""])
def test_a_title_that_is_not_available_is_none(tmp_path: Path, title: str) -> None:
    own = "<VernacularTitle>Les marées du marais.</VernacularTitle>"
    (paper,) = article(tmp_path, title, more=own)
    assert paper.title == "Les marées du marais"
    nbib = f"PMID- 7\nTI  - {title}\nTT  - Les marées du marais.\nFAU - Boue, Anne\n"
    (paper,) = read(tmp_path, nbib, "a.nbib")
    assert (paper.title, paper.authors) == ("Les marées du marais", ("Anne Boue",))


def test_a_translated_title_goes_before_the_one_in_its_own_language(tmp_path: Path) -> None:
    own = "<VernacularTitle>Les marées du marais.</VernacularTitle>"
    (paper,) = article(tmp_path, "[The tides of the marsh].", more=own)
    assert paper.title == "The tides of the marsh"


def test_of_a_name_that_was_corrected_only_the_right_one_counts(tmp_path: Path) -> None:
    wrong, right = (
        AUTHOR.format(valid=valid, last=last, more="")
        for valid, last in (("N", "Bou"), ("Y", "Boue"))
    )
    (paper,) = article(tmp_path, "Tides.", wrong + right)
    assert paper.authors == ("B Boue",)
    (paper,) = article(tmp_path, "Tides.", wrong)
    assert paper.authors == ("B Bou",)


@pytest.mark.parametrize("written, shown", [("Jr", "Jr"), ("3rd", "III"), ("2nd", "II")])
def test_a_suffix_belongs_to_the_name(tmp_path: Path, written: str, shown: str) -> None:
    suffix = f"<Suffix>{written}</Suffix>"
    (paper,) = article(tmp_path, "Tides.", AUTHOR.format(valid="Y", last="Boue", more=suffix))
    assert paper.authors == (f"B Boue {shown}",)
    for tag, name in (("FAU", f"Boue, Anne B {written}"), ("AU ", f"Boue AB {written}")):
        (paper,) = read(tmp_path, f"PMID- 7\nTI  - Tides.\n{tag} - {name}\n", "a.nbib")
        assert paper.authors[0].endswith(f"Boue {shown}"), paper.authors


BOOK = """<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID>9</PMID>
<ArticleIdList><ArticleId IdType="bookaccession">NBK1</ArticleId></ArticleIdList>
<Book><Publisher><PublisherName>Marsh House</PublisherName></Publisher>
<BookTitle>Reviews of Mud.</BookTitle><PubDate><Year>2009</Year></PubDate>
<AuthorList Type="editors">
<Author><LastName>Edit</LastName><ForeName>Eva</ForeName></Author></AuthorList>
<ELocationID EIdType="doi">10.1000/mud</ELocationID></Book>{chapter}
<Language>eng</Language><Abstract><AbstractText>What mud does.</AbstractText></Abstract>
</BookDocument><PubmedBookData/></PubmedBookArticle></PubmedArticleSet>"""
CHAPTER = """<ArticleTitle>Lungs full of mud</ArticleTitle><AuthorList Type="authors">
<Author><LastName>Boue</LastName><ForeName>Anne</ForeName></Author></AuthorList>"""


def test_books_and_their_chapters_are_papers(tmp_path: Path) -> None:
    (chapter,) = read(tmp_path, BOOK.format(chapter=CHAPTER), "a.xml")
    assert chapter == Paper(
        "pmid:9",
        "Lungs full of mud",
        "What mud does.",
        ("Anne Boue",),
        2009,
        "Reviews of Mud",
        url="https://pubmed.ncbi.nlm.nih.gov/9/",
        language="en",
        kind="chapter",
    )
    (book,) = read(tmp_path, BOOK.format(chapter=""), "b.xml")
    assert (book.title, book.venue, book.kind) == ("Reviews of Mud", "Marsh House", "book")
    assert (book.authors, book.doi) == (("Eva Edit",), "10.1000/mud")


def test_so_they_are_in_tagged_text(tmp_path: Path) -> None:
    record = "PMID- 9\n{}BTI - Reviews of Mud\nPB  - Marsh House\nFAU - Boue, Anne\nPT  - Review\n"
    (chapter,) = read(tmp_path, record.format("TI  - Lungs full of mud\n"), "a.nbib")
    (book,) = read(tmp_path, record.format(""), "b.nbib")
    assert (chapter.title, chapter.venue, chapter.kind) == (
        "Lungs full of mud",
        "Reviews of Mud",
        "chapter",
    )
    assert (book.title, book.venue, book.kind) == ("Reviews of Mud", "Marsh House", "book")


def test_whoever_passes_it_on_it_is_no_title(tmp_path: Path) -> None:
    ris = "TY  - JOUR\nTI  - [Not Available].\nAU  - Boue, Anne\nPY  - 1998\nER  - \n"
    assert [paper.title for paper in read(tmp_path, ris, "a.ris")] == [""]
