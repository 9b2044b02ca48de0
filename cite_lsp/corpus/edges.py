"""The citation graph: which paper cites which, from tab-separated lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import frozen

from cite_lsp.corpus.formats.json_lines import (
    BrokenOff,
    BrokenOffError,
    Report,
    numbered_lines,
    refuse,
)


@frozen
class Edge:
    """One citation: ids of the citing and of the cited paper, and where it was read from."""

    citing: str
    cited: str
    source: str = ""


def cited_by_citing(edges: Iterable[Edge]) -> dict[str, dict[str, None]]:
    """Return the ids that each paper cites, in order and each once, by its own id."""
    cited: dict[str, dict[str, None]] = {}
    for edge in edges:
        cited.setdefault(edge.citing, {})[edge.cited] = None
    return cited


def read_edges(path: Path, report: Report | None = None) -> Iterator[Edge]:
    """Yield the edges of a file of `citing<TAB>cited[<TAB>source]` lines (plain, .gz or .zst).

    A line without two ids is passed to `report` and skipped. What is not UTF-8 is read as
    Windows-1252, and the first such line is reported.

    Raises:
        RecordError: the file cannot be read; without `report`, also the first bad line.
    """
    on_fault = report or refuse
    try:
        for number, line in numbered_lines(path, report):
            parts = [part.strip() for part in line.split("\t")]
            if len(parts) >= 2 and parts[0] and parts[1]:
                yield Edge(parts[0], parts[1], parts[2] if len(parts) > 2 else "")
            elif line.strip():
                on_fault(f"{path}:{number}: an edge is citing<TAB>cited; the line is skipped")
    except BrokenOffError as error:
        on_fault(BrokenOff(error))
