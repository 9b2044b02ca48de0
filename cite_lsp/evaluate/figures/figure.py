"""Figures as drawings (SVG), for any browser: of systems by k or by dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from cite_lsp.evaluate.figures.axes import Axes, Point, colour_of, drawing, heading, next_twentieth
from cite_lsp.evaluate.metrics import CUTOFFS

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
