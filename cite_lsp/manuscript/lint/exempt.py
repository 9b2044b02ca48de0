"""The prose in which nobody looks for missing citations: captions, thanks, theorems, remarks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import frozen

from cite_lsp.language import HAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.draft.note_references import label_of, references_to
from cite_lsp.manuscript.latex.prose import LATEX
from cite_lsp.manuscript.layout import Span, is_within
from cite_lsp.manuscript.lint.exempt_lines import is_name, is_prose, is_statement
from cite_lsp.manuscript.lint.exempt_references import is_reference, written_references
from cite_lsp.manuscript.lint.exempt_titles import exempts_subsections, is_exempt_title
from cite_lsp.manuscript.model import Section, Sentence
from cite_lsp.manuscript.text.brackets import closings
from cite_lsp.manuscript.text.comments import without_comments
from cite_lsp.manuscript.text.paragraphs import plain_text
from cite_lsp.storage.caches import ByObject

_STATEMENTS = (
    "theorem|lemma|corollary|proposition|conjecture|definition|proof|algorithm|algorithmic|axiom"
)
_FRONT = (
    "titlepage|resumen|resumo|r[eé]sum[eé]|zusammenfassung|kurzfassung|riassunto|streszczenie"
    "|[öo]zet|[a-z]*abstract[a-z]*|(?:ieee)?keywords?"
    "|ack(?:s|nowledge?ments?)?|credits|(?:ieee|author)?biography(?:nophoto)?"
    "|highlights|suppinfo|tocentry|dedication"
    "|thanks|publications?|achievements?|projects?|patents?|comments|resolution"
    "|(?:de)?notation|nomenclature|acronym"
)
_BEHIND = (
    "ackn?owledge?ments?|ackn?ow|acks|abbreviations|authorcontributions?|authordeclaration"
    "|(?:code|data|codedata|sample)availability|(?:competing|conflictsof)interests?|disclaimer"
    "|facilities|financialsupport|funding|informedconsent|institutionalreview"
    "|significancestatement|supplementary"
)
"""Commands of publishers' classes for what they print before or behind the text."""
# Captions stand in the options of a listing or a box, too.
_CAPTION = lazy_re(
    r"\\(?:sub|fig|tab(?:le)?)?caption(?:of\*?\s*\{[^{}]*\}|above|below)?\*?\s*+(?:\[[^\[\]]*\]\s*+)?(?=\{)"
    r"|\\bicaption\s*+(?:\[[^\[\]]*\]\s*+)?(?=\{)"
    r"|(?<=[\[{,\s])(?:caption|title)\s*+=\s*+(?:(?=\{)|[^{},\]\n]++)"
    rf"|\\(?:thanks|date|author(?:note)?|affil|institute|note|[ce]?abstract|{_BEHIND})"
    r"(?:<[^<>\n]*>)?\s*+(?:\[[^\[\]]*\]\s*+)?(?=\{)"
)
_LIFE = lazy_re(r"\\bio(?![A-Za-z@]).{0,4000}?\\endbio", re.DOTALL)
"""The life of an author in Elsevier's classes."""
_SECOND = lazy_re(r"\s*(?:%[^\n]*\n\s*)*(?=\{)")
"""Leads from the first caption of a pair, in one language, to that in the other."""
_PAIRS = "\\bicaption", "\\abbreviations"
_BOOKMARK = lazy_re(
    r"\\(?:addcontentsline\s*\{\w+\}\s*\{\w+\}|pdfbookmark\s*\[[^\[\]]*\])\s*"
    r"\{((?>(?:[^{}]++|\{[^{}]*\})*))\}"
)
"""What some theses have in place of a heading."""
_THANKS = lazy_re(r"\\ack(?:nowledge?ments?)?(?!\s*\{)(?:[ \t]*\n|[ \t]+[^\W_])")
"""What stands in place of the heading in articles on physics: `\\acknowledgments`."""
_FRAME = lazy_re(
    r"\\(?:begin\s*\{frame\}|frametitle\b)(?:<[^<>\n{}]*>|\[[^\[\]\n]*\])*+\s*"
    r"\{([^{}\n]{3,80})\}"
)
_ENVIRONMENTS = f"{_FRONT}|{_STATEMENTS}|thm|lem|cor|prop|defn?|frontmatter|icmlauthorlist"
_BODY = lazy_re(r"\\begin\s*\{document\}")
_TITLE_PRINTED = lazy_re(r"\\maketitle(?![A-Za-z@])")
_OWN_STATEMENT = lazy_re(
    rf"""\\(?:sp)?newtheorem\*?\s*\{{(?P<name>[A-Za-z]+)\*?\}}\s*(?:\[[^\[\]]{{0,80}}\]\s*)?\{{[^{{}}\n]{{0,80}}?
      (?:{_STATEMENTS}|satz\b|korollar|vermutung|th[ée]or[eè]me|lemme|corollaire|d[ée]finition
        |teorema|lema\b|corol[aá]rio|propos|conje[ct]|defini|定理|引理|推[论論]|命[题題]|定[义義]|公理
        |猜想|теорема|лемма|следствие|утверждение|определение|twierdzenie|lemat)
      |\\declaretheorem\s*\[[^\[\]]{{0,200}}?\bname\s*+=\s*+\{{?[^\[\],]{{0,80}}?(?:{_STATEMENTS})[^\[\]]{{0,200}}\]
        \s*\{{(?P<declared>[A-Za-z]+)\*?\}}""",
    re.VERBOSE | re.IGNORECASE,
)
"""What defines an environment of a draft's own for theorems and the like."""
_MARKDOWN_CAPTION = lazy_re(
    r"^[ \t]*(?:!\[(?:(?>(?:[^\[\]\n]|\n(?!\s*\n)|\[[^\[\]\n]*\])*)\])?[^\n]*"
    r"|(?:(?:Table|Figure|表|图)?\s?\d*:|\(ref:[\w-]+\))[ \t]+\S[^\n]*)$"
    r"|^[ \t]*[-*+][ \t]+\[[ xX]\][ \t][^\n]*$"  # a task
    r"|(?:\A|(?<=\n\n)|(?<=\n\r\n)|(?<=\)\n))[*_]{0,2}"
    r"(?:(?:Table|Figure|Fig\.)[ \t]|[表图圖][ \t]?)\d[\d.-]*?[*_]{0,2}(?:[:：]|\.(?=[*_ \t]))"
    r"[^\n]*(?:\n[ \t]*\S[^\n]*)*"
    r"|^[*_]{0,2}[表图圖][ \t]?\d[\d.-]*[ \t]+[^\n，。]{2,40}$"
    r"|<(?P<tag>figcaption|table)\b(?:(?!<(?P=tag)\b).)*?</(?P=tag)>",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_RAW_FLOAT = lazy_re(r"\\(begin|end)\{((?:long|sideways)?(?:table|figure)|tabularx?)\*?\}")
_FENCE = lazy_re(
    r"^[ \t]*(?P<sign>:{3,}[ \t]*(?P<rest>\S[^\n]*)?|(?P<ticks>`{3,})(?P<info>\{[^\n`]*)?)$",
    re.MULTILINE,
)
_FENCED = lazy_re(
    rf"#(?:thm|lem|cor|prp|cnj|def|axm|fig|tbl|lst)-|^\{{?(?:figure(?:-md)?|(?:list-)?table|prf:\w+)\}}"
    rf"|(?:^|[.{{\s])(?:{_FRONT}|{_STATEMENTS}|notes)(?:[\s}},]|$)",
    re.IGNORECASE,
)
_TYPST_PART = lazy_re(
    rf"(?<![\w-])(?:(?:sub)?title|caption|header|footer|affiliations?|address|authors?|department"
    rf"|organi[sz]ation|institution|location|e-?mail|{_FRONT})\s*:\s*(?:context\s+)?"
    r"(?:[a-z][\w.-]*)?(?=[\[(])"
    r"|\#show\s*:\s*(?:[\w-]+\s*=>\s*)?[\w.-]+(?=\()"  # a template with its arguments
    rf"|\#(?:(?:{_FRONT})(?:-[a-z]+)?|{_STATEMENTS}|todo|margin-note|inline-note)"
    r"(?:\((?>(?:[^()]++|\([^()]*\))*)\))?\s*(?=\[)|(?<![\w.-])(?:table|grid)(?=\()",
    re.IGNORECASE,
)
_ORG_LINE = lazy_re(r"^[ \t]*#\+(?:caption|subtitle)\b[^\n]*$", re.MULTILINE | re.IGNORECASE)
_ORG_BLOCK = lazy_re(
    rf"^[ \t]*\#\+begin_(?P<name>{_FRONT}|{_STATEMENTS}|notes)\b", re.MULTILINE | re.IGNORECASE
)
_STARRED = lazy_re(r"^[ \t]*\*(?P<title>[^\s*][^*\n]{1,80})\*", re.MULTILINE)
_RUN_IN = {
    "latex": lazy_re(
        r"^[ \t]*+(?:\\(?:noindent|(?:small|med|big)skip|par)\b\s*+)*+"
        r"(?:\\(?:textbf|textsc|textit|emph|underline)\s*\{|\{\s*\\(?:bf(?:series)?|sc|it)\s+)"
        r"(?P<title>[^{}\n]{2,80})\}",
        re.MULTILINE,
    ),
    "markdown": lazy_re(r"^(?P<sign>\*\*|__)(?P<title>[^*\n]{2,80}?)(?P=sign)", re.MULTILINE),
    "typst": _STARRED,
    "org": _STARRED,
}
"""Titles in bold type and the like, in a line with the text or in a line of their own above it."""
_SUMMARY = r"(?:摘(?:[\s~]|\\q?quad\s?)*要|[关關][键鍵][词詞字])"
_IN_ANY_TYPE = lazy_re(
    r"^[ \t]*(?:\\[A-Za-z]+[ \t]*|[{*_])*"
    rf"(?:[【\[]{_SUMMARY}[】\]]|{_SUMMARY}(?=[}}*_]*\s?[:：]))",
    re.MULTILINE,
)
"""What begins a Chinese abstract or its keywords, in any format: 摘要：, 【关键词】."""
_PARAGRAPH = lazy_re(r"[.:。：]?\s*+[^\n]*+(?:\n(?![ \t]*(?:\n|\Z))[^\n]++)*+")
_BRACKET = {
    opening: lazy_re(rf"\\.|[{re.escape(opening + closing)}]", re.DOTALL)
    for opening, closing in ("{}", "[]", "()")
}
_LEAST_WORDS = 4
_WORD = lazy_re(rf"[{HAN}]|(?:(?![{HAN}])[^\W\d_]){{2,}}")

_cache: ByObject[Manuscript, _ExemptParts] = ByObject()


@frozen
class _ExemptParts:
    """The ranges of a draft that are exempt, outermost ones by their start, and its sections.

    `references` are where footnotes begin that write references out, or are referred to where they
    stand apart: their sentences have those.
    """

    spans: tuple[Span, ...]
    sections: frozenset[int]
    references: tuple[int, ...]


def is_exempt(manuscript: Manuscript, sentence: Sentence) -> bool:
    """Whether a sentence is exempt: for where it stands, or because it has too few words."""
    if stands_exempt(manuscript, sentence):
        return True
    return len(_WORD.findall(sentence.text)) < _LEAST_WORDS or is_statement(sentence.text)


def stands_exempt(manuscript: Manuscript, sentence: Sentence) -> bool:
    """Whether a sentence is exempt for where it stands, however it is worded."""
    exempt = _cache.setdefault(manuscript, lambda: _exempt_parts(manuscript))
    if is_within(exempt.spans, sentence.start) or sentence.section in exempt.sections:
        return True
    number = bisect_left(exempt.references, sentence.start)
    return number < len(exempt.references) and exempt.references[number] < sentence.end


def _exempt_parts(manuscript: Manuscript) -> _ExemptParts:
    text, notes = manuscript.text, manuscript.layout.notes
    reference_notes = [note for note in notes if is_reference(text[note.body : note.close])]
    references = [(note.start, note.end) for note in reference_notes]
    labels = {label_of(text, note) for note in reference_notes} - {""}
    referred = (start for start, _ in references_to(text, manuscript.format, labels))
    return _ExemptParts(
        tuple(_outermost([*_exempt_spans(manuscript), *references])),
        _exempt_sections(manuscript.sections),
        tuple(sorted((*(start for start, _ in references), *referred))),
    )


def _exempt_sections(sections: Sequence[Section]) -> frozenset[int]:
    exempt: set[int] = set()
    around: int | None = None
    for number, section in enumerate(sections):
        if around is not None and section.level <= around:
            around = None
        if around is None and exempts_subsections(section.title):
            around = section.level
        if around is not None or is_exempt_title(section.title):
            exempt.add(number)
    return frozenset(exempt)


def _exempt_spans(manuscript: Manuscript) -> list[Span]:
    find = _OF_FORMAT.get(manuscript.format)
    spans = find(manuscript.text) if find else []
    spans += _run_in(manuscript)
    spans += written_references(manuscript.text, manuscript.format)
    if manuscript.format == "latex":
        spans += (
            _bookmarked_sections(manuscript)
            + _acknowledgements(manuscript)
            + _above_title(manuscript)
        )
    spans += [(note.body, note.end) for note in manuscript.layout.notes if note.remark]
    return spans + _lines_above_text(manuscript, _outermost(spans))


def _outermost(spans: Iterable[Span]) -> list[Span]:
    outermost: list[Span] = []
    for span in sorted(spans):
        if not outermost or span[1] > outermost[-1][1]:
            outermost.append(span)
    return outermost


def _above_title(manuscript: Manuscript) -> list[Span]:
    """Return the range from where the text of a draft begins to where its title is printed."""
    text = without_comments(manuscript.text)
    body = _BODY.search(text)
    printed = _TITLE_PRINTED.search(text, body.end()) if body else None
    if body is None or printed is None:
        return []
    return [(body.end(), min(printed.end(), _next_heading(manuscript, body.end())))]


def _lines_above_text(manuscript: Manuscript, exempt: Sequence[Span]) -> list[Span]:
    """Return the lines above the text that are no sentences: titles, authors and their addresses.

    Below a heading, which may be the title of the draft, only those that are names are none.
    """
    spans: list[Span] = []
    for sentence in manuscript.sentences:
        if is_within(exempt, sentence.start):
            continue
        if is_prose(sentence.text):
            break
        above = not manuscript.sections[sentence.section].title
        if not sentence.markers and (above or is_name(sentence.text)):
            spans.append((sentence.start, sentence.end))
    return spans


def _of_latex(text: str) -> list[Span]:
    spans = [
        (match.start(), _behind_bracket(text, match.end())) for match in _CAPTION.finditer(text)
    ]
    spans += [
        (end, _behind_bracket(text, second.end()))
        for start, end in spans
        if text.startswith(_PAIRS, start) and (second := _SECOND.match(text, end))
    ]
    spans += [match.span() for match in _LIFE.finditer(text)]
    return spans + _frames(text) + _environments(text, _environment(text))


def _behind_bracket(text: str, opening: int) -> int:
    """Return the offset behind the bracket that closes the one at an offset, or that without."""
    sign = _BRACKET.get(text[opening : opening + 1])
    closing = closings(text, sign).get(opening, len(text)) if sign else len(text)
    return closing + 1 if closing < len(text) else opening


def _environment(text: str) -> re.Pattern[str]:
    """Return a pattern for the edges of environments that are left alone, with a draft's own."""
    definitions = _OWN_STATEMENT.finditer(text)
    draft_statements = "".join(
        sorted({f"|{match['name'] or match['declared']}" for match in definitions})
    )
    return re.compile(
        rf"\\(begin|end)\s*\{{({_ENVIRONMENTS}{draft_statements})\*?\}}", re.IGNORECASE
    )


def _run_in(manuscript: Manuscript) -> list[Span]:
    """Return the paragraphs that begin with the title of such a section, mostly in bold type."""
    text, title = manuscript.text, _RUN_IN.get(manuscript.format)
    spans: list[Span] = []
    for match in title.finditer(text) if title else ():
        if spans and match.start() < spans[-1][1]:
            continue
        if is_exempt_title(match["title"]):
            spans += _paragraph_behind(manuscript, match)
    for match in _IN_ANY_TYPE.finditer(text):
        spans += _paragraph_behind(manuscript, match)
    return spans


def _paragraph_behind(manuscript: Manuscript, title: re.Match[str]) -> list[Span]:
    """Return the range of a title in the text and the paragraph behind it, up to a heading."""
    paragraph = _PARAGRAPH.match(manuscript.text, title.end())
    if paragraph is None:
        return []
    return [(title.start(), min(paragraph.end(), _next_heading(manuscript, title.start())))]


def _bookmarked_sections(manuscript: Manuscript) -> list[Span]:
    """Return the ranges from a bookmark with the title of such a section to the next heading."""
    return [
        (match.start(), _next_heading(manuscript, match.start()))
        for match in _BOOKMARK.finditer(without_comments(manuscript.text))
        if is_exempt_title(plain_text(match[1], LATEX))
    ]


def _acknowledgements(manuscript: Manuscript) -> list[Span]:
    """Return the ranges from a command that begins acknowledgements to the next heading."""
    return [
        (match.start(), _next_heading(manuscript, match.start()))
        for match in _THANKS.finditer(without_comments(manuscript.text))
    ]


def _next_heading(manuscript: Manuscript, offset: int) -> int:
    sections = manuscript.sections
    number = bisect_right(sections, offset, key=lambda section: section.start)
    return sections[number].start if number < len(sections) else len(manuscript.text)


def _frames(text: str) -> list[Span]:
    """Return the ranges of slides that have the title of such a section."""
    return [
        (match.start(), end)
        for match in _FRAME.finditer(text)
        if is_exempt_title(match[1]) and (end := text.find(r"\end{frame}", match.end())) >= 0
    ]


def _environments(text: str, edge: re.Pattern[str]) -> list[Span]:
    """Return the ranges of environments; `edge` is a pattern for `begin` or `end` and a name."""
    spans: list[Span] = []
    begun: list[tuple[str, int]] = []
    for match in edge.finditer(text):
        name = match[2].lower()
        if match[1] == "begin":
            begun.append((name, match.start()))
        elif begun and begun[-1][0] == name:
            spans.append((begun.pop()[1], match.end()))
    return spans


def _of_markdown(text: str) -> list[Span]:
    spans = [match.span() for match in _MARKDOWN_CAPTION.finditer(text)]
    spans += _environments(text, _RAW_FLOAT)
    begun: list[tuple[bool, int, int]] = []
    for fence in _FENCE.finditer(text):
        ticks = len(fence["ticks"] or "")
        opened = fence["rest"] or fence["info"]
        if opened:
            begun.append((bool(_FENCED.search(opened)), fence.start(), ticks))
        elif begun and bool(ticks) == bool(begun[-1][2]) and ticks >= begun[-1][2]:
            exempt, start, _ = begun.pop()
            spans += [(start, fence.end())] if exempt else []
    return spans


def _of_typst(text: str) -> list[Span]:
    spans: list[Span] = []
    for match in _TYPST_PART.finditer(text):
        end = _behind_bracket(text, match.end())
        if end > match.end() and text.startswith("[", end):  # text(size: 9pt)[A caption]
            end = _behind_bracket(text, end)
        spans.append((match.start(), end))
    return spans


def _of_org(text: str) -> list[Span]:
    return [*(line.span() for line in _ORG_LINE.finditer(text)), *_org_blocks(text)]


def _org_blocks(text: str) -> Iterator[Span]:
    """Yield the blocks that are left alone; what ends none is looked for once."""
    unended: set[str] = set()
    position = 0
    while block := _ORG_BLOCK.search(text, position):
        position, name = block.end(), block["name"].lower()
        ending = rf"^[ \t]*#\+end_{re.escape(name)}\b[^\n]*$"
        flags = re.MULTILINE | re.IGNORECASE
        end = None if name in unended else re.compile(ending, flags).search(text, position)
        if end is None:
            unended.add(name)
        else:
            yield block.start(), end.end()
            position = end.end()


_OF_FORMAT: dict[str, Callable[[str], list[Span]]] = {
    "latex": _of_latex,
    "markdown": _of_markdown,
    "typst": _of_typst,
    "org": _of_org,
}
