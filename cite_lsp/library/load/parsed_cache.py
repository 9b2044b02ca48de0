"""A disk cache of parsed large bibliographies.

The file itself is read in any case; the cache stores where its records stand, and its problems.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cite_lsp.library.bibtex.incremental import BibtexText, linked_entries
from cite_lsp.library.bibtex.reader import BIBTEX
from cite_lsp.library.csl.item import CSL
from cite_lsp.library.entries import Bibliography, Entry, Problem, Record
from cite_lsp.library.formats.bbl import BBL
from cite_lsp.library.formats.bibitem import BIBITEM
from cite_lsp.storage.memory import without_collection
from cite_lsp.storage.npz_cache import drop_arrays, keep_arrays, load_arrays, text_array, texts_of

WORTHWHILE = 500_000
"""Size of a file in bytes from which on its parse is cached."""

_READERS = {"bibtex": BIBTEX, "bibitem": BIBITEM, "bbl": BBL}
"""What reads records by their source; all others are CSL items."""

_KIND = "parse-10"
"""The kind of cache file; a new name invalidates all old files."""


def content_digest(data: bytes, suffix: str) -> str:
    """Return the name under which the parse of a file is cached: a digest of its content."""
    return hashlib.blake2b(data, digest_size=20, person=suffix.encode()[:16]).hexdigest()


def load_parse(text: str, path: Path, digest: str) -> BibtexText | None:
    """Return the cached parse of a bibliography, None if there is none."""
    arrays = load_arrays(_KIND, digest)
    if arrays is None:
        return None
    try:
        return _bibliography_of(text, path, arrays)
    except (ValueError, KeyError, TypeError, IndexError):
        drop_arrays(_KIND, digest)
        return None


def keep_parse(read: BibtexText, digest: str) -> None:
    """Store the parse of a bibliography, in BibTeX or another format."""
    about = {
        "macros": dict(read.macros),
        "flaws": _rows(read.flaws),
        "problems": _rows(read.bibliography.problems),
        "endless": read.endless,
        "linked": read.linked,
        "aliased": read.bibliography.aliased,
        "characters": len(read.text),
        "entries": list(zip(*map(_row, read.bibliography.entries), strict=True)),
    }
    keep_arrays(_KIND, digest, {"parse": text_array([json.dumps(about)])})


def _row(entry: Entry) -> tuple[object, ...]:
    record = entry.record
    place = entry.start, len(record.raw), entry.line
    stored = record.key, record.kind, record.key_at, record.key_size, record.source, record.data
    return *place, *stored, record.links or None


def _bibliography_of(text: str, path: Path, arrays: dict[str, Any]) -> BibtexText:
    """Return the bibliography that cached arrays describe.

    Raises:
        ValueError, KeyError, TypeError, IndexError: the arrays do not belong to the text.
    """
    (parse,) = texts_of(arrays["parse"])
    about = json.loads(parse)
    if about["characters"] != len(text):
        raise ValueError("of another text")
    macros = MappingProxyType(about["macros"])
    entries = []
    columns = zip(*about["entries"], strict=True)
    with without_collection():
        for start, size, line, key, kind, at, length, source, data, links in columns:
            record = Record(
                *(key, kind, path, text[start : start + size], at, length, source, data, macros),
                tuple(map(tuple, links)) if links else (),
                reader=_READERS.get(source, CSL),
            )
            entries.append(Entry(record, start, line))
    together = linked_entries(entries) if about["linked"] else tuple(entries)
    return BibtexText(
        text,
        Bibliography(
            path, together, _problems(path, about["problems"]), macros, bool(about["aliased"])
        ),
        _problems(path, about["flaws"]),
        macros,
        bool(about["endless"]),
        bool(about["linked"]),
    )


def _problems(path: Path, rows: list[list[Any]]) -> tuple[Problem, ...]:
    return tuple(Problem(path, *row) for row in rows)


def _rows(problems: Iterable[Problem]) -> list[list[Any]]:
    return [[problem.line, problem.message, problem.of_case] for problem in problems]
