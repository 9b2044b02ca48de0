"""The one edit that puts new entries into a bibliography, whatever its format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types

from cite_lsp.library.entries import Entry
from cite_lsp.library.load.read import DATA_SUFFIXES
from cite_lsp.library.write.new_entry import (
    NewEntry,
    NotWritable,
    appended,
    embedded_entry,
    new_bibitem,
    new_entry,
    new_reference,
)
from cite_lsp.manuscript.text.text_diff import difference
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.project.draft import Draft
from cite_lsp.project.entry_target import EntryTarget
from cite_lsp.server.session.request import Request
from cite_lsp.storage.encodings import decode_bytes
from cite_lsp.storage.regular_files import read_regular


def new_text(
    request: Request, draft: Draft, to: EntryTarget, entries: Sequence[NewEntry]
) -> types.TextEdit | None:
    """Return the edit of a file that adds entries to it.

    None where they cannot be written there, which the writer is shown.
    Of the file not a byte changes but for what is inserted.
    """
    lines = request.buffers.lines(to.path)
    try:
        added = entry_insertion(draft, to, lines.text if lines else "", entries)
    except NotWritable as error:
        request.complain(f"{error}; no entry is added there: let addEntriesTo name another file")
        return None
    if lines is None:
        return types.TextEdit(types.Range(types.Position(0, 0), types.Position(0, 0)), added.text)
    return request.text_edit(added, lines)


def entry_insertion(
    draft: Draft, to: EntryTarget, text: str, entries: Sequence[NewEntry]
) -> TextEdit:
    """Return the one insertion into the text of a file that adds entries, at least one, to it.

    Raises:
        NotWritable: they cannot be written there.
    """
    parsed_entries = _entries(draft, to.path, text)
    first, *others = entries
    added = _addition(text, to, first, parsed_entries)
    if not others:
        return added
    # Each comes right after the previous entry, so that all of them are one insertion.
    after = added.applied_to(text)
    for new in others:
        after = _addition(after, to, new, None).applied_to(after)
    return difference(text, after)


def _addition(
    text: str, to: EntryTarget, new: NewEntry, parsed_entries: Sequence[Entry] | None
) -> TextEdit:
    if to.place == "references":
        return new_reference(text, to.path, new)
    if to.place == "bibitems":
        return new_bibitem(text, to.path, new)
    if to.place == "filecontents":
        return embedded_entry(text, to.path, new)
    if new.record and to.path.suffix.lower() not in DATA_SUFFIXES:
        return appended(text, new.record)
    return new_entry(
        text, to.path, new, parsed_entries=parsed_entries, ascii_only=_not_utf8(to.path)
    )


def _entries(draft: Draft, path: Path, text: str) -> Sequence[Entry] | None:
    """Return the entries of a file as they were read for the library, if the text is the same."""
    for bibliography in draft.library.bibliographies:
        entries = bibliography.entries
        if bibliography.path == path and entries:
            last = entries[-1]
            return entries if text[last.start : last.end] == last.raw else None
    return None


def _not_utf8(path: Path) -> bool:
    try:
        return bool(decode_bytes(read_regular(path))[1])
    except OSError:
        return False
