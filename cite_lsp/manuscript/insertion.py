"""Where and how a citation is written into a draft: the text edit behind "Cite: …".

A new marker goes before the punctuation that ends its sentence, or behind it where the draft's do,
in the style the draft cites in most; a key is added to a marker behind those that stand there, but
before one that a page is given of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from attrs import frozen

from cite_lsp.language import EAST_ASIAN, UNSPACED
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.citation_commands import cite_command
from cite_lsp.manuscript.layout import Span
from cite_lsp.manuscript.liquid import CITE, is_tag
from cite_lsp.manuscript.loading import loaded_files
from cite_lsp.manuscript.model import CitationSite, Marker, Sentence
from cite_lsp.manuscript.placement import (
    CLOSERS,
    FULL_STOPS,
    place_of,
    side_by_side,
    stand_behind_stops,
    takes,
)

_PANDOC = "[@]"
_WIKI = "[[@]]"
_ORG = "[cite]"
_SIGNS = {"typst": "@", "org": _ORG}
"""What cites in a format that has one usual way of it."""
# Commands that put the whole citation in parentheses or a note, so that a sentence can end with
# one: those of LaTeX, natbib and biblatex, and what people call their own (\upcite, \mycite).
_PARENTHETICAL = re.compile(
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
    "svolcite": "smartcite",
    "@": _PANDOC,
    "{cite:t}": "{cite:p}",
    ":citet:": ":citep:",
    "citet:": "citep:",
    "[cite/t]": _ORG,
}
_NOTES = frozenset(("footcite", "supercite", "smartcite", "upcite"))
_COMMAND_OF_PACKAGE = {
    "natbib.sty": "citep",
    "biblatex.sty": "autocite",
    "biblatex-chicago.sty": "autocite",
}

_PLAIN_PANDOC_KEY = re.compile(r"\w(?:[:.#$%&\-+?<>~/]?\w)*")
_PLAIN_TYPST_KEY = re.compile(r"[\w\-:.]*[\w\-]")
_BEGUN = re.compile(r"(?<!\\)\\([A-Za-z@]+)\*?(?:\[[^\[\]]*\])*\Z")
_LONGEST_BEGUN = 100
_GOES_ON_IN_TYPST = re.compile(r"[\w\-]|[:.]+[\w\-]")
_NOTE = re.compile(r"\{[^{}]*\}")
"""What a role of MyST has behind a key to be said with it: `{cite:p}`doe2020{p. 3}``."""
_TIES = "~\u00a0\u202f"
_PUNCTUATION = f"{FULL_STOPS}{CLOSERS},，、"
_AFTER_WORDS = f"{_PUNCTUATION}$`"
"""What a word may end with before a marker that follows without a blank."""
_ATTACHED = re.compile(f"[{EAST_ASIAN}]")
_WIDE = re.compile(f"[{UNSPACED}\u3000-\u303f\uff00-\uffef]")


def insertion(
    manuscript: Manuscript,
    sentence: Sentence,
    keys: Sequence[str],
    document: Sequence[Manuscript] = (),
    named: Sequence[str] = (),
) -> tuple[int, str]:
    """Return where a sentence is made to cite `keys`, and the text that does so.

    A new marker is in the style of most markers in all files of the draft (`document`), the
    command and what stands between it and the word before; without any it is what the packages or
    the format suggest. It goes behind what it cites, where the sentence has one of the names
    `named`, or else before the full stop; in a draft whose markers follow stops and commas, behind
    the one that stands there. A marker that stands there already gets the keys that it lacks. The
    text is empty where it lacks none.
    """
    style = style_of(document or (manuscript,))
    offset, marker = place_of(manuscript, sentence, named, behind_stops=style.behind_stops)
    written = _written(manuscript, offset, marker, keys, style)
    if named and written[1] and not takes(manuscript, sentence, *written, keys):
        offset, marker = place_of(manuscript, sentence, behind_stops=style.behind_stops)
        written = _written(manuscript, offset, marker, keys, style)
    return written


@frozen
class Style:
    """How a draft cites: the command, the markers so written, and whether behind full stops."""

    files: tuple[Manuscript, ...]
    format: str
    command: str
    markers: tuple[tuple[Manuscript, Marker], ...]
    behind_stops: bool


def style_of(document: Sequence[Manuscript]) -> Style:
    """Return how a draft cites that has these files, at least one."""
    files = tuple(document)
    format = files[0].format
    command = _command(files, format)
    markers = tuple(
        (file, marker)
        for file in files
        for marker in file.markers
        if marker.command.rstrip("*").removesuffix("s") == command.removesuffix("s")
    )
    return Style(files, format, command, markers, stand_behind_stops(markers))


def _written(
    manuscript: Manuscript,
    offset: int,
    marker: Marker | None,
    keys: Sequence[str],
    style: Style,
) -> tuple[int, str]:
    if marker is not None:
        return addition(manuscript, marker, keys, style.files)
    if _ends_with_command(manuscript, offset):
        return offset, f"{{{_separator(style.files).join(keys)}}}"
    return offset, parted(style, manuscript.text[:offset][-1:], keys)


def parted(style: Style, before: str, keys: Sequence[str]) -> str:
    """Return a new marker of a draft with what parts it from the character before it."""
    return _glue(style, before) + new_marker(style, keys)


def new_marker(style: Style, keys: Sequence[str]) -> str:
    """Return a new marker in the style of a draft."""
    if style.command.endswith(":") and style.command[0] != ":":
        return _org_ref(style, keys)
    return _marker(style.command, keys, _separator(style.files))


def _ends_with_command(manuscript: Manuscript, offset: int) -> bool:
    r"""Whether a citing command stands before an offset that has no braces yet: `\citep[see][]`."""
    found = manuscript.format == "latex" and _BEGUN.search(
        manuscript.text, max(offset - _LONGEST_BEGUN, 0), offset
    )
    return bool(found and cite_command(found[1], manuscript.cite_commands))


def addition(
    manuscript: Manuscript,
    marker: Marker,
    keys: Sequence[str],
    document: Sequence[Manuscript] = (),
) -> tuple[int, str]:
    """Return where `keys` are added to a marker that takes keys, and the text that adds them.

    Those that it has already are left out; where it has all, the text is empty.
    """
    keys = _lacking(manuscript, marker, keys)
    if not keys:
        return marker.end, ""
    if manuscript.format == "typst":
        if not marker.keys and marker.lists and len(keys) == 1 and _plain_in_typst(keys[0]):
            return marker.lists[0][0], keys[0]
        goes_on = _GOES_ON_IN_TYPST.match(manuscript.text, marker.end)
        behind = " " if goes_on and _plain_in_typst(keys[-1]) else ""
        return marker.end, "".join(f" {_typst(key)}" for key in keys) + behind
    if manuscript.format == "markdown" and marker.command == "nocite" and marker.keys:
        return marker.keys[-1].end, "".join(f", {_pandoc(key)}" for key in keys)
    if marker.command.startswith("[cite"):
        return _addition_in_brackets(manuscript, marker, [f"@{key}" for key in keys], ";")
    if marker.command in ("@", _WIKI):
        command = _PANDOC if marker.command == "@" else _WIKI
        return marker.end, f" {_marker(command, keys, '')}"
    if marker.command == _PANDOC:
        return _addition_in_brackets(manuscript, marker, list(map(_pandoc, keys)), "; ")
    if marker.keys and manuscript.text[marker.keys[-1].start - 1] == "&":
        closing = manuscript.text.find("]", marker.keys[-1].end, marker.end)
        return max(closing, marker.keys[-1].end), "".join(f";&{key}" for key in keys)
    separator = " " if is_tag(marker) else _separator(tuple(document) or (manuscript,))
    return _addition_in_list(manuscript.text, marker, keys, separator)


def _addition_in_list(
    text: str, marker: Marker, keys: Sequence[str], separator: str
) -> tuple[int, str]:
    """Return where keys go in a command that holds lists of them, and the text for them."""
    empty = (start for start, end in marker.lists if text[start - 1 : end + 1] == "{}")
    if (start := next(empty, None)) is not None:
        return start, separator.join(keys)
    if marker.keys:
        last = marker.keys[-1]
        if _gives_page(text, marker):
            return last.start, "".join(key + separator for key in keys)
        note = _NOTE.match(text, last.end, marker.end)
        return note.end() if note else last.end, "".join(separator + key for key in keys)
    start, end = marker.lists[-1]
    if text[start:end].strip():  # a macro stands for keys
        return end, "".join(separator + key for key in keys)
    return start, separator.join(keys)


def _gives_page(text: str, marker: Marker) -> bool:
    r"""Whether the last key of a LaTeX command is the one that its note is on: `\cite[12]{a}`."""
    start, last = marker.lists[-1][0], marker.keys[-1].start
    before = text[marker.start : start].rstrip("{ \t\r\n")
    noted = before.endswith("]") and not before.endswith("[]")
    return noted and last >= start and text[last - 1] not in "*]"


def _lacking(manuscript: Manuscript, marker: Marker, keys: Sequence[str]) -> list[str]:
    """Return the keys, each once, that a citation lacks; in `@a @b` the markers are one."""
    joined = manuscript.format == "typst" or marker.command in ("@", _WIKI)
    markers = side_by_side(manuscript, marker) if joined else [marker]
    held = {key.text for one in markers for key in one.keys}
    return [key for key in dict.fromkeys(keys) if key not in held]


def spelled(manuscript: Manuscript, site: CitationSite, key: str) -> tuple[str, Span | None]:
    """Return how a key is written where it is being typed, and the sign before it that must go.

    Pandoc reads an unusual key in braces only, and Typst where it is given as a label. A blank
    parts a key from a Chinese word behind it, which would be read as the rest of the key.
    """
    text, sign = manuscript.text, manuscript.text[site.start - 1 : site.start]
    if sign == "{" and text.endswith("@", 0, site.start - 1):
        return key if text.startswith("}", site.end) else f"{key}}}", None
    if sign == ":" and site.marker.command.startswith("[cite"):
        return f"@{key}", None
    if sign != "@":
        return key, None
    if manuscript.format == "typst" and not _plain_in_typst(key):
        return _typst(key), (site.start - 1, site.start)
    written = _pandoc(key).removeprefix("@") if manuscript.format == "markdown" else key
    if written == key and _ATTACHED.match(text, site.end):
        return f"{key} ", None
    return written, None


def _addition_in_brackets(
    manuscript: Manuscript, marker: Marker, keys: list[str], separator: str
) -> tuple[int, str]:
    """Return where keys, each with its `@`, go at the end of a bracket, and the text for them."""
    end = marker.end - marker.closed
    added = separator.join(keys)
    if manuscript.text.endswith("@", marker.start, end):  # one has been begun and not named yet
        return end, added.removeprefix("@")
    return end, f"{separator if marker.keys else ''}{added}"


def _command(files: Sequence[Manuscript], format: str) -> str:
    if format == "typst":
        return "@"
    used = Counter(marker.command.rstrip("*") for file in files for marker in file.markers)
    parenthetical = Counter(
        command
        for file in files
        for marker in file.markers
        if _parenthetical(command := marker.command.rstrip("*")) and _only_keys(file, marker)
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
        return _SIGNS.get(format, _PANDOC)
    loaded = (name for file in files for name in loaded_files(file.text))
    return next(filter(None, map(_COMMAND_OF_PACKAGE.get, loaded)), "cite")


def _parenthetical(command: str) -> bool:
    command = command.lower()
    return _PARENTHETICAL.fullmatch(command) is not None and command not in _TEXTUAL


def _only_keys(file: Manuscript, marker: Marker) -> bool:
    """Whether a marker is made of keys alone: a new one has no volume or page to go with them."""
    command = cite_command(marker.command.rstrip("*"), file.cite_commands)
    if command is not None and (command.before or command.after):
        return False
    return not file.text.startswith("{", marker.end)


def _glue(style: Style, before: str) -> str:
    """Return what goes between the word before and the marker: a tie, a blank or nothing."""
    if before.isspace() or not before or (style.behind_stops and before in _PUNCTUATION):
        return ""
    behind_words = (_glue_before(file.text, marker.start) for file, marker in style.markers)
    seen = Counter(glue for glue in behind_words if glue is not None)
    usual = seen.most_common(1)[0][0] if seen else None
    if _WIDE.match(before):
        return "" if usual in (None, " ") else usual
    if usual is not None:
        return usual
    if style.command in _NOTES:
        return ""
    return "~" if style.format == "latex" else " "


def _glue_before(text: str, start: int) -> str | None:
    """Return what parts a marker from the word before, None behind what opens a bracket or note."""
    if text.endswith("\\,", 0, start):
        return "\\,"
    before = text[start - 1 : start]
    if not before or before in _TIES:
        return before or None
    if before.isspace():
        return " "
    return "" if before.isalnum() or before in _AFTER_WORDS else None


def _separator(files: Iterable[Manuscript]) -> str:
    """Return what stands between two keys in most markers of the draft."""
    seen = Counter(
        file.text[first.end : second.start]
        for file in files
        for marker in file.markers
        if marker.command not in ("@", _PANDOC) and not marker.command.startswith(("[cite", "{%"))
        for first, second in zip(marker.keys, marker.keys[1:], strict=False)
    )
    tight, loose = seen[","], seen[", "]
    return ", " if loose > tight else ","


def _marker(command: str, keys: Sequence[str], separator: str) -> str:
    if command == _PANDOC:
        return f"[{'; '.join(_pandoc(key) for key in keys)}]"
    if command == _WIKI:
        return " ".join(f"[[@{key}]]" for key in keys)
    if command == "@":
        return " ".join(_typst(key) for key in keys)
    if command.startswith("[cite"):
        return f"{command[:-1]}:{';'.join(f'@{key}' for key in keys)}]"
    if command == CITE:
        return command.replace("cite", f"cite {' '.join(keys)}")
    if command[0] in "{:":
        return f"{command}`{separator.join(keys)}`"
    return f"\\{command}{{{separator.join(keys)}}}"


def _org_ref(style: Style, keys: Sequence[str]) -> str:
    """Return a marker of org-ref: as a link or not, its keys with a sign or not, as most have."""
    seen = Counter(
        (file.text.startswith("[[", marker.start), file.text[marker.keys[0].start - 1] == "&")
        for file in style.files
        for marker in file.markers
        if marker.command.endswith(":") and marker.keys
    )
    linked, signed = seen.most_common(1)[0][0] if seen else (False, False)
    written = style.command + (";".join(f"&{key}" for key in keys) if signed else ",".join(keys))
    return f"[[{written}]]" if linked else written


def _pandoc(key: str) -> str:
    return f"@{key}" if _PLAIN_PANDOC_KEY.fullmatch(key) else f"@{{{key}}}"


def _plain_in_typst(key: str) -> bool:
    return _PLAIN_TYPST_KEY.fullmatch(key) is not None


def _typst(key: str) -> str:
    return f"@{key}" if _plain_in_typst(key) else f'#cite(label("{key}"))'
