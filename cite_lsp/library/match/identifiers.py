"""Find works by identifier: a DOI, an arXiv number or a page, pasted or typed.

The identifier is searched in the source text of records, without parsing them. A part of it that is
written alike everywhere rules out nearly all records, so no index is needed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.metadata import plain_address
from cite_lsp.web_address import WebAddress, web_address

if TYPE_CHECKING:
    from cite_lsp.library.entries import Record

_TYPED = lazy_re(
    r"(?:doi:?\s*)?(?:https?://\S*?[/=]|(?:dx\.|www\.)?doi\.org/)?"
    r"(?P<doi>(?P<agency>10\.\d{4,9})/\S+)"
    r"|(?:https?://\S+/|(?:www\.)?arxiv\.org/\w+/|(?:arxiv preprint )?arxiv[:.]?\s*)?"
    r"(?P<arxiv>\d{4}\.\d{3,5}|[a-z]{2,}(?:-[a-z]{2,})?(?:\.[a-z]{2})?/(?P<old>\d{7}))"
    r"(?:v\d*)?(?:\.pdf)?(?:\s*\[[\w.-]*\]?|[?#]\S*)?",
    re.IGNORECASE,
)
_AROUND = " \t\r\n.,;:()[]<>\"'"
"""What stands around a number in a sentence; of one that ends so, all the rest is its beginning."""
_LONGEST = 2048
"""Characters of an address at most: to look for a number in longer words takes long."""
_ARXIV_DOI = lazy_re(
    r"(?:doi:?\s*)?\S*?\b10\.48550/(?=arxiv\.(?:\d{4}\.\d{3}|[a-z]))", re.IGNORECASE
)
"""What of a DOI of arXiv stands before the number, by which most records name the preprint."""
_PAGE = lazy_re(
    r"(?:[?#].*|/(?:full|abstract|e?pdf|html|meta)?|\.pdf|(?<=\d{6})v\d++[\w.+-]*+)+\Z",
    re.IGNORECASE,
)
"""What publishers put behind the DOI in an address of theirs; bioRxiv has the version there."""
_BRACES = lazy_re(r"[\\{}$]")
"""What LaTeX has between the letters of a DOI: `978-3-319-24574-4{\\_}28`."""
_ARXIV_DIGITS = 4, 5
_DOI = lazy_re(
    r"(?:doi:/*|https?://(?:dx\.|www\.)?doi\.org/)?(?P<doi>10\.\d{4,9}/\S+)", re.IGNORECASE
)


@frozen
class Number:
    """A number that is typed, or the beginning of one, or a page.

    `sign` is the part of it that stands in every record that has it; `doi`, `arxiv` or `page` is
    all that is typed of it, the others are "" and None.
    """

    sign: str
    pattern: re.Pattern[str]
    doi: str = ""
    arxiv: str = ""
    page: WebAddress | None = None


def typed_number(typed: str) -> Number | None:
    """Return the number that is typed, or the beginning of one; None where none is.

    A DOI is one from its slash on, an arXiv number from seven digits on; either may stand in an
    address or behind its name. Any other address is that of a page (`web_address`).
    """
    number_text = typed.strip(_AROUND)
    if len(number_text) > _LONGEST:
        return None
    if "//" in number_text:
        number_text = unquote(number_text)
    number_match = _TYPED.fullmatch(_ARXIV_DOI.sub("", number_text))
    if number_match is None:
        page = web_address(number_text)
        return Number(page.sign, page.pattern, page=page) if page else None
    if number_match["doi"]:
        doi = _PAGE.sub("", number_match["doi"]) if "//" in number_text else number_match["doi"]
        pattern = re.compile(rf"(?<!\d){re.escape(doi)}", re.IGNORECASE)
        closing = ")" * (doi.count("(") - doi.count(")"))
        return Number(number_match["agency"], pattern, doi=doi + closing)
    number = number_match["arxiv"]
    if number_match["old"]:
        pattern_text = rf"(?<![\w-]){re.escape(number)}(?!\d)"
    else:
        least, most = (max(digits - len(number) + 5, 0) for digits in _ARXIV_DIGITS)
        pattern_text = rf"(?<!\d)(?<!\d\.){re.escape(number)}\d{{{least},{most}}}(?!\d)"
    return Number(
        number_match["old"] or number, re.compile(pattern_text, re.IGNORECASE), arxiv=number
    )


def has_number(record: Record, number: Number) -> bool:
    """Whether a record holds a number, or one that begins with it, in any field."""
    raw_text = record.raw if record.source in ("bibtex", "bibitem") else ""
    if number.sign not in (raw_text or record.data or record.raw):
        return False
    raw_text = raw_text or "\n".join((*record.fields.values(), record.data or record.raw))
    return number.pattern.search(_BRACES.sub("", plain_address(raw_text))) is not None


def doi_of_key(key: str) -> str:
    """Return the DOI that a key is, in lower case, "" where it is none."""
    match = _DOI.fullmatch(key)
    return match["doi"].lower() if match else ""
