"""What a marker, or a bare sentence, says about the citation wanted there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from cite_lsp.manuscript.blocks import hidden_end
from cite_lsp.manuscript.manuscript import Manuscript
from cite_lsp.manuscript.model import Context, Marker, Mention
from cite_lsp.manuscript.prose import clean_beginning, clean_end
from cite_lsp.paper import detect_language

WORDS = 50
"""Words on either side of a marker, after Tanaka et al."""
_CHARACTERS = 900
"""How much text is looked at to find so many words: words of 18 characters on average."""
_PARAGRAPHS = 60
"""In how many paragraphs at most."""
_ENOUGH_TO_TELL = 40
_OPEN_BRACKET = re.compile(
    r"[\s(\[（［]*(?:[(\[（［]\s*(?:see(?:,? e\.g\.)?|e\.g\.|cf\.|见|参见|例如|如)?[,，]?\s*)$",
    re.IGNORECASE,
)


def context_at(manuscript: Manuscript, offset: int, document: Sequence[Manuscript] = ()) -> Context:
    """Return the context of the marker at an offset, or of the sentence there.

    Args:
        manuscript: the file in question.
        offset: a code-point offset into its text.
        document: all files of the draft in reading order, `manuscript` (the same object) among
            them; mentions, their order, title and abstract are then those of the whole draft.
    """
    marker = manuscript.marker_at(offset)
    if marker:
        return _context(manuscript, marker, (marker.start, max(offset, marker.start)), document)
    site = manuscript.site_at(offset)
    if site:
        return _context(manuscript, None, (site.marker.start, offset), document)
    sentence = manuscript.sentence_at(offset)
    place = sentence.end if sentence else offset
    return _context(manuscript, None, (place, place), document)


def context_of(
    manuscript: Manuscript, marker: Marker, document: Sequence[Manuscript] = ()
) -> Context:
    """Return the context of a marker of the manuscript; `document` as in `context_at`."""
    return _context(manuscript, marker, (marker.start, marker.end), document)


def _context(
    manuscript: Manuscript,
    marker: Marker | None,
    place: tuple[int, int],
    document: Sequence[Manuscript],
) -> Context:
    start, end = place
    if marker:
        end = marker.end if marker.closed else max(end, hidden_end(manuscript.text, marker))
    files = tuple(document) if any(file is manuscript for file in document) else (manuscript,)
    number = next(index for index, file in enumerate(files) if file is manuscript)
    everything = _document_mentions(files)
    before = sum(len(mentions) for mentions in everything[:number])
    order = before + sum(not other.silent and other.start < start for other in manuscript.markers)
    cited = marker is not None and not marker.silent
    mentions = tuple(
        mention
        for mentions in everything
        for mention in mentions
        if not (cited and mention.order == order)
    )
    section = _section_name(number, manuscript.group_at(start))
    own = [mention for mention in mentions if mention.section == section]
    sentence = manuscript.sentence_at(max(start - 1, 0) if start == end else start)
    previous, following = manuscript.neighbours(sentence) if sentence else ("", "")
    left, right = _left(manuscript, start), _right(manuscript, end)
    text = " ".join((left, right))
    return Context(
        left=left,
        right=right,
        sentence=sentence.text if sentence else "",
        previous=previous,
        next=following,
        section_title=manuscript.section_at(start).title,
        section_cited=_each_once(own),
        section_cited_before=_each_once(mention for mention in own if mention.order < order),
        marker_cited=tuple(dict.fromkeys(key.text for key in marker.keys)) if marker else (),
        title=next((file.title for file in (*files, manuscript) if file.title), ""),
        abstract=next((file.abstract for file in (*files, manuscript) if file.abstract), ""),
        language=detect_language(text) if len(text) > _ENOUGH_TO_TELL else manuscript.language,
        year=next((file.year for file in (*files, manuscript) if file.year), None),
        mentions=mentions,
        order=order,
        section=section,
    )


def mentions_of(manuscript: Manuscript, number: int, before: int) -> tuple[Mention, ...]:
    """Return how a file cites: the file is the `number`th, and `before` markers stand above it."""
    cited = [marker for marker in manuscript.markers if not marker.silent]
    return tuple(
        Mention(
            tuple(key.text for key in marker.keys),
            _left(manuscript, marker.start),
            _right(manuscript, hidden_end(manuscript.text, marker)),
            before + order,
            _section_name(number, manuscript.group_at(marker.start)),
        )
        for order, marker in enumerate(cited)
    )


@lru_cache(maxsize=2)
def _document_mentions(files: tuple[Manuscript, ...]) -> tuple[tuple[Mention, ...], ...]:
    found: list[tuple[Mention, ...]] = []
    before = 0
    for number, file in enumerate(files):
        own = file.mentions if not number else mentions_of(file, number, before)
        found.append(own)
        before += len(own)
    return tuple(found)


def _section_name(file: int, group: int) -> str:
    return f"{file}:{group}"


def _each_once(mentions: Iterable[Mention]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for mention in mentions for key in mention.keys))


def _left(manuscript: Manuscript, offset: int) -> str:
    start, _ = manuscript.window(offset)
    parts: list[str] = []
    for block in manuscript.blocks_before(offset, start):
        parts.append(block.plain(start, offset))
        if sum(map(len, parts)) >= _CHARACTERS or len(parts) > _PARAGRAPHS:
            break
    text = "\n".join(reversed(parts))
    return _OPEN_BRACKET.sub("", clean_end(text[-_CHARACTERS:], WORDS))


def _right(manuscript: Manuscript, offset: int) -> str:
    _, end = manuscript.window(offset)
    parts: list[str] = []
    for block in manuscript.blocks_after(offset, end):
        parts.append(block.plain(offset, end))
        if sum(map(len, parts)) >= _CHARACTERS or len(parts) > _PARAGRAPHS:
            break
    return clean_beginning("\n".join(parts)[:_CHARACTERS], WORDS)
