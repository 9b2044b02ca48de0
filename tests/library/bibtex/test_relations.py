"""The keys that records name are read from their fields, not from their prose."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, Entry, parse_bibliography
from cite_lsp.library.bibtex.incremental import read_text
from cite_lsp.library.bibtex.relations import aliases, relations
from cite_lsp.library.load.cache import Library

PROSE = "@misc{a, abstract = {It has fields such as %s, and others}, title = {A}}\n"


def parsed(text: str) -> Bibliography:
    return parse_bibliography(text, Path("/drafts/refs.bib"))


def named(entry: Entry) -> list[str]:
    return [relation.key for relation in relations(entry)]


@pytest.mark.parametrize("field", ["crossref", "xdata", "xref", "related", "entryset"])
def test_a_field_that_an_abstract_speaks_of_names_no_key(field: str) -> None:
    bibliography = parsed(PROSE % f"{field} = {{parent}}" + "@book{parent, publisher = {P}}\n")
    entry = bibliography.entries[0]
    assert named(entry) == [] and entry.record.links == ()
    assert "publisher" not in entry.fields


def test_a_further_key_that_an_abstract_speaks_of_is_none() -> None:
    library = Library((parsed(PROSE % "ids = {old}" + "@misc{b, ids = {older}}\n"),))
    assert library.get("old") is None
    assert library.get("older") is library.get("b") is not None


@pytest.mark.parametrize("before", [True, False])
def test_a_macro_leads_to_the_entry_whose_key_it_stands_for(before: bool) -> None:
    macro = "@string{proc = {p1}}\n"
    records = "@inproceedings{a, crossref = proc}\n@book{p1, publisher = {P}}\n@book{proc}\n"
    entry = parsed(macro + records if before else records + macro).entries[0]
    assert entry.record.links == (("crossref", "p1"),)
    assert entry.fields["crossref"] == "p1" and entry.fields["publisher"] == "P"
    # What renames `p1` must leave the name of the macro alone.
    assert named(entry) == []


def test_an_edit_leaves_what_a_macro_leads_to() -> None:
    records = "@inproceedings{a, crossref = proc}\n@misc{b}\n@misc{c}\n@misc{d}\n"
    text = records + "@string{proc = {p1}}\n@book{p1, publisher = {P}}\n"
    path = Path("/drafts/refs.bib")
    edited = text.replace("{a, crossref", "{a, note = {N}, crossref")
    again = read_text(edited, path, read_text(text, path)).bibliography
    assert again == read_text(edited, path).bibliography
    assert again.entries[0].fields["publisher"] == "P"


def test_keys_stand_where_they_are_written() -> None:
    text = '@misc{a, title = {深 😀}, IDS = "old,\n older", xdata = {b, c d},\n related = "e"}\n'
    entry = parsed("% 深\n" + text).entries[0]
    places = [(alias.key, alias.start, alias.end) for alias in aliases(entry)]
    places += [(relation.key, relation.start, relation.end) for relation in relations(entry)]
    keys = [key for key, *_ in places]
    assert keys == ["old", "older", "b", "c d", "e"]
    assert entry.record.links == (("xdata", "b"), ("xdata", "c d"))
    assert [("% 深\n" + text)[start:end] for _, start, end in places] == keys
