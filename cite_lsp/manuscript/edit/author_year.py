"""Whether the citations of a draft print names and years, and not numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.latex.commands.packages import loaded_files
from cite_lsp.manuscript.text.comments import without_comments

_SETTING = r"\\(?:usepackage|PassOptionsToPackage|documentclass|setcitestyle|biboptions"
_NUMBERED = lazy_re(rf"{_SETTING})[^\n]*[\[{{, ](?:numbers|super)\b")
_BY_OPTION = lazy_re(
    rf"{_SETTING}|citestyle)[^\n]*\b(?:acm)?author(?:year|date)"
    r"|\b(?:cite)?style\s*=\s*\{?(?:(?:ext-)?authoryear|chicago-authordate|(?:apa6?|bath)\b)"
)
_BY_STYLE = lazy_re(
    r"\\bibliographystyle\s*\{\s*(?:(?:plain|abbrv|unsrt|human)nat|apa(?:like2?|cite)?|agsm"
    r"|dcu|kluwer|chicagoa?|acl(?:_natbib)?|aer|aea|ecta|elsarticle-harv|model[25]-names|mnras|jfm"
    r"|aa|aasjournal(?:v7)?|agu\w*|ametsoc\w*|copernicus|icml\d+|iclr\d+\w*|spbasic|authordate\d"
    r"|informs\w*|apsr|ajs|asr)\s*\}"
)
_IN_NOTES = lazy_re(r"^[ \t]*csl:[^\n#]*(?:note|oscola)", re.MULTILINE | re.IGNORECASE)
_BY_PACKAGE = lazy_re(r"(?:acl|naacl|eacl|emnlp|coling|icml|iclr|colm)(?:[\d_-][\w-]*)?\.sty")
"""Packages of conferences that print names and years, whatever else the draft says."""


def prints_numbers(files: Iterable[Manuscript]) -> bool:
    """Whether a LaTeX draft says that it cites by numbers; one that does not may all the same."""
    return any(_NUMBERED.search(without_comments(file.text)) for file in files)


def prints_notes(files: Iterable[Manuscript]) -> bool:
    """Whether a draft in Markdown says that its style prints citations in footnotes."""
    return any(_IN_NOTES.search(file.text) for file in files)


def prints_years(files: Iterable[Manuscript]) -> bool:
    """Whether a LaTeX draft says that it cites by names and years."""
    files = tuple(files)
    return not prints_numbers(files) and any(
        _BY_OPTION.search(without_comments(file.text))
        or _BY_STYLE.search(without_comments(file.text))
        or any(map(_BY_PACKAGE.fullmatch, loaded_files(file.text)))
        for file in files
    )
