"""What the commands of all recipes share: what they read and print, how an error ends them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.output import Problems, Stages, figure_cells, reporting, table

if TYPE_CHECKING:
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.corpus.edges import Edge
    from cite_lsp.encode import Encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.paper import Paper

T = TypeVar("T")


@contextmanager
def one_line_errors(out: Path, *more: type[Exception]) -> Iterator[tuple[Stages, Problems]]:
    """Give what a training tells its progress and bad records; close both behind it.

    Raises:
        CommandError: for an error of the data, of an encoder, an index or the training, or one of
            `more`, and where `out` cannot be written.
    """
    from cite_lsp.corpus.formats.json_lines import RecordError
    from cite_lsp.encode import EncoderError
    from cite_lsp.search.vectors.index import SearchIndexError
    from cite_lsp.train.run.errors import TrainingError

    faults = (RecordError, EncoderError, SearchIndexError, TrainingError)
    try:
        with reporting(*faults, *more) as told:
            yield told
    except OSError as error:
        reason = error.strerror or error
        raise CommandError(f"{out}: cannot be written ({reason}); name another") from error


def require_folder(out: Path) -> None:
    """Make sure, before hours of work, that a folder can be made or written into.

    Raises:
        CommandError: it cannot.
    """
    there = next(one for one in (out.absolute(), *out.absolute().parents) if one.exists())
    if not there.is_dir():
        raise CommandError(f"{out}: cannot be written ({there} is no folder); name another")
    if not os.access(there, os.W_OK):
        raise CommandError(f"{out}: cannot be written (no right to write); name another")


def pool_file(options: argparse.Namespace) -> Path:
    """Return the one file of papers that a recipe learns from.

    Raises:
        UsageError: there are several.
    """
    if len(options.papers) != 1:
        raise UsageError(f"{options.recipe} learns from one pool; give one file with --papers")
    path: Path = options.papers[0]
    return path


def print_ranker(config: Mapping[str, Any], asked: str) -> None:
    """Print what trees are worth beside single orders; `asked` says what they were asked with."""
    names = ("hit@1", "hit@5", "mrr")
    orders = {"learned": config["dev"]["learned"], **config["dev"]["single"]}
    rows = [[name, *figure_cells(figures, names)] for name, figures in orders.items()]
    print(f"{config['dev_groups']:,} held-out {asked}, {config['trees']} trees")
    print(table(("order", *names), rows))


def print_figures(
    figures: Mapping[str, Mapping[str, float]],
    heading: str = "development",
    names: Sequence[str] = (),
) -> None:
    """Print figures by what they are of, a row each; without `names` all of them."""
    names = names or tuple(dict.fromkeys(name for row in figures.values() for name in row))
    rows = [[what, *figure_cells(row, names)] for what, row in figures.items()]
    print(table((heading, *names), rows))


def some_of(rows: Sequence[T], count: int | None) -> list[T]:
    """Return about `count` rows, as many of every stretch of the data; without it all.

    They are every second, or third …: at most half as many more, or a third fewer.
    """
    return list(rows[:: max(1, round(len(rows) / count))]) if count else list(rows)


def contexts_in(
    paths: Iterable[Path], problems: Problems, without: Collection[str] = ()
) -> list[LabelledContext]:
    """Read contexts, but for those of documents with one of `without` in their ids.

    Raises:
        RecordError: a file cannot be read.
    """
    from cite_lsp.corpus.contexts import read_contexts

    return [
        row
        for path in paths
        for row in read_contexts(path, problems.add)
        if not any(name in row.citing_id for name in without)
    ]


def papers_in(
    paths: Iterable[Path], problems: Problems, wanted: Collection[str] | None = None
) -> dict[str, Paper]:
    """Read papers by id, of equal ids the last; with `wanted` only those of these ids.

    Raises:
        RecordError: a file cannot be read.
    """
    from cite_lsp.corpus.formats.papers import read_papers

    found = (paper for path in paths for paper in read_papers(path, problems.add))
    return {paper.id: paper for paper in found if wanted is None or paper.id in wanted}


def edges_in(paths: Iterable[Path], problems: Problems) -> Iterator[Edge]:
    """Read the citations of a graph, as they are asked for.

    Raises:
        RecordError: a file cannot be read.
    """
    from cite_lsp.corpus.edges import read_edges

    return (edge for path in paths for edge in read_edges(path, problems.add))


def drafts_encoder() -> CachedEncoder:
    """Return the default encoder on all cores, which keeps what it embeds of drafts and papers.

    Raises:
        EncoderError: it cannot be loaded.
    """
    from cite_lsp.encode import load_encoder
    from cite_lsp.encode.cached import CachedEncoder

    return CachedEncoder(
        load_encoder(threads=os.cpu_count() or 1), remembered=200_000, kept=500_000
    )


def query_encoder_in(
    folder: Path | None,
    rows: Iterable[LabelledContext],
    shipped: Callable[[], Encoder],
    *,
    chinese: bool = False,
) -> tuple[Encoder, Callable[[str], Encoder]]:
    """Return the query encoder that will be asked, and which one places a document's contexts.

    The one that ships places all `rows`, those that it was trained on better than it will others;
    where one was trained here, what its folds have left does (`HeldOutQueries`).

    Raises:
        EncoderError: it cannot be loaded.
        TrainingError: what is kept of its folds is missing or damaged.
    """
    from cite_lsp.encode import load_encoder
    from cite_lsp.train.encoders.held_out_queries import HeldOutQueries

    if folder is None:
        encoder = shipped()
        return encoder, lambda document: encoder
    own = load_encoder(str(folder), device="cpu", threads=os.cpu_count() or 1)
    return own, HeldOutQueries(folder, own, rows, chinese=chinese).of
