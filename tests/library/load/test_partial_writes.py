"""What was read of a file stays while another program is in the middle of writing it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.library import LibraryCache
from cite_lsp.library.load import partial_writes

Write = Callable[..., Path]

WHOLE = "@misc{one, title={A}}\n\n@misc{two, title={B}}\n\n@misc{three, title={C}}\n"
ITEMS = '[{"id": "one", "title": "A"}, {"id": "two", "title": "B"}]'


@pytest.fixture
def rest(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Files that seem half written are kept for ever, until one has this call."""
    monkeypatch.setattr(partial_writes, "_REST", 1e6)

    def over() -> None:
        monkeypatch.setattr(time, "monotonic", lambda: 1e9)

    return over


@pytest.mark.parametrize(
    "half",
    [
        "",
        " \n",
        "@",
        "@mis",
        "@misc{",
        "@misc{one",
        "@misc{one, title={A}}",
        "@misc{one, title={A}}\n\n@misc{tw",
        "@misc{new, title={N}}\n\n@misc{one, title={A}}",
        "@misc{one, title={A}}\n\n@misc{two, title={B}}\n\n@misc{three, title={",
        "@misc{one, title={A}}\n\n@misc(two, title={B}\n",
    ],
)
def test_what_reads_as_if_its_end_were_to_come_counts_as_it_was(
    write: Write, half: str, rest: Callable[[], None]
) -> None:
    cache, path = LibraryCache(), write("a.bib", WHOLE)
    before = cache.load([path])
    write("a.bib", half)
    assert cache.load([path]) is before and cache.load([path]) is before
    assert cache.unsettled(before)
    rest()
    after = cache.load([path])
    assert after is not before and cache.unsettled(after) is None
    assert all(entry.raw in half for entry in after.entries)


@pytest.mark.parametrize(
    "text",
    [
        "@misc{one, title={A}}\n\n@misc{three, title={C}}\n",
        "@misc{two, title={B}}\n\n@misc{three, title={C}}\n",
        "@misc{other, title={A}}\n",
        WHOLE + "@misc{four, title={D}}\n",
        WHOLE.replace("{B}}", "{B}"),
    ],
)
def test_what_is_written_to_its_end_counts_at_once(
    write: Write, text: str, rest: Callable[[], None]
) -> None:
    cache, path = LibraryCache(), write("a.bib", WHOLE)
    before = cache.load([path])
    write("a.bib", text)
    after = cache.load([path])
    assert after is not before and cache.unsettled(after) is None
    assert all(entry.raw in text for entry in after.entries)


@pytest.mark.parametrize(("name", "whole"), [("a.json", ITEMS), ("a.bib", WHOLE)])
def test_a_file_that_is_filled_again_counts_as_soon_as_it_is(
    write: Write, name: str, whole: str, rest: Callable[[], None]
) -> None:
    cache, path = LibraryCache(), write(name, whole)
    before = cache.load([path])
    write(name, "")
    assert cache.load([path]) is before
    write(name, whole[: len(whole) // 2])
    assert cache.load([path]) is before
    write(name, whole.replace("two", "second"))
    after = cache.load([path])
    assert "second" in after.by_key and cache.unsettled(after) is None
    assert after.by_key["one"].record is before.by_key["one"].record


def test_a_file_that_goes_on_changing_is_waited_for(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    cache, path = LibraryCache(), write("a.bib", WHOLE)
    before = cache.load([path])
    for size in range(0, 30, 10):
        write("a.bib", WHOLE[:size])
        assert cache.load([path]) is before
        now += partial_writes._REST * 0.75
    now += partial_writes._REST
    assert cache.load([path]) is not before


def test_what_was_half_written_from_the_start_is_taken_as_it_is(write: Write) -> None:
    cache, path = LibraryCache(), write("a.bib", WHOLE[:-3])
    assert list(cache.load([path]).by_key) == ["one", "two", "three"]
    write("a.bib", "@misc{four, title={D}}\n" + WHOLE[:-3])
    assert list(cache.load([path]).by_key) == ["four", "one", "two", "three"]


def test_what_the_writer_removed_and_saved_in_the_editor_does_not_come_back(write: Write) -> None:
    path = write("a.bib", WHOLE)
    buffers: dict[Path, str] = {}
    cache = LibraryCache(buffers.get)
    cache.load([path])
    buffers[path] = "@misc{one, title={A}}\n"
    cache.load([path])
    write("a.bib", buffers.pop(path))
    assert list(cache.load([path]).by_key) == ["one"]
