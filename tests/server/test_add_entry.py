"""The record that is written for an entry from elsewhere."""

from __future__ import annotations

from pathlib import Path

from cite_lsp.library import LibraryCache, parse_bibliography
from cite_lsp.library.model import Entry
from cite_lsp.server.add_entry import record
from cite_lsp.server.reference_text import ReferenceFormatter

ITEM = """[{"id": "doe2020", "type": "article-journal", "title": "Salt & Pepper_s",
 "DOI": "10.1/a_b",
 "author": [{"family": "Doe", "given": "Jane"}], "container-title": "Spices", "volume": 3,
 "issued": {"date-parts": [[2020]]}}]"""


def csl(folder: Path) -> Entry:
    (folder / "refs.json").write_text(ITEM, encoding="utf-8")
    (entry,) = LibraryCache().load([folder / "refs.json"]).entries
    return entry


def test_an_entry_of_another_format_becomes_a_bibtex_record_of_the_same_paper(
    tmp_path: Path,
) -> None:
    entry = csl(tmp_path)
    written = record(entry)
    assert written.startswith("@article{doe2020,\n")
    bibliography = parse_bibliography(written, tmp_path / "a.bib")
    (again,) = bibliography.entries
    assert not bibliography.problems
    assert (again.paper.title, again.paper.authors, again.paper.year, again.paper.venue) == (
        "Salt & Pepper_s",
        ("Jane Doe",),
        2020,
        "Spices",
    )


def test_a_bibtex_record_is_copied_as_it_is_written(tmp_path: Path) -> None:
    raw = "@misc{a,\n  title  = {T {\\'o}},\n}"
    (entry,) = parse_bibliography(raw, tmp_path / "a.bib").entries
    assert record(entry) == raw


def test_what_a_record_takes_from_elsewhere_is_written_out(tmp_path: Path) -> None:
    text = "@string{acl = {ACL}}\n@book{b, title={B}, year=2001}\n"
    text += "@inbook{a, crossref={b}, title={T}, publisher=acl # { Press}}\n"
    _, entry = parse_bibliography(text, tmp_path / "a.bib").entries
    (alone,) = parse_bibliography(record(entry), tmp_path / "b.bib").entries
    assert alone.fields["publisher"] == "ACL Press"
    assert alone.fields["year"] == "2001" and "crossref" not in alone.fields


def test_entries_of_other_formats_are_printed_in_a_style(tmp_path: Path) -> None:
    text = ReferenceFormatter().format(csl(tmp_path), "apa", tmp_path, markdown=False)
    assert text.startswith("Doe, J. (2020). Salt & Pepper_s. Spices, 3.")
