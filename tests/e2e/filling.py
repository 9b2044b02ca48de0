"""Taking the citations out of the section that has most of them, and having them put back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from attrs import frozen
from lsprotocol import types

from cite_lsp.evaluate.tasks.missing import without_markers
from cite_lsp.manuscript import Manuscript, format_of, parse
from tests.server.editor_session import Session

EAGERLY = {"missing": {"threshold": 0.05, "confidence": 0.01}}


@frozen
class Filled:
    """A draft as its author left it, with a section emptied, and with that filled again."""

    path: Path
    format: str
    original: str
    emptied: str
    text: str
    edits: tuple[types.TextEdit, ...]

    @property
    def added(self) -> Counter[str]:
        """The keys that were put in."""
        return keys(parse(self.text, self.format)) - keys(parse(self.emptied, self.format))


def keys(manuscript: Manuscript) -> Counter[str]:
    """Return how often each key is cited."""
    return Counter(key.text for marker in manuscript.cited for key in marker.keys)


def empty(path: Path) -> tuple[str, str]:
    """Take the citations out of the section of a file that has most; return it before and after."""
    original = path.read_bytes().decode("utf-8")
    full = parse(original, str(format_of(path)))
    groups = Counter(full.group_at(marker.start) for marker in full.cited)
    most = groups.most_common(1)[0][0]
    text, _ = without_markers(
        full, [marker for marker in full.cited if full.group_at(marker.start) == most]
    )
    path.write_bytes(text.encode("utf-8"))
    return original, text


async def fill(folder: Path, path: Path) -> Filled:
    """Empty a section of a draft and let "Add missing citations" fill the whole of it again."""
    original, text = empty(path)
    async with Session(folder, options=EAGERLY) as session:
        draft = session.open(str(path.relative_to(folder)), text)
        await session.ready()
        draft.cursor = 0
        actions = await draft.actions(only=["quickfix"], end=len(text))
        action = next(action for action in actions if action.title == "Add missing citations")
        assert isinstance(action, types.CodeAction)
        resolved = await session.client.code_action_resolve_async(action)
        assert resolved.edit is not None and resolved.edit.document_changes is not None
        (change,) = resolved.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.uri == draft.uri and change.text_document.version == 1
        edits = tuple(edit for edit in change.edits if isinstance(edit, types.TextEdit))
        after = draft.after_all(edits)
    return Filled(path, str(format_of(path)), original, text, after, edits)
