"""What the commands of all recipes share: how an error ends one, and what a ranker prints."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.output import Problems, Stages, figure_cells, table

if TYPE_CHECKING:
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.paper import Paper

T = TypeVar("T")


@contextmanager
def one_line_errors(out: Path, *expected: type[Exception]) -> Iterator[tuple[Stages, Problems]]:
    """Give what a training tells its progress and bad records; close both behind it.

    Raises:
        CommandError: for one of the `expected` errors, and where `out` cannot be written.
    """
    stages, problems = Stages(), Problems()
    try:
        yield stages, problems
    except expected as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        reason = error.strerror or error
        raise CommandError(f"{out}: cannot be written ({reason}); name another") from error
    finally:
        stages.close()
        problems.close()


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


def some_of(rows: Sequence[T], count: int | None) -> list[T]:
    """Return about `count` rows, as many of every stretch of the data; without it all.

    They are every second, or third …: at most half as many more, or a third fewer.
    """
    return list(rows[:: max(1, round(len(rows) / count))]) if count else list(rows)


def contexts_in(
    paths: Iterable[Path], without: Collection[str], problems: Problems
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
    paths: Iterable[Path], wanted: Collection[str], problems: Problems
) -> dict[str, Paper]:
    """Read those papers whose ids are wanted, by id.

    Raises:
        RecordError: a file cannot be read.
    """
    from cite_lsp.corpus.papers import read_papers

    found = (paper for path in paths for paper in read_papers(path, problems.add))
    return {paper.id: paper for paper in found if paper.id in wanted}
