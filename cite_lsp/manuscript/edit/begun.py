"""A citation that has been begun and not finished: where its key goes, and how it is completed."""

from __future__ import annotations

from collections.abc import Sequence

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Document, Manuscript
from cite_lsp.manuscript.draft.enclosing import borrows_closing
from cite_lsp.manuscript.draft.sites import CLOSED_LATER, site_at
from cite_lsp.manuscript.edit.insertion import replacement_at
from cite_lsp.manuscript.edit.keys import PANDOC, marker_text, pandoc_key, separator_of, typst_key
from cite_lsp.manuscript.edit.placement import FULL_STOPS
from cite_lsp.manuscript.empty_keys import empty_keys, is_open
from cite_lsp.manuscript.markdown.citations import is_role
from cite_lsp.manuscript.model import CitationSite, Marker, Sentence
from cite_lsp.manuscript.text.text_edit import TextEdit

_AT_THE_END = rf"(?=[\s{FULL_STOPS}]*\Z)"
_BEGUN = {
    "markdown": lazy_re(rf"\[[^\[\]@\n]*-?@(?![\w{{*]|[^\[\]\n]*\])|(?<!\S)@{_AT_THE_END}"),
    "typst": lazy_re(rf"#cite\((?![^()\n]*\))|(?<!\S)@{_AT_THE_END}"),
    "org": lazy_re(rf"(?<!\S)[a-z]*cite[a-z]*:{_AT_THE_END}"),
}
"""How a citation without a key begins where the scan finds no marker.

A sign alone begins one only where its sentence ends: in "5 mA @ 3 V" it begins none.
"""
_SAID = r"(?:[^\[\]().@;\n]|\.(?=[,\w]|[ ]+[a-z@-])){0,40}"
_OPENED = lazy_re(
    rf"\[(?:[^\[\]@;\n]{{0,40}}+(?:@[^\[\]@;\n]++)*+;)*{_SAID}(?:@\w[^\[\]()@;\n]*+)*+@\{{?\Z"
)
"""A bracket of Markdown that a citation opens: `[see @a; @`, `[e.g. @a versus @`. In "[0, 1) as @"
there is none."""
_LONGEST_OPENED = 400
_CALL_GOES_ON = lazy_re(r"\s*(?:\)|,\s*(?:[\w-]+\s*:|label\(|[<\"\[()\d#]))")
"""What stands behind a key in a call of Typst: what closes it, or another argument."""
_STRING_BEGUN = lazy_re(r'(?P<label>\blabel\([ \t]*)?(?P<quote>(?(label)"?|"))\Z')


def begun_at(manuscript: Manuscript, offset: int) -> CitationSite | None:
    """Return the place at an offset where a citation has been begun and its key has not."""
    site = site_at(manuscript, offset)
    if site is None or site.end > site.start or is_finished(manuscript, site):
        return None
    return site


def begun_in(manuscript: Manuscript, sentence: Sentence) -> CitationSite | None:
    """Return the first place of a sentence where a citation has been begun without a marker."""
    text, begun = manuscript.text, _BEGUN.get(manuscript.format)
    for match in begun.finditer(text, sentence.start, sentence.end) if begun else ():
        if manuscript.marker_at(match.end()) is None and (
            site := begun_at(manuscript, match.end())
        ):
            return site
    return None


def begun_marker(manuscript: Manuscript, marker: Marker) -> CitationSite | None:
    """Return the place of the key in a marker that has been begun, and has none; or None."""
    if marker.lists:
        place = marker.lists[-1][0]
        has_key = any(key.start == place for key in marker.keys)
        return None if has_key else begun_at(manuscript, place)
    if marker.closed:
        return begun_at(manuscript, marker.end - 1)
    signs = (key.place for key in empty_keys(manuscript, marker, lambda key: True))
    if (sign := next((place for place in signs if place is not None), None)) is not None:
        return begun_at(manuscript, sign)
    if marker.keys:
        return None
    colon = marker.command.startswith("[cite") and manuscript.text.find(":", marker.start) + 1
    return begun_at(manuscript, colon or marker.end)


def closing_of(manuscript: Manuscript, marker: Marker) -> str:
    """Return what closes a marker that nothing closes, behind its last key or the one it lacks."""
    last = max((key.end for key in marker.keys), default=None)
    site = begun_marker(manuscript, marker) if last is None else site_at(manuscript, last)
    return _closing(manuscript, site, "") if site else ""


def is_finished(manuscript: Manuscript, site: CitationSite) -> bool:
    """Whether the marker at a site is closed, and no sign waits there for a key of its own."""
    before = manuscript.text[site.start - 1]
    waits = site.start == site.end and (before == "@" or (before == " " and not site.marker.lists))
    if waits and (site.marker.keys or site.guessed):
        return False  # the Chinese word behind a sign is a key to the marker
    behind_comma = site.start > site.marker.end  # of org-ref: `cite:a,`
    return site.marker.closed and not behind_comma and not _closing(manuscript, site, "")


def completed(
    manuscript: Manuscript,
    site: CitationSite,
    keys: Sequence[str],
    document: Document,
) -> TextEdit:
    """Return the edit that makes a citation that has been begun cite keys.

    The first of them takes the place of what is typed at the site. What nothing closes is closed
    behind the last one. `document` are all files of the draft.
    """
    edit = replacement_at(manuscript, site, keys[0])
    start, end, key_text = edit.start, edit.end, edit.text
    command, rest = site.marker.command, keys[1:]
    closing = "" if key_text.endswith("; ") else _closing(manuscript, site, key_text)
    if closing:
        key_text = key_text.rstrip()
    if manuscript.format == "typst":
        if closing and end < (behind := _label_end(manuscript.text, site)):
            closing = "".join(sorted(manuscript.text[end:behind] + closing, key='>")'.index))
            end = behind
        others = "".join(f" {typst_key(key)}" for key in rest)
        return TextEdit(start, end, key_text + closing + others)
    if command == "@" and not closing:
        others = f" {marker_text(PANDOC, rest, '')}" if rest else ""
        return TextEdit(start, end, key_text + others)
    if command in ("@", PANDOC):
        rest = [f"; {pandoc_key(key)}" for key in rest]
    elif manuscript.format == "org" and manuscript.text.endswith("&", 0, start):  # of org-ref
        rest = [f";&{key}" for key in rest]
    elif command.startswith("[cite") and "@" in manuscript.text[start - 1 : start] + key_text[:1]:
        rest = [f";@{key}" for key in rest]
    else:
        separator = separator_of(document.files)
        rest = [separator + key for key in rest]
    return TextEdit(start, end, key_text + "".join(rest) + closing)


def _closing(manuscript: Manuscript, site: CitationSite, key_text: str) -> str:
    """Return what closes the marker at a site behind a key as it is written there, maybe ""."""
    text, marker = manuscript.text, site.marker
    borrowed = borrows_closing(text, manuscript.format, marker, site.cursor)
    if manuscript.format == "latex":
        return "}" if borrowed or is_open(manuscript, marker) else ""
    if manuscript.format == "typst":
        return _closing_in_typst(text, site, key_text) if marker.command.startswith("#") else ""
    if manuscript.format == "markdown" and not marker.lists:
        opened = _OPENED.search(text, max(site.start - _LONGEST_OPENED, 0), site.start)
        closed = not borrowed and CLOSED_LATER.match(text, site.end)
        return "]" if opened and not closed else ""
    if marker.closed and not borrowed:
        return ""
    if marker.lists:  # of a role of MyST, or of a command of LaTeX
        return "`" if is_role(marker) else "}" * text.endswith("{", 0, marker.lists[-1][0])
    if marker.command.startswith("[cite"):
        return "]]" if text.endswith("[", 0, marker.start) else "]"
    return ""


def _closing_in_typst(text: str, site: CitationSite, key_text: str) -> str:
    signs, behind = _label_signs(text, site), _label_end(text, site)
    if key_text.startswith(("<", "label(", '"')):  # which takes their place
        signs = ""
    lacking = "".join(sign for sign in signs if sign not in text[site.end : behind])
    goes_on = site.marker.command != "#cite" or _CALL_GOES_ON.match(text, behind)
    return lacking + ("" if goes_on else ")")


def _label_signs(text: str, site: CitationSite) -> str:
    """Return the signs that close a label of Typst, or the string for one, at a site."""
    if text.endswith("<", 0, site.start):
        return ">"
    begun = _STRING_BEGUN.search(text, site.marker.start, site.start)
    if begun is None:
        return ""
    return begun["quote"] + (")" if begun["label"] else "")


def _label_end(text: str, site: CitationSite) -> int:
    """Return the offset behind those of the signs that stand there."""
    end = site.end
    for sign in _label_signs(text, site):
        end += text.startswith(sign, end)
    return end
