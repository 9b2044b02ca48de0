"""What a scan of Typst stops at, and what its labels, strings and calls look like."""

from __future__ import annotations

import re

from cite_lsp.language import COMBINING
from cite_lsp.lazy_re import lazy_re

KEY = rf"[\w{COMBINING}\-:.]*[\w{COMBINING}\-]"
"""A label as Typst reads it behind `@`: a full stop or a colon at the end is prose."""
CROSS_REFERENCE = lazy_re(
    r"(?:fig|tbl|tab|sec|eq|eqn|lst|alg|thm|lem|cor|def|prop|ch|chap|app)[:-]\S", re.IGNORECASE
)
LABEL = rf"""(?:<(?P<sign>{KEY}[.:]*)>|\blabel\([ \t]*"(?P<written>[^"\n]+)"[ \t]*\))"""
_LOOK = (
    r'(?=^|[\\/`$"<\#@\[\](){}\n]|https?:'
    r"|\b(?:attribution|label|cite|ref|bibliography|include|import))"
)
"""What `STOP` begins with at all: trying its parts at each character took six times as long."""
STOP = lazy_re(
    rf"""{_LOOK}(?:(?P<escape>\\.)
      | (?P<url>https?://[^\s\])}}>"]+)
      | (?P<comment>//[^\r\n]*|/\*)
      | (?P<raw>`+)
      | (?P<formula>\$)
      | (?P<string>")
      | (?P<heading>^[ \t]*(?P<signs>=+)[ \t]+(?P<title>[^\n]*))
      | (?P<item>^[ \t]*(?:[-+/]|\d+\.)[ \t]+)
      | (?P<attribution>\battribution:\s*(?=<|label\())
      | (?P<label>(?:\#(?=label\())?{LABEL})
      | (?P<hash>\#(?P<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)?(?P<opening>[(\[{{])?)
      | (?P<call>(?<![\w-])(?P<called>cite|ref|bibliography)(?:(?<=y)\.with)?[ \t]*\()
      | (?P<include>\b(?P<how>include|import)[ \t]*"(?P<path>[^"\n]*)")
      | (?P<named>\bbibliography[\w-]*:[ \t]*"(?P<bibliography>[^"\n]*)")
      | (?P<at>(?<![A-Za-z0-9._+-])@(?P<key>{KEY})|(?<=[A-Za-z0-9._+-])@(?P<attached>{KEY}))
      | (?P<bracket>[\[\](){{}}])
      | (?P<line>\n))
    """,
    re.VERBOSE | re.MULTILINE,
)
STATEMENTS = frozenset("let set show import include if for while return context".split())
NOTE = lazy_re(r"#(?:footnote|todo|margin-note|inline-note)(?=[(\[])")
PRINTED = lazy_re(
    r"#(?:emph|strong|smallcaps|upper|lower|underline|highlight|strike|sub|super|text)"
    r'\([ \t]*"(?P<printed>[^"\\\n]*)"[ \t]*\)'
)
"""A call that prints a string: `#smallcaps("Doe")`."""
BREAKS = frozenset("v parbreak colbreak pagebreak".split())
ADDRESS = lazy_re(r"[\w-]+(?:\.[\w-]+)+")
STRING = lazy_re(r'"(?:[^"\\]|\\.)*"')
LABEL_IN_FORMULA = lazy_re(rf"\#{LABEL}")
ARGUMENT = lazy_re(r"(?:\b(?P<name>[\w-]+):|\(|(?P<content>[)\]}$]\s*)?,)\s*\Z")
"""What stands before an argument: its name, the bracket, or a comma behind content or another."""
LONGEST_NAME = 80
_BEGUN_STRING = r'(?:[^"\s()]*[\w\-])?'
CITED = lazy_re(
    rf"""<(?P<label>{KEY}[.:]*)?(?P<close>>)?
      |\blabel\([ \t]*"(?P<string>[^"\n]*(?=")|{_BEGUN_STRING})(?:"(?:[ \t]*\))?)?
      |(?P<argument>\b[\w-]+:[ \t]*)?"(?P<bare>[^"\n]*(?=")|{_BEGUN_STRING})"?""",
    re.VERBOSE,
)
"""A label, or a string for one, that may only be begun."""
FULL = lazy_re(r"\bfull:[ \t]*(?P<all>true)\b")
"""An argument of `bibliography` that cites every entry."""
IN_SUPPLEMENT = lazy_re(
    rf"""//[^\n]*|\\.|"(?:[^"\\\n]|\\.)*"|(?<![A-Za-z0-9._+-])@(?P<key>{KEY})
      |\b(?P<call>cite|ref)\([ \t\n]*(?=<|label\()""",
    re.VERBOSE,
)
PATH = lazy_re(r'(?P<argument>\b[\w-]+:[ \t]*)?"(?P<path>[^"\n]*)"')
NESTING = lazy_re(r'\\.|"(?:[^"\\\n]|\\.)*"|[\[\](){}]')
COMMENT_SIGN = lazy_re(r"/\*|\*/")
DEFINING = lazy_re(r"\b(?:set|let|show)[ \t]+\Z")
DEFINED = lazy_re(
    r"#let[ \t]+(?P<name>[A-Za-z_][\w-]*)(?:\([^()\n]*\))?[ \t]*="
    r"(?:[ \t]*cite\.with\(|[^\n]{0,200}?(?<![\w-])cite\()"
)
LONGEST_CALL = 4000
