"""Where in its sentence a citation goes: behind what it names, or else before the full stop."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript, parse
from cite_lsp.manuscript.edit.named import behind_name
from cite_lsp.manuscript.latex.superscript import raised_span
from cite_lsp.manuscript.layout import Span
from cite_lsp.manuscript.model import PLACEHOLDER, Marker, Sentence
from cite_lsp.manuscript.text.comments import comment_between
from cite_lsp.manuscript.text.sentences import OTHER_STOPS, SAYING_VERBS
from cite_lsp.manuscript.text.text_edit import TextEdit

FULL_STOPS = f".!?…。！？．；;:：{OTHER_STOPS}"
CLOSERS = "\"'”’)]}）】」』»*_"
_CLOSED_BY = f"[{re.escape(CLOSERS)}]"
# A full stop or comma that a note may stand behind; in "3.5" there is none.
_STOP = lazy_re(rf"(?:[.,!?…]+(?![.,!?…\w])|[。，．！？]+){_CLOSED_BY}*")
_BEHIND_STOP = lazy_re(rf"(?<!\\)[.,!?…。，．！？]{_CLOSED_BY}{{0,3}}\Z")
_NEXT_STOP = lazy_re(rf"{_CLOSED_BY}{{0,3}}[.,!?…。，．！？]")
_GOES_ON = lazy_re(r"\s*[a-z]")
_BEGUN_BY = lazy_re(SAYING_VERBS)
_FOOTNOTE_REFERENCE = lazy_re(r"\[(?:\^|fn:)[^\]\s]+\]$|\\footnotemark(?:\[[^\]]*\])?$")
_BRACE = lazy_re(r"\\.|[{}]", re.DOTALL)
_QUOTATION = lazy_re(r"\\(?:enquote|textquote)\*?\Z")
_LONGEST_QUOTATION = 2000
_LISTED = lazy_re(r"[,;，、](?:\s+(?:and|or|und|oder|et|ou|y|o|e|и|или))?\Z")
"""What an item of a list may end with where its sentence goes on in the next item."""
_BLANKS = " ~\u00a0\u202f"
_QUOTATION_END = lazy_re(
    r"(?:[\s~]*+(?:\\(?:fg|[gf]rqq?)(?:\{\})?|[\"'”’」』»])|[*_}](?=[*_}]*+[\"'”’」』»]))++"
)
"""What closes a quotation behind its full stop, and what closes within it: `*it works.*"`."""
_CLOSING_COMMAND = lazy_re(r"[\s~]*+\\(?:fg|[gf]rqq?)(?:\{\})?\Z")
"""What closes a quotation in French and German, where guillemets are commands."""
_TIED = lazy_re(r"(?<!~)(?<!\\,)(?:~|\\,)++\Z")
"""What parts a French word from the sign behind it: "vrai~!"."""
_BETWEEN = lazy_re(r"(?:(?!\n\s*\n)[\s~])*")
_CLOSINGS = {
    "latex": lazy_re(r"\}"),
    "markdown": lazy_re(
        r"(?P<link>\](?:\((?:[^()\n]|\([^()\n]*\))*\)|\[[^\[\]\n]*\]|(?=\{))"
        r"(?:\{(?:[^{}\n]|\n(?!\s*\n))*\})?)"
    ),
    "typst": lazy_re(r"\]|(?P<link>\"[ \t]*\))"),
    "org": lazy_re(r"(?P<link>\]\])"),
}
"""What closes a link, or else a group, behind the last word of a sentence."""
_URL = r"https?://[^\s<>\[\]]+"
_ADDRESS = {
    format: lazy_re(rf"(?P<address>(?:[\s~]*(?:{addresses}))+)[\s*_/}}\])]*")
    for format, addresses in {
        "latex": r"\\(?:url|nolinkurl|path|[A-Za-z]*ref)\{[^{}]*\}"
        r"|\\verb\*?(?P<sign>\W)[^\n]*?(?P=sign)",
        "markdown": rf"<?{_URL}>?",
        "typst": rf"{_URL}|#(?:link|gls)\(\"[^\"\n]*\"\)",
        "org": rf"\[\[[^\[\]\n]+\]\]|<?{_URL}>?",
    }.items()
}
"""What prints an address, code or a number at the end of a paragraph."""
_ENTITY = lazy_re(r"&(?:[A-Za-z]{2,10}|#\w{2,7});\Z")
_FORMULA = lazy_re(r"\$[^$]*\$")
_INDENTED = 40
_CAPTION_START = lazy_re(r"(?:\A|\n[ \t\r]*\n)[ \t]*!\[\Z")
_PARAGRAPH_END = lazy_re(r"[ \t\r]*(?:\n[ \t\r]*)?(?:\n|\Z)")


def citation_place(
    manuscript: Manuscript,
    sentence: Sentence,
    named: Sequence[str] = (),
    people: Sequence[str] = (),
    *,
    behind_stops: bool,
) -> tuple[int, Marker | None]:
    """Return the offset at which a sentence is made to cite, and the marker that stands there.

    It is that behind the first of the names `named` that the sentence holds, and behind the
    `people` listed after it. With `behind_stops` it is behind the full stop or comma that stands
    there. The marker is one beside that place, or one of the sentence that has no keys yet; a note
    that asks for a citation takes none.
    """
    taking = [marker for marker in sentence.markers if marker.command != PLACEHOLDER]
    text_markers = (marker for marker in taking if is_outside_notes(manuscript, sentence, marker))
    empty = next((marker for marker in text_markers if lacks_keys(manuscript, marker)), None)
    if empty is not None:
        return empty.start, empty
    offset = behind_name(manuscript, sentence, named, people)
    if offset is None:
        offset = before_full_stop(manuscript, sentence)
    beside = _beside(manuscript.text, taking, offset)
    if beside is None and behind_stops:
        offset = _behind_stop(manuscript, sentence, offset)
        beside = _beside(manuscript.text, taking, offset)
    return offset, beside


def is_outside_notes(manuscript: Manuscript, sentence: Sentence, marker: Marker) -> bool:
    """Whether a marker stands in a sentence itself, not in one of its footnotes."""
    marker_sentence = manuscript.sentence_at(marker.start)
    return marker_sentence is None or marker_sentence.start == sentence.start


def lacks_keys(manuscript: Manuscript, marker: Marker) -> bool:
    r"""Whether a marker has no key yet; in `\cite{\mykey}` the macro stands for a key.

    Prose behind a list that has been begun is no key: `\cite{ as they say`.
    """
    text = manuscript.text
    if not marker.closed and any(text[start : start + 1].isspace() for start, _ in marker.lists):
        return True
    return not marker.keys and not any(text[start:end].strip() for start, end in marker.lists)


def follow_full_stops(spans: Iterable[tuple[str, Span]]) -> bool:
    r"""Whether more of the markers stand behind full stops and commas than before them.

    `spans` are their ranges, with what they stand in, each with the text of its file.

    They do where they are set as notes or superscripts. The stop of an abbreviation does not count,
    nor does a marker that begins a sentence: 。\cite{a}认为.
    """
    behind = 0
    for text, (start, end) in spans:
        if _NEXT_STOP.match(text, end):
            behind -= 1
        elif match := _BEHIND_STOP.search(text[max(start - 8, 0) : start]):
            abbreviated = match.group() == "." and _GOES_ON.match(text, end)
            behind += not (abbreviated or _BEGUN_BY.match(text, end))
    return behind > 0


def cites_everything(manuscript: Manuscript, marker: Marker) -> bool:
    r"""Whether a marker cites the whole library, `\nocite{*}`, and so takes no keys."""
    if manuscript.format == "typst":  # bibliography("refs.bib", full: true)
        return marker.silent
    lists = (manuscript.text[start:end] for start, end in marker.lists)
    return any(not {"*", "@*"}.isdisjoint(map(str.strip, keys.split(","))) for keys in lists)


def adjacent_markers(manuscript: Manuscript, marker: Marker) -> list[Marker]:
    """Return a marker with the markers beside it that are parted by blanks only."""
    together: list[Marker] = []
    for other in manuscript.markers:
        if together and not _BETWEEN.fullmatch(manuscript.text, together[-1].end, other.start):
            if marker in together:
                break
            together = []
        together.append(other)
    return together if marker in together else [marker]


def adds_only_citations(
    manuscript: Manuscript,
    sentence: Sentence,
    edit: TextEdit,
    keys: Sequence[str],
) -> bool:
    """Whether an edit adds citations of `keys`, and changes no other citation.

    What looks like prose may be an argument in which nothing is cited, so the paragraph is parsed
    again.
    """
    block = manuscript.block_at(sentence.start)
    if block is None or not block.start <= edit.start <= block.end:
        return False
    before = manuscript.text[block.start : block.end]
    after = edit.applied_to(manuscript.text[: block.end])[block.start :]
    was, now = (
        [key.text for marker in _parse(manuscript, part).markers for key in marker.keys]
        for part in (before, after)
    )
    if any(now.count(key) <= was.count(key) for key in keys):
        return False
    others = ([key for key in cited if key not in keys] for cited in (was, now))
    return len({tuple(sorted(cited)) for cited in others}) == 1


def before_full_stop(manuscript: Manuscript, sentence: Sentence) -> int:
    """Return the offset behind the last word of a sentence, notes and punctuation left behind."""
    text = manuscript.text
    end = _without_notes(manuscript, sentence.start, sentence.end)
    stop = _within_quotation(text, sentence.start, end)
    stopped = stop > sentence.start and text[stop - 1] in FULL_STOPS
    if stopped and (quoted := _quotation_end(text, stop, end)) > stop:
        end = _behind_markup(manuscript, sentence.start, quoted)
    elif stopped:
        end = stop
        while end > sentence.start and text[end - 1] in FULL_STOPS:
            if manuscript.format == "markdown" and _ENTITY.search(text, sentence.start, end):
                break
            end -= 1
        end = _without_notes(manuscript, sentence.start, end)
        tied = _TIED.search(text, sentence.start, end) if manuscript.format == "latex" else None
        end = tied.start() if tied else end
    elif listed := _LISTED.search(text, sentence.start, end):
        end = listed.start()
    elif end >= sentence.end:
        end = _behind_markup(manuscript, sentence.start, _behind_address(manuscript, sentence))
    if end == sentence.start:
        end = sentence.start + len(text[sentence.start : sentence.end].rstrip())
    return _out_of_comment(manuscript, sentence.start, end) if manuscript.format == "latex" else end


def _within_quotation(text: str, start: int, end: int) -> int:
    """Return the offset before what closes at `end`: brackets, quotation marks and their blanks."""
    while end > start:
        if command := _CLOSING_COMMAND.search(text, max(end - 12, start), end):
            end = command.start()
        elif text[end - 1] in CLOSERS or (text[end - 1] in _BLANKS and text[end : end + 1] == "»"):
            end -= 1
        else:
            break
    return end


def _quotation_end(text: str, stop: int, end: int) -> int:
    r"""Return the offset behind the quotation that closes between a full stop and `end`, or `stop`.

    What is quoted cites nothing itself: ``It works.''~\cite{key}
    """
    closed = _QUOTATION_END.match(text, stop, end)
    return closed.end() if closed else _behind_quotation(text, stop)


def _behind_stop(manuscript: Manuscript, sentence: Sentence, offset: int) -> int:
    """Return the offset behind the stop at an offset and the closing signs, or the same offset."""
    end = _behind_emphasis(manuscript, sentence.end)
    match = _STOP.match(manuscript.text, offset, end)
    return _behind_quotation(manuscript.text, match.end()) if match else offset


def _behind_quotation(text: str, offset: int) -> int:
    r"""Return the offset behind the `\enquote` that closes at an offset, or the same offset."""
    opened, start = 0, max(offset - _LONGEST_QUOTATION, 0)
    if not text.startswith("}", offset):
        return offset
    for brace in reversed([*_BRACE.finditer(text, start, offset)]):
        opened += {"{": 1, "}": -1}.get(brace.group(), 0)
        if opened == 1:
            return offset + (_QUOTATION.search(text, start, brace.start()) is not None)
    return offset


def _behind_emphasis(manuscript: Manuscript, end: int) -> int:
    """Return the offset behind the emphasis that closes at the end of a sentence, if any does."""
    while manuscript.format != "latex" and manuscript.text[end : end + 1] in ("*", "_", "="):
        end += 1
    return end


def _behind_address(manuscript: Manuscript, sentence: Sentence) -> int:
    """Return the end of what a paragraph prints behind the words of its last sentence.

    That are addresses, code and the numbers of figures, which no plain text has.
    """
    block = manuscript.block_at(sentence.start)
    if block is None:
        return sentence.end
    printed = _ADDRESS[manuscript.format].fullmatch(manuscript.text, sentence.end, block.end)
    return printed.end("address") if printed else sentence.end


def _behind_markup(manuscript: Manuscript, start: int, end: int) -> int:
    r"""Return the offset behind the link, group or emphasis that the last word of a sentence ends.

    A link holds no citation, and an argument may be no text: `\acs{llm}`. The caption of a figure
    of Markdown does, for with text behind it the picture is none.
    """
    text, opened = manuscript.text, None
    while True:
        end = _behind_emphasis(manuscript, end)
        closed = _CLOSINGS[manuscript.format].match(text, end)
        if closed is None or _is_figure(text, start, closed):
            return end
        if closed.lastgroup is None:  # of a group that may have been begun before the sentence
            if opened is None:
                opened = _unclosed(text, closed.group(), start, end)
            if opened < 1:
                return end
            opened -= 1
        end = closed.end()


def _is_figure(text: str, start: int, closed: re.Match[str]) -> bool:
    """Whether a link is a picture that a paragraph of Markdown is all of: its caption is begun."""
    begins = _CAPTION_START.search(text, max(start - _INDENTED, 0), start)
    return begins is not None and _PARAGRAPH_END.match(text, closed.end()) is not None


def _unclosed(text: str, closing: str, start: int, end: int) -> int:
    """Return how many more braces or brackets are opened than closed in a range."""
    opening = "{" if closing == "}" else "["
    prose = _FORMULA.sub("", text[start:end]) if opening == "[" else text[start:end]
    opened, closed, *escaped = (
        prose.count(sign) for sign in (opening, closing, f"\\{opening}", f"\\{closing}")
    )
    return opened - escaped[0] - (closed - escaped[1])


def _parse(manuscript: Manuscript, part: str) -> Manuscript:
    return parse(part, manuscript.format, manuscript.cite_commands)


def _beside(text: str, markers: Iterable[Marker], offset: int) -> Marker | None:
    """Return the marker that only blanks part from an offset, or None."""
    for marker in markers:
        start, end = raised_span(text, marker)
        first, last = sorted((end, offset) if end <= offset else (offset, start))
        if first <= last and _BETWEEN.fullmatch(text, first, last):
            return marker
    return None


def _without_notes(manuscript: Manuscript, start: int, end: int) -> int:
    """Return where a sentence ends without blanks, footnotes and comments behind its full stop."""
    text = manuscript.text
    while True:
        end = start + len(text[start:end].rstrip())
        if manuscript.format == "latex":
            end = _out_of_comment(manuscript, start, end)
        reference = _FOOTNOTE_REFERENCE.search(text, start, end)
        if reference is not None:
            end = reference.start()
            continue
        notes = (note.start for note in manuscript.layout.notes if note.end == end)
        note = next((note for note in notes if note >= start), None)
        if note is None:
            return end
        end = note


def _out_of_comment(manuscript: Manuscript, start: int, offset: int) -> int:
    """Return the last offset of the sentence that no comment hides."""
    text = manuscript.text
    while True:
        line = max(text.rfind("\n", 0, offset) + 1, start)
        comment = comment_between(text, "latex", manuscript.layout.code, line, offset)
        if comment is None:
            return offset
        offset = start + len(text[start:comment].rstrip())
