"""The path of an open document by its URI, also of a buffer that was never saved."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from pygls.uris import from_fs_path, to_fs_path

from cite_lsp.project.folders import absolute, composed

_SUFFIX_OF_LANGUAGE = {
    "latex": ".tex",
    "tex": ".tex",
    "plaintex": ".tex",
    "rnoweb": ".Rnw",
    "rsweave": ".Rnw",
    "markdown": ".md",
    "pandoc": ".md",
    "quarto": ".qmd",
    "rmd": ".Rmd",
    "rmarkdown": ".Rmd",
    "typst": ".typ",
    "org": ".org",
    "bibtex": ".bib",
}


def path_of(uri: str, language: str = "", folder: Path | None = None) -> Path:
    """Return the path of a document.

    A buffer that was never saved (`untitled:Untitled-1`, or `file://` without a name in Neovim)
    stands in `folder` under a name that nobody else has, with the suffix of its language: so it,
    too, finds the bibliographies of its workspace. One that has a place to be saved at
    (`untitled:/home/ada/new.md`) stands there. A URI that names no path counts as unsaved.
    """
    path = named_path(uri)
    if path is not None and path.name not in ("", "\\"):
        return path
    name = "".join(character if character.isalnum() else "-" for character in uri)
    return (folder or Path.cwd()) / f".{name}{_SUFFIX_OF_LANGUAGE.get(language, '')}"


def named_path(uri: str) -> Path | None:
    """Return the path that a URI names; None for none, or one that no file can have."""
    try:
        parts = urlsplit(uri)
        if parts.scheme == "untitled" and parts.path.startswith("/"):
            uri = f"file://{parts.path}"
        path = to_fs_path(uri)
        os.fsencode(path or "")
    except ValueError:  # it cannot be read, or holds half a letter
        return None
    return absolute(Path(path)) if path and "\0" not in path else None


def uri_of(path: Path) -> str:
    """Return the URI of a path, spelled as most editors do it."""
    try:
        return from_fs_path(str(path)) or path.as_uri()
    except UnicodeEncodeError:  # the name is no text
        return path.as_uri()


def resolved(path: Path) -> Path:
    """Return a path with symbolic links followed."""
    return Path(composed(os.path.realpath(path)))
