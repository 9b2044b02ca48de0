"""Corpora where a file that is open or memory-mapped cannot be deleted, as on Windows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import UpdateListener, update_corpus
from cite_lsp.search.vectors.vector_index import SearchIndexError
from tests.search.corpus.test_corpus_index import PAPERS, Encoder
from tests.search.in_memory_sources import InMemorySources
from tests.search.indexing.test_update import ids
from tests.windows_files import windows_files

pytestmark = pytest.mark.skipif(
    not os.path.exists("/proc/self/maps"), reason="Linux tells what is mapped"
)


@pytest.fixture(autouse=True)
def rules() -> Iterator[None]:
    with windows_files():
        yield


@pytest.mark.parametrize("step", ["papers", "encoding", "words", "neighbours"])
def test_a_build_that_was_broken_off_is_gone_on_with(tmp_path: Path, step: str) -> None:
    folder = tmp_path / "shores"

    def read(name: str) -> Iterator[Paper]:
        yield from PAPERS

    def stop(what: str, done: int, total: int) -> None:
        if what == step and done == total:
            raise InterruptedError

    with pytest.raises(SearchIndexError) as broken_off:
        update_corpus(folder, Sources(["a"], read), Encoder(), listener=UpdateListener(stage=stop))
    assert isinstance(broken_off.value.__cause__, InterruptedError)
    del broken_off  # a process that has ended holds nothing
    corpus = update_corpus(folder, Sources(["a"], read), Encoder())
    assert ids(corpus) == {paper.id for paper in PAPERS}


def test_what_is_open_stays_readable_and_goes_with_the_next_build(tmp_path: Path) -> None:
    folder, sources = tmp_path / "shores", InMemorySources(a=PAPERS[:3])
    before = sources.index(folder, "a")
    sources.items["a"] = PAPERS[:5]
    assert len(sources.index(folder, "a")) == 5
    assert [before.paper(row).id for row in range(len(before))] == ["p0", "p1", "p2"]
    assert before.words.scores("Tides")[1] > 0 and len(before.vectors.vectors(np.arange(3))) == 3
    del before
    sources.items["a"] = PAPERS[:4]
    sources.index(folder, "a")
    assert [path.name for path in folder.glob("version-*")] == ["version-3"]
    assert len(CorpusIndex(folder)) == 4
