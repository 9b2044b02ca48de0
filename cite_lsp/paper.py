"""Papers: what can be cited, and how two spellings of the same thing are recognised as one."""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate, filterfalse
from typing import TypedDict

from attrs import evolve, field, frozen

from cite_lsp.language import UNSPACED, has_han
from cite_lsp.lazy_re import lazy_re

_TEXTS = (
    "id", "title", "abstract", "venue", "doi", "url", "language", "kind", "arxiv", "keywords",
    "written_doi",
)  # fmt: skip
_WORD = lazy_re(r"[^\W_]+")
_NOT_ASCII = lazy_re(r"[^\x00-\x7f]+")
_BESIDE_UNSPACED = lazy_re(rf" (?=[{UNSPACED}])|(?<=[{UNSPACED}]) ")
_TAKEN_BACK = r"(?:retracted|withdrawn)(?: article| paper)?"
_RETRACTED = lazy_re(
    rf"\s*(?:\[\s*{_TAKEN_BACK}\s*\]\s*+[:.]?|{_TAKEN_BACK}\s*[:.])\s*", re.IGNORECASE
)
_ABSTRACT_LABEL = lazy_re(
    r"\A\s*(?:[<〈＜]正[>〉＞]\s*)?"
    r"(?:(?:[【\[［〔](?:(?:中文)?摘\s*要|abstract)[】\]］〕]\s*+[:：]?"
    r"|(?:(?:中文)?摘\s*要|abstract)\s*[:：]|abstract\s*[—–])\s*+(?=\S))?",
    re.IGNORECASE,
)
"""CNKI writes "<正>摘要：", Wanfang "[摘要]", IEEE "Abstract—"."""
_DOI = lazy_re(r"10\.\d{4,9}/\S+")
_ESCAPED = lazy_re(r"%(2[3589BCDEF]|3[A-F]|5[BDF]|7[BD])", re.IGNORECASE)
"""What stands in addresses for the signs of DOIs: %2F for the slash, %28 for a parenthesis."""
_PREPRINT_DOI = lazy_re(
    r"10\.(?:48550/arxiv|1101/(?:\d{4}\.\d\d\.\d\d\.)?\d{6}|2139/ssrn|20944/preprints|21203/rs"
    r"|22541/au|26434/chemrxiv|31219/osf|31234/osf|36227/techrxiv)"
)
"""DOIs of arXiv, bioRxiv and medRxiv, SSRN, Preprints.org, Research Square, Authorea, ChemRxiv, OSF
and TechRxiv: what was published has another, and is the same work."""
_PARTICLES = frozenset(
    "von van der den de del della di da dos du la le ten ter zu zur bin ibn al el".split()
)
_LIKE = 3
"""Words with which titles begin or end alike where they are of one work."""
LONGEST_FIELD = 100_000
"""Characters of an abstract, a title or a list of names that are read; no longer one is known."""
SUFFIXES = frozenset("jr jr. sr sr. ii iii iv".split())
"""What stands behind a family name and is no part of it, in lower case."""

_PLAIN_LETTERS = str.maketrans(
    {"ı": "i", "đ": "d", "ð": "d", "þ": "th", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe"}
)
"""Letters that are none with an accent, as they are typed without them."""


@frozen
class Paper:
    """A scholarly work.

    `language` is an ISO 639-1 code, `kind` a type of CSL ("article-journal"), `arxiv` the number of
    its preprint; each is "" where it is not known. `retracted` papers are shown as such. Of one
    with `more_authors` only the first are named: "Aad, G. and others". `keywords` are those under
    which a library files it, in one text. `written_doi` is the DOI with the capital letters that
    its source gives it, "" where it has none: by `doi` papers are told apart.
    """

    id: str
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    doi: str = ""
    url: str = ""
    language: str = ""
    kind: str = ""
    arxiv: str = ""
    retracted: bool = False
    more_authors: bool = False
    keywords: str = ""
    written_doi: str = field(default="", eq=False)


class DoiFields(TypedDict):
    """The two fields of a paper that its DOI is in."""

    doi: str
    written_doi: str


def doi_fields(doi: str) -> DoiFields:
    """Return the fields that a DOI or DOI URL gives a paper, both "" if it is none."""
    bare = bare_doi(doi)
    lower = bare.casefold()
    return {"doi": lower, "written_doi": bare if bare != lower else ""}


def within_limits(paper: Paper) -> Paper:
    """Return a paper with no more of each field than is read; the same one where that is all."""
    changes: dict[str, object] = {
        name: getattr(paper, name)[:LONGEST_FIELD]
        for name in _TEXTS
        if len(getattr(paper, name)) > LONGEST_FIELD
    }
    if sum(map(len, paper.authors)) > LONGEST_FIELD:
        ends = accumulate(map(len, paper.authors))
        named = sum(end <= LONGEST_FIELD for end in ends)
        changes |= {"authors": paper.authors[:named], "more_authors": True}
    return evolve(paper, **changes) if changes else paper  # type: ignore[arg-type]


def fold(text: str) -> str:
    """Fold case, accents and full-width forms, so that "Gödel" and "godel" compare equal."""
    if text.isascii():
        return text.casefold()
    # Most of a text is ASCII, accents and all once it is decomposed: only the rest is looked at.
    bare = _NOT_ASCII.sub(_without_accents, unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare).replace("ø", "o").replace("ł", "l").casefold()


def _without_accents(run: re.Match[str]) -> str:
    return "".join(filterfalse(unicodedata.combining, run[0]))


def in_plain_letters(text: str) -> str:
    """Fold a text further, to what keyboards without its letters have: "Yıldız" is "yildiz"."""
    folded = fold(text)
    return folded if folded.isascii() else folded.translate(_PLAIN_LETTERS)


def normalise_title(title: str) -> str:
    """Reduce a title to its folded words: two spellings of one title become the same string."""
    return " ".join(_WORD.findall(fold(title)))


def joined_title(title: str) -> str:
    """Reduce a title further, to one in which no blanks stand beside Chinese: 基于 BERT 的方法."""
    return _BESIDE_UNSPACED.sub("", normalise_title(title))


def title_ends(title: str) -> tuple[str, str]:
    """Return how a title begins (up to a colon) and ends: two of one work share one of these.

    Both are empty where there is no title.
    """
    first = normalise_title(title.partition(":")[0]).split()
    last = normalise_title(title).split()
    return (" ".join(first[:_LIKE]), " ".join(last[-_LIKE:])) if first else ("", "")


def without_retraction(title: str) -> str:
    """Return a title freed from the word that publishers put before it, "RETRACTED: ".

    One that differs from what was given is that of a retracted paper.
    """
    label = _RETRACTED.match(title)
    return title[label.end() :] or title if label else title


def without_label(abstract: str) -> str:
    """Return an abstract freed from what databases and publishers put before it, "摘要：".

    The word alone stays ("Abstract interpretation is …"), a mark has to set it apart.
    """
    return _ABSTRACT_LABEL.sub("", abstract)


def normalise_doi(doi: str) -> str:
    """Return the bare lower-case DOI ("10.…/…") inside a DOI or DOI URL, or "" if there is none."""
    return bare_doi(doi).casefold()


def bare_doi(doi: str) -> str:
    """Return the bare DOI inside a DOI or DOI URL as it is spelled, or "" if there is none.

    Its signs may be escaped as in addresses: 10.1002%2F1. A parenthesis at its end belongs to it
    where it closes one: 10.1000/b(95), but (10.1000/b).
    """
    match = _DOI.search(_ESCAPED.sub(_sign, doi) if "%" in doi else doi)
    if match is None:
        return ""
    matched = match.group()
    bare = matched.rstrip(".,;)}")
    closing = ")" * (bare.count("(") - bare.count(")"))
    if matched.startswith(closing, len(bare)):
        bare += closing
    return bare


def _sign(escaped: re.Match[str]) -> str:
    return chr(int(escaped[1], 16))


def is_published(doi: str) -> bool:
    """Whether a DOI is that of a publication: there is one, and it is not that of a preprint."""
    bare = normalise_doi(doi)
    return bool(bare) and _PREPRINT_DOI.match(bare) is None


def surname(author: str) -> str:
    """Return the family name of "Family, Given" or "Given von Family"; a Chinese name as it is.

    It is what the words alone tell, whatever the source: what papers are compared and ranked by.
    What is shown and written is `library.text.people.family_name`.
    """
    author = author.strip()
    if "," in author:
        return author.split(",", 1)[0].strip()
    words = author.split()
    if len(words) < 2 or has_han(author):
        return author
    while len(words) > 2 and words[-1].casefold() in SUFFIXES:
        words.pop()
    first = len(words) - 1
    while first > 1 and words[first - 1].casefold() in _PARTICLES:
        first -= 1
    return " ".join(words[first:])
