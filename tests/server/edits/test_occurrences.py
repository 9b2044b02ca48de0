"""The key under the cursor, and its places in all files that share it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.project.workspace import scope_of
from cite_lsp.server.edits.occurrences import NamedKey, entry_around, key_at, occurrences
from tests.server.desk import Desk

REFS = (
    "@misc{gulls, title = {Gulls}, ids = {mews, sea}}\n\n"
    "@misc{part, title = {Wings}, crossref = {gulls}}\n"
)
DRAFT = "Gulls \\cite{GULLS, part} \\cite{mews}.\n\\nocite{gulls}\\bibliography{birds}\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "birds.bib").write_text(REFS, encoding="utf-8")
    return Desk(tmp_path / "a.tex", DRAFT)


def key_behind(desk: Desk, words: str) -> NamedKey | None:
    request = desk.request()
    offset = request.buffer.text.index(words) + len(words)
    return key_at(request, request.range(offset, offset).start)


@pytest.mark.parametrize(
    ("words", "written", "name"),
    [
        ("{GUL", "GULLS", "gulls"),
        (", par", "part", "part"),
        ("cite{me", "mews", "mews"),
        ("nocite{", "gulls", "gulls"),
    ],
)
def test_a_key_of_a_draft_is_that_of_its_entry(
    desk: Desk, words: str, written: str, name: str
) -> None:
    occurrence = key_behind(desk, words)
    assert occurrence is not None and occurrence.entry is not None
    assert DRAFT[occurrence.start : occurrence.end] == occurrence.key == written
    assert occurrence.name == name


def test_an_entry_goes_by_all_its_keys(desk: Desk) -> None:
    occurrence = key_behind(desk, "{GUL")
    assert occurrence is not None and occurrence.names == ("gulls", "mews", "sea")


@pytest.mark.parametrize("words", ["Gul", "\\ci"])
def test_off_a_key_there_is_none(desk: Desk, words: str) -> None:
    assert key_behind(desk, words) is None


@pytest.mark.parametrize(
    ("words", "key", "entry"),
    [("@misc{gu", "gulls", "gulls"), ("{mews, s", "sea", "gulls"), ("ref = {g", "gulls", "gulls")],
)
def test_in_a_bibliography_keys_stand_in_fields_too(
    tmp_path: Path, words: str, key: str, entry: str
) -> None:
    occurrence = key_behind(Desk(tmp_path / "birds.bib", REFS), words)
    assert occurrence is not None and occurrence.entry is not None
    assert (occurrence.key, occurrence.entry.key) == (key, entry)
    assert key_behind(Desk(tmp_path / "birds.bib", REFS), "title = {Gu") is None


def test_the_places_of_a_key_are_found_in_any_capitals_its_entry_first(desk: Desk) -> None:
    texts = {"birds.bib": REFS, "a.tex": DRAFT}
    places = [
        (place.path.name, texts[place.path.name][place.start : place.end], place.defining)
        for place in occurrences(scope_of(desk.request().surroundings), "gulls")
    ]
    assert places == [
        ("birds.bib", "gulls", True),
        ("birds.bib", "gulls", False),
        ("a.tex", "GULLS", False),
        ("a.tex", "gulls", False),
    ]


def test_a_key_with_an_entry_of_its_own_is_no_place_of_the_one_in_other_capitals(
    tmp_path: Path,
) -> None:
    (tmp_path / "birds.bib").write_text(f"{REFS}@misc{{GULLS, title = {{X}}}}\n", encoding="utf-8")
    scope = scope_of(Desk(tmp_path / "a.tex", DRAFT).request().surroundings)
    drafts = [place for place in occurrences(scope, "gulls") if place.path.suffix == ".tex"]
    assert [DRAFT[place.start : place.end] for place in drafts] == ["gulls"]


def test_an_entry_reaches_from_its_sign_to_its_brace(tmp_path: Path) -> None:
    bibliography = Desk(tmp_path / "birds.bib", REFS).request().bibliography()
    first, second = bibliography.entries
    assert entry_around(bibliography, first.start) is first
    assert entry_around(bibliography, first.end) is first
    assert entry_around(bibliography, first.end + 1) is None
    assert entry_around(bibliography, second.end - 1) is second
    assert entry_around(bibliography, len(REFS)) is None
