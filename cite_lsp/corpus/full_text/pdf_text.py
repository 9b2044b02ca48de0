"""The text of a PDF's pages, line by line, with its raised numbers as raised ones: "so³".

A PDF has where letters stand and how large they are. Numbers that are smaller and higher than what
is beside them are written in the digits that Unicode has for that; those of footnotes and of
authors' addresses are not, where the note or the address begins with them further down the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from cite_lsp.corpus.full_text.printed_markers import RAISED
from cite_lsp.lazy_re import lazy_re

if TYPE_CHECKING:
    from pypdf import PageObject

LIGATURES = str.maketrans(
    {0x10: "“", 0x11: "”", 0x15: "–", 0x16: "—", 0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi"}
    | {0x1F: "ffl", 0x0B: "ff", 0x0E: "ffi", 0x0F: "ffl"}
    | {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"}
)
"""What TeX's fonts have where ASCII has control characters, and what others call ligatures."""
_AS_RAISED = str.maketrans("0123456789", RAISED)
_NUMBERS = lazy_re(r"\s*(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*[,;–-]?)(\s*)")
_SMALLER = 0.87
"""Of the size of what is beside it, the most that a raised number has."""
_HIGHER = 0.15, 0.75
"""Of that size, by how much it stands higher: at least and at most."""
_NEAR = 4
"""Runs before a number among which is what it is raised above."""


@frozen
class Run:
    """Some letters on a page: the size of their type in points, how high their line stands."""

    text: str
    size: float
    height: float


def runs_of(page: PageObject) -> tuple[list[Run], str]:
    """Return the runs of a page in the order of its text, blank ones too, and the text itself."""
    runs: list[Run] = []
    rise = shown = 0.0

    def operate(operator: bytes, operands: Any, place: Any, matrix: Any) -> None:  # noqa: ANN401
        nonlocal rise, shown
        if operator == b"Ts" and operands:
            rise = float(operands[0])
        elif operator in (b"Tj", b"TJ"):
            shown = rise

    def visit(text: str, place: Any, matrix: Any, font: Any, size: float) -> None:  # noqa: ANN401
        if text:
            scale = abs(matrix[3] * place[3]) or abs(matrix[0]) or 1.0
            height = (matrix[5] + shown) * place[3] + place[5]
            text = text.translate(LIGATURES)
            runs.append(Run(text, round(float(size * scale), 1), float(height)))

    text = page.extract_text(visitor_text=visit, visitor_operand_before=operate)
    return runs, str(text).translate(LIGATURES)


def text_of(page: PageObject) -> str:
    """Return the text of a page with its raised numbers as such."""
    runs, text = runs_of(page)
    if "".join(run.text for run in runs) != text:  # from right to left
        return text
    runs = list(_joined(runs))
    raised_by_place = {
        place: numbers for place in range(len(runs)) if (numbers := _raised(runs, place))
    }
    notes = {
        numbers: place
        for place, numbers in reversed(raised_by_place.items())
        if _begins_line(runs, place)
    }
    for place, numbers in raised_by_place.items():
        above = all(notes.get(number, -1) > place for number in re.findall(r"\d+", numbers))
        if _begins_line(runs, place) or not above:
            runs[place] = evolve(runs[place], text=_as_raised(runs, place, numbers))
    return "".join(run.text for run in runs)


def _joined(runs: Sequence[Run]) -> Iterator[Run]:
    """Yield the runs, those as one that stand on one line in one size."""
    before: Run | None = None
    for run in runs:
        if before is None:
            before = run
        elif (before.size, before.height) == (run.size, run.height) and before.text[-1] != "\n":
            before = evolve(before, text=before.text + run.text)
        else:
            yield before
            before = run
    if before is not None:
        yield before


def _raised(runs: Sequence[Run], place: int) -> str:
    """Return the raised numbers that a run is, "" where it is something else."""
    run = runs[place]
    match = _NUMBERS.fullmatch(run.text)
    if match is None:
        return ""
    beside = runs[place + 1 : place + 2] if _begins_line(runs, place) else _run_before(runs, place)
    low, high = _HIGHER
    return next(
        (
            match[1]
            for neighbour in beside
            if run.size <= neighbour.size * _SMALLER
            and neighbour.size * low <= run.height - neighbour.height <= neighbour.size * high
        ),
        "",
    )


def _run_before(runs: Sequence[Run], place: int) -> list[Run]:
    """Return the last run on the line before one that is larger and not blank."""
    for run in reversed(runs[max(0, place - _NEAR) : place]):
        if run.text.endswith("\n"):
            break
        if run.text.strip() and runs[place].size <= run.size * _SMALLER:
            return [run]
    return []


def _begins_line(runs: Sequence[Run], place: int) -> bool:
    return place == 0 or runs[place - 1].text.endswith("\n")


def _as_raised(runs: Sequence[Run], place: int, numbers: str) -> str:
    """Return a run as raised numbers, put to the word before unless they are put to the next."""
    text = runs[place].text
    behind = text[len(text.rstrip()) :] or "".join(run.text for run in runs[place + 1 : place + 2])
    blank = " " if behind[:1].isalnum() and text[0] == " " else ""
    return blank + numbers.translate(_AS_RAISED) + text[len(text.rstrip()) :]
