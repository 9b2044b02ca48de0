"""Plain text as LaTeX sets it: special characters escaped, accents as commands where they must."""

from __future__ import annotations

import unicodedata

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.formulas import is_balanced, outside_formulas, split_at_formulas
from cite_lsp.library.text.invisible_characters import without_invisible
from cite_lsp.manuscript.latex.characters import ACCENTS, LETTERS

_SPECIAL = lazy_re(r"(?<!\\)([&%#_$])")
_SPECIAL_IN_FORMULAS = lazy_re(r"(?<!\\)([&%#])")
_CARET = lazy_re(r"(?<!\\)\^")
_ABOUT = lazy_re(r"(?<=\s)~")
"""A tilde that means about; one between two words is TeX's tie."""
_BRACES = lazy_re(r"[{}]")
_COMMAND_OF = {mark: name for name, mark in ACCENTS.items()}
_BELOW = "cdbk"
_NAME_OF = {letter: name for name, letter in LETTERS.items()}
_SIGNS = {
    "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "…": "{\\dots}",
    "\u00a0": "~", "‐": "-", "‑": "-", "−": "$-$", "×": "$\\times$", "°": "{\\textdegree}",
    "©": "{\\copyright}", "®": "{\\textregistered}", "™": "{\\texttrademark}",
}  # fmt: skip


def escaped(text: str) -> str:
    r"""Return plain text with what is special to LaTeX escaped.

    Braces that do not close are gone, and so is what nobody sees. Formulas stay formulas. `\\` and
    ties, which a title hardly holds, are left alone: some titles come as LaTeX.
    """
    text = without_invisible(text)
    if not is_balanced(text):
        text = _BRACES.sub("", text)
    return "".join(
        _SPECIAL_IN_FORMULAS.sub(r"\\\1", piece)
        if formula
        else _ABOUT.sub(r"$\\sim$", _CARET.sub(r"\^{}", _SPECIAL.sub(r"\\\1", piece)))
        for piece, formula in split_at_formulas(text)
    )


def ascii_only(text: str) -> str:
    r"""Return LaTeX with its accents as commands (`{\"u}`); other scripts stay as they are."""
    if text.isascii():
        return text
    normal = unicodedata.normalize("NFC", text)
    return outside_formulas(normal, lambda piece: "".join(map(_command, piece)))


def _command(character: str) -> str:
    if character.isascii():
        return character
    if character in _SIGNS:
        return _SIGNS[character]
    if character in _NAME_OF:
        return f"{{\\{_NAME_OF[character]}}}"
    base, *marks = list(unicodedata.normalize("NFD", character))
    if 1 <= len(marks) <= 2 and base.isascii() and _COMMAND_OF.keys() >= set(marks):
        # TeX sets a mark below around what has one above, and not the other way round.
        names = sorted((_COMMAND_OF[mark] for mark in marks), key=lambda name: name in _BELOW)
        latex = f"\\{base}" if base in "ij" and names[0] not in _BELOW else base
        for name in names:
            braced = name.isalpha() or len(latex) > 2
            latex = f"\\{name}{{{latex}}}" if braced else f"\\{name}{latex}"
        return f"{{{latex}}}"
    letters = unicodedata.normalize("NFKD", character)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    power = unicodedata.decomposition(character).startswith("<super>") and not plain.isalpha()
    return plain if plain.isascii() and not power else character
