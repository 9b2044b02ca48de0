"""The citation style of a draft, by most of its markers; new markers in that style."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from attrs import frozen

from cite_lsp.language import UNSPACED
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Document, Manuscript
from cite_lsp.manuscript.edit.keys import (
    PANDOC,
    marker_text,
    separator_of,
)
from cite_lsp.manuscript.edit.notes import (
    PlacedMarker,
    around,
    citing_notes,
    placed_markers,
    places_of,
)
from cite_lsp.manuscript.edit.placement import CLOSERS, FULL_STOPS, follow_full_stops
from cite_lsp.manuscript.latex.commands.citation_commands import cite_command
from cite_lsp.manuscript.latex.commands.packages import loaded_files
from cite_lsp.manuscript.latex.superscript import raised_by
from cite_lsp.manuscript.layout import Note, Span
from cite_lsp.manuscript.markdown.liquid import CITE, CITET
from cite_lsp.manuscript.model import Marker

_ORG = "[cite]"
# Commands that put the whole citation in parentheses or a note, so that a sentence can end with
# one: those of LaTeX, natbib and biblatex, and what people call their own (\upcite, \mycite).
_PARENTHETICAL = lazy_re(
    r"[a-z]*cites?:?|citep:?|\[@\]|\[\[@\]\]|\[cite(?:/p[\w/-]*)?\]|\{(?:foot)?cite(?::p)?\}"
    r"|:(?:foot)?cite(?:p)?:|\{% cite %\}"
)
_TEXTUAL = frozenset("nocite textcite textcites fullcite footfullcite notecite pnotecite".split())
_COUNTERPART = {
    "citet": "citep",
    "textcite": "parencite",
    "volcite": "autocite",
    "avolcite": "autocite",
    "pvolcite": "parencite",
    "tvolcite": "parencite",
    "fvolcite": "footcite",
    "footfullcite": "footfullcite",
    "svolcite": "smartcite",
    "@": PANDOC,
    "{cite:t}": "{cite:p}",
    ":citet:": ":citep:",
    CITET: CITE,
    "citet:": "citep:",
    "[cite/t]": _ORG,
}
NOTES = frozenset(("footcite", "footfullcite", "supercite", "smartcite", "upcite"))
_COMMAND_OF_PACKAGE = {
    "natbib.sty": "citep",
    "biblatex.sty": "autocite",
    "biblatex-chicago.sty": "autocite",
}
_TIES = "~\u00a0\u202f"
_PUNCTUATION = f"{FULL_STOPS}{CLOSERS},，、"
_AFTER_WORDS = f"{_PUNCTUATION}$`"
"""What a word may end with before a marker that follows without a blank."""
_ENDING_WIDE = lazy_re(f"[{UNSPACED}\u3000-\u303f\uff00-\uffef][”’]{{0,2}}\\Z")
"""The end of a text in a script without blanks, whose quotation marks are those of others."""
_FURTHEST_BEFORE = 3
_FEWEST_IN_NOTES = 3
"""Citations in footnotes of a draft that cites in its text from which those say how notes cite."""


@frozen
class Style:
    """How a draft cites: the command, where markers so written stand, whether behind full stops.

    `around` is what most of them stand in: what raises them, or a footnote. `spans` are their
    ranges with it, each with the text of its file.
    """

    document: Document
    format: str
    command: str
    spans: tuple[tuple[str, Span], ...]
    behind_stops: bool
    around: tuple[str, str] = ("", "")

    @property
    def files(self) -> tuple[Manuscript, ...]:
        """The files of the draft."""
        return self.document.files


def style_of(document: Document, *, in_note: bool = False) -> Style:
    """Return the citation style of a draft of at least one file.

    It is that of the text, or of the footnotes with `in_note`, where the draft cites there. A draft
    that cites in footnotes alone has a footnote around what is cited in its text.
    """
    files = document.files
    format = files[0].format
    every = [placed for file in files for placed in placed_markers(file)]
    region_markers = [placed for placed in every if (placed.note is not None) == in_note]
    notes = [] if in_note else citing_notes(every, _cites_aside)
    if notes and not any(placed.marker.command.rstrip("s") in NOTES for placed in region_markers):
        return _style_in_notes(document, every, notes)
    region_markers = (
        region_markers
        if sum(map(_cites_aside, region_markers)) >= (_FEWEST_IN_NOTES if in_note else 1)
        else every
    )
    command = _command(files, region_markers)
    if in_note and command in ("footcite", "footfullcite"):
        command = "parencite"  # a footnote in one has no place of its own
    markers = _written_by(command, region_markers)
    raised = Counter(raised_by(placed.file.text, placed.marker) for placed in markers)
    spans = tuple((placed.file.text, placed.span) for placed in markers)
    raising = raised.most_common(1)[0][0] if raised else ("", "")
    return Style(document, format, command, spans, follow_full_stops(spans), raising)


def _style_in_notes(
    document: Document,
    every: Sequence[PlacedMarker],
    notes: Sequence[tuple[Manuscript, Note]],
) -> Style:
    """Return the style of a draft that cites in some footnotes."""
    noted = [placed for placed in every if placed.note is not None]
    used = Counter(placed.marker.command.rstrip("*s") for placed in noted)
    most = used.most_common(1)[0][0]
    command = most if most == "fullcite" else _command(document.files, noted)
    spans = tuple(places_of(notes))
    format = document.files[0].format
    return Style(document, format, command, spans, follow_full_stops(spans), around(notes))


def _written_by(command: str, markers: Iterable[PlacedMarker]) -> list[PlacedMarker]:
    """Return the markers that a command writes, for several keys maybe with an "s"."""
    name = command.removesuffix("s")
    return [
        placed for placed in markers if placed.marker.command.rstrip("*").removesuffix("s") == name
    ]


def _cites_aside(placed: PlacedMarker) -> bool:
    """Whether a marker cites without being words of its sentence."""
    command = placed.marker.command.rstrip("*")
    return placed.file.format == "typst" or _parenthetical(command)


def _command(files: Sequence[Manuscript], markers: Sequence[PlacedMarker]) -> str:
    format = files[0].format
    if format == "typst":
        return "@"
    used = Counter(placed.marker.command.rstrip("*") for placed in markers)
    parenthetical = Counter(
        command
        for placed in markers
        if _parenthetical(command := placed.marker.command.rstrip("*"))
        and _only_keys(placed.file, placed.marker)
    )
    if parenthetical:
        command = parenthetical.most_common(1)[0][0]
        # One citation needs no \autocites.
        return command[:-1] if command.endswith("cites") else command
    for command, _ in used.most_common():
        counterpart = _COUNTERPART.get(command.lower().removesuffix("s"))
        if counterpart:
            return counterpart
    if format != "latex":
        return _ORG if format == "org" else PANDOC
    loaded = (name for file in files for name in loaded_files(file.text))
    return next(filter(None, map(_COMMAND_OF_PACKAGE.get, loaded)), "cite")


def _parenthetical(command: str) -> bool:
    command = command.lower()
    return _PARENTHETICAL.fullmatch(command) is not None and command not in _TEXTUAL


def _only_keys(file: Manuscript, marker: Marker) -> bool:
    """Whether a marker is made of keys alone: a new one has no volume or page to add."""
    command = cite_command(marker.command.rstrip("*"), file.cite_commands)
    if command is not None and (command.before or command.after):
        return False
    return not file.text.startswith("{", marker.end)


def spaced_marker(style: Style, text: str, offset: int, keys: Sequence[str]) -> str:
    """Return a new marker of a draft with what parts it from the text before an offset."""
    return space_before(style, text, offset) + new_marker(style, keys)


def space_before(style: Style, text: str, offset: int) -> str:
    """Return what goes between the word before and the marker: a tie, a blank or nothing."""
    before = text[offset - 1 : offset] if offset else ""
    if before.isspace() or not before or (style.behind_stops and before in _PUNCTUATION):
        return ""
    behind_words = (_space_at(text, start) for text, (start, _) in style.spans)
    seen = Counter(blank for blank in behind_words if blank is not None)
    usual = seen.most_common(1)[0][0] if seen else None
    if _ENDING_WIDE.search(text, max(offset - _FURTHEST_BEFORE, 0), offset):
        return "" if usual in (None, " ") else usual
    if usual is not None:
        return usual
    if style.command in NOTES:
        return ""
    return "~" if style.format == "latex" else " "


def _space_at(text: str, start: int) -> str | None:
    """Return what parts a marker from the word before, None behind what opens a bracket or note."""
    if text.endswith("\\,", 0, start):
        return "\\,"
    before = text[start - 1 : start]
    if not before or before in _TIES:
        return before or None
    if before.isspace():
        return " "
    return "" if before.isalnum() or before in _AFTER_WORDS else None


def new_marker(style: Style, keys: Sequence[str]) -> str:
    """Return a new marker in the style of a draft."""
    if style.command.endswith(":") and style.command[0] != ":":
        return _org_ref(style, keys)
    opening, closing = style.around
    return opening + marker_text(style.command, keys, separator_of(style.files)) + closing


def _org_ref(style: Style, keys: Sequence[str]) -> str:
    """Return a marker of org-ref: as a link or not, its keys with a sign or not, as most have."""
    seen = Counter(
        (file.text.startswith("[[", marker.start), file.text[marker.keys[0].start - 1] == "&")
        for file in style.files
        for marker in file.markers
        if marker.command.endswith(":") and marker.keys
    )
    linked, signed = seen.most_common(1)[0][0] if seen else (False, False)
    citation = style.command + (";".join(f"&{key}" for key in keys) if signed else ",".join(keys))
    return f"[[{citation}]]" if linked else citation
