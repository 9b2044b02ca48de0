"""Find the files that a draft includes and that do not exist: their citations cannot be checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript, format_of
from cite_lsp.manuscript.text.comments import without_comments
from cite_lsp.project.bibliographies.kpathsea import has_tex_file
from cite_lsp.project.files.inclusion_paths import included_by
from cite_lsp.project.project import Project

_GUARD = lazy_re(r"\\(?:Input)?IfFileExists\s*\{([^{}]*)\}")
"""A file that a draft looks for itself, and does without."""
_INCLUDE_ONLY = lazy_re(r"\\includeonly\s*\{([^{}]*)\}")
r"""The files that alone are set of those that `\include` names."""
_INCLUDE = lazy_re(r"\\include\s*\{\s*")
_OF_TEX = lazy_re(
    r"glyphtounicode(?:-cmr)?|binhex|epsf|xy(?:pic)?|pictex|insbox|random|ushyphex|arrayjobx?|tikz"
    r"|pgf\w*|pst-\w+|hyph-\w+|t1enc|ut1omlgc|mathlig|multido|fontmath|amstex"
)
"""Files of TeX itself that drafts read in, known by name where TeX is not installed."""
_SNIPPET = lazy_re(r"-+8<-+|%[^%]*%|[*?<>|{}$]")
"""What is no plain path: a pattern, a variable, a list of snippets."""


def missing_files(project: Project) -> Iterator[tuple[Path, int, Path]]:
    r"""Yield the missing inclusions of a draft: the including file, the offset, the path.

    Left out is what may well be missing: a file that the draft looks for first or writes itself,
    one that `\includeonly` passes over, one of TeX's own, and what is no draft, such as a figure or
    a list that a program makes.
    """
    files = dict(project.files)
    for file, manuscript in project.files:
        guarded = {name.strip() for name in _GUARD.findall(manuscript.text)}
        for inclusion, candidates in included_by(project.root, file, files):
            paths = tuple(candidates)
            if inclusion.optional or inclusion.defines:
                continue
            if any(os.path.lexists(path) or path in files for path in paths):
                continue
            path = next((path for path in paths if format_of(path) is not None), None)
            name = inclusion.path.strip("\"' ")
            if path is None or _SNIPPET.search(name) or name.startswith("@"):
                continue
            if manuscript.format == "latex" and (
                guarded.intersection((name, f"{name}.tex", name.removesuffix(".tex")))
                or _is_passed_over(manuscript, inclusion.start, name, files.values())
                or _is_made_by_tex(name, path, project)
            ):
                continue
            yield file, inclusion.start, path


def _is_passed_over(
    manuscript: Manuscript, start: int, name: str, manuscripts: Iterable[Manuscript]
) -> bool:
    r"""Whether `\includeonly` leaves out what a draft of LaTeX includes at an offset."""
    if not _is_include(manuscript.text, start):
        return False
    only = _included_only(manuscripts)
    return only is not None and name not in only


def _is_made_by_tex(name: str, path: Path, project: Project) -> bool:
    """Whether a file is no draft, is written by the draft itself, or comes with TeX."""
    if Path(name).suffix and format_of(Path(name)) is None:
        return True
    embedded = (place for _, text in project.files for place in text.layout.embedded)
    if any(Path(place.path).name == path.name for place in embedded):
        return True
    return _is_of_tex(name, project.root.parent)


def _is_include(text: str, start: int) -> bool:
    r"""Whether a path that begins at an offset is the argument of `\include`."""
    command = text.rfind("\\", 0, start)
    return _INCLUDE.fullmatch(text, max(command, 0), start) is not None


def _included_only(manuscripts: Iterable[Manuscript]) -> set[str] | None:
    r"""Return the names that `\includeonly` lists, None where it does not stand."""
    texts = (without_comments(manuscript.text) for manuscript in manuscripts)
    lists = [names for text in texts for names in _INCLUDE_ONLY.findall(text)]
    return {name.strip() for name in lists[-1].split(",")} if lists else None


def _is_of_tex(name: str, folder: Path) -> bool:
    """Whether a file comes with TeX; one that is named with its folder does not."""
    if "/" in name or "\\" in name:
        return False
    exists = has_tex_file(name, folder)
    return bool(_OF_TEX.fullmatch(name.removesuffix(".tex"))) if exists is None else exists
