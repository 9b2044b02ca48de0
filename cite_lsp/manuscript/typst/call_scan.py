"""The calls of Typst that cite, refer or name bibliographies, and the keys that they are given."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Span, paragraph_end
from cite_lsp.manuscript.model import CiteCommand, Commands, Marker, MarkerKey
from cite_lsp.manuscript.scan_base import PATIENCE, BaseScan
from cite_lsp.manuscript.typst.patterns import (
    CITED,
    COMMENT,
    CROSS_REFERENCE,
    KEY,
    LONGEST_CALL,
    NESTING,
)

_FULL = lazy_re(r"\bfull:[ \t]*(?P<all>true)\b")
"""An argument of `bibliography` that cites every entry."""
_IN_SUPPLEMENT = lazy_re(
    rf"""//[^\n]*|\\.|"(?:[^"\\\n]|\\.)*"|(?<![A-Za-z0-9._+-])@(?P<key>{KEY})
      |\b(?P<call>cite|ref)\([ \t\n]*(?=<|label\()""",
    re.VERBOSE,
)
_PATH = lazy_re(r'(?P<argument>\b[\w-]+:[ \t]*)?"(?P<path>[^"\n]*)"')
_DEFINING = lazy_re(r"\b(?:set|let|show)[ \t]+\Z")
LONGEST_CITE = 600
_NAMED_ARGUMENTS = lazy_re(r"\s*(?:[\w-]+:\s*(?:\"[^\"\n]*\"|\[[^\[\]\n]*\]|[\w-]+)\s*,\s*)+")
"""What may stand before the key in a call that is not closed: `form: "prose",`."""
_BEHIND_KEY = lazy_re(r"\s*(?:[,)/]|\Z)")


class CallScan(BaseScan):
    """What a scan knows of calls."""

    def __init__(self, text: str, commands: Commands, numbered: bool) -> None:
        super().__init__(text, commands)
        self.numbered = numbered
        self.citing = frozenset(
            name for name, command in commands.items() if isinstance(command, CiteCommand)
        )

    def read_call(self, match: re.Match[str], begin: int) -> int:
        """Read a call that cites, refers or names bibliographies, from `begin`; return its end."""
        called = match["called"]
        cites = called != "bibliography"
        if cites and _DEFINING.search(self.text, max(match.start() - 8, 0), match.start()):
            return match.start() + len(called)
        end, closed = self.call_end(match.end(), LONGEST_CITE if cites else LONGEST_CALL)
        parts = NESTING.finditer(self.text, match.end(), end)
        comments = [part.span() for part in parts if part.group().startswith("/")]
        if not cites:
            for string in _PATH.finditer(self.text, match.end(), end):
                if not string["argument"] and not _within(comments, string):
                    self.declare(*string.span("path"))
            if full := _FULL.search(self.text, match.end(), end):
                listed = full.span("all")
                self.markers.append(Marker("nocite", (), *full.span(), True, (listed,)))
            return self.set_apart(begin, end)
        last = end if closed else min(end, match.end() + LONGEST_CITE)
        supplements = self._contents(match.end(), last)
        keys = CITED.finditer(self.text, match.end(), last)
        cited = [
            key
            for key in keys
            if not key["argument"] and not _within((*supplements, *comments), key)
        ]
        before = self.text[match.end() : cited[0].start()] if called == "cite" and cited else ""
        before = COMMENT.sub("", before).rstrip()
        begun = _NAMED_ARGUMENTS.fullmatch(before) is not None
        if before and not begun and not (closed and before.endswith(",")):
            cited = []  # what prose behind a call that has only been begun quotes
        if called == "cite" and cited and not _BEHIND_KEY.match(self.text, cited[0].end()):
            end, closed, cited = cited[0].end(), False, cited[:1]  # prose stands behind its key
        if called == "ref":
            cited = [key for key in cited[:1] if key["bare"] is None]
            if cited and self.is_numbered(self.text[slice(*key_range(cited[0]))]):
                self.references.append((begin, end))
                return self.omit(begin, end)
        self._add_marker(cited, begin, end, closed, f"#{called}")
        if called == "cite" and closed and not self.text[match.end() : end - 1].strip():
            self.markers.append(Marker("#cite", (), begin, end))
        for supplement in supplements:
            self.read_supplement(*supplement)
        return end

    def _contents(self, start: int, end: int) -> list[Span]:
        """Return the ranges of content among the arguments of a call: what brackets enclose."""
        contents: list[Span] = []
        depth = opening = 0
        for match in NESTING.finditer(self.text, start, end):
            sign = match.group()
            if sign == "[" and not depth:
                opening = match.end()
            if sign in "([{":
                depth += 1
            elif sign in ")]}":
                depth -= 1
                if sign == "]" and not depth:
                    contents.append((opening, match.start()))
        return contents

    def read_supplement(self, start: int, end: int) -> None:
        """Read the citations in what is said beside a citation."""
        for match in _IN_SUPPLEMENT.finditer(self.text, start, end):
            if match["key"] and not self.is_numbered(match["key"]):
                key = MarkerKey(match["key"], *match.span("key"))
                self.markers_outside_prose.append(Marker("@", (key,), *match.span()))
            elif match["call"] and (cited := CITED.match(self.text, match.end(), end)):
                listed = key_range(cited)
                keys = tuple(keys_between(self.text, *listed))
                marker = Marker(
                    f"#{match['call']}", keys, match.start(), cited.end(), True, (listed,)
                )
                self.markers_outside_prose.append(marker)

    def read_own_call(self, start: int, inside: int) -> int | None:
        """Read a call of a function that the writer cites by, if it is given keys as labels."""
        end, closed = self.call_end(inside, LONGEST_CITE)
        keys = CITED.finditer(self.text, inside, end if closed else min(end, inside + LONGEST_CITE))
        cited = [key for key in keys if key["bare"] is None]
        self._add_marker(cited, start, end, closed)
        return end if cited else None

    def _add_marker(
        self,
        cited: list[re.Match[str]],
        start: int,
        end: int,
        closed: bool,
        command: str = "#cite",
    ) -> None:
        if cited:
            lists = tuple(key_range(match) for match in cited)
            keys = tuple(key for listed in lists for key in keys_between(self.text, *listed))
            self.markers.append(Marker(command, keys, start, end, closed, lists))

    def call_end(self, start: int, limit: int = LONGEST_CALL) -> tuple[int, bool]:
        """Return the offset behind the bracket that closes the one before, and whether one does."""
        opened = [self.text[start - 1]]
        if self.unclosed > PATIENCE:
            limit = min(limit, LONGEST_CITE // 10)
        stop = paragraph_end(self.text, start, start + limit)
        for match in NESTING.finditer(self.text, start, stop):
            sign = match.group()
            if sign in "([{":
                opened.append(sign)
            elif sign in ")]}":
                if opened.pop() + sign not in ("()", "[]", "{}"):  # of what holds the call
                    self.unclosed += 1
                    return match.start(), False
                if not opened:
                    return match.end(), True
        self.unclosed += 1
        line = self.text.find("\n", start)
        return (len(self.text) if line < 0 else line), False

    def is_numbered(self, key: str) -> bool:
        """Whether a key is that of what Typst numbers itself, as a figure is."""
        return self.numbered and CROSS_REFERENCE.match(key) is not None


def _within(ranges: Iterable[Span], match: re.Match[str]) -> bool:
    return any(start <= match.start() < end for start, end in ranges)


def key_range(cited: re.Match[str]) -> Span:
    """Return the range of the key in a label or a string that a citing call is given."""
    for part in ("label", "string", "bare"):
        if cited[part] is not None:
            return cited.span(part)
    return cited.start() + 1, cited.start() + 1


def keys_between(text: str, start: int, end: int) -> list[MarkerKey]:
    """Return the key that stands in a range, if one does, without the blanks around it."""
    argument = text[start:end]
    key = argument.strip()
    start += len(argument) - len(argument.lstrip())
    return [MarkerKey(key, start, start + len(key))] if key else []
