"""One scan over a LaTeX draft: headings, citations, files named, and what is no prose.

A single compiled pattern stops at the commands of interest and at comments; each kind of command
has a short handler that says where to go on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from cite_lsp.manuscript.abbreviations import DECLARING, declared_name
from cite_lsp.manuscript.arguments import (
    closing_brace,
    opening_brace,
    read_key_list,
    skip_brackets,
    skip_groups,
)
from cite_lsp.manuscript.citation_commands import (
    cite_command,
    definitions,
    markers_in,
    read_marker,
    topic_bibliographies,
)
from cite_lsp.manuscript.latex_names import (
    BIBLIOGRAPHIES,
    BORDERS,
    DEFINING,
    FIGURE,
    FORMULA,
    FRONT,
    IMPORTS,
    INPUTS,
    LEVELS,
    NOTES,
    SETTING,
    TITLED,
    TITLES,
    VERBATIM,
    stopping_pattern,
)
from cite_lsp.manuscript.latex_prose import plain_latex
from cite_lsp.manuscript.layout import Layout, Note, Span, sections_of
from cite_lsp.manuscript.model import (
    BibliographyItem,
    CiteCommand,
    EmbeddedFile,
    Inclusion,
    Marker,
    MarkerKey,
)
from cite_lsp.manuscript.scanning import Scan
from cite_lsp.manuscript.tables import CELL_COMMANDS, TABULAR, TableScan

_MACRO = re.compile(r"\\(?:[A-Za-z@]+|.)")
_TEX_DEFINITION = re.compile(r"\s*\\(?:[A-Za-z@]+|.)[^{}\n]*")
_ALIAS = re.compile(r"\s*\\[A-Za-z@]+\s*=?\s*\\?[A-Za-z@]+")
_ARGUMENT = re.compile(r"\s*(?:\{[^{}]*\}|\\[A-Za-z@]+)")
_BARE_INPUT = re.compile(r"[ \t]+([^\s{}\\%\[\]]+)")
_ENVIRONMENT = re.compile(r"\s*\{([A-Za-z@]+)(\*?)\}")
_SHORT_ARGUMENTS = re.compile(r"(?:[ \t]*\[[^\[\]\n]*\]|\{[^{}\s]*\})*")
_OVERLAY = re.compile(r"<[^<>\n{}]*>")
_TITLE = re.compile(
    r"""(?:<[^<>\n{}]*>|\[[^\[\]\n]*\])*
        (?:\{(?>(?:[^{}\n]++|\n(?![ \t\r]*\n)|\{[^{}\n]*\})*)\}){1,2}""",
    re.VERBOSE,
)
"""The arguments of a frame of beamer, or of its title: overlays, options, title and subtitle."""
_URL = re.compile(r"\s*(?:\[[^\[\]\n]*\])?\s*\{(?>(?:[^{}\n]++|\{[^{}\n]*\})*)\}")
_EMBEDDED = re.compile(r"\s*(?:\[([^\[\]]*)\])?\s*\{([^{}\n]*)\}[^\n]*\n?")
_OPTION = re.compile(r"[ \t]*\n?[ \t]*\[([^\[\]{}]*)\]")
_ROOT = re.compile(r"%\s*!\s*T[eE]X\s+root\s*=\s*(\S[^\n]*)", re.IGNORECASE)
_SUBFILE = re.compile(r"\s*\[([^\[\]]*)\]\s*\{subfiles\}")
_PATH = re.compile(r"[^,\s](?:[^,\n]*[^,\s])?")
_SUFFIX = re.compile(r"\.[A-Za-z]+\Z")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_RUN_IN = 6
"""The level from which a heading stands in the text, and may well do so in the cell of a table."""
_LONGEST_UNCLOSED = 400
_LONGEST_ITEM = 4000
_PATIENCE = 20
"""How many unclosed groups are looked for in full: junk must not cost the square of its length."""
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")


class _Scan(Scan):
    """A scan of LaTeX."""

    def __init__(self, text: str, commands: Mapping[str, CiteCommand | None]) -> None:
        super().__init__(text, commands)
        self.items: list[tuple[int, MarkerKey, int, int | None]] = []
        """Where each entry begins, its key, where its text begins and, if that is told, ends."""
        self.embedded: list[EmbeddedFile] = []
        self.prose_start = 0
        self.end = len(text)
        self.title: Span | None = None
        self.abstracts: dict[str, Span] = {}
        self.root = ""
        self.year: int | None = None
        self.unclosed = 0
        self.tables = TableScan(text)
        self.aside: list[Marker] = []
        handlers: list[tuple[Iterable[str], Callable[[re.Match[str], str], int]]] = [
            (LEVELS, self._heading),
            (NOTES, self._note),
            (FRONT, self._front),
            (DEFINING, self._definition),
            (("def", "gdef", "edef", "xdef"), self._tex_definition),
            (INPUTS, self._input),
            (IMPORTS, self._import),
            (BIBLIOGRAPHIES, self._bibliography),
            ((*BORDERS, "item"), self._border),
            (("caption", "captionof", "subcaption", "bicaption", "tablecaption"), self._caption),
            (CELL_COMMANDS, self._cell_command),
            (SETTING, self._setting),
            (TITLES, self._frame_title),
            (("verb", "lstinline", "mintinline"), self._verb),
            (("url", "path", "nolinkurl", "href"), self._url),
            (("abstract", "cabstract", "eabstract"), self._abstract),
        ]
        self.handlers = {name: handler for names, handler in handlers for name in names} | {
            "begin": self._begin,
            "end": self._end,
            "let": self._let,
            "title": self._title,
            "documentclass": self._class,
            "bibitem": self._bibitem,
            "harvarditem": self._bibitem,
            "bib": self._amsrefs_item,
            "iffalse": self._iffalse,
            "acro": self._name,
            "newrefsection": self._reference_section,
        }
        self.handlers |= dict.fromkeys(topic_bibliographies(commands), self._bibliography)

    def run(self, pattern: re.Pattern[str]) -> None:
        position, search, text = 0, pattern.search, self.text
        while found := search(text, position):
            kind = found.lastgroup
            if kind is None:
                position = found.end()
            elif kind == "cite":
                position = self._cite(found)
            elif kind == "chunk":
                position = self._chunk(found)
            elif kind == "name":
                position = self.handlers[found["name"]](found, found["name"])
            else:
                position = self._hole_until(found, "\\]")
            if self.end < position:
                return

    def _cite(self, found: re.Match[str]) -> int:
        name = found["cite"]
        command = cite_command(name.rstrip("*"), self.commands)
        if not command:
            return found.end()
        marker = read_marker(self.text, found.start(), name, found.end(), command)
        if not marker:
            return found.end()
        self.markers.append(marker)
        self.aside += markers_in(self.text, found.end(), marker.end, self.commands)
        return marker.end

    def _heading(self, found: re.Match[str], name: str) -> int:
        content = self._group(skip_brackets(self.text, found.end()))
        if content is None:
            return found.end()
        start, end = content
        body = min(end + 1, len(self.text))
        if LEVELS[name] < _RUN_IN:
            self.tables.leave_tables(found.start())
        title = plain_latex(self.text[start:end])
        self.headings.append((found.start(), body, LEVELS[name], title))
        self.borders.append((found.start(), body))
        return start

    def _note(self, found: re.Match[str], _name: str) -> int:
        opening = opening_brace(self.text, skip_brackets(self.text, found.end()))
        if opening is None:
            return found.end()
        closing = self._closing(opening, 8000)
        if closing is None:
            stop = min(opening + _LONGEST_UNCLOSED, len(self.text))
            blank = _BLANK_LINE.search(self.text, opening, stop)
            closing = blank.start() if blank else stop
        if self.notes and found.start() < self.notes[-1].close:  # no further than the one around
            closing = max(min(closing, self.notes[-1].close), opening + 1)
        end = min(closing + 1, len(self.text))
        self.notes.append(Note(found.start(), opening + 1, closing, end))
        return opening + 1

    def _front(self, found: re.Match[str], name: str) -> int:
        content = self._group(skip_brackets(self.text, found.end()))
        if content is None:
            return found.end()
        self.holes.append((found.start(), content[1] + 1))
        if name == "date" and self.year is None:
            year = _YEAR.search(self.text, *content)
            self.year = int(year.group()) if year else None
        return content[0]

    def _title(self, found: re.Match[str], _name: str) -> int:
        content = self._group(skip_brackets(self.text, found.end()))
        if content is None:
            return found.end()
        self.holes.append((found.start(), content[1] + 1))
        if self.title is None:
            self.title = content
        return content[0]

    def _abstract(self, found: re.Match[str], name: str) -> int:
        content = self._group(found.end(), 10_000)
        if content is None:
            return found.end()
        self.abstracts.setdefault(name, content)
        self.borders += ((found.start(), content[0]), (content[1], content[1] + 1))
        return content[0]

    def _definition(self, found: re.Match[str], name: str) -> int:
        text = self.text
        self._name(found, name)
        position = skip_brackets(text, found.end())
        if not name.startswith(("AtEvery", "AtNext", "SetCite")):
            named = opening_brace(text, position)
            macro = _MACRO.match(text, position)
            closing = None if named is None else closing_brace(text, named, 200)
            position = macro.end() if macro else position if closing is None else closing + 1
        return self._skip_definition(found.start(), position, DEFINING[name])

    def _name(self, found: re.Match[str], command: str) -> int:
        """Learn what an abbreviation or a macro stands for."""
        if command in DECLARING and (declared := declared_name(self.text, command, found.end())):
            self.names.setdefault(*declared)
        return found.end()

    def _tex_definition(self, found: re.Match[str], name: str) -> int:
        self._name(found, name)
        parameters = _TEX_DEFINITION.match(self.text, found.end())
        position = parameters.end() if parameters else found.end()
        return self._skip_definition(found.start(), position, 1)

    def _let(self, found: re.Match[str], _name: str) -> int:
        end = self.text.find("\n", found.end())
        aliased = _ALIAS.match(self.text, found.end())
        position = aliased.end() if aliased else len(self.text) if end < 0 else end
        self.holes.append((found.start(), position))
        return position

    def _skip_definition(self, start: int, position: int, count: int) -> int:
        """Pass over the bodies of a definition: what they cite, they cite where they are used."""
        for _ in range(count):
            opening = opening_brace(self.text, skip_brackets(self.text, position))
            closing = None if opening is None else self._closing(opening, 40_000)
            if opening is None or closing is None:
                break
            self.aside += markers_in(self.text, opening, closing, self.commands)
            position = closing + 1
        return self.leave_out(start, position)

    def _input(self, found: re.Match[str], _name: str) -> int:
        content = self._group(skip_brackets(self.text, found.end()))
        bare = _BARE_INPUT.match(self.text, found.end()) if content is None else None
        start, end = content or (bare.span(1) if bare else (found.end(), found.end()))
        path = self.text[start:end].strip()
        if path:
            start = self.text.index(path, start)
            self.inputs.append(Inclusion(path, start, start + len(path)))
        self.borders.append((found.start(), end + 1 if content else end))
        return end

    def _import(self, found: re.Match[str], _name: str) -> int:
        folder = self._group(found.end())
        file = None if folder is None else self._group(folder[1] + 1)
        if folder is None or file is None:
            return found.end()
        directory = self.text[slice(*folder)].strip()
        separator = "" if not directory or directory.endswith("/") else "/"
        path = directory + separator + self.text[slice(*file)].strip()
        self.inputs.append(Inclusion(path, *file))
        self.borders.append((found.start(), file[1] + 1))
        return file[1]

    def _bibliography(self, found: re.Match[str], name: str) -> int:
        position = found.end()
        if name == "putbib":
            bracketed = skip_brackets(self.text, position)
            start, end = self.text.find("[", position, bracketed) + 1, bracketed - 1
            if start < 1:
                return position
        else:
            content = self._group(skip_brackets(self.text, position))
            if content is None:
                return position
            start, end = content
        whole = name.startswith("add")
        for path in [None] if whole else _PATH.finditer(self.text, start, end):
            first, last = (start, end) if path is None else path.span()
            self._declare(first, last)
        self.borders.append((found.start(), min(end + 1, len(self.text))))
        return end

    def _reference_section(self, found: re.Match[str], _name: str) -> int:
        end = self._declare_option(found.end())
        self.borders.append((found.start(), end))
        return end

    def _declare_option(self, start: int) -> int:
        """Take the files in the `[…]` of a reference section, and return the offset behind it.

        What has no suffix is the label of a bibliography that is named elsewhere.
        """
        option = _OPTION.match(self.text, start)
        if not option:
            return start
        for path in _PATH.finditer(self.text, *option.span(1)):
            if _SUFFIX.search(path.group()):
                self._declare(*path.span())
        return option.end()

    def _bibitem(self, found: re.Match[str], name: str) -> int:
        """Read the key of an entry; harvard has two groups, people and year, before it."""
        position = skip_brackets(self.text, found.end())
        before = skip_groups(self.text, position, 2) if name == "harvarditem" else position
        opening = None if before is None else opening_brace(self.text, before)
        if opening is None:
            return found.end()
        read = read_key_list(self.text, opening)
        key = self.text[read.start : read.end].strip()
        if key and read.closed:
            start = self.text.index(key, read.start)
            key_there = MarkerKey(key, start, start + len(key))
            self.items.append((found.start(), key_there, read.after, None))
        self.borders.append((found.start(), read.after))
        return read.after

    def _amsrefs_item(self, found: re.Match[str], _name: str) -> int:
        r"""Read an entry of amsrefs, `\bib{key}{article}{title={…}, …}`."""
        opening = opening_brace(self.text, found.end())
        behind = skip_groups(self.text, found.end(), 2)
        fields = None if behind is None else opening_brace(self.text, behind)
        closing = None if fields is None else self._closing(fields, _LONGEST_ITEM)
        if opening is None or fields is None or closing is None:
            return found.end()
        keys = read_key_list(self.text, opening).keys
        if len(keys) == 1:
            self.items.append((found.start(), keys[0], fields + 1, closing + 1))
        return self.leave_out(found.start(), closing + 1)

    def _border(self, found: re.Match[str], name: str) -> int:
        overlay = _OVERLAY.match(self.text, found.end()) if name == "item" else None
        border = overlay.end() if overlay else found.end()
        end = skip_brackets(self.text, border) if name == "item" else border
        self.borders.append((found.start(), border))
        if end > border:
            self.holes.append((border, end))
        return border

    def _frame_title(self, found: re.Match[str], _name: str) -> int:
        title = _TITLE.match(self.text, found.end())
        if title:
            self.borders.append((found.start(), title.end()))
        return found.end()

    def _caption(self, found: re.Match[str], name: str) -> int:
        position = found.end()
        if name == "captionof":
            position = skip_groups(self.text, position, 1) or position
        content = self._group(skip_brackets(self.text, position))
        if content is None:
            return found.end()
        self.borders.append((found.start(), content[0]))
        self.borders.append((content[1], content[1] + 1))
        self.tables.caption(content)
        second = self._group(content[1] + 1) if name == "bicaption" else None
        if second:
            self.borders.append((content[1], second[0]))
            self.borders.append((second[1], second[1] + 1))
            self.tables.caption(second)
        return content[0]

    def _cell_command(self, found: re.Match[str], name: str) -> int:
        end = skip_groups(self.text, skip_brackets(self.text, found.end()), CELL_COMMANDS[name])
        if end is not None:
            self.holes.append((found.start(), end))
        return found.end()

    def _setting(self, found: re.Match[str], _name: str) -> int:
        argument = _ARGUMENT.match(self.text, found.end())
        end = argument and skip_groups(self.text, argument.end(), 1)
        if end:
            self.holes.append((found.start(), end))
        return end or found.end()

    def _verb(self, found: re.Match[str], name: str) -> int:
        position = skip_brackets(self.text, found.end())
        if name == "mintinline":
            position = skip_groups(self.text, position, 1) or position
        if position >= len(self.text):
            return position
        delimiter = self.text[position]
        if delimiter in " \n" or delimiter.isalnum():
            return position
        line = self.text.find("\n", position)
        line = len(self.text) if line < 0 else line
        close = self.text.find("}" if delimiter == "{" else delimiter, position + 1, line)
        end = line if close < 0 else close + 1
        return self.leave_out(found.start(), end)

    def _url(self, found: re.Match[str], _name: str) -> int:
        argument = _URL.match(self.text, found.end())
        if not argument:
            return found.end()
        return self.leave_out(found.start(), argument.end())

    def _class(self, found: re.Match[str], _name: str) -> int:
        subfile = _SUBFILE.match(self.text, found.end())
        if subfile:
            self.root = subfile[1].strip()
        return found.end()

    def _iffalse(self, found: re.Match[str], _name: str) -> int:
        end = self._find("\\fi", found.end())
        if end is None:
            return found.end()
        return self.leave_out(found.start(), end)

    def _closing(self, opening: int, limit: int) -> int | None:
        """Return where a long group closes; after many that do not, look less far."""
        if self.unclosed > _PATIENCE:
            limit = min(limit, _LONGEST_UNCLOSED)
        closing = closing_brace(self.text, opening, limit)
        self.unclosed += closing is None
        return closing

    def _group(self, start: int, limit: int = 1500) -> Span | None:
        """Return the range inside the group at `start`; an unclosed one ends with its line."""
        opening = opening_brace(self.text, start)
        if opening is None:
            return None
        closing = self._closing(opening, limit)
        if closing is None:
            stop = min(opening + _LONGEST_UNCLOSED, len(self.text))
            end = self.text.find("\n", opening, stop)
            closing = stop if end < 0 else end
        return opening + 1, closing

    def _hole_until(self, found: re.Match[str], closing: str) -> int:
        end = self._find(closing, found.end())
        if end is not None:
            self.holes.append((found.start(), end))
        return found.end()

    def _begin(self, found: re.Match[str], _name: str) -> int:
        named = _ENVIRONMENT.match(self.text, found.end())
        if not named:
            return found.end()
        name, star = named.groups()
        if name == "document":
            self.prose_start = named.end()
            return named.end()
        if name in VERBATIM:
            return self._verbatim(found, named)
        if name in FORMULA:
            if not self.holes or self.holes[-1][1] <= found.start():
                self._hole_until(found, f"\\end{{{name}{star}}}")
            return named.end()
        if name == "refsection":
            self._declare_option(named.end())
        end = None
        body = self.tables.begin(name + star, found.start(), named.end())
        if body > named.end():
            self.holes.append((found.start(), body))
        if name in FIGURE and name not in TABULAR:
            end = self._find(f"\\end{{{name}{star}}}", named.end())
        elif "abstract" in name.lower() or name in ("summary", "zhaiyao"):
            close = self._find(f"\\end{{{name}{star}}}", named.end())
            stop = len(self.text) if close is None else close - len(f"\\end{{{name}{star}}}")
            self.abstracts.setdefault(name, (named.end(), stop))
        command = cite_command(name, self.commands) if name.endswith("displaycquote") else None
        marker = command and read_marker(self.text, found.start(), name, named.end(), command)
        if marker:
            self.markers.append(marker)
            self.borders.append((found.start(), marker.end))
            return marker.end
        arguments = _TITLE.match(self.text, named.end()) if name in TITLED else None
        arguments = arguments or _SHORT_ARGUMENTS.match(self.text, named.end())
        after = arguments.end() if arguments else named.end()
        self.borders.append((found.start(), end or after))
        return named.end()

    def _verbatim(self, found: re.Match[str], named: re.Match[str]) -> int:
        closing = f"\\end{{{named[1]}{named[2]}}}"
        end = self._find(closing, named.end())
        if end is None:
            return named.end()
        if named[1] == "filecontents":
            self._embed(named.end(), end - len(closing))
        self.borders.append((found.start(), end))
        self.code.append((found.start(), end))
        return end

    def _chunk(self, found: re.Match[str]) -> int:
        """Pass over code in R, up to the line that begins with the sign behind it."""
        closing = self._find("\n@", found.end())
        if closing is None:
            return found.end()
        line = self.text.find("\n", closing)
        end = len(self.text) if line < 0 else line
        self.borders.append((found.start(), end))
        self.code.append((found.start(), end))
        return end

    def _embed(self, start: int, end: int) -> None:
        """Take the range between the two ends of `filecontents` for a file."""
        head = _EMBEDDED.match(self.text, start, end)
        if head:
            overwrites = re.search(r"overwrite|force", head[1] or "") is not None
            self.embedded.append(EmbeddedFile(head[2].strip(), head.end(), end, overwrites))

    def _end(self, found: re.Match[str], _name: str) -> int:
        named = _ENVIRONMENT.match(self.text, found.end())
        if not named:
            return found.end()
        table = self.tables.end(named[1] + named[2], found.start())
        if table:
            self.borders.append((table[0], named.end()))
        if named[1] == "document":
            self.end = found.start()
        elif named[1] not in FORMULA:
            self.borders.append((found.start(), named.end()))
        return named.end()


def scan_latex(text: str, commands: Mapping[str, CiteCommand | None]) -> Layout:
    """Read the layout of a LaTeX draft; `commands` are those that its other files define."""
    commands = definitions(text, commands)
    extra = frozenset(
        name for name, command in commands.items() if command and "cite" not in name.lower()
    )
    scan = _Scan(text, commands)
    scan.run(stopping_pattern(extra, topic_bibliographies(commands)))
    scan.tables.leave_tables(scan.end)
    root = _ROOT.search(text, 0, 2000)
    abstract = scan.abstracts.get("abstract") or next(iter(scan.abstracts.values()), None)
    return scan.layout(
        prose=(scan.prose_start, scan.end),
        title=plain_latex(text[slice(*scan.title)]) if scan.title else "",
        abstract=plain_latex(text[slice(*abstract)]) if abstract else "",
        title_at=scan.title,
        abstract_at=abstract,
        year=scan.year,
        root=root[1].strip() if root else scan.root,
        group_level=3,
        run_in=_RUN_IN,
        sections=sections_of([h for h in scan.headings if h[0] < scan.end], len(text)),
        markers=tuple(marker for marker in scan.markers if marker.start < scan.end),
        aside=tuple(scan.aside),
        items=_items(scan),
        embedded=tuple(scan.embedded),
        tables=scan.tables.tables(),
    )


def _items(scan: _Scan) -> tuple[BibliographyItem, ...]:
    items = []
    for number, (start, key, after, told) in enumerate(scan.items):
        close = scan.text.find("\\end{thebibliography}", after) if told is None else told
        end = len(scan.text) if close < 0 else close
        if number + 1 < len(scan.items):
            end = min(end, scan.items[number + 1][0])
        items.append(BibliographyItem(key, start, end, plain_latex(scan.text[after:end])))
    return tuple(items)
