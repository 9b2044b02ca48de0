"""The prose in which nobody looks for missing citations: captions, abstracts, thanks, theorems."""

from __future__ import annotations

import re
from bisect import bisect_right
from weakref import WeakKeyDictionary

from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.layout import Span
from cite_lsp.manuscript.model import Sentence

_CAPTION = re.compile(
    r"\\(?:sub)?caption(?:of\*?\s*\{[^{}]*\}|above|below)?\*?\s*(?:\[[^\]]*\])?\s*(?=\{)"
    r"|\\bicaption\s*(?:\[[^\]]*\])?\s*(?=\{)"
    r"|\\(?:thanks|keywords|date|author|affil|institute|ackn?owledgements?)\s*(?=\{)"
)
_ENVIRONMENT = re.compile(
    r"\\(begin|end)\s*\{((?:[ce]n?)?abstract|abstract(?:zh|cn|en)|keywords?|ack(?:nowledge?ments?)?|"
    r"theorem|lemma|corollary|proposition|definition|proof|algorithm|algorithmic|thm|lem|cor|prop|"
    r"defn?)\*?\}",
    re.IGNORECASE,
)
_MARKDOWN_CAPTION = re.compile(
    r"^[ \t]*(?:!\[[^\n]*|(?:Table|Figure|表|图)?\s?\d*:[ \t]+\S[^\n]*)$", re.MULTILINE
)
_TITLES = re.compile(
    r"\s*(?:abstract|acknowledge?ments?|funding|author contributions?|conflicts? of interest|"
    r"competing interests?|declarations?|data availability.*|code availability.*|keywords|"
    r"references|bibliography|摘\s*要|致\s*谢|参考文献|声明|关键词)\s*",
    re.IGNORECASE,
)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LEAST_WORDS = 4
_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\d_]{2,}")

_known: WeakKeyDictionary[Manuscript, tuple[Span, ...]] = WeakKeyDictionary()


def is_exempt(manuscript: Manuscript, sentence: Sentence) -> bool:
    """Whether a sentence is left alone: for where it stands, or because it is hardly one."""
    spans = _known.get(manuscript)
    if spans is None:
        spans = _known[manuscript] = _exempt(manuscript)
    number = bisect_right(spans, (sentence.start, len(manuscript.text))) - 1
    if any(start <= sentence.start < end for start, end in spans[max(number - 3, 0) : number + 1]):
        return True
    if _TITLES.fullmatch(manuscript.sections[sentence.section].title):
        return True
    return len(_WORD.findall(sentence.text)) < _LEAST_WORDS


def _exempt(manuscript: Manuscript) -> tuple[Span, ...]:
    """Return the exempt ranges of a draft by their start; they may nest."""
    text = manuscript.text
    if manuscript.format == "markdown":
        return tuple(found.span() for found in _MARKDOWN_CAPTION.finditer(text))
    if manuscript.format != "latex":
        return ()
    spans = [(found.start(), _closing(text, found.end())) for found in _CAPTION.finditer(text)]
    begun: list[tuple[str, int]] = []
    for found in _ENVIRONMENT.finditer(text):
        name = found[2].lower()
        if found[1] == "begin":
            begun.append((name, found.start()))
        elif begun and begun[-1][0] == name:
            spans.append((begun.pop()[1], found.end()))
    return tuple(sorted(spans))


def _closing(text: str, opening: int) -> int:
    """Return the offset behind the brace that closes the one at `opening`; there, if none does."""
    depth = 0
    for found in _BRACE.finditer(text, opening):
        depth += {"{": 1, "}": -1}.get(found.group(), 0)
        if depth == 0:
            return found.end()
    return opening
