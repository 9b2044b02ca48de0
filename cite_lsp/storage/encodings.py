"""Detect the encoding of a text by its byte order mark, or by its bytes."""

from __future__ import annotations

import codecs
import re
from collections import Counter

from attrs import evolve, frozen

from cite_lsp.language import COMMON_HAN
from cite_lsp.lazy_re import lazy_re

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_SIGNATURES = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\x1f\x8b", b"\xff\xd8\xff", b"{\\rtf1")
"""How documents, archives and pictures begin that are often taken for a draft."""
_BYTES_AS_SURROGATES = "surrogateescape"
_NOT_UTF8 = lazy_re("[\udc80-\udcff]+")
_GB18030 = "gb18030"
_COMMON_HANZI = lazy_re(rb"[\xb0-\xd7][\xa1-\xfe]")
"""The first level of GB 2312, nearly all that is printed in Chinese. In Western encodings these
are two capitals with accents, one after the other."""
_SHARE_OF_COMMON = 0.6
_WORD = lazy_re(f"[{COMMON_HAN}]{{2}}")


def decode_bytes(data: bytes, first_line: int = 1) -> tuple[str, str]:
    """Decode a text: UTF-16 by its mark, else UTF-8, else GB18030 (GBK) or Windows-1252.

    Where only some of it is not UTF-8, as when records were pasted together, the rest is.

    Args:
        data: Its bytes, or those of some of its lines.
        first_line: The number of the first of them.

    Returns:
        The text without byte order mark, and what is wrong with the encoding ("" if nothing is).
    """
    if data.startswith(_UTF16_MARKS):
        return data.decode("utf-16", errors="replace"), ""
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        byte = data[error.start]
    if is_chinese(data):
        text, name = data.decode(_GB18030, errors="replace"), "GB18030"
    else:
        text, name = _western(data)
    return text, f"not UTF-8 (byte 0x{byte:02x} in line {line}), read as {name}: save it as UTF-8"


@frozen
class ExactText:
    """A text of which every byte can be written again as it was, whatever its encoding.

    `exact` has a lone surrogate for each byte that is none of the encoding, and as many characters
    as `text`, which is what people read. `mark` is the byte order mark.
    """

    text: str
    exact: str
    encoding: str = "utf-8"
    mark: bytes = b""

    def encoded(self, part: str) -> bytes:
        """Return the bytes of a part of `exact`."""
        return part.encode(self.encoding, _BYTES_AS_SURROGATES)


def decode_exactly(data: bytes) -> ExactText:
    """Decode a text as `decode_bytes` does, so that its bytes can be written again."""
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    bare = data.removeprefix(mark)
    encoding = _MARKS.get(mark) or (_GB18030 if _is_gb18030(data) else "utf-8")
    try:
        exact = bare.decode(encoding, _BYTES_AS_SURROGATES)
        text = ExactText(exact, exact, encoding, mark)
        if text.encoded(exact) == bare:
            readable = decode_bytes(data)[0]
            return evolve(text, text=readable) if len(readable) == len(exact) else text
    except UnicodeError:
        pass
    exact = data.decode("utf-8", _BYTES_AS_SURROGATES)
    return ExactText(exact, exact)


def _is_gb18030(data: bytes) -> bool:
    """Whether a text is no UTF-8, but Chinese in GB18030."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return is_chinese(data)
    return False


def is_binary(start: bytes) -> bool:
    """Whether a file that begins so is no text, but a document or a picture, say."""
    if start.startswith(_UTF16_MARKS):
        return False
    return start.startswith(_SIGNATURES) or b"\0" in start


def encoding_of(start: bytes) -> str:
    """Return the encoding of a file that begins so, if it is neither UTF-8 nor Western, else ""."""
    if start.startswith(_UTF16_MARKS):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return _GB18030 if is_chinese(start) else ""
    return ""


def is_chinese(data: bytes) -> bool:
    """Whether bytes that are not UTF-8 are Chinese in GB18030; the last character may be cut off.

    Much that is Western could be GB18030 as well, but would be made of rare characters. What is
    mostly UTF-8 is damaged UTF-8.
    """
    as_utf8 = data.decode("utf-8", errors=_BYTES_AS_SURROGATES)
    damaged = sum(map(len, _NOT_UTF8.findall(as_utf8)))
    if sum(character > "\x7f" for character in as_utf8) > 2 * damaged:
        return False
    try:
        text = codecs.getincrementaldecoder(_GB18030)().decode(data)
    except UnicodeDecodeError:
        return False
    counts = Counter(text)
    letters = {
        character: count
        for character, count in counts.items()
        if character.isalpha() and character > "\x7f"
    }
    common = sum(
        count
        for character, count in letters.items()
        if _COMMON_HANZI.fullmatch(character.encode(_GB18030))
    )
    return _WORD.search(text) is not None and common >= _SHARE_OF_COMMON * sum(letters.values())


def _western(data: bytes) -> tuple[str, str]:
    """Return a text, what is not UTF-8 read as Windows-1252 or Latin-1, and the name of that."""
    text, name = data.decode("utf-8-sig", errors=_BYTES_AS_SURROGATES), "Windows-1252"
    try:
        return _NOT_UTF8.sub(lambda run: _bytes_of(run).decode("cp1252"), text), name
    except UnicodeDecodeError:
        return _NOT_UTF8.sub(lambda run: _bytes_of(run).decode("latin-1"), text), "Latin-1"


def _bytes_of(run: re.Match[str]) -> bytes:
    return run.group().encode("utf-8", _BYTES_AS_SURROGATES)
