"""The plain text of Markdown prose: which markup stands for which characters."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.prose import DROPPED, behind_groups, formula_text
from cite_lsp.manuscript.text.plain import Markup, Token, tokens_between
from cite_lsp.manuscript.text.sentences import MARKER_SIGN, NOTE_SIGN

_LONGEST_CODE = 40
_PRINTED = frozenset("sub sup subscript superscript abbr term kbd command dfn".split())
"""Roles of MyST that print the words in them."""
_COMPUTED = lazy_re(r"r |\{\w+\} ")
"""Code whose value stands in the sentence: `r mean(x)`, and Quarto's `{python} x`."""
_SIGN = lazy_re(
    r"\(\\\#|[\\<\[\]{}:`$@*_&!~^]|--|==|\+\+\}|https?://|ftp://|^[ \t]*>", re.MULTILINE
)
_TOKEN = lazy_re(
    r"""
    (?P<reference>\\@ref\([^()\n]*\)|\(\\\#[a-z]+:[\w-]+\)|\\(?:label|index|[A-Za-z]*ref)\*?\{[^{}\n]*\})
  | (?P<escape>\\[!-/:-@\[-`{-~])
  | (?P<comment><!--(?>(?:[^-]++|-(?!->)){0,200})-->)
  | (?P<tag></?(?!(?i:br)\b)[A-Za-z][^<>]*>)
  | (?P<note>\[\^[^\]\s]{1,80}\])
  | (?P<aside>\^\[(?>(?:[^\[\]]++|\[[^\[\]]*\]){0,200})\])
  | (?P<role>(?:\{(?P<role_name>[a-z:]+)\}|:[a-z]+:)`(?P<role_text>[^`]*)`)
  | (?P<emoji>(?<![\w:]):[a-z][\w+-]*:(?![\w:`]))
  | (?P<code>(?<!`)(?P<ticks>`++)(?P<inside>[^`](?:.*?[^`])??)(?P=ticks)(?!`))
  | (?P<formula>\$\$[^$]*\$\$|\$(?=\S)(?:[^$\\]++|\\.)+?(?<=\S)\$(?!\d))
  | (?P<cite>\[(?=[^\[\]]*+\](?![({]))[^\[\]]*?(?<![\w.])@\{?\w[^\[\]]*+\]
      |(?<![\w.])-?@(?:\{[^{}\n]+\}|\w(?:\w|[:.\#$%&+?<>~/-](?=\w))*)
      |\\(?=[A-Za-z@]*(?i:cite))[A-Za-z@]++\*?(?:\s*+\[[^\[\]]*\])*\s*+\{[^{}]*\})
  | (?P<page>!?\[\[(?P<named>[^\[\]|\n]+)(?:\|(?P<shown>[^\[\]\n]*))?\]\](?!\())
  | (?P<target>\](?:\((?:[^()\n]|\([^()\n]*\))*\)|\[[^\[\]]*\]|(?=\{))(?:\{[^{}]*\})?)
  | (?P<opening>!?\[(?=(?:[^\[\]]|\[[^\[\]]*\])*\](?:\(|\[|\{)))
  | (?P<attributes>\{\{(?:<[^<>]*>|[^{}\n]*)\}\}
      |\{[ \t]*(?:[#.:]|=(?!=))[^{}]*\}|\{%[^{}\n]{0,400}%\})
  | (?P<url>(?:https?|ftp)://[^\s<>）]*[^\s<>.,;:!?)）])
  | (?P<quote>^[ \t]*>(?:[ \t]?>)*[ \t]?)
  | (?P<dash>---?(?!-))
  | (?P<entity>&(?:\#\d{1,9}|\#x[\da-fA-F]{1,8}|[A-Za-z]+);)
  | (?P<script>(?<=[\w)])(?P<raised>[~^])(?P<small>[^\s~^]{1,20})(?P=raised))
  | (?P<added>\{\+\+|\+\+\})
  | (?P<emphasis>\*+|~~|==(?=\S)|(?<=\S)==|(?<!\w)_+(?=\S)|(?<=[^\s_])_++(?!\w)
      |(?<=_)_(?!\w))
  | (?P<break>\\(?:[ \n]|\Z)|<(?i:br)\b[^<>]*>)
  | (?P<dropped>\\(?P<dropped_name>"""
    + DROPPED
    + r""")(?![A-Za-z@])\*?(?:\[[^\[\]\n]*\])?(?:\{[^{}\n]*\})?)
  | (?P<command>\\[A-Za-z]+\*?(?:\[[^\[\]\n]*\])?|[{}])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


def markdown_tokens(raw: str, start: int, end: int) -> Iterator[Token]:
    """Yield the markup in a stretch of Markdown prose and the text it stands for."""
    for match in tokens_between(raw, start, end, _SIGN, _TOKEN):
        yield match.start(), behind_groups(raw, match, end), _text(match)


MARKDOWN = Markup(markdown_tokens, markdown_tokens)


def _text(match: re.Match[str]) -> str:
    token = match.group()
    match match.lastgroup:
        case "escape":
            return token[1]
        case "note":
            return NOTE_SIGN
        case "cite":
            return MARKER_SIGN
        case "role":
            return _printed(match["role_name"], match["role_text"])
        case "code":
            inside = match["inside"].strip()
            return "" if len(inside) > _LONGEST_CODE or _COMPUTED.match(inside) else inside
        case "formula":
            return "" if token.startswith("$$") else formula_text(token)
        case "page":
            return "" if token.startswith("!") else match["shown"] or match["named"]
        case "script":
            return match["small"]
        case "dash":
            return "—" if token == "---" else "–"
        case "entity":
            return html.unescape(token)
        case "break":
            return " "
    return ""


def _printed(role: str | None, text: str) -> str:
    if role == "math":
        return formula_text(text)
    return text if role in _PRINTED else ""
