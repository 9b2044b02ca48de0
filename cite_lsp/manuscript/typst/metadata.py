"""What a Typst draft says of itself in calls of its template: title, abstract, year, glossary."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.text.paragraphs import plain_text
from cite_lsp.manuscript.typst.patterns import LONGEST_CALL, LONGEST_NAME, NESTING, STRING
from cite_lsp.manuscript.typst.prose import TYPST

_NAMED_TEXT = (
    r"(?:\bc?{0}:|\#let\s+{0}\s*=)\s*(?:\"(?P<string>(?:[^\"\\]|\\.){{0,8000}})\"|(?P<opening>\[)"
    r"|\(\s*(?P<lines>(?:\"(?:[^\"\\\n]|\\.){{0,400}}\"\s*(?:,\s*)?){{1,20}})\)"
    r"|\((?P<languages>)(?=\s*[a-z]{{2,3}}(?:-\w+)?:\s*[\"\[]))"
)
TITLE = lazy_re("(?<!pre-)(?<!sub-)(?<!short-)(?<!running-)" + _NAMED_TEXT.format("title"))
"""Not `pre-title`, which is what stands before a name, as Dr."""
ABSTRACT = lazy_re(
    _NAMED_TEXT.format("abstract") + r"|\#c?abstract(?:-(?:zh|cn))?"
    r"(?:\((?>(?:[^()]{1,200}|\([^()]{0,200}\)){0,20})\))?(?P<body>\[)"
)
_IN_LANGUAGE = lazy_re(
    r"\s*,?\s*(?P<language>[a-z]{2,3})(?:-\w+)?:\s*(?:\"(?P<string>(?:[^\"\\]|\\.)*)\"|\[)"
)
"""A text of several, by its language: `(en: "Gulls", de: [Möwen])`."""
_LANGUAGE = lazy_re(r"\blang(?:uage)?:\s*\"([a-z]{2,3})\"")
_OF_PART = lazy_re(
    r".*(?:bibliography|outline|toc|index|glossar(?:y|ies)|figures?|tables?|box|block|callout)"
)
"""Functions that have titles of their own: lists, and what stands apart from the text."""
_YEAR = lazy_re(r"\bdate:[^\n]{0,40}?\b((?:19|20)\d\d)\b|\byear:\s*((?:19|20)\d\d)\b")
_NAME_AT_END = lazy_re(r"[\w.-]+\Z")
_TERM = lazy_re(
    r"""\bkey:\s*"(?P<key>[\w-]+)"\s*,\s*(?:short|long|plural|description|group)\b
      |\b(?P<name>[\w-]+):\s*\(\s*short:""",
    re.VERBOSE,
)
"""An entry of a glossary, as glossarium and glossy have it: `@key` and `@key:pl` print it."""


def year_of(text: str) -> int | None:
    """Return the year that a draft is dated, None where it is not."""
    match = _YEAR.search(text)
    return int(match[1] or match[2]) if match else None


def glossary_keys(text: str) -> Iterator[str]:
    """Yield the keys of a glossary, and each with a colon, behind which its form may be named."""
    if "key:" not in text and "short:" not in text:
        return
    for term in _TERM.finditer(text):
        key = term["key"] or term["name"]
        yield key
        yield f"{key}:"


def named_text(text: str, pattern: re.Pattern[str]) -> str:
    """Return the first argument of that name as plain text: a string or content, or one of several.

    That of a part of the draft is none of the draft: `#outline(title: "Contents")`.
    """
    every = pattern.finditer(text)
    draft_arguments = (
        match for match in every if not _OF_PART.fullmatch(_called(text, match.start()))
    )
    first = next(draft_arguments, None)
    if not first:
        return ""
    if first["string"] is not None:
        return " ".join(first["string"].split())
    if first["lines"] is not None:
        return _in_one_line([line.group()[1:-1] for line in STRING.finditer(first["lines"])])
    if first["languages"] is not None:
        return _in_draft_language(text, first.end())
    return _content(text, first.end())[0]


def _content(text: str, start: int) -> tuple[str, int]:
    """Return in plain text what stands in a bracket that begins before `start`, and its end."""
    depth = 0
    for bracket in NESTING.finditer(text, start - 1, start + LONGEST_CALL):
        depth += {"[": 1, "]": -1}.get(bracket.group(), 0)
        if not depth:
            return plain_text(text[start : bracket.start()], TYPST), bracket.end()
    return "", start


def _in_draft_language(text: str, start: int) -> str:
    """Return of texts by language that in the language of the draft, or English, or the first."""
    texts: dict[str, str] = {}
    while match := _IN_LANGUAGE.match(text, start):
        if match["string"] is None:
            content, start = _content(text, match.end())
        else:
            content, start = " ".join(match["string"].split()), match.end()
        texts.setdefault(match["language"], content)
    declared = _LANGUAGE.search(text)
    wanted = (declared[1] if declared else "en", "en", *texts)
    return next(texts[language] for language in wanted if language in texts)


def _in_one_line(lines: list[str]) -> str:
    return ("" if any(map(has_han, lines)) else " ").join(lines)


def _called(text: str, offset: int) -> str:
    """Return the name of the function in whose arguments an offset stands, or ""."""
    opening_at: list[int] = []
    for bracket in NESTING.finditer(text, max(offset - LONGEST_CALL, 0), offset):
        if bracket.group() in "([{":
            opening_at.append(bracket.start())
        elif bracket.group() in ")]}" and opening_at:
            opening_at.pop()
    name = (
        _NAME_AT_END.search(text, max(opening_at[-1] - LONGEST_NAME, 0), opening_at[-1])
        if opening_at
        else None
    )
    return name.group() if name else ""
