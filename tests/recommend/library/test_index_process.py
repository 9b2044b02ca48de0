"""A large library is indexed by another process: what this one has of it, and when it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from cite_lsp.library import Bibliography, Library, LibraryCache
from cite_lsp.library.formats.zotero_part import ZoteroPart
from cite_lsp.library.match import match
from cite_lsp.recommend.base.pool_words import PoolWords
from cite_lsp.recommend.library import index_process as module
from cite_lsp.recommend.library.library_index import LibraryIndexes

CACHED = 2000
"""Entries of which an index is stored on disk."""
SECONDS = 60.0
"""Long enough on a busy machine."""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """A library that counts as large."""
    monkeypatch.setattr(module, "_WORTH_A_PROCESS", CACHED)
    path = tmp_path / "library.bib"
    entries = (f"@misc{{k{row}, title = {{Gear {row}}}, year = 2001}}\n" for row in range(CACHED))
    path.write_text("".join(entries))
    return LibraryCache().load([path])


def found_in(indexes: LibraryIndexes, library: Library, typed: str) -> list[str]:
    index = indexes.get(library)
    return [index.pool.names[row] for row in index.matcher.match(typed)]


def test_what_another_process_has_indexed_is_not_indexed_here(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("papers are read here")

    monkeypatch.setattr(PoolWords, "build", refuse)
    monkeypatch.setattr(match, "_sorted_words", refuse)
    assert found_in(LibraryIndexes(own_process=True), library, "gear 1999") == ["k1999"]


def test_what_an_earlier_run_has_indexed_needs_no_process(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_in(LibraryIndexes(), library, "gear")
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process is started"))
    again = LibraryCache().load([library.bibliographies[0].path])
    assert found_in(LibraryIndexes(own_process=True), again, "gear 1999") == ["k1999"]


def test_the_process_reads_the_same_part_of_a_zotero_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, part, parts_read = tmp_path / "zotero.sqlite", ZoteroPart(("Thesis",), "Lab"), []

    def read(path: Path, part: ZoteroPart) -> Bibliography:
        parts_read.append(part)
        return Bibliography(path, ())

    path.touch()
    monkeypatch.setattr("cite_lsp.library.formats.zotero.read_zotero", read)
    monkeypatch.setattr(subprocess, "Popen", popen := MagicMock())
    monkeypatch.setattr(module, "_WORTH_A_PROCESS", 0)
    module.index_in_process(LibraryCache(zotero=part).load([path]))
    process = popen.return_value.__enter__.return_value
    module._index(*json.loads(process.stdin.write.call_args.args[0]))
    assert parts_read == [part, part]


@pytest.mark.parametrize("python", ["", "/nowhere/python", sys.executable])
def test_where_no_process_does_it_a_library_is_indexed_here(
    library: Library, monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    monkeypatch.setattr(sys, "executable", python)
    library.bibliographies[0].path.unlink()  # nor could another process read it
    assert found_in(LibraryIndexes(own_process=True), library, "gear 1999") == ["k1999"]


def test_the_process_ends_when_the_one_that_asked_does(library: Library) -> None:
    command = [sys.executable, "-m", module.__name__]
    what = json.dumps([[str(library.bibliographies[0].path)], [], ""])
    result = subprocess.run(command, input=f"{what}\n", text=True, timeout=SECONDS, check=False)
    assert result.returncode == 1
