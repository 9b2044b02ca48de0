from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library import Bibliography
from cite_lsp.library.csl.item import item_fields
from cite_lsp.library.csl.json import parse_csl_json
from cite_lsp.library.csl.zotero_items import zotero_to_csl
from cite_lsp.paper import LONGEST_FIELD
from tests.growth import LINEAR, growth

TEXT = """\
[
  {"author": [{"id": "not me", "family": "M\\u00fcller", "given": "Ada"}, {"literal": "ACM"}],
   "id": "müller/2020", "type": "article-journal", "title": "On <i>marshes</i> & tides",
   "issued": {"date-parts": [[2020, 5]]}, "container-title": "Journal of Mud",
   "DOI": "https://doi.org/10.1000/XYZ", "abstract": "Mud."},
  {"id": 7, "type": "chapter", "title": "Seven", "container-title": "Numbers",
   "editor": [{"family": "Eco", "given": "U."}], "issued": {"raw": "circa 1999"}},
  {"id": "zh", "type": "book", "title": "标题", "author": [{"family": "张", "given": "三"}]}
]
"""


def read(text: str) -> Bibliography:
    return parse_csl_json(text, Path("refs.json"))


def messages(bibliography: Bibliography) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in bibliography.problems]


def test_items_are_entries_with_their_positions() -> None:
    bibliography = read(TEXT)
    assert bibliography.problems == ()
    assert [(e.key, e.kind, e.line, e.source) for e in bibliography.entries] == [
        ("müller/2020", "article-journal", 2, "csl-json"),
        ("7", "chapter", 6, "csl-json"),
        ("zh", "book", 8, "csl-json"),
    ]
    for entry in bibliography.entries:
        assert TEXT[entry.start : entry.end] == entry.raw
        assert TEXT[entry.key_start : entry.key_end] == entry.key


def test_an_item_is_a_paper_in_plain_text() -> None:
    first, second, third = (entry.paper for entry in read(TEXT).entries)
    assert (first.title, first.authors) == ("On marshes & tides", ("Ada Müller", "ACM"))
    assert (first.year, first.venue, first.doi) == (2020, "Journal of Mud", "10.1000/xyz")
    assert (second.authors, second.year, second.venue) == (("U. Eco",), 1999, "Numbers")
    assert (third.authors, third.language) == (("张三",), "zh")


def test_fields_have_the_names_of_bibtex() -> None:
    fields = read(TEXT).entries[0].fields
    assert fields["author"] == "Ada Müller and ACM"
    assert (fields["journaltitle"], fields["year"], fields["date"]) == (
        "Journal of Mud", "2020", "2020-5",
    )  # fmt: skip
    assert read(TEXT).entries[1].fields["booktitle"] == "Numbers"


def test_a_key_written_with_escapes_has_the_range_of_what_is_written() -> None:
    text = '[{"id": "m\\u00fcller"}]'
    (entry,) = read(text).entries
    assert entry.key == "müller" and text[entry.key_start : entry.key_end] == "m\\u00fcller"


def test_a_broken_item_is_reported_and_costs_no_other() -> None:
    bibliography = read(
        '[\n {"id": "a"},\n {"id": "b" "title": "x"},\n {"id": "c"}\n {"title": "d"}\n]'
    )
    assert [entry.key for entry in bibliography.entries] == ["a", "c"]
    assert messages(bibliography) == [
        (3, "not valid JSON (Expecting ',' delimiter): the item is left out, correct it"),
        (5, 'no comma before this item: add ","'),
        (5, 'the item has no "id": add one'),
    ]


def test_a_second_item_with_the_same_key_is_reported() -> None:
    bibliography = read('[{"id": "a"},\n{"id": "a"}]')
    assert messages(bibliography) == [
        (2, 'the key "a" is already used in line 1: rename or remove one')
    ]


def test_an_export_of_better_bibtex_is_read_by_its_citation_keys() -> None:
    text = json.dumps(
        {
            "config": {"id": "x"},
            "items": [
                {
                    "citationKey": "luz2011",
                    "itemType": "journalArticle",
                    "title": "Marshes",
                    "creators": [{"creatorType": "author", "lastName": "Luz", "firstName": "R."}],
                    "date": "2011-03-02",
                    "publicationTitle": "Mud",
                    "extra": "DOI: 10.1000/q",
                }
            ],
        }
    )
    (entry,) = read(text).entries
    assert text[entry.key_start : entry.key_end] == entry.key == "luz2011"
    paper = entry.paper
    assert (paper.title, paper.authors, paper.year) == ("Marshes", ("R. Luz",), 2011)
    assert (paper.venue, paper.doi) == ("Mud", "10.1000/q")


def test_the_collections_of_better_bibtex_are_not_its_items() -> None:
    collection = {"key": "AB", "name": "Shores", "collections": [], "items": [5]}
    items = [{"citationKey": "luz2011", "itemType": "book", "title": "Marshes", "itemID": 5}]
    bibliography = read(
        json.dumps({"config": {}, "collections": {"AB": collection}, "items": items})
    )
    assert [entry.key for entry in bibliography.entries] == ["luz2011"]


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", "[1, 2]", '{"name": "package"', "[" * 5000]
)
def test_what_is_no_bibliography_has_no_entry(text: str) -> None:
    assert read(text).entries == ()


@given(st.integers(0, len(TEXT)))
def test_a_cut_anywhere_loses_no_item_before_it(cut: int) -> None:
    before = [entry for entry in read(TEXT).entries if entry.end <= cut]
    assert list(read(TEXT[:cut]).entries) == before


@given(st.integers(0, len(TEXT)), st.sampled_from('{}[]",:\\x0'))
def test_a_stray_character_never_raises_nor_misplaces(at: int, stray: str) -> None:
    text = TEXT[:at] + stray + TEXT[at:]
    for entry in read(text).entries:
        assert text[entry.start : entry.end] == entry.raw
        assert entry.start <= entry.key_start <= entry.key_end <= entry.end
        assert entry.paper.id == "entry:" + entry.key and entry.fields is entry.fields


@pytest.mark.parametrize("last", [{"literal": "others"}, {"family": "others"}, "others"])
def test_others_behind_the_last_author_are_people_without_a_name(last: object) -> None:
    item = {"id": "k", "title": "T", "author": [{"family": "Aad", "given": "G."}, last]}
    (entry,) = parse_csl_json(json.dumps([item]), Path("a.json")).entries
    assert (entry.paper.authors, entry.paper.more_authors) == (("G. Aad",), True)
    assert entry.fields["author"] == "G. Aad and others"


@pytest.mark.parametrize("kind", ["attachment", "note", "annotation"])
def test_what_of_zotero_is_no_work_is_no_fault(kind: str) -> None:
    work = {"itemType": "book", "title": "Dunes", "citationKey": "dunes"}
    text = json.dumps({"items": [{"key": "A", "itemType": kind, "title": "A file"}, work]})
    bibliography = parse_csl_json(text, Path("library.json"))
    assert [entry.key for entry in bibliography.entries] == ["dunes"]
    assert bibliography.problems == ()


def test_keywords_are_those_of_csl_or_the_tags_of_zotero() -> None:
    csl = {"id": "a", "type": "book", "title": "A", "keyword": "salt marsh, tides"}
    zotero = {
        "citationKey": "b",
        "itemType": "book",
        "title": "B",
        "tags": [{"tag": "to read", "type": 1}, {"tag": "mud"}, "bare", {}, 5],
    }
    entries = [
        *read(json.dumps([csl])).entries,
        *read(json.dumps({"items": [zotero]})).entries,
    ]
    assert [entry.paper.keywords for entry in entries] == [
        "salt marsh, tides",
        "to read; mud; bare",
    ]


def test_the_abstract_of_an_item_is_read_without_the_word_that_says_so() -> None:
    (item,) = read('[{"id": "a", "title": "T", "abstract": "【摘要】 潮水涨落。"}]').entries
    assert item.paper.abstract == "潮水涨落。"


@pytest.mark.parametrize("value", ['[["a"]]', '{"a": {"b": [1]}}', "1e999", "NaN", '"\\ud800"'])
def test_a_value_of_another_kind_costs_no_more_than_itself(value: str) -> None:
    names = ("type", "title", "author", "issued", "container-title", "DOI", "URL", "keyword")
    for name in names:
        (item,) = read(f'[{{"id": "a", "{name}": {value}}}]').entries
        assert item.paper.id == "entry:a" and item.fields is not None
    (item,) = read(f'[{{"citationKey": "a", "itemType": "book", "creators": {value}}}]').entries
    assert item.paper.authors == ()


def test_a_number_with_too_many_digits_is_a_fault_of_its_item() -> None:
    bibliography = read(f'[{{"id": "a", "volume": {"1" * 5_000}}}, {{"id": "b", "title": "B"}}]')
    assert [entry.key for entry in bibliography.entries] == ["b"]
    assert "too many digits" in bibliography.problems[0].message


def test_a_very_long_value_is_read_in_part_and_said() -> None:
    text = json.dumps([{"id": "a", "title": "tide " * LONGEST_FIELD}])
    bibliography = read(text)
    assert len(bibliography.entries[0].paper.title) < LONGEST_FIELD
    assert 'the field "title" of "a" has 500,000 characters' in bibliography.problems[0].message


@pytest.mark.parametrize("piece", ['{"id": "a", "title": [', '{"a": '])
def test_items_that_are_nested_too_deeply_take_time_by_their_length(piece: str) -> None:
    def read(text: str) -> None:
        assert parse_csl_json(text, Path("refs.json")).problems

    assert growth(lambda times: piece * (2_000 + times), read, 40_000) < LINEAR


def test_a_range_of_dates_and_the_day_of_a_visit_are_read() -> None:
    item = {"issued": {"date-parts": [[2000], [2002, 5]]}, "accessed": {"date-parts": [[2020, 1]]}}
    fields = item_fields(item)
    assert (fields["date"], fields["year"], fields["urldate"]) == ("2000/2002-5", "2000", "2020-1")


def test_numbers_of_reports_and_versions_are_read() -> None:
    assert item_fields({"type": "report", "number": "12"})["number"] == "12"
    assert item_fields({"issue": "3", "number": "12", "version": "4.1"}) == {
        "number": "3",
        "version": "4.1",
    }


def test_numbers_kinds_and_visits_are_those_of_zotero() -> None:
    report = {
        "itemType": "report",
        "reportNumber": "12",
        "reportType": "Working paper",
        "accessDate": "2024-01-02T10:00:00Z",
        "version": 7,
    }
    fields = item_fields(zotero_to_csl(report))
    assert (fields["number"], fields["type"]) == ("12", "Working paper")
    assert fields["urldate"] == "2024-01-02" and "version" not in fields
