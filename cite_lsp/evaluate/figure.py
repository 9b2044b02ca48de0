"""Figures as drawings (SVG), for any browser: of systems by k or by dimension, of growth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import floor, log10

from cite_lsp.evaluate.metrics import CUTOFFS

_WIDTH, _HEIGHT = 360, 260
_LEFT, _TOP, _GAP = 44, 34, 56
_TICKS = 5
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, told apart by colour-blind readers too."""


Series = Mapping[str, Sequence[tuple[float, float]]]
"""Points (across, up) by the name of their line."""


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
    legend = 18 * len(names)
    width, height = _LEFT + 2 * _WIDTH + _GAP + 20, _TOP + _HEIGHT + 50 + legend
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="18" font-size="13">{escape(title)}</text>',
    ]
    for place, (label, series) in enumerate(charts.items()):
        parts += _chart(series, label, ticks, _LEFT + place * (_WIDTH + _GAP))
    for number, name in enumerate(names):
        y = _TOP + _HEIGHT + 48 + 18 * number
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(f'<rect x="{_LEFT}" y="{y - 8}" width="18" height="4" fill="{colour}"/>')
        parts.append(f'<text x="{_LEFT + 26}" y="{y - 2}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _chart(series: Series, label: str, ticks: Sequence[int], left: int) -> list[str]:
    highest = max((value for row in series.values() for _, value in row), default=0.0)
    top = max(-(-highest * 20 // 1) / 20, 0.05)  # the next twentieth

    def across(k: float) -> float:
        return left + _WIDTH * (k - ticks[0]) / max(ticks[-1] - ticks[0], 1)

    def down(value: float) -> float:
        return _TOP + _HEIGHT * (1 - value / top)

    bottom = _TOP + _HEIGHT
    parts = [f'<text x="{left + _WIDTH / 2}" y="{bottom + 30}" text-anchor="middle">{label}</text>']
    for tick in range(_TICKS + 1):
        value = top * tick / _TICKS
        y = f"{down(value):.1f}"
        parts.append(
            f'<path d="M{left} {y}H{left + _WIDTH}" stroke="#ddd" fill="none"/>'
            f'<text x="{left - 6}" y="{down(value) + 4:.1f}" text-anchor="end">{value:.2f}</text>'
        )
    parts += [
        f'<text x="{across(k):.1f}" y="{bottom + 15}" text-anchor="middle">{k}</text>'
        for k in ticks
    ]
    for number, row in enumerate(series.values()):
        points = " ".join(f"{across(k):.1f},{down(value):.1f}" for k, value in row)
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
    return parts


def draw_growth(curves: Mapping[str, Mapping[int, float]], title: str) -> str:
    """Return a drawing of how figures grow with a number: a chart a figure, two in a row.

    `curves` holds under the name of each figure its values by number; numbers are drawn by their
    logarithms, values from 0 on.
    """
    rows = -(-len(curves) // 2)
    width = _LEFT + 2 * _WIDTH + _GAP + 20
    height = _TOP + rows * (_HEIGHT + _GAP) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="18" font-size="13">{escape(title)}</text>',
    ]
    for place, (name, values) in enumerate(curves.items()):
        left = _LEFT + place % 2 * (_WIDTH + _GAP)
        parts += _growth(name, values, left, _TOP + place // 2 * (_HEIGHT + _GAP), place)
    return "\n".join([*parts, "</svg>", ""])


def _growth(name: str, values: Mapping[int, float], left: int, top: int, place: int) -> list[str]:
    numbers = sorted(values)
    first, last = log10(numbers[0]), log10(numbers[-1])
    most = max(values.values()) or 1.0
    unit = 10.0 ** floor(log10(most))
    highest = unit * -(-most // unit)  # the next round number

    def across(number: int) -> float:
        return left + _WIDTH * (log10(number) - first) / max(last - first, 1e-9)

    def down(value: float) -> float:
        return top + _HEIGHT * (1 - value / highest)

    bottom = top + _HEIGHT
    middle = left + _WIDTH / 2
    parts = [f'<text x="{middle}" y="{bottom + 30}" text-anchor="middle">{escape(name)}</text>']
    for tick in range(_TICKS + 1):
        value = highest * tick / _TICKS
        parts.append(
            f'<path d="M{left} {down(value):.1f}H{left + _WIDTH}" stroke="#ddd" fill="none"/>'
            f'<text x="{left - 6}" y="{down(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>'
        )
    parts += [
        f'<text x="{across(number):.1f}" y="{bottom + 15}" text-anchor="middle">{number:,}</text>'
        for number in numbers
    ]
    points = " ".join(f"{across(number):.1f},{down(values[number]):.1f}" for number in numbers)
    colour = _COLOURS[place % len(_COLOURS)]
    parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    parts += [
        f'<circle cx="{across(number):.1f}" cy="{down(values[number]):.1f}" r="3" fill="{colour}"/>'
        for number in numbers
    ]
    return parts
