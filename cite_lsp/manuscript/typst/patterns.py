"""What labels, strings and calls of Typst look like."""

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
STRING = lazy_re(r'"(?:[^"\\]|\\.)*"')
LONGEST_NAME = 80
_BEGUN_STRING = r'(?:[^"\s()]*[\w\-])?'
CITED = lazy_re(
    rf"""<(?P<label>{KEY}[.:]*)?(?P<close>>)?
      |\blabel\([ \t]*"(?P<string>[^"\n]*(?=")|{_BEGUN_STRING})(?:"(?:[ \t]*\))?)?
      |(?P<argument>\b[\w-]+:[ \t]*)?"(?P<bare>[^"\n]*(?=")|{_BEGUN_STRING})"?""",
    re.VERBOSE,
)
"""A label, or a string for one, that may only be begun."""
COMMENT = lazy_re(r"(?<!:)//[^\n]*|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?")
NESTING = lazy_re(rf'\\.|{COMMENT.pattern}|"(?:[^"\\\n]|\\.)*"|[\[\](){{}}]')
"""A bracket, or what holds none that counts: a string, a comment, an escaped sign."""
LONGEST_CALL = 4000
