r"""The commands that begin and end displayed formulas in a draft: `\def\be{\begin{equation}}`."""

from __future__ import annotations

import re

from cite_lsp.manuscript.model import Command, Commands, FormulaEdge

FORMULAS = frozenset(
    """equation align gather multline flalign alignat eqnarray math displaymath dmath xalignat
    subequations IEEEeqnarray""".split()
)
"""The environments of displayed formulas."""
_DEFINITION = re.compile(
    rf"""\\[\\%]|%[^\n]*|\\(?:
      (?:(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*|[egx]?def\s*)
        (?:\{{\s*\\(?P<braced>[A-Za-z@]+)\s*\}}|\\(?P<bare>[A-Za-z@]+))
        (?:\s*\#1\s*\\(?P<closing>[A-Za-z@]+))?
        \s*\{{\s*(?:\\end\s*\{{\w+\*?\}}\s*)?
        \\(?P<edge>begin|end)\s*\{{\s*(?P<environment>{"|".join(FORMULAS)})\*?\s*\}}
    )""",
    re.VERBOSE,
)


def formula_edges(text: str) -> dict[str, Command]:
    r"""Return the commands that a draft defines for the edges of formulas.

    `\def\be#1\ee{\begin{equation}#1\end{equation}}` defines one, which ends at the other.
    """
    edges: dict[str, Command] = {}
    for found in _DEFINITION.finditer(text):
        if not found["edge"]:
            continue
        begins = found["edge"] == "begin"
        edges[found["braced"] or found["bare"]] = FormulaEdge(found["environment"], begins)
        if found["closing"]:
            edges[found["closing"]] = FormulaEdge(found["environment"], begins=False)
    return edges


def closing_pattern(edge: FormulaEdge, commands: Commands) -> re.Pattern[str]:
    """Return a pattern for what ends the formulas that a command begins."""
    names = (
        name
        for name, other in commands.items()
        if isinstance(other, FormulaEdge)
        and not other.begins
        and other.environment == edge.environment
    )
    own = "".join(rf"|{name}(?![A-Za-z@])" for name in sorted(names))
    return re.compile(rf"\\(?:end\s*\{{{edge.environment}\*?\}}{own})")
