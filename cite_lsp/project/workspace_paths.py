"""Which paths the files of a workspace may name: the rules for `cite-lsp.toml` and drafts.

A folder that was cloned or unpacked was written by somebody else, links in it included. A path is
judged by its target, with all links followed:

- A new entry goes only into a bibliography, by suffix and content, inside the workspace; outside
  only into one that the writer's own settings name, or where the writer trusts the folder.
- A model folder is taken only from a folder that the writer trusts.
- A style is read inside the workspace only, unless the writer trusts the folder.
- A bibliography of the settings is read inside the workspace only, if the writer does not trust the
  folder; one on another machine is never read, unless the writer trusts the folder.

Which folder is trusted is for the client to say (`"trusted": true` or `false`); it may also say
nothing, and then nobody has trusted the folder, but nobody has doubted it either.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path, PurePath, PureWindowsPath

from attrs import evolve, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.entries import Bibliography
from cite_lsp.library.load.read import BIBTEX_SUFFIXES, DATA_SUFFIXES, parse_as_named
from cite_lsp.paths import expanded
from cite_lsp.project.folders import absolute, folders_above, holding

TARGET_SUFFIXES = (*BIBTEX_SUFFIXES, *(suffix for suffix in DATA_SUFFIXES if suffix != ".sqlite"))
"""What the name of a file ends in that new entries may be written to."""
_LINE_COMMENT = lazy_re(r"^[ \t]*[%#].*$|^---[ \t]*$", re.MULTILINE)
_RECORD = lazy_re(r"@[ \t]*\w+\s*[{(]")
_NO_ITEMS = lazy_re(r"[\s{\[]*+(?:\"?(?:items|references|entries)\"?\s*:)?[\s{}\[\]]*+")
"""A list without items, or a mapping without any."""


@frozen
class WorkspacePaths:
    """What may be done with the paths that a workspace of some `folders` names.

    `trusted` is what the client says of it, None where it says nothing, `client_paths` are
    the files and folders outside it that the client's own settings name.
    """

    folders: tuple[Path, ...] = ()
    trusted: bool | None = None
    client_paths: tuple[Path, ...] = ()

    def around(self, draft: Path) -> WorkspacePaths:
        """Return the rules for a draft, with its project folder if it is outside the workspace."""
        if holding(draft, self.folders):
            return self
        return evolve(self, folders=(*self.folders, folders_above(draft.parent, None)[-1]))

    def naming(self, paths: Iterable[str]) -> WorkspacePaths:
        """Return the rules with the paths that the client's own settings name.

        A name that stays inside a folder of the workspace says nothing of where a link there leads.
        """
        bases = self.folders or (Path.cwd(),)
        named = {absolute(base / expanded(path)): None for path in paths if path for base in bases}
        return evolve(
            self, client_paths=tuple(path for path in named if not holding(path, self.folders))
        )

    def admits(self, path: Path) -> bool:
        """Whether a path leads inside the workspace, or where the writer allows it to lead."""
        if self.trusted:
            return True
        if _on_another_machine(path) and not holding(path, self.folders):
            return False  # without a look at it, which would already contact that machine
        real = Path(os.path.realpath(path))
        return lies_within(real, self._real_folders) or not self._real_client_paths.isdisjoint(
            (real, real.parent)
        )

    def may_read(self, path: Path) -> bool:
        """Whether a bibliography may be read that a `cite-lsp.toml` names."""
        if self.trusted is None and not _on_another_machine(path):
            return True
        return self.admits(path)

    @property
    def may_load_models(self) -> bool:
        """Whether a model may be loaded from a folder that a `cite-lsp.toml` names."""
        return self.trusted is True

    def refusal(self, path: Path, text: str = "") -> str:
        """Return why no entry may be written to a file, and what to do; "" where it may.

        `text` is what the file holds: nothing where it does not exist, or is known to be right.
        """
        real = Path(os.path.realpath(path))
        if not all(name.suffix.lower() in TARGET_SUFFIXES for name in (path, real)):
            return f"{_label(path)} is no bibliography; name a .bib, .json, .yaml or .ris file"
        if outside := self.outside(path):
            return outside
        if not holds_bibliography(path, text):
            return f"{_label(path)} holds something else than a bibliography; name another file"
        return ""

    def outside(self, path: Path) -> str:
        """Return why nothing may be written where a file lies, and what to do; "" if it may."""
        if self.admits(path):
            return ""
        return (
            f"{_label(path)} lies outside the workspace; to allow it, name it under bibliography "
            'in the editor\'s own settings, or let the editor say "trusted": true'
        )

    @cached_property
    def _real_folders(self) -> tuple[Path, ...]:
        return tuple(Path(os.path.realpath(absolute(folder))) for folder in self.folders)

    @cached_property
    def _real_client_paths(self) -> frozenset[Path]:
        return frozenset(Path(os.path.realpath(path)) for path in self.client_paths)


def lies_within(path: Path, folders: Iterable[Path]) -> bool:
    """Whether a path leads inside one of some folders, links on both sides followed."""
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(folder)) for folder in folders)


def holds_bibliography(path: Path, text: str) -> bool:
    """Whether a text is a bibliography in the format that its name tells, or nothing yet."""
    return not text.strip() or _is_bibliography(text, path.suffix.lower())


@lru_cache(maxsize=8)
def _is_bibliography(text: str, suffix: str) -> bool:
    path = Path(f"bibliography{suffix}")
    if holds_mostly_entries(parse_as_named(text, path)):
        return True
    if suffix in DATA_SUFFIXES:
        return bool(_NO_ITEMS.fullmatch(_LINE_COMMENT.sub("", text)))
    content = _LINE_COMMENT.sub("", text).strip() if not text.startswith("#!") else text
    return not content or bool(_RECORD.match(content))


def holds_mostly_entries(bibliography: Bibliography) -> bool:
    """Whether a file that was read is a bibliography, and not another one with an entry in it.

    Much else in YAML and JSON holds something called `title` as well.
    """
    if bibliography.path.suffix.lower() not in DATA_SUFFIXES:
        return bool(bibliography.entries)
    return len(bibliography.entries) > len(bibliography.problems)


def _label(path: Path) -> str:
    """Return a path as messages show it: with its target where a link leads elsewhere."""
    real = Path(os.path.realpath(path))
    return str(path) if Path(os.path.abspath(path)) == real else f"{path} (which is {real})"


def _on_another_machine(path: PurePath, windows: bool = os.name == "nt") -> bool:
    r"""Whether a path is on another machine: `\\host\share` of Windows."""
    return windows and PureWindowsPath(path).drive.startswith("\\\\")
