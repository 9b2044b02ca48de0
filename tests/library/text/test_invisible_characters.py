from __future__ import annotations

import json
from pathlib import Path

import pytest

from cite_lsp.library import parse_bibliography
from cite_lsp.library.csl.json import parse_csl_json
from cite_lsp.library.load.read import parse_as_named
from cite_lsp.library.text.invisible_characters import printable, printable_line, without_invisible
from cite_lsp.library.write.new_entry import NewEntry, appended, new_bibitem, new_entry
from cite_lsp.library.write.to_csl import csl_details
from cite_lsp.paper import Paper

UNSEEN = "\x00\x02\x1b\x7f\x9d\xad\u200b\u200e\u202e\u2060\u2066\ufeff\ufffe\ufdd0\U000e0041"


def test_what_nobody_sees_goes_and_all_else_stays() -> None:
    assert without_invisible(f"Wet{UNSEEN}land\nsoil\tÜ½…") == "Wetland\nsoil\tÜ½…"
    assert without_invisible("a\u200db") == "ab"
    persian, hindi = "می\u200cخواهم", "क्\u200dष"
    assert without_invisible(persian + hindi) == persian + hindi


ITEM = json.dumps([{
    "id": "k",
    "type": "article-journal",
    "title": f"Wet{UNSEEN}land",
    "author": [{"family": f"Re{UNSEEN}ed", "given": f"Ida{UNSEEN}"}],
    "container-title": f"Mud{UNSEEN}",
    "publisher": f"Sons{UNSEEN}",
    "issued": {"date-parts": [[1999]]},
}])  # fmt: skip


@pytest.mark.parametrize("name", ["a.bib", "a.json", "a.yaml", "a.ris"])
@pytest.mark.parametrize("from_corpus", [False, True])
def test_nothing_unseen_is_written(name: str, from_corpus: bool) -> None:
    (entry,) = parse_csl_json(ITEM, Path("lib.json")).entries
    assert entry.paper.title == "Wetland"
    paper = Paper("x", f"Wet{UNSEEN}land", authors=(f"Ida Re{UNSEEN}ed",), venue=f"Mud{UNSEEN}")
    if from_corpus:
        added = new_entry("", Path(name), NewEntry("k", paper))
    else:
        details, variables = entry.fields, csl_details(entry)
        added = new_entry(
            "", Path(name), NewEntry("k", entry.paper, details=details, variables=variables)
        )
    assert set(UNSEEN).isdisjoint(added.text)
    assert "\\u" not in added.text and "\\x" not in added.text
    assert "Wetland" in added.text and "Reed" in added.text


def test_nor_in_an_item_of_a_draft_or_in_a_copied_record() -> None:
    draft = "\\begin{thebibliography}{9}\n\\bibitem{a} A.\n\\end{thebibliography}\n"
    paper = Paper("x", f"Wet{UNSEEN}land", authors=(f"Ida Re{UNSEEN}ed",))
    assert set(UNSEEN).isdisjoint(new_bibitem(draft, Path("a.tex"), NewEntry("k", paper)).text)
    record = f"@book{{k,\n\ttitle = {{Wet{UNSEEN}land}}}}"
    assert appended("", record).text == "@book{k,\n\ttitle = {Wetland}}\n"


def test_a_record_is_read_without_it() -> None:
    (entry,) = parse_bibliography(f"@book{{k, title = {{Wet{UNSEEN}land}}}}", Path("a.bib")).entries
    assert entry.paper.title == "Wetland"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"id": "x\\n\\\\input{owned}", "title": "T"}, {"id": "b"}]'),
        ("a.json", '[{"id": "x\\u001b[2J", "title": "T"}, {"id": "b"}]'),
        ("a.yaml", 'references:\n- id: "x\\ny"\n  title: T\n- id: b\n'),
        ("a.yaml", '"x\\ny":\n  type: book\n  title: T\nb:\n  type: book\n  title: T\n'),
        ("a.ris", "TY  - BOOK\nID  - x\x1b[2J\nER  - \nTY  - BOOK\nID  - b\nER  - \n"),
    ],
)
def test_a_key_that_no_citation_can_hold_is_a_problem(name: str, text: str) -> None:
    bibliography = parse_as_named(text, Path(name))
    assert [entry.key for entry in bibliography.entries] == ["b"]
    (problem,) = bibliography.problems
    assert "cannot be cited" in problem.message and problem.message.isprintable()


def test_what_misleads_is_marked_where_people_read_it() -> None:
    assert printable("a\x1b[31m\u202eb\tc\nd") == "a\ufffd[31m\ufffdb\tc\nd"
    assert printable_line("a\r\nb\u2028c\n\nd\x85e") == "a b c d e"
    assert printable_line("Ünï 李明 می\u200cخواهم") == "Ünï 李明 می\u200cخواهم"
