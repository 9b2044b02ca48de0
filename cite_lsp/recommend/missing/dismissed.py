"""Dismissals: papers that a writer does not want for a sentence, stored with the project.

They are in `.cite-lsp/dismissed.json` at the root of the workspace, sorted and one key a line, so
that the file can be kept under version control and merged. A sentence is identified by its words:
case, accents and punctuation may change, and it may move.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from cite_lsp.paper import normalise_title
from cite_lsp.project.workspace_paths import lies_within
from cite_lsp.storage.atomic_write import remove_abandoned, write_atomically
from cite_lsp.storage.file_lock import file_lock
from cite_lsp.storage.regular_files import read_regular
from cite_lsp.storage.stamps import Stamp, stamp_of

logger = logging.getLogger(__name__)

FOLDER, FILE = ".cite-lsp", "dismissed.json"
_PATIENCE = 5.0
"""Seconds for which another process may be changing the file."""

Keys = frozenset[str]
Table = Mapping[str, Keys]
"""The keys that were dismissed, by the words of their sentence."""


class DismissalError(Exception):
    """A dismissal cannot be stored; the message says where, why and what to do, in one line."""


class Dismissals:
    """The dismissals of one project. Thread-safe; the file is read again when it has changed."""

    def __init__(self, root: Path) -> None:
        """Take the root of the project; nothing is read or made yet."""
        self._root = root
        self.path = root / FOLDER / FILE
        self._read: tuple[Stamp, Table] = (None, {})
        self._logged = ""

    def keys(self, sentence: str) -> Keys:
        """Return the keys dismissed for a sentence, given as plain text.

        A file that cannot be read dismisses nothing, and is logged once.
        """
        try:
            return self._table().get(normalise_title(sentence), frozenset())
        except DismissalError as error:
            if str(error) != self._logged:
                self._logged = str(error)
                logger.warning("%s", error)
            return frozenset()

    def check(self) -> None:
        """Check that the file can be read.

        Raises:
            DismissalError: the file cannot be read.
        """
        self._table()

    def dismiss(self, sentence: str, key: str) -> bool:
        """Store that a key is not wanted for a sentence; returns whether that is new.

        Raises:
            DismissalError: the file cannot be read or written.
        """
        return self._change(sentence, lambda keys: keys | {key})

    def restore(self, sentence: str, key: str) -> bool:
        """Take a dismissal back; returns whether there was one.

        Raises:
            DismissalError: the file cannot be read or written.
        """
        return self._change(sentence, lambda keys: keys - {key})

    def _change(self, sentence: str, change: Callable[[Keys], Keys]) -> bool:
        words = normalise_title(sentence)
        before = self._table().get(words, frozenset())
        if not words or change(before) == before:
            return False
        try:
            self.path.parent.mkdir(exist_ok=True)
            with file_lock(self.path.with_suffix(".lock"), _PATIENCE):
                table = dict(self._table())
                before = table.get(words, frozenset())
                table[words] = change(before)
                self._write({words: keys for words, keys in table.items() if keys})
                return table[words] != before
        except OSError as error:
            reason = error.strerror or error
            raise DismissalError(
                f"{self.path}: cannot be written ({reason}); see whether the folder may be changed"
            ) from error

    def _table(self) -> Table:
        """Return what the file holds now.

        Raises:
            DismissalError: it is there and cannot be read, or is not in the project.
        """
        if not lies_within(self.path, [self._root]):
            raise DismissalError(
                f"{self.path}: leads outside the project, to {self.path.resolve()}, so nothing is "
                f"read or kept there; replace the link by a folder {FOLDER}"
            )
        stamp_before, table = self._read
        try:
            current = stamp_of(self.path.stat())
            if stamp_before != current:
                table = _parsed(read_regular(self.path).decode("utf-8"))
                self._read = current, table
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise DismissalError(
                f"{self.path}: cannot be read ({error}), so nothing counts as dismissed; repair it "
                "or delete it"
            ) from error
        return table

    def _write(self, table: Table) -> None:
        rows = [{"sentence": words, "keys": sorted(table[words])} for words in sorted(table)]
        text = json.dumps({"version": 1, "dismissed": rows}, ensure_ascii=False, indent=1)
        write_atomically(self.path, text + "\n")
        remove_abandoned(self.path.parent)


@lru_cache(maxsize=64)
def dismissals_in(root: Path) -> Dismissals:
    """Return the dismissals of a project, the same object for the same root."""
    return Dismissals(root)


def project_root(path: Path) -> Path:
    """Return the nearest folder above a draft with dismissals, or else the draft's own folder."""
    return next((folder for folder in path.parents if (folder / FOLDER).is_dir()), path.parent)


def _parsed(text: str) -> Table:
    """Read the file's text.

    Raises:
        ValueError: it has another format.
    """
    document = json.loads(text)
    rows = document.get("dismissed") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise ValueError("it holds no list `dismissed`")
    table: dict[str, frozenset[str]] = {}
    for row in rows:
        match row:
            case {"sentence": str() as words, "keys": list() as keys}:
                table[words] = table.get(words, frozenset()) | frozenset(map(str, keys))
            case _:
                raise ValueError("a row of `dismissed` needs `sentence` and `keys`")
    return table
