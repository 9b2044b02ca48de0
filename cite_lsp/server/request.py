"""What a worker is given to answer one request: the document as it was, and the engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen
from lsprotocol import types

from cite_lsp.server.client import Client
from cite_lsp.server.documents import Document, DocumentStore, offset_of, range_of
from cite_lsp.server.engine import Engine
from cite_lsp.server.options import Options
from cite_lsp.server.work import Cancelled

if TYPE_CHECKING:
    from cite_lsp.recommend.draft import Draft, DraftRecommender


@frozen
class Request:
    """One request on one version of one draft. Only for use in the worker that answers it."""

    document: Document
    documents: DocumentStore
    client: Client
    options: Options
    engine: Engine
    cancelled: Cancelled

    @property
    def path(self) -> Path:
        """Where the draft is."""
        return self.document.path

    @property
    def recommender(self) -> DraftRecommender:
        """The recommender; the first use builds it."""
        return self.engine.recommender

    def draft(self) -> Draft:
        """Return the draft, its library and what is wrong with them."""
        return self.recommender.draft(self.path)

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position of the client in the draft."""
        return offset_of(self.document.lines, position, self.client.encoding)

    def range(self, start: int, end: int) -> types.Range:
        """Return the client's range of two offsets in the draft."""
        return range_of(self.document.lines, start, end, self.client.encoding)

    def edit(self, changes: list[types.TextEdit]) -> types.WorkspaceEdit:
        """Return an edit of the draft, bound to its version where the client understands that."""
        if not self.client.versioned_edits:
            return types.WorkspaceEdit(changes={self.document.uri: changes})
        identifier = types.OptionalVersionedTextDocumentIdentifier(
            self.document.uri, self.document.version
        )
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, changes)])
