"""What a recipe says: its progress, why it cannot go on, and the figures of what it made."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from cite_lsp.errors import CiteLspError
from cite_lsp.installation import how_to_install
from cite_lsp.paths import keep_torch_files

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, how much is done, of how much; 0: not known)."""
Steps = Callable[[int, int], None]
"""Called with (how much is done, of how much)."""


def counting(progress: Progress, stage: str, total: int = 0) -> Callable[[int], None]:
    """Return a function that takes how many more are done, and reports the sum of them."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(stage, done, total)

    return advance


class TrainingError(CiteLspError):
    """Nothing can be learned; the message says why and what to do, in one line."""


class OptionError(Exception):
    """The options of a recipe do not go together; the message says which, in one line."""


def require(*packages: str) -> None:
    """Make sure that packages can be imported, before hours of work.

    Raises:
        TrainingError: one cannot.
    """
    keep_torch_files()
    for name in packages:
        try:
            importlib.import_module(name)
        except (ImportError, OSError) as error:  # OSError: a library beneath it is missing
            raise TrainingError(
                f"training needs {name} ({error}); {how_to_install('train')}"
            ) from error


@frozen
class Figures:
    """Figures by what they are of, a row each.

    heading: of the first column. title: what is said above the table. note: what is said of the
    run beside it, no matter for a card. digits: how many a share has; counts, which are whole
    numbers, have none.
    """

    rows: Mapping[str, Mapping[str, float]]
    heading: str = "development"
    title: str = ""
    note: str = ""
    digits: int = 3

    @property
    def headings(self) -> list[str]:
        """Return the headings of all columns."""
        names = dict.fromkeys(name for values in self.rows.values() for name in values)
        return [self.heading, *names]

    def cells(self) -> list[list[str]]:
        """Return the table row by row; "–" stands for a figure that is not known."""
        _, *names = self.headings
        return [
            [row_name, *(self._cell(values.get(name)) for name in names)]
            for row_name, values in self.rows.items()
        ]

    def markdown(self) -> str:
        """Return the table with its title, for a card."""
        table = markdown_table(self.headings, self.cells())
        return f"{self.title}\n\n{table}" if self.title else table

    def _cell(self, value: float | None) -> str:
        if value is None:
            return "–"
        return f"{value:,}" if isinstance(value, int) else f"{value:.{self.digits}f}"


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table for a card."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
