"""Adding an entry to the draft's own .bib file: one that it cites from Zotero or from elsewhere.

`citeLsp.addEntry` [uri, key] does so, as one edit of that file, and returns whether it was done.
Completion items for such entries carry the command, and a code action offers it at their keys.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from cite_lsp.library.model import Entry
from cite_lsp.server.csl_item import csl_type
from cite_lsp.server.documents import range_of
from cite_lsp.server.request import Request, is_bibliography

if TYPE_CHECKING:
    from cite_lsp.recommend.draft import Draft

ADD_COMMAND = "citeLsp.addEntry"
_SPECIAL = re.compile(r"(?<!\\)([&%#_$])")
_KINDS = {
    "article-journal": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "thesis",
    "report": "report",
    "webpage": "online",
    "dataset": "dataset",
    "software": "software",
    "patent": "patent",
    "manuscript": "unpublished",
}
_NOT_WRITTEN = frozenset(("crossref", "xdata", "xref", "keywords", "file", "related", "ids"))


def addable(request: Request, draft: Draft, entry: Entry) -> Path | None:
    """Return the .bib file to which an entry can be added.

    None where the entry stands in a file that the draft names, or no such file exists.
    """
    named = [path for path in draft.project.bibliographies if is_bibliography(path)]
    if entry.path in draft.project.bibliographies:
        return None
    own = {os.path.realpath(path) for path in draft.project.bibliographies}
    foreign = entry.source == "zotero" or os.path.realpath(entry.path) not in own
    if not foreign or entry.source == "bibitem" or entry.path == draft.path:
        return None
    return next((path for path in named if request.documents.read(path) is not None), None)


def add(request: Request, key: str) -> types.WorkspaceEdit | None:
    """Return the edit that adds the entry of a key; None where there is nothing to add."""
    draft = request.draft()
    entry = draft.library.by_key.get(key)
    path = addable(request, draft, entry) if entry is not None else None
    if entry is None or path is None:
        return None
    lines = request.documents.lines(path)
    if lines is None:
        return None
    end = len(lines.text)
    before = "" if not lines.text.strip() else "\n" if lines.text.endswith("\n") else "\n\n"
    place = range_of(lines, end, end, request.client.encoding)
    return request.edit_files({path: [types.TextEdit(place, f"{before}{record(entry)}\n")]})


def action(request: Request, offset: int) -> types.CodeAction | None:
    """Return the action that adds the entry of the key at an offset of a draft, if it can be."""
    draft = request.draft()
    marker = draft.manuscript.marker_at(offset)
    for key in marker.keys if marker else ():
        entry = draft.library.get(key.text) if key.start <= offset <= key.end else None
        path = addable(request, draft, entry) if entry is not None else None
        if entry is not None and path is not None and (edit := add(request, entry.key)):
            title = f"Add “{entry.key}” to {path.name}"
            return types.CodeAction(title, kind=types.CodeActionKind.QuickFix, edit=edit)
    return None


def command(request: Request, entry: Entry) -> types.Command:
    """Return the command that a completion item of such an entry carries."""
    return types.Command("Add the entry", ADD_COMMAND, arguments=[request.document.uri, entry.key])


def record(entry: Entry) -> str:
    """Return the BibTeX record of an entry, as written where it is one."""
    if entry.source == "bibtex" and not entry.record.links and "#" not in entry.raw:
        return entry.raw
    fields = {name: value for name, value in entry.fields.items() if name not in _NOT_WRITTEN}
    kind = entry.kind
    if entry.source != "bibtex":
        kind = _KINDS.get(csl_type(entry), "misc")
        fields = {name: _escaped(name, value) for name, value in fields.items()}
    written = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{kind}{{{entry.key},\n{written}}}"


def _escaped(name: str, value: str) -> str:
    """Return plain text as LaTeX; addresses stay as they are."""
    return value if name in ("url", "doi") else _SPECIAL.sub(r"\\\1", value)
