"""From markup to plain text: cutting a source into pieces and cleaning up where markers stood."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from attrs import frozen

from cite_lsp.language import EAST_ASIAN, UNSPACED
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.text.sentences import MARKER_SIGN, NOTE_SIGN, TEXTUAL_SIGN

Omission = tuple[int, int, str]
"""A range that is left out and what replaces it: the sign of a marker or note, a stop, nothing."""
Piece = tuple[str, int, int]
"""A stretch of plain text and the range of the source it comes from."""
Token = tuple[int, int, str]
"""A range of markup and the text it stands for."""
Tokens = Callable[[str, int, int], Iterator[Token]]


@frozen(eq=False)
class Markup:
    """How the markup of a format reads: as plain text, and as its writer recognises it."""

    tokens: Tokens
    shown_tokens: Tokens


_BRACKETED = lazy_re(r"(?<!\s)\s*+[(\[（［]([^()\[\]（）［］]*+)[)\]）］]")
SEE_PATTERN = (
    r"(?:see|siehe|s|vgl|voir|véase|ver|veja|cfr?|см|ср|por|zob|np|viz|srov|např|bkz|e\.g|z\.\ ?B"
    r"|p\.\ ?ex|p\.\ ?ej|напр)\b\.?"
)
"""A pattern for what a bracket begins with that leads to a citation, in European languages."""
_SMALL_WORDS = lazy_re(
    rf"\b(?:{SEE_PATTERN}|(?:also|a|an|the|i\.e|and|or|for|example|instance|review|in|by|as|c\.f|und|auch"
    r"|hierzu|dazu|oder|u\.\ ?a|et|aussi|par|exemple|también|por|ejemplo|также|например|и)\b\.?)"
    r"|见|参见|详见|如|例如|参考|文献|和|与|及|等",
    re.IGNORECASE,
)
_RUN = lazy_re(
    rf"{MARKER_SIGN}(?:\s*+(?:(?:,\s*+and|,|;|and|or|&|[-–—]|、|，|；|和|与|及|以及)\s*+)?"
    rf"{MARKER_SIGN})+"
)
_ATTRIBUTION = lazy_re(rf"\s[—–-]+\s*(?={MARKER_SIGN}\s*\Z)")
"""The dash behind a quotation that leads to where it comes from."""
_MARK = lazy_re(rf"(?<!\s)\s*+{MARKER_SIGN}")
_EMPTY = lazy_re(r"\s*(?:\(\s*[,;]?\s*\)|（\s*）|\[\s*\]|［\s*］)")
_BEFORE_STOP = lazy_re(r"\s+(?=[.,;:!?)\]](?:\s|$)|[。．，；：！？、）])")
_BEFORE_FORMULA = lazy_re(r"[:,;：，；](?=\.(?:\s|$)|[。．])")
"""What introduces a displayed formula whose full stop is the sentence's."""
_FULL_WIDTH = f"{UNSPACED}，。．；：！？、（）“”「」"
_HAN_BREAK = lazy_re(rf"(?<=[{_FULL_WIDTH}])[ \t]*\n\s*(?=[{_FULL_WIDTH}])")
_ATTACHED = lazy_re(f"[{EAST_ASIAN}]")
_REPEATED = lazy_re(r"([,;，；、])(?:\s*\1)+")


def plain_pieces(
    raw: str,
    omissions: tuple[Omission, ...],
    tokens: Tokens,
    expansions: tuple[Token, ...],
) -> list[Piece]:
    """Cut a source into pieces of plain text, markup replaced and omissions left out.

    `expansions` are ranges of markup that stand for other text than `tokens` gives. Each begins
    with a token; inside a longer token, a formula, they do not count.
    """
    for sign in (MARKER_SIGN, NOTE_SIGN, TEXTUAL_SIGN):
        raw = raw.replace(sign, " ")
    raw = with_plain_breaks(raw)
    parts: list[Piece] = []
    expansion_at = {start: (end, text) for start, end, text in expansions}
    position = 0
    for start, end, sign in (*omissions, (len(raw), len(raw), "")):
        for token_start, token_end, text in tokens(raw, position, start):
            if token_start < position:
                continue
            if token_start in expansion_at:
                token_end, text = expansion_at[token_start]
            if token_start > position:
                parts.append((raw[position:token_start], position, token_start))
            if text:
                parts.append((text, token_start, token_end))
            position = token_end
        if start > position:
            parts.append((raw[position:start], position, start))
        if sign:
            parts.append((sign, start, start if sign in ".。．" else end))
        position = max(end, position)
    return parts


def with_plain_breaks(raw: str) -> str:
    """Return a source of the same length in which the lines of Windows end as all others do."""
    return raw.replace("\r\n", " \n")


def tokens_between(
    raw: str, start: int, end: int, sign: re.Pattern[str], token: re.Pattern[str]
) -> Iterator[re.Match[str]]:
    """Yield the matches of `token` that begin at a `sign` and lie inside a range.

    To look for a sign first is far faster. A token may look ahead beyond the range.
    """
    position = start
    while position < end and (at := sign.search(raw, position, end)):
        first = at.start()
        match = token.match(raw, first)
        if match and match.end() > end:
            match = token.match(raw, first, end)
        if match and match.end() > first:
            yield match
            position = max(match.end(), first + 1)
        else:
            position = first + 1


def clean(text: str) -> str:
    """Remove the signs of markers and notes with what they leave behind, and needless blanks."""
    return clean_middle(text).lstrip(" ,;:，；：、。．")


def clean_middle(text: str) -> str:
    """Clean a text that goes on from another: signs at its beginning belong to it."""
    if MARKER_SIGN in text:
        text = _BRACKETED.sub(_without_mark, text)
        text = _ATTRIBUTION.sub("", text)
        text = _RUN.sub(MARKER_SIGN, text)
        text = _MARK.sub(_gap, text)
        text = _REPEATED.sub(r"\1", text)
    text = text.replace(NOTE_SIGN, "")
    if "\n" in text and not text.isascii():
        text = _HAN_BREAK.sub("", text)
    text = " ".join(text.split())
    if "(" in text or "（" in text or "[" in text or "［" in text:
        text = _EMPTY.sub("", text)
    return _BEFORE_FORMULA.sub("", _BEFORE_STOP.sub("", text))


def _without_mark(match: re.Match[str]) -> str:
    if MARKER_SIGN not in match[1]:
        return match.group()
    inside = _SMALL_WORDS.sub("", match[1].replace(MARKER_SIGN, ""))
    if not inside.strip(" \t\n,;:.，；：、"):
        return MARKER_SIGN
    return match.group()


def _gap(match: re.Match[str]) -> str:
    text = match.string
    before = text[max(match.start() - 1, 0) : match.start()]
    after = text[match.end() : match.end() + 1]
    if not after or after.isspace() or not (after.isalnum() or after in "(“\"'‘$[<"):
        return ""
    return "" if _ATTACHED.match(before) or _ATTACHED.match(after) else " "
