"""Which part of a name is the family name, from reading an entry to writing one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import parse_bibliography
from cite_lsp.library.csl.item import item_fields, item_paper
from cite_lsp.library.text.display import shown
from cite_lsp.library.text.names import split_names
from cite_lsp.library.text.paper_fields import bibtex_name
from cite_lsp.library.text.people import (
    family_name,
    is_organisation,
    named,
    parts_of,
    untied,
)
from cite_lsp.paper import Paper, surname
from cite_lsp.recommend.base.short_names import people_of, short_name

WRITTEN = [
    ("{World Health Organization}", "World Health Organization", "World Health Organization"),
    ("World Health Organization", "World Health Organization", "World Health Organization"),
    ("{Astropy Collaboration}", "Astropy Collaboration", "Astropy Collaboration"),
    ("{Google Brain}", "Google Brain", "Google Brain"),
    ("{Barnes and Noble, Inc.}", "Barnes and Noble, Inc.", "Barnes and Noble, Inc."),
    ("{Supreme Court}, California", "California Supreme Court", "Supreme Court"),
    ("{Universit{\\'e} de Paris}", "Université de Paris", "Université de Paris"),
    ("García Márquez, Gabriel", "Gabriel García Márquez", "García Márquez"),
    ("Gabriel {Garc{\\'\\i}a M{\\'a}rquez}", "Gabriel García Márquez", "García Márquez"),
    ("family={Vargas Llosa}, given=Mario", "Mario Vargas Llosa", "Vargas Llosa"),
    ("de Souza Lima, Jr, Ana", "Ana de Souza Lima Jr", "de Souza Lima"),
    ("van der Berg, Jan", "Jan van der Berg", "van der Berg"),
    ("{van der Berg}, Jan", "Jan van der Berg", "van der Berg"),
    ("King Jr., Martin Luther", "Martin Luther King Jr.", "King"),
    ("{Doe, Jane}", "Doe, Jane", "Doe"),
    ("{Doe}, Jane", "Jane Doe", "Doe"),
    ('Kurt G{\\"o}del', "Kurt Gödel", "Gödel"),
    ("{\\v S}koda, Jan", "Jan Škoda", "Škoda"),
    ("张三", "张三", "张三"),
]


@pytest.mark.parametrize(("written", "shown", "family"), WRITTEN)
def test_a_name_keeps_what_bibtex_says_of_its_family_name(
    written: str, shown: str, family: str
) -> None:
    (name,) = split_names(written)
    assert (untied(name), family_name(name)) == (shown, family)
    assert surname(name) == surname(untied(name))


@pytest.mark.parametrize(
    "name",
    ["Ada Lovelace", "Jan van der Berg", "King Jr", "Fen, Bo", "Plato", "李明", "O. Team-Smith"],
)
def test_an_ordinary_name_is_taken_apart_as_ever(name: str) -> None:
    assert family_name(name) == surname(name)
    assert not is_organisation(name)


@pytest.mark.parametrize(
    "name", ["International Monetary Fund", "Robert Koch-Institut", "Ministère de la Santé"]
)
def test_a_word_of_an_organisation_tells_one(name: str) -> None:
    assert family_name(name) == name


def test_a_name_is_bound_only_where_its_words_do_not_tell() -> None:
    assert named("Ada", "Lovelace") == "Ada Lovelace"
    assert named("Ludwig", "van Beethoven") == "Ludwig van Beethoven"
    assert named("", "Marsh Society") == "Marsh Society"
    assert named("", "A. Moor") == "A. Moor"
    assert named("", "Google Brain") == "Google\u00a0Brain"
    assert named("Mario", "Vargas Llosa") == "Mario Vargas\u00a0Llosa"
    assert parts_of("Mario Vargas\u00a0Llosa")[:2] == ("Mario", "Vargas Llosa")
    assert parts_of("Anna Ann")[:2] == ("Anna", "Ann")


def test_labels_have_whole_names() -> None:
    names = split_names("{García Márquez}, Gabriel and Castelló Ferrer, Eduardo")
    paper = Paper("x", "T", authors=names, year=2018)
    assert short_name(paper) == "García Márquez and Castelló Ferrer 2018"
    assert people_of(paper)[0] == "García Márquez and Castelló Ferrer"
    assert shown(paper).authors == ("Gabriel García Márquez", "Eduardo Castelló Ferrer")
    organisation = Paper("x", "T", authors=("World Health Organization",), year=2020)
    assert short_name(organisation) == "World Health Organization 2020"


@pytest.mark.parametrize("given_first", [False, True])
@pytest.mark.parametrize("written", [written for written, _, _ in WRITTEN])
def test_what_is_written_is_read_as_the_same_name(written: str, given_first: bool) -> None:
    (name,) = split_names(written)
    again = split_names(bibtex_name(name, given_first=given_first))
    if written == "{Doe, Jane}":
        return
    assert [parts_of(read_name) for read_name in again] == [parts_of(name)]


@pytest.mark.parametrize(
    ("name", "family_first", "given_first"),
    [
        ("World Health Organization", "{World Health Organization}", "{World Health Organization}"),
        ("the ATLAS Collaboration", "{the ATLAS Collaboration}", "{the ATLAS Collaboration}"),
        ("Mario Vargas\u00a0Llosa", "Vargas Llosa, Mario", "Mario {Vargas Llosa}"),
        ("Jan van der Berg", "van der Berg, Jan", "Jan van der Berg"),
        ("Gull, Ada", "Gull, Ada", "Ada Gull"),
        ("Martin Luther King Jr.", "King, Jr., Martin Luther", "King, Jr., Martin Luther"),
        ("Ada Gull III", "Gull, III, Ada", "Gull, III, Ada"),
        ("Gull, Ada, Jr.", "Gull, Jr., Ada", "Gull, Jr., Ada"),
        ("OpenAI", "OpenAI", "OpenAI"),
        ("李明", "李明", "李明"),
        ("山田 太郎", "山田太郎", "山田太郎"),
    ],
)
def test_bibtex_finds_the_parts_of_a_name(name: str, family_first: str, given_first: str) -> None:
    assert bibtex_name(name) == family_first
    assert bibtex_name(name, given_first=True) == given_first


def test_an_item_of_csl_tells_family_names_and_institutions() -> None:
    people = [{"family": "Vargas Llosa", "given": "Mario"}, {"literal": "Google Brain"}]
    item = {"title": "T", "author": [*people, {"family": "Doe", "given": "Jane"}]}
    names = item_paper(item, "k").authors
    assert [parts_of(name)[:2] for name in names] == [
        ("Mario", "Vargas Llosa"),
        ("", "Google Brain"),
        ("Jane", "Doe"),
    ]
    assert split_names(item_fields(item)["author"]) == names


def test_an_entry_with_such_names_is_a_paper_of_them() -> None:
    text = "@misc{a, author = {{World Health Organization} and Ada Moor}, title = {T}, year = 2020}"
    (entry,) = parse_bibliography(text, Path("a.bib")).entries
    assert short_name(entry.paper) == "World Health Organization and Moor 2020"


@pytest.mark.parametrize(
    ("authors", "name"),
    [
        ("Aad, Georges and others", "Aad et al. 2012"),
        ("Aad, Georges and Moor, Ada and others", "Aad et al. 2012"),
        ("王芳 and others", "王芳等 2012"),
    ],
)
def test_of_people_who_are_not_all_named_the_first_goes_before_the_others(
    authors: str, name: str
) -> None:
    (entry,) = parse_bibliography(
        f"@article{{k, author={{{authors}}}, title={{On tides}}, year=2012}}", Path("a.bib")
    ).entries
    assert short_name(entry.paper) == name
