"""Where the files of a draft name bibliographies, and the paths that these names lead to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from cite_lsp.library.entries import Problem
from cite_lsp.manuscript import BibliographyDeclaration, Manuscript
from cite_lsp.project.bibliographies.bibliography_paths import matching, resolve
from cite_lsp.project.bibliographies.filecontents import EmbeddedBibliography, named_embedded
from cite_lsp.project.files.path_macros import expand, macros_of

MOST_BIBLIOGRAPHIES = 200

Declared = tuple[Path, BibliographyDeclaration, Path]


def declarations(
    root: Path,
    files: dict[Path, Manuscript],
    project_folders: list[Path],
    embedded: Mapping[Path, EmbeddedBibliography],
    patience: float,
    problems: list[Problem],
) -> Iterator[Declared]:
    """Yield what names a bibliography; what is not followed is added to `problems`."""
    left = MOST_BIBLIOGRAPHIES
    macros: dict[str, str] | None = None
    for path, manuscript in files.items():
        if not manuscript.declarations:
            continue
        folders = list(dict.fromkeys((root.parent, path.parent)))
        if manuscript.format != "latex":  # which alone reads names from where the main file stands
            folders.reverse()
        for declaration in manuscript.declarations:
            names = [declaration.path]
            if "\\" in declaration.path and manuscript.format == "latex":
                if macros is None:
                    macros = macros_of(files.values(), root.stem)
                # A macro may well stand for several files.
                names = expand(declaration.path, macros).split(",")
            for name in names:
                matches = matching(name, folders) if manuscript.format == "latex" else None
                if left <= 0:
                    problems.append(too_many_bibliographies(path, _line(manuscript, declaration)))
                    return
                several, reason = matches or ([], "")
                if reason:
                    line = _line(manuscript, declaration)
                    problems.append(Problem(path, line, f"{name}: {reason}"))
                if matches is None:
                    bibliography = named_embedded(name, root.parent, embedded)
                    target = (
                        bibliography.path
                        if bibliography
                        else resolve(name, folders, project_folders, patience)
                    )
                    several = [] if target is None else [target]
                left -= max(len(several), 1)
                for target in several:
                    yield path, declaration, target


def _line(manuscript: Manuscript, declaration: BibliographyDeclaration) -> int:
    return manuscript.text.count("\n", 0, declaration.start) + 1


def too_many_bibliographies(path: Path, line: int) -> Problem:
    """Return what is said in a line of a draft whose bibliographies are not all read."""
    message = (
        f"only {MOST_BIBLIOGRAPHIES} bibliographies are read for a draft: name those in it that "
        "it cites from"
    )
    return Problem(path, line, message)
