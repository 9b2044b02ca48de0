"""Hover: the paper behind the key under the cursor, as a reference in the style of the settings."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from cite_lsp.library.annotations import annotations_of
from cite_lsp.library.bibtex.roles import members_of
from cite_lsp.library.entries import Entry
from cite_lsp.library.formats.bibitem import printed_text
from cite_lsp.recommend.base.recommendation import CitedFor, Recommendation
from cite_lsp.server.edits.occurrences import key_at, library_of
from cite_lsp.server.render import cards
from cite_lsp.server.render.citeproc import ReferenceFormatter
from cite_lsp.server.render.markup import escaped
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer


def register(server: CiteServer) -> None:
    """Answer `textDocument/hover`."""
    server.answers(
        types.TEXT_DOCUMENT_HOVER,
        lambda request, params: describe(request, params.position, server.references),
    )


def describe(
    request: Request, position: types.Position, references: ReferenceFormatter
) -> types.Hover | None:
    """Return what there is to say on the key at a position, None where there is no known key."""
    named = key_at(request, position)
    if named is None or named.entry is None:
        return None
    contents = _contents(request, named.entry, references, named.start)
    return types.Hover(contents, request.range(named.start, named.end))


def _contents(
    request: Request, entry: Entry, references: ReferenceFormatter, offset: int
) -> types.MarkupContent | str:
    """Return the reference of an entry; of a set, those of its members one below the other.

    `offset` is where its key stands.
    """
    members = members_of(entry.record)
    if not members:
        return _reference(request, entry, references, offset)
    markup = request.client.hover_markup
    cards_of_members = [
        _reference(request, Entry(member, 0, 1), references, offset) for member in members
    ]
    texts = [card if isinstance(card, str) else card.value for card in cards_of_members]
    content = "\n\n".join(texts)
    return types.MarkupContent(markup, content) if markup else content


def _reference(
    request: Request, entry: Entry, references: ReferenceFormatter, offset: int
) -> types.MarkupContent | str:
    markup = request.client.hover_markup
    markdown = markup == types.MarkupKind.Markdown
    language, note = _language(request), _cited_by(request, entry)
    if entry.source == "bibitem" and (printed := printed_text(entry.raw)):
        printed = escaped(printed) if markdown else printed
        paper = request.recommender.paper(entry)
        return cards.card(paper, markup, note, language, reference=printed)
    work = _with_passages(request, entry, offset)
    notes = (
        *cards.cited_elsewhere(work.cited_elsewhere, language),
        *cards.annotated(annotations_of(entry), language),
    )
    folder = next(iter(request.setup.workspaces), Path.cwd())
    style = request.options.hover.style
    reference = references.format(entry, style, folder, markdown=markdown)
    stressed = work.abstract_sentence
    return cards.card(work.paper, markup, note, language, notes, stressed, reference)


def _cited_by(request: Request, entry: Entry) -> str:
    """Return how often the work of an entry is cited as far as corpora know, "" if none does."""
    links = request.recommender.known_works.links(library_of(request), entry, "citedBy")
    return cards.cited_by(len(links), links.in_library, _language(request)) if links else ""


def _with_passages(request: Request, entry: Entry, offset: int) -> Recommendation:
    """Return the work of an entry with what supports it for the sentence at an offset."""
    recommender = request.recommender
    work = Recommendation(recommender.paper(entry), 0.0, entry)
    known_works = recommender.known_works
    if request.is_bibliography or not (work.paper.abstract or known_works.have_contexts()):
        return work
    return recommender.with_passages(work, CitedFor.at(request.draft(), offset))


def _language(request: Request) -> str:
    return "en" if request.is_bibliography else request.draft().manuscript.message_language
