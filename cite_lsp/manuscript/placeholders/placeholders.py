r"""What writers leave where a citation is still to come: `[?]`, `(REF)`, `\todo{cite}`, `% cite`.

Such a note becomes a marker without keys. What may be words of the text is left alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate

from attrs import evolve

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.draft.blocks import Block
from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.layout import Layout, Span
from cite_lsp.manuscript.model import PLACEHOLDER, HidingCommand, Marker
from cite_lsp.manuscript.placeholders.placeholder_words import (
    asks_for_citation,
    is_question,
    is_request,
    is_request_in_parentheses,
    named_work,
)
from cite_lsp.manuscript.text.comments import comment_between
from cite_lsp.manuscript.text.plain import with_plain_breaks

_LONGEST = 60
_SAID = rf"[\w\s@:,;.!?…？！：/&’'+-]{{1,{_LONGEST}}}"
_INSIDE = rf"(?P<inside>{_SAID})".replace(r"\s", r"\x20\t")
_HIDDEN = _INSIDE.replace("inside", "hidden")
_BRACKETED = lazy_re(
    rf"""[\[(【［〔（](?:
        (?<=\[)(?P<square>{_SAID})\]
      | (?<=\()(?P<round>{_SAID})\)
      | (?<=（)(?P<wide_round>{_SAID})）
      | (?<![(（])(?P<wide>{_SAID})[】］〕]
    )""",
    re.VERBOSE,
)
_COMMANDS = {
    "markdown": lazy_re(
        rf"""[<{{](?:
            (?<=<)(?P<tag>mark|su[pb]|[biu]|em|strong|small|span|font)\b[^<>\n]*>
              \[{_INSIDE}\]</(?P=tag)>
          | (?<={{)\{{(?i:citation[ ]needed|cn|fact)(?:\|[^{{}}\n]{{0,99}})?\}}\}}
        )""",
        re.VERBOSE,
    ),
    "typst": lazy_re(
        rf"#(?:todo|highlight|text\([^()\n]*\)|margin-note|inline-note)\[\[?{_INSIDE}\]?\]"
    ),
}


@lru_cache(maxsize=16)
def _latex_commands(remarks: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Return the pattern of notes in LaTeX; `remarks` are the commands of authors to each other."""
    remark_commands = "".join(rf"|{re.escape(name)}(?![A-Za-z@])" for name in remarks)
    return re.compile(
        rf"""\\(?:
            (?:todo|fixme|fxnote|fxwarning|hl|highlight{remark_commands}
              |(?:text|f?)color(?:box)?\{{[^{{}}\n]*\}})
              \*?(?:\[[^\[\]\n]*\])?\{{\[?{_INSIDE}\]?\}}
          | (?:text(?:superscript|bf|it|sl|sc)|emph|uline|underline|mbox)\{{\[{_HIDDEN}\]\}}
          | (?:(?:cit(?:e|es|ation)|ref)needed|needs?(?:cite|citation|ref)
              |(?:missing|add)(?:cite|citation|ref)|tocite)
              (?![A-Za-z@])(?!\s*[\[{{][^}}\]])(?:\{{\}})?
        )""",
        re.VERBOSE,
    )


_OWN_COMMAND = lazy_re(rf"\\[A-Za-z@]+\*?(?:\[[^\[\]\n]*\])?\{{\[?{_INSIDE}\]?\}}")
_COMMENTS = {
    "latex": lazy_re(rf"%(?<![\\%]%)%*+[ \t]*+{_INSIDE}(?=\r?$)", re.MULTILINE),
    "markdown": lazy_re(rf"[<%](?:(?<=<)!--\s*+{_INSIDE}-->|(?<=%)%[ \t]*+{_HIDDEN}%%)"),
    "typst": lazy_re(
        rf"/(?:(?<![:/]/)/[ \t]*+{_INSIDE}(?=\r?$)|\*[ \t]*+{_HIDDEN}\*/)",
        re.MULTILINE,
    ),
}
_ONLY_COMMANDS = lazy_re(r"(?:\\[A-Za-z@]+\*?(?:\[[^\]]*\]|\{[^{}]*\})*+\s*+)++")
"""What a comment says something of that is no sentence: `\\usepackage{natbib} % citations`."""
_OPTION = lazy_re(r"\\[A-Za-z@]+\*?\s*\Z|[\]}]\Z|\\(?:texttt|code|lstinline|url)\{[^{}]*\Z")
r"""What no note follows: what an option may, `\item [?]`, and what code begins with."""
_CONTENT = lazy_re(r"[\])]\Z|#[\w.-]+\Z")
"""The same in Typst, where brackets hold content: `#strong[ref]`."""
_LETTER_BEFORE = lazy_re(r"[A-Za-z0-9_]\Z")
_ATTACHED = lazy_re(r"[A-Za-z0-9_(\[{=*+/\\^]")
"""What goes on from a bracket that is no note: a link, a pattern, the rest of a word."""
_NEXT_STOP = lazy_re(r"\s*(?:[.,;:!?。，；：！？、)）]|\Z)")
_NAME = lazy_re(r"(?:\d|\b[A-Z][\w’'-]*)\s*\Z")
_LAST_WORD = lazy_re(r"(\w+)[.~\s]*\Z")
_NUMBERED = frozenset(
    """abb abbildung abschnitt algorithm algoritmo anhang appendix apéndice capítulo
    chapitre chapter corolario corollary definición definition ecuación eq eqs equation
    equations equação expresión expression expressão fig figs figura figuras figure
    figures gleichung kapitel lema lemma lemme page proposición proposition proposição
    página satz sec sección section sections seite seção tab tabela tabelle tabla table
    tableau tables teorema theorem théorème équation""".split()
)
"""What bears a number in a draft: in "theorem (?)" that number is to come, and no citation."""
_WORD = lazy_re(r"\w+")
_DEFINED = lazy_re(r"^[ \t]*\[([^\[\]\n]{1,60})\]:", re.MULTILINE)
"""What a link of Markdown in brackets may lead to."""
_BEFORE = 60

_Candidate = tuple[Span, Span | None]
"""A note, and what of it has to be plain text; of commands and comments nothing need be."""


def with_placeholders(manuscript: Manuscript) -> Manuscript:
    """Return a manuscript with a marker for each note of its prose that asks for a citation."""
    text, format, layout = manuscript.text, manuscript.format, manuscript.layout
    candidates: list[_Candidate] = [*_in_brackets(manuscript)]
    lines = _CommentLines(text, format, layout)
    marked_up = (*_in_commands(manuscript, lines), *_in_comments(text, format, lines))
    candidates += [(span, None) for span in marked_up]
    if not candidates:
        return manuscript
    candidates = _separate(sorted(candidates, key=lambda candidate: candidate[0]), layout)
    added = {*_in_prose(candidates, manuscript)}
    if not added:
        return manuscript
    markers = (*layout.markers, *(Marker(PLACEHOLDER, (), *span) for span in added))
    layout = evolve(
        layout,
        markers=tuple(sorted(markers, key=lambda marker: marker.start)),
        omissions=tuple(omission for omission in layout.omissions if omission not in added),
        notes=tuple(note for note in layout.notes if (note.start, note.end) not in added),
    )
    return evolve(manuscript, layout=layout)


def work_named_by(text: str, marker: Marker) -> str:
    """Return the words by which a note names what is to be cited: `Doe 2020`, or ""."""
    if marker.command != PLACEHOLDER:
        return ""
    note = text[marker.start : marker.end]
    commands = _latex_commands(), _OWN_COMMAND, *_COMMANDS.values()
    for pattern in (_BRACKETED, *commands, *_COMMENTS.values()):
        for match in pattern.finditer(note):
            if words := next(
                filter(None, (named_work(group) for group in match.groups() if group)), ""
            ):
                return words
    return ""


def _bracketed(manuscript: Manuscript) -> Iterator[re.Match[str]]:
    """Yield what stands in brackets and may be a note; after an edit only around it is searched."""
    text, edit = manuscript.text, manuscript.edit
    if edit is None or edit.brackets is None:
        places = [match.start() for match in _BRACKETED.finditer(text)]
    else:
        stretch, before, reach = edit.stretch, edit.brackets, _LONGEST + 2
        first = max(stretch.start - reach, 0)
        near = _BRACKETED.finditer(text, first, stretch.end + reach)
        places = [
            *before[: bisect_left(before, first)],
            *(match.start() for match in near if match.start() < stretch.end),
            *(at + stretch.shift for at in before[bisect_left(before, stretch.end_before) :]),
        ]
    manuscript.read_parts.brackets = tuple(places)
    for place in places:
        match = _BRACKETED.match(text, place)
        if match:
            yield match


def _in_brackets(manuscript: Manuscript) -> Iterator[_Candidate]:
    text, format = manuscript.text, manuscript.format
    draft = _DraftText(text, manuscript.layout)
    for match in _bracketed(manuscript):
        square = match["square"] or match["wide"]
        words = square or match["round"] or match["wide_round"]
        if is_question(words):
            is_note = bool(square) or _doubts_no_name(match)
        elif square:
            is_note = is_request(square)
            is_note = is_note and not (format == "markdown" and draft.is_linked(square))
        else:
            is_note = is_request_in_parentheses(words)
            is_note = is_note and not draft.is_abbreviation(words, match.start())
        if is_note:
            span = _with_emphasis(*match.span(), text, format)
            if not _belongs_to_markup(text, span, format, square=bool(square)):
                yield span, match.span()


def _with_emphasis(start: int, end: int, text: str, format: str) -> Span:
    """Return the range of a note with the signs around it that make it stand out: `**[CITE]**`."""
    while format != "latex" and text[end : end + 1] in ("*", "_", "=", "~"):
        if start == 0 or text[start - 1] != text[end]:
            break
        start, end = start - 1, end + 1
    return start, end


def _doubts_no_name(match: re.Match[str]) -> bool:
    """Whether `(?)` ends a clause, and doubts no year, name or number: in “1643 (?)” it does."""
    before = match.string[max(match.start() - _BEFORE, 0) : match.start()]
    word = _LAST_WORD.search(before)
    if _NAME.search(before) or (word and word[1].lower() in _NUMBERED):
        return False
    return _NEXT_STOP.match(match.string, match.end()) is not None


class _DraftText:
    """What the text of a draft says of single words, each looked up once."""

    def __init__(self, text: str, layout: Layout) -> None:
        self._text = text
        self._layout = layout
        self._bare: dict[str, bool] = {}

    @cached_property
    def _linked(self) -> frozenset[str]:
        titles = (section.title for section in self._layout.sections)
        return frozenset(map(_folded, (*titles, *_DEFINED.findall(self._text))))

    def is_linked(self, name: str) -> bool:
        """Whether a name in brackets is a link of Markdown: to what is defined, or to a heading."""
        return _folded(name) in self._linked

    def is_abbreviation(self, word: str, start: int) -> bool:
        """Whether capitals in parentheses abbreviate the words before, or stand elsewhere bare."""
        if not word.isupper() or not word.isalpha():
            return False
        before = _WORD.findall(self._text, max(start - _BEFORE, 0), start)
        if "".join(previous[0] for previous in before[-len(word) :]).upper() == word:
            return True
        if word not in self._bare:
            bare = re.compile(rf"(?<![\w(\[（\\{{]){word}(?![\w)\]）}}])")
            self._bare[word] = bare.search(self._text) is not None
        return self._bare[word]


def _folded(name: str) -> str:
    return " ".join(name.lower().split())


def _belongs_to_markup(text: str, span: Span, format: str, *, square: bool) -> bool:
    """Whether a bracket is markup or code by what stands beside it, and so no note."""
    start, end = span
    before = text[max(start - _BEFORE, 0) : start]
    if _LETTER_BEFORE.search(before) and not is_question(text[start + 1 : end - 1]):
        return True  # a call, foo(REF), or an element, values[ref]
    if _ATTACHED.match(text, end) or (format == "markdown" and text.startswith(":", end)):
        return True
    if format == "typst" and _CONTENT.search(before):
        return True
    if format == "latex" and square and _OPTION.search(before):
        return True
    return before.endswith(("[", "]", "\\", "!", "^", "_", "=", "/"))


def _in_commands(manuscript: Manuscript, lines: _CommentLines) -> Iterator[Span]:
    """Yield the notes in commands, but for those in comments."""
    text = manuscript.text
    if manuscript.format == "latex":
        pattern: re.Pattern[str] | None = _latex_commands(
            tuple(
                name
                for name, command in manuscript.cite_commands.items()
                if isinstance(command, HidingCommand) and command.remark and command.arguments == 1
            )
        )
    else:
        pattern = _COMMANDS.get(manuscript.format)
    for match in pattern.finditer(text) if pattern else ():
        words = (match["inside"] or match.groupdict().get("hidden") or "").strip()
        question = is_question(words) and "[" in match.group()
        if (question or not words or is_request(words)) and not lines.hide(match.start()):
            yield match.span()


def _in_comments(text: str, format: str, lines: _CommentLines) -> Iterator[Span]:
    """Yield the notes in comments; `References` in a comment on its own line asks for nothing."""
    pattern = _COMMENTS.get(format)
    for match in pattern.finditer(text) if pattern else ():
        words = next(filter(None, match.groups()), "").strip()
        before = text[max(match.start() - _BEFORE, 0) : match.start()].rpartition("\n")[2].strip()
        if before and not _ONLY_COMMANDS.fullmatch(before):
            is_note = is_request(words, todo=True)
        else:
            is_note = asks_for_citation(words) or named_work(words, todo=True) is not None
            is_note = is_note or (not before and words.lower() == "cite")
        if is_note and not lines.hide(match.start()):
            yield match.span()


class _CommentLines:
    """The comments of a text by line, each line read once."""

    def __init__(self, text: str, format: str, layout: Layout) -> None:
        self._text = text
        self._format = format
        self._code = layout.code
        self._line_start = self._line_end = self._comment_start = -1

    def hide(self, offset: int) -> bool:
        """Whether an offset is in a comment that began before it in its line."""
        if not self._line_start <= offset <= self._line_end:
            self._line_start = start = self._text.rfind("\n", 0, offset) + 1
            end = self._text.find("\n", start)
            self._line_end = end = len(self._text) if end < 0 else end
            comment = comment_between(self._text, self._format, self._code, start, end)
            self._comment_start = end if comment is None else comment
        return self._comment_start < offset


def _separate(candidates: list[_Candidate], layout: Layout) -> list[_Candidate]:
    """Return the notes that lie in no other note, hold no marker and are not left out."""
    markers = sorted(
        (marker.start, marker.end) for marker in (*layout.markers, *layout.markers_outside_prose)
    )
    cited = sorted(start for start, _ in (*markers, *layout.references))
    around = sorted({*markers, *layout.references, *layout.omissions, *layout.code})
    starts = [start for start, _ in around]
    reach = list(accumulate((end for _, end in around), max))
    separate: list[_Candidate] = []
    position = 0
    for (start, end), plain in candidates:
        if start < position or bisect_left(cited, start) < bisect_left(cited, end):
            continue
        first, later = bisect_left(starts, start), bisect_right(starts, start)
        if first and reach[first - 1] > start:
            continue
        # What begins where a comment does is the comment itself, or what it is part of.
        if bisect_left(starts, end) > first if plain else later > first and reach[later - 1] > end:
            continue
        separate.append(((start, end), plain))
        position = end
    return separate


def _in_prose(candidates: list[_Candidate], manuscript: Manuscript) -> Iterator[Span]:
    """Yield the notes that stand in prose and behind words of it, or make up a footnote."""
    starts = [start for (start, _), _ in candidates]
    for block in manuscript.blocks:
        first, last = bisect_left(starts, block.start), bisect_left(starts, block.end)
        for (start, end), plain in candidates[first:last]:
            behind_words = (block.start < start or block.note) and end <= block.end
            if behind_words and (plain is None or _is_plain(block, *plain)):
                yield start, end


def _is_plain(block: Block, start: int, end: int) -> bool:
    """Whether a range reads as it is written: in code and in formulas it does not."""
    paragraph, first = block.paragraph, start - block.start
    piece = bisect_right(paragraph.sources, first) - 1
    if piece < 0 or end - block.start > paragraph.ends[piece]:
        return False
    raw = with_plain_breaks(block.raw[first : end - block.start])
    return paragraph.text.startswith(
        raw, paragraph.starts[piece] + first - paragraph.sources[piece]
    )
