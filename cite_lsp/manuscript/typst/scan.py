"""One scan over a Typst draft: headings, citations, files named, and what is no prose.

Typst switches between markup and code: `#` begins code, `[` inside code begins markup again. The
scan keeps that nesting on a stack; a citation stands in markup only, a string in code only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.manuscript.layout import Layout, Note, Span, paragraph_end
from cite_lsp.manuscript.model import (
    CiteCommand,
    Commands,
    Inclusion,
    Marker,
    MarkerKey,
)
from cite_lsp.manuscript.scan_base import BaseScan
from cite_lsp.manuscript.text.prose import plain_text
from cite_lsp.manuscript.typst.formulas import formula_end, next_dollar
from cite_lsp.manuscript.typst.metadata import ABSTRACT, TITLE, glossary_keys, named_text, year_of
from cite_lsp.manuscript.typst.own_labels import (
    COMMENT,
    label_commands,
    labels_made,
    without_comments,
)
from cite_lsp.manuscript.typst.patterns import (
    ADDRESS,
    ARGUMENT,
    BREAKS,
    CITED,
    COMMENT_SIGN,
    CROSS_REFERENCE,
    DEFINED,
    DEFINING,
    FULL,
    IN_SUPPLEMENT,
    LABEL_IN_FORMULA,
    LONGEST_CALL,
    LONGEST_NAME,
    NESTING,
    NOTE,
    PATH,
    PRINTED,
    STATEMENTS,
    STOP,
    STRING,
)

_LONGEST_CITE = 600
_PATIENCE = 20
"""How many unclosed calls are looked for in full: junk must not cost the square of its length."""

_MARKUP, _CODE, _STATEMENT = range(3)


class _TypstScan(BaseScan):
    """A scan of Typst."""

    def __init__(self, text: str, commands: Commands, numbered: bool) -> None:
        super().__init__(text, commands)
        self.numbered = numbered
        self.stack: list[tuple[int, int, int]] = []
        """The kind of what is open, where it began, and where its text begins if it is a note."""
        self.code_start = 0
        self.unclosed = 0
        self.labels: set[str] = set()
        self.citing = frozenset(
            name for name, command in commands.items() if isinstance(command, CiteCommand)
        )
        """The functions that the draft defines to cite by."""
        self.markers_outside_prose: list[Marker] = []
        self.handlers = {
            "comment": self._comment,
            "raw": self._raw,
            "formula": self._formula,
            "string": self._string,
            "heading": self._heading,
            "item": self._item,
            "attribution": self._attribution,
            "label": self._label,
            "hash": self._hash,
            "call": self._call,
            "include": self._include,
            "named": self._named,
            "at": self._at,
            "bracket": self._bracket,
            "line": self._line,
        }

    @property
    def in_code(self) -> bool:
        return bool(self.stack) and self.stack[-1][0] != _MARKUP

    def run(self) -> None:
        position = 0
        while match := STOP.search(self.text, position):
            handler = self.handlers.get(match.lastgroup or "")
            position = max(handler(match) if handler else match.end(), position + 1)
        if self.in_code:
            self._leave_code(len(self.text))

    def _comment(self, match: re.Match[str]) -> int:
        end = match.end()
        if match.group() == "/*":
            end = self._comment_end(end)
        self.omit(match.start(), end)
        return end

    def _comment_end(self, start: int) -> int:
        """Return the offset behind a comment, in which others may be nested."""
        depth = 1
        for sign in COMMENT_SIGN.finditer(self.text, start):
            depth += 1 if sign.group() == "/*" else -1
            if not depth:
                return sign.end()
        return len(self.text)

    def _raw(self, match: re.Match[str]) -> int:
        ticks = match.group()
        if len(ticks) == 2:
            return match.end()
        end = self.find(ticks, match.end())
        if end is None and len(ticks) == 1:
            line = self.text.find("\n", match.end())
            return len(self.text) if line < 0 else line
        end = len(self.text) if end is None else end
        self.code.append((match.start(), end))
        if len(ticks) > 2 and "\n" in self.text[match.start() : end]:
            self.borders.append((match.start(), end))
        return end

    def _formula(self, match: re.Match[str]) -> int:
        start = match.start()
        end = formula_end(self.text, start) if self.unclosed <= _PATIENCE else None
        if end is None:
            self.unclosed += 1
            end = next_dollar(self.text, start)
        if end is None:
            return match.end()
        self.code.append((start, end))
        self.labels.update(
            label["sign"] or label["written"]
            for label in LABEL_IN_FORMULA.finditer(self.text, start, end)
        )
        if self.text[start + 1].isspace():
            self.omissions.append((start, end))
        return end

    def _string(self, match: re.Match[str]) -> int:
        string = STRING.match(self.text, match.start()) if self.in_code else None
        return string.end() if string else match.end()

    def _heading(self, match: re.Match[str]) -> int:
        if self.in_code:
            return match.end("signs")
        title = plain_text(match["title"], "typst")
        self.headings.append((match.start(), match.end(), len(match["signs"]), title))
        self.borders.append(match.span())
        return match.start("title")

    def _item(self, match: re.Match[str]) -> int:
        if not self.in_code:
            self.borders.append(match.span())
        return match.end()

    def _attribution(self, match: re.Match[str]) -> int:
        """Read the key that a quotation is attributed to."""
        cited = CITED.match(self.text, match.end()) if self.in_code else None
        if not cited:
            return match.end()
        listed = _key_range(cited)
        keys = tuple(_keys_in(self.text, *listed))
        closed = not cited.group().startswith("<") or cited["close"] is not None
        self.markers_outside_prose.append(
            Marker("#quote", keys, match.start(), cited.end(), closed, (listed,))
        )
        return cited.end()

    def _label(self, match: re.Match[str]) -> int:
        """Add a label to those that the draft gives, unless it is the argument of a call."""
        has_hash = match.group().startswith("#")
        if self.in_code and self._is_argument(match.start()):
            return match.end()
        if self.in_code or has_hash or match["sign"]:
            self.labels.add(match["sign"] or match["written"])
        if has_hash and not self.in_code:
            self.omit(*match.span())
        return match.end()

    def _is_argument(self, start: int) -> bool:
        """Whether a label in code is an argument that refers to something.

        It gives a label to what is called `label:`, and to the content in the argument before it.
        """
        before = ARGUMENT.search(self.text, max(start - LONGEST_NAME, 0), start)
        return before is not None and before["name"] != "label" and not before["content"]

    def _hash(self, match: re.Match[str]) -> int:
        if self.in_code:
            return match.start() + 1
        name, opening = match["name"] or "", match["opening"] or ""
        start = match.start()
        if printed := PRINTED.match(self.text, start):
            self.omissions += [
                (start, printed.start("printed")),
                (printed.end("printed"), printed.end()),
            ]
            self.code.append(printed.span())
            return printed.end()
        if name in STATEMENTS:
            self.code_start = start
            self.stack.append((_STATEMENT, start, 0))
            return start + 1 if name in ("include", "import") else match.end("name")
        if opening and name in ("h", "linebreak", *BREAKS):
            return self._spacing_call(match, name)
        if name in ("cite", "ref", "bibliography") and opening == "(":
            self.code_start = start
            return start + 1
        if opening == "(" and ("cite" in name.lower() or name in self.citing):
            end = self._own_call(start, match.end())
            if end is not None:
                return end
        if opening == "[":
            self.omissions.append(match.span())
            self.stack.append((_MARKUP, start, match.end() if NOTE.match(self.text, start) else 0))
        elif opening:
            self.code_start = start
            self.stack.append((_CODE, start, 0))
        elif name:
            self.omissions.append(match.span())
        return match.end()

    def _spacing_call(self, match: re.Match[str], name: str) -> int:
        """Read a call that makes room in a line or between two."""
        end, _ = self._call_end(match.end())
        self.code.append((match.start(), end))
        if name in BREAKS:
            self.borders.append((match.start(), end))
        return end

    def _call(self, match: re.Match[str]) -> int:
        start = match.start()
        has_hash = self.text[start - 1 : start] == "#" and not self.in_code
        if not has_hash and not self.in_code:
            return match.end()
        begin = start - has_hash
        called = match["called"]
        cites = called != "bibliography"
        if cites and DEFINING.search(self.text, max(start - 8, 0), start):
            return match.start() + len(called)
        end, closed = self._call_end(match.end(), _LONGEST_CITE if cites else LONGEST_CALL)
        if not cites:
            for string in PATH.finditer(self.text, match.end(), end):
                if not string["argument"]:
                    self.declare(*string.span("path"))
            if full := FULL.search(self.text, match.end(), end):
                listed = full.span("all")
                self.markers.append(Marker("nocite", (), *full.span(), True, (listed,)))
            self.borders.append((begin, end))
            self.code.append((begin, end))
            return end
        supplements = self._contents(match.end(), end)
        comments = [comment.span() for comment in COMMENT.finditer(self.text, match.end(), end)]
        keys = CITED.finditer(self.text, match.end(), end)
        cited = [
            key
            for key in keys
            if not key["argument"] and not _within((*supplements, *comments), key)
        ]
        if called == "ref":
            cited = [key for key in cited[:1] if key["bare"] is None]
            if cited and self._is_numbered(self.text[slice(*_key_range(cited[0]))]):
                self.references.append((begin, end))
                return self.omit(begin, end)
        self._add_marker(cited, begin, end, closed, f"#{called}")
        if called == "cite" and closed and not self.text[match.end() : end - 1].strip():
            self.markers.append(Marker("#cite", (), begin, end))
        for supplement in supplements:
            self._read_supplement(*supplement)
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

    def _read_supplement(self, start: int, end: int) -> None:
        """Read the citations in what is said beside a citation."""
        for match in IN_SUPPLEMENT.finditer(self.text, start, end):
            if match["key"] and not self._is_numbered(match["key"]):
                key = MarkerKey(match["key"], *match.span("key"))
                self.markers_outside_prose.append(Marker("@", (key,), *match.span()))
            elif match["call"] and (cited := CITED.match(self.text, match.end(), end)):
                listed = _key_range(cited)
                keys = tuple(_keys_in(self.text, *listed))
                marker = Marker(
                    f"#{match['call']}", keys, match.start(), cited.end(), True, (listed,)
                )
                self.markers_outside_prose.append(marker)

    def _own_call(self, start: int, inside: int) -> int | None:
        """Read a call of a function that the writer cites by, if it is given keys as labels."""
        end, closed = self._call_end(inside, _LONGEST_CITE)
        keys = CITED.finditer(self.text, inside, end)
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
            lists = tuple(_key_range(match) for match in cited)
            keys = tuple(key for listed in lists for key in _keys_in(self.text, *listed))
            self.markers.append(Marker(command, keys, start, end, closed, lists))

    def _call_end(self, start: int, limit: int = LONGEST_CALL) -> tuple[int, bool]:
        """Return the offset behind the closing bracket of a call, and whether it is closed."""
        depth = 1
        if self.unclosed > _PATIENCE:
            limit = min(limit, _LONGEST_CITE // 10)
        stop = paragraph_end(self.text, start, start + limit)
        for match in NESTING.finditer(self.text, start, stop):
            if match.group() in "([{":
                depth += 1
            elif match.group() in ")]}":
                depth -= 1
                if not depth:
                    return match.end(), True
        self.unclosed += 1
        line = self.text.find("\n", start)
        return (len(self.text) if line < 0 else line), False

    def _named(self, match: re.Match[str]) -> int:
        if self.in_code:
            self.declare(*match.span("bibliography"))
        return match.end() if self.in_code else match.start() + 1

    def _include(self, match: re.Match[str]) -> int:
        path = match["path"].strip()
        defines = match["how"] == "import"
        if self.in_code and path and not (defines and not path.endswith(".typ")):
            self.inputs.append(Inclusion(match["path"], *match.span("path"), defines))
        return match.end()

    def _at(self, match: re.Match[str]) -> int:
        key = match["key"] or match["attached"]
        part = "key" if match["key"] else "attached"
        if self.in_code:
            return match.end()
        if part == "attached" and ADDRESS.match(key):
            self.code.append(match.span())
            return match.end()
        end = match.end()
        if self.text[end : end + 1] == "[":
            close, closed = self._call_end(end + 1, _LONGEST_CITE)
            if closed:
                self._read_supplement(end + 1, close)
                end = close
        if self._is_numbered(key):
            self.references.append((match.start(), end))
        else:
            keys = (MarkerKey(key, *match.span(part)),)
            self.markers.append(Marker("@", keys, match.start(), end))
        return end

    def _is_numbered(self, key: str) -> bool:
        return self.numbered and CROSS_REFERENCE.match(key) is not None

    def _bracket(self, match: re.Match[str]) -> int:
        sign = match.group()
        if self.in_code:
            if sign == "[":
                self.borders.append((self.code_start, match.end()))
                self.code.append((self.code_start, match.end()))
                self.stack.append((_MARKUP, match.start(), 0))
            elif sign in "({":
                self.stack.append((_CODE, match.start(), 0))
            elif self.stack[-1][0] == _STATEMENT:
                self._leave_code(match.start())
                return self._bracket(match)
            else:
                self.stack.pop()
                if not self.in_code:
                    return self._behind_call(match.end())
        elif sign == "[" and self.stack:
            self.stack.append((_MARKUP, match.start(), 0))
        elif sign == "]" and self.stack:
            _, start, body = self.stack.pop()
            if body:
                self.notes.append(Note(start, body, match.start(), match.end()))
            elif self.in_code:
                self.code_start = match.start()
            elif self.text[start] == "#" or self.text[start - 1 : start] in (")", "]"):
                return self._behind_content(match)
        return match.end()

    def _behind_call(self, end: int) -> int:
        """Close a call in markup; content that follows it directly is prose."""
        content = self.text[end : end + 1] == "["
        if content and NOTE.match(self.text, self.code_start):
            self.code.append((self.code_start, end))
            self.stack.append((_MARKUP, self.code_start, end + 1))
            return end + 1
        if self.text[self.code_start] == "]":  # the call holds paragraphs of its own
            self.borders.append((self.code_start, end))
        self.omit(self.code_start, end + content)
        if content:
            self.stack.append((_MARKUP, end, 0))
        return end + content

    def _behind_content(self, match: re.Match[str]) -> int:
        """Close the content of a call; what follows directly is more, in a place of its own."""
        if self.text[match.end() : match.end() + 1] != "[":
            self.omissions.append(match.span())
            return match.end()
        self.borders.append((match.start(), match.end() + 1))
        self.stack.append((_MARKUP, match.end(), 0))
        return match.end() + 1

    def _leave_code(self, end: int) -> None:
        while self.stack and self.stack[-1][0] != _MARKUP:
            self.stack.pop()
        self.borders.append((self.code_start, end))
        self.code.append((self.code_start, end))

    def _line(self, match: re.Match[str]) -> int:
        if self.stack and self.stack[-1][0] == _STATEMENT:
            self._leave_code(match.start())
        return match.end()


def scan_typst(text: str, commands: Commands, numbered: bool = True) -> Layout:
    """Read the layout of a Typst draft; `commands` are functions that other files define.

    `numbered` is that of `parse`.
    """
    bare = without_comments(text)
    citing = {match["name"]: CiteCommand(match["name"]) for match in DEFINED.finditer(bare)}
    commands = {**commands, **label_commands(bare), **citing}
    scan = _TypstScan(text, commands, numbered)
    scan.run()
    return scan.layout(
        title=named_text(bare, TITLE),
        abstract=named_text(bare, ABSTRACT),
        year=year_of(bare),
        markers=tuple(sorted(scan.markers, key=lambda marker: marker.start)),
        markers_outside_prose=tuple(scan.markers_outside_prose),
        labels=frozenset((*scan.labels, *glossary_keys(bare), *labels_made(bare, commands))),
    )


def _within(ranges: Iterable[Span], match: re.Match[str]) -> bool:
    return any(start <= match.start() < end for start, end in ranges)


def _key_range(cited: re.Match[str]) -> Span:
    """Return the range of the key in a label or a string that a citing call is given."""
    for part in ("label", "string", "bare"):
        if cited[part] is not None:
            return cited.span(part)
    return cited.start() + 1, cited.start() + 1


def _keys_in(text: str, start: int, end: int) -> list[MarkerKey]:
    written = text[start:end]
    key = written.strip()
    start += len(written) - len(written.lstrip())
    return [MarkerKey(key, start, start + len(key))] if key else []
