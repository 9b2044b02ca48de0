"""The `cite-lsp.toml` of a folder: where it is, what it says, and whether it has changed."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cite_lsp.lazy_re import lazy_re
from cite_lsp.paths import SETTINGS_FILE, expanded
from cite_lsp.project.folders import absolute
from cite_lsp.server.config.options import read_options
from cite_lsp.storage.bounded_toml import load_toml
from cite_lsp.storage.regular_files import LARGEST_SETTINGS, read_regular
from cite_lsp.storage.stamps import Stamp, stamp

_BACKSLASH = lazy_re(r'"[^"\n]*(?<!\\)\\(?![\\"])[^"\n]*"')
"""A text with a single backslash, as in the path of a file on Windows."""
_PAUSE = 0.5
"""Seconds for which the files are believed to be as they were."""


def folder_above(path: Path) -> Path | None:
    """Return the nearest folder above a draft that has such a file, None where there is none."""
    return next((folder for folder in path.parents if has_file(folder)), None)


def has_file(folder: Path) -> bool:
    """Whether a folder has such a file, which need not be one that can be read."""
    path = folder / SETTINGS_FILE
    return os.path.exists(path) and not os.path.isdir(path)


def read_file(folder: Path) -> tuple[Mapping[str, Any], str]:
    """Return the settings in the `cite-lsp.toml` of a folder, and a complaint or ""."""
    path = folder / SETTINGS_FILE
    try:
        text = read_regular(path, LARGEST_SETTINGS).decode("utf-8-sig")
    except FileNotFoundError:
        return {}, ""
    except UnicodeDecodeError:
        return {}, f"{path} cannot be read and is ignored: it is not UTF-8; save it as that"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        return {}, f"{path} cannot be read and is ignored: {reason}"
    try:
        return load_toml(text), ""
    except ValueError as error:
        remedy = "; write the folders of a path with /, not \\" if _BACKSLASH.search(text) else ""
        return {}, f"{path} cannot be read and is ignored: {error}{remedy}"


def naming_settings(
    bibliography: Path, draft: Path, workspaces: Sequence[Path], effective: Sequence[str]
) -> str:
    """Return which settings name a bibliography, "" where it is not known that any do.

    `effective` are the bibliographies of the settings in force, as seen from the first folder of
    the workspace.
    """
    for folder in dict.fromkeys((*workspaces, *draft.parents)):
        options, _ = read_options(("", read_file(folder)[0]))
        if any(absolute(folder / expanded(name)) == bibliography for name in options.bibliography):
            return SETTINGS_FILE
    first = workspaces[0] if workspaces else Path.cwd()
    paths = (absolute(first / expanded(name)) for name in effective)
    return "the settings" if bibliography in paths else ""


class SettingsFiles:
    """The settings files as they were when read: many clients report no changes."""

    def __init__(self) -> None:
        self._stamps: dict[Path, Stamp] = {}
        self._looked = -math.inf

    def add(self, folder: Path) -> None:
        """Take the file of a folder, there or not, as known; to be called before it is read."""
        path = folder / SETTINGS_FILE
        self._stamps.setdefault(path, stamp(path))

    def forget(self) -> None:
        """Forget all files: they are read again."""
        self._stamps = {}

    def changed(self) -> bool:
        """Whether one of them has changed since; the disk is looked at at most twice a second."""
        now = time.monotonic()
        if now < self._looked + _PAUSE:
            return False
        self._looked = now
        return any(stamp(path) != before for path, before in tuple(self._stamps.items()))
