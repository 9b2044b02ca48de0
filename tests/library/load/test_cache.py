from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from cite_lsp.library import Library, LibraryCache, parse_bibliography
from cite_lsp.library.bibtex.incremental import read_text
from cite_lsp.library.formats.zotero_part import ZoteroPart
from cite_lsp.library.load import cache as library_module
from cite_lsp.library.load import partial_writes
from cite_lsp.library.load.read import BibliographyFile, read_file

Write = Callable[..., Path]
SECONDS = 60.0
"""Long enough on a busy machine."""


def titles(library: Library) -> dict[str, str]:
    return {key: entry.paper.title for key, entry in library.by_key.items()}


def test_of_entries_with_the_same_key_the_first_counts(write: Write) -> None:
    first = write("a.bib", "@misc{one, title={A}}\n@misc{two, title={B}}")
    second = write("b.bib", "@misc{two, title={C}}\n@misc{three, title={D}}")
    library = LibraryCache().load([first, second])
    assert titles(library) == {"one": "A", "two": "B", "three": "D"}
    assert [entry.key for entry in library.entries] == ["one", "two", "three"]


def test_a_key_is_looked_up_as_written_and_then_in_any_case() -> None:
    text = "@misc{Knuth, title={A}}\n@misc{knuth, title={B}}"
    library = Library((parse_bibliography(text, Path("refs.bib")),))
    entries = {key: library.get(key) for key in ("Knuth", "knuth", "KNUTH", "Kn")}
    assert [entry and entry.paper.title for entry in entries.values()] == ["A", "B", "A", None]


def test_a_further_key_that_biblatex_gives_an_entry_leads_to_it() -> None:
    text = """@misc{a, title={Kids = it}, ids = {old, older:1}}\n@misc{b, IDS="old, a"}
@misc{c, title={no ids={x} here}, note={ids}}"""
    library = Library((parse_bibliography(text, Path("refs.bib")),))
    entries = {key: library.get(key) for key in ("old", "older:1", "a", "it", "Old")}
    assert [entry and entry.key for entry in entries.values()] == ["a", "a", "a", None, None]


def test_a_further_key_that_is_typed_into_an_entry_leads_to_it() -> None:
    path, text = Path("refs.bib"), "@misc{a, title={A}}\n@misc{b, title={B}}\n@misc{c}\n"
    before = read_text(text, path)
    after = read_text(text.replace("{B}", "{B}, IDS = {old}"), path, before)
    assert Library((before.bibliography,)).get("old") is None
    for read in (after, read_text(after.text + "@misc{d}\n", path, after)):
        found = Library((read.bibliography,)).get("old")
        assert found is not None and found.key == "b"


def test_problems_are_those_of_all_files(write: Write, tmp_path: Path) -> None:
    broken = write("a.bib", "@misc{one, title={A}\n@misc{two, title={B}}")
    library = LibraryCache().load([broken, tmp_path / "none.bib"])
    assert [problem.path.name for problem in library.problems] == ["a.bib", "none.bib"]


def test_while_nothing_changes_the_library_is_the_same_object(write: Write) -> None:
    cache, path = LibraryCache(), write("a.bib", "@misc{one, title={A}}")
    assert cache.load([path]) is cache.load([path, path])


def test_a_file_that_is_being_read_keeps_nobody_from_others(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = write("a.bib", "@misc{one, title={A}}"), write("b.bib", "@misc{two, title={B}}")
    begun, go_on = Event(), Event()
    read = partial_writes.snapshot_of

    def wait_for_slow(path: Path, *rest: Any, **named: Any) -> Any:  # noqa: ANN401 - passed on
        if path == slow:
            begun.set()
            assert go_on.wait(SECONDS)
        return read(path, *rest, **named)

    monkeypatch.setattr(library_module, "snapshot_of", wait_for_slow)
    cache = LibraryCache()
    with ThreadPoolExecutor(3) as workers:
        first = workers.submit(cache.load, [slow])
        assert begun.wait(SECONDS)
        second = workers.submit(cache.load, [slow])
        assert titles(workers.submit(cache.load, [quick]).result(SECONDS)) == {"two": "B"}
        assert not first.done() and not second.done()
        go_on.set()
        assert first.result(SECONDS) is second.result(SECONDS)


def test_a_file_that_another_program_has_locked_is_read_as_soon_as_it_can_be(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: int) -> bytes:
        raise PermissionError(13, "used by another process", str(path))

    cache, path = LibraryCache(), write("a.bib", "@misc{one, title={A}}")
    with monkeypatch.context() as patch:
        patch.setattr("cite_lsp.library.load.read.read_regular", refuse)
        refused = cache.load([path])
        assert "may not be read" in refused.problems[0].message
        assert cache.load([path]) is refused
        (folder := path.parent / "b.bib").mkdir()
        assert "is a folder" in cache.load([folder]).problems[0].message
    assert titles(cache.load([path])) == {"one": "A"}


def test_only_the_file_that_changed_is_read_again(write: Write) -> None:
    cache = LibraryCache()
    paths = [write("a.bib", "@misc{one, title={A}}"), write("b.bib", "@misc{two, title={B}}")]
    before = cache.load(paths)
    write("b.bib", "@misc{two, title={Changed}}")
    after = cache.load(paths)
    assert after is not before
    assert after.bibliographies[0] is before.bibliographies[0]
    assert titles(after) == {"one": "A", "two": "Changed"}


def test_a_file_that_is_replaced_is_read_again_even_with_the_same_time(write: Write) -> None:
    cache, path = LibraryCache(), write("a.bib", "@misc{one, title={A}}")
    cache.load([path])
    status = path.stat()
    other = write("new.bib", "@misc{one, title={B}}")
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)
    assert titles(cache.load([path])) == {"one": "B"}


def test_a_file_that_is_written_to_in_place_is_read_again_even_with_the_same_time(
    write: Write,
) -> None:
    cache, path = LibraryCache(), write("a.bib", "@misc{one, title={A}}")
    cache.load([path])
    status = path.stat()
    write("a.bib", "@misc{one, title={B}}")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert titles(cache.load([path])) == {"one": "B"}


def test_a_link_is_followed_to_where_it_leads_now(write: Write, tmp_path: Path) -> None:
    cache, link = LibraryCache(), tmp_path / "link.bib"
    first, second = write("a.bib", "@misc{one, title={A}}"), write("b.bib", "@misc{two, title={B}}")
    link.symlink_to(first)
    assert list(cache.load([link]).by_key) == ["one"]
    link.unlink()
    link.symlink_to(second)
    assert list(cache.load([link]).by_key) == ["two"]
    assert len(cache.load([link, second]).bibliographies) == 1


def test_a_file_that_vanishes_and_returns_is_followed(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partial_writes, "_REST", 0.0)
    cache, path = LibraryCache(), write("a.bib", "@misc{one, title={A}}")
    cache.load([path])
    path.unlink()
    assert cache.load([path]).entries, "it may be in the middle of being replaced"
    assert not cache.load([path]).entries and cache.load([path]).problems
    write("a.bib", "@misc{one, title={A}}")
    assert list(cache.load([path]).by_key) == ["one"]


def test_libraries_may_be_loaded_from_several_threads(write: Write) -> None:
    cache = LibraryCache()
    paths = [write(f"{n}.bib", f"@misc{{k{n}, title={{A}}}}") for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        loaded = list(pool.map(cache.load, [paths] * 64))
    assert all(library is loaded[0] for library in loaded) and len(loaded[0].entries) == 8


def test_a_key_that_an_earlier_file_has_for_something_else_is_reported(write: Write) -> None:
    first = write("a.bib", "\n@misc{One, title={A}}\n@misc{same, title={S}}")
    second = write("b.bib", "@misc{one, title={B}}\n@misc{same,\n  title={S}}")
    problems = LibraryCache().load([first, second]).problems
    assert [(problem.path.name, problem.line, problem.message) for problem in problems] == [
        ("b.bib", 1, 'the key "one" is already used in a.bib, line 2: rename or remove one')
    ]


def test_a_file_that_is_named_in_a_problem_is_told_from_others_of_its_name(write: Write) -> None:
    first = write("thesis/refs.bib", "@misc{one, title={A}}")
    second = write("paper/refs.bib", "@misc{one, title={B}}")
    (problem,) = LibraryCache().load([first, second]).problems
    assert problem.message.startswith(
        'the key "one" is already used in ../thesis/refs.bib, line 1: '
    )


def test_an_entry_inherits_from_one_of_another_file(write: Write) -> None:
    first = write("a.bib", "@inproceedings{part, title={P}, crossref={whole}}")
    second = write("b.bib", "@proceedings{whole, title={W}, year={1999}}")
    library = LibraryCache().load([first, second])
    assert library.by_key["part"].paper.venue == "W" and library.entries[0].paper.year == 1999


def test_after_an_edit_entries_that_say_the_same_have_the_same_records(write: Write) -> None:
    sources = {
        "a.bib": "@misc{%s, title={A}}\n@misc{two, title={B}}",
        "a.json": '[{"id": "%s"},\n {"id": "two"}]',
        "a.yaml": "- id: %s\n  title: A\n- id: two\n  title: B\n",
    }
    cache = LibraryCache()
    paths = [write(name, text % "one") for name, text in sources.items()]
    before = [cache.load([path]).by_key for path in paths]
    for name, text in sources.items():
        write(name, "\n" + text % "changed")
    for path, old in zip(paths, before, strict=True):
        new = cache.load([path]).by_key
        assert list(new) == ["changed", "two"]
        assert new["two"].record is old["two"].record
        assert new["two"].line == old["two"].line + 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.bib", "@misc{one, title={A}}"),
        ("a.json", '[{"id": "one", "title": "A"}]'),
        ("csl.yaml", "references:\n- id: one\n  title: A\n"),
        ("hayagriva.yml", "one:\n  type: article\n  title: A\n"),
    ],
)
def test_a_file_is_read_again_only_when_it_has_changed(
    write: Write, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    read: list[Path] = []

    def reading(
        path: Path, before: BibliographyFile | None, zotero: ZoteroPart
    ) -> BibliographyFile:
        read.append(path)
        return read_file(path, before, zotero)

    monkeypatch.setattr("cite_lsp.library.load.partial_writes.read_file", reading)
    cache = LibraryCache()
    path = write(name, text)
    first = cache.load([path])
    assert cache.load([path]) is first and read == [path]
    write(name, text + "\n")
    assert cache.load([path]).entries == first.entries
    assert read == [path, path]
    path.write_bytes(path.read_bytes().replace(b"one", b"two"))
    assert list(cache.load([path]).by_key) == ["two"]


@pytest.mark.parametrize("name", ["a.bib", "a.bibtex", "A.BibLaTeX", "a.ref"])
def test_an_open_file_that_is_read_as_bibtex_counts_as_it_stands_in_the_editor(
    write: Write, name: str
) -> None:
    path = write(name, "@misc{one, title={A}}")
    buffers = {path: "\n@misc{two, title={B}}"}
    cache = LibraryCache(buffers.get)
    (entry,) = cache.load([path]).entries
    assert (entry.key, entry.line) == ("two", 2)
    buffers[path] += "\n@misc{three, title={C}}"
    assert list(cache.load([path]).by_key) == ["two", "three"]
    del buffers[path]
    assert list(cache.load([path]).by_key) == ["one"]


def test_bibliographies_that_were_only_looked_at_are_let_go_of(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "_MOST_ENTRIES", 40)
    cache = LibraryCache()
    first = weakref.ref(cache.load([write("first.bib", "@misc{k, title={T}}")]).bibliographies[0])
    for number in range(50):
        path = write(f"{number}.bib", f"@misc{{k{number}, title={{T}}}}")
        library = cache.load([path])
    gc.collect()
    assert first() is None
    assert cache.load([path]) is library
