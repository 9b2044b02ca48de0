"""The plain text of LaTeX prose: which markup stands for which characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.characters import IN_FORMULAS, LETTERS, READ_ACCENTS, SIGNS
from cite_lsp.manuscript.text.plain import Markup, Token, tokens_between
from cite_lsp.manuscript.text.sentences import MARKER_SIGN, NOTE_SIGN

_SYMBOLS = {
    **LETTERS,
    **SIGNS,
    **{"eg": "e.g.", "ie": "i.e.", "etal": "et al.", "etc": "etc."},
}
_PRINTED_IN_FORMULAS = frozenset(
    """alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi
    rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi
    Omega times cdot pm le leq ge geq approx sim to rightarrow infty ell""".split()
)
_FORMATTING = frozenset(
    "mathrm mathbf mathit mathsf mathcal mathbb text textrm bf rm bm hat".split()
)
_DROPPED = """label ref vspace hspace vskip includegraphics index glossary bibliographystyle
    bibliography printbibliography pagestyle thispagestyle input include rule addcontentsline
    setlength begin end cline phantom vphantom hphantom selectlanguage color fontsize tag
    usepackage RequirePackage documentclass url href path textcolor colorbox parbox scalebox
    resizebox raisebox foreignlanguage hypertarget hyperlink todo footnotemark captionsetup
    markboth footnote footnotetext thanks setcounter addtocounter stepcounter refstepcounter
    ding zihao ziju CJKfamily crefrange Crefrange acuse acreset acsetup glsadd glsunset glsreset
    Sexpr
    foreignquote hyphenquote addtocontents pdfbookmark currentpdfbookmark belowpdfbookmark
    subpdfbookmark bookmark bookmarksetup markright chaptermark sectionmark subsectionmark fancyhead
    fancyfoot setstretch linespread enlargethispage pagenumbering needspace counterwithin
    numberwithin sisetup setlist definecolor texorpdfstring nomenclature rotatebox fontfamily
    fontseries fontshape fontencoding hyphenation includesvg includepdf lstinputlisting
    inputminted VerbatimInput verbatiminput column ifthenelse setbeamercolor setbeamerfont
    setbeamertemplate keywords ckeywords ekeywords""".split()
"""Their first group is no prose, and of `\\texorpdfstring` the second is what prints as text."""
_MORE_GROUPS = {
    **dict.fromkeys("setlength setcounter addtocounter fontsize crefrange markboth".split(), 1),
    **dict.fromkeys("addtocontents pdfbookmark currentpdfbookmark belowpdfbookmark".split(), 1),
    **dict.fromkeys(
        """subpdfbookmark counterwithin numberwithin nomenclature inputminted rule resizebox
        setbeamercolor setbeamerfont setbeamertemplate""".split(),
        1,
    ),
    **dict.fromkeys("addcontentsline definecolor".split(), 2),
}
"""How many groups behind the first hold no text either."""
SETTINGS = "[a-z]{2,12}setup|ctexset|xeCJKsetup"
"""A pattern for the commands of classes that take their settings: `\\thusetup`, `\\sisetup`."""
DROPPED = "|".join(sorted(_DROPPED, key=len, reverse=True))
_NAMES_WHAT_IT_REFERS_TO = lazy_re(r"(?!(?:page|eq)?ref\b)[A-Za-z]*ref")
"""The references that print "Figure 3" and not only the number: `\\Cref`, `\\figref`."""
_REFERENCE = lazy_re(r"[A-Za-z]*ref|[cC]refrange")
_BEHIND_STOP = lazy_re(r"[.!?]['’”)\]}]{0,4}\s{1,40}\Z")
_SHORT_FORMULA = 18

_LENGTH = r"[-+]?[\d.]*+\s*+(?:(?:pt|mm|cm|in|ex|em|pc|bp|sp|fil{1,3})\b|\\[A-Za-z@]+)"


def _formula(opener: str, closer: str) -> str:
    r"""Return a pattern for a formula between two signs of `\(`, `\)`, `\[` and `\]`.

    It may hold further openers, but few: what nothing closes is not looked through for each.
    """
    plain = rf"(?:[^\\]++|\\(?![{opener}{closer}]).){{0,2000}}"
    return rf"\\{opener}(?>{plain}(?:\\{opener}{plain}){{0,3}})\\{closer}"


_INLINE, _DISPLAY = _formula(r"\(", r"\)"), _formula(r"\[", r"\]")

_SIGN = lazy_re(r"[%\\$~{}&\"]|--|``|''|<<|>>")
_TOKEN = lazy_re(
    rf"""
    (?P<comment>%[^\n]*\n?[ \t]*)
  | (?P<dash>(?<=[\s~])"---|---?)
  | (?P<quote>``|''|<<|>>)
  | (?P<shorthand>"(?:(?<=[^\W\d_]")(?:[aouAOUeisz]|[=~|"-](?=\w))|(?<=\}}")[=~|-](?=\w)|[`']))
  | (?P<tie>~)
  | (?P<formula>\$\$?(?>(?:[^$\\]++|\\.)*)\$\$?|{_INLINE})
  | (?P<display>{_DISPLAY})
  | (?P<accent>\\(?:(?P<sign>["'`^~=.])\s*
          |(?P<letter>[cvuHGhkrbdt])(?:(?=\{{)|[ \t]+(?=[A-Za-z]\b)))
        (?:\{{\s*(?P<braced>\\[ij]|[A-Za-z])\s*\}}|(?P<bare>[A-Za-z])|(?P<dotless>\\[ij])(?![A-Za-z])))
  | (?P<escape>\\[%&$\#_{{}}])
  | (?P<space>\\[\s,;:>]|\\(?:\\\*?|linebreak(?![A-Za-z@]))(?:\[[^\]\n]{{0,40}}\])?|&)
  | (?P<symbol>\\(?P<symbol_name>{"|".join(sorted(_SYMBOLS, key=len, reverse=True))})
        (?![A-Za-z@])(?:\{{\}}|[ \t]+(?=[a-zß-ÿ]))?)
  | (?P<length>\\(?:[hv]skip|kern|parindent|parskip|baselineskip|hangindent)(?![A-Za-z@])
        \s*+(?:=\s*+)?{_LENGTH}(?:\s*+(?:plus|minus)\s*+{_LENGTH}){{0,2}})
  | (?P<dropped>\\(?P<dropped_name>{DROPPED}|{SETTINGS}
        |(?!hyperref)[A-Za-z]*ref(?=\*?(?:\[[^\[\]\n]*\])*\s*\{{))
        (?![A-Za-z@])\*?(?:<[^<>\n{{}}]*>)?(?:\[[^\[\]]*\])*(?:\{{(?>(?:[^{{}}]++|\{{[^{{}}]*\}})*)\}})?(?:\[[^\[\]\n]*\])?)
  | (?P<range>\\(?:SI|num|qty)range(?:\[[^\[\]\n]*\])?\{{(?P<least>[^{{}}\n]*)\}}
        \{{(?P<most>[^{{}}\n]*)\}})
  | (?P<cite>\\(?=[A-Za-z@]*(?i:cite))[A-Za-z@]++\*?(?:\s*+\[[^\[\]]*\])*\s*+\{{[^{{}}]*\}})
  | (?P<command>\\[A-Za-z@]+\*?(?:<(?=[^<>]*[\d+.@])[\w@:|,+\-.()\ ]*>)?(?:\[[^\[\]\n]*\])?)
  | (?P<gone>\\.|[{{}}$\\])
    """,
    re.VERBOSE | re.DOTALL,
)
_SHORTHANDS = {
    **{letter: unicodedata.normalize("NFC", f"{letter}\u0308") for letter in "aouAOUei"},
    "s": "ß", "z": "ß", "=": "-", "~": "-", "-": "", "|": "", '"': "", "`": "„", "'": "“",
}  # fmt: skip
"""What babel's German reads behind a quotation mark within a word: `f"ur`, `Monte"=Carlo`."""
_QUOTES = {"``": "“", "''": "”", "<<": "«", ">>": "»"}
_QUOTED = lazy_re(r'(?<!\w)"(?=[\w\\{(])[^"]*\Z')
"""What a quotation mark behind a word closes, in drafts that have the same before: `"deep"-`."""
_QUOTED_WORDS = lazy_re(r'(?<!\w)"(?=[^\WaouAOU])[^"]*\Z')
"""The same, but for what may be an umlaut that begins a word: `"Uber f"ur`."""
_LONGEST_QUOTED = 200
_LONGEST_BEGINNING = 46
_FORMULA_COMMAND = lazy_re(r"\\([A-Za-z]+)\s*|\\(?P<printed>[$%&#])|\\.")
_FORMULA_EDGE = lazy_re(r"\A(?:\$\$?|\\\()|(?:(?<!\\)\$\$?|\\\))\Z")
_GROUP = lazy_re(r"\{(?>(?:[^{}]++|\{[^{}]*\})*)\}")


def latex_tokens(raw: str, start: int, end: int) -> Iterator[Token]:
    """Yield the markup in a stretch of LaTeX prose and the text it stands for."""
    for match in tokens_between(raw, start, end, _SIGN, _TOKEN):
        yield match.start(), behind_groups(raw, match, end), _text(match)


def latex_shown_tokens(raw: str, start: int, end: int) -> Iterator[Token]:
    """Yield the same for a reader, with an ellipsis for the numbers and formulas left out."""
    for match in tokens_between(raw, start, end, _SIGN, _TOKEN):
        last, text = behind_groups(raw, match, end), _text(match)
        if match["formula"] or match["display"]:
            text = text.removeprefix(NOTE_SIGN) or "…"
        elif _REFERENCE.fullmatch(match["dropped_name"] or ""):
            text = "…"
        yield match.start(), last, text


LATEX = Markup(latex_tokens, latex_shown_tokens)


def behind_groups(raw: str, match: re.Match[str], end: int) -> int:
    """Return where a token ends, with the groups of the command in it that are no prose either."""
    last = match.end()
    for _ in range(_MORE_GROUPS.get(match["dropped_name"] or "", 0)):
        group = _GROUP.match(raw, last, end)
        last = group.end() if group else last
    return last


def _text(match: re.Match[str]) -> str:
    token = match.group()
    match match.lastgroup:
        case "dash":
            return "—" if token.endswith("---") else "–"
        case "quote":
            return _QUOTES[token]
        case "shorthand":
            before = match.string[max(match.start() - _LONGEST_QUOTED, 0) : match.start()]
            closes = _QUOTED_WORDS if token[1].isalpha() else _QUOTED
            return token if closes.search(before) else _SHORTHANDS[token[1]]
        case "tie" | "space":
            return " "
        case "formula":
            formula = formula_text(token)
            return (
                formula
                if formula[:1].isupper() or not _follows_stop(match)
                else NOTE_SIGN + formula
            )
        case "accent":
            letter = (match["braced"] or match["bare"] or match["dotless"]).removeprefix("\\")
            sign = READ_ACCENTS[match["sign"] or match["letter"]]
            return unicodedata.normalize("NFC", letter + sign)
        case "escape":
            return token[1]
        case "symbol":
            symbol = _SYMBOLS[match["symbol_name"]]
            # \eg and its like are macros of drafts, which end with \xspace as a rule.
            return f"{symbol} " if symbol.endswith(".") and token[-1].isspace() else symbol
        case "range":
            return f"{match['least']}–{match['most']} "
        case "cite":
            return MARKER_SIGN
        case "dropped" if _NAMES_WHAT_IT_REFERS_TO.fullmatch(match["dropped_name"]):
            return MARKER_SIGN if _follows_stop(match) else ""
    return ""


def _follows_stop(match: re.Match[str]) -> bool:
    """Whether a sentence may begin here, however the next word does: `. $k$-means is …`."""
    before = match.string[max(match.start() - _LONGEST_BEGINNING, 0) : match.start()]
    return _BEHIND_STOP.search(before) is not None


def formula_text(formula: str) -> str:
    """Return the letters of a short formula ("k", "O(n2)", "α"), or nothing for a longer one."""
    formula = _FORMULA_EDGE.sub("", formula)
    if len(formula) > _SHORT_FORMULA * 2:
        return ""
    bare = _FORMULA_COMMAND.sub(_formula_command, formula)
    bare = "".join(character for character in bare if character not in "{}^_ \t\n")
    return bare if len(bare) <= _SHORT_FORMULA else ""


def _formula_command(match: re.Match[str]) -> str:
    name = match[1]
    if not name or name in _FORMATTING:
        return match["printed"] or ""
    return IN_FORMULAS[name] if name in _PRINTED_IN_FORMULAS else ""
