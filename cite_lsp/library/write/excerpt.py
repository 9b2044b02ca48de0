"""The part of .bib files that some keys need: their entries, and what these are made of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.blocks import FileBlock, blocks_of
from cite_lsp.library.bibtex.relations import keys_of, relations
from cite_lsp.library.bibtex.roles import STYLE_SWITCHES
from cite_lsp.library.bibtex.scanner import OtherRecord
from cite_lsp.library.bibtex.values import assignments
from cite_lsp.library.entries import BARE_WORD, Entry
from cite_lsp.library.load.read import parse_as_named

Range = tuple[int, int]
"""The offsets of a stretch of a text."""

_ENCODING = lazy_re(r"\s*%+[ \t]*Encoding:[^\r\n]*(?:\r\n?|\n)\s*", re.IGNORECASE)
"""By what JabRef writes first it knows in which encoding it wrote a file."""
_OPENING = lazy_re(r"@\s*\w+\s*[{(]")


@frozen
class BibFile:
    """A .bib file: where it is, its text, and the blocks that this consists of."""

    path: Path
    text: str
    blocks: Sequence[FileBlock]

    @classmethod
    def of(cls, path: Path, text: str) -> BibFile:
        """Read the text of a file."""
        return cls(path, text, blocks_of(text, path))


def excerpt(
    files: Sequence[BibFile],
    keys: Collection[str],
    *,
    everything: bool,
    folds_case: bool,
) -> list[list[Range]]:
    r"""Return the ranges of each file that the entries of some keys need, in the order of the file.

    These are the entries themselves, those that they name (`crossref`, `xdata`, `related`, sets,
    what a note cites), the `@string` definitions in use, every `@preamble`, and the switches of
    styles. Each comes with the comments directly above it. Of several entries of one key the first
    is taken, as BibTeX and biber do.

    Args:
        files: The files in the order in which they are read.
        keys: What is cited.
        everything: Whether all entries are, as by `\nocite{*}`.
        folds_case: Whether keys in another case are the same, as for BibTeX.
    """
    entries = _first_of_each_key(block.entry for file in files for block in file.blocks)
    needed_entries = entries if everything else _needed(entries, keys, folds_case)
    wanted_ids = {id(entry) for entry in needed_entries}
    macros = _macros_in_use(files, needed_entries)
    return [
        _with_encoding_line(
            file.text,
            [
                (block.start, block.end)
                for block in file.blocks
                if id(block.entry) in wanted_ids or _is_used(file.text, block.record, macros)
            ],
        )
        for file in files
    ]


def _with_encoding_line(text: str, ranges: list[Range]) -> list[Range]:
    line = _ENCODING.match(text)
    if line is None or not ranges or ranges[0][0] < line.end():
        return ranges
    return [line.span(), *ranges]


def _first_of_each_key(entries: Iterable[Entry | None]) -> list[Entry]:
    first: dict[str, Entry] = {}
    for entry in entries:
        if entry is not None:
            first.setdefault(entry.key, entry)
    return list(first.values())


def _needed(entries: Sequence[Entry], keys: Collection[str], folds_case: bool) -> list[Entry]:
    """Return the entries of some keys, and all those that they name, by whatever way."""

    def name(key: str) -> str:
        return key.lower() if folds_case else key

    by_name: dict[str, list[Entry]] = {}
    for entry in entries:
        for key in keys_of(entry):
            by_name.setdefault(name(key), []).append(entry)
    needed: dict[int, Entry] = {}
    waiting = [*keys, *(entry.key for entry in entries if entry.kind in STYLE_SWITCHES)]
    while waiting:
        for entry in by_name.get(name(waiting.pop()), ()):
            if id(entry) not in needed:
                needed[id(entry)] = entry
                waiting += (relation.key for relation in relations(entry) if relation.used)
    return list(needed.values())


def _macros_in_use(files: Sequence[BibFile], entries: Sequence[Entry]) -> set[str]:
    """Return the words that may be macros in entries and preambles, and in what these stand for."""
    used = {word for entry in entries for word in entry.record.bare_words}
    definitions: list[tuple[set[str], set[str]]] = []
    for file in files:
        for record in _others(file):
            record_text = file.text[record.start : record.end]
            if record.kind == "preamble":
                used |= _words(_OPENING.sub("#", record_text, count=1))
            elif record.kind == "string":
                definitions.append((_defined(record_text), _words(record_text)))
    grown = True
    while grown:
        before = len(used)
        for names, words in definitions:
            if not used.isdisjoint(names):
                used |= words
        grown = len(used) > before
    return used


def _is_used(text: str, record: Entry | OtherRecord | None, macros: Collection[str]) -> bool:
    """Whether a record is a preamble, or defines one of some macros."""
    if not isinstance(record, OtherRecord):
        return False
    if record.kind == "string":
        return not _defined(text[record.start : record.end]).isdisjoint(macros)
    return record.kind == "preamble"


def _others(file: BibFile) -> Iterator[OtherRecord]:
    for block in file.blocks:
        if isinstance(block.record, OtherRecord):
            yield block.record


def _defined(record_text: str) -> set[str]:
    """Return the names of the macros that an `@string` defines, in lower case."""
    opening = _OPENING.match(record_text)
    return {name for name, _ in assignments(record_text, opening.end() if opening else 0, {})}


def _words(record_text: str) -> set[str]:
    return {word.lower() for word in BARE_WORD.findall(record_text)}


def item_excerpt(text: str, path: Path, keys: Collection[str]) -> list[tuple[int, int]]:
    """Return the ranges of a file that hold the items of some keys, in order.

    What stands before the first item and behind the last stays, and what parts two items.

    Raises:
        ValueError: the items do not stand one behind the other, so that taking some apart would
            not give a file of this format.
    """
    entries = parse_as_named(text, path).entries
    cited_entries = [entry for entry in entries if entry.key in keys]
    if not cited_entries:
        return []
    ranges = [(0, entries[0].start)]
    previous_end = {entry.start: before.end for before, entry in pairwise(entries)}
    for number, entry in enumerate(cited_entries):
        start = previous_end[entry.start] if number else entry.start
        ranges.append((start, entry.end))
    ranges.append((entries[-1].end, len(text)))
    apart = all(first.end <= second.start for first, second in pairwise(entries))
    part = "".join(text[start:end] for start, end in ranges)
    again = parse_as_named(part, path)
    if not apart or [(entry.key, entry.fields) for entry in again.entries] != [
        (entry.key, entry.fields) for entry in cited_entries
    ]:
        raise ValueError("its items do not stand one behind the other")
    return ranges
