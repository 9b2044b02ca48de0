"""What records have from others, as biblatex's manual says (appendix B, section 3.13.6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import EntryMatcher, parse_bibliography
from cite_lsp.library.bibtex.roles import members_of, uncitable

PATH = Path("refs.bib")
WHOLES = """
@mvbook{works, author = {Reed, Ida}, title = {Works}, subtitle = {All}, shorttitle = {W}, date = 1999}
@book{second, crossref = {works}, title = {Shores}, volume = 2}
@collection{mud, editor = {Edit, Eva}, title = {Mud}, titleaddon = {Papers}, shorttitle = {M}}
@proceedings{meeting, title = {Meeting on Mud}, date = 2001}
@periodical{journal, title = {Journal of Mud}, shorttitle = {JM}, date = 2002}
"""  # noqa: E501


def fields(kind: str, whole: str, own: str = "") -> dict[str, str]:
    text = f"@{kind}{{part, crossref = {{{whole}}}, title = {{Part}}{own}}}\n{WHOLES}"
    entry = parse_bibliography(text, PATH).entries[0]
    return {name: value for name, value in entry.fields.items() if name != "crossref"}


@pytest.mark.parametrize("kind", ["inbook", "bookinbook", "suppbook"])
def test_what_is_in_a_book_has_its_title_and_its_author_from_there(kind: str) -> None:
    assert fields(kind, "second") == {
        "title": "Part",
        "booktitle": "Shores",
        "volume": "2",
        "author": "Reed, Ida",
        "bookauthor": "Reed, Ida",
        "maintitle": "Works",
        "mainsubtitle": "All",
        "date": "1999",
    }
    own = fields(kind, "second", ", author = {Fen, Bo}, booktitle = {Own}")
    assert (own["author"], own["bookauthor"], own["booktitle"]) == ("Fen, Bo", "Reed, Ida", "Own")


def test_what_is_in_several_volumes_has_their_title_as_the_main_one() -> None:
    part = fields("inbook", "works")
    assert (part["maintitle"], part["mainsubtitle"]) == ("Works", "All")
    assert "booktitle" not in part and "shorttitle" not in part


@pytest.mark.parametrize("kind", ["incollection", "suppcollection"])
def test_what_is_in_a_collection_has_its_title_and_editor(kind: str) -> None:
    assert fields(kind, "mud", ", author = {Fen, Bo}") == {
        "title": "Part",
        "author": "Fen, Bo",
        "editor": "Edit, Eva",
        "booktitle": "Mud",
        "booktitleaddon": "Papers",
    }


def test_so_have_talks_and_articles_of_their_wholes() -> None:
    assert fields("inproceedings", "meeting")["booktitle"] == "Meeting on Mud"
    for kind in ("article", "suppperiodical"):
        part = fields(kind, "journal")
        assert (part["journaltitle"], part["shortjournal"]) == ("Journal of Mud", "JM")


DATA = """
@xdata{my-data, author = {Reed, Ida and Fen, Bo}, location = {Bern and {Here and There}},
  publisher = {Marsh House}}
"""


@pytest.mark.parametrize(
    "written, value",
    [
        ("author = {xdata=my-data-author-2}", "Fen, Bo"),
        ("author = {xdata = my-data-author-1 and Roe, Ann}", "Reed, Ida and Roe, Ann"),
        ("author = {Roe, Ann and xdata=my-data-author}", "Roe, Ann and Reed, Ida and Fen, Bo"),
        ("location = {xdata=my-data-location-2}", "{Here and There}"),
        ("publisher = {xdata=my-data-publisher}", "Marsh House"),
        ("author = {xdata=my-data-author-7 and Roe, Ann}", "Roe, Ann"),
        ("title = {On xdata = none}", "On xdata = none"),
    ],
)
def test_a_piece_of_data_is_taken_into_a_value(written: str, value: str) -> None:
    text = f"@book{{one, {written}}}\n{DATA}"
    entry = parse_bibliography(text, PATH).entries[0]
    assert entry.fields[written.split()[0]] == value


def test_a_set_stands_for_its_members_and_these_are_not_offered() -> None:
    text = f"""
@set{{both, entryset = {{one, two}}}}
@article{{one, title = {{First}}, author = {{Reed, Ida}}}}
@article{{two, title = {{Second}}}}
@article{{three, title = {{Third}}}}
@IEEEtranBSTCTL{{switch, CTLuse_url = "no"}}
@CONTROL{{REVTEX42Control}}
{DATA}"""
    entries = parse_bibliography(text, PATH).entries
    both = entries[0]
    assert [member.key for member in members_of(both.record)] == ["one", "two"]
    assert (both.paper.title, both.paper.authors) == ("First", ("Ida Reed",))
    hidden = [entries[number].key for number in uncitable(entries)]
    assert hidden == ["one", "two", "switch", "REVTEX42Control", "my-data"]


def test_proceedings_that_have_a_booktitle_alone_are_called_by_it() -> None:
    text = (
        "@inproceedings{part, title = {Part}, crossref = {whole}}\n"
        "@Proceedings{whole, BookTitle = {Tides of {2001}}, publisher = {Shore}}\n"
        "@proceedings{titled, title = {Dunes}, booktitle = {Dunes Workshop}}\n"
        "@mvproceedings{none, booktitle = {}, publisher = {Shore}}\n"
    )
    part, whole, titled, none = parse_bibliography(text, Path("refs.bib")).entries
    assert (whole.paper.title, whole.paper.venue) == ("Tides of 2001", "Shore")
    assert whole.fields["title"] == whole.fields["booktitle"]
    assert (part.paper.title, part.paper.venue) == ("Part", "Tides of 2001")
    assert (titled.paper.title, titled.paper.venue) == ("Dunes", "Dunes Workshop")
    assert none.paper.title == ""
    assert EntryMatcher((part, whole, titled, none)).match("tides 2001") == [1]
