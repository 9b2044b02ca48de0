"""Read a paper from BibTeX fields: people, year, language, address, retraction."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cite_lsp.language import detect_language
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.journals import venue_text
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.library.text.names import names_more, split_names
from cite_lsp.paper import Paper, bare_doi, doi_fields, without_label, without_retraction

_YEAR = lazy_re(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_EARLY_DATE = lazy_re(r"\s*(0\d{3}|1[0-3]\d\d|\d{3}(?!\?|-\s*\Z))\s*(?:[-/~?%].*)?", re.DOTALL)
"""A year up to 1399; no decade (199?) and no stand-in for what is to come (9999)."""
_VENUES = (
    "journal", "journaltitle", "booktitle", "publisher", "school", "institution", "organization"
)  # fmt: skip
_KEYWORDS = ("keywords", "keyword", "mendeley-tags")
_URL_COMMAND = lazy_re(r"\\url\s*")
_URL_SIGN = lazy_re(
    r"\\(textless|textgreater|textasciitilde|textunderscore)\s*|\$\\(sim)\$|\\?&(lt|gt|amp);"
)
_URL_SIGNS = {
    "textless": "<", "textgreater": ">", "textasciitilde": "~", "textunderscore": "_", "sim": "~",
    "lt": "<", "gt": ">", "amp": "&",
}  # fmt: skip
_ADDRESS = lazy_re(r"(?:https?|ftp)://[^\s{}<>]*[^\s{}<>.,;]")
_URL_ESCAPE = lazy_re(r"\\(?=[_%&#~$^:;])|[{}]|\$(?=[<>]\$)|(?<=\$[<>])\$")
"""Among it what Mendeley makes of the brackets in old DOIs of Wiley: `16$<$1661::AID-S$>$3`."""
_ARXIV = lazy_re(r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}")

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
    "mexican": "es", "spa": "es", "ita": "it", "portuges": "pt", "por": "pt", "rus": "ru",
    "kor": "ko", "pol": "pl", "vietnamese": "vi", "vie": "vi", "catalan": "ca", "galician": "gl",
    "romanian": "ro", "slovak": "sk", "slovene": "sl", "slovenian": "sl", "croatian": "hr",
    "serbian": "sr", "bulgarian": "bg", "norsk": "no", "bokmal": "nb", "arabic": "ar",
    "hebrew": "he", "persian": "fa", "latin": "la",
}  # fmt: skip
_LANGUAGE_CODE = lazy_re(r"([a-z]{2})(?:[-_][a-z]{2,4})*")


def paper_of(fields: Mapping[str, str], key: str) -> Paper:
    """Return the paper that fields describe: text without markup, people split; never raises.

    `id` is "entry:" and the key. Without authors the editors stand in for them, without a year the
    year of `date`. `language` is that of the entry, otherwise that of its title.
    """
    people = fields.get("author") or fields.get("editor") or ""
    title = without_markup(decode(fields.get("title", "")))
    subtitle = without_markup(decode(fields.get("subtitle", "")))
    if title and subtitle:
        title = f"{title.rstrip(':')}{'' if title[-1] in '?!' else ':'} {subtitle}"
    url = _url(fields)
    return Paper(
        id="entry:" + key,
        title=title,
        abstract=without_label(without_markup(decode(fields.get("abstract", "")))),
        authors=split_names(people),
        year=_year(fields),
        venue=next((venue_text(fields[name]) for name in _VENUES if fields.get(name)), ""),
        **doi_fields(
            bare_doi(plain_address(fields.get("doi", ""))) or (url if "doi.org" in url else "")
        ),
        url=url,
        language=language_code(fields.get("langid") or fields.get("language") or "")
        or detect_language(title),
        retracted=is_retracted(title, fields.get("pubstate", "")),
        more_authors=names_more(people),
        keywords=without_markup(decode("; ".join(filter(None, map(fields.get, _KEYWORDS))))),
    )


def is_retracted(title: str, status: str) -> bool:
    """Whether an entry says that its paper was retracted: by its title, or by its status.

    The status is `pubstate` in biblatex and `status` in CSL.
    """
    return "retracted" in status.casefold() or without_retraction(title) != title


def _year(fields: Mapping[str, str]) -> int | None:
    years = (year_in(decode(fields.get(name, ""))) for name in ("year", "date"))
    return next((year for year in years if year), None)


def year_in(text: str) -> int | None:
    """Return the first number of a text that can be a year of publication.

    A year before printing (1265) counts only at the beginning of the text, as in a date.
    """
    match = _YEAR.search(text) or _EARLY_DATE.fullmatch(text)
    return int(match.group(match.lastindex or 0)) if match else None


def plain_address(address: str) -> str:
    """Undo the LaTeX of an address or a DOI, and HTML's signs; a tilde in it is a tilde."""
    address = _URL_SIGN.sub(lambda sign: _URL_SIGNS[sign[sign.lastindex or 0]], address)
    return _URL_ESCAPE.sub("", _URL_COMMAND.sub("", address)).strip()


def is_of_arxiv(eprint: str, fields: Mapping[str, str]) -> bool:
    """Whether an `eprint` is arXiv's: it says so, or the archive that the entry names does."""
    archive = fields.get("eprinttype") or fields.get("archiveprefix") or ""
    return "arxiv" in f"{archive} {eprint}".lower()


def _url(fields: Mapping[str, str]) -> str:
    """Return the address of an entry, that of its arXiv number, or one in `howpublished`."""
    url = fields.get("url")
    if url:
        return plain_address(url)
    eprint = fields.get("eprint", "")
    number = _ARXIV.search(eprint)
    if number and is_of_arxiv(eprint, fields):
        return f"https://arxiv.org/abs/{number.group()}"
    address = _ADDRESS.search(fields.get("howpublished", ""))
    return plain_address(address.group()) if address else ""


def language_code(language: str) -> str:
    """Return the ISO 639-1 code of babel's, biblatex's or Zotero's way to name a language."""
    language = language.strip().casefold()
    code = _LANGUAGE_CODE.fullmatch(language)
    return _LANGUAGES.get(language) or (code.group(1) if code else "")
