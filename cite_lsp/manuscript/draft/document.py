"""A draft of several files: the order of markers over all of its files."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import overload

from attrs import field, frozen

from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.draft.windows import marker_windows
from cite_lsp.manuscript.model import Mention

_PLACES = 2
"""For how many places in drafts the mentions of a file are cached."""

Place = tuple[int, int]
r"""Where a file is read in: the number of the file that holds the `\input`, and its offset."""


@frozen
class _Inclusions:
    """The inclusions in a file: their offsets, and how many markers stand in the first n of them.

    `before` is the number of markers above the file, those above its place included.
    """

    before: int
    offsets: tuple[int, ...]
    markers: tuple[int, ...]

    def order(self, own: int, offset: int) -> int:
        """Return the order of what stands at an offset, behind `own` markers of the file."""
        return self.before + own + self.markers[bisect_left(self.offsets, offset)]


@frozen(eq=False)
class Document(Sequence[Manuscript]):
    r"""The files of a draft, a file before those that it reads in.

    `places` says where each file is read in. It is None for the main file, and for a file that no
    other includes, which comes last. What follows an `\input` comes after all of the file that is
    read in there.
    """

    files: tuple[Manuscript, ...] = field(repr=False)
    places: tuple[Place | None, ...] = ()

    def __len__(self) -> int:
        return len(self.files)

    @overload
    def __getitem__(self, index: int) -> Manuscript: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Manuscript, ...]: ...

    def __getitem__(self, index: int | slice) -> Manuscript | tuple[Manuscript, ...]:
        return self.files[index]

    def number_of(self, manuscript: Manuscript) -> int | None:
        """Return which of the files this one (the same object) is, or None."""
        return next((n for n, file in enumerate(self.files) if file is manuscript), None)

    def order_at(self, number: int, offset: int) -> int:
        """Return how many markers a reader meets before an offset in the file of that number."""
        own = self.files[number].cited_before(offset)
        return self._inclusions[number].order(own, offset)

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
            for mention in _mentions_of(file, number, self._inclusions[number])
        ]
        mentions.sort(key=lambda mention: mention.order)
        return tuple(mentions)

    @cached_property
    def _inclusions(self) -> tuple[_Inclusions, ...]:
        inside: list[list[tuple[int, int]]] = [[] for _ in self.files]
        for number, place in enumerate(self._places):
            if place:
                inside[place[0]].append((place[1], number))
        totals = [len(file.cited) for file in self.files]
        for number in range(len(self.files) - 1, -1, -1):
            place = self._places[number]
            if place:
                totals[place[0]] += totals[number]
        inclusions: list[_Inclusions] = []
        before = [0] * len(self.files)
        above = 0
        for number, file in enumerate(self.files):
            if self._places[number] is None:
                before[number] = above
                above += totals[number]
            inside[number].sort()
            offsets = tuple(offset for offset, _ in inside[number])
            markers = tuple(accumulate((totals[child] for _, child in inside[number]), initial=0))
            for (offset, child), earlier in zip(inside[number], markers, strict=False):
                before[child] = before[number] + file.cited_before(offset) + earlier
            inclusions.append(_Inclusions(before[number], offsets, markers))
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
    return Document((manuscript,)).mentions


def section_name(file: int, group: int) -> str:
    """Return an identifier of a group of sections that is unique in a draft."""
    return f"{file}:{group}"


def _mentions_of(file: Manuscript, number: int, inclusions: _Inclusions) -> tuple[Mention, ...]:
    """Return how a file cites; cached as long as its place in the draft stays the same."""
    place = number, inclusions
    known = file.mentions_by_place.get(place)
    if known is None:
        known = tuple(
            Mention(
                tuple(key.text for key in marker.keys),
                left,
                right,
                inclusions.order(own, marker.start),
                section_name(number, file.group_at(marker.start)),
            )
            for own, (marker, (left, right)) in enumerate(
                zip(file.cited, marker_windows(file), strict=True)
            )
        )
        while len(file.mentions_by_place) >= _PLACES:  # in its draft, and by itself
            file.mentions_by_place.pop(next(iter(file.mentions_by_place)), None)
        file.mentions_by_place[place] = known
    return known
