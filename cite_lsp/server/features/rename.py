"""Renaming a key: its entry, every citation in the drafts that share it, and `crossref` and kin."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.relations import keys_of
from cite_lsp.manuscript import Manuscript, parse
from cite_lsp.manuscript.model import MarkerKey
from cite_lsp.manuscript.text.text_edit import TextEdit, apply_edits
from cite_lsp.project.workspace import Scope, scope_of
from cite_lsp.server.edits.occurrences import NamedKey, Occurrence, key_at, occurrences
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.session.stale_edits import sendable

_REQUEST_FAILED = -32803
_FORBIDDEN = lazy_re(r"[\s,{}%#~\\\"'()=$&^|\x00-\x1f]")
_FORBIDDEN_BY_FORMAT = {
    "markdown": lazy_re(r"[\s{};\[\]@\x00-\x1f]"),
    "typst": lazy_re(r"[^\w:.-]"),
    "org": lazy_re(r"[\s;\[\]@\x00-\x1f]"),
}
_PLAIN = lazy_re(r"[^\W]+(?:[:.#$%&+?<>~/-]\w+)*(?:/)?")


def register(server: CiteServer) -> None:
    """Answer `textDocument/prepareRename` and `textDocument/rename`."""
    server.answers(
        types.TEXT_DOCUMENT_PREPARE_RENAME,
        lambda request, params: prepare(request, params.position),
    )

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename_key(ls: CiteServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
        texts = ls.buffers.snapshot()
        edit = await ls.answer(
            params.text_document.uri,
            lambda request: rename(request, params.position, params.new_name),
        )
        if not sendable(ls, edit, texts):
            raise refusal("a text was edited meanwhile: rename the key again")
        return edit


def prepare(request: Request, position: types.Position) -> types.PrepareRenamePlaceholder | None:
    """Return what would be renamed at a position; None where there is no key."""
    named = key_at(request, position)
    if named is None:
        return None
    return types.PrepareRenamePlaceholder(request.range(named.start, named.end), named.key)


def rename(request: Request, position: types.Position, new: str) -> types.WorkspaceEdit | None:
    """Return the edit that gives a key another name in every file.

    Raises:
        JsonRpcException: the new key cannot be written in one of the files, or is taken, or a file
            cannot be edited; nothing is renamed then.
    """
    named = key_at(request, position)
    if named is None:
        raise refusal("there is no key to rename here")
    old = named.name
    scope = scope_of(request.surroundings, old)
    _check(scope, named, old, new)
    if new == old:
        return None
    drafts = dict(scope.drafts)
    edits: dict[Path, set[TextEdit]] = {}
    for occurrence in occurrences(scope, old):
        draft = drafts.get(occurrence.path)
        replacement = _written(request, draft.format if draft else None, occurrence, old, new)
        edit = TextEdit(occurrence.start, occurrence.end, replacement)
        edits.setdefault(occurrence.path, set()).add(edit)
    changes = {}
    for path, changed in edits.items():
        lines = request.buffers.lines(path)
        if lines is not None:
            if (draft := drafts.get(path)) and not _is_read_back(draft, lines.text, changed, new):
                raise refusal(f'{path.name} cannot hold the key "{new}": choose another one')
            changes[path] = [request.text_edit(edit, lines) for edit in sorted(changed)]
    return request.edit_files(changes)


def refusal(message: str) -> JsonRpcException:
    """Return the error that shows the writer why nothing is renamed."""
    return JsonRpcException(message, code=_REQUEST_FAILED)


def _check(scope: Scope, named: NamedKey, old: str, new: str) -> None:
    """Refuse a key that a file cannot hold, or that exists."""
    if not new:
        raise refusal("a key cannot be empty")
    formats = {manuscript.format for _, manuscript in scope.drafts}
    bibtex = any(
        entry.source in ("bibtex", "bibitem", "bbl") and old in keys_of(entry)
        for bibliography in scope.bibliographies
        for entry in bibliography.entries
    )
    patterns = [_FORBIDDEN] if bibtex or "latex" in formats else []
    patterns += [_FORBIDDEN_BY_FORMAT[name] for name in formats if name in _FORBIDDEN_BY_FORMAT]
    for pattern in patterns:
        if wrong := pattern.search(new):
            raise refusal(f"a key cannot hold {wrong.group()!r}: choose another one")
    for bibliography in scope.bibliographies:
        for entry in bibliography.entries:
            for key in keys_of(entry):
                if key.lower() == new.lower() and key != old:
                    place = f"{entry.path.name}, line {entry.line}"
                    raise refusal(f'the key "{key}" exists already ({place}): choose another one')
    if named.entry is not None and named.entry.source == "zotero":
        raise refusal(f'the key "{old}" comes from Zotero: rename it there')


def _is_read_back(draft: Manuscript, text: str, edits: Iterable[TextEdit], new: str) -> bool:
    """Whether a draft reads the new key at each place; the stop of `@key.` is none of it."""
    before, after = (
        parse(part, draft.format, draft.cite_commands) for part in (text, apply_edits(text, edits))
    )
    places = {(edit.start, edit.end) for edit in edits}
    expected = (new if (key.start, key.end) in places else key.text for key in _cited(before))
    return sorted(expected) == sorted(key.text for key in _cited(after))


def _cited(manuscript: Manuscript) -> list[MarkerKey]:
    return [key for marker in manuscript.markers for key in marker.keys]


def _written(
    request: Request, format: str | None, occurrence: Occurrence, old: str, new: str
) -> str:
    """Return the new key as it is written at a place, where the old one must stand in any capitals.

    `format` is that of a draft, None for a bibliography.

    pandoc takes a key with unusual characters in braces only: `@{…}`. An item of JSON or YAML
    gives it quotes where it needs some.

    Raises:
        JsonRpcException: something else is written there.
    """
    text = request.buffers.read(occurrence.path) or ""
    if text[occurrence.start : occurrence.end].lower() != old.lower():
        raise refusal(f"{occurrence.path.name} cannot be edited here: rename the key there by hand")
    if occurrence.source in ("csl-json", "csl-yaml", "hayagriva"):
        # Imported where needed: most bibliographies are in BibTeX.
        from cite_lsp.library.write.item_writer import item_key

        return item_key(
            new, occurrence.source, text[max(occurrence.start - 1, 0) : occurrence.start]
        )
    bare = text[occurrence.start - 1 : occurrence.start] == "@" and not occurrence.defining
    if format == "markdown" and bare and not _PLAIN.fullmatch(new):
        return f"{{{new}}}"
    return new
