"""What a scan of Markdown stops at, and its keys, citations and labels."""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.commands.citation_commands import NAMES_WITHOUT_CITE
from cite_lsp.manuscript.markdown.liquid import TAG as LIQUID_TAG

KEY = r"\w(?:\w|[:.#$%&\-+?<>~/](?=\w)|[:/](?=/))*"
"""A key as pandoc reads it (Text.Pandoc.Parsing): punctuation inside, single, not last."""
CITATION = lazy_re(
    rf"(?<![^\W_])(?<!\w_)(?<![.\\])-?@(?:\{{(?P<odd>[^{{}}\s](?:[^{{}}\n]*[^{{}}\s])?)\}}|(?P<key>{KEY}))"
)
_NUMBERED = "fig|tbl|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|tip|nte|wrn|imp|cau"
CROSS_REFERENCE = lazy_re(rf"(?:{_NUMBERED})-\S")
"""A reference of Quarto. With a colon, as pandoc-crossref has it, it could be a key as well."""
LABEL = lazy_re(
    rf"""[\#{{:](?:(?<=\#)|(?<=\{{)\w+[ ,]+|(?<=\blabel:)[ \t]*["']?)
        (?P<label>(?=(?:{_NUMBERED})[:-]){KEY})""",
    re.VERBOSE,
)
"""What a reference may name: `{#fig:one}`, or a chunk, by its header or by `#| label: fig-one`."""
LETTERED = r"(?:[a-z]|[ivx]{2,4})(?:\)|\.(?![ \t]+[^\W\d_]{1,2}\.))(?=[ \t])"
"""A letter or a Roman number that may begin an item, as `b)` and `ii.` do and `z. B.` does not."""
_ATTRIBUTES = (
    r""":?[ \t]*+(?>(?:[#.][^\s{}"'=<>@]++|[\w:-]++=(?:"[^"\n]*+"|'[^'\n]*+'|[^\s{}"']*+)|-)"""
    r"""(?:[ \t\r]|\n(?![ \t\r]*\n))*+)++\}|\{<[^<>\n]*+>\}\}"""
)
"""What follows `{` in attributes, `{#fig-a fig-alt="…"}`, and in a shortcode, `{{< video … >}}`."""
STOP = lazy_re(
    rf"""[`<\\$\[\]^{{:@%\n](?:
        (?<=\n)(?=(?P<line>%|[ \t>]*(?:[\#`~|:=\-*+\[(]|!include\b|[!?]{{3}}|\d{{1,3}}[.)]
              |{LETTERED}|\\begin)
            |\ {{4}}|\t))
      | (?<=`)(?P<code>`*)
      | (?<=<)(?:(?P<comment>!--)|(?P<block>script|style|pre|svg)\b
            |(?P<doi>doi:10\.[^<>\s]+>)
            |(?P<tag>/?[A-Za-z](?>(?:[^<>\n]++|\n(?![ \t\r]*\n))*)>|[^<>\s@]+@[^<>\s]+>))
      | (?<=\\)(?:(?P<reference>@ref\([^()\n]*\))
            |(?P<footnote>footnote)(?=\{{)
            |(?P<skipped>iffalse(?![A-Za-z@])|begin\{{comment\}})
            |(?P<environment>(?P<edge>begin|end)\{{(?P<named>[A-Za-z]+\*?)\}}
              (?:\[[^\[\]\n]*\]|\{{[^{{}}\n]*\}})*)
            |(?P<latex>(?:[A-Za-z@]*(?i:cite)[A-Za-z@]*|{NAMES_WITHOUT_CITE})(?![A-Za-z@])\*?)
            |(?P<escape>[^A-Za-z\n]))
      | (?<=\$)(?:(?P<display>\$)|(?P<formula>(?=[^\s$])[^$\n]*(?<=[^\s\\])\$(?!\d)))
      | (?<=\[)(?P<bracket>)
      | (?<=\])(?P<target>\((?>(?:[^()\n]++|\([^()\n]*\))*)\))
      | (?<=\^)(?:(?P<note>\[)|(?P<comma>[,;]\ ?\^)|(?<=[ \t]\^)(?P<anchor>[\w-]+[ \t\r]*(?=\n|\Z)))
      | (?<=\{{)(?:(?P<role>(?P<role_name>[a-z:]+)\}}`
              (?P<role_keys>(?>(?:(?!(?<!\w)\{{[a-z:]+\}}`)[^`\n]|\n(?![ \t\r]*\n))*))
              (?P<role_end>(?<![ \t])`|`(?=[\s.,;:!?)]|\Z))?)
            |(?P<include>\{{<[ \t]*include[ \t]+(?P<path>[^\s>]+)[ \t]*>\}}\}})|(?P<raw>=[a-z]+\}})
            |(?P<liquid>{LIQUID_TAG})|(?P<critic>--|~~|>>)|(?P<attributes>{_ATTRIBUTES}))
      | (?<=:)(?:(?P<url>//[^\s<>\])}}"'）]+)|(?P<d2l>(?P<d2l_name>[a-z]+):`(?P<d2l_keys>[^`\n]*)`))
      | (?<=@)(?P<at>)
      | (?<=%)(?<![\w%]%)(?P<hidden>%)
    )""",
    re.VERBOSE,
)
