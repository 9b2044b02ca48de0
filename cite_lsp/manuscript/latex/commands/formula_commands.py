r"""The commands that begin and end displayed formulas in a draft: `\def\be{\begin{equation}}`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.commands.definitions import Definition
from cite_lsp.manuscript.model import Command, Commands, FormulaEdge

FORMULAS = frozenset(
    """equation align gather multline flalign alignat eqnarray math displaymath dmath xalignat
    subequations IEEEeqnarray""".split()
)
_EDGE = lazy_re(
    rf"""\s*(?:\\end\s*\{{\w+\*?\}}\s*)?
    \\(?P<edge>begin|end)\s*\{{\s*(?P<environment>{"|".join(FORMULAS)})\*?\s*\}}""",
    re.VERBOSE,
)
"""How the body of the definition of a formula edge begins."""


def formula_edges(definitions: Iterable[Definition]) -> dict[str, Command]:
    r"""Return the commands that a draft defines for the edges of formulas.

    `\def\be#1\ee{\begin{equation}#1\end{equation}}` defines one, which ends at the other.
    """
    edges: dict[str, Command] = {}
    for definition in definitions:
        plain = (
            definition.arguments == (1 if definition.delimiter else 0) and not definition.optional
        )
        match = _EDGE.match(definition.text, definition.opening + 1) if plain else None
        if match is None:
            continue
        edges[definition.name] = FormulaEdge(match["environment"], match["edge"] == "begin")
        if definition.delimiter:
            edges[definition.delimiter] = FormulaEdge(match["environment"], begins=False)
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
    closing_commands = "".join(rf"|{name}(?![A-Za-z@])" for name in sorted(names))
    return re.compile(rf"\\(?:end\s*\{{{edge.environment}\*?\}}{closing_commands})")
