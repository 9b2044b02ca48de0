"""Adding an entry to the draft's own bibliography: one from Zotero or elsewhere, or from a corpus.

`citeLsp.addEntry` [uri, key] does so, as one edit of that file, and returns whether it was done.
Completion items for such papers carry the command, citing one writes its entry in the same edit,
and a code action adds the entry of a key that is written without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from cite_lsp.library.bibtex.values import MONTHS, without_macros
from cite_lsp.library.entries import Entry
from cite_lsp.library.write.new_entry import NewEntry
from cite_lsp.library.write.to_csl import csl_details
from cite_lsp.paper import Paper
from cite_lsp.paths import SETTINGS_FILE, expanded
from cite_lsp.project.draft import Draft
from cite_lsp.project.entry_target import DEFAULT_NAME, EntryTarget, entry_target, refusal_of
from cite_lsp.project.folders import absolute
from cite_lsp.server.config.options import by_name
from cite_lsp.server.config.settings_files import read_file
from cite_lsp.server.edits.entry_edit import new_text
from cite_lsp.server.rpc.commands import ADD_COMMAND
from cite_lsp.server.session.request import Change, Request

if TYPE_CHECKING:
    from cite_lsp.recommend.base.recommendation import Recommendation

_NOT_WRITTEN = frozenset(("crossref", "xdata", "xref", "keywords", "file", "related", "ids"))


def target(request: Request, draft: Draft) -> EntryTarget | None:
    """Return the file that new entries of a draft go to; None where none may take them.

    The writer is shown why a file that was named may not.
    """
    named = request.options.add_entries_to
    holding = request.workspace
    folder = holding or next(iter(request.setup.workspaces), Path.cwd())
    settings_path = absolute(folder / expanded(named)) if named else None
    paths = request.paths.around(draft.path)

    def may_take(to: EntryTarget) -> bool:
        refusal = refusal_of(to, draft, paths, request.buffers.read)
        if refusal:
            place = _naming_place(request, draft, to.path, settings_path)
            request.complain(f"{place}: no entry is added to {to.path.name}: {refusal}")
        return not refusal

    extra = request.setup.extra_bibliographies
    return entry_target(draft.project, chosen=settings_path, extra=extra, may_take=may_take)


def _naming_place(request: Request, draft: Draft, path: Path, settings_path: Path | None) -> str:
    """Return where a file is named that new entries would go to, as complaints call it."""
    if settings_path is not None and path in (settings_path, settings_path / DEFAULT_NAME):
        for folder in dict.fromkeys((*draft.path.parents, *request.setup.workspaces)):
            setting = dict(by_name(read_file(folder)[0])).get("addEntriesTo")
            if isinstance(setting, str) and absolute(folder / expanded(setting)) == settings_path:
                return f"{folder / SETTINGS_FILE}, addEntriesTo"
        return "addEntriesTo in the settings"
    for project in (draft.project, *draft.project.beside):
        for file, _, resolved in project.declared:
            if resolved == path:
                return str(file)
    if path in request.setup.extra_bibliographies:
        return "bibliography in the settings"
    return str(draft.path)


def addable(request: Request, draft: Draft, entry: Entry) -> Path | None:
    """Return the file to which an entry from elsewhere can be added.

    None where it stands in a file that the draft names, or the draft names none to add it to.
    """
    if draft.has(entry):
        return None
    to = target(request, draft)
    return to.path if to and to.named and to.path != entry.path else None


def cite(
    request: Request, draft: Draft, edits: Sequence[Change], keys: Sequence[str]
) -> types.WorkspaceEdit:
    """Return some edits of the draft that cite keys, with the entries that its library lacks."""
    entries, created = entry_edits(request, draft, keys)
    draft_edits: list[Change] = [*edits, *entries.get(request.path, ())]
    return request.edit_files({**entries, request.path: draft_edits}, created)


def paper_of(request: Request, draft: Draft, key: str) -> Paper | None:
    """Return the paper of an entry of the library, or of a corpus that was proposed with a key."""
    if (entry := draft.library.get(key)) is not None:
        return entry.paper
    recommended = request.recommender.keys.recommended_as(draft.library, draft.project.root, key)
    return recommended.paper if recommended else None


def citable(request: Request, draft: Draft, key: str) -> str:
    """Return the key to cite a paper by: that of its entry, where the library has one by now."""
    if draft.library.get(key) is not None:
        return key
    paper = paper_of(request, draft, key)
    existing = request.recommender.keys.existing_key(draft.library, paper) if paper else None
    return existing or key


def add(request: Request, key: str) -> types.WorkspaceEdit | None:
    """Return the edit that adds the entry of a key; None where there is nothing to add."""
    draft = request.draft()
    if citable(request, draft, key) != key:
        return None
    changes, created = entry_edits(request, draft, [key])
    return request.edit_files(changes, created) if changes else None


def entry_edits(
    request: Request, draft: Draft, keys: Sequence[str]
) -> tuple[dict[Path, list[types.TextEdit]], list[Path]]:
    """Return the edits that add the entries of those keys that need one, and the files to create.

    A key of the draft's own library needs none; an unknown key gets none.
    """
    entries = [new for key in dict.fromkeys(keys) if (new := _new_entry(request, draft, key))]
    if not entries:
        return {}, []
    to = target(request, draft)
    edit = new_text(request, draft, to, entries) if to else None
    if to is None or edit is None:
        return {}, []
    return {to.path: [edit]}, [] if to.exists else [to.path]


def action(request: Request, offset: int) -> types.CodeAction | None:
    """Return the action that adds the entry of the key at an offset of a draft, if it can be."""
    draft = request.draft()
    marker = draft.manuscript.marker_at(offset)
    for key in marker.keys if marker else ():
        if key.start <= offset <= key.end and (edit := add(request, key.text)):
            to = target(request, draft)
            title = f"Add “{key.text}” to {to.path.name}" if to else f"Add “{key.text}”"
            return types.CodeAction(title, kind=types.CodeActionKind.QuickFix, edit=edit)
    return None


def command(request: Request, key: str) -> types.Command:
    """Return the command that a completion item of such a paper carries."""
    return types.Command("Add the entry", ADD_COMMAND, arguments=[request.buffer.uri, key])


def on_acceptance(request: Request, draft: Draft, recommendation: Recommendation) -> dict[str, Any]:
    """Return the fields of a completion item that write the entry which the library lacks.

    Edits that come with an item may touch its own document alone, so an entry in another file is
    written by a command; an editor that runs none has the code action instead.
    """
    entry = recommendation.entry
    if entry is not None:
        wanted = addable(request, draft, entry) is not None
        return {"command": command(request, entry.key)} if wanted else {}
    if not recommendation.corpus:
        return {}
    to = target(request, draft)
    if to is None:
        return {}
    if to.path != request.path:
        return {"command": command(request, recommendation.key)}
    new = NewEntry(recommendation.key, recommendation.paper)
    edit = new_text(request, draft, to, [new])
    return {"additional_text_edits": [edit]} if edit else {}


def record(entry: Entry) -> str:
    """Return the record of a BibTeX entry, as written where that stands alone.

    Macros are written out: the file that it goes to lacks them, or means something else by them.
    """
    if not entry.record.links:
        return without_macros(entry.raw, entry.record.key_at + len(entry.key), entry.macros)
    fields = {name: value for name, value in entry.fields.items() if name not in _NOT_WRITTEN}
    field_lines = "".join(
        f"  {name} = {_enclosed(name, value)},\n" for name, value in fields.items() if value
    )
    return f"@{entry.kind}{{{entry.key},\n{field_lines}}}"


def copied(entry: Entry, key: str) -> NewEntry:
    """Return what is to be written for an entry of another file, which is cited by a key."""
    variables = csl_details(entry)
    if entry.source == "bibtex":
        return NewEntry(key, entry.paper, record(entry), variables=variables)
    return NewEntry(key, entry.paper, details=entry.fields, variables=variables)


def _new_entry(request: Request, draft: Draft, key: str) -> NewEntry | None:
    """Return what is to be written for a key, None where nothing is."""
    entry = draft.library.by_key.get(key)
    if entry is not None:
        return copied(entry, key) if addable(request, draft, entry) is not None else None
    if draft.library.get(key) is not None:
        return None
    paper = paper_of(request, draft, key)
    if paper is None or request.recommender.keys.existing_key(draft.library, paper) is not None:
        return None
    return NewEntry(key, paper)


def _enclosed(name: str, value: str) -> str:
    """Return a value in braces; the name of a month is a macro that every style defines."""
    return value if name == "month" and value.lower() in MONTHS else f"{{{value}}}"
