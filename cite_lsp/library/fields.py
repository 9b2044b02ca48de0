"""The fields of an entry, and the paper that they describe."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from types import MappingProxyType

from cite_lsp.library.latex_text import decode
from cite_lsp.library.model import Entry
from cite_lsp.library.names import split_names
from cite_lsp.library.values import assignments, read_value
from cite_lsp.paper import Paper, detect_language, normalise_doi

# A record that the library cannot parse is read another way here, and the scan has reported it.
logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)

_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_VENUES = (
    "journal", "journaltitle", "booktitle", "publisher", "school", "institution", "organization"
)  # fmt: skip
_URL_COMMAND = re.compile(r"\\url\s*")
_URL_ESCAPE = re.compile(r"\\(?=[_%&#~$^])|[{}]")
_ARXIV = re.compile(r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}")

_LANGUAGES = {
    "english": "en", "american": "en", "british": "en", "usenglish": "en", "ukenglish": "en",
    "australian": "en", "canadian": "en", "eng": "en", "chinese": "zh", "zho": "zh", "chi": "zh",
    "中文": "zh", "汉语": "zh", "简体中文": "zh", "german": "de", "ngerman": "de", "deutsch": "de",
    "austrian": "de", "naustrian": "de", "deu": "de", "ger": "de", "french": "fr", "francais": "fr",
    "français": "fr", "fra": "fr", "spanish": "es", "español": "es", "italian": "it",
    "italiano": "it", "portuguese": "pt", "brazilian": "pt", "brazil": "pt", "dutch": "nl",
    "russian": "ru", "japanese": "ja", "日本語": "ja", "jpn": "ja", "korean": "ko", "polish": "pl",
    "swedish": "sv", "danish": "da", "norwegian": "no", "nynorsk": "nn", "finnish": "fi",
    "czech": "cs", "turkish": "tr", "greek": "el", "hungarian": "hu", "ukrainian": "uk",
}  # fmt: skip
_LANGUAGE_CODE = re.compile(r"([a-z]{2})(?:[-_][a-z]{2,4})*")


def read_fields(entry: Entry) -> Mapping[str, str]:
    """Read the fields of an entry by lower-case name, in order; never raises.

    Enclosing braces or quotes are removed, macros and `#` resolved, runs of blanks made one; LaTeX
    stays. Of fields with the same name the first that says something counts. A macro that the file
    does not define stays as its name.
    """
    if entry.kind == "bibitem":
        from cite_lsp.library.bibitems import read_bibitem

        return MappingProxyType(read_bibitem(entry.raw))
    pairs = _parsed(entry) or list(assignments(entry.raw, _body(entry), entry.macros))
    fields: dict[str, str] = {}
    for name, value in pairs:
        if not fields.get(name):
            fields[name] = " ".join(value.split())
    return MappingProxyType(fields)


def _body(entry: Entry) -> int:
    """Return where, in the raw record, the fields begin."""
    return entry.key_end - entry.start


def _parsed(entry: Entry) -> list[tuple[str, str]]:
    """Read a sound record with bibtexparser; empty where the record is not one.

    It takes what follows a missing comma for part of the value before, so each value is looked at.
    """
    from bibtexparser.entrypoint import parse_string

    found = parse_string(entry.raw, parse_stack=[])
    if len(found.blocks) != 1 or len(found.entries) != 1:
        return []
    pairs = []
    for field in found.entries[0].fields:
        written = str(field.value)
        value, after = read_value(written + ",", 0, entry.macros)
        if after != len(written) or not written:
            return []
        pairs.append((field.key.lower(), value))
    return pairs


def read_paper(entry: Entry) -> Paper:
    """Return the paper that an entry describes: LaTeX decoded, people split; never raises.

    `id` is "entry:" and the key. Without authors the editors stand in for them, without a year the
    year of `date`. `language` is that of the entry, otherwise that of its title.
    """
    fields = entry.fields
    title = decode(fields.get("title", ""))
    subtitle = decode(fields.get("subtitle", ""))
    if title and subtitle:
        title = f"{title.rstrip(':')}: {subtitle}"
    url = _url(fields)
    return Paper(
        id="entry:" + entry.key,
        title=title,
        abstract=decode(fields.get("abstract", "")),
        authors=split_names(fields.get("author") or fields.get("editor") or ""),
        year=_year(fields),
        venue=next((decode(fields[name]) for name in _VENUES if fields.get(name)), ""),
        doi=normalise_doi(_plain_url(fields.get("doi", "")))
        or (normalise_doi(url) if "doi.org" in url else ""),
        url=url,
        language=_language(fields) or detect_language(title),
    )


def _year(fields: Mapping[str, str]) -> int | None:
    for name in ("year", "date"):
        found = _YEAR.search(fields.get(name, ""))
        if found:
            return int(found.group())
    return None


def _plain_url(written: str) -> str:
    """Undo the LaTeX of an address; a tilde in it is a tilde."""
    return _URL_ESCAPE.sub("", _URL_COMMAND.sub("", written)).strip()


def _url(fields: Mapping[str, str]) -> str:
    """Return the address of an entry, or that of its arXiv number."""
    written = fields.get("url")
    if written:
        return _plain_url(written)
    archive = fields.get("eprinttype") or fields.get("archiveprefix") or ""
    number = _ARXIV.search(fields.get("eprint", ""))
    if number and "arxiv" in archive.lower():
        return f"https://arxiv.org/abs/{number.group()}"
    return ""


def _language(fields: Mapping[str, str]) -> str:
    """Return the ISO 639-1 code of babel's, biblatex's or Zotero's way to name a language."""
    written = (fields.get("langid") or fields.get("language") or "").strip().casefold()
    code = _LANGUAGE_CODE.fullmatch(written)
    return _LANGUAGES.get(written) or (code.group(1) if code else "")
