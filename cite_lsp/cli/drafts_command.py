"""List what is kept of drafts, learn from some, or forget them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.arguments.project_settings import expect_draft, project_settings
from cite_lsp.cli.printing.output import Stages, counted, print_json, say, warn
from cite_lsp.corpus.sources import files_below
from cite_lsp.encode.encoder import Encoder
from cite_lsp.manuscript import format_of
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.folders import absolute
from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.recommend.models import DraftModels
from cite_lsp.server.config.settings_files import folder_above

_NONE_THERE = "no record of drafts there; `cite-lsp drafts` lists what is"


def run(options: argparse.Namespace) -> int:
    """Print a line for every draft."""
    if options.action == "list":
        return _list(options)
    if not options.paths:
        raise UsageError(
            f"give drafts, or folders of them: cite-lsp drafts {options.action} PATH..."
        )
    return _add(options) if options.action == "add" else _forget(options)


def _list(options: argparse.Namespace) -> int:
    paths = [absolute(path) for path in options.paths]
    drafts = [draft for draft in OtherDrafts().stored() if not paths or _is_in(draft.root, paths)]
    if not drafts and not options.json:
        if paths:
            print(_NONE_THERE)
        else:
            print("none yet; learn from those on your disk with `cite-lsp drafts add FOLDER`")
    _print(drafts, options)
    return 0


def _add(options: argparse.Namespace) -> int:
    for path in options.paths:
        if not path.is_dir():
            expect_draft(path)
    files = draft_files(options.paths)
    readers = _Readers()
    models = DraftModels(threads=os.cpu_count() or 1)
    models.load_encoder()
    stages = Stages()
    others = OtherDrafts()

    def show(done: int) -> None:
        stages.show("files", done, len(files))

    roots = import_drafts(files, readers.of, others, models.stored.precedents, show)
    stages.close()
    for folder in readers.refused:
        warn(f"{folder}: its settings say otherDrafts = false; nothing of it is kept")
    drafts = [draft for draft in others.stored() if draft.root in roots]
    if not drafts and not options.json and not others.unwritten:
        print(f"no draft here cites an entry of its bibliography (files read: {len(files):,})")
    _print(drafts, options)
    if others.unwritten:
        warn(
            f"cite-lsp: {counted(len(others.unwritten), 'draft')} could not be kept; check the "
            "room and the permissions of the cache folder, which `cite-lsp doctor` names"
        )
    return 1 if others.unwritten else 0


def _forget(options: argparse.Namespace) -> int:
    others, paths = OtherDrafts(), [absolute(path) for path in options.paths]
    forgotten = [draft for draft in others.stored() if _is_in(draft.root, paths)]
    roots = {draft.root for draft in forgotten}
    damaged = [path for path in paths if others.forget(path) and path not in roots]
    if not forgotten and not damaged:
        raise CommandError(_NONE_THERE)
    for draft in forgotten:
        others.forget(draft.root)
    if not options.json:
        for line in [f"{draft.title}, {draft.root}" for draft in forgotten] + [*map(str, damaged)]:
            say(f"forgotten: {line}")
    if options.json:
        print_json({"forgotten": [_record(draft) for draft in forgotten]})
    return 0


class _Readers:
    """What reads drafts, one for each kind of settings; `refused` are folders that want none."""

    def __init__(self) -> None:
        self.refused: dict[Path, None] = {}
        self._readers: dict[Any, DraftReader] = {}
        self._of_folder: dict[Path, DraftReader | None] = {}

    def of(self, file: Path) -> DraftReader | None:
        """Return what reads the draft of a file, None where its settings forbid to keep it."""
        folder = folder_above(file) or Path()  # whose settings these are
        if folder not in self._of_folder:
            self._of_folder[folder] = self._new(file, folder)
        return self._of_folder[folder]

    def _new(self, file: Path, folder: Path) -> DraftReader | None:
        _, setup = project_settings(file)
        if not setup.other_drafts:
            self.refused[folder] = None
            return None
        key = setup.extra_bibliographies, setup.zotero, setup.cite_commands
        if key not in self._readers:
            self._readers[key] = DraftReader(
                FilesOnDisk().read,
                extra_bibliographies=setup.extra_bibliographies,
                zotero=setup.zotero,
                cite_commands=setup.cite_commands,
            )
        return self._readers[key]


def _is_in(root: Path, paths: list[Path]) -> bool:
    return any(path == root or path in root.parents for path in paths)


def _print(drafts: Sequence[CitingDraft], options: argparse.Namespace) -> None:
    if options.json:
        print_json({"drafts": [_record(draft) for draft in drafts]})
        return
    copies: dict[Hashable, list[CitingDraft]] = {}
    for draft in drafts:
        copies.setdefault((draft.title, draft.papers, len(draft.cites)), []).append(draft)
    for draft, *others in copies.values():
        cites = f"{counted(len(draft.cites), 'citation')} of {counted(len(draft.papers), 'paper')}"
        say(f"{draft.title} ({cites}{_gone(draft)}), {draft.root}")
        for other in others:
            say(f"    the same at {other.root}{_gone(other)}")


def _gone(draft: CitingDraft) -> str:
    return "" if draft.root.is_file() else "; gone: it tells nothing any more"


def _record(draft: CitingDraft) -> dict[str, Any]:
    return {
        "title": draft.title,
        "root": str(draft.root),
        "year": draft.year,
        "places": len(draft.cites),
        "papers": len(draft.papers),
        "gone": not draft.root.is_file(),
    }


def draft_files(sources: Iterable[Path]) -> list[Path]:
    """Return the distinct files that can be drafts among the files and folders given, sorted."""
    drafts: dict[Path, None] = {}
    for source in sources:
        files = files_below(source) if source.is_dir() else (source,)
        drafts.update((absolute(file), None) for file in files if format_of(file) is not None)
    return sorted(drafts)


def import_drafts(
    files: Sequence[Path],
    reader_of: Callable[[Path], DraftReader | None],
    others: OtherDrafts,
    query_encoder: Encoder | None,
    progress: Callable[[int], None],
) -> list[Path]:
    """Store the citations of the drafts of some files; return their main files.

    `reader_of` returns the reader for the draft of a file, or None if nothing of it may be stored:
    then no draft that the file is a part of is stored either. `progress` is called with the number
    of files that are done.
    """
    roots: list[Path] = []
    seen: set[Path] = set()
    for done, file in enumerate(files):
        progress(done)
        reader = reader_of(file) if file not in seen else None
        if reader is None:
            continue
        root = reader.draft(file).project.root
        seen.add(file)
        reader = reader_of(root)
        if reader is None:
            continue
        draft = reader.draft(root)
        parts = [path for path, _ in draft.project.files]
        seen.update((root, *parts))
        if any(reader_of(part) is None for part in parts):
            continue
        others.keep(root, draft.document, draft.library, query_encoder, parts)
        others.set_age(root)
        roots.append(root)
    progress(len(files))
    return roots
