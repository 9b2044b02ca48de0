"""What fenced blocks hold beside code: drafts that they include, captions, LaTeX for the output.

Drafts are children of knitr, MyST's `{include}`, a filter's list. A caption is an option of a
chunk of R Markdown and Quarto, in its first line (`{r, fig.cap="As @key says"}`) or in a comment
of its own (`#| fig-cap: As @key says`), or an argument of what prints a table; pandoc reads it with
the rest of the draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Span

_OPTION = r"^[ \t>]*\#\|[ \t]*"
_QUOTED = r"\"[^\"\n]*\"|'[^'\n]*'"
_PATHS = rf"(?P<paths>c\([^()\n]*\)|{_QUOTED})"
_CHILD = lazy_re(rf"\bchild[ \t]*=[ \t]*{_PATHS}")
_CHILD_IN_COMMENT = lazy_re(
    rf"{_OPTION}child:(?P<paths>[^\n]*(?:\n[ \t>]*\#\|[ \t]*-[^\n]*)*)", re.MULTILINE
)
_KNIT_CHILD = lazy_re(rf"\bknit_child\([ \t\n]*(?:input[ \t]*=[ \t]*)?{_PATHS}")
_NOT_RUN = lazy_re(rf"\beval[ \t]*=[ \t]*F(?:ALSE)?\b|{_OPTION}eval:[ \t]*false\b", re.MULTILINE)
_PATH = lazy_re(
    r"(?P<quote>[\"'])(?P<quoted>[^\"'\n]+)(?P=quote)|(?P<bare>[^\s,\[\]\"'#|-][^\s,\]]*)"
)
_CHUNK = lazy_re(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*\{[A-Za-z]")
_INCLUDE = lazy_re(r"[ \t>]*[`~:]{3,}[ \t]*\{include\}[ \t]+(?P<path>[^\s{}]+)")
_LIST = lazy_re(r"[ \t>]*`{3,}[ \t]*(?:\{[^{}\n]*\.include\b[^{}\n]*\}|include)[ \t\r]*(?=\n)")
_LINE = lazy_re(r"^[ \t>]*(?P<path>[^\s`%#](?:[^\n]*\S)?)[ \t\r]*$", re.MULTILINE)
_LITERAL = lazy_re(r"^[ \t>]*:literal:", re.MULTILINE)
_LATEX = lazy_re(r"[ \t>]*`{3,}[ \t]*\{=(?:latex|tex|beamer)\}")
_CAP = r"(?:fig|tab|tbl|lst)[.-](?:sub)?cap"
_CAP_SIGN = r"[ \t>]*(?:\#|//|--|%)\|"
_CAP_IN_LINE = lazy_re(
    rf"""\b{_CAP}[ \t]*=[ \t]*(?P<quote>["'])(?P<text>(?>(?:\\.|(?!(?P=quote))[^\\\n])*))""",
)
_CAP_IN_COMMENT = lazy_re(
    rf"^{_CAP_SIGN}[ \t]*{_CAP}:(?P<text>[^\n]*(?:\n{_CAP_SIGN}(?![ \t]*[\w.-]+:)[^\n]*)*)",
    re.MULTILINE,
)
_UP_TO_HERE = lazy_re(rf"[ \t>]*`{{3,}}\{{[^\n]*{_CAP}[ \t]*=[^\n]*\Z")
_PRINTS_TABLE = r"\b(?:kable|kbl|apa_table|set_caption|datatable|xtable|pander)\("
_CALL = (
    rf"{_PRINTS_TABLE}(?>(?:(?!\bcaption\b|\n[ \t]*\n|{_PRINTS_TABLE}).){{0,600}})"
    r"\bcaption[ \t]*=[ \t]*(?:paste0?\([ \t]*)?"
    r"(?P<quote>[\"'])(?P<text>(?>(?:\\.|(?!(?P=quote))[^\\\n])*))"
)
"""The caption of a table that code prints: `kable(x, caption = "As @key says")`."""
_CAP_IN_CALL = lazy_re(_CALL, re.DOTALL)
_UP_TO_HERE_IN_CALL = lazy_re(rf"{_CALL}\Z", re.DOTALL)
_LONGEST_CAPTION = 2000
_CHUNK_EDGE = lazy_re(
    r"^[ \t>]*(?:(?P<begin>`{3,}[ \t]*\{[A-Za-z][^\n]*|<<[^\n]*>>=)|`{3,}|@(?=\s))", re.MULTILINE
)
"""Where a chunk of R Markdown, Quarto or Sweave begins, or ends."""
_KEY_IN_CODE = lazy_re(r"(?<!\w)@\{?(\w(?:[\w:.#$%&+?<>~/-]*\w)?)")
_WRITES = lazy_re(
    r"\b(?:write_bib|write\.bib|WriteBib|r_refs|df2bib|write_?lines|write_file|cat|sink)[ \t]*\(",
    re.IGNORECASE,
)
"""What makes a file of a bibliography: knitr, bibtex, RefManageR, papaja, bib2df, and R itself."""


def inclusions(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the ranges of the paths of the drafts that a fenced block includes."""
    if directive := _INCLUDE.match(text, start, end):
        if not _LITERAL.search(text, directive.end(), end):
            yield directive.span("path")
    elif listed := _LIST.match(text, start, end):
        for line in _LINE.finditer(text, listed.end(), end):
            yield line.span("path")
    elif _CHUNK.match(text, start, end) and not _NOT_RUN.search(text, start, end):
        line_end = text.find("\n", start, end)
        yield from _paths(_CHILD, text, start, end if line_end < 0 else line_end)
        yield from _paths(_CHILD_IN_COMMENT, text, start, end)
        yield from knit_children(text, start, end)


def knit_children(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the ranges of the paths of the drafts that code includes by `knit_child`."""
    return _paths(_KNIT_CHILD, text, start, end)


def _paths(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Span]:
    for match in pattern.finditer(text, start, end):
        several = match["paths"].startswith("c(")
        first, last = match.start("paths") + 2 * several, match.end("paths") - several
        for path in _PATH.finditer(text, first, last):
            yield path.span("quoted" if path["quoted"] else "bare")


def is_latex(text: str, start: int) -> bool:
    """Whether a fenced block holds LaTeX for the output: `{=latex}`."""
    return _LATEX.match(text, start) is not None


def captions(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the ranges of the captions in a fenced block of code."""
    line = text.find("\n", start, end)
    for match in _CAP_IN_LINE.finditer(text, start, end if line < 0 else line):
        yield match.span("text")
    for match in _CAP_IN_COMMENT.finditer(text, start, end):
        yield match.span("text")
    if _CHUNK.match(text, start, end) and not _NOT_RUN.search(text, start, end):
        for match in _CAP_IN_CALL.finditer(text, start, end):
            yield match.span("text")


def in_caption(text: str, offset: int) -> bool:
    """Whether an offset in code stands behind the name of a caption, in its line or a comment."""
    if _UP_TO_HERE.match(text, text.rfind("\n", 0, offset) + 1, offset):
        return True
    first = max(offset - _LONGEST_CAPTION, 0)
    if _UP_TO_HERE_IN_CALL.search(text, first, offset):
        return True
    before = _CAP_IN_COMMENT.finditer(text, first, offset)
    return any(caption.end() == offset for caption in before)


def is_written_by_code(text: str, name: str) -> bool:
    """Whether a chunk writes the file of a name, which is there once the draft has been knitted.

    `knitr::write_bib(…, "packages.bib")` does. A path may be put together of its parts.
    """
    if name not in text:
        return False
    named = re.compile(rf"[\"'/]{re.escape(name)}[\"']")
    for start, end in _chunks(text):
        writes = _WRITES.search(text, start, end)
        if writes and named.search(text, writes.end(), end):
            return True
    return False


def keys_in_code(text: str) -> Iterator[str]:
    """Yield what may be keys in the code of chunks, as in a table that the code prints."""
    for start, end in _chunks(text):
        for key in _KEY_IN_CODE.finditer(text, start, end):
            yield key[1]


def _chunks(text: str) -> Iterator[Span]:
    """Yield the ranges of the chunks of code, from behind their first lines on."""
    edges = list(_CHUNK_EDGE.finditer(text))
    ends = [edge.start() for edge in edges[1:]] + [len(text)]
    for edge, end in zip(edges, ends, strict=False):
        if edge["begin"]:
            yield edge.end(), end
