"""The citation style of a draft, by most of its markers; new markers and keys in that style."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from cite_lsp.language import UNSPACED
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.edit.placement import CLOSERS, FULL_STOPS, follow_full_stops
from cite_lsp.manuscript.latex.commands.citation_commands import cite_command
from cite_lsp.manuscript.latex.commands.packages import loaded_files
from cite_lsp.manuscript.latex.superscript import raised_by, raised_span
from cite_lsp.manuscript.markdown.liquid import CITE, CITET
from cite_lsp.manuscript.model import Marker

PANDOC = "[@]"
WIKI = "[[@]]"
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
    "svolcite": "smartcite",
    "@": PANDOC,
    "{cite:t}": "{cite:p}",
    ":citet:": ":citep:",
    CITET: CITE,
    "citet:": "citep:",
    "[cite/t]": _ORG,
}
_NAMING = {
    "citet": "citet",
    "citep": "citet",
    "textcite": "textcite",
    "parencite": "textcite",
    "autocite": "textcite",
    "smartcite": "textcite",
    "natbib.sty": "citet",
    "biblatex.sty": "textcite",
    "biblatex-chicago.sty": "textcite",
}
"""What prints the names in the sentence and the rest in parentheses, by what a draft cites with."""
_NAMING_ROLES = {"{cite:p}": "{cite:t}", ":citep:": ":citet:", "citep:": "citet:", CITE: CITET}
"""The same in MyST, Sphinx, org-ref and jekyll-scholar."""
_YEAR_COMMANDS = {"citet": "citeyearpar", "textcite": "parencite*"}
"""What prints the year alone, in parentheses, by what prints the names."""
_NUMBERED = lazy_re(
    r"^[^%\n]*\\(?:usepackage|setcitestyle|documentclass)[^\n]*[\[{, ](?:numbers|super)\b",
    re.MULTILINE,
)
_NOTES = frozenset(("footcite", "supercite", "smartcite", "upcite"))
_TAKING_NOTES = frozenset(("citep", "parencite", "autocite", "smartcite", "footcite"))
"""Commands that take notes in brackets, `[before][after]`, and print them with their keys."""
_COMMAND_OF_PACKAGE = {
    "natbib.sty": "citep",
    "biblatex.sty": "autocite",
    "biblatex-chicago.sty": "autocite",
}
_PLAIN_PANDOC_KEY = lazy_re(r"\w(?:[:.#$%&\-+?<>~/]?\w)*")
_PLAIN_TYPST_KEY = lazy_re(r"[\w\-:.]*[\w\-]")
_TIES = "~\u00a0\u202f"
_PUNCTUATION = f"{FULL_STOPS}{CLOSERS},，、"
_AFTER_WORDS = f"{_PUNCTUATION}$`"
"""What a word may end with before a marker that follows without a blank."""
_ENDING_WIDE = lazy_re(f"[{UNSPACED}\u3000-\u303f\uff00-\uffef][”’]{{0,2}}\\Z")
"""The end of a text in a script without blanks, whose quotation marks are those of others."""
_FURTHEST_BEFORE = 3


@frozen
class Style:
    """How a draft cites: the command, the markers so written, and whether behind full stops.

    `around` is what most of them stand in, so that they are raised.
    """

    files: tuple[Manuscript, ...]
    format: str
    command: str
    markers: tuple[tuple[Manuscript, Marker], ...]
    behind_stops: bool
    around: tuple[str, str] = ("", "")


@frozen
class NotedKey:
    """A key, and what is said `before` and `after` it: "see", "p. 3"."""

    key: str
    before: str
    after: str


def style_of(document: Sequence[Manuscript]) -> Style:
    """Return the citation style of a draft that has these files (at least one)."""
    files = tuple(document)
    format = files[0].format
    command = _command(files, format)
    markers = tuple(
        (file, marker)
        for file in files
        for marker in file.markers
        if marker.command.rstrip("*").removesuffix("s") == command.removesuffix("s")
    )
    around = Counter(raised_by(file.text, marker) for file, marker in markers).most_common(1)
    raising = around[0][0] if around else ("", "")
    return Style(files, format, command, markers, follow_full_stops(markers), raising)


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
    behind_words = (
        _space_at(file.text, raised_span(file.text, marker)[0]) for file, marker in style.markers
    )
    seen = Counter(blank for blank in behind_words if blank is not None)
    usual = seen.most_common(1)[0][0] if seen else None
    if _ENDING_WIDE.search(text, max(offset - _FURTHEST_BEFORE, 0), offset):
        return "" if usual in (None, " ") else usual
    if usual is not None:
        return usual
    if style.command in _NOTES:
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


def noted_marker(style: Style, cited: Sequence[NotedKey]) -> str:
    r"""Return a new marker with what is said with its keys: `\citep[see][p. 3]{key}`.

    It is "" where none is known that takes that: in LaTeX `\cite` alone takes nothing before its
    key, natbib's only what is before the first and behind the last one, and in Typst nothing does.
    """
    keys = [noted.key for noted in cited]
    if not any(noted.before or noted.after for noted in cited):
        return new_marker(style, keys)
    if style.command == PANDOC:
        return f"[{'; '.join(map(_noted_in_pandoc, cited))}]"
    if style.command.startswith("[cite"):
        return f"{style.command[:-1]}:{_noted_in_org(cited)}]"
    if style.format == "typst":
        if any(noted.before or not is_plain_in_typst(noted.key) for noted in cited):
            return ""
        return " ".join(f"@{key.key}{f'[{key.after}]' if key.after else ''}" for key in cited)
    if style.format != "latex" or any(style.command in file.cite_commands for file in style.files):
        return ""
    return _noted_in_latex(style, cited)


def _noted_in_pandoc(noted: NotedKey) -> str:
    before = f"{noted.before} " if noted.before else ""
    return f"{before}{pandoc_key(noted.key)}{', ' * bool(noted.after)}{noted.after}"


def _noted_in_org(cited: Sequence[NotedKey]) -> str:
    said = (filter(None, (noted.before, f"@{noted.key}", noted.after)) for noted in cited)
    return ";".join(map(" ".join, said))


def _noted_in_latex(style: Style, cited: Sequence[NotedKey]) -> str:
    command, first, last = style.command.lower(), cited[0], cited[-1]
    if command not in _TAKING_NOTES:
        takes_none = first.before and not textual_marker(style, cited[:1])
        if command != "cite" or len(cited) > 1 or takes_none:
            return ""
    if len(cited) > 1 and command != "citep":
        return f"\\{style.command}s{''.join(map(_noted_key, cited))}"
    if any(noted.before for noted in cited[1:]) or any(noted.after for noted in cited[:-1]):
        return ""
    keys = separator_of(style.files).join(noted.key for noted in cited)
    return f"\\{style.command}{_noted_key(NotedKey(keys, first.before, last.after))}"


def _noted_key(noted: NotedKey) -> str:
    before = f"[{noted.before}]" if noted.before else ""
    return f"{before}{f'[{noted.after}]' if before or noted.after else ''}{{{noted.key}}}"


def textual_marker(style: Style, cited: Sequence[NotedKey]) -> str:
    r"""Return a marker that prints the names as words of the sentence: `\citet[p. 3]{key}`.

    Several keys are of the same people, whom it prints once. It is "" where it is not known what
    does so: in LaTeX, MyST and org-ref with `cite` alone, and in the latter two with a note.
    """
    if style.command == PANDOC:
        return _textual_in_pandoc(cited)
    if style.format == "typst" and len(cited) > 1:
        return _textual_in_typst(cited)
    if style.command.startswith("[cite"):
        return f"[cite/t:{_noted_in_org(cited)}]"
    keys, after = [noted.key for noted in cited], cited[-1].after
    notes_between = any(noted.after for noted in cited[:-1])
    if style.format == "latex":
        command = _naming_command(style)
        if notes_between:
            several = "".join(map(_noted_key, cited))
            return f"\\textcites{several}" if command == "textcite" else ""
        note = f"[{after}]" if after else ""
        return f"\\{command}{note}{{{separator_of(style.files).join(keys)}}}" if command else ""
    if notes_between:
        return ""
    if naming := _NAMING_ROLES.get(style.command):
        return "" if after else new_marker(evolve(style, command=naming), keys)
    if style.format != "typst":
        return ""
    supplement = f", supplement: [{after}]" if after else ""
    return f'#cite({typst_label(keys[0])}, form: "prose"{supplement})'


def _naming_command(style: Style) -> str:
    """Return the command of LaTeX that prints names in the sentence, "" where none is known."""
    used = (marker.command.rstrip("*").lower() for file in style.files for marker in file.markers)
    loaded = (name for file in style.files for name in loaded_files(file.text))
    return next(filter(None, map(_NAMING.get, (*used, *loaded))), "")


def year_marker(style: Style, cited: Sequence[NotedKey]) -> str:
    r"""Return a marker that prints years in parentheses: `Doe's \citeyearpar{key}`, `[-@key]`.

    It is "" where it is not known what does so: in LaTeX also with numbers in place of names.
    """
    if style.command == PANDOC:
        return f"[{'; '.join(f'-{_noted_in_pandoc(noted)}' for noted in cited)}]"
    if style.command.startswith("[cite"):
        return f"[cite/na:{_noted_in_org(cited)}]"
    if style.format == "typst":
        return f"({_years_in_typst(cited)})"
    command = _YEAR_COMMANDS.get(_naming_command(style)) if style.format == "latex" else None
    if not command or len(cited) > 1 or any(_NUMBERED.search(file.text) for file in style.files):
        return ""
    return f"\\{command}{_noted_key(cited[0])}"


def _textual_in_typst(cited: Sequence[NotedKey]) -> str:
    """Return the same for several keys in Typst, which has no form for it: names, then years."""
    return f'#cite({typst_label(cited[0].key)}, form: "author") ({_years_in_typst(cited)})'


def _years_in_typst(cited: Sequence[NotedKey]) -> str:
    return ", ".join(
        f'#cite({typst_label(noted.key)}, form: "year"){", " * bool(noted.after)}{noted.after}'
        for noted in cited
    )


def _textual_in_pandoc(cited: Sequence[NotedKey]) -> str:
    """Return the same in Pandoc, with the years of further works in a bracket: `@a [p. 3; -@b]`."""
    first, *more = cited
    years = (f"-{_noted_in_pandoc(evolve(noted, before=''))}" for noted in more)
    behind = "; ".join(filter(None, (first.after, *years)))
    return f"{pandoc_key(first.key)}{f' [{behind}]' if behind else ''}"


def prints_names(manuscript: Manuscript, marker: Marker) -> bool:
    """Whether a marker prints names as words of the sentence."""
    command = marker.command.rstrip("*").lower().removesuffix("s")
    if command == "@":
        return manuscript.format != "typst"
    return command in (*_NAMING.values(), *_NAMING_ROLES.values(), "[cite/t]")


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


def marker_text(command: str, keys: Sequence[str], separator: str) -> str:
    """Return a marker: a command and its keys, which in a list the separator parts."""
    if command == PANDOC:
        return f"[{'; '.join(pandoc_key(key) for key in keys)}]"
    if command == WIKI:
        return " ".join(f"[[@{key}]]" for key in keys)
    if command == "@":
        return " ".join(typst_key(key) for key in keys)
    if command.startswith("[cite"):
        return f"{command[:-1]}:{';'.join(f'@{key}' for key in keys)}]"
    if command in (CITE, CITET):
        return command.replace(" %}", f" {' '.join(keys)} %}}")
    if command[0] in "{:":
        return f"{command}`{separator.join(keys)}`"
    return f"\\{command}{{{separator.join(keys)}}}"


def separator_of(files: Iterable[Manuscript]) -> str:
    """Return what stands between two keys in most markers of the draft."""
    seen = Counter(
        file.text[first.end : second.start]
        for file in files
        for marker in file.markers
        if marker.command not in ("@", PANDOC) and not marker.command.startswith(("[cite", "{%"))
        for first, second in zip(marker.keys, marker.keys[1:], strict=False)
    )
    tight, loose = seen[","], seen[", "]
    return ", " if loose > tight else ","


def pandoc_key(key: str) -> str:
    """Return a key with its sign; Pandoc reads an unusual key in braces only."""
    return f"@{key}" if _PLAIN_PANDOC_KEY.fullmatch(key) else f"@{{{key}}}"


def typst_key(key: str) -> str:
    """Return what cites a key in Typst."""
    return f"@{key}" if is_plain_in_typst(key) else f"#cite({typst_label(key)})"


def typst_label(key: str) -> str:
    """Return a key as an argument in Typst; an unusual key cannot stand between signs: `<a/b>`."""
    if is_plain_in_typst(key):
        return f"<{key}>"
    return f"label({typst_string(key)})"


def typst_string(key: str) -> str:
    """Return a key as a string in Typst."""
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


def is_plain_in_typst(key: str) -> bool:
    """Whether a key can stand behind a sign, and need not be given as a label."""
    return _PLAIN_TYPST_KEY.fullmatch(key) is not None
