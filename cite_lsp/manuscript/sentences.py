"""Where sentences end, in English, Chinese and Japanese, in plain text that holds marker signs."""

from __future__ import annotations

import re

MARK = "\ue000"
"""Stands for a citation marker in text that is being read."""
NOTE = "\ue001"
"""Stands for a footnote, or a reference to one."""

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CLOSERS = "\"'”’»)\\]}』」）】》"
_ABBREVIATIONS = frozenset(
    """e.g i.e cf vs viz resp approx ca al fig figs eq eqs eqn eqns sec secs sect ref refs tab tabs
    ch chap chs no nos nr vol vols p pp ed eds dr prof mr mrs ms st mt jr sr def thm prop lem cor
    app appx alg ex expt est dept univ inc ltd corp co ph.d m.sc b.sc u.s u.k a.k.a w.r.t i.i.d
    s.t min max avg jan feb mar apr jun jul aug sep sept oct nov dec suppl ser etc""".split()
)
_MAY_END = frozenset("al etc inc ltd co corp jr sr u.s u.k ph.d i.i.d".split())
_STARTERS = frozenset(
    """a an the this that these those we our it its they their in on at for to from by with while
    when where however moreover furthermore therefore thus hence here there as if since although
    but and also another other such one two both each some many most all no he she his her i
    you then next first second finally after before because given using despite unlike
    instead""".split()
)
# In "3．14" and "1．方法" it ends nothing.
_WIDE_STOP = rf"(?:(?<!\d)．|．(?=[\s{_CLOSERS}{MARK}{NOTE}]|$))"
_END = re.compile(
    rf"(?P<han>(?:[。！？；]|……|{_WIDE_STOP})+[{_CLOSERS}]*[{MARK}{NOTE}]*)"
    rf"|(?P<stop>[.!?…]+[{_CLOSERS}]*[{MARK}{NOTE}]*)(?=[\s{HAN}]|$)"
)
_LAST_WORD = re.compile(r"[^\s(\[{“\"'‘（/–—-]*$")
_LAST_LATIN = re.compile(r"[A-Za-z.]+\Z")
_LATE_MARKERS = re.compile(rf"\s+[{MARK}{NOTE}](?:\s*[{MARK}{NOTE}])*(?=\s+[A-Z]|\s*$)")
_HAN = re.compile(f"[{HAN}]")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the ranges of the sentences in one paragraph, blanks around them left out.

    A marker that stands right behind a full stop belongs to the sentence before it, and so does one
    set off by blanks on both sides that no sentence goes on from.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for found in _END.finditer(text):
        if found.start() < start or not _ends_sentence(text, found):
            continue
        end = found.end()
        late = _LATE_MARKERS.match(text, end)
        if late and not text[found.start() : end].endswith((MARK, NOTE)):
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
    bare = not stripped.strip(MARK + NOTE + " \t\n.,;:。．；，")
    if bare and spans:
        spans[-1] = (spans[-1][0], end)
    elif not bare or MARK in stripped:
        spans.append((start, end))


def _ends_sentence(text: str, found: re.Match[str]) -> bool:
    if found["han"]:
        if found["han"][0] != "．":
            return True
        latin = _LAST_LATIN.search(text, max(found.start() - 24, 0), found.start())
        return latin is None or latin.group().lower() not in _ABBREVIATIONS
    stop = found["stop"]
    following = text[found.end() : found.end() + 40].lstrip()[:1]
    before = text[max(found.start() - 24, 0) : found.start()]
    if not following:
        return True
    if _HAN.match(text[found.end() : found.end() + 1]):
        # A Western stop inside Chinese prose; inside Latin words ("v2.使用") it ends nothing.
        return bool(_HAN.match(before.rstrip(MARK + _CLOSERS)[-1:] or " ")) or stop[0] in "!?"
    if following.islower():
        return False
    if stop[0] != "." or stop.startswith(".."):
        return True
    return not _abbreviated(before, text[found.end() : found.end() + 40].split())


def _abbreviated(before: str, following: list[str]) -> bool:
    found = _LAST_WORD.search(before)
    word = found.group() if found else ""
    after = following[0].strip(",;:()").lower() if following else ""
    if len(word) == 1 and word.isalpha() and word.isupper():
        return after not in _STARTERS
    word = word.lower().rstrip(".")
    if word not in _ABBREVIATIONS:
        return False
    return not (word in _MAY_END and after in _STARTERS)
