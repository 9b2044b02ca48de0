"""The tables of a LaTeX draft: where they stand, their captions and their rows."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from attrs import Factory, define, field, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.draft.blocks import Block, Cutter
from cite_lsp.manuscript.latex.arguments import skip_brackets, skip_groups
from cite_lsp.manuscript.layout import Span, Table, paragraph_end

TABULAR = {
    **dict.fromkeys("tabular longtable supertabular NiceTabular tblr longtblr".split(), 1),
    **dict.fromkeys("tabu longtabu deluxetable splitdeluxetable".split(), 1),
    **dict.fromkeys("tabular* tabularx tabulary xltabular".split(), 2),
}
"""The environments of rows and cells, and how many groups say how they are set."""
FLOATS = frozenset(
    """table wraptable sidewaystable margintable threeparttable ThreePartTable figure
    longtable longtblr xltabular longtabu deluxetable splitdeluxetable""".split()
)
_UNBREAKABLE = frozenset("table wraptable sidewaystable margintable figure".split())
"""The floats that never stand in a table: a table that is open before them is not closed yet."""
CELL_COMMANDS = {
    **dict.fromkeys("multicolumn multirow".split(), 2),
    **dict.fromkeys("cmidrule hhline tnote noalign rowcolor cellcolor arrayrulecolor".split(), 1),
    **dict.fromkeys("tablenotemark tablenotetext tablewidth tabletypesize tablenum".split(), 1),
    "tablecolumns": 1,
}
"""The commands of tables, and how many of their groups are not text."""

_FIGURE = lazy_re(r"(?<!\S)(?:(?=\S*\d[.,]\d)(?:\d|[^\w\s])+|[-–—−+±]+)(?!\S)")
"""A number with a fraction, or the sign for a missing number."""
_WIDTH = lazy_re(r"\s*(?:to|spread)\b[^{}\n]*(?=\{)")
"""How wide a `tabu` is, before its columns."""
_ROW_SIGN = lazy_re(
    r"""%[^\n]*
      |(?P<row>\\\\\*?(?:[ \t]*\[[^\[\]\n]*\])?|\\tabularnewline(?![A-Za-z])
        |\\(?:end(?:first|last)?(?:head|foot)|(?:start|end)data)(?![A-Za-z]))
      |\\[A-Za-z@]*(?i:cite)[A-Za-z@]*\*?(?:\[[^\[\]\n]*\])*\{[^{}\\&\n]*\}?
      |\\(?P<environment>begin|end)(?=\s*\{)
      |\\.
      |(?P<brace>[{}])""",
    re.VERBOSE | re.DOTALL,
)


@define
class _OpenEnvironment:
    """An environment that is open: its name, where it and its contents begin."""

    name: str
    start: int
    body: int
    within: _OpenEnvironment | None
    captions: list[Span] = Factory(list)

    def captions_around(self) -> tuple[Span, ...]:
        """Return the captions of the innermost float around it, or of itself, that has any."""
        environment: _OpenEnvironment | None = self
        while environment and not (environment.captions and environment.name.rstrip("*") in FLOATS):
            environment = environment.within
        return tuple(environment.captions) if environment else ()


class TableScan:
    """The tables of a scan: those that are closed, and those that are still open."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_OpenEnvironment] = []
        self._closed: list[tuple[_OpenEnvironment, int]] = []

    @property
    def are_open(self) -> bool:
        """Whether an environment has begun that is not closed yet."""
        return bool(self._open)

    def begin(self, name: str, start: int, after: int) -> int:
        """Enter an environment whose name ends at `after`; return where its contents begin."""
        plain = name.rstrip("*")
        if plain in _UNBREAKABLE:
            self.leave_tables(start)
        count = TABULAR.get(name, TABULAR.get(plain))
        if count is None and plain not in FLOATS:
            return after
        body = after
        if count is not None:
            width = _WIDTH.match(self._text, after)
            columns = width.end() if width else skip_brackets(self._text, after)
            body = skip_groups(self._text, columns, count) or after
        self._open.append(
            _OpenEnvironment(name, start, body, self._open[-1] if self._open else None)
        )
        return body

    def end(self, name: str, start: int) -> Span | None:
        r"""Leave an environment whose `\end` is at `start`; return its range if it is a table."""
        if all(environment.name != name for environment in self._open):
            return None
        while (environment := self._open.pop()).name != name:
            self._close(environment, start)
        return (environment.start, start) if self._close(environment, start) else None

    def caption(self, content: Span) -> None:
        """Take note of the text of a caption."""
        for environment in reversed(self._open):
            if environment.name.rstrip("*") in FLOATS:
                environment.captions.append(content)
                return

    def leave_tables(self, start: int) -> None:
        """Take the tables that are not closed to end before `start`, at a blank line at the latest.

        A table that is being typed must not swallow the rest of its draft.
        """
        while self._open:
            environment = self._open.pop()
            self._close(environment, paragraph_end(self._text, environment.body, start))

    def tables(self) -> tuple[Table, ...]:
        """Return the tables by their start, those inside others left out."""
        tables: list[Table] = []
        for environment, end in sorted(self._closed, key=lambda closed: closed[0].start):
            if not tables or environment.start >= tables[-1].end:
                end = max(end, environment.body)
                tables.append(
                    Table(environment.start, environment.body, end, environment.captions_around())
                )
        return tuple(tables)

    def _close(self, environment: _OpenEnvironment, end: int) -> bool:
        tabular = environment.name in TABULAR or environment.name.rstrip("*") in TABULAR
        if tabular:
            self._closed.append((environment, end))
        return tabular


@frozen(eq=False)
class TableRows:
    """A table as it is read: its rows and its caption, each on first use."""

    table: Table
    cutter: Cutter = field(repr=False)

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return self.table.rows or row_starts(self.cutter.text, self.table)

    @cached_property
    def _rows(self) -> dict[int, Block | None]:
        return {}

    def row_at(self, offset: int) -> Block | None:
        """Return the row that an offset in the table is in, or its caption; None if it is blank."""
        for start, end in self.table.captions:
            if start <= offset <= end:
                return self.cutter.cut(start, end)
        number = max(bisect_right(self._starts, offset) - 1, 0)
        if number not in self._rows:
            ends = (*self._starts[number + 1 : number + 2], self.table.end)
            self._rows[number] = self.cutter.cut(self._starts[number], ends[0])
        return self._rows[number]

    def caption_for(self, offset: int) -> str:
        """Return the caption, signs for its markers in it; nothing where the offset is in it."""
        if any(start <= offset <= end for start, end in self.table.captions):
            return ""
        return self._caption

    @cached_property
    def _caption(self) -> str:
        blocks = (self.cutter.cut(start, end) for start, end in self.table.captions)
        return "\n".join(block.paragraph.text for block in blocks if block)


def without_figures(cells: str) -> str:
    """Return the text of cells without figures, but for whole numbers as in "Abell 1300"."""
    return " ".join(_FIGURE.sub(" ", cells).split())


def row_starts(text: str, table: Table) -> tuple[int, ...]:
    r"""Return where the rows of a table begin; a `\\` in a group or an inner table ends no row."""
    starts = [table.body]
    depth = 0
    for sign in _ROW_SIGN.finditer(text, table.body, table.end):
        match sign.lastgroup:
            case "row" if depth <= 0:
                starts.append(sign.end())
            case "environment":
                depth += 1 if sign["environment"] == "begin" else -1
            case "brace":
                depth += 1 if sign["brace"] == "{" else -1
    return tuple(starts)
