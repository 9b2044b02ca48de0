"""What a scan of Typst stops at, and what its labels, strings and calls look like."""

from __future__ import annotations

import re

from cite_lsp.language import COMBINING

KEY = rf"[\w{COMBINING}\-:.]*[\w{COMBINING}\-]"
"""A label as Typst reads it behind `@`: a full stop or a colon at the end is prose."""
CROSS_REFERENCE = re.compile(
    r"(?:fig|tbl|tab|sec|eq|eqn|lst|alg|thm|lem|cor|def|prop|ch|chap|app)[:-]\S", re.IGNORECASE
)
LABEL = rf"""(?:<(?P<sign>{KEY})>|\blabel\([ \t]*"(?P<written>[^"\n]+)"[ \t]*\))"""
STOP = re.compile(
    rf"""(?P<escape>\\.)
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
      | (?P<line>\n)
    """,
    re.VERBOSE | re.MULTILINE,
)
STATEMENTS = frozenset("let set show import include if for while return context".split())
NOTE = re.compile(r"#(?:footnote|todo|margin-note|inline-note)(?=[(\[])")
PRINTED = re.compile(
    r"#(?:emph|strong|smallcaps|upper|lower|underline|highlight|strike|sub|super|text)"
    r'\([ \t]*"(?P<printed>[^"\\\n]*)"[ \t]*\)'
)
"""A call that prints a string: `#smallcaps("Doe")`."""
BREAKS = frozenset("v parbreak colbreak pagebreak".split())
"""Functions that end a paragraph."""
ADDRESS = re.compile(r"[\w-]+(?:\.[\w-]+)+")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
LABEL_IN_FORMULA = re.compile(rf"\#{LABEL}")
ARGUMENT = re.compile(r"(?:\b(?P<name>[\w-]+):|\(|(?P<content>[)\]}$]\s*)?,)\s*\Z")
"""What stands before an argument: its name, the bracket, or a comma behind content or another."""
LONGEST_NAME = 80
CITED = re.compile(
    rf"""<(?P<label>{KEY})?(?P<close>>)?|\blabel\([ \t]*"(?P<string>[^"\n]*)"[ \t]*\)
      |(?P<argument>\b[\w-]+:[ \t]*)?"(?P<bare>[^"\n]*)" """,
    re.VERBOSE,
)
FULL = re.compile(r"\bfull:[ \t]*(?P<all>true)\b")
"""An argument of `bibliography` that cites every entry."""
IN_SUPPLEMENT = re.compile(
    rf"""//[^\n]*|\\.|"(?:[^"\\\n]|\\.)*"|(?<![A-Za-z0-9._+-])@(?P<key>{KEY})
      |\b(?P<call>cite|ref)\([ \t\n]*(?=<|label\()""",
    re.VERBOSE,
)
"""A citation in the supplement of another."""
PATH = re.compile(r'(?P<argument>\b[\w-]+:[ \t]*)?"(?P<path>[^"\n]*)"')
NESTING = re.compile(r'\\.|"(?:[^"\\\n]|\\.)*"|[\[\](){}]')
COMMENT_SIGN = re.compile(r"/\*|\*/")
DEFINING = re.compile(r"\b(?:set|let|show)[ \t]+\Z")
DEFINED = re.compile(
    r"#let[ \t]+(?P<name>[A-Za-z_][\w-]*)(?:\([^()\n]*\))?[ \t]*="
    r"(?:[ \t]*cite\.with\(|[^\n]{0,200}?(?<![\w-])cite\()"
)
LONGEST_CALL = 4000
"""How far on the bracket is looked for that closes a call."""
