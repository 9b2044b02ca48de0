"""Setting a draft with LaTeX as its author would, to see what its citations come to."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from attrs import frozen

LATEX = all(shutil.which(name) for name in ("pdflatex", "bibtex"))
BIBER = LATEX and bool(shutil.which("biber"))

_LOST = re.compile(r"File `([^']+\.(?:cls|sty|tex))' not found")
_LOST_STYLE = re.compile(r"couldn't open style file (\S+)")
_ERROR = re.compile(r"^! (.+)$", re.MULTILINE)
_UNDEFINED = re.compile(r"Citation [`']([^']+)'[^\n]*\n?[^\n]*undefined")
_CITED = re.compile(r"\\(?:citation|abx@aux@cite(?:\{\d+\})?)\{([^}]*)\}")
_MOST_STUBS = 60
_CLASS = r"""\NeedsTeXFormat{LaTeX2e}
\LoadClass{article}
\RequirePackage{natbib}
\newenvironment{frontmatter}{}{}
"""
_STUBS = {".cls": _CLASS, ".sty": "\\DeclareOption*{}\\ProcessOptions\n", ".tex": ""}
"""What stands in for a journal's class, which a draft's repository has and these tests have not."""


@frozen
class Typeset:
    """What came of it: the errors of LaTeX, the keys cited, those that nothing was found for."""

    errors: Counter[str]
    cited: frozenset[str]
    undefined: frozenset[str]
    complaints: str


def typeset(path: Path) -> Typeset:
    """Run LaTeX, BibTeX or biber, and LaTeX again until the citations are settled."""
    _with_stubs(path)
    biber = path.with_suffix(".bcf").exists()
    program = "biber" if biber else "bibtex"
    complaints = _run(path, program, path.stem)
    if (lost := _LOST_STYLE.search(complaints)) and (usual := _where_is("plainnat.bst")):
        shutil.copy(usual, path.parent / lost[1])
        complaints = _run(path, program, path.stem)
    log = ""
    for _ in range(3):
        log = _latex(path)
    joined = log.replace("\n", " ") if biber else log
    cited = {
        key
        for aux in path.parent.rglob("*.aux")
        for keys in _CITED.findall(aux.read_text(encoding="utf-8", errors="replace"))
        for key in keys.split(",")
    }
    undefined = frozenset(_UNDEFINED.findall(joined))
    return Typeset(Counter(_ERROR.findall(log)), frozenset(cited), undefined, complaints)


def _with_stubs(path: Path) -> None:
    """Make what the draft wants and this installation has not: nothing by its name."""
    for _ in range(_MOST_STUBS):
        lost = _LOST.search(_latex(path))
        if lost is None:
            return
        stub = path.parent / lost[1]
        stub.write_text(_STUBS[stub.suffix], encoding="utf-8")


def _latex(path: Path) -> str:
    _run(path, "pdflatex", "-interaction=nonstopmode", "-draftmode", path.name)
    return path.with_suffix(".log").read_text(encoding="utf-8", errors="replace")


def _where_is(name: str) -> str:
    done = subprocess.run(["kpsewhich", name], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _run(path: Path, *command: str) -> str:
    done = subprocess.run(
        command,
        cwd=path.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=240,
        check=False,
    )
    return (done.stdout + done.stderr).decode("utf-8", "replace")
