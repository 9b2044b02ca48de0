"""Works by the number they were published under: a DOI or an arXiv number, pasted or typed.

Read from the text of a record as it is written, without parsing it: of 72,000 records in a second.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cite_lsp.library.model import Record

_OLD_ARXIV = r"[a-z]{2,}(?:-[a-z]{2,})?(?:\.[a-z]{2})?/\d{7}"
_TYPED = re.compile(
    r"(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*)?(?P<doi>10\.\d{4,9}/\S+)"
    r"|(?:(?:https?://)?(?:www\.)?arxiv\.org/(?:abs|pdf)/|arxiv:\s*)?"
    rf"(?P<arxiv>\d{{4}}\.\d{{3,5}}|{_OLD_ARXIV})(?:v\d*)?(?:\.pdf)?",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    rf"10\.\d{{4,9}}/[^\s\"{{}}<>]+|(?<![\w.])(?:\d{{4}}\.\d{{4,5}}|{_OLD_ARXIV})(?!\d)",
    re.IGNORECASE,
)
_BETWEEN = "\n"


def typed_number(typed: str) -> str:
    """Return the number that is typed, or the beginning of one, as `numbers_of` has it; or "".

    A DOI is one from its slash on, an arXiv number from seven digits on; either may stand in an
    address or behind its name.
    """
    found = _TYPED.fullmatch(typed.strip())
    if found is None:
        return ""
    if found["doi"]:
        return _BETWEEN + found["doi"].lower()
    return found["arxiv"].lower()


def numbers_of(record: Record) -> str:
    """Return the DOIs and arXiv numbers of a record in lower case, a line each, or ""."""
    raw = record.raw if record.source in ("bibtex", "bibitem") else ""
    text = raw or "\n".join(record.fields.values())
    found = dict.fromkeys(_WRITTEN.findall(text.replace("\\", "")))
    return _BETWEEN + _BETWEEN.join(found).lower() if found else ""
