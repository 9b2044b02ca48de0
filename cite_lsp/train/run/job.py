"""One run of a recipe: its options, and the data that they name."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from attrs import frozen

from cite_lsp.corpus.contexts import LabelledContext, read_contexts
from cite_lsp.corpus.edges import Edge, read_edges
from cite_lsp.corpus.formats.papers import read_papers
from cite_lsp.evaluate.task_pool import open_pool
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.report import OptionError, Progress


class ContextSplit(NamedTuple):
    """The contexts to learn from, and those of other documents to measure on."""

    train: Sequence[LabelledContext]
    dev: Sequence[LabelledContext]


@frozen
class Job:
    """What a recipe is run with.

    options: as they were given. origin: what the card says of the data and of the command.
    progress: called as the run proceeds. report: called with what is wrong with a record.
    """

    options: argparse.Namespace
    origin: Origin
    progress: Progress
    report: Callable[[str], None]

    @property
    def out(self) -> Path:
        """The folder to write to."""
        folder: Path = self.options.out
        return folder

    @property
    def seed(self) -> int:
        """What all that is drawn by chance depends on."""
        return int(self.options.seed)

    def chosen(self, *names: str) -> dict[str, Any]:
        """Return those of some options that were given, by name."""
        values = {name: getattr(self.options, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    def contexts(
        self, paths: Iterable[Path], without: Collection[str] = ()
    ) -> list[LabelledContext]:
        """Read contexts, but for those of documents with one of `without` in their ids.

        Raises:
            RecordError: a file cannot be read.
        """
        return [
            row
            for path in paths
            for row in read_contexts(path, self.report)
            if not any(name in row.citing_id for name in without)
        ]

    def contexts_and_dev(self) -> ContextSplit:
        """Read the contexts to learn from, and those of other documents to measure on.

        Raises:
            RecordError: a file cannot be read.
        """
        options = self.options
        return ContextSplit(
            self.contexts(options.contexts, options.without),
            self.contexts(options.dev, options.without),
        )

    def papers(self, wanted: Collection[str] | None = None) -> dict[str, Paper]:
        """Read papers by id, of equal ids the last; with `wanted` only those of these ids.

        Raises:
            RecordError: a file cannot be read.
        """
        return {
            paper.id: paper
            for path in self.options.papers
            for paper in read_papers(path, self.report)
            if wanted is None or paper.id in wanted
        }

    def edges(self) -> Iterator[Edge]:
        """Read the citations of a graph, one after the other.

        Raises:
            RecordError: a file cannot be read.
        """
        return (edge for path in self.options.edges for edge in read_edges(path, self.report))

    def pool_file(self) -> Path:
        """Return the one file of papers that a recipe learns from.

        Raises:
            OptionError: there are several.
        """
        if len(self.options.papers) != 1:
            raise OptionError(
                f"{self.options.recipe} learns from one pool; give one file with --papers"
            )
        path: Path = self.options.papers[0]
        return path

    def open_pool(
        self,
        papers: Path | None = None,
        encoder: str = "default",
        among: Collection[str] | None = None,
    ) -> CorpusIndex:
        """Open the index of the papers to learn from, or of others; see `task_pool.open_pool`.

        Raises:
            OptionError: there are several files of papers to learn from.
            RecordError: the file cannot be read, or holds none of the papers.
            SearchIndexError: the index cannot be written.
            EncoderError: there is no such encoder.
        """
        file = papers or self.pool_file()
        return open_pool(file, encoder, among=among, stage=self.progress, report=self.report)
