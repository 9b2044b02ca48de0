"""Charts (SVG) of what was measured: systems by k or by dimension, and trade-offs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape

from attrs import field, frozen

from cite_lsp.evaluate.metrics import CUTOFFS

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
        path = " ".join(f"{self.across(x):.1f},{self.down(y):.1f}" for x, y in points)
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


_WIDTH, _HEIGHT = 360, 260
_LEFT, _TOP, _GAP = 44, 34, 56
_BOTH = _LEFT + 2 * _WIDTH + _GAP + 20
"""The width of two charts side by side."""

Series = Mapping[str, Sequence[Point]]
"""Points by the name of their line."""


def draw_curves(
    curves: Mapping[str, Mapping[str, float]], title: str, cutoffs: Sequence[int] = CUTOFFS
) -> str:
    """Return a drawing of two charts side by side, Recall@k and MRR@k.

    `curves` holds the figures of each system, under the names `recall@k` and `mrr@k`.
    """
    charts = {
        label: {
            name: [(k, figures[f"{metric}@{k}"]) for k in cutoffs if f"{metric}@{k}" in figures]
            for name, figures in curves.items()
        }
        for metric, label in (("recall", "Recall@k"), ("mrr", "MRR@k"))
    }
    return _draw(charts, title, cutoffs)


def draw_by_dimension(lines: Mapping[str, Mapping[int, Mapping[str, float]]], title: str) -> str:
    """Return a drawing of two charts side by side, MAP and MRR by the dimensions of a space.

    `lines` holds the figures of each system by dimension, under the names `map@100` and `mrr@100`.
    """
    charts = {
        label: {
            name: [(n, figures[metric]) for n, figures in sorted(by_dimension.items())]
            for name, by_dimension in lines.items()
        }
        for metric, label in (("map@100", "MAP by n"), ("mrr@100", "MRR by n"))
    }
    return _draw(
        charts, title, sorted({n for by_dimension in lines.values() for n in by_dimension})
    )


def _draw(charts: Mapping[str, Series], title: str, ticks: Sequence[int]) -> str:
    names = list(next(iter(charts.values())))
    parts = [heading(title, _LEFT, 18)]
    for place, (label, series) in enumerate(charts.items()):
        parts += _chart(series, label, ticks, _LEFT + place * (_WIDTH + _GAP))
    for number, name in enumerate(names):
        y = _TOP + _HEIGHT + 48 + 18 * number
        parts += [
            f'<rect x="{_LEFT}" y="{y - 8}" width="18" height="4" fill="{colour_of(number)}"/>',
            f'<text x="{_LEFT + 26}" y="{y - 2}">{escape(name)}</text>',
        ]
    return drawing(_BOTH, _TOP + _HEIGHT + 50 + 18 * len(names), parts)


def _chart(series: Series, label: str, ticks: Sequence[int], left: int) -> list[str]:
    highest = max((value for row in series.values() for _, value in row), default=0.0)
    axes = Axes(left, _TOP, _WIDTH, _HEIGHT, ticks[0], ticks[-1], next_twentieth(highest))
    return [
        *axes.grid(label, "{:.2f}".format, [(k, str(k)) for k in ticks]),
        *(axes.line(row, colour_of(number)) for number, row in enumerate(series.values())),
    ]


_SIDE, _PANEL_LEFT, _PANEL_TOP, _PANEL_GAP = 300, 48, 40, 70


@frozen
class Panel:
    """One chart: curves by their names, and named points on or off them, as (recall, precision)."""

    title: str
    curves: Mapping[str, Sequence[Point]]
    points: Mapping[str, Point] = field(factory=dict)


def draw_trade_offs(panels: Sequence[Panel]) -> str:
    """Return the panels side by side; the axis of recall ends where the curves do."""
    parts = []
    for number, panel in enumerate(panels):
        parts += _panel(panel, _PANEL_LEFT + number * (_SIDE + _PANEL_GAP))
    return drawing(_PANEL_LEFT + len(panels) * (_SIDE + _PANEL_GAP), _PANEL_TOP + _SIDE + 54, parts)


def _panel(panel: Panel, left: int) -> list[str]:
    everything = [
        *panel.points.values(),
        *(point for row in panel.curves.values() for point in row),
    ]
    end = next_twentieth(max((recall for recall, _ in everything), default=0.0))
    axes = Axes(left, _PANEL_TOP, _SIDE, _SIDE, 0.0, end, 1.0)
    recalls = [end * step / _STEPS for step in range(_STEPS + 1)]
    parts = [
        heading(f"{panel.title}: precision", left, _PANEL_TOP - 14),
        *axes.grid("recall", "{:.1f}".format, [(recall, f"{recall:.2f}") for recall in recalls]),
    ]
    right, top = f'x="{left + _SIDE - 6}" text-anchor="end"', _PANEL_TOP + 14
    for number, (name, row) in enumerate(panel.curves.items()):
        colour = colour_of(number)
        parts += [
            axes.line(row, colour, 1.6),
            f'<text {right} y="{top + 16 * number}" fill="{colour}">{escape(name)}</text>',
        ]
    for name, (recall, precision) in panel.points.items():
        x, y = axes.across(recall), axes.down(precision)
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>',
            f'<text x="{x + 6:.1f}" y="{y - 5:.1f}">{escape(name)}</text>',
        ]
    return parts
