r"""Whether a draft's keys are found whatever their case.

Classic BibTeX alone folds it: `\cite{Smith2001}` finds the entry `smith2001` there. To biber,
which biblatex runs unless it is told otherwise, to pandoc, Typst and Org these are two keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.text.comments import matches_in_code
from cite_lsp.storage.caches import ByObject

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


_Signs = tuple[bool, bool]
"""Whether a text loads biblatex, and whether it asks for BibTeX."""
_signs_in_files: ByObject[Manuscript, _Signs] = ByObject()


def folds_case(format: str, files: Iterable[Manuscript], packages: Iterable[str] = ()) -> bool:
    """Whether BibTeX finds the entries of a draft; `packages` are texts of its own ones."""
    signs = [_signs_in(file) for file in files if file.format == format]
    signs.extend(_signs(format, text) for text in packages)
    if format == "latex" and not any(biblatex for biblatex, _ in signs):
        return True
    return any(asks for _, asks in signs)


def _signs_in(file: Manuscript) -> _Signs:
    return _signs_in_files.setdefault(file, lambda: _signs(file.format, file.text))


def _signs(format: str, text: str) -> _Signs:
    if format == "latex":
        return matches_in_code(text, _BIBLATEX), matches_in_code(text, _OLD_BACKEND)
    pattern = _BY_BIBTEX.get(format)
    texts = [text]
    if format == "org":  # a line says it, and few are worth the pattern, which is slow to fail
        texts = [line for line in text.split("\n") if "bib" in line.lower()]
    return False, pattern is not None and any(map(pattern.search, texts))
