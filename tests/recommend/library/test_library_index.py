"""Libraries made ready for ranking: which are kept, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any
from weakref import ref

import pytest
from attrs import evolve

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.library import Library, LibraryCache
from cite_lsp.library.entries import Entry
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library import library_index as module
from cite_lsp.recommend.library.library_index import LibraryIndexes

SECONDS = 60.0
"""Long enough on a busy machine."""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_RECENT_INDEXES", 3)


@pytest.fixture
def libraries(tmp_path: Path) -> list[Library]:
    """Five libraries of an entry each."""
    cache, result = LibraryCache(), []
    for number in range(5):
        path = tmp_path / f"{number}.bib"
        path.write_text(f"@misc{{k{number}, title = {{Paper {number}}}}}\n")
        result.append(cache.load([path]))
    return result


def test_a_library_is_made_ready_once(libraries: list[Library]) -> None:
    indexes = LibraryIndexes()
    with ThreadPoolExecutor(4) as workers:
        result = list(workers.map(indexes.get, libraries[:2] * 20))
    assert len({id(index) for index in result}) == 2


def test_a_library_that_is_being_made_ready_keeps_nobody_from_another(
    libraries: list[Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = libraries[:2]
    begun, go_on = Event(), Event()
    made = Pool.of_entries

    def wait_for_slow(entries: Sequence[Entry], **rest: Any) -> Pool:  # noqa: ANN401 - passed on
        if entries is slow.entries:
            begun.set()
            assert go_on.wait(SECONDS)
        return made(entries, **rest)

    monkeypatch.setattr(Pool, "of_entries", wait_for_slow)
    indexes = LibraryIndexes()
    with ThreadPoolExecutor(3) as workers:
        first = workers.submit(indexes.get, slow)
        assert begun.wait(SECONDS)
        second = workers.submit(indexes.get, slow)
        assert workers.submit(indexes.get, quick).result(SECONDS).library is quick
        assert not first.done() and not second.done()
        go_on.set()
        assert first.result(SECONDS) is second.result(SECONDS)


def test_a_large_library_is_read_no_further_than_it_is_waited_for(
    libraries: list[Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LARGE", 1)
    indexes = LibraryIndexes()
    with pytest.raises(Cancelled):
        indexes.get(libraries[0], lambda: True)
    assert indexes.ready(libraries[0]) is None
    assert indexes.get(libraries[0], lambda: False).pool.names == ("k0",)
    assert indexes.ready(libraries[0]) is indexes.get(libraries[0], lambda: True)


def test_the_least_recently_used_goes_first_and_its_pool_with_it(libraries: list[Library]) -> None:
    indexes = LibraryIndexes()
    pools = [ref(indexes.get(library).pool) for library in libraries[:3]]
    indexes.get(libraries[0])
    pools.append(ref(indexes.get(libraries[3]).pool))
    assert [pool() is not None for pool in pools] == [True, False, True, True]


def test_one_that_somebody_works_with_is_not_made_again(libraries: list[Library]) -> None:
    indexes = LibraryIndexes()
    used = indexes.get(libraries[0])
    for library in libraries[1:]:
        indexes.get(library)
    assert indexes.get(libraries[0]) is used


def test_what_was_embedded_meanwhile_stays(
    libraries: list[Library], encoder: CachedEncoder
) -> None:
    indexes = LibraryIndexes()
    used = indexes.get(libraries[0])
    for library in libraries[1:]:
        indexes.get(library)
    used.pool.embed(encoder)
    indexes.keep(used)
    del used
    indexes.get(libraries[1])
    assert indexes.get(libraries[0]).pool.embedded


def test_a_library_that_changed_meanwhile_is_not_cached_as_it_was(tmp_path: Path) -> None:
    indexes, cache, path = LibraryIndexes(), LibraryCache(), tmp_path / "a.bib"
    path.write_text("@misc{one, title = {A}}\n")
    before = indexes.get(cache.load([path]))
    path.write_text("@misc{one, title = {A}}\n@misc{two, title = {B}}\n")
    after = indexes.get(cache.load([path]))
    indexes.keep(before)
    assert indexes.get(cache.load([path])) is after
    assert after.pool.names == ("one", "two")


def test_evidence_of_a_library_that_has_changed_meanwhile_leaves_the_new_one(
    tmp_path: Path,
) -> None:
    indexes, cache, path = LibraryIndexes(), LibraryCache(), tmp_path / "a.bib"
    path.write_text("@misc{one, title = {A}}\n")
    library = cache.load([path])
    path.write_text("@misc{one, title = {A}}\n@misc{two, title = {B}}\n")
    changed = cache.load([path])
    indexes.get(library)
    now = []

    class Meanwhile(dict[int, Paper]):
        """Papers that take so long that the file changes while they are looked at."""

        def __eq__(self, other: object) -> bool:
            now.append(indexes.get(changed))
            return super().__eq__(other)

        __hash__ = None

    indexes.complete(library, Meanwhile({0: evolve(library.entries[0].paper, abstract="C")}))
    assert now and indexes.get(changed) is now[-1]


def test_libraries_of_the_same_entries_share_what_is_made_of_them(
    tmp_path: Path, encoder: CachedEncoder
) -> None:
    indexes, cache, path = LibraryIndexes(), LibraryCache(), tmp_path / "a.bib"
    path.write_text("@misc{one, title = {A}}\n@misc{part, crossref = {elsewhere}}\n")
    alone = indexes.get(cache.load([path]))
    alone.pool.embed(encoder)
    typed = cache.load([path, tmp_path / "b.bib"])
    assert indexes.get(typed).pool is alone.pool and indexes.get(typed).matcher is alone.matcher
    (tmp_path / "b.bib").write_text("@misc{elsewhere, title = {B}}\n")
    both = indexes.get(cache.load([path, tmp_path / "b.bib"]))
    assert both.pool.names == ("one", "part", "elsewhere") and not both.pool.embedded
    assert indexes.get(cache.load([path])) is alone


def test_a_library_is_completed_once_and_stays_so_while_it_changes(
    tmp_path: Path, encoder: CachedEncoder
) -> None:
    indexes, cache, path = LibraryIndexes(), LibraryCache(), tmp_path / "a.bib"
    path.write_text("@misc{one, title = {A}}\n@misc{two, title = {B}}\n")
    library = cache.load([path])
    entry = library.entries[1]
    bare = indexes.get(library)
    changed = evolve(entry.paper, abstract="Gulls.")
    assert indexes.complete(library, {}) is bare and indexes.paper(entry) is entry.paper
    whole = indexes.complete(library, {1: changed})
    assert indexes.get(library) is whole and whole.pool.papers[1] == changed
    assert whole.matcher is bare.matcher and whole.pool.completed and not bare.pool.completed
    assert indexes.complete(library, {1: changed}) is whole
    assert indexes.paper(entry) == changed
    path.write_text("@misc{zero, title = {Z}}\n@misc{one, title = {A}}\n@misc{two, title = {B}}\n")
    longer = cache.load([path])
    assert (
        indexes.get(longer).pool.papers[2] == changed
        and indexes.paper(longer.entries[2]) == changed
    )
    assert indexes.paper(longer.entries[0]) == longer.entries[0].paper


def test_what_completes_a_library_that_has_changed_meanwhile_is_not_cached(tmp_path: Path) -> None:
    indexes, cache, path = LibraryIndexes(), LibraryCache(), tmp_path / "a.bib"
    path.write_text("@misc{one, title = {A}}\n")
    library = cache.load([path])
    completed_paper = evolve(library.entries[0].paper, abstract="Gulls.")
    path.write_text("@misc{one, title = {B}}\n")
    changed = cache.load([path])
    indexes.get(library)

    class Late(dict[int, Paper]):
        def __eq__(self, other: object) -> bool:
            indexes.get(changed)
            return False

        __hash__ = None

    late = indexes.complete(library, Late({0: completed_paper}))
    assert late.pool.papers[0] == completed_paper
    assert (
        indexes.get(changed).pool.papers[0].abstract == ""
        and not indexes.get(changed).pool.completed
    )
