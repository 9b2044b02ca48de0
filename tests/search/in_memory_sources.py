"""Sources of a corpus that tests hold in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from cite_lsp.corpus.citations import SourceItem
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import update_corpus
from tests.search.corpus.test_corpus_index import Encoder


class InMemorySources:
    """What sources hold, by name."""

    def __init__(self, **items: Sequence[SourceItem]) -> None:
        self.items = items

    def read(self, name: str) -> Iterator[SourceItem]:
        yield from self.items[name]

    def index(self, folder: Path, *names: str, replace: bool = False) -> CorpusIndex:
        return update_corpus(folder, Sources(names, self.read, replace=replace), Encoder())
