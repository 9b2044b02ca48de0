"""What a scan of Markdown stops at: telling characters, telling lines, pandoc's citations."""

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
EVERYTHING = lazy_re(r"(?<![\w@])@(?P<all>\*)")
"""What stands in `nocite` for all entries."""
_NUMBERED = "fig|tbl|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|tip|nte|wrn|imp|cau"
CROSS_REFERENCE = lazy_re(rf"(?:{_NUMBERED})-\S")
"""A reference of Quarto. With a colon, as pandoc-crossref has it, it could be a key as well."""
LABEL = lazy_re(
    rf"""[\#{{:](?:(?<=\#)|(?<=\{{)\w+[ ,]+|(?<=\blabel:)[ \t]*["']?)
        (?P<label>(?=(?:{_NUMBERED})[:-]){KEY})""",
    re.VERBOSE,
)
"""What a reference may name: `{#fig:one}`, or a chunk, by its header or by `#| label: fig-one`."""
_LETTERED = r"(?:[a-z]|[ivx]{2,4})(?:\)|\.(?![ \t]+[^\W\d_]{1,2}\.))(?=[ \t])"
"""A letter or a Roman number that may begin an item, as `b)` and `ii.` do and `z. B.` does not."""
_ATTRIBUTES = (
    r""":?[ \t]*+(?>(?:[#.][^\s{}"'=<>@]++|[\w:-]++=(?:"[^"\n]*+"|'[^'\n]*+'|[^\s{}"']*+)|-)"""
    r"""(?:[ \t\r]|\n(?![ \t\r]*\n))*+)++\}|\{<[^<>\n]*+>\}\}"""
)
"""What follows `{` in attributes, `{#fig-a fig-alt="…"}`, and in a shortcode, `{{< video … >}}`."""
STOP = lazy_re(
    rf"""[`<\\$\[\]^{{:@%\n](?:
        (?<=\n)(?=(?P<line>%|[ \t>]*(?:[\#`~|:=\-*+\[(]|!include\b|[!?]{{3}}|\d{{1,3}}[.)]
              |{_LETTERED}|\\begin)
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
LINE = lazy_re(
    r"""(?P<fence>[ \t>]*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?
            (?P<ticks>`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})[^\n]*)
      | (?P<heading>\ {0,3}(?P<hashes>\#{1,6})(?:[ \t]+(?P<title>[^\n]*))?\r?(?=\n|\Z))
      | (?P<underline>\ {0,3}(?:=+|-+)[ \t\r]*(?=\n|\Z))
      | (?P<rule>[ \t]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,})\r?(?=\n|\Z))
      | (?P<mark>[ \t]*(?:\([^()\n]+\)=|\+{3}(?:[ \t]+\{[^\n]*)?)[ \t\r]*(?=\n|\Z))
      | (?P<bullet>[ \t>]*(?:(?:[-*+]|\#\.|\d{1,3}[.)]|\(?[a-z0-9]\)|\([ivx]{1,4}\)|"""
    + _LETTERED
    + r"""|\((?:@|ref:)[\w-]*\))[ \t]+)+
            (?:\[[^\]\d^\n]\][ \t]+)?)
      | (?P<admonition>[ \t]*(?:!!!|\?\?\?\+?|===[!+]{0,2}(?=[ \t]+"))[ \t]*[\w"][^\n]*)
      | (?P<snippet>[ \t]*-+8<-+[^\n]*)
      | (?P<included>!include(?:`[^`\n]*`)?[ \t]+["']?
            (?P<file>[^\s"'](?:\S|[^\S\n]+(?=\S))*?)["']?[ \t\r]*(?=\n|\Z))
      | (?P<callout>[ \t]*>[ \t>]*\[!\w+\][-+]?[^\n]*)
      | (?P<div>[ \t]*:{3,}[^\n]*)
      | (?P<row>[ \t]*(?:\|[^\n]*|\+[-=+: \t]{3,}))
      | (?P<footnote>\[\^[^\]\s]+\]:[ \t]*)
      | (?P<link>\ {0,3}\*?\[[^\[\]\n^@]+\]:[ \t]*\S+[^\n]*)
      | (?P<remark>%(?!%)[^\n]*)
      | (?P<indented>(?:\ {4}|\t)[^\n]*\S[^\n]*)
    """,
    re.VERBOSE,
)
EQUATION_LABEL = lazy_re(r"[ \t]*\((?P<label>[\w:.-]+)\)[ \t\r]*(?=\n|\Z)")
"""The label that MyST gives a displayed formula, behind it: `$$ (eq-one)`."""
STRUCK = {"--": "--}", "~~": "~>", ">>": "<<}"}
"""How what CriticMarkup deletes, replaces or remarks upon ends: `{~~old~>new~~}`."""
BLOCK_TAG = lazy_re(
    r"</?(?:p|div|[uod]l|li|d[dt]|table|caption|thead|tbody|t[rhd]|h[1-6r]|blockquote|center|details"
    r"|summary|section|article|aside|header|footer|figure|figcaption)(?![\w-])",
    re.IGNORECASE,
)
"""The tags of HTML between which there are paragraphs, items and cells."""
LATER_ITEM = lazy_re(rf"[ \t>]*(?:(?!1[.)])\d{{1,3}}[.)]|{_LETTERED})")
"""A number or letter that begins an item in a list; below other lines it is prose."""
EXAMPLE = lazy_re(r"[ \t>]*\(@(?P<label>[\w-]*)\)[ \t]")
CLOSING_HASHES = lazy_re(r"(?<![ \t])[ \t]++#+[ \t]*$")
ATTRIBUTES = lazy_re(r"(?<![ \t])[ \t]*+\{[^{}]*\}[ \t]*$")
CODE_LINES = lazy_re(r"(?:(?:(?: {4}|\t)[^\n]*|[ \t\r]*)(?:\n|\Z))+?(?=(?! {4}|\t|[ \t\r]*\n)|\Z)")
LIST_LINE = lazy_re(
    rf"[ \t>]*(?:(?:[-*+]|#\.|\d{{1,3}}[.)]|\((?:[a-z]|[ivx]{{2,4}}|@[\w-]*)\)|:|{_LETTERED})[ \t]"
    r"|\[\^[^\]\s]+\]:\s|(?:!!!|\?\?\?\+?)[ \t]*\w|===[!+]{0,2}[ \t]+\")"
)
"""A line that what is indented below may belong to: an item, a footnote, an admonition or a tab."""
WIKI_LINK = lazy_re(r"\[\[@[^\[\]\n]*\]\]")
"""A link to the note on a paper, as Obsidian's `[[@key]]` and `[[@key|Doe (2020)]]`."""
TICKS = lazy_re("`+")
BEFORE_LOCATOR = lazy_re(r"[ \t]*+(?:\r?\n)?[ \t]*+(?=\[)")
FOOTNOTE_END = lazy_re(r"\n[ \t\r]*\n(?! {4}|\t)|\n(?=\[\^[^\]\s]+\]:)")
DOI_LINK = lazy_re(
    r"(?:\]\(|<)(?P<doi>(?:doi:|https?://(?:dx\.)?doi\.org/)10\.\d{4,9}/[^\s<>()]+)(?:\)|>)",
    re.IGNORECASE,
)
"""A link to a DOI, which cites in MyST."""
BARE_CITATION = lazy_re(
    r"(?:(?:see|cf\.?|e\.g\.|also|vgl\.|siehe|voir)?[\s,;]*+-?@[\s;]*+"
    r"(?:,\s*+(?:pp?\.|ch(?:ap)?\.|sec\.|fig\.)?\s*+\d[\d–-]*+[\s;]*+)?)+",
    re.IGNORECASE,
)
"""What stands in brackets where a citation has no key yet: `[@]`, `[see @]`, `[@, p. 3]`."""
ROLE_KEY = lazy_re(r"\{[^{}]*\}|(?P<key>[^,;\s{}](?:[^,;\n{}]*[^,;\s{}])?)")
"""A key in a role, or a note on a key: `{cite:p}`{see}doe2020{p. 3}`` has two notes."""
DIRECTIVE = lazy_re(
    r"""[ \t>]*[`~:]{3,}[ \t]*\{(?:
        note|tip|hint|important|warning|caution|attention|danger|error|seealso|admonition|sidebar
       |margin|aside|topic|epigraph|pull-quote|highlights|blockquote|figure|table|list-table
       |dropdown|details|card|grid(?:-item(?:-card)?)?|tab-(?:set|item)|container|div|abstract
       |version(?:added|changed)|deprecated|full-width
       |(?:prf:)?(?:theorem|lemma|corollary|proposition|conjecture|definition|proof|remark|example
         |axiom|criterion|property|observation|assumption)
       |exercise(?:-start)?|solution(?:-start)?|hypothesis|block2?
       )(?:[ \t,][^{}\n]*)?\}""",
    re.VERBOSE,
)
"""The first line of a directive of MyST, or of a block of bookdown, that holds prose."""
DIRECTIVE_NAME = lazy_re(r"[ \t>]*[`~:]{3,}[ \t]*\{[\w:-]+\}")
TARGET_OPTION = lazy_re(
    r"^[ \t>]*(?::(?:label|name):|(?:label|name):)[ \t]*(?P<label>[^\s#](?:[^\n]*\S)?)[ \t\r]*$",
    re.MULTILINE,
)
TARGET = lazy_re(r"[ \t]*\((?P<label>[^()\n]+)\)=")
"""The line of MyST that names what stands below it: `(my-section)=`."""
ANCHOR = lazy_re(
    r"(?:\{[^{}\n]*?\#|\#\|[ \t]*label:[ \t]*)(?P<label>[\w:.-]*\w)|\\label\{(?P<latex>[^{}\n]+)\}"
)
"""The name of a heading, a span, a chunk or a formula, to which only MyST refers by `@`."""
LONGEST_OPTIONS = 2100
OPTIONS_BEGIN = lazy_re(r"\n[ \t>]*---[ \t\r]*\n")
DIRECTIVE_OPTIONS = lazy_re(
    r"""\n(?:(?:[ \t>]*:[\w-]+:[^\n]*(?:\n|\Z))+
      |[ \t>]*---[ \t\r]*\n(?s:.{0,2000}?)\n[ \t>]*---[ \t\r]*(?=\n|\Z))""",
    re.VERBOSE,
)
FORMULAS = frozenset("equation align gather multline eqnarray displaymath flalign alignat".split())
