"""What parts the text of a LaTeX draft: its title and headings, captions, notes, items."""

from __future__ import annotations

import re

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import opening_brace, skip_brackets, skip_groups
from cite_lsp.manuscript.latex.commands.citation_commands import markers_in
from cite_lsp.manuscript.latex.commands.hiding import REMARKS
from cite_lsp.manuscript.latex.prose import LATEX
from cite_lsp.manuscript.latex.state import LONGEST_UNCLOSED, RUN_IN, Handler, LatexScan
from cite_lsp.manuscript.layout import Note, Span, paragraph_end
from cite_lsp.manuscript.model import HidingCommand
from cite_lsp.manuscript.scan_base import ABSTRACT_HEADINGS
from cite_lsp.manuscript.text.front_matter import year_of_date
from cite_lsp.manuscript.text.paragraphs import plain_text

_LEVELS = {
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "subparagraph": 7,
    "bmhead": 6,  # of Springer Nature's class: statements behind the text
    "addpart": 1,
    "addchap": 2,
    "addsec": 3,
    "minisec": 7,
    "BiChapter": 2,  # of Chinese theses: with the title in English in a group behind it
    "BiSection": 3,
    "BiSubsection": 4,
    "BiSubsubsection": 5,
}
_UNTITLED = frozenset(("introduction", "conclusions"))
"""Headings of Copernicus, which say their title themselves, or have another in brackets."""
_NOTES = """footnote footnotetext thanks marginpar sidenote sidenotetext marginnote endnote pagenote
    tablenote tablefootnote parnote bibnote bibnotetext footnoteA footnoteB footnoteC
    Afootnote Bfootnote Cfootnote Aendnote Bendnote""".split()
_KEYWORDS = """keywords ckeywords ekeywords Keywords KeyWords KEYWORDS englishkeywords icmlkeywords
    indexterms motscles MotsClefs palabrasclave palavraschave""".split()
_FRONT = """author date affil affiliation address email institute thispagestyle
    titlerunning authorrunning newtheorem DeclareMathOperator
    orcid ccsdesc received Description altaffiliation collaboration preprint pacs
    tnotetext cortext fntext nonumnote ead homepage equalcont
    subtitle runtitle journaltitle dochead articletype authormark
    RUNTITLE RUNAUTHOR ARTICLEAUTHORS TitleCitation AuthorNames AuthorCitation corres
    etitle entitle englishtitle hypersetup lstset tikzset graphicspath
    curraddr urladdr subjclass dedicatory altaffil altaffilmark authorsaddresses titlenote
    correspondence corresp corrauth correspondingauthor runningtitle runningauthor runninghead
    shorttitle shortauthors firstpage copyrightyear acmYear acmDOI acmISBN acmBooktitle acmJournal
    IEEEauthorblockN IEEEauthorblockA IEEEspecialpapernotice icmltitlerunning
    printAffiliationsAndNotice university department faculty institution supervisor advisor
    coadvisor cosupervisor""".split()
_FRONT_GROUPS = {
    "Author": 2,
    "altaffiltext": 2,
    "acmConference": 3,
    "icmlauthor": 2,
    "icmlaffiliation": 2,
    "icmlcorrespondingauthor": 2,
    "icmlsetsymbol": 2,
}
"""The same for commands with several groups: how many."""
_CAPTIONS = "caption captionof subcaption tablecaption".split()
_PAIRS = frozenset(("bicaption", "epigraph", "qitem"))
"""The commands with two texts in a row: in two languages, or a motto with its author."""
_FRAME_TITLES = "frametitle framesubtitle".split()
_TITLES = """title Title TITLE covertitle thesistitle ctitle zhtitle icmltitle titulo
    Titulo""".split()
_ABSTRACTS = ABSTRACT_HEADINGS - {"summary"}
"""Not a summary, which more often stands at the end."""
_BORDERS = "par maketitle newpage clearpage tableofcontents appendix printbibliography".split()

_LINE_END = lazy_re(r"[ \t]*(?:%[^\n]*)?\r?(?:\n|\Z)")
FRAME_TITLE = lazy_re(
    r"""(?:<[^<>\n{}]*>|\[[^\[\]\n]*\])*
        (?:\{(?>(?:[^{}\n]++|\n(?![ \t\r]*\n)|\{[^{}\n]*\})*)\}){1,2}
        (?:<[^<>\n{}]*>)?""",
    re.VERBOSE,
)
"""The arguments of a frame of beamer, or of its title: overlays, options, title and subtitle."""
_OVERLAY = lazy_re(r"<[^<>\n{}]*>")
_TWIN = lazy_re(r"\[[^\[\]\n]*\]|\{[^{}\n]*\}")
"""An English title behind a Chinese title, as in theses: `\\chapter{绪论}[Introduction]`."""
_NEXT_HEADING = lazy_re(rf"\\(?:{'|'.join((*_LEVELS, *_UNTITLED))})(?![A-Za-z@])")
_SET_TITLE = lazy_re(r"(?:^|[{,])[ \t]*c?title[ \t]*=[ \t]*(?=\{)", re.MULTILINE)
_LONGEST_SETTINGS = 20_000
_LONGEST_NOTE = 8000
_LONGEST_ABSTRACT = 10_000


def _text_of(scan: LatexScan, start: int) -> Span | None:
    """Return the range of a heading or a caption; its short form in brackets cites beside it."""
    behind = skip_brackets(scan.text, start)
    content = scan.group(behind)
    if content is not None:
        scan.markers_outside_prose += markers_in(scan.text, start, behind, scan.commands)
    return content


def heading(scan: LatexScan, match: re.Match[str], name: str) -> int:
    """Read a heading, set as that of the command `name`."""
    content = _text_of(scan, match.end())
    if content is None:
        return match.end()
    start, end = content
    body = min(end + 1, len(scan.text))
    if _LEVELS[name] < RUN_IN:
        scan.tables.leave_tables(match.start())
    title = plain_text(scan.text[start:end], LATEX)
    twin = _TWIN.match(scan.text, body) if has_han(title) else None
    if twin and not has_han(twin.group()):
        body = twin.end()
    scan.headings.append((match.start(), body, _LEVELS[name], title))
    scan.borders.append((match.start(), body))
    if title.casefold() in _ABSTRACTS:
        behind = _NEXT_HEADING.search(scan.text, body, body + _LONGEST_ABSTRACT)
        if behind:
            scan.abstracts.setdefault(title, (body, behind.start()))
    return start


def _untitled_heading(scan: LatexScan, match: re.Match[str], name: str) -> int:
    body = skip_brackets(scan.text, match.end())
    title = plain_text(scan.text[match.end() : body].strip()[1:-1], LATEX) or name.capitalize()
    scan.headings.append((match.start(), body, _LEVELS["section"], title))
    scan.borders.append((match.start(), body))
    return match.end()


def _front(scan: LatexScan, match: re.Match[str], name: str) -> int:
    content = scan.group(skip_brackets(scan.text, match.end()))
    if content is None:
        return match.end()
    more = _FRONT_GROUPS.get(name, 1) - 1
    end = skip_groups(scan.text, content[1] + 1, more) if more else None
    scan.omissions.append((match.start(), end or content[1] + 1))
    if name == "date" and scan.year is None:
        scan.year = year_of_date(scan.text[slice(*content)])
    return content[0]


def _keywords(scan: LatexScan, match: re.Match[str], name: str) -> int:
    r"""Set keywords apart; `\keyword` of MDPI has all of them, on a line of its own."""
    content = scan.group(skip_brackets(scan.text, match.end()))
    if content is None or (name == "keyword" and not _has_own_line(scan.text, match, content[1])):
        return match.end()
    return scan.set_apart(match.start(), content[1] + 1)


def _has_own_line(text: str, match: re.Match[str], closing: int) -> bool:
    """Whether a command that a brace closes has no text beside it in its line."""
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    return not before.strip() and _LINE_END.match(text, closing + 1) is not None


def _title(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    content = scan.group(skip_brackets(scan.text, match.end()))
    if content is None:
        return match.end()
    scan.omissions.append((match.start(), content[1] + 1))
    if scan.title is None:
        scan.title = content
    return content[0]


def _title_of_plos(scan: LatexScan, match: re.Match[str], name: str) -> int:
    r"""Read the title as the template of PLOS sets it: `{\Large\textbf\newline{…}}`."""
    is_title = scan.title is None and scan.text.endswith("\\textbf", 0, match.start())
    return _title(scan, match, name) if is_title else match.end()


def settings(scan: LatexScan, match: re.Match[str]) -> int:
    r"""Pass over the settings of a class; they may hold the title: `\thusetup{title = {…}}`."""
    content = scan.group(skip_brackets(scan.text, match.end()), _LONGEST_SETTINGS)
    if content is None:
        return match.end()
    title = _SET_TITLE.search(scan.text, *content)
    if title and scan.title is None:
        scan.title = scan.group(title.end())
    return scan.omit(match.start(), content[1] + 1)


def _abstract(scan: LatexScan, match: re.Match[str], name: str) -> int:
    """Read an abstract, in several groups where it has parts, as that of Astronomy & Astrophysics.

    What it is called may stand in brackets before it.
    """
    content = scan.group(skip_brackets(scan.text, match.end()), _LONGEST_ABSTRACT)
    if content is None:
        return match.end()
    start = content[0]
    scan.borders.append((match.start(), start))
    while part := scan.group(content[1] + 1, _LONGEST_ABSTRACT):
        scan.borders.append((content[1], part[0]))
        content = part
    scan.abstracts.setdefault(name, (start, content[1]))
    scan.borders.append((content[1], content[1] + 1))
    return start


def _note(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    overlay = _OVERLAY.match(scan.text, match.end())
    return _take_note(scan, match, overlay.end() if overlay else match.end())


def _remark(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    return _take_note(scan, match, match.end(), remark=True)


def own_remark(scan: LatexScan, match: re.Match[str], _name: str, command: HidingCommand) -> int:
    """Read a remark, the last argument of a command of the draft's own."""
    behind = skip_groups(scan.text, skip_brackets(scan.text, match.end()), command.arguments - 1)
    return match.end() if behind is None else _take_note(scan, match, behind, remark=True)


def _take_note(scan: LatexScan, match: re.Match[str], behind: int, *, remark: bool = False) -> int:
    opening = opening_brace(scan.text, skip_brackets(scan.text, behind))
    if opening is None:
        return match.end()
    closing = scan.closing(opening, _LONGEST_NOTE)
    if closing is None:
        stop = min(opening + LONGEST_UNCLOSED, len(scan.text))
        closing = paragraph_end(scan.text, opening, stop)
    if scan.notes and match.start() < scan.notes[-1].close:  # no further than the one around
        closing = max(min(closing, scan.notes[-1].close), opening + 1)
    end = min(closing + 1, len(scan.text))
    scan.notes.append(Note(match.start(), opening + 1, closing, end, remark))
    return opening + 1


def _caption(scan: LatexScan, match: re.Match[str], name: str) -> int:
    position = match.end()
    if name == "captionof":
        position = skip_groups(scan.text, position, 1) or position
    content = _text_of(scan, position)
    if content is None:
        return match.end()
    _take_caption(scan, match.start(), content)
    if name in _PAIRS and (second := scan.group(content[1] + 1)):
        _take_caption(scan, content[1], second)
    return content[0]


def _take_caption(scan: LatexScan, start: int, content: Span) -> None:
    scan.borders += ((start, content[0]), (content[1], content[1] + 1))
    scan.tables.caption(content)


def _frame_title(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    title = FRAME_TITLE.match(scan.text, match.end())
    if title:
        scan.borders.append((match.start(), title.end()))
    return match.end()


def _border(scan: LatexScan, match: re.Match[str], name: str) -> int:
    overlay = _OVERLAY.match(scan.text, match.end()) if name == "item" else None
    border = overlay.end() if overlay else match.end()
    end = skip_brackets(scan.text, border) if name == "item" else border
    if name == "item" and match.start() < scan.inline_list_end:
        scan.omissions.append((match.start(), end))
        return border
    if name == "printbibliography":
        border = end = skip_brackets(scan.text, border)
    scan.borders.append((match.start(), border))
    if end > border:
        scan.omissions.append((border, end))
    return border


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_LEVELS, heading),
    **dict.fromkeys((*_FRONT, *_FRONT_GROUPS), _front),
    **dict.fromkeys((*_KEYWORDS, "keyword"), _keywords),
    **dict.fromkeys(_UNTITLED, _untitled_heading),
    **dict.fromkeys(_TITLES, _title),
    "newline": _title_of_plos,
    **dict.fromkeys(("abstract", "ABSTRACT", "cabstract", "eabstract"), _abstract),
    **dict.fromkeys(_NOTES, _note),
    **dict.fromkeys(REMARKS, _remark),
    **dict.fromkeys((*_CAPTIONS, *_PAIRS), _caption),
    **dict.fromkeys(_FRAME_TITLES, _frame_title),
    **dict.fromkeys((*_BORDERS, "item"), _border),
}
