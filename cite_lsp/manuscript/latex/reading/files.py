"""The other files that a LaTeX draft names: its parts, its root, its bibliographies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import list_items, single_item, skip_brackets
from cite_lsp.manuscript.latex.commands.file_commands import (
    BIBLIOGRAPHIES,
    EXTERNAL,
    IMPORTS,
    INPUTS,
    expansion,
)
from cite_lsp.manuscript.latex.state import Handler, LatexScan
from cite_lsp.manuscript.layout import Span
from cite_lsp.manuscript.model import (
    BibliographyDeclaration,
    ExternalDocument,
    FileCommand,
    Inclusion,
)

_BARE_INPUT = lazy_re(r"[ \t]+([^\s{}\\%\[\]]+)")
_OPTION = lazy_re(r"[ \t]*+\n?[ \t]*+\[([^\[\]{}]*)\]")
_ROOT = lazy_re(r"%\s*!\s*T[eE]X\s+root\s*=\s*(\S[^\n]*)", re.IGNORECASE)
_SUBFILE = lazy_re(r"\s*\[([^\[\]]*)\]\s*\{subfiles\}")
_SUFFIX = lazy_re(r"\.[A-Za-z]+\Z")
_GUARD = lazy_re(r"\\(?:Input)?IfFileExists(?![A-Za-z@])")
_BRACKETED = lazy_re(r"\[([^\[\]]*)\]")
_LONGEST_LIST = 4000
_LONGEST_HEAD = 2000
"""Characters of a text in which a magic comment is looked for."""
_DEEPEST = 8
_MOST_EXPANSIONS = 500
"""How many commands of its own are followed in a text, those in other ones included."""


def _file_group(scan: LatexScan, start: int) -> Span | None:
    """Return the range inside the group of file names at `start`, braces in comments left out."""
    return scan.group(start, _LONGEST_LIST, comments=True)


def _input(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    content = _file_group(scan, skip_brackets(scan.text, match.end()))
    bare = _BARE_INPUT.match(scan.text, match.end()) if content is None else None
    start, end = content or (bare.span(1) if bare else (match.end(), match.end()))
    file = single_item(scan.text, start, end)
    if file:
        scan.inputs.append(Inclusion(*file))
    scan.borders.append((match.start(), end + 1 if content else end))
    return end


def _import(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    folder = _file_group(scan, match.end())
    file = None if folder is None else _file_group(scan, folder[1] + 1)
    if folder is None or file is None:
        return match.end()
    directory = (single_item(scan.text, *folder) or ("",))[0]
    separator = "" if not directory or directory.endswith("/") else "/"
    named = single_item(scan.text, *file)
    if named:
        scan.inputs.append(Inclusion(directory + separator + named[0], *named[1:]))
    scan.borders.append((match.start(), file[1] + 1))
    return file[1]


def _class(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    subfile = _SUBFILE.match(scan.text, match.end())
    if subfile:
        scan.root = subfile[1].strip()
    return match.end()


def name_bibliography(scan: LatexScan, match: re.Match[str], name: str) -> int:
    """Read the bibliographies that a command names; return where to go on."""
    position = match.end()
    if name == "putbib":
        bracketed = skip_brackets(scan.text, position)
        start, end = scan.text.find("[", position, bracketed) + 1, bracketed - 1
        if start < 1:
            return position
    else:
        content = _file_group(scan, skip_brackets(scan.text, position))
        if content is None:
            return position
        start, end = content
    whole = single_item(scan.text, start, end) if name.startswith("add") else None
    for file in [whole] if whole else list_items(scan.text, start, end):
        scan.declarations.append(BibliographyDeclaration(*file))
    scan.borders.append((match.start(), min(end + 1, len(scan.text))))
    return end


def _reference_section(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    end = declare_option(scan, match.end())
    scan.borders.append((match.start(), end))
    return end


def declare_option(scan: LatexScan, start: int) -> int:
    """Take the files in the `[…]` of a reference section, and return the offset behind it.

    What has no suffix is the label of a bibliography that is named elsewhere.
    """
    option = _OPTION.match(scan.text, start)
    if not option:
        return start
    for file in list_items(scan.text, *option.span(1)):
        if _SUFFIX.search(file[0]):
            scan.declarations.append(BibliographyDeclaration(*file))
    return option.end()


def _external(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    """Read the name of another document, unless its keys are left out by a second `[nocite]`."""
    position = skip_brackets(scan.text, match.end())
    options = _BRACKETED.findall(scan.text, match.end(), position)
    content = _file_group(scan, position)
    file = content and single_item(scan.text, *content)
    if file and "nocite" not in options[1:]:
        scan.externals.append(ExternalDocument(file[0], (options or [""])[0].strip()))
    return scan.omit(match.start(), position if content is None else content[1] + 1)


def own_command(scan: LatexScan, match: re.Match[str], _name: str, command: FileCommand) -> int:
    """Read what a command of the draft's own names, and its heading, as it would be written out."""
    top = scan.top
    expanded = expansion(scan.text, match.end(), command)
    if expanded is None or scan.depth >= _DEEPEST or top.expansions >= _MOST_EXPANSIONS:
        return match.end()
    top.expansions += 1
    body, arguments, end = expanded
    # A command without arguments may be another name of one that reads them from the text behind.
    behind = "" if command.parameters else scan.text[end : end + _LONGEST_LIST]
    inner = scan.within(body + behind)
    inner.read(0, len(body))
    optional = _GUARD.search(body) is not None
    stop = end
    named: list[Inclusion | BibliographyDeclaration] = [*inner.inputs, *inner.declarations]
    for file in dict.fromkeys(named):
        if file.start >= len(body):
            place = file.start - len(body) + end, file.end - len(body) + end
            stop = min(place[1] + 1, len(scan.text))
        else:
            place = _place(file.path, arguments) or (match.start(), end)
        if isinstance(file, Inclusion):
            file = Inclusion(file.path, *place, optional=optional or file.optional)
            scan.inputs.append(file)
        else:
            scan.declarations.append(BibliographyDeclaration(file.path, *place))
    scan.externals += inner.externals
    scan.headings += [(match.start(), stop, level, title) for _, _, level, title in inner.headings]
    scan.borders.append((match.start(), stop))
    return match.end()


def _place(path: str, arguments: Sequence[tuple[str, int, int]]) -> Span | None:
    """Return the range of the argument that names a file, or the last that its name is made of."""
    for value, start, _ in arguments:
        if value.strip() == path:
            start += len(value) - len(value.lstrip())
            return start, start + len(path)
    return next(
        ((start, end) for value, start, end in reversed(arguments) if value.strip() in path), None
    )


def root_in_comment(text: str) -> str:
    """Return the path of the root file that a magic comment names, or ""."""
    root = _ROOT.search(text, 0, _LONGEST_HEAD)
    return root[1].strip() if root else ""


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(INPUTS, _input),
    **dict.fromkeys(IMPORTS, _import),
    **dict.fromkeys(EXTERNAL, _external),
    "documentclass": _class,
    **dict.fromkeys(BIBLIOGRAPHIES, name_bibliography),
    "newrefsection": _reference_section,
}
