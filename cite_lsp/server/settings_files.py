"""Following the `cite-lsp.toml` of each folder, which many clients do not tell the changes of."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from pathlib import Path

from cite_lsp.library.read import Stamp, stamp
from cite_lsp.server.options import FILE_NAME

_PAUSE = 0.5
"""Seconds for which the files are believed to be as they were."""


class SettingsFiles:
    """The settings files as they were when they were read."""

    def __init__(self) -> None:
        self._stamps: dict[Path, Stamp] = {}
        self._looked = -math.inf

    def keep(self, folders: Iterable[Path]) -> None:
        """Take the files of some folders as known; to be called before they are read."""
        self._stamps = {path: stamp(path) for path in (folder / FILE_NAME for folder in folders)}

    def changed(self) -> bool:
        """Whether one of them has changed since; the disk is asked at most twice a second."""
        now = time.monotonic()
        if now < self._looked + _PAUSE:
            return False
        self._looked = now
        return any(stamp(path) != before for path, before in self._stamps.items())
