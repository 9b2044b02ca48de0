"""What the writer has filed and noted with an entry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

from cite_lsp.library.annotations import (
    LONGEST_KEYWORDS,
    LONGEST_NOTES,
    NONE,
    Annotations,
    annotations_of,
)
from cite_lsp.library.entries import Entry
from cite_lsp.library.load.read import parse_as_named


def entry(fields: str) -> Entry:
    text = f"@article{{tide, title = {{Tides}}, {fields}}}"
    return parse_as_named(text, Path("refs.bib")).entries[0]


def csl(**variables: str) -> Entry:
    item = {"id": "tide", "type": "book", "title": "Tides", **variables}
    return parse_as_named(json.dumps([item]), Path("refs.json")).entries[0]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("year = 1990", NONE),
        ("keywords = {salt, marsh}", Annotations("salt, marsh")),
        (r"note = {To \emph{appear}}", Annotations(notes=("To appear",))),
        (
            "annotation = {Read\n  again}, note = {Signed copy}",
            Annotations(notes=("Read again", "Signed copy")),
        ),
        ("annote = {Same}, note = {Same}", Annotations(notes=("Same",))),
    ],
)
def test_bibtex_has_them_in_its_fields(fields: str, expected: Annotations) -> None:
    assert annotations_of(entry(fields)) == expected


def test_csl_has_them_in_its_variables() -> None:
    assert annotations_of(csl(keyword="salt; marsh", note="Read", annote="Lent")) == Annotations(
        "salt; marsh", ("Lent", "Read")
    )


@pytest.mark.parametrize("in_objects", [True, False], ids=["objects", "texts"])
def test_exports_of_better_bibtex_have_tags_and_notes(in_objects: bool) -> None:
    tags, notes = ["salt", "marsh"], ["<p>Read <b>again</b></p>", "<p>Lent</p>", ""]
    item = {
        "citationKey": "tide", "itemType": "book", "title": "Tides", "extra": "Signed\nPMID: 1",
        "tags": [{"tag": tag} for tag in tags] if in_objects else tags,
        "notes": [{"note": note} for note in notes] if in_objects else notes,
    }  # fmt: skip
    (entry,) = parse_as_named(json.dumps({"items": [item]}), Path("refs.json")).entries
    assert annotations_of(entry) == Annotations("salt; marsh", ("Read again", "Lent", "Signed"))


@pytest.mark.parametrize("notes", [None, "x", [1, None, {}, {"note": 2}, "x" * 30_000]])
def test_of_an_export_whatever_stands_for_notes_is_read(notes: object) -> None:
    item = {"citationKey": "tide", "itemType": "book", "title": "Tides", "notes": notes}
    (entry,) = parse_as_named(json.dumps({"items": [item]}), Path("refs.json")).entries
    assert sum(map(len, annotations_of(entry).notes)) in (0, LONGEST_NOTES)


def test_fields_that_zotero_keeps_in_extra_are_no_notes() -> None:
    extra = "Citation Key: tide1990\nRead this twice\ntex.ids: a\nPMID: 12\nDOI: 10.1/x"
    assert annotations_of(csl(note=extra)).notes == ("Read this twice",)


def test_notes_beside_the_record_come_first_and_both_are_bounded() -> None:
    annotated = entry(f"note = {{N}}, keywords = {{{'word, ' * 200}}}")
    with_notes = evolve(annotated, record=evolve(annotated.record, notes=("Beside", "x" * 2000)))
    annotations = annotations_of(with_notes)
    assert annotations.notes[0] == "Beside"
    assert sum(map(len, annotations.notes)) <= LONGEST_NOTES
    assert len(annotations.keywords) <= LONGEST_KEYWORDS and annotations.keywords.endswith("…")


def test_without_an_entry_there_are_none() -> None:
    assert annotations_of(None) == NONE
