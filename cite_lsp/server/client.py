"""What the editor at the other end can do, read once from its capabilities."""

from __future__ import annotations

from typing import Any, cast

from attrs import frozen
from lsprotocol import types
from pygls.capabilities import get_capability

from cite_lsp.manuscript.lines import Encoding


@frozen
class Client:
    """The abilities that decide how an answer is written; by default those of a silent client."""

    encoding: Encoding = "utf-16"
    completion_markup: types.MarkupKind | None = None
    hover_markup: types.MarkupKind | None = None
    reference_kind: types.CompletionItemKind = types.CompletionItemKind.Reference
    label_details: bool = False
    insert_replace: bool = False
    preselect: bool = False
    definition_links: bool = False
    code_action_literals: bool = False
    code_action_resolve: bool = False
    versioned_edits: bool = False
    diagnostic_versions: bool = False
    configuration: bool = False
    configuration_changes: bool = False
    file_watching: bool = False


def read_client(capabilities: types.ClientCapabilities, encoding: str) -> Client:
    """Return the abilities in the capabilities; `encoding` is the one agreed on for positions."""

    def has(name: str, default: Any = False) -> Any:  # noqa: ANN401 - a tree of anything
        return get_capability(capabilities, name, default)

    item = "text_document.completion.completion_item"
    kinds = has("text_document.completion.completion_item_kind.value_set", None)
    known = kinds is None or types.CompletionItemKind.Reference in kinds
    resolvable = has("text_document.code_action.resolve_support.properties", [])
    return Client(
        encoding=cast(Encoding, str(getattr(encoding, "value", encoding))),
        completion_markup=_markup(has(f"{item}.documentation_format", [])),
        hover_markup=_markup(has("text_document.hover.content_format", [])),
        reference_kind=(
            types.CompletionItemKind.Reference if known else types.CompletionItemKind.Text
        ),
        label_details=bool(has(f"{item}.label_details_support")),
        insert_replace=bool(has(f"{item}.insert_replace_support")),
        preselect=bool(has(f"{item}.preselect_support")),
        definition_links=bool(has("text_document.definition.link_support")),
        code_action_literals=has("text_document.code_action.code_action_literal_support", None)
        is not None,
        code_action_resolve="edit" in resolvable
        and bool(has("text_document.code_action.data_support")),
        versioned_edits=bool(has("workspace.workspace_edit.document_changes")),
        diagnostic_versions=bool(has("text_document.publish_diagnostics.version_support")),
        configuration=bool(has("workspace.configuration")),
        configuration_changes=bool(has("workspace.did_change_configuration.dynamic_registration")),
        file_watching=bool(has("workspace.did_change_watched_files.dynamic_registration")),
    )


def _markup(formats: list[types.MarkupKind]) -> types.MarkupKind | None:
    """Return the best of the formats; None for a client that names none and takes a bare string."""
    kinds = (types.MarkupKind.Markdown, types.MarkupKind.PlainText)
    return next((kind for kind in kinds if kind in formats), None)
