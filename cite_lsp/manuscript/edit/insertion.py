"""Where and how a citation is written into a draft: the text edit behind "Cite: …"."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from cite_lsp.language import EAST_ASIAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Document, Manuscript
from cite_lsp.manuscript.draft.sites import CLOSED_LATER, end_in_words, site_at
from cite_lsp.manuscript.edit.keys import (
    PANDOC,
    WIKI,
    is_plain_in_typst,
    marker_text,
    pandoc_key,
    separator_of,
    typst_key,
    typst_label,
    typst_string,
)
from cite_lsp.manuscript.edit.named import UNNAMED, Names, behind_name
from cite_lsp.manuscript.edit.noted_markers import marker_behind_names
from cite_lsp.manuscript.edit.notes import in_note
from cite_lsp.manuscript.edit.placement import adds_only_citations, adjacent_markers, citation_place
from cite_lsp.manuscript.edit.style import Style, space_before, spaced_marker, style_of
from cite_lsp.manuscript.empty_keys import empty_keys, is_computed
from cite_lsp.manuscript.latex.commands.citation_commands import cite_command
from cite_lsp.manuscript.markdown.citations import is_role
from cite_lsp.manuscript.markdown.liquid import is_tag
from cite_lsp.manuscript.model import CitationSite, Marker, MarkerKey, Sentence
from cite_lsp.manuscript.text.full_stops import is_shared
from cite_lsp.manuscript.text.text_edit import TextEdit

_BEGUN = lazy_re(r"(?<!\\)\\(?P<name>[A-Za-z@]+)\*?(?:\[[^\[\]]*\])*\Z")
_BEGUN_BEHIND = lazy_re(
    r"(?:[ \t~]|\n(?![ \t\r]*\n))*\\(?P<name>[A-Za-z@]+)\*?"
    r"(?:\[[^\[\]\n]*\])*+(?![A-Za-z@*]|\s*[\[{])"
)
_LONGEST_BEGUN = 100
_DATED = lazy_re(r"(?:1[89]|20)\d\d[a-z]?年?(?:[,;:，；：/][^()（）]*)?[)\]）]?\Z")
"""A year behind a name, which a marker that prints the year would repeat."""
_LONGEST_DATE = 40
_GOES_ON_IN_TYPST = lazy_re(r"[\w\-]|[:.]+[\w\-]")
_LABEL_BEGUN = lazy_re(r"\blabel\([ \t]*\Z")
_LABEL_END = lazy_re(r"[ \t]*\)")
_LABEL_CALLED = lazy_re(r'\blabel\([ \t]*"\Z')
_NOTE = lazy_re(r"\{[^{}]*\}")
"""What a role of MyST has behind a key to be said with it: `{cite:p}`doe2020{p. 3}``."""
WRONG_COMMAS = ("，", "、", "；", ";")
"""What writers type for the comma of a list of keys, and what parts no keys there."""
_WRONG_SEPARATOR = lazy_re(rf"(?P<sign>[{''.join(WRONG_COMMAS)}])\s*\Z")
_WRONG_SEPARATOR_IN_BRACKETS = lazy_re(
    r"(?<![\^!])\[[^\[\]]*@(?:\{[^{}\n]*\}|[^\s\[\]{},;@]+)\s*(?P<sign>,)\s*(?:-?@)?\Z"
)
"""A comma where a semicolon parts keys: `[@a, @`, `[@a, `; in a footnote it parts what is said."""
_SEPARATED = lazy_re(r"-?@[\w{]")
_ATTACHED = lazy_re(f"[{EAST_ASIAN}]")


def insertion(
    manuscript: Manuscript,
    sentence: Sentence,
    keys: Sequence[str],
    document: Document,
    names: Names = UNNAMED,
) -> TextEdit:
    """Return the insertion that makes a sentence cite `keys`, of "" where it does.

    A new marker is in the style of most markers in all files of the draft (`document`), or else as
    the packages or the format suggest. It goes behind the first of the `names` that the sentence
    has, with those of the coauthors listed after it, or else before the full stop; in a draft whose
    markers follow stops and commas, behind the one there. Behind people it does not name them
    again. A marker that stands there already gets the keys that it lacks.
    """
    style = style_of(document, in_note=in_note(manuscript, sentence.start))
    offset, marker = citation_place(
        manuscript, sentence, names.ways, names.coauthors, behind_stops=style.behind_stops
    )
    edit = None if marker else _behind_people(manuscript, sentence, offset, keys, style, names)
    if edit is None:
        edit = _new_citation(manuscript, offset, marker, keys, style, sentence.end)
    if names.ways and edit.text and not adds_only_citations(manuscript, sentence, edit, keys):
        offset, marker = citation_place(manuscript, sentence, behind_stops=style.behind_stops)
        edit = _new_citation(manuscript, offset, marker, keys, style, sentence.end)
    return edit


def _behind_people(
    manuscript: Manuscript,
    sentence: Sentence,
    offset: int,
    keys: Sequence[str],
    style: Style,
    names: Names,
) -> TextEdit | None:
    """Return the citation of a paper behind the people whom a sentence names there, or None."""
    if len(keys) > 1 or offset != behind_name(manuscript, sentence, names.people, names.coauthors):
        return None
    if _DATED.search(manuscript.text, max(offset - _LONGEST_DATE, 0), offset):
        return None
    if _end_of_command(manuscript, offset) is not None:
        return None
    marker = marker_behind_names(style, keys[0])
    if not marker:
        return None
    return TextEdit.insertion(offset, space_before(style, manuscript.text, offset) + marker)


def _new_citation(
    manuscript: Manuscript,
    offset: int,
    marker: Marker | None,
    keys: Sequence[str],
    style: Style,
    end: int,
) -> TextEdit:
    """Return the insertion that makes a sentence that ends at `end` cite keys."""
    if marker is not None:
        return addition(manuscript, marker, keys, style.document)
    if (begun := _end_of_command(manuscript, offset)) is not None:
        return TextEdit.insertion(begun, f"{{{separator_of(style.files).join(keys)}}}")
    text, stop = manuscript.text, ""
    at_end = not style.behind_stops and end - 1 <= offset <= end and text[end - 1] == "."
    if at_end and is_shared(text[max(end - 24, 0) : end - 1]):
        offset, stop = end, "."
    citation = spaced_marker(style, text, offset, keys)
    if stop:
        return TextEdit.insertion(offset, citation + stop)
    return _parted_in_typst(manuscript, offset, keys, citation)


def _end_of_command(manuscript: Manuscript, offset: int) -> int | None:
    r"""Return the end of a citing command at an offset that has no braces yet: `\citep[see][]`."""
    if manuscript.format != "latex":
        return None
    text = manuscript.text
    before = _BEGUN.search(text, max(offset - _LONGEST_BEGUN, 0), offset)
    for begun in filter(None, (before, _BEGUN_BEHIND.match(text, offset))):
        if cite_command(begun["name"], manuscript.cite_commands):
            return begun.end()
    return None


def addition(
    manuscript: Manuscript,
    marker: Marker,
    keys: Sequence[str],
    document: Document,
) -> TextEdit:
    """Return the insertion that gives a marker those of `keys` that it lacks, maybe of ""."""
    keys = _missing_keys(manuscript, marker, keys)
    if not keys:
        return TextEdit.insertion(marker.end, "")
    if manuscript.format == "typst":
        if not marker.keys and marker.lists and len(keys) == 1 and is_plain_in_typst(keys[0]):
            return TextEdit.insertion(marker.lists[0][0], keys[0])
        if marker.command == "#cite" and not marker.keys and not marker.lists:  # #cite()
            calls = ") #cite(".join(map(typst_label, keys))
            return TextEdit.insertion(marker.end - 1, calls)
        added = "".join(f" {typst_key(key)}" for key in keys)
        return _parted_in_typst(manuscript, marker.end, keys, added)
    if manuscript.format == "markdown" and marker.command == "nocite" and marker.keys:
        added = "".join(f", {pandoc_key(key)}" for key in keys)
        return TextEdit.insertion(marker.keys[-1].end, added)
    empty = empty_keys(manuscript, marker, lambda key: True)
    hole = next((key.place for key in empty if key.place is not None), None)
    if marker.command.startswith("[cite"):
        return _addition_in_brackets(manuscript, marker, hole, [f"@{key}" for key in keys], ";")
    if marker.command in ("@", WIKI):
        command = PANDOC if marker.command == "@" else WIKI
        return TextEdit.insertion(marker.end, f" {marker_text(command, keys, '')}")
    if marker.command == PANDOC:
        pandoc_keys = list(map(pandoc_key, keys))
        return _addition_in_brackets(manuscript, marker, hole, pandoc_keys, "; ")
    if marker.keys and manuscript.text[marker.keys[-1].start - 1] == "&":
        closing = manuscript.text.find("]", marker.keys[-1].end, marker.end)
        place = max(closing, marker.keys[-1].end)
        return TextEdit.insertion(place, "".join(f";&{key}" for key in keys))
    separator = " " if is_tag(marker) else separator_of(document.files)
    if hole is not None:
        return TextEdit.insertion(hole, separator.join(keys))
    return _addition_in_list(manuscript.text, marker, keys, separator)


def _parted_in_typst(
    manuscript: Manuscript, offset: int, keys: Sequence[str], citation: str
) -> TextEdit:
    """Return the insertion of a citation, its last key parted from the text behind: `@key 提出`.

    Before a stop that emphasis ends with, it is a call, for a blank would stand before the stop.
    """
    goes_on = _GOES_ON_IN_TYPST.match(manuscript.text, offset)
    plain = f"@{keys[-1]}"
    if manuscript.format != "typst" or not goes_on or not citation.endswith(plain):
        return TextEdit.insertion(offset, citation)
    if goes_on.group()[0] in ".:":
        call = f"#cite({typst_label(keys[-1])})"
        return TextEdit.insertion(offset, citation.removesuffix(plain) + call)
    return TextEdit.insertion(offset, f"{citation} ")


def _addition_in_list(text: str, marker: Marker, keys: Sequence[str], separator: str) -> TextEdit:
    """Return the insertion of keys into a command that holds lists of them."""
    listed = separator.join(keys)
    empty = (start for start, end in marker.lists if text[start - 1 : end + 1] == "{}")
    if (start := next(empty, None)) is not None:
        return TextEdit.insertion(start, listed)
    if marker.keys:
        last = marker.keys[-1]
        if _gives_page(text, marker):
            return TextEdit.insertion(last.start, listed + separator)
        note = _NOTE.match(text, last.end, marker.end)
        return TextEdit.insertion(note.end() if note else last.end, separator + listed)
    start, end = marker.lists[-1]
    if is_computed(text, start, end):  # a macro stands for keys
        return TextEdit.insertion(end, separator + listed)
    return TextEdit.insertion(start, listed)


def _gives_page(text: str, marker: Marker) -> bool:
    r"""Whether the last key of a LaTeX command is the one that its note is on: `\cite[12]{a}`."""
    start, last = marker.lists[-1][0], marker.keys[-1].start
    before = text[marker.start : start].rstrip("{ \t\r\n")
    noted = before.endswith("]") and not before.endswith("[]")
    return noted and last >= start and text[last - 1] not in "*]"


def _missing_keys(manuscript: Manuscript, marker: Marker, keys: Sequence[str]) -> list[str]:
    """Return the keys, each once, that a citation lacks; `@a @b` is a single citation."""
    joined = manuscript.format == "typst" or marker.command in ("@", WIKI)
    markers = adjacent_markers(manuscript, marker) if joined else [marker]
    present = {key.text for neighbour in markers for key in neighbour.keys}
    return [key for key in dict.fromkeys(keys) if key not in present]


def _addition_in_brackets(
    manuscript: Manuscript, marker: Marker, hole: int | None, keys: list[str], separator: str
) -> TextEdit:
    """Return the insertion of keys with their `@` into a bracket, into a hole of it maybe."""
    added = separator.join(keys)
    if hole is None:
        end = marker.end - marker.closed
        parted = not marker.keys or manuscript.text[marker.start : end].rstrip().endswith(";")
        return TextEdit.insertion(end, added if parted else separator + added)
    before = manuscript.text[hole - 1]
    if before == "@":
        return TextEdit.insertion(hole, added.removeprefix("@"))
    return TextEdit.insertion(hole, " " * (before == ";") + added)


def key_edits(manuscript: Manuscript, site: CitationSite, key: str) -> tuple[TextEdit, ...]:
    """Return the edit that writes a key where it is being typed, and one before it, if any.

    Pandoc reads an unusual key in braces only, and Typst where it is given as a label, which takes
    the place of a string. A blank parts a key from a Chinese word behind it, which would be read as
    the rest of the key, and the separator of a list from the next one in it, as from one whose sign
    stands right behind. What stands before it and parts no keys there, such as a full-width comma,
    becomes what does.
    """
    key_text, before = _written_key(manuscript, site, key)
    edit = TextEdit(site.start, _replaced_end(manuscript, site, key), key_text)
    return (edit,) if before is None else (edit, before)


def _written_key(
    manuscript: Manuscript, site: CitationSite, key: str
) -> tuple[str, TextEdit | None]:
    """Return how a key is written, and the edit of what stands before it."""
    text, sign = manuscript.text, manuscript.text[site.start - 1 : site.start]
    separator = _separator_before(manuscript, site)
    if site.ahead and not is_tag(site.marker):
        parted = text[site.end : site.end + 1].isspace()
        return key + ("," if parted else separator_of((manuscript,))), separator
    if site.ahead:
        return f"{key} ", None
    if sign == "{" and text.endswith("@", 0, site.start - 1):
        return key if text.startswith("}", site.end) else f"{key}}}", None
    if _becomes_label(manuscript, site, key):
        return typst_label(key), TextEdit(site.start - 1, site.start, "")
    if sign in (":", ";", " ") and site.marker.command.startswith("[cite"):
        behind = ";" if text.startswith("@", site.end) else ""
        linked = text.endswith("[", 0, site.marker.start)
        return key if linked else f"@{key}{behind}", separator
    if begins_label(manuscript, site):
        return f"{typst_string(key)})", None
    if sign in "( \t" and site.marker.command == "#cite" and not site.marker.lists:
        return typst_label(key), None
    if sign != "@":
        return pandoc_key(key) if site.marker.command == PANDOC else key, separator
    if manuscript.format == "typst" and not is_plain_in_typst(key):
        return typst_key(key), TextEdit(site.start - 1, site.start, "")
    key_behind = _SEPARATED.match(text, site.end) is not None
    key_text = pandoc_key(key).removeprefix("@") if manuscript.format == "markdown" else key
    if key_text == key and _ATTACHED.match(text, site.end):
        return f"{key} ", separator
    if key_behind:
        key_text += _parting(text, site)
    return key_text, separator


def _parting(text: str, site: CitationSite) -> str:
    """Return what parts a key from the one whose sign stands right behind it."""
    if site.marker.command.startswith("[cite"):
        return ";"
    line = text.rfind("\n", 0, site.start) + 1
    opened = text.rfind("[", line, site.start) > text.rfind("]", line, site.start)
    return "; " if opened or site.marker.command == PANDOC else " "


def _separator_before(manuscript: Manuscript, site: CitationSite) -> TextEdit | None:
    """Return the edit of what parts the key before a site from it, and should not."""
    text, marker = manuscript.text, site.marker
    lists = (start for start, end in marker.lists if start < site.start <= end)
    if (start := next(lists, None)) is not None:
        if manuscript.format == "typst" or is_tag(marker):
            return None
        wrong = _WRONG_SEPARATOR.search(text, start, site.start)
        if wrong and wrong["sign"] == ";" and is_role(marker):
            return None
        within = next((key for key in marker.keys if key.start < site.start <= key.end), None)
        if within and not wrong:
            before = len(text[: site.start].rstrip())
            parted = ", ".join(text[within.start : before].split())
            return TextEdit(within.start, before, f"{parted},")
        return TextEdit(*wrong.span("sign"), ",") if wrong else None
    unclosed = marker.command == "@" and not CLOSED_LATER.match(text, site.end)
    if unclosed or marker.command == PANDOC or marker.command.startswith("[cite"):
        start = max(site.start - _LONGEST_BEGUN, 0)
        wrong = _WRONG_SEPARATOR_IN_BRACKETS.search(text, start, site.start)
        return TextEdit(*wrong.span("sign"), ";") if wrong else None
    return None


def _replaced_end(manuscript: Manuscript, site: CitationSite, key: str) -> int:
    """Return the end of the range that a key replaces.

    What closes a label of Typst, or a string for one, goes with what opens it, and with a name that
    is typed its year.
    """
    if (end := end_in_words(manuscript.text, site)) > site.end:
        return end
    if begins_label(manuscript, site):
        bracket = _LABEL_END.match(manuscript.text, site.end)
        return bracket.end() if bracket else site.end
    closing = '"' if manuscript.text[site.start - 1] == '"' else ">"
    closed = manuscript.text.startswith(closing, site.end)
    return site.end + (closed and _becomes_label(manuscript, site, key))


def _becomes_label(manuscript: Manuscript, site: CitationSite, key: str) -> bool:
    """Whether a key is typed behind the `<` of Typst where it cannot stand, or in a string."""
    if manuscript.format != "typst":
        return False
    if manuscript.text[site.start - 1 : site.start] == "<":
        return not is_plain_in_typst(key)
    return is_cited_as_string(manuscript, site.marker, site.start)


def begins_label(manuscript: Manuscript, site: CitationSite) -> bool:
    """Whether a key is typed behind `#cite(label(`, with no quote before it."""
    if manuscript.format != "typst" or site.marker.command != "#cite":
        return False
    return _LABEL_BEGUN.search(manuscript.text, site.marker.start, site.start) is not None


def is_cited_as_string(manuscript: Manuscript, marker: Marker, start: int) -> bool:
    """Whether a key is given to `#cite` of Typst as a string, which takes a label.

    Several strings are left alone: they are of the first versions of Typst, which took them.
    """
    lists = [begin for begin, _ in marker.lists]
    if manuscript.format != "typst" or marker.command != "#cite" or lists != [start]:
        return False
    before = manuscript.text[marker.start : start]
    return before.endswith('"') and _LABEL_CALLED.search(before) is None


def key_replacement(manuscript: Manuscript, place: MarkerKey, key: str) -> TextEdit:
    """Return the edit that puts another key in the place of one."""
    site = site_at(manuscript, place.end)
    if site is None or site.start != place.start:
        return TextEdit(place.start, place.end, key)
    return replacement_at(manuscript, evolve(site, end=place.end), key)


def replacement_at(manuscript: Manuscript, site: CitationSite, key: str) -> TextEdit:
    """Return the one edit that writes a key where it is being typed."""
    edit, *others = key_edits(manuscript, site, key)
    for before in others:
        between = manuscript.text[before.end : edit.start]
        edit = TextEdit(before.start, edit.end, before.text + between + edit.text)
    return edit
