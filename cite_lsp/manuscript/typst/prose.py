"""The plain text of Typst prose: which markup stands for which characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.text.plain import Markup, Token, tokens_between
from cite_lsp.manuscript.text.sentences import MARKER_SIGN
from cite_lsp.manuscript.typst.patterns import KEY

_LONGEST_CODE = 40
_SHORT_FORMULA = 18
_SIGN = lazy_re(r"[\\*_~`$@<#]|--|https?://|/[/*]")
_TOKEN = lazy_re(
    r"""
    (?P<escape>\\[^\s\w])
  | (?P<break>\\(?=\s|\Z))
  | (?P<comment>//[^\n]*|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?)
  | (?P<url>https?://[^\s\])>"]*[^\s\])>".,;:!?])
  | (?P<code>(?P<ticks>`{1,20})(?P<inside>[^`]*)(?P=ticks))
  | (?P<formula>\$(?>(?:[^$\\"]|\\.|"(?:[^"\\]|\\.)*")*)\$|\$(?:[^$\\]|\\.)*\$)
  | (?P<cite>(?<![A-Za-z0-9._+-])@"""
    + KEY
    + r""")
  | (?P<label><[\w\-:.]+>)
  | (?P<dash>---?)
  | (?P<tie>~)
  | (?P<emphasis>\*+|(?<!\w)_+(?=\S)|(?<=[^\s_])_++(?!\w)|(?<=_)_(?!\w))
  | (?P<room>\#(?:h|linebreak)\((?>(?:[^()\n]++|\([^()\n]*\))*)\))
  | (?P<command>\#[A-Za-z_][\w.-]*(?:\([^()\n]*\))?)
    """,
    re.VERBOSE | re.DOTALL,
)
_FORMULA_SIGN = lazy_re(r"[\s_^{}$\"]|\b[a-z]+\.[a-z.]+\b")


def typst_tokens(raw: str, start: int, end: int) -> Iterator[Token]:
    """Yield the markup in a stretch of Typst prose and the text it stands for."""
    for match in tokens_between(raw, start, end, _SIGN, _TOKEN):
        yield match.start(), match.end(), _text(match)


TYPST = Markup(typst_tokens, typst_tokens)


def _text(match: re.Match[str]) -> str:
    token = match.group()
    match match.lastgroup:
        case "escape":
            return token[1]
        case "break" | "tie" | "room":
            return " "
        case "cite":
            return MARKER_SIGN
        case "dash":
            return "—" if token == "---" else "–"
        case "code":
            inside = match["inside"]
            if len(match["ticks"]) > 2:  # the first word names the language
                inside = inside.partition(" ")[2]
            inside = inside.strip()
            return inside if len(inside) <= _LONGEST_CODE else ""
        case "formula":
            bare = _FORMULA_SIGN.sub("", token)
            return bare if len(bare) <= _SHORT_FORMULA else ""
    return ""
