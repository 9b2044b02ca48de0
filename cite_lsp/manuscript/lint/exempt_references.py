r"""References that a draft writes out: the title in bold or italic type, below it who, where, when.

Theses list so what their chapters were published as, most often in a quotation; the humanities have
them in footnotes: `Ann Auk, \emph{Title}, London 2020, p. 3`, `Ibid., p. 4`.
"""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Span, paragraph_end

_CAPITAL = r"[^\W\d_a-zà-ÿ]"
_WORD = rf"{_CAPITAL}[\w.'’-]*"
_PARTICLES = r"(?:(?:d[aei]|del|v[ao]n|der|la|le)[~\ ])*"
_NAME = rf"{_WORD}(?:[~\ ]{_PARTICLES}{_WORD}){{1,4}}"
_REST = r"(?:(?!\n[ \t]*\n|\\end\b).){0,600}?\b(?:19|20)\d\d\b[.)\]]*[ \t]*(?=\n|\\|\Z)"
_LATEX = lazy_re(
    rf"""^[ \t]*(?:\\begin\s*\{{(?P<quote>quot(?:e|ation|ing)|displayquote)\}}\s*+)?+
      (?:\\(?:noindent|item|small|footnotesize)\b\s*+)*+
      \\(?:textbf|textit|textsl|textsc|emph)\s*\{{(?>[^{{}}]++|\{{[^{{}}]*\}})++\}}[.,]?\s*+\\\\\s*+
      {_NAME}(?:[,;]|\s+(?:and\b|\\&|\\\\)){_REST}""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_IN_LINES = lazy_re(
    rf"""^[ \t>]*(?:[-+*][ \t]+|\d{{1,3}}[.)][ \t]+)?
      (?P<sign>\*\*?|__?|/)(?=\S)[^*_/\n]{{8,300}}(?P=sign)[.,]?[ \t]*(?:\\{{1,2}}[ \t\r]*)?\n
      [ \t>]*{_NAME}(?:[,;]|[ \t]+(?:and\b|&|\\)|[ \t]*\n){_REST}""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_IN_NOTE = lazy_re(
    rf"""(?<!\w)(?:(?i:ibid|ibidem|ebd|ebenda|op\.\s?cit|loc\.\s?cit)\b|a\.\s?a\.\s?O\.)
      |\A\W*(?:\w+\.?\s){{0,3}}?{_CAPITAL}[^;:]{{1,80}}?[,:]\s[^;]{{0,200}}?
      (?:\\(?:emph|textit)\{{|(?<!\w)[*_/]){_CAPITAL}[^{{}}*_/]{{4,300}}[*_/}}][^;]{{0,200}}?\b(?:1[5-9]|20)\d\d\b
      |\A\W*(?:\w+\.?\s){{0,3}}?{_CAPITAL}[^;:()]{{1,120}}\s\((?:1[5-9]|20)\d\d[a-z]?\)
      (?:[.:]\s[^;]{{0,300}}?|,\s)(?:\\(?:emph|textit)\{{|(?<!\w)[*_/]){_CAPITAL}""",
    re.VERBOSE | re.DOTALL,
)


def is_reference(note: str) -> bool:
    """Whether a footnote is a reference that is written out, or points back to one."""
    return _IN_NOTE.search(note) is not None


def written_references(text: str, markup: str) -> list[Span]:
    """Return the ranges of the references that a draft writes out, with the quotations of them."""
    pattern = _LATEX if markup == "latex" else _IN_LINES
    return [(match.start(), _end(text, match)) for match in pattern.finditer(text)]


def _end(text: str, reference: re.Match[str]) -> int:
    """Return where the quotation of a reference ends, or else its paragraph."""
    if quote := reference.groupdict().get("quote"):
        end = text.find(rf"\end{{{quote}}}", reference.end())
        if end >= 0:
            return end
    return paragraph_end(text, reference.end(), len(text))
