r"""Macros in the names of files: `\def\bibdir{../refs}` for `\bibliography{\bibdir/a}`.

Only definitions without arguments are read, as TeX reads them: the last one counts, and
`\providecommand` gives way to any before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.latex.commands.definitions import declarations
from cite_lsp.storage.caches import ByObject

_USE = lazy_re(r"\\([A-Za-z@]+)\s*(?:\{\})?")
_NO_NAME = lazy_re(r"[{}\n]")
_LONGEST_BODY = 300
_DEEPEST = 8
"""How many macros one within the other are followed: one that names itself must end."""
_LONGEST = 1000

_Macros = tuple[tuple[str, str, bool], ...]
_macros_of: ByObject[Manuscript, _Macros] = ByObject()


def expand(name: str, macros: Mapping[str, str]) -> str:
    """Return the name with the macros that are known replaced, the others left as they stand."""
    for _ in range(_DEEPEST):
        expanded = _USE.sub(lambda use: macros.get(use[1], use[0]), name)
        if expanded == name or len(expanded) > _LONGEST:
            break
        name = expanded
    return name


def macros_of(manuscripts: Iterable[Manuscript], job: str) -> dict[str, str]:
    r"""Return the macros that LaTeX files define, in reading order; `job` is their `\jobname`."""
    macros = {"jobname": job}
    for manuscript in manuscripts:
        if manuscript.format != "latex":
            continue
        defined = _macros_of.get(manuscript)
        if defined is None:
            defined = _macros_of.keep(manuscript, tuple(_definitions(manuscript.text)))
        for name, body, provided in defined:
            if not (provided and name in macros):
                macros[name] = body
    return macros


def _definitions(text: str) -> Iterator[tuple[str, str, bool]]:
    for definition in declarations(text).definitions:
        body = None if definition.parameters else definition.body(_LONGEST_BODY)
        if body is not None and not definition.delimiter and not _NO_NAME.search(body):
            provided = definition.command.lower().startswith("provide")
            yield definition.name, body.strip(), provided
