"""The lines of a Markdown draft that begin in a telling way: headings, items, code, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Note, Span, Table
from cite_lsp.manuscript.markdown.chunks import captions, inclusions, is_latex
from cite_lsp.manuscript.markdown.citations import separate_markers
from cite_lsp.manuscript.markdown.patterns import LETTERED
from cite_lsp.manuscript.markdown.prose import MARKDOWN
from cite_lsp.manuscript.markdown.ruled_tables import LONGEST, has_columns, ruled_table, rules_in
from cite_lsp.manuscript.model import Commands, Inclusion
from cite_lsp.manuscript.scan_base import BaseScan
from cite_lsp.manuscript.text.front_matter import (
    FrontMatter,
    begins_later_matter,
    read_later_matter,
)
from cite_lsp.manuscript.text.paragraphs import plain_text

_LINE = lazy_re(
    r"""(?P<fence>[ \t>]*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?
            (?P<ticks>`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})[^\n]*)
      | (?P<heading>\ {0,3}(?P<hashes>\#{1,6})(?:[ \t]+(?P<title>[^\n]*))?\r?(?=\n|\Z))
      | (?P<underline>\ {0,3}(?:=+|-+)[ \t\r]*(?=\n|\Z))
      | (?P<rule>[ \t]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,})\r?(?=\n|\Z))
      | (?P<mark>[ \t]*(?:\([^()\n]+\)=|\+{3}(?:[ \t]+\{[^\n]*)?)[ \t\r]*(?=\n|\Z))
      | (?P<bullet>[ \t>]*(?:(?:[-*+]|\#\.|\d{1,3}[.)]|\(?[a-z0-9]\)|\([ivx]{1,4}\)|"""
    + LETTERED
    + r"""|\((?:@|ref:)[\w-]*\))[ \t]+)+
            (?:\[[^\]\d^\n]\][ \t]+)?)
      | (?P<admonition>[ \t]*(?:!!!|\?\?\?\+?|===[!+]{0,2}(?=[ \t]+"))[ \t]*[\w"][^\n]*)
      | (?P<snippet>[ \t]*-+8<-+[^\n]*)
      | (?P<included>!include(?:`[^`\n]*`)?[ \t]+["']?
            (?P<file>[^\s"'](?:\S|[^\S\n]+(?=\S))*?)["']?[ \t\r]*(?=\n|\Z))
      | (?P<callout>[ \t]*>[ \t>]*\[!\w+\][-+]?[^\n]*)
      | (?P<div>[ \t]*:{3,}[^\n]*)
      | (?P<row>[ \t]*(?:\|[^\n]*|\+[-=+: \t]{3,}))
      | (?P<footnote>\[\^[^\]\s]+\]:[ \t]*)
      | (?P<link>\ {0,3}\*?\[[^\[\]\n^@]+\]:[ \t]*\S+[^\n]*)
      | (?P<remark>%(?!%)[^\n]*)
      | (?P<indented>(?:\ {4}|\t)[^\n]*\S[^\n]*)
    """,
    re.VERBOSE,
)
_LATER_ITEM = lazy_re(rf"[ \t>]*(?:(?!1[.)])\d{{1,3}}[.)]|{LETTERED})")
"""A number or letter that begins an item in a list; below other lines it is prose."""
_EXAMPLE = lazy_re(r"[ \t>]*\(@(?P<label>[\w-]*)\)[ \t]")
_CLOSING_HASHES = lazy_re(r"(?<![ \t])[ \t]++#+[ \t]*$")
_ATTRIBUTES = lazy_re(r"(?<![ \t])[ \t]*+\{[^{}]*\}[ \t]*$")
_CODE_LINES = lazy_re(r"(?:(?:(?: {4}|\t)[^\n]*|[ \t\r]*)(?:\n|\Z))+?(?=(?! {4}|\t|[ \t\r]*\n)|\Z)")
_LIST_LINE = lazy_re(
    rf"[ \t>]*(?:(?:[-*+]|#\.|\d{{1,3}}[.)]|\((?:[a-z]|[ivx]{{2,4}}|@[\w-]*)\)|:|{LETTERED})[ \t]"
    r"|\[\^[^\]\s]+\]:\s|(?:!!!|\?\?\?\+?)[ \t]*\w|===[!+]{0,2}[ \t]+\")"
)
"""A line that what is indented below may belong to: an item, a footnote, an admonition or a tab."""
_FOOTNOTE_END = lazy_re(r"\n[ \t\r]*\n(?! {4}|\t)|\n(?=\[\^[^\]\s]+\]:)")
_DIRECTIVE = lazy_re(
    r"""[ \t>]*[`~:]{3,}[ \t]*\{(?:
        note|tip|hint|important|warning|caution|attention|danger|error|seealso|admonition|sidebar
       |margin|aside|topic|epigraph|pull-quote|highlights|blockquote|figure|table|list-table
       |dropdown|details|card|grid(?:-item(?:-card)?)?|tab-(?:set|item)|container|div|abstract
       |version(?:added|changed)|deprecated|full-width
       |(?:prf:)?(?:theorem|lemma|corollary|proposition|conjecture|definition|proof|remark|example
         |axiom|criterion|property|observation|assumption)
       |exercise(?:-start)?|solution(?:-start)?|hypothesis|block2?
       )(?:[ \t,][^{}\n]*)?\}""",
    re.VERBOSE,
)
"""The first line of a directive of MyST, or of a block of bookdown, that holds prose."""
_DIRECTIVE_NAME = lazy_re(r"[ \t>]*[`~:]{3,}[ \t]*\{[\w:-]+\}")
_TARGET_OPTION = lazy_re(
    r"^[ \t>]*(?::(?:label|name):|(?:label|name):)[ \t]*(?P<label>[^\s#](?:[^\n]*\S)?)[ \t\r]*$",
    re.MULTILINE,
)
_TARGET = lazy_re(r"[ \t]*\((?P<label>[^()\n]+)\)=")
"""The line of MyST that names what stands below it: `(my-section)=`."""
_LONGEST_OPTIONS = 2100
_OPTIONS_BEGIN = lazy_re(r"\n[ \t>]*---[ \t\r]*\n")
_DIRECTIVE_OPTIONS = lazy_re(
    r"""\n(?:(?:[ \t>]*:[\w-]+:[^\n]*(?:\n|\Z))+
      |[ \t>]*---[ \t\r]*\n(?s:.{0,2000}?)\n[ \t>]*---[ \t\r]*(?=\n|\Z))""",
    re.VERBOSE,
)
_LINES_ABOVE = 200
"""How far up an item is looked for that an indented paragraph may belong to."""


class LineScan(BaseScan):
    """A scan that reads lines by how they begin, with what it has to remember of those above."""

    def __init__(self, text: str, start: int, commands: Commands) -> None:
        """Take a text whose prose begins at `start`."""
        super().__init__(text, commands)
        self.start = start
        self.examples: set[str] = set()
        self.labels: set[str] = set()
        """The names that are targets of MyST by what stands there."""
        self.metadata: list[FrontMatter] = []
        """The blocks of metadata below the top."""
        self.ruled: list[Table] = []
        """The tables whose columns lines of dashes part."""
        self._example_lines: set[int] = set()
        self._closings: set[int] = set()
        self._lines = {
            "fence": self._fence,
            "underline": self._underline,
            "rule": self._rule,
            "bullet": self._item,
            "remark": self._remark,
            "indented": self._indented,
        }

    def read_line(self, start: int) -> int:
        """Read a line that begins in a telling way; return where its text goes on."""
        match = _LINE.match(self.text, start)
        if not match or (self.ruled and start < self.ruled[-1].end):
            return start
        kind = match.lastgroup or ""
        if handler := self._lines.get(kind):
            return handler(match)
        if kind == "heading":
            title = _CLOSING_HASHES.sub("", _ATTRIBUTES.sub("", (match["title"] or "").rstrip()))
            self._heading(start, match.end(), len(match["hashes"]), title)
            return match.start("title") if match["title"] else match.end()
        if kind == "footnote":
            ending = _FOOTNOTE_END.search(self.text, match.end())
            end = ending.start() if ending else len(self.text)
            self.notes.append(Note(start, match.end(), end, end))
        elif kind in ("link", "mark"):
            self.set_apart(*match.span())
            if target := _TARGET.match(self.text, start):
                self.labels.add(target["label"].strip())
        else:
            self.borders.append(match.span())
            if kind == "included":  # by a filter of pandoc
                self._add_inclusions([match.span("file")])
            if kind in ("row", "callout"):
                return start
            if kind == "div":
                self._targets(match)
                self._add_inclusions(inclusions(self.text, start, match.end()))
            if kind == "div" and _DIRECTIVE.match(self.text, start):
                return self._options(match.end())
        return match.end()

    def _rule(self, match: re.Match[str]) -> int:
        self.borders.append(match.span())
        if has_columns(self.text, match.start()):
            self.search_through(match.start(), match.start() + LONGEST)
        if table := ruled_table(self.text, self.start, match.start()):
            self.ruled.append(table)
            self.omissions += rules_in(self.text, table)
        return match.end()

    def _item(self, match: re.Match[str]) -> int:
        """Read where an item of a list begins; a number or an example may also stand in prose."""
        start = match.start()
        example = _EXAMPLE.match(self.text, start)
        doubtful = example or _LATER_ITEM.match(self.text, start)
        if doubtful and not (self._below_block(start) or self._begins_item(start)):
            return start
        if example:
            self._example_lines.add(start)
            self.examples.update(filter(None, [example["label"]]))
        self.borders.append(match.span())
        return match.end()

    def _heading(self, start: int, body: int, level: int, title: str) -> None:
        self.headings.append((start, body, level, plain_text(title, MARKDOWN)))
        self.borders.append((start, body))

    def _fence(self, match: re.Match[str]) -> int:
        if match.start() in self._closings:
            self.borders.append(match.span())
            return match.end()
        ticks = match["ticks"]
        closing = rf"\n[ \t>]*{ticks[0]}{{{len(ticks)},}}[ \t\r]*(?=\n|\Z)"
        ended = self.ending(closing, match.end())
        if _DIRECTIVE.match(self.text, match.start()):
            self._targets(match)
            self._closings.update((ended.start() + 1,) if ended else ())
            self.borders.append(match.span())
            return self._options(match.end())
        end = ended.end() if ended else len(self.text)
        self.set_apart(match.start(), end)
        self._targets(match)
        self._add_inclusions(inclusions(self.text, match.start(), end))
        if is_latex(self.text, match.start()):
            # Imported where needed: few drafts have any.
            from cite_lsp.manuscript.latex.scan import read_latex_part

            read_latex_part(self, match.end(), ended.start() if ended else end)
        printed = captions(self.text, match.start(), end)
        self.markers_outside_prose += separate_markers(self.text, printed)
        return end

    def _add_inclusions(self, paths: Iterable[Span]) -> None:
        self.inputs += (Inclusion(self.text[start:end], start, end) for start, end in paths)

    def _targets(self, match: re.Match[str]) -> None:
        """Note the names by which MyST refers to a directive: that in an option of it."""
        if not _DIRECTIVE_NAME.match(self.text, match.start()):
            return
        if options := self._options_at(match.end()):
            named = _TARGET_OPTION.finditer(self.text, *options.span())
            self.labels.update(option["label"].strip("\"'") for option in named)

    def _options_at(self, start: int) -> re.Match[str] | None:
        options = _DIRECTIVE_OPTIONS.match(self.text, start)
        if _OPTIONS_BEGIN.match(self.text, start):
            self.search_through(start, options.end() if options else start + _LONGEST_OPTIONS)
        return options

    def _options(self, start: int) -> int:
        """Pass over the options of a directive, which stand below its first line."""
        options = self._options_at(start)
        if not options:
            return start
        end = options.end() - self.text.endswith("\n", start, options.end())
        return self.set_apart(start, end)

    def _underline(self, match: re.Match[str]) -> int:
        """Read the line above `===` or `---` as a heading, where it can be a heading."""
        above = self.text.rfind("\n", 0, max(match.start() - 1, 0)) + 1
        title = self.text[above : max(match.start() - 1, 0)]
        plain = title.strip() and not _LINE.match(self.text, above) and above >= self.start
        if plain and len(title) - len(title.lstrip()) < 4:
            level = 1 if "=" in match.group() else 2
            self._heading(above, match.end(), level, _ATTRIBUTES.sub("", title))
            return match.end()
        if not title.strip() and begins_later_matter(self.text, match.start()):
            self.search_through(match.start(), len(self.text))
        if not title.strip() and (later := read_later_matter(self.text, match.start())):
            self.metadata.append(later)
            self.borders.append((match.start(), later.end))
            return self.omit(match.start(), later.end)
        self.borders.append(match.span())
        return match.end()

    def _remark(self, match: re.Match[str]) -> int:
        """Leave out lines of MyST that begin with a percent sign, unless a paragraph goes on so."""
        start = match.start()
        if self.text[self._line_above(start) : start].strip() and not self._below_block(start):
            return start
        self.borders.append(match.span())
        return self._add_code(match)

    def _indented(self, match: re.Match[str]) -> int:
        start, text = match.start(), self.text
        above = text[max(text.rfind("\n", 0, max(start - 1, 0)), 0) : start]
        if above.strip() or self._in_list(start):
            return start
        lines = _CODE_LINES.match(text, start)
        end = lines.end() if lines else match.end()
        self.set_apart(start, end)
        return max(end - 1, match.end())

    def _line_above(self, start: int) -> int:
        """Return where the line begins above the one that begins at an offset."""
        above = self.text.rfind("\n", self.start, max(start - 1, self.start)) + 1
        return max(above, self.start)

    def _below_block(self, start: int) -> bool:
        """Whether code, a table or the like ends on the line above, so that no prose goes on."""
        return bool(self.borders) and not self.text[self.borders[-1][1] : start].strip(" \t\r\n>")

    def _begins_item(self, start: int) -> bool:
        """Whether an item may begin here: behind a blank line, a heading, or in a list."""
        position, below = start, False
        for _ in range(_LINES_ABOVE):
            above = self._line_above(position)
            line = self.text[above:position]
            if not line.strip(" \t\r\n>") or line.startswith("#"):
                return not below
            if _LIST_LINE.match(line):
                return above in self._example_lines or not _EXAMPLE.match(line)
            position, below = above, True
        return False

    def _in_list(self, start: int) -> bool:
        """Whether the paragraph above that is not indented holds an item or a footnote."""
        position, first = start, ""
        for _ in range(_LINES_ABOVE):
            above = self._line_above(position)
            line = self.text[above:position]
            indented = line.startswith(("    ", "\t"))
            if not indented and _LIST_LINE.match(line):
                return True
            if not line.strip() and first:
                return False
            if line.strip():
                first = "" if indented else line
            position = above
            if above == self.start:
                break
        return False
