r"""Which words LaTeX's abbreviations stand for: what `\ac{cdae}` or a macro `\lcdm` prints.

The definitions of glossaries, acro and acronym are read, and macros without arguments whose body
is a few plain words.
"""

from __future__ import annotations

import re

from attrs import evolve

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import closing_brace, opening_brace, skip_brackets
from cite_lsp.manuscript.latex.prose import LATEX
from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.model import Name, Names
from cite_lsp.manuscript.text.comments import uncommented
from cite_lsp.manuscript.text.paragraphs import plain_text
from cite_lsp.manuscript.text.plain import Token

_OPTIONAL_SHORT = frozenset("acro acrodef newacro".split())
_OPTIONAL_FIRST = frozenset("newacronym newabbreviation".split())
_OPTIONS_ONLY = frozenset("DeclareAcronym newglossaryentry".split())
_MACROS = frozenset("newcommand providecommand DeclareRobustCommand newrobustcmd def gdef".split())
DECLARING = _OPTIONAL_SHORT | _OPTIONAL_FIRST | _OPTIONS_ONLY | _MACROS

_MACRO = lazy_re(r"\s*(?:\{\s*)?\\([A-Za-z@]+)(?:\s*\})?(?=\s*\{)")
_GROUP = r"\{(?>[^{}]++|\{(?>[^{}]++|\{(?>[^{}]++|\{[^{}]*\})*\})*\})*\}"
_OPTION = lazy_re(rf"(?<![\w-])([\w-]++)\s*+=\s*+((?>[^{{}},]++|{_GROUP})*)")
_ENSURED = lazy_re(rf"\\ensuremath\s*\{{((?>[^{{}}]++|{_GROUP})*)\}}")
_PLAIN_BODY = lazy_re(
    r"""(?>[^\\%\#&]++|\\(?:
        (?:text(?:rm|bf|it|sf|tt|sc|sl|up|normal)|math(?:rm|bf|it|sf|cal|bb)|emph|mbox|ensuremath
          |xspace|onedot|rm|bf|it|sc|[A-Z][a-z]+|alpha|beta|gamma|mu)(?![A-Za-z@])
        |(?![A-Za-z]*(?:box|char|cite|colou?r|counter|ding|font|foot|head|include|index|input|item
          |label|length|line|mark|page|ref|rule|size|skip|space(?!d)|style|symbol|thanks|todo|width))
         [a-z]{5,}(?=\{[^{}\\]*[^\W\d_][^{}\\]*\})
        |[ ,&%$/-]|@(?![A-Za-z@])))+""",
    re.VERBOSE,
)
"""A body of words, some perhaps in a type of the class's or the draft's own: `\\project{emcee}`."""
_ONE_DOT = lazy_re(r"\\onedot(?![A-Za-z@])")
"""What the classes of CVPR end an abbreviation with."""
_LENGTH = lazy_re(r"[-+\d.\s]*(?:pt|em|ex|cm|mm|in|pc|bp|sp)?")
_LONGEST = 2000
_LONGEST_MACRO = 60
_USE = lazy_re(
    r"""\\(?:(?:
       (?:[Ii]?[Aa]c)(?P<ac>[slf]?)(?:[iu](?=[p*\[{]))?(?P<acp>p?)
      |(?:[Gg]ls|GLS)(?:xtr)?(?P<gls>short|long|full|text|first|name|)(?P<glspl>pl|plural|)
      |[Aa]cr(?P<acr>short|long|full)(?P<acrpl>pl|)
      )[*+]?(?:\[[^\[\]\n]*\])?\{\s*+(?P<key>[^{}\\\s](?:[^{}\\\n]*[^{}\\\s])?)\s*+\}
    |(?P<macro>[A-Za-z@]+)(?:\{\})?)""",
    re.VERBOSE,
)
_SHORT = frozenset(("s", "short", "text", "name"))
_LONG = frozenset(("l", "long"))
_FULL = frozenset(("f", "full", "first"))


def declared_name(text: str, command: str, position: int) -> tuple[str, Name] | None:
    """Return the key and the name that the defining command, which ends at `position`, declares."""
    if command in _MACROS:
        return _macro(text, position)
    if command in _OPTIONAL_FIRST:
        position = skip_brackets(text, position)
    key, position = _argument(text, position)
    short, long, foreign = "", "", ""
    if command in _OPTIONS_ONLY:
        options = dict(_OPTION.findall(_argument(text, position)[0]))
        short = options.get("short") or options.get("name") or ""
        long, foreign = options.get("long", ""), options.get("foreign", "")
    elif command in _OPTIONAL_SHORT:
        behind = skip_brackets(text, position)
        short = text[position:behind].strip().removeprefix("[").removesuffix("]") or key
        long, _ = _argument(text, behind)
    else:
        short, position = _argument(text, position)
        long, _ = _argument(text, position)
    name = Name(_plain(short), _plain(long), _plain(foreign))
    return (key.strip(), name) if key.strip() and (name.short or name.long) else None


def _macro(text: str, position: int) -> tuple[str, Name] | None:
    match = _MACRO.match(text, position)
    if not match:
        return None
    body, _ = _argument(text, match.end())
    if len(body) > _LONGEST_MACRO or _LENGTH.fullmatch(body) or not _PLAIN_BODY.fullmatch(body):
        return None
    name = Name(_plain(_ONE_DOT.sub(".", body)))
    return ("\\" + match[1], name) if name.short else None


def _argument(text: str, position: int) -> tuple[str, int]:
    opening = opening_brace(text, position)
    closing = None if opening is None else closing_brace(text, opening, _LONGEST)
    if opening is None or closing is None:
        return "", position
    return text[opening + 1 : closing], closing + 1


def _plain(latex: str) -> str:
    return plain_text(_ENSURED.sub(r"$\1$", uncommented(latex)), LATEX)


def expansions(text: str, names: Names) -> tuple[Token, ...]:
    """Return the uses of names in a text and what is read at each, in order."""
    if not names:
        return ()
    spans = []
    explained: set[str] = set()
    for use in _USE.finditer(text):
        name = names.get(_key(use))
        if name is not None:
            expansion = _expansion(use, name, _key(use) in explained)
            spans.append((*use.span(), expansion))
            if name.long and name.long in expansion:
                explained.add(_key(use))
    return tuple(spans)


def with_expansions(text: str, layout: Layout, names: Names) -> Layout:
    """Return the layout of a draft with its titles and its abstract as they read with names."""

    def plain(start: int, end: int, scanned_text: str) -> str:
        uses = expansions(text[start:end], names)
        if not uses:
            return scanned_text
        return plain_text(text[start:end], LATEX, uses)

    return evolve(
        layout,
        title=plain(*(layout.title_at or (0, 0)), layout.title),
        abstract=plain(*(layout.abstract_at or (0, 0)), layout.abstract),
        sections=tuple(
            evolve(section, title=plain(section.start, section.body, section.title))
            for section in layout.sections
        ),
    )


def keys_used(text: str) -> frozenset[str]:
    """Return the keys of all that a text uses, or may use: each command could be a macro."""
    return frozenset(_key(use) for use in _USE.finditer(text))


def _key(use: re.Match[str]) -> str:
    return use["key"] or "\\" + use["macro"]


def _expansion(use: re.Match[str], name: Name, explained: bool) -> str:
    """Return what is read at a use: the form that the command asks for.

    Where it leaves that open it is all there is, and the short form once that has been `explained`
    in the file, as in print: long forms at every use crowd the other words out of a context.
    """
    form = use["ac"] or use["gls"] or use["acr"] or ""
    plural = bool(use["acp"] or use["glspl"] or use["acrpl"])
    short, long = (
        _plural(form_text) if plural else form_text for form_text in (name.short, name.long)
    )
    if form in _SHORT or not long:
        return short or long
    if form in _LONG or not short:
        return long
    if explained and form not in _FULL:
        return short
    return f"{long} ({name.foreign}, {short})" if name.foreign else f"{long} ({short})"


def _plural(name: str) -> str:
    if not (name[-1:].isascii() and name[-1:].isalpha()):
        return name
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")
