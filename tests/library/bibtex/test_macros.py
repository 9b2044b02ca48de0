"""An `@string` of an earlier file holds in later ones of the same draft."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.library import Library, LibraryCache

Loader = Callable[..., Library]
ABBREVIATIONS = "@string{mud = {Journal of Mud}}\n@string{silt = {Silt Letters}}\n"
RECORD = "@article{reed, title = {Wet lands}, journal = mud # { B}, author = {Reed, Ida}}\n"


@pytest.fixture
def load(tmp_path: Path) -> Loader:
    cache = LibraryCache()

    def load(**texts: str) -> Library:
        paths = []
        for name, text in texts.items():
            path = tmp_path / f"{name}.bib"
            if not path.is_file() or path.read_text("utf-8") != text:
                path.write_text(text, encoding="utf-8")
            paths.append(path)
        return cache.load(paths)

    return load


def test_a_macro_holds_in_the_files_behind_its_own(load: Loader) -> None:
    entry = load(abbreviations=ABBREVIATIONS, refs=RECORD).by_key["reed"]
    assert entry.fields["journal"] == "Journal of Mud B"
    assert entry.paper.venue == "Journal of Mud B"


def test_and_in_none_before_it(load: Loader) -> None:
    entry = load(refs=RECORD, abbreviations=ABBREVIATIONS).by_key["reed"]
    assert entry.fields["journal"] == "mud B"


def test_the_last_definition_counts(load: Loader) -> None:
    again, own = "@string{mud = {Mud Again}}\n", "@string{MUD = {My Mud}}\n"
    entry = load(abbreviations=ABBREVIATIONS, again=again, refs=RECORD).by_key["reed"]
    assert entry.fields["journal"] == "Mud Again B"
    entry = load(abbreviations=ABBREVIATIONS, refs=own + RECORD).by_key["reed"]
    assert entry.fields["journal"] == "My Mud B"


def test_what_inherits_has_it_too(load: Loader) -> None:
    part = "@inproceedings{part, title = {Ebb}, crossref = {whole}}\n"
    whole = "@proceedings{whole, title = mud, year = 1999}\n"
    library = load(abbreviations=ABBREVIATIONS, refs=part + whole)
    assert library.by_key["part"].fields["booktitle"] == "Journal of Mud"


def test_a_record_stays_the_same_object_while_the_macros_do(load: Loader) -> None:
    first = load(abbreviations=ABBREVIATIONS, refs=RECORD).by_key["reed"].record
    other = "\n@book{new, title = {New}}\n"
    assert load(abbreviations=ABBREVIATIONS, refs=RECORD + other).by_key["reed"].record is first
    changed = ABBREVIATIONS.replace("Journal of", "Annals of")
    entry = load(abbreviations=changed, refs=RECORD + other).by_key["reed"]
    assert entry.fields["journal"] == "Annals of Mud B"


def test_a_word_that_is_no_macro_changes_nothing(load: Loader) -> None:
    record = "@book{b, title = {Of mud = mud, silt}, month = jan}\n@book{c, title = {C}}\n"
    library = load(abbreviations=ABBREVIATIONS, refs=record)
    assert library.by_key["b"].fields["title"] == "Of mud = mud, silt"
    assert library.by_key["c"] is library.bibliographies[1].entries[1]
