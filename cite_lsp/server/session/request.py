"""What a worker is given to answer one request: the buffer as it was, and the engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import ref

from attrs import field, frozen
from lsprotocol import types

from cite_lsp.cancelling import Cancel
from cite_lsp.library.entries import Bibliography
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.project.draft import Draft
from cite_lsp.project.folders import holding
from cite_lsp.project.workspace import Surroundings, is_bibliography
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.rules.findings import Finding, Ranked
from cite_lsp.server.config.options import Options
from cite_lsp.server.config.setup import Setup
from cite_lsp.server.rpc.capabilities import ClientAbilities
from cite_lsp.server.session.buffers import Buffer, BufferStore, offset_of, range_of
from cite_lsp.server.session.engine import Engine
from cite_lsp.server.session.recent_results import RecentResults, StoredResult, stamps_of

if TYPE_CHECKING:
    from cite_lsp.recommend.engine import DraftRecommender

Snapshot = Mapping[Path, Buffer]
"""The buffers that are open, by path, at some moment."""
MOMENT = 0.25
"""Seconds for which a file that comes to a draft may go unnoticed; changed ones are noticed."""
Change = types.TextEdit | types.AnnotatedTextEdit
"""A change of a text; annotated ones are for clients with versioned edits alone."""


@frozen
class Request:
    """One request on one version of one buffer. Only for use in the worker that answers it.

    `options` and `setup` are the settings for the buffer, `paths` says what may be done with the
    paths that the workspace names.
    `snapshot` has the buffers that are open, by path, the only ones that `buffers` finds then.
    `ranked` is what ranking papers has shown of a draft so far.
    `complain` shows the writer what could not be done, and what to do, each message once; it may be
    called in any thread.
    """

    buffer: Buffer
    buffers: BufferStore
    client: ClientAbilities
    options: Options
    setup: Setup
    engine: Engine
    cancelled: Cancel
    snapshot: Snapshot
    recent: RecentResults[Draft]
    paths: WorkspacePaths = field(factory=WorkspacePaths)
    ranked: Ranked = field(factory=Ranked)
    complain: Callable[[str], None] = field(default=lambda message: None)
    findings: RecentResults[tuple[Finding, ...]] = field(factory=RecentResults)
    _draft: list[Draft] = field(factory=list, init=False, eq=False, repr=False)

    @property
    def path(self) -> Path:
        """Where the buffer is."""
        return self.buffer.path

    @property
    def recommender(self) -> DraftRecommender:
        """The recommender; the first use builds it."""
        return self.engine.recommender(self.setup)

    @property
    def workspace(self) -> Path | None:
        """The folder of the workspace that holds the buffer, the innermost of several."""
        return next(iter(holding(self.path, self.setup.workspaces)), None)

    def draft(self) -> Draft:
        """Return the draft, its library and what is wrong with them: one for all of a request."""
        if not self._draft:
            recommender = self.recommender
            draft = self.recent.of(
                self.path,
                lambda: (id(self.snapshot), ref(recommender)),
                lambda: self._read(recommender),
            )
            self._draft.append(draft)
        return self._draft[0]

    def _read(self, recommender: DraftRecommender) -> StoredResult[Draft]:
        """Read the draft, with the stamps of its files from before they were read."""
        draft = recommender.draft(self.path)
        files = (*(path for path, _ in draft.project.files), *draft.project.packages)
        bibliographies = (bibliography.path for bibliography in draft.library.bibliographies)
        stamps_by_path = dict(stamps_of(bibliographies))
        stamps_by_path.update((path, (self.buffers.stamp_read(path),)) for path in files)
        on_disk = tuple(
            (path, stamps_by_path[path]) for path in stamps_by_path if path not in self.snapshot
        )
        return StoredResult(draft, on_disk, time.monotonic() + MOMENT, self.snapshot)

    @property
    def is_bibliography(self) -> bool:
        """Whether the buffer is a bibliography, not a draft."""
        return is_bibliography(self.path)

    @property
    def surroundings(self) -> Surroundings:
        """Where drafts are looked for that share a bibliography with the buffer."""
        opened = (buffer.path for buffer in self.snapshot.values())
        return Surroundings(
            self.path,
            tuple(dict.fromkeys(opened)),
            self.setup.workspaces,
            self.buffers.read,
            self.recommender.reader,
            self.cancelled,
        )

    def bibliography(self) -> Bibliography:
        """Return the buffer, which is a bibliography, as it is read."""
        return self.recommender.reader.library([self.path]).bibliographies[0]

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position of the client in the buffer."""
        return offset_of(self.buffer.lines, position, self.client.encoding)

    def range(self, start: int, end: int) -> types.Range:
        """Return the client's range of two offsets in the buffer."""
        return range_of(self.buffer.lines, start, end, self.client.encoding)

    def text_edit(self, edit: TextEdit, lines: LineIndex | None = None) -> types.TextEdit:
        """Return the client's form of an edit of the buffer, or of another text's `lines`."""
        lines = self.buffer.lines if lines is None else lines
        return types.TextEdit(
            range_of(lines, edit.start, edit.end, self.client.encoding), edit.text
        )

    def location(self, path: Path, start: int, end: int) -> types.Location | None:
        """Return the client's location of two offsets in any file; None where it is not text."""
        lines = self.buffers.lines(path)
        if lines is None:
            return None
        place = range_of(lines, start, end, self.client.encoding)
        return types.Location(self.buffers.uri(path), place)

    def edit(self, changes: Sequence[Change]) -> types.WorkspaceEdit:
        """Return an edit of the buffer."""
        return self.edit_files({self.path: changes})

    def edit_files(
        self, changes: Mapping[Path, Sequence[Change]], created: Sequence[Path] = ()
    ) -> types.WorkspaceEdit:
        """Return an edit of files, bound to their versions where the client understands that.

        Files in `created` do not exist yet; a client that cannot create one by request opens a
        buffer for it.
        """
        uris = {path: self.buffers.uri(path) for path in changes}
        if not self.client.versioned_edits:
            return types.WorkspaceEdit(
                changes={
                    uris[path]: [edit for edit in edits if isinstance(edit, types.TextEdit)]
                    for path, edits in changes.items()
                }
            )
        document_changes: list[types.CreateFile | types.TextDocumentEdit] = []
        for path in created if self.client.file_creation else ():
            options = types.CreateFileOptions(ignore_if_exists=True)
            document_changes.append(types.CreateFile(uris[path], options=options))
        for path, edits in changes.items():
            buffer = self.buffers.find(path)
            identifier = types.OptionalVersionedTextDocumentIdentifier(
                uris[path], buffer.version if buffer else None
            )
            document_changes.append(types.TextDocumentEdit(identifier, list(edits)))
        return types.WorkspaceEdit(document_changes=document_changes)
