"""How keys replace what marks a missing citation: a note that asks for it, or the key `TODO`."""

from __future__ import annotations

from collections.abc import Sequence

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.edit.insertion import addition, key_replacement
from cite_lsp.manuscript.edit.keys import typst_key
from cite_lsp.manuscript.edit.notes import in_note
from cite_lsp.manuscript.edit.style import Style, new_marker, space_before, style_of
from cite_lsp.manuscript.model import PLACEHOLDER, Marker, MarkerKey
from cite_lsp.manuscript.text.comments import comment_between
from cite_lsp.manuscript.text.full_stops import is_shared

_OPENERS = "([{>`（［【「『“‘«\"'—–"
_BRACKETS = "([{（［【"
_BLANK_COMMAND = lazy_re(r"\\[ ,;:!>\\]?\s*\Z")
r"""A blank of LaTeX that stands before a note, `al.\ [?]`, or the end of a line."""
_STOPS = ".!?。．！？"
_NEXT_STOP = lazy_re(r"[.,!?。，．！？]+(?!\w)")


def fill(
    manuscript: Manuscript,
    marker: Marker,
    keys: Sequence[str],
    document: Sequence[Manuscript] = (),
    placeholder: MarkerKey | None = None,
) -> tuple[int, int, str]:
    r"""Return the range to replace to make a marker cite `keys`, and the text that replaces it.

    A note that asks for a citation is replaced by a new marker in the style of the draft
    (`document`, all files of it). The marker goes before the full stop where the note follows it
    and the markers of the draft do not. `placeholder` is the key to replace, `TODO` in
    `\cite{TODO}`; a marker without such a key gets the keys that it lacks.
    """
    if marker.command == PLACEHOLDER:
        style = style_of(document or (manuscript,), in_note=in_note(manuscript, marker.start))
        return replacement(manuscript, marker, new_marker(style, keys), style)
    if placeholder is not None:
        return _replace_key(manuscript, marker, placeholder, keys, document)
    if manuscript.format == "typst" and marker.lists and not marker.keys:
        return _into_empty_call(manuscript, marker, keys)
    offset, text = addition(manuscript, marker, keys, document)
    return offset, offset, text


def _into_empty_call(
    manuscript: Manuscript, marker: Marker, keys: Sequence[str]
) -> tuple[int, int, str]:
    """Return what `fill` does with a call of Typst that takes a single key, `#cite(<>)`."""
    place = marker.lists[0][0]
    start, end, first = key_replacement(manuscript, MarkerKey("", place, place), keys[0])
    if not keys[1:]:
        return start, end, first
    others = "".join(f" {typst_key(key)}" for key in keys[1:])
    return start, marker.end, first + manuscript.text[end : marker.end] + others


def replacement(
    manuscript: Manuscript, marker: Marker, new: str, style: Style
) -> tuple[int, int, str]:
    """Return the range of words that a `new` marker replaces, and the text that replaces it."""
    text, start, end = manuscript.text, marker.start, marker.end
    word = len(text[:start].rstrip(" \t\r\n~"))
    parts = manuscript.format == "latex" and _BLANK_COMMAND.search(text, max(word - 2, 0), start)
    line, code = text.rfind("\n", 0, word) + 1, manuscript.layout.code
    commented = comment_between(text, manuscript.format, code, line, word) is not None
    if parts or commented or text[word - 1] in _BRACKETS:
        return start, end, _with_blank(manuscript, new, end)
    if text[word - 1] in _STOPS and not style.behind_stops and _ends_sentence(manuscript, marker):
        stop = len(text[:word].rstrip(_STOPS))
        if text[stop:word] == "." and is_shared(text[max(stop - 24, 0) : stop]):
            return word, end, f"{space_before(style, text, stop + 1)}{new}."
        return stop, end, space_before(style, text, stop) + new + text[stop:word]
    behind = _NEXT_STOP.match(text, end) if style.behind_stops else None
    if _is_opened(manuscript, start) or "\n" in text[word:start]:
        new_text = new
    elif behind:
        return word, behind.end(), behind[0] + space_before(style, text, behind.end()) + new
    else:
        start, new_text = word, space_before(style, text, word) + new
    return start, end, _with_blank(manuscript, new_text, end)


def _is_opened(manuscript: Manuscript, start: int) -> bool:
    """Whether what stands before an offset opens a bracket, a quotation or an emphasis there."""
    text = manuscript.text
    if manuscript.format != "latex" and text[start - 1] in "*_":
        return not text[:start].rstrip("*_")[-1:].strip()
    return text[start - 1] in _OPENERS


def _with_blank(manuscript: Manuscript, citation: str, end: int) -> str:
    """Return a marker, with a blank where it would be read together with what follows at `end`."""
    return citation + (" " if _continues_key(manuscript, end, citation) else "")


def _ends_sentence(manuscript: Manuscript, marker: Marker) -> bool:
    """Whether no words of its sentence follow a marker; behind "et al." some may."""
    sentence = manuscript.sentence_at(marker.start)
    return sentence is not None and not sentence.start < marker.start < marker.end < sentence.end


def _continues_key(manuscript: Manuscript, end: int, citation: str) -> bool:
    """Whether what follows would be read as part of the last key, as behind Typst's `@key`."""
    next_character = manuscript.text[end : end + 1]
    return manuscript.format == "typst" and not citation.endswith(")") and next_character.isalnum()


def _replace_key(
    manuscript: Manuscript,
    marker: Marker,
    placeholder: MarkerKey,
    keys: Sequence[str],
    document: Sequence[Manuscript],
) -> tuple[int, int, str]:
    text, rest = manuscript.text, keys[1:]
    start, end, first = key_replacement(manuscript, placeholder, keys[0])
    if not rest:
        return start, end, first
    offset, added = addition(manuscript, marker, rest, document)
    if offset < end:
        offset = min(offset, start)
        return offset, end, added + text[offset:start] + first
    return start, offset, first + text[end:offset] + added
