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
    type_definition_links: bool = False
    implementation_links: bool = False
    show_document: bool = False
    symbol_tree: bool = False
    file_creation: bool = False
    pulls_diagnostics: bool = False
    diagnostic_refresh: bool = False
    diagnostic_links: bool = False
    diagnostic_tags: bool = False
    inlay_hint_refresh: bool = False
    code_lens_refresh: bool = False
    code_action_literals: bool = False
    code_action_resolve: bool = False
    versioned_edits: bool = False
    change_annotations: bool = False
    work_done_progress: bool = False
    configuration: bool = False
    configuration_changes: bool = False
    file_watching: bool = False
    formatting_registration: bool = False


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
        type_definition_links=bool(has("text_document.type_definition.link_support")),
        implementation_links=bool(has("text_document.implementation.link_support")),
        show_document=bool(has("window.show_document.support")),
        symbol_tree=bool(has("text_document.document_symbol.hierarchical_document_symbol_support")),
        file_creation=types.ResourceOperationKind.Create
        in (has("workspace.workspace_edit.resource_operations", None) or []),
        pulls_diagnostics=has("text_document.diagnostic", None) is not None,
        diagnostic_refresh=bool(has("workspace.diagnostics.refresh_support")),
        diagnostic_links=bool(has("text_document.publish_diagnostics.related_information")),
        diagnostic_tags=has("text_document.publish_diagnostics.tag_support", None) is not None,
        inlay_hint_refresh=bool(has("workspace.inlay_hint.refresh_support")),
        code_lens_refresh=bool(has("workspace.code_lens.refresh_support")),
        code_action_literals=has("text_document.code_action.code_action_literal_support", None)
        is not None,
        code_action_resolve="edit" in resolvable
        and bool(has("text_document.code_action.data_support")),
        versioned_edits=bool(has("workspace.workspace_edit.document_changes")),
        change_annotations=has("workspace.workspace_edit.change_annotation_support", None)
        is not None
        and bool(has("workspace.workspace_edit.document_changes")),
        work_done_progress=bool(has("window.work_done_progress")),
        configuration=bool(has("workspace.configuration")),
        configuration_changes=bool(has("workspace.did_change_configuration.dynamic_registration")),
        file_watching=bool(has("workspace.did_change_watched_files.dynamic_registration")),
        formatting_registration=bool(has("text_document.formatting.dynamic_registration"))
        and bool(has("text_document.range_formatting.dynamic_registration")),
    )


def _markup(formats: list[types.MarkupKind]) -> types.MarkupKind | None:
    """Return the best of the formats; None for a client that names none and takes a bare string."""
    kinds = (types.MarkupKind.Markdown, types.MarkupKind.PlainText)
    return next((kind for kind in kinds if kind in formats), None)
