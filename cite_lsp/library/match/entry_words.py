"""The searchable words of entries: of keys, people, titles and years, and of venues.

Reading only the fields in question costs a tenth of parsing a record.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping

from cite_lsp.language import BEHIND_UNSPACED, HAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.delimiters import Delimiters
from cite_lsp.library.bibtex.roles import PROCEEDINGS
from cite_lsp.library.bibtex.values import read_value
from cite_lsp.library.entries import Record
from cite_lsp.library.formats.bibitem import printed_text
from cite_lsp.library.text.journals import venue_text
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.paper import in_plain_letters

WORD = lazy_re(r"[^\W_]+")
_FIELD = lazy_re(
    r"[\n,{}]\s*+(?:author|editor|title|subtitle|year|date|ids"
    r"|(?P<venue>journal(?:title)?|shortjournal|booktitle|series))\s*+=\s*+",
    re.IGNORECASE,
)
_HAN = f"[{HAN}]"
_PARTED_NAME = lazy_re(
    rf"(?<!{_HAN})(?:({_HAN})(?:,\s*|\s+)({_HAN}{{1,3}})|({_HAN}{{2}})(?:,\s*|\s+)({_HAN}))"
    rf"(?!{_HAN}|[,、，])"
)
"""A Chinese name in two parts, as Zotero writes it; two of two characters may be two people."""
_PARTED_KOREAN_NAME = lazy_re(r"(?<![가-힣])([가-힣]{1,2}),\s*([가-힣]{1,3})(?![가-힣])")
_WITH_UMLAUT = lazy_re(r"(?<![^\W_])[^\W_]*[äöüåø][^\W_]*", re.IGNORECASE)
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_PLAIN_FIELDS = ("author", "editor", "title", "year")
_VENUES = ("journal", "journaltitle", "shortjournal", "booktitle", "series")
OF_VENUE = "="
"""The sign before the words of a venue, with which no other word begins."""
Script = Callable[[str], str]
"""Writes Chinese in one script, so that traditional and simplified characters compare equal."""


def matched_text(record: Record, script: Script) -> str:
    """Return the folded words of a record that are searched, a blank before each.

    Of 基于BERT的方法 the word in other letters is one by itself, too, and "Größler" is "groessler".
    Those of the venue come last, with a sign before them.
    """
    text, venue = _searched(record)
    words = _words_of(text, script)
    of_venue = (OF_VENUE + word for word in _words_of(venue, script)) if venue else ()
    return " " + " ".join((*words, *of_venue))


def _words_of(text: str, script: Script) -> list[str]:
    if text.isascii():
        return WORD.findall(in_plain_letters(text))
    converted_text = _PARTED_NAME.sub(r"\1\2\3\4", script(text))
    converted_text = _PARTED_KOREAN_NAME.sub(r"\1\2", converted_text)
    folded = in_plain_letters(converted_text)
    words = WORD.findall(folded)
    with_umlauts = _WITH_UMLAUT.findall(unicodedata.normalize("NFC", converted_text))
    german = (in_plain_letters(as_german(word)) for word in with_umlauts)
    return [*words, *BEHIND_UNSPACED.findall(folded), *german]


def as_german(text: str) -> str:
    """Return a text in lower case with "oe" for "ö", as German has it on other keyboards."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text).lower().translate(_GERMAN)


def _searched(record: Record) -> tuple[str, str]:
    """Return the searchable text of a record, and the text of its venue."""
    if record.source == "bibitem":
        if printed := printed_text(record.raw):
            return f"{record.key} {printed}", ""
    if record.source != "bibtex":
        texts = [record.key, *(record.fields.get(name, "") for name in _PLAIN_FIELDS)]
        return " ".join(texts), _venue_in(record.fields)
    raw, texts, venues = record.raw, [record.key], list[str]()
    delimiters = Delimiters(raw)
    position = record.key_at + len(record.key)
    while field := _FIELD.search(raw, position):
        value, position = read_value(raw, field.end(), record.macros, delimiters)
        if field["venue"]:
            venues.append(venue_text(value))
        else:
            texts.append(decode(value))
    if record.parents or record.kind in PROCEEDINGS:
        texts += [decode(record.fields.get(name, "")) for name in _PLAIN_FIELDS]
        venues.append(_venue_in(record.fields))
    return " ".join(texts), " ".join(venues)


def _venue_in(fields: Mapping[str, str]) -> str:
    return " ".join(venue_text(fields[name]) for name in _VENUES if name in fields)
