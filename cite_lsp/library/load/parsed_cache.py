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
from cite_lsp.storage.npz_cache import drop_arrays, keep_arrays, load_arrays, text_array, texts_of

WORTHWHILE = 500_000
"""Size of a file in bytes from which on its parse is cached."""

_READERS = {"bibtex": BIBTEX, "bibitem": BIBITEM, "bbl": BBL}
"""What reads records by their source; all others are CSL items."""

_KIND = "parse-6"
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
    # Imported where needed: a small bibliography is read without it.
    import numpy as np

    entries = read.bibliography.entries
    records = [entry.record for entry in entries]
    about = {
        "macros": dict(read.macros),
        "flaws": _rows(read.flaws),
        "problems": _rows(read.bibliography.problems),
        "endless": read.endless,
        "linked": read.linked,
        "links": {place: record.links for place, record in enumerate(records) if record.links},
        "characters": len(read.text),
    }
    if any("\0" in record.key or "\0" in record.kind for record in records):
        return
    numbers = [
        (entry.start, len(record.raw), record.key_at, record.key_size, entry.line)
        for entry, record in zip(entries, records, strict=True)
    ]
    arrays = {
        "numbers": np.array(numbers, dtype=np.int64).reshape(-1, 5),
        "keys": text_array(record.key for record in records),
        "kinds": text_array(f"{record.kind}\n{record.source}" for record in records),
        "about": text_array([json.dumps(about)]),
    }
    if any(record.data for record in records):
        arrays["data"] = text_array(record.data for record in records)
    keep_arrays(_KIND, digest, arrays)


def _bibliography_of(text: str, path: Path, arrays: dict[str, Any]) -> BibtexText:
    """Return the bibliography that cached arrays describe.

    Raises:
        ValueError, KeyError, TypeError, IndexError: the arrays do not belong to the text.
    """
    about = json.loads(texts_of(arrays["about"])[0])
    numbers = arrays["numbers"].tolist()
    if about["characters"] != len(text):
        raise ValueError("of another text")
    macros = MappingProxyType(about["macros"])
    links = {
        int(place): tuple((field, key) for field, key in pairs)
        for place, pairs in about["links"].items()
    }
    keys, kinds = texts_of(arrays["keys"]), texts_of(arrays["kinds"])
    data = texts_of(arrays["data"]) if "data" in arrays else [""] * len(numbers)
    named: dict[str, Any] = {kind: kind.split("\n") for kind in set(kinds)}
    entries = []
    if numbers:
        for place, ((start, size, at, length, line), key, kind, record_data) in enumerate(
            zip(numbers, keys, kinds, data, strict=True)
        ):
            raw = text[start : start + size]
            name, source = named[kind]
            record = Record(
                *(
                    key,
                    name,
                    path,
                    raw,
                    at,
                    length,
                    source,
                    record_data,
                    macros,
                    links.get(place, ()),
                ),
                reader=_READERS.get(source, CSL),
            )
            entries.append(Entry(record, start, line))
    together = linked_entries(entries) if about["linked"] else tuple(entries)
    return BibtexText(
        text,
        Bibliography(path, together, _problems(path, about["problems"]), macros),
        _problems(path, about["flaws"]),
        macros,
        bool(about["endless"]),
        bool(about["linked"]),
    )


def _problems(path: Path, rows: list[list[Any]]) -> tuple[Problem, ...]:
    return tuple(Problem(path, *row) for row in rows)


def _rows(problems: Iterable[Problem]) -> list[list[Any]]:
    return [[problem.line, problem.message, problem.of_case] for problem in problems]
