"""RIS as a writer's library: its keys are those that pandoc gives to the records."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, LibraryCache
from cite_lsp.library.formats.ris import parse_ris
from cite_lsp.library.write.new_entry import NewEntry, new_entry
from cite_lsp.library.write.to_csl import csl_details, entry_to_csl

TEXT = """\
Provider: A Press
Content: text/plain

TY  - JOUR
AU  - Müller, Jörg
AU  - King, Martin, Jr.
TI  - On tides:
  a study
T2  - Journal of Mud
PY  - 2020/05/17/
VL  - 3
IS  - 2
SP  - 10
EP  - 20
DO  - https://doi.org/10.1000/ABC
AB  - Mud.
ID  - müller2020
ER  - 
TY  - CHAP
A1  - van der Berg, Jan
T1  - Marshes
BT  - The Book of Mud
A2  - Eco, Umberto
PB  - Mud Press
CY  - Berlin
Y1  - 2018///
ER  -
"""


def read(text: str) -> Bibliography:
    return parse_ris(text, Path("refs.ris"))


def record(*lines: str) -> str:
    return "\n".join(["TY  - JOUR", "TI  - Tides", *lines, "ER  - \n"])


@pytest.mark.parametrize("breaks", ["\n", "\r\n"])
def test_records_are_entries_with_their_positions(breaks: str) -> None:
    text = TEXT.replace("\n", breaks)
    bibliography = read(text)
    assert bibliography.problems == ()
    assert [(e.key, e.kind, e.line, e.source) for e in bibliography.entries] == [
        ("müller2020", "article-journal", 4, "ris"),
        ("van_2018///", "chapter", 19, "ris"),
    ]
    for entry in bibliography.entries:
        assert text[entry.start : entry.end] == entry.raw
        assert entry.raw.startswith("TY") and entry.raw.endswith("ER  -")
    assert [text[e.key_start : e.key_end] for e in bibliography.entries] == ["müller2020", ""]


@pytest.mark.parametrize("full", ["JF", "T2"])
def test_a_journal_is_called_by_its_full_name(full: str) -> None:
    written = record(
        "JO  - J. Mud", "JA  - J Mud", f"{full}  - Journal of Mud", "PY  - 2020", "ID  - a"
    )
    assert read(written).entries[0].paper.venue == "Journal of Mud"


def test_a_record_is_a_paper() -> None:
    first, second = (entry.paper for entry in read(TEXT).entries)
    assert (first.title, first.authors) == ("On tides: a study", ("Jörg Müller", "Martin King Jr."))
    assert (first.year, first.venue, first.doi) == (2020, "Journal of Mud", "10.1000/abc")
    assert (second.title, second.authors) == ("Marshes", ("Jan van der Berg",))
    assert (second.year, second.venue, second.abstract) == (2018, "The Book of Mud", "")


def test_a_record_says_what_a_reference_needs() -> None:
    first, second = map(entry_to_csl, read(TEXT).entries)
    assert (first["volume"], first["issue"], first["page"]) == ("3", "2", "10–20")
    assert first["issued"] == {"date-parts": [[2020, 5, 17]]}
    assert (second["editor"], second["publisher"]) == (
        [{"family": "Eco", "given": "Umberto"}],
        "Mud Press",
    )


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        (["AU  - Müller, J.", "PY  - 2019"], "Müller_2019"),
        (["AU  - A, B", "A1  - C, D", "Y1  - 2001/03//"], "A_C_2001/03//"),
        (["AU  - 李明", "AU  - 王, 小红", "PY  - 2021"], "李明_王_2021"),
        (["AU  - World Health Organization", "PY  - 2002"], "World_2002"),
        (["AU  - De La Cruz, M", "DA  - 2005/01/02"], "De"),
        (["ED  - Eco, U", "PY  - 2006"], "_2006"),
        (["AU  - Eco, U", "PY  - 2006", "ID  - 12"], "12"),
    ],
)
def test_a_record_has_the_key_that_pandoc_makes(lines: list[str], key: str) -> None:
    assert [entry.key for entry in read(record(*lines)).entries] == [key]


def test_keys_that_are_taken_get_letters() -> None:
    lines = (["AU  - Eco, U", "PY  - 1980"], ["ID  - Eco_1980"], ["ID  - x"], ["ID  - x"])
    bibliography = read("\n".join(record(*lines_of_record) for lines_of_record in lines))
    assert [entry.key for entry in bibliography.entries] == ["Eco_1980", "Eco_1980a", "x", "xa"]
    assert bibliography.problems == ()


def test_several_people_in_one_line_are_people_each() -> None:
    (entry,) = read(record("AU  - 李明;王小红；张三;", "PY  - 2021")).entries
    assert entry.paper.authors == ("李明", "王小红", "张三")


def test_what_is_wrong_with_a_record_costs_no_other() -> None:
    bibliography = read(
        "TY  - JOUR\nID  - a\nTI  - A\n\nTY  - JOUR\nTI  - B\nER  - \n" + record("ID  - c")
    )
    assert [(entry.key, entry.paper.title) for entry in bibliography.entries] == [
        ("a", "A"),
        ("c", "Tides"),
    ]
    assert [(problem.line, problem.message) for problem in bibliography.problems] == [
        (1, 'the record "a" has no end: add “ER  - ”'),
        (5, "the record has no key: add a line “ID  - key”"),
    ]


def test_a_library_is_read_from_it(tmp_path: Path) -> None:
    path = tmp_path / "refs.RIS"
    path.write_text(TEXT, encoding="utf-8-sig")
    library = LibraryCache().load([path])
    assert [entry.key for entry in library.entries] == ["müller2020", "van_2018///"]
    assert library.problems == ()


def test_a_copied_record_loses_nothing() -> None:
    for entry in read(TEXT).entries:
        variables = csl_details(entry)
        added = new_entry("", Path("b.ris"), NewEntry("k", entry.paper, variables=variables))
        (copy,) = read(added.text).entries
        assert entry_to_csl(copy) == entry_to_csl(entry)
        assert (copy.key, copy.paper.abstract) == ("k", entry.paper.abstract)


def test_keywords_stand_in_a_line_each() -> None:
    paper = read(record("ID  - a", "KW  - salt marsh", "KW  - tides")).entries[0].paper
    assert paper.keywords == "salt marsh; tides"
