"""Citation contexts from full texts: what was written around a marker, and what it cited.

One JSON object a line. English rows name their document `citing_id`, Chinese ones `doc_id`; both
have `context_id`, `left`, `right`, `cited` and, where known, `section_cited` and
`section_cited_before`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from cite_lsp.corpus.formats.json_lines import Report, read_rows
from cite_lsp.corpus.formats.json_values import ids_in
from cite_lsp.corpus.formats.papers import year_of
from cite_lsp.language import detect_language
from cite_lsp.manuscript.model import Context, Mention


@frozen
class LabelledContext:
    """A context and the papers that its author cited there.

    `cited` are the ids at the marker, `cited_abs` those with an abstract; `year` is that of the
    citing document (None if unknown), `related`: whether it is a related-work section.
    """

    context_id: str
    citing_id: str
    context: Context
    cited: tuple[str, ...]
    cited_abs: tuple[str, ...]
    year: int | None = None
    related: bool = False
    source: str = ""


def read_contexts(path: Path, report: Report | None = None) -> Iterator[LabelledContext]:
    """Yield the contexts of a JSON Lines file (plain, .gz or .zst), in file order.

    A row without `context_id` is passed to `report` and skipped.

    Raises:
        RecordError: the file cannot be read; without `report`, also the first bad row.
    """
    needed = "a context needs `context_id`; the row is skipped"
    return read_rows(path, report, _context_of, needed)


def _context_of(record: dict[str, Any]) -> LabelledContext | None:
    return None if record.get("context_id") in (None, "") else context_from_record(record)


def context_from_record(record: dict[str, Any]) -> LabelledContext:
    """Read one row; what it lacks is left empty."""
    left, right = _text(record, "left"), _text(record, "right")
    sentence = _text(record, "sentence")
    context = Context(
        left=left,
        right=right,
        sentence=sentence,
        section_title=_text(record, "section_title") or _text(record, "chapter_title"),
        section_cited=_ids(record, "section_cited"),
        section_cited_before=_ids(record, "section_cited_before"),
        title=_text(record, "citing_title"),
        abstract=_text(record, "abstract_zh"),
        language=detect_language(left + sentence + right),
        year=year_of(record.get("year")),
    )
    return LabelledContext(
        context_id=str(record["context_id"]),
        citing_id=str(record.get("citing_id") or record.get("doc_id") or record["context_id"]),
        context=context,
        cited=_ids(record, "cited"),
        cited_abs=_ids(record, "cited_abs"),
        year=context.year,
        related=bool(record.get("related")),
        source=_text(record, "source"),
    )


def documents(rows: Sequence[LabelledContext]) -> list[list[LabelledContext]]:
    """Group rows by citing document and let every context know the other markers of its document.

    Rows of a document must stand together and in the order of its text, as in the data.
    """
    result = []
    for _, group in groupby(rows, key=lambda row: row.citing_id):
        document = list(group)
        sections = _section_ids(document)
        mentions = tuple(
            Mention(row.cited, row.context.left, row.context.right, order, section)
            for order, (row, section) in enumerate(zip(document, sections, strict=True))
        )
        result.append(
            [
                evolve(
                    row,
                    context=evolve(
                        row.context,
                        mentions=mentions[:order] + mentions[order + 1 :],
                        order=order,
                        section=sections[order],
                    ),
                )
                for order, row in enumerate(document)
            ]
        )
    return result


def _section_ids(document: Sequence[LabelledContext]) -> list[str]:
    """Number the runs of equal section titles: two sections may share a title."""
    runs = groupby(document, key=lambda row: row.context.section_title)
    return [f"{number} {title}" for number, (title, run) in enumerate(runs) for _ in run]


def _text(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _ids(record: dict[str, Any], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids_in(record, name)))
