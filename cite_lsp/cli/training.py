"""What the commands of all recipes share: how an error ends one, and what a ranker prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_lsp.cli import CommandError
from cite_lsp.cli.output import Problems, Stages, figure_cells, table

if TYPE_CHECKING:
    from cite_lsp.corpus.contexts import LabelledContext


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


def print_ranker(config: Mapping[str, Any], asked: str) -> None:
    """Print what trees are worth beside single orders; `asked` says what they were asked with."""
    names = ("hit@1", "hit@5", "mrr")
    orders = {"learned": config["dev"]["learned"], **config["dev"]["single"]}
    rows = [[name, *figure_cells(figures, names)] for name, figures in orders.items()]
    print(f"{config['dev_groups']:,} held-out {asked}, {config['trees']} trees")
    print(table(("order", *names), rows))


def some_of(rows: Sequence[LabelledContext], count: int | None) -> list[LabelledContext]:
    """Return about `count` contexts, as many of every stretch of the data; without it all."""
    return list(rows[:: max(1, len(rows) // count)]) if count else list(rows)
