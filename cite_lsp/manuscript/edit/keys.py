"""How a marker of a command is written for some keys, and each of the keys in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.markdown.liquid import CITE, CITET

PANDOC = "[@]"
WIKI = "[[@]]"
_PLAIN_PANDOC_KEY = lazy_re(r"\w(?:[:.#$%&\-+?<>~/]?\w)*")
_PLAIN_TYPST_KEY = lazy_re(r"[\w\-:.]*[\w\-]")


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
