"""Lay out a .bib file: the fields of each entry in order, their equals signs one below the other.

Only blanks between fields, the order of these, and the case of their names change. Values,
comments, macros and whatever else stands in the file stay to the byte, and so does each record that
is not read in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.blocks import FileBlock, blocks_of
from cite_lsp.library.bibtex.syntax import faults_in
from cite_lsp.library.bibtex.values import Field, fields_of
from cite_lsp.library.entries import Entry
from cite_lsp.manuscript.text.text_edit import TextEdit, apply_edits

INDENT = "  "
_FIRST = tuple(
    """ids crossref xref xdata entryset author editor editora editorb translator title subtitle
    titleaddon maintitle booktitle booksubtitle booktitleaddon journal journaltitle journalsubtitle
    issuetitle eventtitle eventdate venue series edition volume volumes number issue part chapter
    pages eid pagetotal year date month day origdate publisher organization institution school
    address location type howpublished isbn issn doi eprint archiveprefix eprinttype primaryclass
    eprintclass url urldate note addendum pubstate language langid""".split()
)
_LAST = ("keywords", "abstract", "annote", "annotation", "file")
_PLACES = {name: place for place, name in enumerate(_FIRST)}
_PLACES |= {name: len(_FIRST) + 1 + place for place, name in enumerate(_LAST)}
"""Where fields stand in a record; others stand between the two groups as they are."""
_MOST_GENERATIONS = 30
"""The most generations of `crossref`; a longer chain is a circle."""
_HEAD = lazy_re(r"@\s*([^\W\d_][\w-]*)\s*([{(])\s*")
_BEFORE_FIELD = lazy_re(r"\s*,\s*")
_EQUALS = lazy_re(r"\s*=\s*")
_END = lazy_re(r"\s*,?\s*[})]")


def layout_edits(
    text: str, path: Path, indent: str = INDENT, start: int = 0, end: int | None = None
) -> Iterator[TextEdit]:
    """Yield what lays out the entries that a range of a file touches, in order.

    Args:
        text: The file, line breaks as they are.
        path: Only noted down.
        indent: What stands before a field, beside what stands before its entry.
        start: Where the range begins.
        end: Where it ends; None for the end of the file.
    """
    end = len(text) if end is None else end
    for block in blocks_of(text, path):
        entry = block.entry
        if entry is not None and entry.start <= end and start <= entry.end:
            record = _laid_out(entry, _margin(text, block.start, entry), indent)
            if record is not None and record != entry.raw:
                yield TextEdit(entry.start, entry.end, record)


def laid_out(text: str, path: Path, indent: str = INDENT) -> str:
    """Return a file with its entries laid out."""
    return apply_edits(text, layout_edits(text, path, indent))


def in_order_of_keys(text: str, path: Path) -> str:
    """Return a file with its entries in the order of their keys.

    Comments directly above an entry move with it. Entries stay between the macros and comments that
    they stand between, and behind those that take from them by `crossref`, as BibTeX wants it.
    """
    blocks = blocks_of(text, path)
    generations = _generations(block.entry for block in blocks if block.entry is not None)

    def place(block: FileBlock) -> tuple[int, str]:
        entry = block.entry
        return (generations[entry.key.lower()], entry.key.lower()) if entry is not None else (0, "")

    parts: list[str] = []
    for is_entry, stretch in groupby(blocks, key=_is_closed_entry):
        several = list(stretch)
        texts = [text[block.start : block.end] for block in several]
        # Behind an entry a comment may reach to the end of the line, whatever would come there.
        broken = texts[:-1] if several[-1].end == len(text) else texts
        if is_entry and all(part.endswith(("\n", "\r")) for part in broken):
            parts += _sorted(several, texts, place)
        else:
            parts += texts
    return "".join(parts)


def _is_closed_entry(block: FileBlock) -> bool:
    """Whether a block is of an entry that is closed; one that is not stays where it is."""
    return block.entry is not None and block.entry.raw.endswith(("}", ")"))


def _sorted(
    blocks: Sequence[FileBlock],
    texts: Sequence[str],
    place: Callable[[FileBlock], tuple[int, str]],
) -> Iterator[str]:
    """Yield the texts of blocks in their order, with the blank lines where they were."""
    bodies = [part.rstrip("\r\n") for part in texts]
    gaps = [part[len(body) :] for part, body in zip(texts, bodies, strict=True)]
    order = sorted(range(len(blocks)), key=lambda number: place(blocks[number]))
    for number, gap in zip(order, gaps, strict=True):
        yield bodies[number] + gap


def _generations(entries: Iterable[Entry]) -> dict[str, int]:
    """Return how many entries take from each one another, by lower-case key: 0 for a last child."""
    parents: dict[str, list[str]] = {}
    for entry in entries:
        named = [key for name, key in entry.record.links if name == "crossref"]
        parents.setdefault(entry.key.lower(), named)
    generations = dict.fromkeys(parents, 0)
    for _ in range(_MOST_GENERATIONS):
        deeper = {
            parent: generations[key] + 1
            for key, named in parents.items()
            for parent in named
            if parent in generations and generations[parent] <= generations[key]
        }
        if not deeper:
            break
        generations.update(deeper)
    return generations


def _margin(text: str, start: int, entry: Entry) -> str:
    """Return the blanks before an entry on its line; its block begins at `start`."""
    line_break = max(text.rfind(mark, start, entry.start) for mark in "\r\n")
    before = text[max(line_break + 1, start) : entry.start]
    return "" if before.strip() else before


def _laid_out(entry: Entry, margin: str, indent: str) -> str | None:
    """Return the record of an entry laid out; None where it holds what has no place in that."""
    raw, key_end = entry.raw, entry.record.key_at + len(entry.key)
    head = _HEAD.match(raw)
    fields = list(fields_of(raw, key_end, {}))
    if head is None or head.end() != entry.record.key_at or not fields:
        return None
    gaps = [(key_end, fields[0].start), *((a.end, b.start) for a, b in pairwise(fields))]
    regular = (
        all(_BEFORE_FIELD.fullmatch(raw, start, end) for start, end in gaps)
        and all(_has_equals(raw, field) for field in fields)
        and _END.fullmatch(raw, fields[-1].end)
        and not faults_in(raw, key_end, entry.key)
    )
    if not regular:
        return None
    line_break = "\r\n" if "\r\n" in raw else "\n" if "\n" in raw or "\r" not in raw else "\r"
    width = max(len(field.name) for field in fields)
    lines = [f"@{_lower(head[1])}{head[2]}{entry.key},"]
    for field in sorted(fields, key=lambda field: _PLACES.get(field.name, len(_FIRST))):
        name = _lower(raw[field.start : field.start + len(field.name)])
        lines.append(f"{margin}{indent}{name.ljust(width)} = {raw[field.value_at : field.end]},")
    return line_break.join((*lines, f"{margin}{raw[-1]}"))


def _has_equals(raw: str, field: Field) -> bool:
    behind_name = field.start + len(field.name)
    return _EQUALS.fullmatch(raw, behind_name, field.value_at) is not None


def _lower(name: str) -> str:
    """Return a name in lower case, which no program tells from others, if it is in ASCII."""
    return name.lower() if name.isascii() else name
