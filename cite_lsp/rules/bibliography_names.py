r"""Names of bibliographies that lead to a file here, and nowhere in what makes the document.

BibTeX adds `.bib` to a name; biber, pandoc, Typst and Org look for the name as it is written. Typst
tells by the suffix how to read a file. TeX alone finds a file whose name has another case.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePath

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.model import BibliographyDeclaration
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.project.draft import Draft
from cite_lsp.rules.findings import Finding, Fix

_BIB = ".bib"
_READ_BY_TYPST = (_BIB, ".yml", ".yaml")
_PROGRAMS = {"latex": "biber", "markdown": "pandoc", "typst": "Typst", "org": "Org"}
_NAMING = {
    "latex": lazy_re(r"\\add(?:bibresource|globalbib|sectionbib)\s*(?:\[[^\[\]]*\]\s*)?\{[^{}]*\Z"),
    "org": lazy_re(r"^[ \t]*#\+bibliography:[^\n]*\Z", re.M | re.I),
}
"""What stands before a name that is taken as it is; in other formats all are."""
_LONGEST_BEFORE = 2000


def names_not_found(draft: Draft) -> Iterator[Finding]:
    """Yield the names in a draft under which the program that makes it finds no bibliography."""
    if draft.project.folds_case:  # by BibTeX
        return
    manuscripts = dict(draft.project.files)
    for file, declaration, path in draft.project.declared:
        manuscript, declared_path = manuscripts[file], PurePath(declaration.path)
        if "\\" in declaration.path or not os.path.isfile(path):
            continue
        start, end = declaration.start, declaration.end
        literal = manuscript.text[start:end] == declaration.path
        if path.name == declared_path.name + _BIB and _is_taken_as_it_is(manuscript, declaration):
            program = _PROGRAMS[manuscript.format]
            message = (
                f'{declared_path}: {program} does not add "{_BIB}": write "{declared_path}{_BIB}"'
            )
            fix = Fix(f"Add “{_BIB}”", TextEdit.insertion(end, _BIB), preferred=True)
            fixes = (fix,) if literal else ()
            yield Finding("missing-bibliography", file, start, end, message, "error", fixes)
        elif manuscript.format != "latex" and _has_another_case(path, declared_path):
            name = declared_path.with_name(path.name).as_posix()
            message = f'{declared_path}: the file is called "{path.name}", write that'
            fix = Fix(f"Change to “{name}”", TextEdit(start, end, name), preferred=True)
            fixes = (fix,) if literal else ()
            yield Finding("missing-bibliography", file, start, end, message, "error", fixes)
        elif manuscript.format == "typst" and path.suffix.lower() not in _READ_BY_TYPST:
            message = f"{declared_path}: Typst reads .bib, .yml and .yaml: rename the file"
            yield Finding("missing-bibliography", file, start, end, message, "error")


def _has_another_case(path: Path, declared_path: PurePath) -> bool:
    """Whether a file is not there under the name as it is written, which is another in case."""
    names = path.name, declared_path.name
    return (
        names[0] != names[1]
        and names[0].casefold() == names[1].casefold()
        and not (os.path.lexists(path.with_name(names[1])))
    )


def _is_taken_as_it_is(manuscript: Manuscript, declaration: BibliographyDeclaration) -> bool:
    before = _NAMING.get(manuscript.format)
    start = max(declaration.start - _LONGEST_BEFORE, 0)
    return before is None or bool(before.search(manuscript.text, start, declaration.start))
