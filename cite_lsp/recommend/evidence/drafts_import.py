"""Drafts on the writer's disk that were never opened: found in folders, stored like opened ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from cite_lsp.corpus.sources import files_below
from cite_lsp.encode.encoder import Encoder
from cite_lsp.manuscript import format_of
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.folders import absolute
from cite_lsp.recommend.evidence.drafts_store import OtherDrafts


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
