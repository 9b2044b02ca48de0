"""The other files that a LaTeX draft names: its parts, its root, its bibliographies."""

from __future__ import annotations

import re

from cite_lsp.manuscript.latex.arguments import list_items, single_item, skip_brackets
from cite_lsp.manuscript.latex.state import Handler, LatexScan
from cite_lsp.manuscript.layout import Span
from cite_lsp.manuscript.model import BibliographyDeclaration, Inclusion

_INPUTS = """input include subfile subfileinclude includestandalone loadglsentries
    InputIfFileExists""".split()
_IMPORTS = "import subimport includefrom inputfrom subinputfrom subincludefrom".split()
_BIBLIOGRAPHIES = """addbibresource addglobalbib addsectionbib bibliography nobibliography
    defaultbibliography putbib""".split()

_BARE_INPUT = re.compile(r"[ \t]+([^\s{}\\%\[\]]+)")
_OPTION = re.compile(r"[ \t]*\n?[ \t]*\[([^\[\]{}]*)\]")
_ROOT = re.compile(r"%\s*!\s*T[eE]X\s+root\s*=\s*(\S[^\n]*)", re.IGNORECASE)
_SUBFILE = re.compile(r"\s*\[([^\[\]]*)\]\s*\{subfiles\}")
_SUFFIX = re.compile(r"\.[A-Za-z]+\Z")
_LONGEST_LIST = 4000


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


def root_of(scan: LatexScan) -> str:
    """Return the path of the root file that a magic comment, or else the class, names."""
    root = _ROOT.search(scan.text, 0, 2000)
    return root[1].strip() if root else scan.root


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_INPUTS, _input),
    **dict.fromkeys(_IMPORTS, _import),
    "documentclass": _class,
    **dict.fromkeys(_BIBLIOGRAPHIES, name_bibliography),
    "newrefsection": _reference_section,
}
