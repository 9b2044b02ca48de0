r"""Whether a draft's keys are found whatever their case.

Classic BibTeX alone folds it: `\cite{Smith2001}` finds the entry `smith2001` there. To biber,
which biblatex runs unless it is told otherwise, to pandoc, Typst and Org these are two keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.lazy_re import lazy_re

_COMMENT = lazy_re(r"(?<!\\)(?:\\\\)*%")
_BIBLATEX = lazy_re(
    r"\\(?:addbibresource|printbibliography|ExecuteBibliographyOptions"
    r"|(?:usepackage|RequirePackage)\s*+(?:\[[^\]]{0,2000}\])?\s*+\{[^{}]*\bbiblatex\b)"
)
_OLD_BACKEND = lazy_re(r"backend\s*+=\s*+\{?\s*+bibtex8?\b")
_BY_BIBTEX = {
    # Documents of these formats that are made by way of LaTeX and BibTeX.
    "markdown": lazy_re(r"^[^\S\n]*(?:citation_package|cite-method)\s*:\s*[\"']?natbib", re.M),
    "org": lazy_re(
        r"^[ \t]*#\+cite_export:[ \t]*(?:natbib|bibtex)|^[ \t]*\\bibliography\{"
        r"|\[?\[?\bbibliography:(?=\S)(?<!#\+bibliography:)",
        re.M | re.I,
    ),
}


def folds_case(format: str, texts: Iterable[str]) -> bool:
    """Whether BibTeX finds the entries of a draft; `texts` are those of its files and packages."""
    if format == "latex":
        texts = list(texts)
        if not any(_holds(text, _BIBLATEX) for text in texts):
            return True
        return any(_holds(text, _OLD_BACKEND) for text in texts)
    pattern = _BY_BIBTEX.get(format)
    return pattern is not None and any(pattern.search(text) for text in texts)


def _holds(text: str, command: re.Pattern[str]) -> bool:
    """Whether a text holds a command that is not commented out."""
    return any(
        _COMMENT.search(text, text.rfind("\n", 0, match.start()) + 1, match.start()) is None
        for match in command.finditer(text)
    )
