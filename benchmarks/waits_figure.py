"""What a writer waits for, as a drawing (SVG): a row for each wait, a dot in it for each server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10

from attrs import frozen

from benchmarks.peers import shown
from cite_lsp.evaluate.charts import colour_of, drawing, heading

_LEFT, _TOP, _WIDTH, _ROW = 270, 44, 480, 26
_BELOW = 52


@frozen
class Wait:
    """One thing that a writer waits for.

    Attributes:
        name: what it is.
        seconds: how long it takes, by the name of the server; without those that gave no answer.
        limit: seconds in which nothing could do it, None where that was not measured.
    """

    name: str
    seconds: Mapping[str, float]
    limit: float | None = None


def draw_waits(waits: Sequence[Wait], servers: Sequence[str], title: str) -> str:
    """Return a drawing of waits, by their logarithms; a bar across a row is its limit."""
    known = [value for wait in waits for value in (*wait.seconds.values(), wait.limit) if value]
    first, last = floor(log10(min(known))), ceil(log10(max(known)))

    def across(seconds: float) -> float:
        return round(_LEFT + _WIDTH * (log10(seconds) - first) / (last - first), 1)

    bottom = _TOP + _ROW * len(waits)
    parts = [heading(title, _LEFT, 18)]
    for power in range(first, last + 1):
        x = across(10.0**power)
        parts += [
            f'<path d="M{x} {_TOP}V{bottom}" stroke="#ddd"/>',
            f'<text x="{x}" y="{bottom + 15}" text-anchor="middle">{shown(10.0**power)}</text>',
        ]
    for number, wait in enumerate(waits):
        y = _TOP + _ROW * number + _ROW // 2
        parts += [
            f'<text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(wait.name)}</text>',
            f'<path d="M{_LEFT} {y}h{_WIDTH}" stroke="#eee"/>',
        ]
        if wait.limit:
            parts.append(_limit(across(wait.limit), y))
        parts += [
            _dot(across(wait.seconds[server]), y, place)
            for place, server in enumerate(servers)
            if server in wait.seconds
        ]
    return drawing(_LEFT + _WIDTH + 30, bottom + _BELOW, [*parts, *_legend(servers, bottom + 38)])


def _dot(x: float, y: float, server: int) -> str:
    return f'<circle cx="{x}" cy="{y}" r="5" fill="{colour_of(server)}"/>'


def _limit(x: float, y: float) -> str:
    return f'<path d="M{x} {y - 8}v16" stroke="black" stroke-width="2"/>'


def _legend(servers: Sequence[str], middle: int) -> list[str]:
    parts = []
    for place, server in enumerate((*servers, "what bounds it")):
        x = _LEFT + 130 * place
        parts += [
            _dot(x, middle, place) if place < len(servers) else _limit(x, middle),
            f'<text x="{x + 10}" y="{middle + 4}">{escape(server)}</text>',
        ]
    return parts
