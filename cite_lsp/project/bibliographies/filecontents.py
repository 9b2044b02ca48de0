r"""Bibliographies that LaTeX writes from the draft itself, before it reads them: `filecontents`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen

from cite_lsp.library.bibtex.incremental import parse_stretch
from cite_lsp.library.entries import Bibliography
from cite_lsp.manuscript import EmbeddedFile, Manuscript
from cite_lsp.project.files.path_macros import expand, macros_of
from cite_lsp.project.folders import absolute

_SUFFIX = ".bib"


@frozen
class EmbeddedBibliography:
    """A bibliography in a draft: the file of the draft, and where in it the entries stand."""

    path: Path
    place: EmbeddedFile


def embedded_bibliographies(
    root: Path, files: Mapping[Path, Manuscript]
) -> dict[Path, EmbeddedBibliography]:
    """Return the bibliographies that a draft writes, by the path that each is written to.

    LaTeX leaves a file that exists as it is, unless told to overwrite it: then that one counts.
    """
    embedded: dict[Path, EmbeddedBibliography] = {}
    macros: Mapping[str, str] | None = None
    for path, manuscript in files.items():
        for place in manuscript.layout.embedded:
            if not place.path.lower().endswith(_SUFFIX):
                continue
            if macros is None:
                macros = macros_of(files.values(), root.stem)
            target = absolute(root.parent / expand(place.path, macros))
            if place.overwrites or not os.path.isfile(target):
                embedded[target] = EmbeddedBibliography(path, place)
    return embedded


def named_embedded(
    name: str, folder: Path, embedded: Mapping[Path, EmbeddedBibliography]
) -> EmbeddedBibliography | None:
    """Return the bibliography of a name, relative to the main file's folder, if there is one."""
    if not embedded:
        return None
    name = name.strip("\"' \t\r\n")
    return embedded.get(absolute(folder / (name.removesuffix(_SUFFIX) + _SUFFIX)))


def read_embedded(manuscript: Manuscript, path: Path, place: EmbeddedFile) -> Bibliography:
    """Return a bibliography embedded in a file of a draft, with its positions in that file."""
    return parse_stretch(manuscript.text, path, place.start, place.end)


def joined(parts: Sequence[Bibliography]) -> Bibliography:
    """Join the bibliographies in one file, in order of their entries."""
    if len(parts) == 1:
        return parts[0]
    entries = sorted(
        (entry for part in parts for entry in part.entries), key=lambda part: part.start
    )
    problems = sorted(
        (problem for part in parts for problem in part.problems), key=lambda part: part.line
    )
    macros = {name: text for part in parts for name, text in part.macros.items()}
    return Bibliography(parts[0].path, tuple(entries), tuple(problems), macros)
