"""A large library is indexed by another process: what this one has of it, and when it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cite_lsp.library import Library, LibraryCache
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
    monkeypatch.setattr(module, "_LARGE", CACHED)
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


@pytest.mark.parametrize("python", ["", "/nowhere/python", sys.executable])
def test_where_no_process_does_it_a_library_is_indexed_here(
    library: Library, monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    monkeypatch.setattr(sys, "executable", python)
    library.bibliographies[0].path.unlink()  # nor could another process read it
    assert found_in(LibraryIndexes(own_process=True), library, "gear 1999") == ["k1999"]


def test_the_process_ends_when_the_one_that_asked_does(library: Library) -> None:
    command = [sys.executable, "-m", module.__name__]
    paths = json.dumps([str(bibliography.path) for bibliography in library.bibliographies])
    result = subprocess.run(command, input=f"{paths}\n", text=True, timeout=SECONDS, check=False)
    assert result.returncode == 1
