"""Figures by a number that grows, as a drawing (SVG): one chart for each, two side by side."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, log10

from cite_lsp.evaluate.charts import Axes, colour_of, drawing, heading

_WIDTH, _HEIGHT = 360, 260
_LEFT, _TOP, _GAP = 44, 34, 56


def draw_growth(curves: Mapping[str, Mapping[int, float]], title: str) -> str:
    """Return a drawing of how figures grow with a number: a chart a figure, two in a row.

    `curves` holds under the name of each figure its values by number; numbers are drawn by their
    logarithms, values from 0 on.
    """
    rows = -(-len(curves) // 2)
    parts = [heading(title, _LEFT, 18)]
    for place, (name, values) in enumerate(curves.items()):
        left = _LEFT + place % 2 * (_WIDTH + _GAP)
        top = _TOP + place // 2 * (_HEIGHT + _GAP)
        parts += _growth(name, values, left, top, colour_of(place))
    return drawing(_LEFT + 2 * _WIDTH + _GAP + 20, _TOP + rows * (_HEIGHT + _GAP) + 10, parts)


def _growth(name: str, values: Mapping[int, float], left: int, top: int, colour: str) -> list[str]:
    most = max(values.values()) or 1.0
    unit = 10.0 ** floor(log10(most))
    highest = unit * -(-most // unit)  # the next round number
    points = [(log10(number), value) for number, value in sorted(values.items())]
    axes = Axes(left, top, _WIDTH, _HEIGHT, points[0][0], points[-1][0], highest)
    ticks = [(log10(number), f"{number:,}") for number in sorted(values)]
    return [
        *axes.grid(name, "{:.3g}".format, ticks),
        axes.line(points, colour),
        *(
            f'<circle cx="{axes.across(x):.1f}" cy="{axes.down(y):.1f}" r="3" fill="{colour}"/>'
            for x, y in points
        ),
    ]
