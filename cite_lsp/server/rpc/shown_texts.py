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

from cite_lsp.library.text.visible import printable, printable_line

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


def make_texts_harmless(converter: Converter) -> None:
    """Have a converter write the texts that people read without what could mislead them."""
    for kind, names in _LINES.items():
        _change(converter, kind, names, printable_line)
    for kind, names in _PARAGRAPHS.items():
        _change(converter, kind, names, printable)
    for kind in _NOTICES:
        _change(converter, kind, ("message",), notice)


def notice(message: str) -> str:
    """Return a message for a pop-up, in one line.

    VS Code makes links of `[…](…)` in it, and runs one that begins with `command:`.
    """
    return printable_line(message).replace("](", "] (")


def _change(
    converter: Converter, kind: type, names: tuple[str, ...], change: Callable[[str], str]
) -> None:
    write = converter.get_unstructure_hook(kind)
    converter.register_unstructure_hook(kind, partial(_write, write, names, change))


def _write(
    write: Callable[[Any], dict[str, Any]],
    names: tuple[str, ...],
    change: Callable[[str], str],
    value: object,
) -> dict[str, Any]:
    fields = write(value)
    for name in names:
        if isinstance(text := fields.get(name), str):
            fields[name] = change(text)
    return fields
