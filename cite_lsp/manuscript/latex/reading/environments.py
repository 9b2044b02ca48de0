"""The environments of a LaTeX draft: which hold no prose, which part it, which cite."""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import skip_brackets
from cite_lsp.manuscript.latex.commands.citation_commands import cite_command, read_marker
from cite_lsp.manuscript.latex.commands.formula_commands import FORMULAS, closing_pattern
from cite_lsp.manuscript.latex.reading.files import declare_option
from cite_lsp.manuscript.latex.reading.headings import FRAME_TITLE
from cite_lsp.manuscript.latex.reading.verbatim import is_verbatim, read_environment
from cite_lsp.manuscript.latex.state import Handler, LatexScan
from cite_lsp.manuscript.latex.tables import TABULAR
from cite_lsp.manuscript.layout import paragraph_end
from cite_lsp.manuscript.model import FormulaEdge

_INLINE_LISTS = frozenset("enumerate* itemize* description* inparaenum inparaitem".split())
"""Lists, of enumitem and paralist, that are set as words of the sentence around them."""
_IN_FORMULAS = frozenset(
    """matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix psmallmatrix bsmallmatrix array
    subarray cases dcases rcases aligned alignedat gathered split multlined""".split()
)
"""The environments that only stand in a formula, which they do not part."""
_OF_FORMULAS = FORMULAS | _IN_FORMULAS
_FIGURE = frozenset(
    """tabular tabularx tabulary longtable supertabular tabbing tikzpicture pgfpicture axis
    tikzcd algorithmic algorithm2e forest picture thebibliography biblist bibdiv xy CD prooftree
    NiceTabular tblr longtblr circuitikz xltabular alltt semiverbatim""".split()
)
_KEYWORDS = lazy_re(
    r"(?:ieee)?key-?words?|indexterms|motscles|palabrasclave|palavraschave|mscodes|msccodes|ams|pacs",
    re.IGNORECASE,
)
"""The environments that list what a paper is about, or its numbers in a classification."""
_ABSTRACTS = frozenset(
    """summary zhaiyao zusammenfassung kurzfassung resume resumen resumo riassunto streszczenie
    ozet""".split()
)
_LONGEST_FORMULA = 8000
_TITLED = frozenset("frame block alertblock exampleblock".split())
"""The environments of beamer whose title stands in braces behind their name."""

_ENVIRONMENT = lazy_re(r"\s*\{([A-Za-z@]+)(\*?)\}")
_ANY_ENVIRONMENT = lazy_re(r"\s*\{([^{}\\%\s*]+)(\*?)\}")
_SHORT_ARGUMENTS = lazy_re(r"(?:[ \t]*\[[^\[\]\n]*\]|\{[^{}\s]*\})*")


def _begin(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    named = _ENVIRONMENT.match(scan.text, match.end())
    environment = named or _ANY_ENVIRONMENT.match(scan.text, match.end())
    if environment and is_verbatim(scan, environment[1]):
        return read_environment(
            scan, match.start(), environment[1], environment[2], environment.end()
        )
    if not named:
        return match.end()
    name, star = named.groups()
    if name == "document":
        scan.prose_start = named.end()
        return named.end()
    if name in _OF_FORMULAS or _is_inline_list(scan, match, named):
        if name in FORMULAS and (not scan.omissions or scan.omissions[-1][1] <= match.start()):
            scan.omit_until(match, f"\\end{{{name}{star}}}")
        return named.end()
    if name == "refsection":
        declare_option(scan, named.end())
    end = None
    body = scan.tables.begin(name + star, match.start(), named.end())
    if body > named.end():
        scan.omissions.append((match.start(), body))
    if (name in _FIGURE and name not in TABULAR) or _KEYWORDS.fullmatch(name):
        end = scan.find(f"\\end{{{name}{star}}}", named.end())
    elif "abstract" in name.lower() or name.lower() in _ABSTRACTS:
        close = scan.find(f"\\end{{{name}{star}}}", named.end())
        stop = len(scan.text) if close is None else close - len(f"\\end{{{name}{star}}}")
        scan.abstracts.setdefault(name, (named.end(), stop))
    command = cite_command(name, scan.commands) if name.endswith("displaycquote") else None
    marker = command and read_marker(scan.text, match.start(), name, named.end(), command)
    if marker:
        scan.markers.append(marker)
        scan.borders.append((match.start(), marker.end))
        return marker.end
    arguments = FRAME_TITLE.match(scan.text, named.end()) if name in _TITLED else None
    arguments = arguments or _SHORT_ARGUMENTS.match(scan.text, named.end())
    after = arguments.end() if arguments else named.end()
    scan.borders.append((match.start(), end or after))
    return named.end()


def _is_inline_list(scan: LatexScan, match: re.Match[str], named: re.Match[str]) -> bool:
    """Whether a list begins that parts no sentence; its edges and options are no prose."""
    name = named[1] + named[2]
    end = scan.find(f"\\end{{{name}}}", named.end()) if name in _INLINE_LISTS else None
    if end is None:
        return False
    scan.inline_list_end = end
    scan.omissions.append((match.start(), skip_brackets(scan.text, named.end())))
    return True


def _end(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    named = _ENVIRONMENT.match(scan.text, match.end())
    if not named:
        return match.end()
    if named.end() == scan.inline_list_end:
        scan.omissions.append((match.start(), named.end()))
        return named.end()
    table = scan.tables.end(named[1] + named[2], match.start())
    if table:
        scan.borders.append((table[0], named.end()))
    if named[1] == "document":
        scan.end = match.start()
    elif named[1] not in _OF_FORMULAS:
        scan.borders.append((match.start(), named.end()))
    return named.end()


def formula(scan: LatexScan, match: re.Match[str], _name: str, edge: FormulaEdge) -> int:
    """Take what a command of the draft's own begins for no prose, up to what ends it."""
    start = match.end()
    stop = paragraph_end(scan.text, start, min(start + _LONGEST_FORMULA, len(scan.text)))
    closing = closing_pattern(edge, scan.commands).search(scan.text, start, stop)
    if closing:
        scan.omissions.append((match.start(), closing.end()))
    return start


HANDLERS: dict[str, Handler] = {"begin": _begin, "end": _end}
