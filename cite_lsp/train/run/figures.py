"""A table of figures, as a recipe gives it back: the command prints it, a card shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen


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
            [what, *(self._cell(values.get(name)) for name in names)]
            for what, values in self.rows.items()
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
