"""What every drawing (SVG) of figures is made of: its frame, axes with their ticks, lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from attrs import frozen

Point = tuple[float, float]
"""A value across and one up."""

_STEPS = 5
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
"""Okabe and Ito's, told apart by colour-blind readers too."""


def drawing(width: float, height: float, parts: Iterable[str]) -> str:
    """Return a drawing of that many pixels, of elements that are SVG already."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            ' font-family="sans-serif" font-size="11">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def heading(text: str, left: float, baseline: float) -> str:
    """Return what stands above a drawing or a chart."""
    return f'<text x="{left}" y="{baseline}" font-size="13">{escape(text)}</text>'


def colour_of(number: int) -> str:
    """Return the colour of a line by its number from 0; the first comes again after the last."""
    return _COLOURS[number % len(_COLOURS)]


def next_twentieth(value: float) -> float:
    """Return where an axis of shares ends: at the next .05, at the first if there is nothing."""
    return max(-(-value * 20 // 1) / 20, 0.05)


@frozen
class Axes:
    """A chart's area in pixels, and its values: `first` to `last` across, 0 to `highest` up."""

    left: float
    top: float
    width: float
    height: float
    first: float
    last: float
    highest: float

    @property
    def bottom(self) -> float:
        """How far down 0 lies."""
        return self.top + self.height

    def across(self, value: float) -> float:
        """Return how far to the right a value lies."""
        return self.left + self.width * (value - self.first) / ((self.last - self.first) or 1)

    def down(self, value: float) -> float:
        """Return how far down a value lies."""
        return self.top + self.height * (1 - value / self.highest)

    def grid(
        self, label: str, up: Callable[[float], str], across: Iterable[tuple[float, str]]
    ) -> list[str]:
        """Return lines at five steps up, each as `up` writes its value, and the ticks `across`.

        `label` stands below.
        """
        middle, right = self.left + self.width / 2, self.left + self.width
        parts = [
            f'<text x="{middle}" y="{self.bottom + 30}" text-anchor="middle">{escape(label)}</text>'
        ]
        for step in range(_STEPS + 1):
            value = self.highest * step / _STEPS
            y = self.down(value)
            parts.append(
                f'<path d="M{self.left} {y:.1f}H{right}" stroke="#ddd" fill="none"/>'
                f'<text x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">{up(value)}</text>'
            )
        below = f'y="{self.bottom + 15}" text-anchor="middle"'
        return parts + [
            f'<text x="{self.across(value):.1f}" {below}>{text}</text>' for value, text in across
        ]

    def line(self, points: Sequence[Point], colour: str, width: float = 2) -> str:
        """Return a line through points."""
        drawn = " ".join(f"{self.across(x):.1f},{self.down(y):.1f}" for x, y in points)
        return f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
