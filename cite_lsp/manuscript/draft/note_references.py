"""Where footnotes are referred to whose text stands apart: `[^1]` of Markdown, `[fn:1]` of Org."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Note
from cite_lsp.manuscript.model import Marker

_REFERENCES = {
    "markdown": lazy_re(r"\[\^[^\]\s]+\](?!:)"),
    "org": lazy_re(r"(?<!^)\[fn:[^\]\s:]+\]", re.MULTILINE),
}
_LABEL = lazy_re(r"\[(?:\^|fn:)[^\]\s]+\]")


def references_to_notes(
    text: str, format: str, notes: Sequence[Note], cited_in: Callable[[int, int], Sequence[Marker]]
) -> Iterator[tuple[int, Sequence[Marker]]]:
    """Yield where footnotes that cite are referred to, in order, with the markers in them.

    `cited_in` are the markers in a range. Of footnotes that stand where they are set there is
    nothing to yield.
    """
    references = _REFERENCES.get(format)
    if references is None:
        return
    cited = {
        label.group(): markers
        for note in notes
        if (label := _LABEL.match(text, note.start))
        and (markers := cited_in(note.body, note.close))
    }
    if not cited:
        return
    for reference in references.finditer(text):
        if reference.group() in cited:
            yield reference.start(), cited[reference.group()]
