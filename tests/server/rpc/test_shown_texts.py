"""What people read of messages cannot mislead them, and what goes into files is as it was."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import default_converter

from cite_lsp.server.rpc.shown_texts import make_texts_harmless

HARMFUL = "a\x1b[31m\u202eb\u2066\r\nc\x00"
LINE = "a\ufffd[31m\ufffdb\ufffd c\ufffd"
PLACE = types.Range(types.Position(0, 0), types.Position(0, 0))


def written(message: object) -> Any:  # noqa: ANN401 - any part of a message
    converter = default_converter()  # type: ignore[no-untyped-call]
    make_texts_harmless(converter)
    return converter.unstructure(message)


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        (types.CodeAction(HARMFUL), ["title"]),
        (types.Command(HARMFUL, "citeLsp.insert"), ["title"]),
        (types.CompletionItem(HARMFUL, filter_text=HARMFUL), ["label", "filterText"]),
        (types.CompletionItemLabelDetails(HARMFUL, HARMFUL), ["detail", "description"]),
        (types.Diagnostic(PLACE, HARMFUL), ["message"]),
        (types.InlayHint(types.Position(0, 0), HARMFUL), ["label"]),
        (
            types.DocumentSymbol(HARMFUL, types.SymbolKind.Field, PLACE, PLACE, detail=HARMFUL),
            ["name", "detail"],
        ),
        (types.ShowMessageParams(types.MessageType.Warning, HARMFUL), ["message"]),
        (types.WorkDoneProgressBegin(HARMFUL, message=HARMFUL), ["title", "message"]),
        (types.ApplyWorkspaceEditParams(types.WorkspaceEdit(), HARMFUL), ["label"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_line_has_neither_controls_nor_turned_text_nor_another_line(
    message: object, fields: list[str]
) -> None:
    shown = written(message)
    assert {name: shown[name] for name in fields} == dict.fromkeys(fields, LINE)


def test_parts_of_a_message_are_made_harmless_where_they_are() -> None:
    diagnostic = types.Diagnostic(PLACE, HARMFUL)
    report = written(types.PublishDiagnosticsParams("file:///a.tex", [diagnostic]))
    assert report["diagnostics"][0]["message"] == LINE
    lens = written([types.CodeLens(PLACE, types.Command(HARMFUL, "x"))])
    assert lens[0]["command"]["title"] == LINE
    details = types.CompletionItemLabelDetails(HARMFUL)
    item = written(types.CompletionItem("a", label_details=details))
    assert item["labelDetails"]["detail"] == LINE
    action = written(
        types.CodeAction("a", diagnostics=[diagnostic], command=types.Command(HARMFUL, "x"))
    )
    assert action["diagnostics"][0]["message"] == action["command"]["title"] == LINE
    inner = types.DocumentSymbol(HARMFUL, types.SymbolKind.Field, PLACE, PLACE)
    outer = types.DocumentSymbol("a", types.SymbolKind.Field, PLACE, PLACE, children=[inner])
    assert written(outer)["children"][0]["name"] == LINE


def test_cards_keep_their_paragraphs() -> None:
    markup = types.MarkupContent(types.MarkupKind.Markdown, f"x\n\n{HARMFUL}")
    shown = written(types.Hover(markup))["contents"]["value"]
    assert shown == "x\n\na\ufffd[31m\ufffdb\ufffd\ufffd\nc\ufffd"
    item = written(types.CompletionItem("a", documentation="x\n\n\u202ey"))
    assert item["documentation"] == "x\n\n\ufffdy"


def test_what_is_written_into_files_and_handed_back_is_as_it_was() -> None:
    edit = types.TextEdit(PLACE, HARMFUL)
    item = types.CompletionItem("a", text_edit=edit, data={"uri": HARMFUL})
    shown = written(item)
    assert (shown["textEdit"]["newText"], shown["data"]["uri"]) == (HARMFUL, HARMFUL)
    command = written(types.Command("a", "citeLsp.insert", arguments=[HARMFUL]))
    assert command["arguments"] == [HARMFUL]


def test_no_pop_up_has_a_link_that_runs_something() -> None:
    path = "/clone/[Fix it](command:workbench.action.terminal.new)/cite-lsp.toml"
    for kind in (types.ShowMessageParams, types.LogMessageParams):
        assert "](" not in written(kind(types.MessageType.Warning, path))["message"]
