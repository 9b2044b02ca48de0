"""Where sentences end, in European languages, Chinese and Japanese, in text with marker signs."""

from __future__ import annotations

import re

from cite_lsp.language import HAN, UNSPACED
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.text.full_stops import ABBREVIATIONS, ends_no_sentence

MARKER_SIGN = "\ue000"
"""Stands for a citation marker in text that is being read."""
NOTE_SIGN = "\ue001"
"""Stands for a footnote, or a reference to a footnote."""
TEXTUAL_SIGN = "\ue002"
"""Stands for a citation that reads as words, as `\\citet` does: it may begin a sentence."""
_SIGNS = f"{MARKER_SIGN}{NOTE_SIGN}{TEXTUAL_SIGN}"

_CLOSERS = "\"'”’»)\\]}』」）】》"
# German ends a quotation with what begins one in English; in French a blank stands before "»".
_CLOSED = rf"(?:[{_CLOSERS}›]|[“«‘‹](?=[\s{_SIGNS}]|$)|[ \u00a0\u202f]»(?!\w))*"
# In "3．14" and "1．方法" it ends nothing.
_WIDE_STOP = rf"(?:(?<!\d)．|．(?=[\s{_CLOSERS}{_SIGNS}]|$))"
SAYING_VERBS = (
    "[提给給指]出|[认認][为為]|表明|[证證][实實明](?!如|[:：])|[发發][现現]|介[绍紹]|[综綜]述|[则則]"
    "|等(?:人|[学學]者|[在对對提认認指])"
)
"""A pattern for verbs that no Chinese sentence begins with: their subject is the marker before."""
_MARKS = rf"(?:[{MARKER_SIGN}{NOTE_SIGN}]*+(?!{SAYING_VERBS})|{NOTE_SIGN}*)"
"""The markers right behind a Chinese full stop that belong to what it ends."""
OTHER_STOPS = "\u061f\u06d4\u0964\u0589"
"""The question mark of Arabic, and what ends sentences in Urdu, Hindi and Armenian."""
_STOPS = f"[.!?…{OTHER_STOPS}]++"
# Behind Western words any marker that touches their full stop, with a blank after, belongs to them.
_END = lazy_re(
    rf"(?P<han>(?:[。！？；]|……|{_WIDE_STOP})+[{_CLOSERS}]*{_MARKS})"
    rf"|(?P<stop>(?<![{HAN}]){_STOPS}{_CLOSED}[{_SIGNS}]*(?=\s|$)"
    rf"|{_STOPS}{_CLOSED}[{MARKER_SIGN}{NOTE_SIGN}]*(?=[\s{UNSPACED}{TEXTUAL_SIGN}]|$))"
    rf"|{_STOPS}"
)
"""The stops that may end a sentence; in no group those that end none, as in "3.14"."""
_LAST_LATIN = lazy_re(r"[A-Za-z.]+\Z")
_LATE_MARKERS = lazy_re(
    rf"\s+[{_SIGNS}](?:\s*[{_SIGNS}])*(?=\s+[A-Z]|\s*$)"
    rf"|(?:\s+\(|\s*（(?:[{HAN}]{{1,6}}\s?)?)(?:[^\W\d_]{{1,6}}\.?\s+)?"
    rf"[{MARKER_SIGN}{TEXTUAL_SIGN}](?:[\s,;，；、]*[{MARKER_SIGN}{TEXTUAL_SIGN}])*(?:,?\s*pp?\.\s*[\d–-]+)?"
    rf"(?:\)(?=\s+[A-Z]|\s*$)|）)"
    r"|\s+\([^\W\d_][^()]{1,80}\s(?:1[89]|20)\d\d[a-z]?(?:[,:]\s?[^()!?]{1,30})?"
    r"(?:\)\.|\)(?=\s+[A-Z]|\s*$))"
)
"""What follows a full stop and belongs before it: a marker, `(MARKER)`, `(see MARKER, p. 3)`, and
behind a quotation also `(Doe 2020, p. 3)`."""
_BESIDE_MARKERS = f"{_SIGNS} \t\n.,;:。．；，()（）—–-"
"""What may be around markers that have no words: “Gulls nest.” — [@a]"""
_LONGEST_IN_PARENTHESES = 120
_CLOSING = lazy_re(rf"[^（(。！？]{{0,{_LONGEST_IN_PARENTHESES}}}[）)]")
_UNSPACED_OR_TEXTUAL = lazy_re(f"[{UNSPACED}{TEXTUAL_SIGN}]")
_UNSPACED = lazy_re(f"[{UNSPACED}]")
_TRAILS_OFF = lazy_re(rf"[….]+[{_CLOSERS}{_SIGNS}]*")
"""An ellipsis; it ends a Chinese sentence depending on what follows."""
_BEGINS = lazy_re(
    rf"[\s{_SIGNS}]*(?:\Z|但|然而|不[过過]|因此|因[为為]|所以|于是|於是|本[文章节節研]|我[们們]|其[实實]|此外|[对對]此"
    "|[总總]之|[综綜]上|可[见見]|由此|[为為]此|事[实實]上|[显顯]然)"
)
"""What begins a sentence behind an ellipsis."""
_OF_TITLE = lazy_re("[！？!?…][》〉]")
_QUOTED_ON = lazy_re(
    r"(?<=[！？!?][”’」』])(?:[的等是“‘「『和与與及或、，,：:；]|[这這][一个個句]?[^，。]{0,2}"
    "(?:[问問][题題]|疑[问問]|命[题題]|[说說]法|[话話]|口[号號]))"
)
"""How a sentence goes on behind the question or the call that it quotes: “为什么？”的问题."""
_JAPANESE_SAYING = lazy_re("と(?!ころ|くに|もに|もあれ|きに|りわけ|はいえ)")
"""How a Japanese sentence goes on behind what it quotes: 「…。」と述べた, but not ところで."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the ranges of the sentences in one paragraph, blanks around them left out.

    A marker that stands right behind a full stop belongs to the sentence before it, and so does one
    set off by blanks on both sides that no sentence goes on from. One that reads as words begins
    the next.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if not match.lastgroup or match.start() < start or not _ends_sentence(text, match):
            continue
        end = match.end()
        late = _LATE_MARKERS.match(text, end)
        if late and not text[match.start() : end].endswith((MARKER_SIGN, NOTE_SIGN, TEXTUAL_SIGN)):
            end = late.end()
        _append(spans, text, start, end)
        start = end
    _append(spans, text, start, len(text))
    return spans


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return
    start += len(piece) - len(piece.lstrip())
    end = start + len(stripped)
    bare = not stripped.strip(_BESIDE_MARKERS)
    if bare and spans:
        spans[-1] = (spans[-1][0], end)
    elif not bare or MARKER_SIGN in stripped or TEXTUAL_SIGN in stripped:
        spans.append((start, end))


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    if _goes_on(text, match):
        return False
    if match["han"]:
        if match["han"][0] == "；":
            return not _in_parentheses(text, match.start())
        if match["han"][-1] in "」』" and _JAPANESE_SAYING.match(text, match.end()):
            return False
        if match["han"][0] != "．":
            return True
        latin = _LAST_LATIN.search(text, max(match.start() - 24, 0), match.start())
        return latin is None or latin.group().lower() not in ABBREVIATIONS
    stop = match["stop"]
    next_character = text[match.end() : match.end() + 40].lstrip()[:1]
    before = text[max(match.start() - 24, 0) : match.start()]
    if not next_character:
        return True
    if _UNSPACED_OR_TEXTUAL.match(text, match.end()):
        # A Western stop inside Chinese prose; inside Latin words ("v2.使用") it ends nothing.
        unspaced_character = _UNSPACED.match(before.rstrip(MARKER_SIGN + _CLOSERS)[-1:])
        return unspaced_character is not None or stop[0] in "!?"
    if next_character.islower() or next_character in ",;":
        return False
    if stop[0] != "." or stop.startswith(("..", ".!", ".?", ".…")):
        return True
    return not ends_no_sentence(before, text[match.end() : match.end() + 40].split())


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Whether a Chinese sentence goes on behind an ellipsis, a title or what it quotes."""
    end = match.end()
    if _OF_TITLE.search(match.group()) or _QUOTED_ON.match(text, end):
        return True
    trails_off = _TRAILS_OFF.fullmatch(match.group()) and "…" in match.group()
    chinese = match["han"] or _UNSPACED.match(text, end)
    return bool(trails_off and chinese) and not _BEGINS.match(text, end)


def _in_parentheses(text: str, offset: int) -> bool:
    """Whether an offset is in parentheses: in （张三，2020；李四，2019）, not in 甲；2）乙."""
    before = text[max(offset - _LONGEST_IN_PARENTHESES, 0) : offset]
    opened = max(before.rfind("（"), before.rfind("("))
    return opened > max(before.rfind("）"), before.rfind(")")) and bool(
        _CLOSING.match(text, offset)
    )
