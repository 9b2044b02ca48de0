"""The plain text of Org prose: which markup stands for which characters."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.prose import formula_text
from cite_lsp.manuscript.text.plain import Markup, Token, tokens_between
from cite_lsp.manuscript.text.sentences import MARKER_SIGN, NOTE_SIGN

_LINK_KEY = r"&?[\w\-./+][\w\-./+:]*(?<=[\w\-/+])"
LINK_KEYS = rf"{_LINK_KEY}(?:[,;]{_LINK_KEY})*"
"""What follows `cite:` in a bare link of org-ref: keys with commas, or `&key` with semicolons."""
FURTHEST = 400
"""How many characters on code or a formula is closed at the latest, in its line."""
_LONGEST_CODE = 40
_LONGEST_NAME = 20
"""Letters on either side of `cite` in the name of a link of org-ref."""
_REFERENCE = r"\b(?:eq|auto|[cC]|page|name)?ref:"
_SIGN = lazy_re(
    rf"[\[\]*/_^=~+\\$@{{}}<>]|--|[ \t]::\s|https?://|\bcite|[a-z]cite|{_REFERENCE}|^[ \t]*\|",
    re.MULTILINE,
)
_TOKEN = lazy_re(
    rf"""
    (?P<cite>\[cite[/\w-]*:[^\[\]]*\]|\[\[[a-z]*cite[a-z]*\*?:[^\[\]]*\](?:\[[^\[\]]*\])?\]
      |[a-z]{{0,{_LONGEST_NAME}}}cite[a-z]{{0,{_LONGEST_NAME}}}\*?:{LINK_KEYS}|\\(?=[A-Za-z@]*(?i:cite))[A-Za-z@]++\*?(?:\[[^\[\]]*\])*\{{[^{{}}]*\}})
  | (?P<reference>{_REFERENCE}[\w:.-]*\w|\\(?:label|index|[A-Za-z]*ref)\*?\{{[^{{}}\n]*\}})
  | (?P<export>@@[a-z]+:[^\n]{{0,{FURTHEST}}}?@@|@@(?:[a-z]+:)?)
  | (?P<term>[ \t]+::(?=\s))
  | (?P<script>(?<=\S)[_^]\{{(?P<small>[^{{}}\n]{{1,40}})\}})
  | (?P<note>\[fn:[\w-]+\])
  | (?P<link>\[\[[^\[\]]*\]\[)
  | (?P<bare>\[\[[^\[\]]*\]\])
  | (?P<close>\]\])
  | (?P<anchor><<[^<>\n]{{1,99}}>>(?!>)[ \t]?|<<<(?=[^<>\n]{{1,99}}>>>)|>>>)
  | (?P<url>https?://[^\s\])>]*[^\s\])>.,;:!?])
  | (?P<formula>\$[^$\n]+\$|\\\((?:(?!\\[()])[^\n]){{0,{FURTHEST}}}\\\))
  | (?P<code>(?<!\w)(?P<sign>[=~])(?P<inside>\S(?:[^\n]{{0,{FURTHEST}}}?\S)??)(?P=sign)(?!\w))
  | (?P<emphasis>(?<![\w\\])[*/_+](?=\S)|(?<=\S)[*/_+](?!\w))
  | (?P<dash>---?)
  | (?P<break>\\\\)
  | (?P<command>\\(?P<name>[A-Za-z]+)(?:\{{\}})?)
    """,
    re.VERBOSE | re.MULTILINE,
)


def org_tokens(raw: str, start: int, end: int) -> Iterator[Token]:
    """Yield the markup in a stretch of Org prose and the text it stands for."""
    for match in tokens_between(raw, start, end, _SIGN, _TOKEN):
        yield match.start(), match.end(), _text(match)


ORG = Markup(org_tokens, org_tokens)


def _text(match: re.Match[str]) -> str:
    token = match.group()
    match match.lastgroup:
        case "cite":
            return MARKER_SIGN
        case "note":
            return NOTE_SIGN
        case "code":
            inside = match["inside"]
            return inside if len(inside) <= _LONGEST_CODE else ""
        case "formula":
            return formula_text(token)
        case "term":
            return ":"
        case "script":
            return match["small"]
        case "dash":
            return "—" if token == "---" else "–"
        case "break":
            return " "
        case "command":  # Org's entities are those of HTML
            entity = html.unescape(f"&{match['name']};")
            return entity if len(entity) == 1 else ""
    return ""
