"""One scan over a Typst draft: headings, citations, files named, and what is no prose.

Typst switches between markup and code: `#` begins code, `[` inside code begins markup again. The
scan keeps that nesting on a stack; a citation stands in markup only, a string in code only.
"""

from __future__ import annotations

import re

from attrs import evolve

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Layout, Note
from cite_lsp.manuscript.model import (
    CiteCommand,
    Commands,
    Inclusion,
    Marker,
    MarkerKey,
)
from cite_lsp.manuscript.scan_base import PATIENCE
from cite_lsp.manuscript.text.paragraphs import plain_text
from cite_lsp.manuscript.typst.call_scan import LONGEST_CITE, CallScan, key_range, keys_between
from cite_lsp.manuscript.typst.formulas import LONGEST_FORMULA, formula_end, next_dollar
from cite_lsp.manuscript.typst.metadata import ABSTRACT, TITLE, glossary_keys, named_text, year_of
from cite_lsp.manuscript.typst.own_labels import (
    label_commands,
    labels_made,
    without_comments,
)
from cite_lsp.manuscript.typst.patterns import CITED, KEY, LABEL, LONGEST_NAME, STRING
from cite_lsp.manuscript.typst.prose import TYPST

_LOOK = (
    r'(?=^|[\\/`$"<\#@\[\](){}\n]|https?:'
    r"|\b(?:attribution|label|cite|ref|bibliography|include|import))"
)
"""What `_STOP` begins with at all: trying its parts at each character took six times as long."""
_STOP = lazy_re(
    rf"""{_LOOK}(?:(?P<escape>\\.)
      | (?P<url>https?://[^\s\])}}>"]+)
      | (?P<comment>//[^\r\n]*|/\*)
      | (?P<raw>`+)
      | (?P<formula>\$)
      | (?P<string>")
      | (?P<heading>^[ \t]*(?P<signs>=+)[ \t]+(?P<title>[^\n]*))
      | (?P<item>^[ \t]*(?:[-+/]|\d+\.)[ \t]+)
      | (?P<attribution>\battribution:\s*(?=<|label\())
      | (?P<label>(?:\#(?=label\())?{LABEL})
      | (?P<hash>\#(?P<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)?(?P<opening>[(\[{{])?)
      | (?P<call>(?<![\w-])(?P<called>cite|ref|bibliography)(?:(?<=y)\.with)?[ \t]*\()
      | (?P<include>\b(?P<how>include|import)[ \t]*"(?P<path>[^"\n]*)")
      | (?P<named>\bbibliography[\w-]*:[ \t]*"(?P<bibliography>[^"\n]*)")
      | (?P<at>(?<![A-Za-z0-9._+-])@(?P<key>{KEY})|(?<=[A-Za-z0-9._+-])@(?P<attached>{KEY}))
      | (?P<bracket>[\[\](){{}}])
      | (?P<line>\n))
    """,
    re.VERBOSE | re.MULTILINE,
)
_KEYWORDS = frozenset("let set show import include if for while return context".split())
_NOTE = lazy_re(r"#(?:footnote|todo|margin-note|inline-note)(?=[(\[])")
_PRINTED = lazy_re(
    r"#(?:emph|strong|smallcaps|upper|lower|underline|highlight|strike|sub|super|text)"
    r'\([ \t]*"(?P<printed>[^"\\\n]*)"[ \t]*\)'
)
"""A call that prints a string: `#smallcaps("Doe")`."""
_BREAKS = frozenset("v parbreak colbreak pagebreak".split())
_ADDRESS = lazy_re(r"[\w-]+(?:\.[\w-]+)+")
_LABEL_IN_FORMULA = lazy_re(rf"\#{LABEL}")
_ARGUMENT = lazy_re(r"(?:\b(?P<name>[\w-]+):|\(|(?P<content>[)\]}$]\s*)?,)\s*\Z")
"""What stands before an argument: its name, the bracket, or a comma behind content or another."""
_COMMENT_SIGN = lazy_re(r"/\*|\*/")
_DEFINED = lazy_re(
    r"#let[ \t]+(?P<name>[A-Za-z_][\w-]*)(?:\([^()\n]*\))?[ \t]*="
    r"(?:[ \t]*cite\.with\(|[^\n]{0,200}?(?<![\w-])cite\()"
)
_MARKUP, _CODE, _STATEMENT = range(3)


class _TypstScan(CallScan):
    def __init__(self, text: str, commands: Commands, numbered: bool) -> None:
        super().__init__(text, commands, numbered)
        self.stack: list[tuple[int, int, int]] = []
        """The kind of what is open, where it began, and where its text begins if it is a note."""
        self.code_start = 0
        self.labels: set[str] = set()
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
        position = opening = 0
        while match := _STOP.search(self.text, position):
            was_open = bool(self.stack)
            handler = self.handlers.get(match.lastgroup or "")
            position = max(handler(match) if handler else match.end(), position + 1)
            if self.stack and not was_open:
                opening = match.start()
            elif was_open and not self.stack:
                self.search_through(opening, position - (match.lastgroup == "line"))
        if self.stack:
            self.search_through(opening, len(self.text))
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
        for sign in _COMMENT_SIGN.finditer(self.text, start):
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
        end = formula_end(self.text, start) if self.unclosed <= PATIENCE else None
        if end is None:
            self.unclosed += 1
            self.search_through(start, start + LONGEST_FORMULA)
            end = next_dollar(self.text, start)
        if end is None:
            return match.end()
        self.code.append((start, end))
        self.labels.update(
            label["sign"] or label["written"]
            for label in _LABEL_IN_FORMULA.finditer(self.text, start, end)
        )
        if self.text[start + 1].isspace():
            self.omissions.append((start, end))
        return end

    def _string(self, match: re.Match[str]) -> int:
        if not self.in_code:
            return match.end()
        string = STRING.match(self.text, match.start())
        if string is None:
            self.search_through(match.start(), len(self.text))
        return string.end() if string else match.end()

    def _heading(self, match: re.Match[str]) -> int:
        if self.in_code:
            return match.end("signs")
        title = plain_text(match["title"], TYPST)
        self.headings.append((match.start(), match.end(), len(match["signs"]), title))
        self.borders.append(match.span())
        return match.start("title")

    def _item(self, match: re.Match[str]) -> int:
        if not self.in_code:
            self.part_item(match)
        return match.end()

    def _attribution(self, match: re.Match[str]) -> int:
        """Read the key that a quotation is attributed to."""
        cited = CITED.match(self.text, match.end()) if self.in_code else None
        if not cited:
            return match.end()
        listed = key_range(cited)
        keys = tuple(keys_between(self.text, *listed))
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
        before = _ARGUMENT.search(self.text, max(start - LONGEST_NAME, 0), start)
        return before is not None and before["name"] != "label" and not before["content"]

    def _hash(self, match: re.Match[str]) -> int:
        if self.in_code:
            return match.start() + 1
        name, opening = match["name"] or "", match["opening"] or ""
        start = match.start()
        if printed := _PRINTED.match(self.text, start):
            self.omissions += [
                (start, printed.start("printed")),
                (printed.end("printed"), printed.end()),
            ]
            self.code.append(printed.span())
            return printed.end()
        if name in _KEYWORDS:
            self.code_start = start
            self.stack.append((_STATEMENT, start, 0))
            return start + 1 if name in ("include", "import") else match.end("name")
        if opening and name in ("h", "linebreak", *_BREAKS):
            return self._spacing_call(match, name)
        if name in ("cite", "ref", "bibliography") and opening == "(":
            self.code_start = start
            return start + 1
        if opening == "(" and ("cite" in name.lower() or name in self.citing):
            end = self.read_own_call(start, match.end())
            if end is not None:
                return end
        if opening == "[":
            self.omissions.append(match.span())
            self.stack.append((_MARKUP, start, match.end() if _NOTE.match(self.text, start) else 0))
        elif opening:
            self.code_start = start
            self.stack.append((_CODE, start, 0))
        elif name:
            self.omissions.append(match.span())
        return match.end()

    def _spacing_call(self, match: re.Match[str], name: str) -> int:
        """Read a call that makes room in a line or between two."""
        end, _ = self.call_end(match.end())
        self.code.append((match.start(), end))
        if name in _BREAKS:
            self.borders.append((match.start(), end))
        return end

    def _call(self, match: re.Match[str]) -> int:
        start = match.start()
        has_hash = self.text[start - 1 : start] == "#" and not self.in_code
        if not has_hash and not self.in_code:
            return match.end()
        return self.read_call(match, start - has_hash)

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
        if part == "attached" and _ADDRESS.match(key):
            self.code.append(match.span())
            return match.end()
        end = match.end()
        if self.text[end : end + 1] == "[":
            close, closed = self.call_end(end + 1, LONGEST_CITE)
            if closed:
                self.read_supplement(end + 1, close)
                end = close
        if self.is_numbered(key):
            self.references.append((match.start(), end))
        else:
            keys = (MarkerKey(key, *match.span(part)),)
            self.markers.append(Marker("@", keys, match.start(), end))
        return end

    def _bracket(self, match: re.Match[str]) -> int:
        sign = match.group()
        if self.in_code:
            if sign == "[":
                self.set_apart(self.code_start, match.end())
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
        if content and _NOTE.match(self.text, self.code_start):
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
        self.set_apart(self.code_start, end)

    def _line(self, match: re.Match[str]) -> int:
        if self.stack and self.stack[-1][0] == _STATEMENT:
            self._leave_code(match.start())
        return match.end()


def scan_typst(text: str, commands: Commands, numbered: bool = True) -> Layout:
    """Read the layout of a Typst draft, `commands` being functions, `numbered` as in `parse`."""
    bare = without_comments(text)
    citing = {match["name"]: CiteCommand(match["name"]) for match in _DEFINED.finditer(bare)}
    commands = {**commands, **label_commands(bare), **citing}
    scan = _TypstScan(text, commands, numbered)
    scan.run()
    return evolve(
        scan.layout(TYPST),
        title=named_text(bare, TITLE),
        abstract=named_text(bare, ABSTRACT) or scan.headed_abstract(TYPST),
        year=year_of(bare),
        markers=tuple(sorted(scan.markers, key=lambda marker: marker.start)),
        labels=frozenset((*scan.labels, *glossary_keys(bare), *labels_made(bare, commands))),
    )
