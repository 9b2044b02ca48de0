"""Arrays in the cache: what they are found by, and what damage to their files costs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.library.bibtex.incremental import read_text
from cite_lsp.library.csl.item import CSL
from cite_lsp.library.entries import Entry, Record, Source, digest_of
from cite_lsp.storage import npz_cache
from cite_lsp.storage.npz_cache import keep_arrays, load_arrays, text_array

ARRAYS = {"numbers": np.arange(7), "texts": text_array(["tide", "marsh"])}
WHOLE = """\
@string{press = "Shore Press"}
@book{gulls, title = {Gulls}, publisher = press}
@inbook{nests, title = {Nests}, crossref = {birds}}
@book{birds, title = {Birds}}
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


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


def test_whatever_bit_of_a_directory_of_arrays_is_wrong_nothing_is_raised(home: Path) -> None:
    keep_arrays("kind", "digest", {"a": ARRAYS["numbers"]})
    (path,) = (home / "cache" / "libraries").iterdir()
    sound = path.read_bytes()
    directory = sound.index(b"PK\x01\x02")  # the one part of an archive that no checksum guards
    for place in range(8 * directory, 8 * len(sound)):
        damaged = bytearray(sound)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        load_arrays("kind", "digest")


def test_a_folder_in_the_place_of_a_file_is_removed(home: Path) -> None:
    keep_arrays("kind", "digest", ARRAYS)
    (path,) = (home / "cache" / "libraries").iterdir()
    for read_first in (True, False):
        path.unlink()
        path.mkdir()
        if read_first:
            assert load_arrays("kind", "digest") is None and not path.exists()
        keep_arrays("kind", "digest", ARRAYS)
        assert load_arrays("kind", "digest") is not None


def test_a_damaged_file_is_reported_once_and_made_again(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep_arrays("kind", "digest", ARRAYS)
    (path,) = (home / "cache" / "libraries").iterdir()
    damaged = bytearray(path.read_bytes())
    damaged[damaged.rindex(b"PK\x01\x02") + 8] |= 1  # "encrypted"
    path.write_bytes(damaged)
    assert load_arrays("kind", "digest") is None and not path.exists()
    (message,) = caplog.messages
    assert message.startswith(f"{path}: damaged, it is made again") and "\n" not in message
    keep_arrays("kind", "digest", ARRAYS)
    again = load_arrays("kind", "digest")
    assert again is not None and npz_cache.texts_of(again["texts"]) == ["tide", "marsh"]
