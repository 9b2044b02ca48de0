"""Contexts of citations in full texts in XML: the words on either side of each marker."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from operator import itemgetter
from xml.etree import ElementTree  # nosec B405  # expat bounds what entities grow to, and fetches none

from attrs import frozen

from cite_lsp.corpus.citations import CitationContext, cited_in
from cite_lsp.corpus.full_text.printed_markers import Span, around, printed_markers
from cite_lsp.lazy_re import lazy_re

Element = ElementTree.Element

_BLANKS = lazy_re(r"\s+")
_BETWEEN = lazy_re(r"(?:[\s,;&()\[\]‐-―-]|\band\b){0,12}")
"""What stands between citations of one marker: "[3], [4]", "3–5", "(2010) and (2011)"."""
_RANGE = lazy_re(r"[^,;&]*[‐-―-][^,;&]*")
_LONGEST_RANGE = 30
_WINDOW = 1_000
"""Characters looked at on either side of a marker; some of them are other markers."""
_MOST_NEAR = 100
"""Markers looked for on either side; in so few characters there are no more."""

TextMarker = tuple[Span, list[str]]
"""Where something is printed that cites, and what it cites, so far as that is known."""


@frozen
class ElementNames:
    """What a schema calls the elements of running text.

    A `link` has, in one of its attributes, the ids of the references that it cites. What is
    `skipped` is no running text; `blocks` stand apart from what follows.
    """

    section: str
    heading: str
    link: tuple[str, str]
    skipped: frozenset[str]
    blocks: frozenset[str]


class MarkedText:
    """The text of a section without those in it, blanks run together, and its citations."""

    def __init__(self, section: Element, markup: ElementNames, references: Container[str]) -> None:
        """Read a section; what links to anything but one of the `references` is no citation."""
        self.citations: list[TextMarker] = []
        self._markup = markup
        self._references = references
        self._pieces = [""]
        end = 0
        for child in section:
            if child.tag not in markup.skipped and child.tag not in (
                markup.section,
                markup.heading,
            ):
                end = self._add(child, end)
        self.text = "".join(self._pieces)

    def _add(self, element: Element, start: int) -> int:
        """Add the text of an element behind the first `start` characters; return where it ends."""
        end = self._put(element.text, start)
        for child in element:
            if child.tag not in self._markup.skipped and child.tag != self._markup.section:
                end = self._add(child, end)
            end = self._put(child.tail, end)
        tag, attribute = self._markup.link
        names = element.get(attribute, "").split() if element.tag == tag else ()
        ids = [name for target in names if (name := target.removeprefix("#")) in self._references]
        if ids:
            self.citations.append(((start, end), ids))
        return self._put(" ", end) if element.tag in self._markup.blocks else end

    def _put(self, text: str | None, end: int) -> int:
        piece = _BLANKS.sub(" ", text or "")
        if piece.startswith(" ") and self._pieces[-1][-1:] in ("", " "):
            piece = piece[1:]
        if piece:
            self._pieces.append(piece)
        return end + len(piece)


def contexts_of(
    marked: MarkedText, order: Sequence[str]
) -> Iterator[tuple[list[str], CitationContext]]:
    """Yield the ids that each marker of a text cites, and the words around it without any marker.

    `order` are the ids as the list of references has them: "[3]–[5]" cites what is between, too.
    """
    yield from contexts_around(marked.text, _markers(marked.text, marked.citations, order))


def contexts_around(
    text: str, markers: Sequence[TextMarker]
) -> Iterator[tuple[list[str], CitationContext]]:
    """Yield what each marker of a text cites, and the words around it without any marker.

    `markers` are all of them, in order; one of which it is not known what it cites yields nothing.
    """
    spans = [span for span, _ in markers]
    for place, ((start, end), cited) in enumerate(markers):
        if not cited:
            continue
        first, last = max(0, start - _WINDOW), end + _WINDOW
        near = spans[max(0, place - _MOST_NEAR) : place + _MOST_NEAR]
        within = [(a - first, b - first) for a, b in near if first <= a and b <= last]
        left, right = around((start - first, end - first), within, text[first:last])
        yield cited, cited_in(left, right)


def _markers(text: str, citations: Sequence[TextMarker], order: Sequence[str]) -> list[TextMarker]:
    """Return the spans of all markers, in order, and the ids that each cites.

    One is what is printed like a marker together with all citations in it: "Smith et al. (2010)"
    with a link at the year. Of some it is not known what they cite.
    """
    spans = [*_joined(text, citations, order), *((span, []) for span in printed_markers(text))]
    result: list[TextMarker] = []
    for span, ids in sorted(spans):
        if result and span[0] < result[-1][0][1]:
            (start, end), ids_before = result[-1]
            result[-1] = (start, max(end, span[1])), list(dict.fromkeys(ids_before + ids))
        else:
            result.append((span, ids))
    return result


def _joined(
    text: str, citations: Sequence[TextMarker], order: Sequence[str]
) -> Sequence[TextMarker]:
    """Return citations, in order, those that only a comma, a dash or the like parts as one."""
    places = {reference_id: place for place, reference_id in enumerate(order)}
    result: list[TextMarker] = []
    for (start, end), ids in sorted(citations, key=itemgetter(0)):
        (before, behind), ids_before = result[-1] if result else ((0, 0), list[str]())
        gap = text[behind:start]
        if not ids_before or not _BETWEEN.fullmatch(gap):
            result.append(((start, end), ids))
            continue
        first, last = places[ids_before[-1]], places[ids[0]]
        is_range = _RANGE.fullmatch(gap) and first < last <= first + _LONGEST_RANGE
        between = order[first + 1 : last] if is_range else ()
        together = list(dict.fromkeys((*ids_before, *between, *ids)))
        result[-1] = (before, max(behind, end)), together
    return result
