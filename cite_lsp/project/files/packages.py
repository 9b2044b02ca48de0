"""The packages and classes of a draft's own (`mymacros.sty`): which commands of theirs cite.

They are no files of the draft. The files that a preamble reads in are looked at like them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from cite_lsp.manuscript import Commands
from cite_lsp.manuscript.latex.commands.citation_commands import definitions
from cite_lsp.manuscript.latex.commands.packages import loaded_files
from cite_lsp.project.folders import joined
from cite_lsp.storage.caches import LastUsed

_INPUT = ".tex"
_LONGEST = 2_000_000
"""Characters; what is longer was not written by hand."""


class Packages:
    """Reads the packages that stand beside drafts; what has not changed once. Thread-safe."""

    def __init__(self) -> None:
        self._loaded: LastUsed[tuple[Path, bool], tuple[str, tuple[str, ...]]] = LastUsed(None)
        self._defined: LastUsed[Path, tuple[str, Commands, Commands]] = LastUsed(None)

    def loaded_by(
        self, path: Path, text: str, folder: Path, read: Callable[[Path], str | None]
    ) -> dict[Path, str]:
        """Return the packages of a folder that a file loads, and their texts.

        Those that a package loads itself come before it. The files that the preamble of a main file
        reads in are among them.
        """
        packages: dict[Path, str] = {}
        seen: set[Path] = set()
        # Each file on the way, and the names that are left of those that it loads.
        loading = [(path, text, iter(self.names(path, text)))]
        while loading:
            path, text, names = loading[-1]
            name = next(names, None)
            if name is None:
                loading.pop()
                if loading:
                    packages[path] = text
            elif os.path.isfile(os.path.join(folder, name)):
                package = joined(folder, name)
                content = None if package in seen else read(package)
                seen.update((path, package))
                if content is not None and len(content) <= _LONGEST:
                    inner = self.names(package, content, within=True)
                    loading.append((package, content, iter(inner)))
        return packages

    def commands(self, packages: Mapping[Path, str], commands: Commands) -> Commands:
        """Return the citing commands that packages define, over the `commands` before."""
        for path, text in packages.items():
            of_text, before, defined = self._defined.get(path) or ("", commands, commands)
            if of_text != text or before != commands:
                defined = definitions(text, commands, package=path.suffix != _INPUT)
                self._defined.keep(path, (text, commands, defined))
            commands = defined
        return commands

    def forget_others(self, paths: Collection[Path]) -> None:
        """Drop what was read of all files but these, drafts and packages."""
        self._loaded.forget_unless(lambda loaded: loaded[0] in paths)
        self._defined.forget_unless(paths.__contains__)

    def names(self, path: Path, text: str, *, within: bool = False) -> tuple[str, ...]:
        """Return what a file loads: the first one, or one `within` those that it loads."""
        of_text, names = self._loaded.get((path, within)) or (None, ())
        if of_text != text:
            # That of a chapter is no preamble: what it reads in comes behind it anyway.
            inputs = "\\documentclass" in text or (within and path.suffix == _INPUT)
            names = loaded_files(text, inputs=inputs)
            self._loaded.keep((path, within), (text, names))
        return names
