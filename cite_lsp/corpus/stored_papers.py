"""Papers as lines of JSON in a file, written in one pass and read again by their numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import overload

import numpy as np
from attrs import fields
from numpy.typing import NDArray

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.people import OTHERS, with_others
from cite_lsp.paper import Paper, doi_fields
from cite_lsp.storage.mapped_files import map_file

Starts = NDArray[np.int64]
"""Where the line of each paper starts, and the end of the last, in bytes, shape (n + 1,)."""

_DEFAULTS = {attribute.name: attribute.default for attribute in fields(Paper)}
_NAMES = tuple(_DEFAULTS)
_TITLE = lazy_re(rb'\{"id": "(?:[^"\\]|\\.)*", "title": ("(?:[^"\\]|\\.)*")')
"""The title of a line, read without the abstract behind it."""


def paper_line(paper: Paper) -> bytes:
    """Return the line of a paper; fields that say nothing are left out.

    That it has more authors is marked by the last one, as in BibTeX: every version reads a list.
    There is one DOI, as it is written.
    """
    record = {name: value for name in _NAMES if (value := getattr(paper, name)) != _DEFAULTS[name]}
    if record.pop("more_authors", False):
        record["authors"] = with_others(paper)
    if written_doi := record.pop("written_doi", ""):
        record["doi"] = written_doi
    return (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def paper_of(line: bytes) -> Paper:
    """Return the paper of a line.

    Raises:
        ValueError: it is no such line.
    """
    try:
        record = json.loads(line)
        authors = tuple(record.get("authors", ()))
        doi = record.get("doi", "")
        if doi != doi.casefold():
            record |= doi_fields(doi)
        if authors[-1:] == (OTHERS,):
            return Paper(**(record | {"authors": authors[:-1], "more_authors": True}))
        return Paper(**(record | {"authors": authors}))
    except (AttributeError, TypeError, RecursionError) as error:
        raise ValueError(f"no paper: {error}") from error


def write_papers(path: Path, papers: Iterable[Paper]) -> Iterator[tuple[int, Paper]]:
    """Write papers to a file and yield (end of the line in bytes, paper) as they go by.

    Raises:
        OSError: they cannot be written.
    """
    end = 0
    with path.open("wb") as file:
        for paper in papers:
            end += file.write(paper_line(paper))
            yield end, paper


class StoredPapers(Sequence[Paper]):
    """The papers of a memory-mapped file; each is parsed when it is accessed."""

    def __init__(self, path: Path, starts: Starts) -> None:
        """Open the file.

        Raises:
            OSError, ValueError: it is missing, empty, or not as long as by `starts`.
        """
        self._lines = map_file(path, np.dtype(np.uint8))
        self._starts = starts.view(np.ndarray)
        if not len(starts) or int(starts[-1]) != len(self._lines):
            raise ValueError(f"{path.name} is cut off")

    @property
    def size(self) -> int:
        """The bytes of all lines."""
        return int(self._starts[-1])

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, row: int) -> Paper: ...
    @overload
    def __getitem__(self, row: slice) -> list[Paper]: ...
    def __getitem__(self, row: int | slice) -> Paper | list[Paper]:
        if isinstance(row, slice):
            return [self[index] for index in range(*row.indices(len(self)))]
        return paper_of(self.line(row))

    def line(self, row: int) -> bytes:
        """Return the line of a paper."""
        line: bytes = self._lines[self._starts[row] : self._starts[row + 1]].tobytes()
        return line

    def title(self, row: int) -> str:
        """Return the title of a paper, without reading the rest of it."""
        line = self.line(row)
        match = _TITLE.match(line)
        title: str = json.loads(match[1]) if match else paper_of(line).title
        return title

    def in_languages(self, codes: Collection[str]) -> NDArray[np.bool_]:
        """Return for every paper whether it is in one of the languages, shape (n,).

        The lines are searched as they are and not read: in a text the quotes would be escaped.
        """
        names = "|".join(re.escape(json.dumps(code, ensure_ascii=False)) for code in codes)
        matches = re.finditer(f'"language": (?:{names})'.encode(), self._lines.data)
        places = np.fromiter((match.start() for match in matches), dtype=np.int64)
        result = np.zeros(len(self), dtype=np.bool_)
        result[np.searchsorted(self._starts, places, side="right") - 1] = True
        return result

    def __iter__(self) -> Iterator[Paper]:
        return (self[row] for row in range(len(self)))
