"""What the editor at the other end can do, read once from its capabilities."""

from __future__ import annotations

from typing import Any, cast

from attrs import field, fields, frozen
from lsprotocol import types
from pygls.capabilities import get_capability

from cite_lsp.manuscript.lines import Encoding

_ITEM = "text_document.completion.completion_item"
_EDIT = "workspace.workspace_edit"


def _stated_by(*capabilities: str) -> bool:
    """Declare an ability that a client has which has all of some capabilities."""
    ability: bool = field(default=False, metadata={"capabilities": capabilities})
    return ability


@frozen
class ClientAbilities:
    """The abilities that decide how an answer is written; by default those of a silent client."""

    encoding: Encoding = "utf-16"
    completion_markup: types.MarkupKind | None = None
    hover_markup: types.MarkupKind | None = None
    file_creation: bool = False
    code_action_resolve: bool = False
    label_details: bool = _stated_by(f"{_ITEM}.label_details_support")
    insert_replace: bool = _stated_by(f"{_ITEM}.insert_replace_support")
    preselect: bool = _stated_by(f"{_ITEM}.preselect_support")
    definition_links: bool = _stated_by("text_document.definition.link_support")
    type_definition_links: bool = _stated_by("text_document.type_definition.link_support")
    implementation_links: bool = _stated_by("text_document.implementation.link_support")
    show_document: bool = _stated_by("window.show_document.support")
    symbol_tree: bool = _stated_by(
        "text_document.document_symbol.hierarchical_document_symbol_support"
    )
    pulls_diagnostics: bool = _stated_by("text_document.diagnostic")
    diagnostic_refresh: bool = _stated_by("workspace.diagnostics.refresh_support")
    diagnostic_links: bool = _stated_by("text_document.publish_diagnostics.related_information")
    diagnostic_tags: bool = _stated_by("text_document.publish_diagnostics.tag_support")
    inlay_hint_refresh: bool = _stated_by("workspace.inlay_hint.refresh_support")
    code_lens_refresh: bool = _stated_by("workspace.code_lens.refresh_support")
    versioned_edits: bool = _stated_by(f"{_EDIT}.document_changes")
    change_annotations: bool = _stated_by(
        f"{_EDIT}.document_changes", f"{_EDIT}.change_annotation_support"
    )
    work_done_progress: bool = _stated_by("window.work_done_progress")
    configuration: bool = _stated_by("workspace.configuration")
    configuration_changes: bool = _stated_by(
        "workspace.did_change_configuration.dynamic_registration"
    )
    file_watching: bool = _stated_by("workspace.did_change_watched_files.dynamic_registration")
    formatting_registration: bool = _stated_by(
        "text_document.formatting.dynamic_registration",
        "text_document.range_formatting.dynamic_registration",
    )


def read_client(capabilities: types.ClientCapabilities, encoding: str) -> ClientAbilities:
    """Return the abilities in the capabilities; `encoding` is the one agreed on for positions."""

    def has(name: str) -> Any:  # noqa: ANN401 - a tree of anything
        return get_capability(capabilities, name)

    resolvable = has("text_document.code_action.resolve_support.properties") or []
    abilities: dict[str, Any] = {
        ability.name: all(has(name) for name in ability.metadata["capabilities"])
        for ability in fields(ClientAbilities)
        if ability.metadata
    }
    return ClientAbilities(
        encoding=cast(Encoding, str(getattr(encoding, "value", encoding))),
        completion_markup=_markup(has(f"{_ITEM}.documentation_format") or []),
        hover_markup=_markup(has("text_document.hover.content_format") or []),
        file_creation=types.ResourceOperationKind.Create
        in (has(f"{_EDIT}.resource_operations") or []),
        code_action_resolve="edit" in resolvable
        and bool(has("text_document.code_action.data_support")),
        **abilities,
    )


def _markup(formats: list[types.MarkupKind]) -> types.MarkupKind | None:
    """Return the best of the formats; None for a client that names none and takes a bare string."""
    kinds = (types.MarkupKind.Markdown, types.MarkupKind.PlainText)
    return next((kind for kind in kinds if kind in formats), None)
