"""One scan over a Markdown draft (pandoc, R Markdown, Quarto, MyST): headings, citations, code.

A single compiled pattern stops at the characters that may mean something and at the lines that
begin in a telling way; each kind of stop has a short handler that says where to go on.
"""

from __future__ import annotations

import re

from cite_lsp.manuscript.arguments import closing_brace
from cite_lsp.manuscript.chunks import captions
from cite_lsp.manuscript.front_matter import read_front_matter, read_later_matter
from cite_lsp.manuscript.layout import Layout, Note, Span, Table, paragraph_end, sections_of
from cite_lsp.manuscript.liquid import closing_tag, is_aside, read_tag
from cite_lsp.manuscript.markdown_citations import each_by_itself, keys_of, nocite
from cite_lsp.manuscript.markdown_patterns import (
    ABSTRACTS,
    ATTRIBUTES,
    BARE_AT,
    BEFORE_LOCATOR,
    BLOCK_TAG,
    BRACKETS,
    CITATION,
    CLOSING_HASHES,
    CODE_LINES,
    DIRECTIVE,
    DIRECTIVE_OPTIONS,
    EQUATION_LABEL,
    EXAMPLE,
    FIELD,
    FOOTNOTE_END,
    FORMULAS,
    LABEL,
    LATER_ITEM,
    LINE,
    LIST_LINE,
    ROLE_KEY,
    STOP,
    STRUCK,
    TICKS,
    WIKI_LINK,
)
from cite_lsp.manuscript.model import (
    BibliographyDeclaration,
    Commands,
    Inclusion,
    Marker,
    MarkerKey,
    Section,
)
from cite_lsp.manuscript.pipe_tables import markdown_tables
from cite_lsp.manuscript.prose import plain_text
from cite_lsp.manuscript.ruled_tables import ruled_table, rules_in
from cite_lsp.manuscript.scanning import Scan

_LONGEST_NOTE = 2000
_LONGEST_FIELD = 200
_PATIENCE = 20
"""How many unclosed notes are looked for in full: junk must not cost the square of its length."""
_LINES_ABOVE = 200
"""How far up an item is looked for that an indented paragraph may belong to."""


class _Scan(Scan):
    """A scan of Markdown."""

    def __init__(self, text: str, start: int, commands: Commands) -> None:
        super().__init__(text, commands)
        self.start = start
        self.paragraph: Span = (0, 0)
        self.pairs: dict[int, int] | None = None
        self.unmatched: set[str] = set()
        """Backticks that have no counterpart in the rest of the paragraph."""
        self.unclosed = 0
        self.examples: set[str] = set()
        self.example_lines: set[int] = set()
        self.closings: set[int] = set()
        """Where the lines begin that close a directive."""
        self.aside: list[Marker] = []
        self.ruled: list[Table] = []
        """The tables whose columns lines of dashes part."""
        self.lines = {
            "fence": self._fence,
            "underline": self._underline,
            "rule": self._rule,
            "bullet": self._item,
            "remark": self._remark,
            "indented": self._indented,
        }

    def run(self) -> None:
        position = self._line(self.start)
        handlers = {
            "line": lambda found: self._line(found.end()),
            "code": self._inline_code,
            "comment": lambda found: self._through(found, "-->"),
            "hidden": lambda found: self._through(found, "%%"),
            "liquid": self._tag,
            "block": lambda found: self._through(found, f"</{found['block']}>"),
            "tag": self._html,
            "reference": self._pass_over,
            "footnote": self._latex_note,
            "environment": self._environment,
            "latex": lambda found: self.read_command(found, found["latex"]),
            "escape": lambda found: found.end(),
            "display": self._display,
            "formula": lambda found: found.end(),
            "bracket": self._bracket,
            "target": self._pass_over,
            "note": self._note,
            "comma": lambda found: self.leave_out(*found.span()),
            "anchor": lambda found: self.leave_out(*found.span()),
            "role": lambda found: self._role(found, "{%s}", "role"),
            "include": self._include,
            "raw": lambda found: found.end(),
            "url": self._pass_over,
            "field": self._field,
            "critic": self._critic,
            "d2l": lambda found: self._role(found, ":%s:", "d2l"),
            "at": self._narrative,
        }
        while found := STOP.search(self.text, position):
            position = max(handlers[found.lastgroup or "escape"](found), position + 1)

    def _through(self, found: re.Match[str], closing: str) -> int:
        end = self.find(closing, found.end())
        if end is None:
            return found.end()
        return self.leave_out(found.start(), end)

    def _display(self, found: re.Match[str]) -> int:
        end = self._through(found, "$$")
        label = EQUATION_LABEL.match(self.text, end) if end > found.end() else None
        return self.leave_out(*label.span()) if label else end

    def _html(self, found: re.Match[str]) -> int:
        if BLOCK_TAG.match(self.text, found.start()):
            self.borders.append(found.span())
        return self._pass_over(found)

    def _environment(self, found: re.Match[str]) -> int:
        if found["edge"] == "end" or found["named"].rstrip("*") not in FORMULAS:
            self.borders.append(found.span())
            return found.end()
        return self._through(found, f"\\end{{{found['named']}}}")

    def _tag(self, found: re.Match[str]) -> int:
        """Read a tag of Jekyll; what it begins that is no prose goes on to the tag that ends it."""
        closing = closing_tag(found)
        if closing is not None:
            return self._through(found, closing)
        marker = read_tag(found)
        if marker is not None and not is_aside(marker):
            self.markers.append(marker)
            return found.end()
        self.aside += [marker] if marker else []
        return self.leave_out(found.start(), found.end())

    def _critic(self, found: re.Match[str]) -> int:
        closing = STRUCK[found["critic"]]
        end = self.text.find(closing, found.end(), self._paragraph_end(found.start()))
        return found.end() if end < 0 else self.leave_out(found.start(), end + len(closing))

    def _inline_code(self, found: re.Match[str]) -> int:
        ticks = found.group()
        end = self._paragraph_end(found.start())
        if ticks in self.unmatched:
            return found.end()
        for closing in TICKS.finditer(self.text, found.end(), end):
            if closing.group() == ticks:
                self.code.append((found.start(), closing.end()))
                return closing.end()
        self.unmatched.add(ticks)
        return found.end()

    def _line(self, start: int) -> int:
        """Read a line that begins in a telling way; return where its text goes on."""
        found = LINE.match(self.text, start)
        if not found or (self.ruled and start < self.ruled[-1].end):
            return start
        kind = found.lastgroup or ""
        if handler := self.lines.get(kind):
            return handler(found)
        if kind == "heading":
            title = CLOSING_HASHES.sub("", ATTRIBUTES.sub("", (found["title"] or "").rstrip()))
            self._heading(start, found.end(), len(found["hashes"]), title)
            return found.start("title") if found["title"] else found.end()
        if kind == "footnote":
            ending = FOOTNOTE_END.search(self.text, found.end())
            end = ending.start() if ending else len(self.text)
            self.notes.append(Note(start, found.end(), end, end))
        elif kind in ("link", "mark"):
            self.code.append(found.span())
            self.borders.append(found.span())
        else:
            self.borders.append(found.span())
            if kind in ("row", "callout"):
                return start
            if kind == "div" and DIRECTIVE.match(self.text, start):
                return self._options(found.end())
        return found.end()

    def _rule(self, found: re.Match[str]) -> int:
        self.borders.append(found.span())
        if table := ruled_table(self.text, self.start, found.start()):
            self.ruled.append(table)
            self.holes += rules_in(self.text, table)
        return found.end()

    def _item(self, found: re.Match[str]) -> int:
        """Read where an item begins, if it is one: a number or an example may stand in prose."""
        start = found.start()
        example = EXAMPLE.match(self.text, start)
        doubtful = example or LATER_ITEM.match(self.text, start)
        if doubtful and not (self._below_block(start) or self._begins_item(start)):
            return start
        if example:
            self.example_lines.add(start)
            self.examples.update(filter(None, [example["label"]]))
        self.borders.append(found.span())
        return found.end()

    def _heading(self, start: int, body: int, level: int, title: str) -> None:
        self.headings.append((start, body, level, plain_text(title, "markdown")))
        self.borders.append((start, body))

    def _fence(self, found: re.Match[str]) -> int:
        if found.start() in self.closings:
            self.borders.append(found.span())
            return found.end()
        ticks = found["ticks"]
        closing = rf"\n[ \t>]*{ticks[0]}{{{len(ticks)},}}[ \t\r]*(?=\n|\Z)"
        ended = None
        if closing not in self._absent:
            ended = re.compile(closing).search(self.text, found.end())
            self._absent.update(() if ended else (closing,))
        if DIRECTIVE.match(self.text, found.start()):
            self.closings.update((ended.start() + 1,) if ended else ())
            self.borders.append(found.span())
            return self._options(found.end())
        end = ended.end() if ended else len(self.text)
        self.borders.append((found.start(), end))
        self.code.append((found.start(), end))
        for caption in captions(self.text, found.start(), end):
            self.aside += each_by_itself(self.text, caption)
        return end

    def _options(self, start: int) -> int:
        """Pass over the options of a directive, which stand below its first line."""
        options = DIRECTIVE_OPTIONS.match(self.text, start)
        if not options:
            return start
        end = options.end() - self.text.endswith("\n", start, options.end())
        self.borders.append((start, end))
        self.code.append((start, end))
        return end

    def _underline(self, found: re.Match[str]) -> int:
        """Take the line above `===` or `---` for a heading, unless it is none."""
        above = self.text.rfind("\n", 0, max(found.start() - 1, 0)) + 1
        title = self.text[above : max(found.start() - 1, 0)]
        plain = title.strip() and not LINE.match(self.text, above) and above >= self.start
        if plain and len(title) - len(title.lstrip()) < 4:
            level = 1 if "=" in found.group() else 2
            self._heading(above, found.end(), level, ATTRIBUTES.sub("", title))
            return found.end()
        if not title.strip() and (later := read_later_matter(self.text, found.start())):
            self.declarations += (BibliographyDeclaration(*path) for path in later.bibliographies)
            self.markers += nocite(self.text, later.nocite)
            self.borders.append((found.start(), later.end))
            return self.leave_out(found.start(), later.end)
        self.borders.append(found.span())
        return found.end()

    def _remark(self, found: re.Match[str]) -> int:
        """Leave out lines of MyST that begin with a percent sign, unless a paragraph goes on so."""
        start = found.start()
        above = self.text.rfind("\n", self.start, max(start - 1, self.start)) + 1
        if self.text[max(above, self.start) : start].strip() and not self._below_block(start):
            return start
        self.borders.append(found.span())
        return self._pass_over(found)

    def _indented(self, found: re.Match[str]) -> int:
        start, text = found.start(), self.text
        above = text[max(text.rfind("\n", 0, max(start - 1, 0)), 0) : start]
        if above.strip() or self._in_list(start):
            return start
        lines = CODE_LINES.match(text, start)
        end = lines.end() if lines else found.end()
        self.borders.append((start, end))
        self.code.append((start, end))
        return max(end - 1, found.end())

    def _below_block(self, start: int) -> bool:
        """Whether code, a table or the like ends on the line above, so that no prose goes on."""
        return bool(self.borders) and not self.text[self.borders[-1][1] : start].strip(" \t\r\n>")

    def _begins_item(self, start: int) -> bool:
        """Whether an item may begin here: behind a blank line, a heading, or in a list."""
        position, below = start, False
        for _ in range(_LINES_ABOVE):
            above = self.text.rfind("\n", self.start, max(position - 1, self.start)) + 1
            above = max(above, self.start)
            line = self.text[above:position]
            if not line.strip(" \t\r\n>") or line.startswith("#"):
                return not below
            if LIST_LINE.match(line):
                return above in self.example_lines or not EXAMPLE.match(line)
            position, below = above, True
        return False

    def _in_list(self, start: int) -> bool:
        """Whether the paragraph above that is not indented holds an item or a footnote."""
        position, first = start, ""
        for _ in range(_LINES_ABOVE):
            line_start = self.text.rfind("\n", self.start, max(position - 1, self.start)) + 1
            line = self.text[max(line_start, self.start) : position]
            indented = line.startswith(("    ", "\t"))
            if not indented and LIST_LINE.match(line):
                return True
            if not line.strip() and first:
                return False
            if line.strip():
                first = "" if indented else line
            position = line_start
            if line_start <= self.start:
                break
        return False

    def _paragraph_end(self, offset: int) -> int:
        if not self.paragraph[0] <= offset < self.paragraph[1]:
            self.paragraph = (offset, paragraph_end(self.text, offset, len(self.text)))
            self.pairs = None
            self.unmatched = set()
        return self.paragraph[1]

    def _matching(self, opening: int) -> int | None:
        """Return the offset of the bracket that closes the one at `opening`, in its paragraph."""
        end = self._paragraph_end(opening)
        if self.pairs is None:
            self.pairs, opened = {}, []
            for found in BRACKETS.finditer(self.text, opening, end):
                if found.group() == "[":
                    opened.append(found.start())
                elif found.group() == "]" and opened:
                    self.pairs[opened.pop()] = found.start()
        return self.pairs.get(opening)

    def _bracket(self, found: re.Match[str]) -> int:
        opening = found.start()
        inside = opening + 1
        before = self.text[opening - 1] if opening else ""
        closing = self._matching(opening) if before not in ("!", "^", "\\") or not before else None
        if closing is None or self.text[closing + 1 : closing + 2] in ("(", "{"):
            return inside
        if self.text.find("@", inside, closing) < 0:
            return inside
        cited = self._citations(inside, closing)
        if not cited:
            bare = BARE_AT.search(self.text, opening, closing)
            if bare and not self.text[inside:closing].strip(" @;-"):
                self.markers.append(Marker("[@]", (), opening, closing + 1))
                return closing + 1
            return inside
        keys = keys_of(cited)
        if keys:
            linked = len(keys) == 1 and WIKI_LINK.match(self.text, opening, closing + 1)
            command = "[[@]]" if linked else "[@]"
            self.markers.append(Marker(command, keys, opening, closing + 1))
        return closing + 1

    def _citations(self, start: int, end: int) -> list[re.Match[str]]:
        """Return the citations in a bracket, those in brackets inside it too."""
        found = []
        position = start
        while position < end:
            citation = CITATION.search(self.text, position, end)
            if not citation:
                break
            target = self.text.find("](", position, citation.start())
            if target >= 0:  # an address in a link inside
                close = self.text.find(")", target, end)
                position = end if close < 0 else close + 1
                continue
            tick = self.text.find("`", position, citation.start())
            if tick >= 0:
                closing = self.text.find("`", tick + 1, end)
                if closing >= 0:
                    position = closing + 1
                    continue
            found.append(citation)
            position = citation.end()
        return found

    def _narrative(self, found: re.Match[str]) -> int:
        at = found.start()
        suppressed = at > 0 and self.text[at - 1] == "-"
        citation = CITATION.match(self.text, at - 1 if suppressed else at)
        citation = citation or CITATION.match(self.text, at)
        if not citation:
            return found.end()
        keys = keys_of([citation])
        if not keys:
            return citation.end()
        end = citation.end()
        locator = BEFORE_LOCATOR.match(self.text, end)
        closing = self._matching(locator.end()) if locator else None
        if locator and closing and self.text[closing + 1 : closing + 2] not in ("(", "[", "{"):
            first, *others = self.text[locator.end() + 1 : closing].split(";", 1)
            if "@" not in first and not first.startswith("^"):
                behind = locator.end() + 1 + len(first)
                keys += keys_of(self._citations(behind, closing)) if others else ()
                end = closing + 1
        self.markers.append(Marker("@", keys, citation.start(), end))
        return end

    def refer_to_examples(self) -> None:
        """Read `@label` as a reference to the numbered example of that label, as pandoc does."""
        markers, self.markers = self.markers, []
        for marker in markers:
            if marker.command == "@" and self.examples.issuperset(key.text for key in marker.keys):
                self.references.append((marker.start, marker.end))
            else:
                self.markers.append(marker)

    def _note(self, found: re.Match[str]) -> int:
        closing = self._matching(found.end() - 1)
        if closing is not None:
            self.notes.append(Note(found.start(), found.end(), closing, closing + 1))
        return found.end()

    def _latex_note(self, found: re.Match[str]) -> int:
        """Read a footnote as LaTeX has it, which R Markdown leaves to LaTeX."""
        limit = _LONGEST_NOTE if self.unclosed <= _PATIENCE else 100
        closing = closing_brace(self.text, found.end(), limit)
        self.unclosed += closing is None
        if closing is not None:
            self.notes.append(Note(found.start(), found.end() + 1, closing, closing + 1))
        return found.end() + 1

    def _field(self, found: re.Match[str]) -> int:
        """Part an inline field from the text: its name from its value, or all of a bracket."""
        start = found.start()
        line = max(self.text.rfind("\n", 0, start) + 1, start - _LONGEST_FIELD)
        opening = max(self.text.rfind("[", line, start), self.text.rfind("(", line, start))
        if FIELD.fullmatch(self.text, line, start):
            self.borders.append((line, found.end()))
        elif opening >= 0 and FIELD.fullmatch(self.text, opening + 1, start):
            sign = "]" if self.text[opening] == "[" else ")"
            closing = self.text.find(sign, start, start + _LONGEST_FIELD)
            if closing >= 0 and "\n" not in self.text[start:closing]:
                self.holes.append((opening, closing + 1))
        return found.end()

    def _include(self, found: re.Match[str]) -> int:
        self.inputs.append(Inclusion(found["path"], *found.span("path")))
        self.borders.append(found.span())
        return found.end()

    def _role(self, found: re.Match[str], form: str, kind: str) -> int:
        """Read a role, which cites by its name; one that is only begun ends with its line."""
        name = found[f"{kind}_name"]
        start, end = found.span(f"{kind}_keys")
        closed = kind == "d2l" or bool(found["role_end"])
        if not name.startswith(("cite", "footcite")):
            self.code += [found.span()] if closed else []
            return found.end() if closed else start - 1
        if not closed:
            line = self.text.find("\n", start, end)
            end = end if line < 0 else line
        keys: list[MarkerKey] = []
        lists: list[Span] = []
        for piece in ROLE_KEY.finditer(self.text, start, end):
            if piece["key"]:
                keys.append(MarkerKey(piece["key"], *piece.span("key")))
            else:
                lists += [(start, piece.start())] if start < piece.start() else []
                start = piece.end()
        lists.append((start, end))
        self.markers.append(
            Marker(form % name, tuple(keys), found.start(), end + closed, closed, tuple(lists))
        )
        return end + closed


def scan_markdown(text: str, commands: Commands) -> Layout:
    """Read the layout of a Markdown draft; `commands` are LaTeX ones that its project defines."""
    front = read_front_matter(text)
    scan = _Scan(text, front.end, commands)
    scan.run()
    scan.refer_to_examples()
    piped = markdown_tables(text, front.end, sorted(scan.code))
    tables = scan.take_tables(sorted((*piped, *scan.ruled), key=lambda table: table.start))
    sections = sections_of(scan.headings, len(text))
    levels = sorted(level for _, _, level, _ in scan.headings)
    alone = levels[:2].count(1) == 1
    return scan.layout(
        prose=(front.end, len(text)),
        title=plain_text(front.title, "markdown")
        or next((section.title for section in sections if section.level == 1 and alone), ""),
        abstract=plain_text(front.abstract, "markdown") or _abstract(text, sections),
        year=front.year,
        sections=sections,
        markers=(*nocite(text, front.nocite), *scan.markers),
        aside=(*each_by_itself(text, front.abstract_at), *scan.aside),
        declarations=(
            *(BibliographyDeclaration(*path) for path in front.bibliographies),
            *scan.declarations,
        ),
        code=((0, front.end), *scan.code) if front.end else tuple(scan.code),
        tables=tables,
        labels=_labels(text),
    )


def _labels(text: str) -> frozenset[str]:
    """Return the labels of a draft, also as they are written where a sentence begins."""
    labels = [found["label"] for found in LABEL.finditer(text)]
    return frozenset((*labels, *(label[0].upper() + label[1:] for label in labels)))


def _abstract(text: str, sections: tuple[Section, ...]) -> str:
    for section in sections:
        if section.title.casefold() in ABSTRACTS:
            return plain_text(text[section.body : section.end], "markdown")
    return ""
