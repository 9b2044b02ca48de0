"""Whole lists of references: a citing paper, and everything that it cites.

One JSON object a line: `citing_id`, `year`, `refs` (the ids cited), and, where the papers do not
have them, `title` and `abstract` of the citing paper. This is what Kieu et al. ("Learning neural
textual representations for citation recommendation", ICPR 2020) call a query and its references.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.formats.json_lines import Report, read_rows
from cite_lsp.corpus.formats.json_values import one_line
from cite_lsp.corpus.formats.papers import year_of
from cite_lsp.language import detect_language
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper


@frozen
class ReferenceList:
    """What a paper cites: `list_id` names the list, `year` is None where it is not known.

    `title` and `abstract` are those that the list gives of its paper, "" where it gives none.
    """

    list_id: str
    citing_id: str
    cited: tuple[str, ...]
    year: int | None = None
    title: str = ""
    abstract: str = ""


def read_reference_lists(path: Path, report: Report | None = None) -> Iterator[ReferenceList]:
    """Yield the lists of a JSON Lines file (plain, .gz or .zst), in file order.

    A row without `citing_id` or `refs` is passed to `report` and skipped.

    Raises:
        RecordError: the file cannot be read; without `report`, also the first bad row.
    """
    needed = "a list needs `citing_id` and `refs`; the row is skipped"
    return read_rows(path, report, _list_of, needed)


def as_context(references: ReferenceList, paper: Paper | None) -> LabelledContext:
    """Return a list as what a context is: its paper's title, then its abstract, and what it cites.

    `paper` is the citing one where the pool has it; what the list has of it goes before.
    """
    title = references.title or (paper.title if paper else "")
    abstract = references.abstract or (paper.abstract if paper else "")
    year = references.year or (paper.year if paper else None)
    context = Context(
        left=f"{title}." if title else "",
        right=abstract,
        title=title,
        abstract=abstract,
        language=detect_language(f"{title} {abstract}"),
        year=year,
    )
    return LabelledContext(
        context_id=references.list_id,
        citing_id=references.citing_id,
        context=context,
        cited=references.cited,
        cited_abs=references.cited,
        year=year,
    )


def _list_of(record: dict[str, Any]) -> ReferenceList | None:
    citing = record.get("citing_id") or record.get("context_id")
    cited = record.get("refs", record.get("cited"))
    if citing in (None, "") or not isinstance(cited, list):
        return None
    return ReferenceList(
        list_id=str(record.get("context_id") or citing),
        citing_id=str(citing),
        cited=tuple(dict.fromkeys(str(name) for name in cited if name not in (None, ""))),
        year=year_of(record.get("year")),
        title=one_line(record.get("title")) or one_line(record.get("citing_title")),
        abstract=one_line(record.get("abstract")) or one_line(record.get("citing_abstract")),
    )
