r"""Who writes a draft: the names in its `\author`, its front matter, its `#+AUTHOR`.

They are found for comparison with the authors of papers, and need not be complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.manuscript import Manuscript

_MOST = 50
"""Authors of a draft that are read."""
_LONGEST = 4000
"""Characters of a list of authors that are read."""
_COMMAND = lazy_re(r"\\author\s*(?:\[[^\]\n]{0,200}\]\s*)?(?=\{)")
_NOTE = lazy_re(
    r"\\(?:thanks|inst|affil\w*|orcid\w*|email|corref|fnref|footnote\w*|footref|texttt|url|href"
    r"|textsuperscript|institute|address|mbox|small|large|Large|vspace|hspace)\*?(?:\[[^\]]*\])?"
    r"(?:\{(?:[^{}]|\{[^{}]*\})*\})?"
)
_APART = lazy_re(r"\\(?:and|And|AND|quad|qquad)\b|\\\\|\s&\s|[,;、，；\n]|\s+and\s+")
_MATHS = lazy_re(r"\$[^$]*\$|\^\[[^\]]*\]|\[\^[^\]]*\]|\^\{[^{}]*\}|<[^<>]*>")
_YAML = lazy_re(r"^authors?:[ \t]*(?P<value>[^\n]*(?:\n(?:[ \t]+|-[ \t])[^\n]*)*)", re.MULTILINE)
_NAME = lazy_re(r"(?:^|[\s{(])name\s*:\s*(?P<name>\"[^\"]*\"|[^\n,}]+)")
_ITEM = lazy_re(r"^[ \t]*-[ \t]*(?P<item>[^\n:]+)$", re.MULTILINE)
_TYPST = lazy_re(r"\bauthors?\s*:\s*(?P<value>\((?:[^()]|\([^()]*\))*\)|\"[^\"]*\")")
_QUOTED = lazy_re(r"\"([^\"]*)\"")
_ORG = lazy_re(r"^#\+author:(.*)$", re.MULTILINE | re.IGNORECASE)
_WORD = lazy_re(r"[^\W\d_](?:[\w'’.-]*[\w.])?\Z")
_WORDS = range(2, 6)
_HAN_NAME = lazy_re(r"\A[\u4e00-\u9fff·]{2,5}\Z")


def authors_of(files: Iterable[Manuscript]) -> tuple[str, ...]:
    """Return the names of those who write a draft of some files, as they stand there."""
    names: dict[str, None] = {}
    for file in files:
        for piece in _pieces(file):
            name = _as_name(piece)
            if name:
                names.setdefault(name)
            if len(names) >= _MOST:
                break
    return tuple(names)


def _pieces(file: Manuscript) -> Iterator[str]:
    text = file.text
    if file.format == "latex":
        for match in _COMMAND.finditer(text):
            yield from _APART.split(_NOTE.sub(" ", _arguments(text, match.end())))
    elif file.format == "markdown" and text.lstrip("\ufeff").startswith("---"):
        for match in _YAML.finditer(text[: 4 * _LONGEST]):
            yield from _in_yaml(match["value"])
    elif file.format == "typst":
        for match in _TYPST.finditer(text[: 4 * _LONGEST]):
            value = match["value"]
            named = [name["name"] for name in _NAME.finditer(value)]
            yield from named or _QUOTED.findall(value)
    elif file.format == "org":
        for match in _ORG.finditer(text):
            yield from _APART.split(match[1])


def _arguments(text: str, start: int) -> str:
    """Return the text of the arguments in braces that begin at `start`: one, or two in a row."""
    parts: list[str] = []
    while len(parts) < 2 and text.startswith("{", start):
        depth = 0
        for place in range(start, min(len(text), start + _LONGEST)):
            depth += (text[place] == "{") - (text[place] == "}")
            if depth == 0:
                break
        else:
            break
        parts.append(text[start + 1 : place])
        start = place + 1
    return " ".join(parts)


def _in_yaml(value: str) -> Iterator[str]:
    named = [match["name"] for match in _NAME.finditer(value)]
    if named:
        yield from named
    elif items := _ITEM.findall(value):
        yield from items
    else:
        yield from _APART.split(value.strip().strip("[]"))


def _as_name(piece: str) -> str:
    """Return a piece of text as a name, "" where it is none."""
    piece = _MATHS.sub(" ", piece)
    if "\\" in piece or "{" in piece:
        piece = decode(piece)
    words = piece.strip().strip("\"'*").replace("~", " ").split()
    joined = " ".join(words)
    if has_han(joined):
        return joined if _HAN_NAME.match("".join(words)) else ""
    capitals = sum(word[0].isupper() for word in words)
    if len(words) in _WORDS and capitals >= 2 and words[-1][0].isupper():
        return joined if all(_WORD.match(word) for word in words) else ""
    return ""
