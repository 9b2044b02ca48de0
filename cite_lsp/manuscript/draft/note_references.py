"""Where footnotes are referred to whose text stands apart: `[^1]` of Markdown, `[fn:1]` of Org."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Note

_REFERENCES = {
    "markdown": lazy_re(r"\[\^[^\]\s]+\](?!:)"),
    "org": lazy_re(r"(?<!^)\[fn:[^\]\s:]+\]", re.MULTILINE),
}
_LABEL = lazy_re(r"\[(?:\^|fn:)[^\]\s]+\]")


def label_of(text: str, note: Note) -> str:
    """Return the label by which a footnote that stands apart is referred to, "" for others."""
    label = _LABEL.match(text, note.start)
    return label.group() if label else ""


def references_to(text: str, format: str, labels: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield where footnotes that stand apart are referred to, and their labels, in order."""
    references = _REFERENCES.get(format) if labels else None
    for reference in references.finditer(text) if references else ():
        if reference.group() in labels:
            yield reference.start(), reference.group()
