"""What an editor can do is read from its capabilities, and a silent one can do nothing."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pytest_lsp import client_capabilities

from cite_lsp.server.rpc.capabilities import ClientAbilities, read_client


def test_a_silent_client_can_do_nothing() -> None:
    assert read_client(types.ClientCapabilities(), "utf-16") == ClientAbilities()


@pytest.mark.parametrize("encoding", list(types.PositionEncodingKind))
def test_positions_are_counted_as_was_agreed(encoding: types.PositionEncodingKind) -> None:
    client = read_client(types.ClientCapabilities(), encoding)
    assert (
        client.encoding
        == encoding.value
        == read_client(types.ClientCapabilities(), encoding.value).encoding
    )


@pytest.mark.parametrize(
    ("editor", "versioned", "registering"),
    [
        ("neovim@v0.7", False, False),
        ("neovim@v0.11", False, True),
        ("visual_studio_code", True, True),
        ("emacs", True, False),
    ],
)
def test_editors_differ_in_what_they_can_do(
    editor: str, versioned: bool, registering: bool
) -> None:
    client = read_client(client_capabilities(editor), "utf-16")
    assert (client.versioned_edits, client.formatting_registration) == (versioned, registering)


@pytest.mark.parametrize(
    ("formats", "best"),
    [
        (["plaintext", "markdown"], types.MarkupKind.Markdown),
        (["plaintext"], types.MarkupKind.PlainText),
        ([], None),
    ],
)
def test_of_the_formats_markdown_is_the_best(
    formats: list[str], best: types.MarkupKind | None
) -> None:
    hover = types.HoverClientCapabilities(content_format=[*map(types.MarkupKind, formats)])
    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(hover=hover)
    )
    assert read_client(capabilities, "utf-16").hover_markup == best


@pytest.mark.parametrize("versioned", [True, False])
def test_changes_wait_for_consent_only_in_edits_that_can_say_so(versioned: bool) -> None:
    consent = types.ChangeAnnotationsSupportOptions()
    edits = types.WorkspaceEditClientCapabilities(
        document_changes=versioned, change_annotation_support=consent
    )
    workspace = types.WorkspaceClientCapabilities(workspace_edit=edits)
    client = read_client(types.ClientCapabilities(workspace=workspace), "utf-16")
    assert client.change_annotations == versioned
