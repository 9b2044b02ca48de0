"""Precision against recall as a drawing (SVG): what offering more or less costs, panel by panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from attrs import field, frozen

from cite_lsp.evaluate.figures.axes import Axes, Point, colour_of, drawing, heading, next_twentieth

_SIDE, _LEFT, _TOP, _GAP = 300, 48, 40, 70
_STEPS = 5


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
        parts += _chart(panel, _LEFT + number * (_SIDE + _GAP))
    return drawing(_LEFT + len(panels) * (_SIDE + _GAP), _TOP + _SIDE + 54, parts)


def _chart(panel: Panel, left: int) -> list[str]:
    everything = [
        *panel.points.values(),
        *(point for row in panel.curves.values() for point in row),
    ]
    end = next_twentieth(max((recall for recall, _ in everything), default=0.0))
    axes = Axes(left, _TOP, _SIDE, _SIDE, 0.0, end, 1.0)
    recalls = [end * step / _STEPS for step in range(_STEPS + 1)]
    parts = [
        heading(f"{panel.title}: precision", left, _TOP - 14),
        *axes.grid("recall", "{:.1f}".format, [(recall, f"{recall:.2f}") for recall in recalls]),
    ]
    right = f'x="{left + _SIDE - 6}" text-anchor="end"'
    for number, (name, row) in enumerate(panel.curves.items()):
        colour = colour_of(number)
        parts += [
            axes.line(row, colour, 1.6),
            f'<text {right} y="{_TOP + 14 + 16 * number}" fill="{colour}">{escape(name)}</text>',
        ]
    for name, (recall, precision) in panel.points.items():
        x, y = axes.across(recall), axes.down(precision)
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>',
            f'<text x="{x + 6:.1f}" y="{y - 5:.1f}">{escape(name)}</text>',
        ]
    return parts
