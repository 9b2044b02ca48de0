"""The edit that makes one entry of two, and cites that one everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from attrs import field, frozen
from lsprotocol import types

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.entries import Entry
from cite_lsp.library.write.merged_entry import fuller, merged_record
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.edit.insertion import key_replacement
from cite_lsp.manuscript.model import MarkerKey
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.project.citations import keys_in
from cite_lsp.project.workspace import Scope, scope_of
from cite_lsp.server.edits.occurrences import occurrences
from cite_lsp.server.session.request import Request

_BETWEEN_KEYS = lazy_re(r"\s*[,;]\s*@?")
_BREAK = lazy_re(r"\r\n?|\n")
_BREAKS = lazy_re(r"(?:\r\n?|\n){1,2}")
_BLANK_LINE = lazy_re(r"(?:\r\n|\n|\r(?!\n)){2}\Z")


@frozen
class _Changes:
    """Edits of files, by path."""

    by_path: dict[Path, list[TextEdit]] = field(factory=dict)

    def add(self, path: Path, edit: TextEdit) -> None:
        """Add an edit, unless another one takes away what it changes."""
        edits = self.by_path.setdefault(path, [])
        if not any(other.start <= edit.start and edit.end <= other.end for other in edits):
            edits.append(edit)


def merge(request: Request, entry: Entry, other: Entry) -> tuple[str, types.WorkspaceEdit] | None:
    """Return the edit that merges two entries of the document, and the key that both then have.

    None where they cannot be merged. The key that the drafts cite more stays, or else that of the
    entry that says more; it takes the place of the other in each draft that shares the
    bibliography.
    """
    scopes = [scope_of(request.surroundings, item.key) for item in (entry, other)]
    uses = Counter(
        {
            item.key: sum(key.text == item.key for _, part in scope.drafts for key in keys_in(part))
            for item, scope in zip((entry, other), scopes, strict=True)
        }
    )
    base = fuller(other, entry)
    source = other if base is entry else entry
    key = max((base.key, source.key), key=lambda name: uses[name])
    gone, scope = (other.key, scopes[1]) if key == entry.key else (entry.key, scopes[0])
    record = merged_record(base, source, key)
    if record is None:
        return None
    text = request.buffer.text
    changes = _Changes()
    end = behind_record(text, source.start, source.end)
    changes.add(request.path, TextEdit(base.start, base.end, record))
    changes.add(request.path, TextEdit(source.start, end, ""))
    _cite_instead(changes, scope, gone, key)
    edits = {}
    for path, changed in changes.by_path.items():
        lines = request.buffers.lines(path)
        if lines is None:
            return None
        edits[path] = [request.text_edit(edit, lines) for edit in sorted(changed)]
    return key, request.edit_files(edits)


def _cite_instead(changes: _Changes, scope: Scope, gone: str, key: str) -> None:
    """Write one key in the place of another wherever that is named, but never twice in a marker."""
    drafts = {path for path, _ in scope.drafts}
    for path, manuscript in scope.drafts:
        for start, end in _repetitions(manuscript, gone, key):
            changes.add(path, TextEdit(start, end, ""))
        for cited in keys_in(manuscript):
            if cited.text == gone:
                changes.add(path, key_replacement(manuscript, cited, key))
    for occurrence in occurrences(scope, gone):
        if occurrence.path not in drafts:
            changes.add(occurrence.path, TextEdit(occurrence.start, occurrence.end, key))


def _repetitions(manuscript: Manuscript, gone: str, key: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a key, and of what parts it from the next, where another stands by it."""
    for marker in (*manuscript.markers, *manuscript.markers_outside_prose):
        keys = marker.keys
        if {gone, key} <= {cited.text for cited in keys}:
            for number, cited in enumerate(keys):
                place = _with_separator(manuscript, keys, number)
                if cited.text == gone and place is not None:
                    yield place


def _with_separator(
    manuscript: Manuscript, keys: tuple[MarkerKey, ...], number: int
) -> tuple[int, int] | None:
    """Return the range of a key with what parts it from a neighbour, None if words do."""
    text, key = manuscript.text, keys[number]
    if number:
        before = keys[number - 1]
        if _BETWEEN_KEYS.fullmatch(text, before.end, key.start):
            return before.end, key.end
    elif len(keys) > 1 and _BETWEEN_KEYS.fullmatch(text, key.end, keys[1].start):
        return key.start, keys[1].start
    return None


def behind_record(text: str, start: int, end: int) -> int:
    """Return up to where to remove a record: with its line break, and one of two blank lines."""
    pattern = _BREAKS if not start or _BLANK_LINE.search(text, max(start - 4, 0), start) else _BREAK
    match = pattern.match(text, end)
    return match.end() if match else end
