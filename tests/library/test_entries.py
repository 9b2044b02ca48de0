"""Entries and what they are known by: the digest."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library.bibtex.incremental import read_text
from cite_lsp.library.csl.item import CSL
from cite_lsp.library.entries import Entry, Record, Source, digest_of

WHOLE = """\
@string{press = "Shore Press"}
@book{gulls, title = {Gulls}, publisher = press}
@inbook{nests, title = {Nests}, crossref = {birds}}
@book{birds, title = {Birds}}
"""


def digest(text: str) -> str:
    return digest_of(read_text(text, Path("refs.bib")).bibliography.entries)


def test_the_same_entries_have_the_same_digest_wherever_they_stand() -> None:
    elsewhere = read_text("% Mine.\n\n" + WHOLE, Path("other.bib")).bibliography.entries
    assert digest_of(elsewhere) == digest(WHOLE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{Gulls}", "{Terns}"),  # a title
        ("book{gulls", "book{terns"),  # a key
        ("Shore Press", "Sand Press"),  # what a macro stands for
        ("{Birds}", "{Birds of the Shore}"),  # what another entry inherits
        ("@book{birds", "@misc{birds"),  # a kind
    ],
)
def test_entries_that_say_something_else_have_another_digest(before: str, after: str) -> None:
    assert digest(WHOLE.replace(before, after)) != digest(WHOLE)


def test_the_order_of_entries_and_what_others_inherit_count_in_the_digest() -> None:
    entries = read_text(WHOLE, Path("refs.bib")).bibliography.entries
    assert digest_of(entries[::-1]) != digest_of(entries)
    other = read_text(WHOLE.replace("{Birds}", "{Terns}"), Path("refs.bib")).bibliography.entries
    assert digest_of(entries[:2]) != digest_of(other[:2]), "the whole stands in no digest itself"


def test_who_hashes_many_entries_may_be_stopped_between_parts_of_them() -> None:
    text = "".join(f"@misc{{key{number}}}\n" for number in range(2000))
    entries = read_text(text, Path("refs.bib")).bibliography.entries
    parts: list[int] = []

    def stop_at_third() -> None:
        parts.append(len(parts))
        if len(parts) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        digest_of(entries, (), stop_at_third)
    assert digest_of(entries, (), lambda: None) == digest_of(entries)


def record(key: str = "a", *, source: Source = "zotero", data: str = "{}") -> Entry:
    """Return the entry of a database, of which nothing is written."""
    return Entry(
        Record(key, "book", Path("zotero.sqlite"), "", source=source, reader=CSL, data=data), 0, 1
    )


@pytest.mark.parametrize(
    "other",
    [record("b"), record(data='{"title": "Terns"}'), record(source="hayagriva")],
    ids=["key", "data", "source"],
)
def test_entries_of_a_database_are_distinguished_by_key_data_and_source(other: Entry) -> None:
    assert digest_of([other]) != digest_of([record()])
