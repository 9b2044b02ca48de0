"""Drafts that cite in footnotes: which markers stand in one, and what a new footnote is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.draft.note_references import label_of, references_to
from cite_lsp.manuscript.latex.superscript import raised_span
from cite_lsp.manuscript.layout import Note, Span
from cite_lsp.manuscript.model import Marker

_OPENING = lazy_re(r"\\(?:foot|end|side|page)note\{|\^\[|#footnote\[")
"""What opens a footnote where it is referred to, without options."""
_OPENED_BY = {"latex": r"\footnote{", "markdown": "^[", "typst": "#footnote[", "org": "[fn:: "}
_REMARK = lazy_re(r"\\(?!(?:foot|end|side|page)note)")
"""What begins a note of LaTeX among the authors, or in the margin."""
_MOST_BEFORE = 40
"""Characters that a footnote may say before the citation that it is there for: "Vgl. hierzu"."""


@frozen
class PlacedMarker:
    """A marker, its file, and the footnote that it stands in, None in the text."""

    file: Manuscript
    marker: Marker
    note: Note | None

    @property
    def span(self) -> Span:
        """The range of the marker with what raises it."""
        return raised_span(self.file.text, self.marker)


def placed_markers(file: Manuscript) -> Iterator[PlacedMarker]:
    """Yield the markers of a file with the footnotes that they stand in."""
    notes = sorted(
        (
            note
            for note in file.layout.notes
            if not (note.remark or _REMARK.match(file.text, note.start))
        ),
        key=_start,
    )
    opened: list[Note] = []
    following = 0
    for marker in file.markers:
        while following < len(notes) and notes[following].start <= marker.start:
            opened.append(notes[following])
            following += 1
        while opened and opened[-1].close < marker.start:
            opened.pop()
        yield PlacedMarker(file, marker, opened[-1] if opened else None)


def _start(note: Note) -> int:
    return note.start


def in_note(manuscript: Manuscript, offset: int) -> bool:
    """Whether an offset is in a footnote."""
    block = manuscript.block_at(offset)
    return block is not None and block.note


def citing_notes(
    markers: Sequence[PlacedMarker], counts: Callable[[PlacedMarker], bool]
) -> list[tuple[Manuscript, Note]]:
    r"""Return the footnotes of a draft that cites in them; none where it cites in its text.

    Those are meant that begin with a citation, `\footnote{Vgl. \cite{a}.}`, and not those that
    say more. In the text those markers count that are no words of their sentence.
    """
    notes: dict[tuple[int, int], tuple[Manuscript, Note]] = {}
    in_the_text = 0
    for placed in markers:
        note = placed.note
        whole = note is not None and placed.marker.command.rstrip("*s") == "fullcite"
        if not (counts(placed) or whole or placed.marker.command == "@"):
            continue
        if note is None:
            in_the_text += 1
        elif placed.marker.start - note.body <= _MOST_BEFORE:
            notes[id(placed.file), note.start] = placed.file, note
    return [*notes.values()] if len(notes) > in_the_text else []


def places_of(notes: Sequence[tuple[Manuscript, Note]]) -> Iterator[tuple[str, Span]]:
    """Yield where some footnotes are set or referred to, each with the text of its file."""
    apart: dict[Manuscript, set[str]] = {}
    for file, note in notes:
        if label := label_of(file.text, note):
            apart.setdefault(file, set()).add(label)
        else:
            yield file.text, (note.start, note.end)
    for file, labels in apart.items():
        for start, label in references_to(file.text, file.format, labels):
            yield file.text, (start, start + len(label))


def around(notes: Sequence[tuple[Manuscript, Note]]) -> tuple[str, str]:
    r"""Return what opens and closes most of some footnotes that cite: `\footnote{` and `.}`."""
    most_common = Counter(
        opening
        for file, note in notes
        if _OPENING.fullmatch(opening := file.text[note.start : note.body])
    ).most_common(1)
    opening = most_common[0][0] if most_common else _OPENED_BY[notes[0][0].format]
    stopped = sum(file.text[: note.close].rstrip()[-1:] == "." for file, note in notes)
    stop = "." if 2 * stopped > len(notes) else ""
    return opening, stop + ("}" if opening.endswith("{") else "]")
