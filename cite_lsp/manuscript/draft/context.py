"""What a marker, or a bare sentence, says about the citation wanted there."""

from __future__ import annotations

from attrs import evolve, frozen

from cite_lsp.language import detect_language
from cite_lsp.manuscript.draft.blocks import hidden_end
from cite_lsp.manuscript.draft.document import Document, edit_after, section_name
from cite_lsp.manuscript.draft.edited_part import edited_part
from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.draft.note_references import label_of, references_to
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.draft.windows import (
    left_words,
    marker_windows,
    right_words,
    words_around_note,
)
from cite_lsp.manuscript.latex.tables import without_figures
from cite_lsp.manuscript.layout import Note
from cite_lsp.manuscript.model import CitationSite, Context, Marker, cited_by
from cite_lsp.manuscript.text.edited import stretch_around
from cite_lsp.manuscript.text.plain import clean

_LEAST_CHARACTERS_FOR_LANGUAGE = 40


def context_at(manuscript: Manuscript, offset: int, document: Document) -> Context:
    """Return the context of the marker at an offset (in code points), or of the sentence there.

    `document` are all files of the draft, the manuscript (the same object) among them.
    """
    marker = manuscript.marker_at(offset)
    if marker:
        return _context(manuscript, marker, (marker.start, max(offset, marker.start)), document)
    site = site_at(manuscript, offset)
    if site:
        return _context(manuscript, None, (site.marker.start, offset), document)
    sentence = manuscript.sentence_at(offset)
    place = sentence.end if sentence else offset
    return _context(manuscript, None, (place, place), document)


def context_of(manuscript: Manuscript, marker: Marker, document: Document) -> Context:
    """Return the context of a marker of the manuscript; `document` as in `context_at`."""
    return _context(manuscript, marker, (marker.start, marker.end), document)


def context_of_site(manuscript: Manuscript, site: CitationSite, document: Document) -> Context:
    """Return the context of a key that is being typed; `document` as in `context_at`.

    Of a marker that is not closed, it is the same for every letter.
    """
    marker = site.marker
    return _context(manuscript, marker, (marker.start, marker.end), document, site)


def _context(
    manuscript: Manuscript,
    marker: Marker | None,
    place: tuple[int, int],
    document: Document,
    site: CitationSite | None = None,
) -> Context:
    start, end = place
    if marker:
        end = marker.end if marker.closed else max(end, hidden_end(manuscript.text, marker))
    number = document.number_of(manuscript)
    if number is None:
        document, number = Document.of(manuscript), 0
    order = document.order_at(number, start)
    mentions = document.mentions
    closed = closed_at(manuscript, site) if site else None
    if closed is not None:
        manuscript, mentions = closed, document.mentions_with(number, closed)
    if marker is not None and not marker.silent:
        mentions = mentions[:order] + mentions[order + 1 :]
    apart = _note_apart(manuscript, start)
    said_at = apart[1] if apart else start
    section = section_name(number, manuscript.group_at(said_at))
    section_mentions = [mention for mention in mentions if mention.section == section]
    parts = _sentence_parts(manuscript, start, max(start - 1, 0) if start == end else start)
    if apart:
        left, right = words_around_note(manuscript, *apart, (start, end))
        parts = _parts_of_note(manuscript, *apart, parts)
    else:
        left, right = left_words(manuscript, start), right_words(manuscript, end)
    text = " ".join((left, right))
    files = (*document.files, manuscript)
    return Context(
        left=left,
        right=right,
        sentence=parts.sentence,
        sentence_before=parts.before,
        previous=parts.previous,
        next=parts.next,
        section_title=manuscript.section_at(said_at).title,
        section_cited=cited_by(section_mentions),
        section_cited_before=cited_by(
            mention for mention in section_mentions if mention.order < order
        ),
        marker_cited=tuple(dict.fromkeys(key.text for key in marker.keys)) if marker else (),
        title=document.title or manuscript.title,
        abstract=next((file.abstract for file in files if file.abstract), ""),
        language=detect_language(text)
        if len(text) > _LEAST_CHARACTERS_FOR_LANGUAGE
        else manuscript.language,
        year=next((file.year for file in files if file.year), None),
        mentions=mentions,
        order=order,
        section=section,
    )


def closed_at(manuscript: Manuscript, site: CitationSite) -> Manuscript | None:
    """Return a manuscript in which the marker of a site is closed where its key is being typed.

    The words up to the cursor are typed, and no prose. None where nothing reads otherwise, or more
    than the paragraphs around would have to be read again.
    """
    marker, text, layout = site.marker, manuscript.text, manuscript.layout
    if marker.closed or not marker.lists or site.cursor <= hidden_end(text, marker):
        return None
    if layout is not manuscript.scanned or manuscript.names:
        return None
    closed = evolve(marker, end=site.cursor, closed=True)
    markers = tuple(closed if each is marker else each for each in layout.markers)
    closed_layout = evolve(layout, markers=markers)
    stretch = stretch_around(text, marker.start, site.cursor)
    part = edited_part(text, layout, text, closed_layout, stretch) if stretch else None
    if stretch is None or part is None:
        return None
    _, _ = manuscript.blocks, marker_windows(manuscript)  # those far away are the same
    edit = edit_after(manuscript, closed_layout, stretch, part)
    return Manuscript(text, manuscript.format, closed_layout, edit=edit)


@frozen
class _SentenceParts:
    sentence: str = ""
    before: str = ""
    previous: str = ""
    next: str = ""


def _sentence_parts(manuscript: Manuscript, start: int, near: int) -> _SentenceParts:
    row = manuscript.row_at(start)
    if row:  # in a table the row says what it is about, and the caption what all rows are
        table, block = row
        return _SentenceParts(
            clean(without_figures(block.paragraph.text)),
            clean(without_figures(block.plain(block.start, max(start, block.start)))),
            clean(table.caption_for(start)),
        )
    sentence = manuscript.sentence_at(near)
    if sentence is None:
        return _SentenceParts()
    before = manuscript.prose(sentence.start, start)
    return _SentenceParts(sentence.text, before, *manuscript.neighbours(sentence))


def _note_apart(manuscript: Manuscript, offset: int) -> tuple[Note, int] | None:
    """Return the footnote at an offset that stands apart, and where it is referred to, or None."""
    block = manuscript.block_at(offset)
    if block is None or not block.note:
        return None
    text, notes = manuscript.text, manuscript.layout.notes
    labelled_notes = [
        note for note in notes if note.body <= offset <= note.close and label_of(text, note)
    ]
    for note in labelled_notes[-1:]:
        for reference, _ in references_to(text, manuscript.format, {label_of(text, note)}):
            if not manuscript.in_code(reference):
                return note, reference
    return None


def _parts_of_note(
    manuscript: Manuscript, note: Note, reference: int, parts: _SentenceParts
) -> _SentenceParts:
    """Return the parts of a sentence of a footnote with those that it would stand between."""
    annotated = manuscript.sentence_at(reference)
    if annotated is None:
        return parts
    blocks = manuscript.blocks_between(note.body, note.close)
    sentences = [plain for block in blocks for _, _, plain in block.paragraph.sentences]
    first, last = sentences[:1] == [parts.sentence], sentences[-1:] == [parts.sentence]
    following = manuscript.neighbours(annotated)[1]
    return evolve(
        parts,
        previous=annotated.text if first or not sentences else parts.previous,
        next=following if last or not sentences else parts.next,
    )
