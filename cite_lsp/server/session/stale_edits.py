"""Edits made for texts that have been edited since: they would go to wrong places.

A client that binds edits to versions refuses such an edit itself; others apply what they are sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from lsprotocol import types

from cite_lsp.server.session.request import Snapshot
from cite_lsp.server.session.server import CiteServer


def sendable(ls: CiteServer, edit: types.WorkspaceEdit | None, texts: Snapshot) -> bool:
    """Whether an edit may be sent: it fits, or the client sees by itself that it does not."""
    return edit is None or ls.client.versioned_edits or fits(ls, edit, texts)


def fits(ls: CiteServer, edit: types.WorkspaceEdit, texts: Snapshot) -> bool:
    """Whether the texts that an edit changes are those that it was made for."""
    before = {buffer.uri: buffer.text for buffer in texts.values()}
    now = {buffer.uri: buffer.text for buffer in ls.buffers}
    return all(before.get(uri) == now.get(uri) for uri in _edited(edit))


def fingerprint(text: str) -> str:
    """Return what identifies a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _edited(edit: types.WorkspaceEdit) -> Iterator[str]:
    yield from edit.changes or ()
    for change in edit.document_changes or ():
        if isinstance(change, types.TextDocumentEdit):
            yield change.text_document.uri
