"""Keys that are DOIs: MyST cites a work by `@doi:10.1234/x`, whether or not a .bib has it."""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re

_DOI = lazy_re(
    r"(?:doi:/*|https?://(?:dx\.|www\.)?doi\.org/)?(?P<doi>10\.\d{4,9}/\S+)", re.IGNORECASE
)


def doi_of_key(key: str) -> str:
    """Return the DOI that a key is, in lower case, "" where it is none."""
    match = _DOI.fullmatch(key)
    return match["doi"].lower() if match else ""
