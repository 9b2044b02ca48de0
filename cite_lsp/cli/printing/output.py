"""How commands speak: results on stdout, progress on stderr, JSON as one document."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

from cite_lsp.corpus.formats.json_lines import ReadAnyway
from cite_lsp.library.text.display import shown
from cite_lsp.library.text.invisible_characters import printable_line
from cite_lsp.paper import Paper

if TYPE_CHECKING:  # what it imports costs half a second, and `serve` must answer before that
    from cite_lsp.recommend.base.recommendation import Recommendation

UNANNOUNCED_SECONDS = 3.0
"""A library may take so long to be made ready before a line says what takes so long."""
REPORTED = 20
"""Problems that are printed one by one; of more, only the number is."""


def counted(number: int, noun: str) -> str:
    """Return a number and what it counts: "1 paper", "44 papers"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: int) -> str:
    """Return a number of bytes as people read it: "0.3 kB", "24 kB", "4.2 MB", "1,250 MB"."""
    number_of_units, unit = (number / 1e6, "MB") if number >= 1e6 else (number / 1e3, "kB")
    return f"{number_of_units:,.{1 if number_of_units < 10 else 0}f} {unit}"


def from_here(path: str | Path) -> str:
    """Return an absolute path as it is from the current folder, if it leads into that."""
    path, here = Path(path), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def say(text: str) -> None:
    """Print a line on stdout, whatever names, keys and titles in it hold."""
    print(printable_line(text), flush=True)


def warn(message: str) -> None:
    """Print a line on stderr, whatever names, keys and titles in it hold."""
    print(printable_line(message), file=sys.stderr)


def print_json(document: object) -> None:
    """Print one JSON document."""
    json.dump(document, sys.stdout, ensure_ascii=False, indent=1)
    print()


def paper_record(paper: Paper) -> dict[str, Any]:
    """Return a paper as JSON has it; empty fields are left out."""
    paper = shown(paper)
    record = {
        "id": paper.id,
        "title": paper.title,
        "authors": list(paper.authors),
        "more_authors": paper.more_authors,
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi,
        "url": paper.url,
        "retracted": paper.retracted,
    }
    return {name: value for name, value in record.items() if value}


def recommendation_record(recommendation: Recommendation) -> dict[str, Any]:
    """Return a recommendation as JSON has it."""
    # Imported where needed: commands that recommend nothing start without it.
    from cite_lsp.recommend.wording import describe
    from cite_lsp.server.render.rows import cited_elsewhere_fields

    record = {
        "key": recommendation.key,
        "score": round(recommendation.score, 4),
        "why": describe(recommendation),
        "paper": paper_record(recommendation.paper),
    }
    more = {
        "corpus": recommendation.corpus,
        "other_keys": list(recommendation.other_keys),
        "cited_elsewhere": cited_elsewhere_fields(recommendation.cited_elsewhere),
        "abstract_sentence": recommendation.abstract_sentence,
    }
    return record | {name: value for name, value in more.items() if value}


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out rows under headings, the first column left, the others right, in Markdown."""
    columns = zip(headings, *rows, strict=True)
    widths = [max(2, *map(len, column)) for column in columns]  # of "-:", where numbers are short

    def line(cells: Sequence[str]) -> str:
        padded = [cells[0].ljust(widths[0])]
        padded += [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([line(headings), line(rule), *(line(row) for row in rows)])


def figure_cells(figures: Mapping[str, float], names: Sequence[str]) -> list[str]:
    """Format figures as table cells: ".437", or a dash where there is none."""
    return [f"{figures[name]:.3f}".lstrip("0") if name in figures else "–" for name in names]


def interval_cell(ends: Sequence[float]) -> str:
    """Format the two ends of an interval as a table cell: ".41–.45"."""
    return "–".join(f"{end:.3f}".lstrip("0") for end in ends)


class Progress:
    """One line on stderr: what is done, how fast, how long still.

    Where stderr is no terminal there is a line every half minute, so that a log stays readable.
    """

    def __init__(self, label: str) -> None:
        self._label, self._total, self._done = label, 0, 0
        self._begun = self._shown = time.monotonic()
        self._terminal, self._width = sys.stderr.isatty(), 0
        self._interval = 0.1 if self._terminal else 30.0

    def advance(self, count: int = 1) -> None:
        """Add `count` to what is done."""
        self.reach(self._done + count)

    def reach(self, done: int, total: int = 0) -> None:
        """Set how many are done, and of how many if that is known."""
        self._done, self._total = done, total or self._total
        if time.monotonic() - self._shown >= self._interval:
            self._show()

    def clear(self) -> None:
        """Take the line off a terminal until more is done, so that results can be printed."""
        if self._terminal and self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
            self._width, self._shown = 0, 0.0

    def close(self) -> None:
        """Show the final state and end the line."""
        self._show()
        if self._terminal:
            print(file=sys.stderr)

    def _show(self) -> None:
        self._shown = time.monotonic()
        elapsed = max(self._shown - self._begun, 1e-3)
        rate = self._done / elapsed
        text = f"{self._label}: {self._done:,}"
        if self._total:
            text += f" of {self._total:,}"
            if 0 < self._done < self._total:
                text += f", {_duration((self._total - self._done) / rate)} left"
        text += f" ({rate:,.1f}/s)" if rate < 10 else f" ({rate:,.0f}/s)"
        if self._terminal:  # blanks over what was longer: not every console of Windows can erase
            self._width, text = len(text), "\r" + text.ljust(self._width)
        print(text, end="" if self._terminal else "\n", file=sys.stderr, flush=True)


class Stages:
    """Progress lines one after the other, each closed when the next begins."""

    def __init__(self) -> None:
        self._stage, self._done = "", 0
        self._progress: Progress | None = None

    def show(self, stage: str, done: int, total: int) -> None:
        """Show that `done` of `total` (0: not known) are done of what is being done now."""
        if self._progress is None or stage != self._stage:
            self.close()
            self._stage, self._progress = stage, Progress(stage)
        self._progress.reach(done, total)
        self._done = done

    def advance(self, stage: str, count: int) -> None:
        """Show that `count` more are done of what is being done now."""
        done = self._done if stage == self._stage else 0
        self.show(stage, done + count, 0)

    def clear(self) -> None:
        """Take the line off a terminal until more is done."""
        if self._progress is not None:
            self._progress.clear()

    def close(self) -> None:
        """End the line."""
        if self._progress is not None:
            self._progress.close()
            self._progress = None


class JsonStages(Stages):
    """The same for programs: an object a line on stderr, `stage`, `done` and `total`."""

    _INTERVAL = 0.2

    def __init__(self) -> None:
        super().__init__()
        self._shown = 0.0

    def show(self, stage: str, done: int, total: int) -> None:
        """Print that `done` of `total` (0: not known) are done of what is being done now."""
        now = time.monotonic()
        if stage != self._stage or done == total or now - self._shown >= self._INTERVAL:
            self._stage, self._shown = stage, now
            line = json.dumps({"stage": stage, "done": done, "total": total})
            print(line, file=sys.stderr, flush=True)


class Problems:
    """What is wrong with the input, on stderr: the first problems and the last, and how many.

    `count` are those of a record; what was read anyway is printed, and no bad record.
    """

    def __init__(self) -> None:
        self.count = 0
        self._total = 0
        self._last = ""

    def add(self, message: str) -> None:
        """Count a problem, and print it if it is among the first."""
        self.count += not isinstance(message, ReadAnyway)
        self._total += 1
        self._last = message
        if self._total <= REPORTED:
            warn(message)

    def close(self) -> None:
        """Print how many were not, and the last: that an archive is broken comes at its end."""
        if self._total > REPORTED:
            warn(f"… and {self._total - REPORTED:,} more, the last: {self._last}")


@contextmanager
def reporting(*, json: bool = False) -> Iterator[tuple[Stages, Problems]]:
    """Give what a command reports progress, perhaps as JSON, and bad records to; close both."""
    stages, problems = JsonStages() if json else Stages(), Problems()
    try:
        yield stages, problems
    finally:
        stages.close()
        problems.close()


class SlowNotice:
    """Says once on stderr that a library is being made ready, where a `with` of it takes long."""

    def __init__(self) -> None:
        self._said = False
        self._timer: Timer | None = None

    def __enter__(self) -> None:
        """Say it in a few seconds, unless it was said before."""
        self._timer = Timer(UNANNOUNCED_SECONDS, self._say)
        self._timer.daemon = True
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        """Say it no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _say(self) -> None:
        if not self._said:
            self._said = True
            warn("getting the library ready, which takes longest the first time …")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes}:{rest:02}"
