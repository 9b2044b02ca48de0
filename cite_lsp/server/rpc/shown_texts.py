"""The texts of messages that people read: what a file says in them cannot mislead or run anything.

Keys, titles, sentences and paths are in labels, messages and cards, and may be anybody's. So they
are made harmless in one place, on their way to the client: no control character, none that turns
the direction of writing, and a single line where there is to be one. What is written into files
(edits, arguments of commands) is sent as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from cite_lsp.library.text.invisible_characters import printable, printable_line

if TYPE_CHECKING:
    from cattrs import Converter

_LINES: Mapping[type, tuple[str, ...]] = {
    types.ChangeAnnotation: ("label", "description"),
    types.CodeAction: ("title",),
    types.Command: ("title", "tooltip"),
    types.CompletionItem: ("label", "detail", "filterText"),
    types.CompletionItemLabelDetails: ("detail", "description"),
    types.Diagnostic: ("message",),
    types.DiagnosticRelatedInformation: ("message",),
    types.DocumentLink: ("tooltip",),
    types.DocumentSymbol: ("name", "detail"),
    types.InlayHint: ("label",),
    types.SymbolInformation: ("name", "containerName"),
    types.ApplyWorkspaceEditParams: ("label",),
    types.WorkDoneProgressBegin: ("title", "message"),
    types.WorkDoneProgressReport: ("message",),
    types.WorkDoneProgressEnd: ("message",),
}
"""By the type of a part of a message its fields that are read in one line."""
_PARAGRAPHS: Mapping[type, tuple[str, ...]] = {
    types.CompletionItem: ("documentation",),
    types.Hover: ("contents",),
    types.MarkupContent: ("value",),
}
"""Fields of several lines; those that may be Markdown are made so in `server/render/markup.py`."""
_NOTICES = (types.LogMessageParams, types.ShowMessageParams, types.ShowMessageRequestParams)
_CHANGED = frozenset((*_LINES, *_PARAGRAPHS, *_NOTICES))


def make_texts_harmless(converter: Converter) -> None:
    """Have a converter write the texts that people read without what could mislead them.

    How a type is written is settled when the first of it, or of what holds it, is: most types are
    never sent, and before the first answer hardly one.
    """
    as_before = converter.copy()  # writes a type itself, but its parts by the converter

    def write_harmless(kind: type) -> Callable[[Any], dict[str, Any]]:
        return partial(_write, as_before.get_unstructure_hook(kind), _changes_of(kind))

    converter.register_unstructure_hook_factory(_CHANGED.__contains__, write_harmless)


def notice(message: str) -> str:
    """Return a message for a pop-up, in one line.

    VS Code makes links of `[…](…)` in it, and runs one that begins with `command:`.
    """
    return printable_line(message).replace("](", "] (")


def _changes_of(kind: type) -> Mapping[str, Callable[[str], str]]:
    """Return by the names of the fields of a type that people read what makes them harmless."""
    if kind in _NOTICES:
        return {"message": notice}
    lines = dict.fromkeys(_LINES.get(kind, ()), printable_line)
    return lines | dict.fromkeys(_PARAGRAPHS.get(kind, ()), printable)


def _write(
    write: Callable[[Any], dict[str, Any]],
    changes: Mapping[str, Callable[[str], str]],
    value: object,
) -> dict[str, Any]:
    fields = write(value)
    for name, change in changes.items():
        if isinstance(text := fields.get(name), str):
            fields[name] = change(text)
    return fields
