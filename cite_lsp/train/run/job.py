"""One run of a recipe: its options, the data that they name, and its checkpoints.

A run writes down what makes it what it is. The same run finds its last whole checkpoint there;
another one is refused, because going on from a stranger's weights would be a wrong result.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from attrs import AttrsInstance, evolve, fields, frozen

from cite_lsp.corpus.contexts import LabelledContext, read_contexts
from cite_lsp.corpus.edges import Edge, read_edges
from cite_lsp.corpus.formats.papers import read_papers
from cite_lsp.encode.checkpoints import DEFAULT, checksum_of
from cite_lsp.evaluate.task_pool import open_pool
from cite_lsp.paper import Paper
from cite_lsp.paths import shipped_model
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.report import OptionError, Progress, TrainingError

S = TypeVar("S", bound=AttrsInstance)


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

    def settings(self, defaults: S) -> S:
        """Return settings with the options of the same names, where these were given."""
        names = [each.name for each in fields(type(defaults))]
        values = {name: getattr(self.options, name, None) for name in names}
        given = {name: value for name, value in values.items() if value is not None}
        return evolve(defaults, **given)  # type: ignore[misc]  # mypy: a type variable

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

    def papers(self, ids: Collection[str] | None = None) -> dict[str, Paper]:
        """Read papers by id, of equal ids the last; with `ids` only those.

        Raises:
            RecordError: a file cannot be read.
        """
        return {
            paper.id: paper
            for path in self.options.papers
            for paper in read_papers(path, self.report)
            if ids is None or paper.id in ids
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


CHECKPOINTS = "checkpoints"
_IDLE = frozenset(("out", "sources"))
"""Options that change nothing of what is learned."""
_RUN = "run.json"


def claim_checkpoints(options: argparse.Namespace) -> None:
    """Make the checkpoints in the folder of a run its own, or find that they are.

    A run that left none has no claim. What makes a run what it is: its options, what is in the
    files and the folders of models that these name, and the models that ship.

    Raises:
        TrainingError: they are another run's.
        OSError: a file cannot be read, or the folder not be written.
    """
    folder = options.out / CHECKPOINTS
    folder.mkdir(parents=True, exist_ok=True)
    path, text = folder / _RUN, json.dumps(_identity(options), indent=1, sort_keys=True)
    same = path.is_file() and path.read_text(encoding="utf-8") == text
    if not same and any(file != path for file in folder.iterdir()):
        raise TrainingError(
            f"{folder}: holds checkpoints of a training with other data or settings; name another"
            " --out, or remove the folder to begin anew"
        )
    scratch = path.with_suffix(".part")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)


def _identity(options: argparse.Namespace) -> dict[str, Any]:
    relevant = {name: value for name, value in vars(options).items() if name not in _IDLE}
    values = [
        value
        for option in relevant.values()
        for value in (option if isinstance(option, list) else [option])
    ]
    paths = sorted({path for value in values if value and (path := Path(str(value))).exists()})
    shipped = shipped_model(DEFAULT).parent.glob("*/config.json")
    return {
        "options": {name: str(value) for name, value in relevant.items()},
        "files": {str(file): checksum_of(file) for path in paths for file in _read_of(path)},
        "models": {file.parent.name: checksum_of(file) for file in shipped},
    }


def _read_of(path: Path) -> list[Path]:
    """Return a file, or what tells a model or drafts in a folder from others."""
    if path.is_file():
        return [path]
    return sorted(file for kind in ("*.json", "*.safetensors") for file in path.glob(kind))


def finish(out: Path) -> None:
    """Remove the checkpoints of a run whose result has been written."""
    shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
