"""Completion in a .bib file: the entries that `crossref`, `xdata` and their kin can name."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from cite_lsp.library.bibtex.relations import RelationSite, relation_site
from cite_lsp.library.entries import Entry
from cite_lsp.library.text.display import shown
from cite_lsp.project.workspace import library_beside
from cite_lsp.server.edits.occurrences import entry_around
from cite_lsp.server.render import cards
from cite_lsp.server.session.request import Request

_PARENTS = frozenset(
    "book proceedings collection mvbook mvproceedings mvcollection periodical".split()
)


def complete_relation(request: Request, position: types.Position) -> types.CompletionList | None:
    """Return the entries that a field can name, likely parents first; None in other fields."""
    offset = request.offset(position)
    site = relation_site(request.buffer.text, offset)
    if site is None:
        return None
    library = library_beside(request.surroundings)
    edited_entry = entry_around(request.bibliography(), offset)
    rows = request.recommender.matcher(library).match(site.typed)
    entries = [library.entries[row] for row in rows]
    entries = [entry for entry in entries if edited_entry is None or entry.key != edited_entry.key]
    entries.sort(key=lambda entry: not _likely(entry, site))
    limit = request.options.completion.limit
    return types.CompletionList(
        is_incomplete=True, items=list(_items(request, site, entries[:limit]))
    )


def _likely(entry: Entry, site: RelationSite) -> bool:
    """Whether an entry is of a kind that the field names as a rule."""
    if site.field == "xdata":
        return entry.kind == "xdata"
    return site.field != "crossref" or entry.kind in _PARENTS


def _items(
    request: Request, site: RelationSite, entries: list[Entry]
) -> Iterator[types.CompletionItem]:
    typed = request.range(site.start, site.cursor)
    whole = request.range(site.start, site.end)
    for rank, entry in enumerate(entries):
        edit = (
            types.InsertReplaceEdit(entry.key, insert=typed, replace=whole)
            if request.client.insert_replace
            else types.TextEdit(whole, entry.key)
        )
        read = shown(entry.paper)
        words = (site.typed, entry.key, *read.authors, read.title)
        yield types.CompletionItem(
            label=f"{entry.key}  {cards.line(entry.paper)}",
            kind=types.CompletionItemKind.Reference,
            filter_text=" ".join(words).strip(),
            sort_text=f"{rank:04d}",
            text_edit=edit,
            data={"uri": request.buffer.uri},
        )
