"""Adding the entry of a work to the bibliography of a draft, on disk.

The file is chosen as in an editor (`cite_lsp.server.edits.add_entry`), but it is always one that
the draft itself names.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from cite_lsp.cli import CommandError
from cite_lsp.cli.arguments.project_settings import (
    build_recommender,
    expect_draft,
    project_settings,
)
from cite_lsp.cli.bib.from_corpus import fullest_paper
from cite_lsp.library.match.dedupe import SameWork
from cite_lsp.library.write.key_style import new_key
from cite_lsp.library.write.new_entry import NewEntry, NotWritable
from cite_lsp.paths import expanded
from cite_lsp.project.draft import Draft
from cite_lsp.project.entry_target import EntryTarget, entry_target, refusal_of
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.folders import absolute
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.server.edits.add_entry import copied
from cite_lsp.server.edits.entry_edit import entry_insertion
from cite_lsp.storage.atomic_write import write_atomically
from cite_lsp.storage.encodings import decode_exactly
from cite_lsp.storage.regular_files import read_regular

_NONE = (
    "it names no bibliography that can be written; name one in it, such as "
    "\\bibliography{references} or bibliography: references.bib"
)


def add_entry(path: Path, work: str, paths: WorkspacePaths) -> dict[str, Any]:
    """Add the entry of a work to a bibliography that a draft names, unless it is there already.

    Args:
        path: The draft, an absolute path.
        work: Its DOI, arXiv number or title, as a corpus on this machine has it; or the key of an
            entry that the draft can cite from elsewhere, such as Zotero.
        paths: What may be written.

    Returns:
        What was done as JSON has it: `added`, the `key` to cite the work by, the `file` that has
        the entry, and the `entry` as it was written.

    Raises:
        CommandError: no corpus has the work, or no file may take the entry.
        OSError: the file cannot be written.
    """
    expect_draft(path)
    files = FilesOnDisk()
    settings, setup = project_settings(path)
    with build_recommender(setup, files) as recommender:
        draft = recommender.draft(path)
    entries = draft.library.entries
    entry = draft.library.get(work)
    paper = entry.paper if entry is not None else fullest_paper(work)
    entry = entry or SameWork(entries).find(paper)
    if entry is not None and draft.has(entry):
        return {"added": False, "key": entry.key, "file": str(entry.path)}
    if entry is not None:
        new = copied(entry, entry.key)
    else:
        new = NewEntry(new_key(paper, entries), paper)
    target = _target(draft, settings.add_entries_to, paths, files)
    entry_text = _write(draft, target, new)
    return {"added": True, "key": new.key, "file": str(target.path), "entry": entry_text}


def _target(draft: Draft, setting: str, paths: WorkspacePaths, files: FilesOnDisk) -> EntryTarget:
    """Return the file of the draft that takes new entries: that of the settings if it is one."""
    refusals: list[str] = []

    def may_take(target: EntryTarget) -> bool:
        refusal = refusal_of(target, draft, paths, files.read)
        if refusal and not paths.admits(target.path):
            refusal = f"{target.path} lies outside; start `cite-lsp mcp` with its folder as well"
        refusals.extend([refusal] if refusal and target.named else [])
        return target.named and not refusal

    if draft.project.names_none:
        raise CommandError(f"{draft.path}: no entry is added: {_NONE}")
    chosen_path = absolute(expanded(setting)) if setting else None
    if chosen_path not in draft.project.bibliographies:
        chosen_path = None
    target = entry_target(draft.project, chosen=chosen_path, may_take=may_take)
    if target is None:
        raise CommandError(f"{draft.path}: no entry is added: {(*refusals, _NONE)[0]}")
    return target


def _write(draft: Draft, target: EntryTarget, new: NewEntry) -> str:
    """Write an entry into a file, of which nothing else changes; returns it."""
    real = Path(os.path.realpath(target.path))
    text = decode_exactly(read_regular(real) if target.exists else b"")
    try:
        added = entry_insertion(draft, target, text.text, [new])
    except NotWritable as error:
        raise CommandError(f"{error}; no entry is added there") from error
    after = added.applied_to(text.exact)
    real.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(real, text.mark + text.encoded(after))
    return added.text.strip()
