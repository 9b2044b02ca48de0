"""The words of a library: read once, stored, and read again where they are of another kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library.bibtex.incremental import read_text
from cite_lsp.recommend.base import pool_words
from cite_lsp.recommend.base.pool import Pool
from tests.recommend.base.test_pool import TITLES, completed, library


def test_the_words_of_a_large_library_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path))
    monkeypatch.setattr(pool_words, "_CACHED_FROM", 1)
    entries = library(TITLES).bibliography.entries
    first = Pool.of_entries(entries)
    with monkeypatch.context() as patch:
        patch.setattr(pool_words, "searched_text", None)
        second = Pool.of_entries(entries)
    assert second.words.scores("tidal gates").tolist() == first.words.scores("tidal gates").tolist()
    assert second.years.tolist() == first.years.tolist()
    for file in (tmp_path / "cache" / "libraries").glob("pool-*"):
        file.write_bytes(b"damaged")
    assert (
        Pool.of_entries(entries).words.scores("gull").tolist()
        == first.words.scores("gull").tolist()
    )
    for abstract in ("Sluices.", "Locks."):
        more = Pool.of_entries(entries, completed=completed(entries, 3, abstract))
        assert more.words.scores(abstract).argmax() == 3, "what was kept knows nothing of it"
    assert not Pool.of_entries(entries).words.scores("locks").any()


def test_a_paper_is_found_by_the_keywords_of_its_entry() -> None:
    text = "@misc{a, title={Tides}, keywords={salt marshes}}\n@misc{b, title={Marine birds}}\n"
    pool = Pool.of_entries(read_text(text, Path("refs.bib")).bibliography.entries)
    scores = pool.words.scores("how salt marshes grow")
    assert scores[0] > 0 and scores[1] == 0
    assert not pool.title_words.scores("salt marshes").any(), "its title has no such words"


def test_words_that_were_stored_without_keywords_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path))
    monkeypatch.setattr(pool_words, "_CACHED_FROM", 1)
    text = "@misc{a, title={Tides}, keywords={salt}}\n@misc{b, title={Gulls}}\n"
    entries = read_text(text, Path("refs.bib")).bibliography.entries
    with monkeypatch.context() as before:
        before.setattr(pool_words, "_KIND", "pool")
        before.setattr(pool_words, "searched_text", lambda paper: paper.title)
        assert not Pool.of_entries(entries).words.scores("salt").any()
    assert Pool.of_entries(entries).words.scores("salt").argmax() == 0
    assert Pool.of_entries(entries).words.scores("salt").any()
