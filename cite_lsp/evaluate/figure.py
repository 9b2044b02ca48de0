"""Recall@k and MRR@k of several systems as a drawing (SVG), readable in any browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from cite_lsp.evaluate.metrics import CUTOFFS

_WIDTH, _HEIGHT = 360, 260
_LEFT, _TOP, _GAP = 44, 34, 56
_TICKS = 5
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, told apart by colour-blind readers too."""


def draw_curves(
    curves: Mapping[str, Mapping[str, float]], title: str, cutoffs: Sequence[int] = CUTOFFS
) -> str:
    """Return a drawing of two charts side by side, Recall@k and MRR@k.

    `curves` holds the figures of each system, under the names `recall@k` and `mrr@k`.
    """
    legend = 18 * len(curves)
    width, height = _LEFT + 2 * _WIDTH + _GAP + 20, _TOP + _HEIGHT + 50 + legend
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="18" font-size="13">{escape(title)}</text>',
    ]
    for place, metric in enumerate(("recall", "mrr")):
        left = _LEFT + place * (_WIDTH + _GAP)
        parts += _chart(curves, metric, cutoffs, left)
    for number, name in enumerate(curves):
        y = _TOP + _HEIGHT + 48 + 18 * number
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(f'<rect x="{_LEFT}" y="{y - 8}" width="18" height="4" fill="{colour}"/>')
        parts.append(f'<text x="{_LEFT + 26}" y="{y - 2}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _chart(
    curves: Mapping[str, Mapping[str, float]], metric: str, cutoffs: Sequence[int], left: int
) -> list[str]:
    values = {
        name: [figures[f"{metric}@{k}"] for k in cutoffs if f"{metric}@{k}" in figures]
        for name, figures in curves.items()
    }
    highest = max((value for row in values.values() for value in row), default=0.0)
    top = max(-(-highest * 20 // 1) / 20, 0.05)  # the next twentieth

    def across(k: float) -> float:
        return left + _WIDTH * (k - cutoffs[0]) / max(cutoffs[-1] - cutoffs[0], 1)

    def down(value: float) -> float:
        return _TOP + _HEIGHT * (1 - value / top)

    bottom = _TOP + _HEIGHT
    label = {"recall": "Recall@k", "mrr": "MRR@k"}[metric]
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
        for k in cutoffs
    ]
    for number, row in enumerate(values.values()):
        points = " ".join(
            f"{across(k):.1f},{down(value):.1f}" for k, value in zip(cutoffs, row, strict=False)
        )
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
    return parts
