"""A draft of several files: the order of markers over all of its files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from operator import attrgetter

from attrs import field, frozen

from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.draft.read_parts import Edit, Inclusions, MentionPlace, Mentions
from cite_lsp.manuscript.draft.windows import edited_markers, marker_windows
from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.model import Mention
from cite_lsp.manuscript.text.edited import Stretch

_PLACES = 2
"""For how many places in drafts the mentions of a file are cached."""

Place = tuple[int, int]
r"""Where a file is read in: the number of the file that holds the `\input`, and its offset."""


@frozen(eq=False)
class Document:
    """The files of a draft, a file before those that it reads in.

    `places` says where each is read in: None for the main file, and for those that no other
    includes, which come last.
    """

    files: tuple[Manuscript, ...] = field(repr=False)
    places: tuple[Place | None, ...] = ()

    @classmethod
    def of(cls, *files: Manuscript) -> Document:
        """Return the draft of some files, of which none is read in by another."""
        return cls(files)

    def number_of(self, manuscript: Manuscript) -> int | None:
        """Return which of the files this one (the same object) is, or None."""
        return next((n for n, file in enumerate(self.files) if file is manuscript), None)

    def order_at(self, number: int, offset: int) -> int:
        """Return how many markers a reader meets before an offset in the file of that number."""
        markers_before = self.files[number].cited_before(offset)
        return self._inclusions[number].order(markers_before, offset)

    @cached_property
    def title(self) -> str:
        """The title of the first file that has a title, in plain text, or ""."""
        return next((file.title for file in self.files if file.title), "")

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """How the draft cites, marker by marker: the mention of order n is the nth."""
        mentions = [
            mention
            for number, file in enumerate(self.files)
            for mention in _mentions_of(file, (number, self._inclusions[number]))
        ]
        mentions.sort(key=attrgetter("order"))
        return tuple(mentions)

    def mentions_with(self, number: int, file: Manuscript) -> tuple[Mention, ...]:
        """Return the mentions where a file is read otherwise, with as many markers."""
        mentions = list(self.mentions)
        for mention in _mentions_of(file, (number, self._inclusions[number])):
            mentions[mention.order] = mention
        return tuple(mentions)

    @cached_property
    def _inclusions(self) -> tuple[Inclusions, ...]:
        places = self._places
        inside: list[list[tuple[int, int]]] = [[] for _ in self.files]
        for number, place in enumerate(places):
            if place:
                inside[place[0]].append((place[1], number))
        totals = [len(file.cited) for file in self.files]
        for number in range(len(self.files) - 1, -1, -1):
            place = places[number]
            if place:
                totals[place[0]] += totals[number]
        inclusions: list[Inclusions] = []
        before = [0] * len(self.files)
        above = 0
        for number, file in enumerate(self.files):
            if places[number] is None:
                before[number] = above
                above += totals[number]
            if not inside[number]:
                inclusions.append(Inclusions(before[number]))
                continue
            inside[number].sort()
            offsets = tuple(offset for offset, _ in inside[number])
            markers = tuple(accumulate((totals[child] for _, child in inside[number]), initial=0))
            for (offset, child), earlier in zip(inside[number], markers, strict=False):
                before[child] = before[number] + file.cited_before(offset) + earlier
            inclusions.append(Inclusions(before[number], offsets, markers))
        return tuple(inclusions)

    @property
    def _places(self) -> tuple[Place | None, ...]:
        """The places, None where a file is not included by an earlier one."""
        places = self.places or (None,) * len(self.files)
        return tuple(
            place if place and place[0] < number else None for number, place in enumerate(places)
        )


def mentions_of(manuscript: Manuscript) -> tuple[Mention, ...]:
    """Return how a file cites, marker by marker, as if it were all of its draft."""
    return Document.of(manuscript).mentions


def section_name(file: int, group: int) -> str:
    """Return an identifier of a group of sections that is unique in a draft."""
    return f"{file}:{group}"


def edit_after(before: Manuscript, layout: Layout, stretch: Stretch, part: Layout) -> Edit:
    """Return what is known of the manuscript of a layout by that of the text before."""
    blocks = windows = brackets = None
    mentions: dict[MentionPlace, Mentions] = {}
    if before.layout is before.scanned and not before.names:
        # What has not been read yet is, where little is to be read: else all would be, for a later
        # text, where keys come too fast for any answer.
        edit = before.edit
        blocks = before.blocks if edit and edit.blocks else before.read_parts.blocks
        windows = marker_windows(before) if edit and edit.windows else before.read_parts.windows
        brackets = before.read_parts.brackets
        mentions = _known_mentions(before)
    return Edit(layout, stretch, part, before.groups, blocks, windows, brackets, mentions)


def _known_mentions(file: Manuscript) -> dict[MentionPlace, Mentions]:
    """Return how a file cites at its last places in drafts, read where that is little work."""
    mentions = file.read_parts.mentions
    if not mentions and file.edit:
        for place in file.edit.mentions:
            _mentions_of(file, place)
    return dict(mentions)


def _mentions_of(file: Manuscript, place: MentionPlace) -> Mentions:
    """Return how a file cites; cached as long as its place in the draft stays the same."""
    mentions_by_place = file.read_parts.mentions
    if place not in mentions_by_place:
        mentions = _mentions_after_edit(file, place)
        while len(mentions_by_place) >= _PLACES:  # in its draft, and by itself
            mentions_by_place.pop(next(iter(mentions_by_place)), None)
        mentions_by_place[place] = mentions
        return mentions
    return mentions_by_place[place]


def _mentions_after_edit(file: Manuscript, place: MentionPlace) -> Mentions:
    """Return how a file cites; of markers in sections that the edit does not touch as before."""
    edit, count = file.edit, len(file.cited)
    before = edit.mentions.get(place) if edit else None
    if not edit or not before or len(before) != count or edit.groups != file.groups:
        return tuple(_read_mentions(file, place, 0, count))
    above, below = edited_markers(file, edit.stretch)
    return (*before[:above], *_read_mentions(file, place, above, below), *before[below:])


def _read_mentions(
    file: Manuscript, place: MentionPlace, first: int, last: int
) -> Iterator[Mention]:
    number, inclusions = place
    windows = marker_windows(file)
    for marker_number in range(first, last):
        marker, (left, right) = file.cited[marker_number], windows[marker_number]
        yield Mention(
            tuple(key.text for key in marker.keys),
            left,
            right,
            inclusions.order(marker_number, marker.start),
            section_name(number, file.group_at(marker.start)),
        )
