"""Where and how a citation is written into a draft: the text edit behind "Cite: …".

A new marker goes before the punctuation that ends its sentence, in the style the draft cites in
most; a key is added to a marker behind those that stand there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.model import Marker, Sentence

_PANDOC = "[@]"
_ORG = "[cite]"
_SIGNS = {"typst": "@", "org": _ORG}
"""What cites in a format that has one usual way of it."""
# Commands that put the whole citation in parentheses or a note, so that a sentence can end with
# one: those of LaTeX, natbib and biblatex, and what people call their own (\upcite, \mycite).
_PARENTHETICAL = re.compile(
    r"[a-z]*cites?:?|citep:?|\[@\]|\[cite(?:/p[\w/-]*)?\]|\{cite(?::p)?\}|:cite(?:p)?:"
)
_TEXTUAL = frozenset("nocite textcite textcites fullcite footfullcite notecite pnotecite".split())
_COUNTERPART = {
    "citet": "citep",
    "textcite": "parencite",
    "@": _PANDOC,
    "{cite:t}": "{cite:p}",
    ":citet:": ":citep:",
    "citet:": "citep:",
    "[cite/t]": _ORG,
}
_NOTES = frozenset(("footcite", "supercite", "smartcite", "upcite"))
_PACKAGE = re.compile(r"\\usepackage\s*(?:\[[^\]]*\])?\s*\{[^}]*\b(natbib|biblatex)\b")
_COMMAND_OF_PACKAGE = {"natbib": "citep", "biblatex": "autocite"}

_FULL_STOPS = ".!?…。！？．；;:："
_CLOSERS = "\"'”’)]}）】」』»*_"
_FOOTNOTE = re.compile(r"\\footnote(?:mark|text)?\s*(?:\[[^\]]*\])?\s*(?=\{)")
_FOOTNOTE_REFERENCE = re.compile(r"\[\^[^\]\s]+\]$|\\footnotemark(?:\[[^\]]*\])?$")
_PLAIN_PANDOC_KEY = re.compile(r"\w(?:[:.#$%&\-+?<>~/]?\w)*")
_PLAIN_TYPST_KEY = re.compile(r"[\w\-:.]*[\w\-]")
_WIDE = re.compile(r"[\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%")


def insertion(
    manuscript: Manuscript,
    sentence: Sentence,
    keys: Sequence[str],
    document: Sequence[Manuscript] = (),
) -> tuple[int, str]:
    """Return where a new marker goes that cites `keys` for a sentence, and its text.

    The style is that of most markers in all files of the draft (`document`), the command and what
    stands between it and the word before; without any it is what the packages or the format
    suggest.
    """
    files = tuple(document) or (manuscript,)
    command = _command(files, manuscript.format)
    offset = _before_full_stop(manuscript, sentence)
    glue = _glue(files, command, manuscript.text[:offset][-1:])
    return offset, glue + _marker(command, keys, _separator(files))


def addition(
    manuscript: Manuscript,
    marker: Marker,
    keys: Sequence[str],
    document: Sequence[Manuscript] = (),
) -> tuple[int, str]:
    """Return where `keys` are added to a marker, and the text that adds them."""
    if manuscript.format == "typst":
        return marker.end, "".join(f" {_typst(key)}" for key in keys)
    if marker.command.startswith("[cite"):
        added = ";".join(f"@{key}" for key in keys)
        return marker.end - marker.closed, f"{';' if marker.keys else ''}{added}"
    if marker.command == "@":
        return marker.end, f" {_marker(_PANDOC, keys, '')}"
    if marker.command == _PANDOC:
        added = "; ".join(map(_pandoc, keys))
        return marker.end - marker.closed, f"{'; ' if marker.keys else ''}{added}"
    if marker.keys and manuscript.text[marker.keys[-1].start - 1] == "&":
        return marker.keys[-1].end, "".join(f";&{key}" for key in keys)
    separator = _separator(tuple(document) or (manuscript,))
    if marker.keys:
        return marker.keys[-1].end, "".join(separator + key for key in keys)
    return marker.lists[-1][0], separator.join(keys)


def _command(files: Iterable[Manuscript], format: str) -> str:
    files = tuple(files)
    if format == "typst":
        return "@"
    used = Counter(marker.command.rstrip("*") for file in files for marker in file.markers)
    parenthetical = Counter(
        {
            command: count
            for command, count in used.items()
            if _PARENTHETICAL.fullmatch(command.lower()) and command.lower() not in _TEXTUAL
        }
    )
    if parenthetical:
        command = parenthetical.most_common(1)[0][0]
        # One citation needs no \autocites.
        return command[:-1] if command.endswith("cites") else command
    for command, _ in used.most_common():
        if command.lower() in _COUNTERPART:
            return _COUNTERPART[command.lower()]
    if format != "latex":
        return _SIGNS.get(format, _PANDOC)
    packages = (_PACKAGE.search(file.text) for file in files)
    package = next((found[1] for found in packages if found), "")
    return _COMMAND_OF_PACKAGE.get(package, "cite")


def _glue(files: Iterable[Manuscript], command: str, before: str) -> str:
    """Return what goes between the word before and the marker: a tie, a blank or nothing."""
    if before.isspace() or not before:
        return ""
    seen = Counter(
        {"~": "~", " ": " ", "\n": " "}.get(file.text[marker.start - 1 : marker.start], "")
        for file in files
        for marker in file.markers
        if marker.command.rstrip("*").removesuffix("s") == command.removesuffix("s")
    )
    usual = seen.most_common(1)[0][0] if seen else None
    if _WIDE.match(before):
        return usual if usual == "~" else ""
    if usual is not None:
        return usual
    if command in _NOTES:
        return ""
    return "~" if command[0].isalpha() else " "


def _separator(files: Iterable[Manuscript]) -> str:
    """Return what stands between two keys in most markers of the draft."""
    seen = Counter(
        file.text[first.end : second.start]
        for file in files
        for marker in file.markers
        if marker.command not in ("@", _PANDOC) and not marker.command.startswith("[cite")
        for first, second in zip(marker.keys, marker.keys[1:], strict=False)
    )
    tight, loose = seen[","], seen[", "]
    return ", " if loose > tight else ","


def _marker(command: str, keys: Sequence[str], separator: str) -> str:
    if command == _PANDOC:
        return f"[{'; '.join(_pandoc(key) for key in keys)}]"
    if command == "@":
        return " ".join(_typst(key) for key in keys)
    if command.startswith("[cite"):
        return f"{command[:-1]}:{';'.join(f'@{key}' for key in keys)}]"
    if command.endswith(":") and command[0] != ":":
        return f"{command}{','.join(keys)}"
    if command[0] in "{:":
        return f"{command}`{separator.join(keys)}`"
    return f"\\{command}{{{separator.join(keys)}}}"


def _pandoc(key: str) -> str:
    return f"@{key}" if _PLAIN_PANDOC_KEY.fullmatch(key) else f"@{{{key}}}"


def _typst(key: str) -> str:
    return f"@{key}" if _PLAIN_TYPST_KEY.fullmatch(key) else f'#cite(label("{key}"))'


def _before_full_stop(manuscript: Manuscript, sentence: Sentence) -> int:
    text = manuscript.text
    end = _without_notes(text, sentence.start, sentence.end)
    stop = end
    while stop > sentence.start and text[stop - 1] in _CLOSERS:
        stop -= 1
    if stop > sentence.start and text[stop - 1] in _FULL_STOPS:
        end = stop
        while end > sentence.start and text[end - 1] in _FULL_STOPS:
            end -= 1
    elif manuscript.format != "latex":
        # A sentence ends with its last word; the emphasis around that closes behind it.
        while end >= sentence.end and text[end : end + 1] in ("*", "_"):
            end += 1
    if end == sentence.start:
        end = sentence.start + len(text[sentence.start : sentence.end].rstrip())
    return _out_of_comment(text, sentence.start, end) if manuscript.format == "latex" else end


def _without_notes(text: str, start: int, end: int) -> int:
    """Return where a sentence ends when blanks and footnotes behind its full stop are left out."""
    while True:
        end = start + len(text[start:end].rstrip())
        reference = _FOOTNOTE_REFERENCE.search(text, start, end)
        if reference is not None:
            end = reference.start()
            continue
        notes = [found for found in _FOOTNOTE.finditer(text, start, end)]
        if not notes or _closing_brace(text, notes[-1].end(), end) != end:
            return end
        end = notes[-1].start()


def _closing_brace(text: str, opening: int, end: int) -> int:
    """Return the offset behind the brace that closes the one at `opening`, or -1."""
    depth = 0
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, opening, end):
        depth += {"{": 1, "}": -1}.get(found.group(), 0)
        if depth == 0:
            return found.end()
    return -1


def _out_of_comment(text: str, start: int, offset: int) -> int:
    """Return the last offset of the sentence that no comment hides."""
    while True:
        line = max(text.rfind("\n", 0, offset) + 1, start)
        comment = _COMMENT.search(text, line, offset)
        if comment is None:
            return offset
        before = start + len(text[start : comment.start()].rstrip())
        if before == start:
            return offset
        offset = before
