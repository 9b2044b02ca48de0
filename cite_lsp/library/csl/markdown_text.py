"""The fields of CSL-YAML: pandoc reads them as Markdown, and so does this.

See https://pandoc.org/MANUAL.html#specifying-bibliographic-data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.formulas import outside_formulas, split_at_formulas

_VARIABLES = frozenset(
    """title title-short short-title original-title reviewed-title container-title
    container-title-short collection-title volume-title event event-title event-place abstract note
    annote keyword genre medium status publisher publisher-place original-publisher
    original-publisher-place archive section authority""".split()
)
_PEOPLE = frozenset(
    """author editor translator chair collection-editor compiler composer container-author
    contributor curator director editorial-director editor-translator illustrator interviewer
    original-author performer producer recipient reviewed-author""".split()
)
_PUNCTUATION = r"!-/:-@\[-`{-~"
_ESCAPED = lazy_re(rf"\\([{_PUNCTUATION}])")
_ESCAPED_HERE = 0xE100
"""Where escaped signs stand among the private characters of Unicode until all else is read."""
_HIDDEN = lazy_re(f"[{chr(_ESCAPED_HERE)}-{chr(_ESCAPED_HERE + 0x7F)}]")
_MARKUP = (
    (lazy_re(r"(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)"), r"\2"),
    (lazy_re(r"<((?:https?|ftp|mailto):[^\s<>]+)>"), r"\1"),
    (lazy_re(r"!?\[([^\[\]]+)\](?:\([^()\s]*\)|\{[^{}]*\})"), r"\1"),
    (lazy_re(r"(\*{1,3})(?=\S)(.+?)(?<=\S)\1(?!\*)"), r"\2"),
    (lazy_re(r"(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
    (lazy_re(r"~~(?=\S)(.+?)(?<=\S)~~"), r"\1"),
    (lazy_re(r"~([^\s~]+)~"), r"\1"),
    (lazy_re(r"\^([^\s^]+)\^"), r"\1"),
    (lazy_re(r"(?<!-)---(?!-)"), "—"),
    (lazy_re(r"(?<!-)--(?!-)"), "–"),
)
_NESTED = 3
"""Markup within markup is read so deep."""
_SPECIAL = lazy_re(
    r"[\\*`~^\[\]]|(?<![^\W_])_|_(?![^\W_])|(?<!\w)@(?=\w)|<(?=[A-Za-z/!])|^[#>](?=\s)"
)


def plain_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item of CSL-YAML with its texts and names as one reads them, without markup."""
    return {name: _changed(name, value, plain_text) for name, value in item.items()}


def markdown_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item with its texts and names written so that pandoc reads them as they are."""
    return {name: _changed(name, value, markdown_text) for name, value in item.items()}


def plain_text(markdown: str) -> str:
    """Return what pandoc shows of Markdown on one line; formulas stay as they are written."""
    return _HIDDEN.sub(
        lambda sign: chr(ord(sign.group()) - _ESCAPED_HERE),
        outside_formulas(_ESCAPED.sub(_hidden, markdown), _without_markup),
    )


def markdown_text(text: str) -> str:
    """Return a plain text as Markdown; its formulas in dollars are formulas there, too."""
    return "".join(
        piece if formula and piece.startswith("$") else _SPECIAL.sub(r"\\\g<0>", piece)
        for piece, formula in split_at_formulas(text)
    )


def _hidden(escaped: re.Match[str]) -> str:
    return chr(_ESCAPED_HERE + ord(escaped[1]))


def _without_markup(text: str) -> str:
    for _ in range(_NESTED):
        before = text
        for markup, shown in _MARKUP:
            text = markup.sub(shown, text)
        if text == before:
            break
    return text


def _changed(name: str, value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401 - whatever JSON holds
    if name in _PEOPLE:
        people = value if isinstance(value, list) else [value]
        changed = [
            {part: change(text) if isinstance(text, str) else text for part, text in person.items()}
            if isinstance(person, Mapping)
            else person
            for person in people
        ]
        return changed if isinstance(value, list) else changed[0]
    return change(value) if name in _VARIABLES and isinstance(value, str) else value
