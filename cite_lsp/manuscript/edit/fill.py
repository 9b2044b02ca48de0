"""How keys replace what marks a missing citation: a note that asks for it, or the key `TODO`."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Document, Manuscript
from cite_lsp.manuscript.edit.insertion import addition, key_replacement
from cite_lsp.manuscript.edit.keys import typst_key
from cite_lsp.manuscript.edit.notes import in_note
from cite_lsp.manuscript.edit.style import Style, new_marker, space_before, style_of
from cite_lsp.manuscript.model import PLACEHOLDER, Marker, MarkerKey
from cite_lsp.manuscript.text.comments import comment_between
from cite_lsp.manuscript.text.full_stops import is_shared
from cite_lsp.manuscript.text.text_edit import TextEdit

_OPENERS = "([{>`（［【「『“‘«\"'—–"
_BRACKETS = "([{（［【"
_BLANK_COMMAND = lazy_re(r"\\[ ,;:!>\\]?\s*\Z")
r"""A blank of LaTeX that stands before a note, `al.\ [?]`, or the end of a line."""
_COMMAS = lazy_re(r"[ \t]*,[ \t,]*(?=\})")
r"""What parts keys in a list that has none: `\cite{,}`, where keys were taken out."""
_STOPS = ".!?。．！？"
_NEXT_STOP = lazy_re(r"[.,!?。，．！？]+(?!\w)")


def fill(
    manuscript: Manuscript,
    marker: Marker,
    keys: Sequence[str],
    document: Document,
    placeholder: MarkerKey | None = None,
) -> TextEdit:
    r"""Return the edit that makes a marker cite `keys`.

    A note that asks for a citation is replaced by a new marker in the style of the draft
    (`document`, all files of it). The marker goes before the full stop where the note follows it
    and the markers of the draft do not. `placeholder` is the key to replace, `TODO` in
    `\cite{TODO}`; a marker without such a key gets the keys that it lacks.
    """
    if marker.command == PLACEHOLDER:
        style = style_of(document, in_note=in_note(manuscript, marker.start))
        return replacement(manuscript, marker, new_marker(style, keys), style)
    if placeholder is not None:
        return _replace_key(manuscript, marker, placeholder, keys, document)
    if manuscript.format == "typst" and marker.lists and not marker.keys:
        return _into_empty_call(manuscript, marker, keys)
    edit = addition(manuscript, marker, keys, document)
    empty = marker.lists and not marker.keys
    commas = _COMMAS.match(manuscript.text, edit.start) if empty else None
    return evolve(edit, end=commas.end()) if commas else edit


def _into_empty_call(manuscript: Manuscript, marker: Marker, keys: Sequence[str]) -> TextEdit:
    """Return what `fill` does with a call of Typst that takes a single key, `#cite(<>)`."""
    place = marker.lists[0][0]
    first = key_replacement(manuscript, MarkerKey("", place, place), keys[0])
    if not keys[1:]:
        return first
    between = manuscript.text[first.end : marker.end]
    others = "".join(f" {typst_key(key)}" for key in keys[1:])
    return TextEdit(first.start, marker.end, first.text + between + others)


def replacement(manuscript: Manuscript, marker: Marker, new: str, style: Style) -> TextEdit:
    """Return the edit that puts a `new` marker in the place of the words of another."""
    text, start, end = manuscript.text, marker.start, marker.end
    word = len(text[:start].rstrip(" \t\r\n~"))
    parts = manuscript.format == "latex" and _BLANK_COMMAND.search(text, max(word - 2, 0), start)
    line, code = text.rfind("\n", 0, word) + 1, manuscript.layout.code
    commented = comment_between(text, manuscript.format, code, line, word) is not None
    if parts or commented or text[word - 1] in _BRACKETS:
        return TextEdit(start, end, _with_blank(manuscript, new, end))
    if text[word - 1] in _STOPS and not style.behind_stops and _ends_sentence(manuscript, marker):
        stop = len(text[:word].rstrip(_STOPS))
        if text[stop:word] == "." and is_shared(text[max(stop - 24, 0) : stop]):
            return TextEdit(word, end, f"{space_before(style, text, stop + 1)}{new}.")
        return TextEdit(stop, end, space_before(style, text, stop) + new + text[stop:word])
    behind = _NEXT_STOP.match(text, end) if style.behind_stops else None
    if _is_opened(manuscript, start) or "\n" in text[word:start]:
        new_text = new
    elif behind:
        citation = space_before(style, text, behind.end()) + new
        return TextEdit(word, behind.end(), behind[0] + citation)
    else:
        start, new_text = word, space_before(style, text, word) + new
    return TextEdit(start, end, _with_blank(manuscript, new_text, end))


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
    document: Document,
) -> TextEdit:
    text, rest = manuscript.text, keys[1:]
    first = key_replacement(manuscript, placeholder, keys[0])
    if not rest:
        return first
    added = addition(manuscript, marker, rest, document)
    if added.start < first.end:
        start = min(added.start, first.start)
        return TextEdit(start, first.end, added.text + text[start : first.start] + first.text)
    between = text[first.end : added.start]
    return TextEdit(first.start, added.start, first.text + between + added.text)
