"""LaTeX as it stands in bibliographies, decoded to the Unicode text that a reader sees."""

from __future__ import annotations

import re
import unicodedata

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.formulas import outside_formulas, split_at_formulas
from cite_lsp.library.text.invisible_characters import without_invisible
from cite_lsp.manuscript.latex.characters import GREEK, IN_FORMULAS, LETTERS, READ_ACCENTS, SIGNS

_IN_FIELDS = {
    "cdots": "…", "par": " ", "lbrace": "{", "rbrace": "}", "colon": ":", "and": "and",
}  # fmt: skip
"""What fields have in their text beside the characters of text."""

_NAMED = {**SIGNS, **LETTERS, **_IN_FIELDS}
_ESCAPED = {
    ",": " ", ":": " ", ";": " ", " ": " ", "\n": " ", "\\": " ", "!": "", "/": "", "-": "",
    "(": "", ")": "",
}  # fmt: skip
_TYPED = {
    "{": "", "}": "", "$": "", "~": " ", "---": "—", "--": "–", "``": "“", "''": "”",
    r"$\{$": "", r"$\}$": "",  # Google Scholar writes the braces of {USENIX} like this
}  # fmt: skip

_WRITTEN_OUT = lazy_re(
    r"\{?\\textbackslash(?:\{\}|(?=\}))\}?(?=['`^~=.\"](?:\\?\{|[A-Za-z]))"
    r"|(?<!\$)\\\{(?:su[bp] (?P<raised>[\w+-]{1,9})"
    r"|(?<![A-Za-z]\\\{)(?P<word>\{?[A-Za-z][\w&./+-]*\w\}?)"
    r"|(?<=['`^~=.\"]\\\{)(?P<letter>[A-Za-z]))\\\}"
)
"""LaTeX that a program took for plain text and wrote out: \\{USENIX\\}, L{\\textbackslash}'evy."""

_NOT_PLAIN = lazy_re(r"[\\{}$~]")
_TOKEN = lazy_re(
    r"""
    \\(?P<silent>(?:href(?:@noop)?|textcolor|color|label|ref|cite|[hv]?phantom|[hv]space
        |foreignlanguage|selectlanguage|fontencoding|footnote|thanks|texorpdfstring
        |bibinfo|bibfield|BibitemShut|Eprint|noop(?:sort)?|[sS]ort[nN]oop)\*?)\s*
        \{(?>(?:[^{}]++|\{[^{}]*\})*)\}                             # its argument is not text
    | \\(?:(?P<mark>[`'^~=."])\s*+\{?|(?P<accent>[uvHhrGdckb])(?:\s*\{|\s+(?=[^\W\d_])|(?=\\)))\s*+
        (?:\\(?P<inner>[`'^~=."]|[uvHhrGdckb](?![^\W\d_]))\s*+\{?\s*+)?          # \~{\^e} is ễ
        (?P<base>\\(?:[ij]|[aA]e|AE|[oO]e|OE|[oO]|aa|AA|[uo]horn|[UO]HORN)(?![A-Za-z])\s*|[^\W\d_])
    | \\(?P<name>textless|textgreater|[A-Za-z]+)\*?(?P<blank>\s*)(?:\{\})?
    | \\(?P<escaped>.)
    | (?P<typed>\$\\[{}]\$|---?|``|''|[{}$~])
    """,
    re.VERBOSE | re.DOTALL,
)
_PART = r"(\{[^{}]*\}|\\[A-Za-z]+|[^\s{}\\])"
_FRACTION = lazy_re(rf"\\[dt]?frac(?![A-Za-z])\s*{_PART}\s*{_PART}")
_SCRIPT = lazy_re(
    r"(?<!\\)\$\s*(?:_|(?<!\d\$)\^)\s*(?:\{(?P<small>[^{}$\\]*)\}|(?P<sign>[^\s{}$\\]))\s*\$"
)
"""A formula that is small letters alone: CO$_2$ and $^{13}$C, but 10$^3$ is no 103."""
_DOLLAR = lazy_re(r"(?<!\\)\$")
_COMMAND = lazy_re(r"\\\S")
_FORMULA_HERE = "\ue000"
_BRANCH = r"(?:(?!\\(?:ifmmode|else|fi)(?![A-Za-z])).)*+"
_IN_MATH_OR_NOT = lazy_re(
    rf"\\ifmmode(?![A-Za-z])(?P<math>{_BRANCH})"
    rf"(?:\\else(?![A-Za-z])(?P<text>{_BRANCH}))?\\fi(?![A-Za-z])",
    re.DOTALL,
)
_OPEN_FORMULA = lazy_re(r"\\ensuremath\s*\{[^{}]*\Z|\\\((?:(?!\\\)).)*\Z", re.DOTALL)
_NESTED_CONDITIONALS = 4


def printed_branches(text: str) -> str:
    r"""Return LaTeX with one branch of each `\ifmmode A\else B\fi`: A in a formula, else B.

    Publishers export letters like this: `\ifmmode \check{C}\else \v{C}\fi{}ech`.
    """
    if "\\ifmmode" not in text:
        return text
    for _ in range(_NESTED_CONDITIONALS):
        text, count = _IN_MATH_OR_NOT.subn(_printed_branch, text)
        if not count:
            break
    return text


def _printed_branch(conditional: re.Match[str]) -> str:
    before = conditional.string[: conditional.start()]
    in_formula = len(_DOLLAR.findall(before)) % 2 == 1 or _OPEN_FORMULA.search(before) is not None
    return (conditional["math"] if in_formula else conditional["text"] or "").strip()


def decode(text: str) -> str:
    r"""Return the text that LaTeX would set: accents and symbols as Unicode, runs of blanks as one.

    Braces and the signs around formulas go, what they hold stays; of an unknown command its
    argument stays. Plain text, as most titles are, is returned almost untouched.
    """
    if text.isalnum():
        return text
    if _NOT_PLAIN.search(text) or "--" in text or "``" in text or "''" in text:
        if "\\{" in text or "\\textbackslash" in text:
            text = _WRITTEN_OUT.sub(_as_latex, text)
        text = printed_branches(text)
        if "$" in text:
            text = _SCRIPT.sub(r"\g<small>\g<sign>", text)
        text = _FRACTION.sub(r"\1/\2", text)
        text = unicodedata.normalize("NFC", _TOKEN.sub(_decoded_token, text))
    spaced = " ".join(text.split())
    return spaced if spaced.isprintable() else " ".join(without_invisible(text).split())


def _as_latex(match: re.Match[str]) -> str:
    return match["raised"] or match["word"] or match["letter"] or "\\"


def readable(text: str) -> str:
    r"""Return a text that may be LaTeX (`$O(n^2)$`, `Schr\"odinger`) as a reader sees it.

    Plain text stays as it is: its dollars are dollars.
    """
    if "$" not in text and "\\" not in text:
        return text
    if not _COMMAND.search(text) and not any(formula for _, formula in split_at_formulas(text)):
        return text
    return decode(outside_formulas(text, _with_plain_dollars))


def decode_around_formulas(text: str) -> str:
    """Return LaTeX as the text that it sets, but with its formulas as they are written."""
    formulas = [piece for piece, formula in split_at_formulas(text) if formula]
    around = "".join(_FORMULA_HERE if formula else _with_plain_dollars(piece)
                     for piece, formula in split_at_formulas(text))  # fmt: skip
    return re.sub(_FORMULA_HERE, lambda _: formulas.pop(0), decode(around))


def _with_plain_dollars(text: str) -> str:
    return _DOLLAR.sub(r"\$", text)


def _decoded_token(token: re.Match[str]) -> str:
    if token["base"]:
        base = token["base"]
        if base.startswith("\\"):
            name = base[1:].strip()
            base = name if name in "ij" else _NAMED.get(name, name)
        marks = (token["inner"], token["mark"] or token["accent"])
        return base + "".join(READ_ACCENTS[mark] for mark in marks if mark)
    if token["name"]:
        name = token["name"]
        # TeX drops the blank after either; a formula reads better with it.
        if name in IN_FORMULAS:
            return IN_FORMULAS[name] + token["blank"]
        bare = name.removeprefix("text")
        return _NAMED.get(name) or IN_FORMULAS.get(bare) or GREEK.get(name.removeprefix("up"), "")
    if token["escaped"]:
        return _ESCAPED.get(token["escaped"], token["escaped"])
    return _TYPED[token["typed"]] if token["typed"] else ""
