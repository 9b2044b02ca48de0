"""Which files a program may name: those in the folders that the writer named."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from cite_lsp.cli import CommandError
from cite_lsp.library.load.read import DATA_SUFFIXES
from cite_lsp.project.folders import absolute
from cite_lsp.project.workspace import is_bibliography
from cite_lsp.project.workspace_paths import WorkspacePaths, lies_within


@frozen
class Folders:
    """The folders, the first of which relative paths count from."""

    folders: Sequence[Path]

    def path(self, named: str) -> Path:
        """Return the file that a program names.

        Raises:
            CommandError: it is outside the folders, links followed.
        """
        path = absolute(self.folders[0] / os.path.expanduser(named))
        if not named or "\0" in named or not lies_within(path, self.folders):
            among = " or ".join(map(str, self.folders))
            raise CommandError(
                f"{named!r} lies outside {among}; name a file in there, or start `cite-lsp mcp` "
                "with its folder"
            )
        return path

    def bibliography(self, named: str) -> Path:
        """Return the bibliography that a program names.

        Raises:
            CommandError: it is none by its name, or outside the folders.
        """
        path = self.path(named)
        if not is_bibliography(path) and path.suffix.lower() not in DATA_SUFFIXES:
            raise CommandError(
                f"{named}: is no bibliography; name a .bib, .json, .yaml or .ris file"
            )
        return path

    @property
    def paths(self) -> WorkspacePaths:
        """What may be done with the paths that drafts and their settings name."""
        return WorkspacePaths(tuple(map(absolute, self.folders)))
