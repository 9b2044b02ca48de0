"""Parse a BibTeX file again after an edit: only the records that the edit touches.

A record that an edit does not change stays the same object, with all that was computed from it;
only the positions behind the edit move.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.crossref import link
from cite_lsp.library.bibtex.scanner import BibtexScan, duplicates
from cite_lsp.library.entries import Bibliography, Entry, Problem, Record
from cite_lsp.manuscript.text.text_diff import difference

_STRING = lazy_re(r"@\s*string", re.IGNORECASE)


@frozen(eq=False)
class BibtexText:
    """The text of a BibTeX file and what stands in it.

    `flaws` are the problems of single records; those of the bibliography have the duplicates too.
    """

    text: str = field(repr=False)
    bibliography: Bibliography
    flaws: tuple[Problem, ...] = ()
    macros: Mapping[str, str] = field(factory=dict, repr=False)
    endless: bool = False
    linked: bool = False


def parse_bibliography(text: str, path: Path) -> Bibliography:
    """Read the text of a BibTeX file; `path` is only noted down.

    What stands between records is ignored, as are `@comment`, `@preamble` and records behind a `%`.
    A broken record becomes a problem, and an entry as well when its key and fields are legible.
    Of entries with the same key (in any case) the second is reported.
    """
    return read_text(text, path).bibliography


def parse_stretch(text: str, path: Path, start: int, end: int) -> Bibliography:
    """Read the BibTeX that stands in a stretch of a text, which starts at a line of its own.

    Offsets and lines are those of the whole text.
    """
    line = text.count("\n", 0, start) + 1
    return _scanned(text, path, BibtexScan(text[:end], path, start, line=line).run()).bibliography


def read_text(text: str, path: Path, before: BibtexText | None = None) -> BibtexText:
    """Read the text of a BibTeX file; with the file as it was `before`, only what has changed."""
    if before is None or before.bibliography.path != path:
        return _scanned(text, path, BibtexScan(text, path).run())
    if before.text == text:
        return before
    return _reparse_edit(before, text) or _reparse_all(before, text)


def _scanned(text: str, path: Path, scan: BibtexScan) -> BibtexText:
    entries = linked_entries(scan.entries) if scan.linked else tuple(scan.entries)
    return _with_duplicates(
        BibtexText(
            text,
            Bibliography(path, entries, macros=scan.shared_macros, aliased=scan.aliased),
            tuple(scan.problems),
            scan.shared_macros,
            scan.endless,
            scan.linked,
        )
    )


def _with_duplicates(read: BibtexText) -> BibtexText:
    """Add the problems that concern several entries: duplicate keys."""
    problems = [*read.flaws, *duplicates(read.bibliography.entries)]
    problems.sort(key=lambda problem: problem.line)
    return evolve(read, bibliography=evolve(read.bibliography, problems=tuple(problems)))


def linked_entries(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entries of a file with the fields that they inherit from each other."""
    by_key: dict[str, Record] = {}
    for entry in entries:
        by_key.setdefault(entry.key.lower(), entry.record)
    changed = dict(link(entries, by_key.get))
    return tuple(changed.get(position, entry) for position, entry in enumerate(entries))


def _reparse_all(before: BibtexText, text: str) -> BibtexText:
    """Read all of a changed file; records that say the same as before stay the same objects."""
    path = before.bibliography.path
    scan = BibtexScan(text, path).run()
    names = {name for name, _ in scan.macros.items() ^ before.macros.items()}
    changed = re.compile(rf"(?<![\w:.+/-])(?:{'|'.join(map(re.escape, names))})(?![\w:.+/-])", re.I)
    records = {entry.raw: entry.record for entry in before.bibliography.entries}
    for position, entry in enumerate(scan.entries):
        record = records.get(entry.raw)
        if record is not None and not (names and changed.search(entry.raw)):
            scan.entries[position] = evolve(entry, record=record)
    return _scanned(text, path, scan)


@frozen
class _ChangedRange:
    """What an edit can have changed: the entries from number `first` up to `last`.

    They stood from offset `start` to `end`; the text behind them moves by `shift` characters.
    """

    first: int
    last: int
    start: int
    end: int
    shift: int


def _reparse_edit(before: BibtexText, text: str) -> BibtexText | None:
    """Parse an edit; None where it affects more than the records around it."""
    edit = _changed_range(before, text)
    if edit is None:
        return None
    path, entries = before.bibliography.path, before.bibliography.entries
    line = entries[edit.first].line if edit.first else 1
    end = edit.end + edit.shift
    scan = BibtexScan(text, path, edit.start, end, line, before.macros).run()
    if scan.position > end or scan.endless:
        return None
    touched, tail = entries[edit.first : edit.last], entries[edit.last :]
    lines = scan.line - tail[0].line if tail else 0
    flaws = [problem for problem in before.flaws if problem.line < line]
    flaws += scan.problems
    if tail:
        behind = (problem for problem in before.flaws if problem.line >= tail[0].line)
        flaws += [evolve(problem, line=problem.line + lines) for problem in behind]
    records = {entry.raw: entry.record for entry in touched}
    middle = [
        evolve(entry, record=records[entry.raw]) if entry.raw in records else entry
        for entry in scan.entries
    ]
    linked = before.linked or scan.linked
    aliased = before.bibliography.aliased or scan.aliased
    together = (*entries[: edit.first], *middle, *_shifted(tail, edit.shift, lines))
    if linked:
        together = linked_entries(together)
    return _with_duplicates(
        BibtexText(
            text,
            Bibliography(path, together, macros=before.macros, aliased=aliased),
            tuple(flaws),
            before.macros,
            linked=linked,
        )
    )


def _changed_range(before: BibtexText, text: str) -> _ChangedRange | None:
    """Return the entries that an edit can have changed; None where that may be all of them."""
    old, entries = before.text, before.bibliography.entries
    edit = difference(old, text)
    shift = len(text) - len(old)
    starts = [entry.start for entry in entries]
    # A record may end where the next one on a line of its own starts, so a record is certain to be
    # unchanged only if that next one is unchanged, too.
    first = bisect_right(starts, edit.start) - 2
    line_break = "\n" if "\n" in old else "\r"
    while first > 0 and old[starts[first] - 1] != line_break:
        first -= 1
    first = max(first, 0)
    start = starts[first] if first else 0
    last = bisect_left(starts, edit.end + 1)
    while last < len(entries) and old[starts[last] - 1] != line_break:
        last += 1
    end = starts[last] if last < len(entries) else len(old)
    if (
        before.endless
        or (line_break == "\n") != ("\n" in text)  # lines are other ones
        or _STRING.search(old, start, end)
        or _STRING.search(text, start, end + shift)
    ):
        return None
    return _ChangedRange(first, last, start, end, shift)


def _shifted(entries: Sequence[Entry], characters: int, lines: int) -> Sequence[Entry]:
    """Return entries so many characters and lines further on; the same ones where that is none."""
    if not (characters or lines):
        return entries
    return [Entry(entry.record, entry.start + characters, entry.line + lines) for entry in entries]
