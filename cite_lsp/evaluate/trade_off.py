"""Precision against recall as a drawing (SVG): what offering more or less costs, panel by panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from attrs import field, frozen

Point = tuple[float, float]
"""Recall and precision."""

_SIDE, _LEFT, _TOP, _GAP = 300, 48, 40, 70
_TICKS = 5
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Okabe and Ito's, told apart by colour-blind readers too."""


@frozen
class Panel:
    """One chart: curves by their names, and named points on or off them."""

    title: str
    curves: Mapping[str, Sequence[Point]]
    points: Mapping[str, Point] = field(factory=dict)


def draw_trade_offs(panels: Sequence[Panel]) -> str:
    """Return the panels side by side; the axis of recall ends where the curves do."""
    width = _LEFT + len(panels) * (_SIDE + _GAP)
    height = _TOP + _SIDE + 54
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        parts += _chart(panel, _LEFT + number * (_SIDE + _GAP))
    return "\n".join([*parts, "</svg>", ""])


def _chart(panel: Panel, left: int) -> list[str]:
    everything = [*panel.points.values(), *(one for row in panel.curves.values() for one in row)]
    most = max((recall for recall, _ in everything), default=0.0)
    end = max(-(-most * 20 // 1) / 20, 0.05)  # the next twentieth
    bottom = _TOP + _SIDE

    def place(point: Point) -> tuple[float, float]:
        return left + _SIDE * point[0] / end, bottom - _SIDE * point[1]

    parts = [
        f'<text x="{left}" y="{_TOP - 14}" font-size="13">{escape(panel.title)}: precision</text>',
        f'<text x="{left + _SIDE / 2}" y="{bottom + 34}" text-anchor="middle">recall</text>',
    ]
    for tick in range(_TICKS + 1):
        share = tick / _TICKS
        x, y = left + _SIDE * share, bottom - _SIDE * share
        parts += [
            f'<path d="M{left} {y:.0f}H{left + _SIDE}" stroke="#ddd" fill="none"/>',
            f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{share:.1f}</text>',
            f'<text x="{x:.0f}" y="{bottom + 16}" text-anchor="middle">{share * end:.2f}</text>',
        ]
    for number, (name, row) in enumerate(panel.curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, row))
        y = _TOP + 14 + 16 * number
        parts += [
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"/>',
            f'<text x="{left + _SIDE - 6}" y="{y}" text-anchor="end" fill="{colour}">'
            f"{escape(name)}</text>",
        ]
    for name, point in panel.points.items():
        x, y = place(point)
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>',
            f'<text x="{x + 6:.1f}" y="{y - 5:.1f}">{escape(name)}</text>',
        ]
    return parts
