"""The parts of citation keys: people, year and title of a paper in many spellings.

A part that is learnt from the key of one paper can write the key of another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Literal

from attrs import evolve, frozen

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.pinyin_tables import spelled_out
from cite_lsp.paper import Paper, surname

Letters = Literal["plain", "written", "german"]
"""plain: without accents; written: as they are; german: as German does without them (ä is ae)."""
Case = Literal["lower", "written", "capital"]

_NOT_LETTERS = {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "Ae"}
_NOT_LETTERS |= {"œ": "oe", "Œ": "Oe", "đ": "d", "Đ": "D", "ı": "i", "ð": "d", "þ": "th"}
_PAIRS = {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "å": "aa", "ø": "oe"}
_PLAIN, _GERMAN = str.maketrans(_NOT_LETTERS), str.maketrans(_PAIRS)
_ACCENTS = lazy_re(r"(?<![\u0400-\u052f])[\u0300-\u036f]+")
"""Those of Latin and Greek letters: й is no и with an accent, and ガ no カ."""
_NOT_IN_A_NAME = lazy_re(r"[^\w]|_")
_SMALL_WORDS = frozenset(
    "a about above across after against al along among an and are around as at be before behind "
    "below beneath beside between beyond but by can could das de der des die do does down during "
    "ein eine el et for from had has have how if in inside into is it its la las le les like los "
    "near nor of off on onto or out over past per plus should since so some than that the their "
    "then there these they this through throughout to toward towards un una under und une until "
    "up upon via was were what when where which while who why will with within without would yet "
    "your zu zum zur в во для и из к на о об от по при с со".split()
)
_APOSTROPHE = lazy_re(r"['’`´]")
_WORD = lazy_re(r"[^\W_]+")
_HYPHENED = lazy_re(r"[^\W_]+(?:[-‐‑][^\W_]+)*")
_ARXIV = lazy_re(r"arxiv(?:\.org/(?:abs|pdf)/|[.:])(\d{4}\.\d{4,5}|[a-z-]+/\d{7})", re.IGNORECASE)


@frozen
class Text:
    """What stands between the parts, or before the first."""

    text: str

    def write(self, paper: Paper) -> str:
        """Return the text itself."""
        return self.text


@frozen
class People:
    """Family names: all of up to `most` authors, of more the first `count` and the word `more`.

    `form` is "names", or "initials" as alphanumeric styles have it (VSP+17), or "dblp" (the first
    name and the initials of the others). `last_word` leaves out what stands before the last word
    of a family name.
    """

    form: Literal["names", "initials", "dblp"] = "names"
    letters: Letters = "plain"
    case: Case = "lower"
    last_word: bool = False
    most: int = 1
    count: int = 1
    between: str = ""
    more: str = ""

    def write(self, paper: Paper) -> str:
        """Return the names; of a paper without authors the first word of its title."""
        names = _family_names(paper, self.letters, self.case, self.last_word)
        return self.join(names, paper.more_authors) if names else Title(case="lower").write(paper)

    def join(self, names: Sequence[str], others: bool) -> str:
        """Join family names, already in the letters of the key, as the key has them.

        `others` says that there are more people, whose names are not known.
        """
        if self.form == "dblp":
            return names[0] + "".join(name[:1].upper() for name in names[1:])
        if self.form == "initials":
            if len(names) == 1:
                return names[0][:3]
            shown = names if len(names) <= self.most else names[: self.count]
            return "".join(name[:1].upper() for name in shown) + self.more * (shown is not names)
        if len(names) <= self.most and not (others and self.more):
            return self.between.join(names)
        return self.between.join([*names[: self.count], *filter(None, [self.more])])


@frozen
class Year:
    """The year in four digits or two."""

    digits: int = 4

    def write(self, paper: Paper) -> str:
        """Return the year, "" where it is not known."""
        return str(paper.year)[-self.digits :] if paper.year else ""


@frozen
class Title:
    """The first words of the title, small ones left out or not, hyphens dividing words or not.

    `chosen` is one word that the writer found telling; where nobody chooses it is the first.
    """

    count: int = 1
    case: Case = "lower"
    between: str = ""
    small_words: bool = False
    hyphens_divide: bool = True
    chosen: bool = False

    def write(self, paper: Paper) -> str:
        """Return the words, "" without a title."""
        words = title_words(paper.title, self.small_words, self.hyphens_divide)[: self.count]
        return self.between.join(cased(word, self.case) for word in words)


@frozen
class Code:
    """Three letters that tell the papers of one year apart, as INSPIRE has them."""

    def write(self, paper: Paper) -> str:
        """Return the initials of the title: INSPIRE's own letters are random."""
        words = title_words(paper.title, False, True)
        return ("".join(word[0] for word in words) + "xxx")[:3].lower()


@frozen
class Doi:
    """The DOI as it is."""

    def write(self, paper: Paper) -> str:
        """Return the DOI, "" without one."""
        return paper.doi


@frozen
class Dblp:
    """The key that DBLP has for a paper."""

    def write(self, paper: Paper) -> str:
        """Return the DBLP key where it is known, else only what its last part would be."""
        if paper.id.lower().startswith("dblp:"):
            return "DBLP:" + paper.id[5:]
        if number := arxiv_number(paper):
            return "DBLP:journals/corr/abs-" + number.replace(".", "-").replace("/", "-")
        return People("dblp", case="capital").write(paper) + Year(2).write(paper)


Part = Text | People | Year | Title | Code | Doi | Dblp


PartsByText = dict[str, dict[Part, list[Part]]]
"""Texts, each with the shapes of part that write it so, and of each shape the spellings that do.

A shape is a part in its plainest spelling: several parts often write a name alike.
"""


def people_parts(paper: Paper, key: str) -> PartsByText:
    """Return the ways to write the people of a paper that `key` holds, the plainest first."""
    alike: dict[tuple[str, ...], list[tuple[Letters, Case, bool]]] = {}
    for letters in ("plain", "written", "german"):
        for case in ("lower", "written", "capital"):
            for last_word in (False, True):
                names = tuple(_family_names(paper, letters, case, last_word))
                if names and names[0][0] in key:
                    alike.setdefault(names, []).append((letters, case, last_word))
    parts_by_text: PartsByText = {}
    for names, spellings in alike.items():
        for shape in _SHAPES:
            text = shape.join(names, paper.more_authors)
            if text in key:
                parts = parts_by_text.setdefault(text, {}).setdefault(shape, [])
                for letters, case, last_word in spellings:
                    parts.append(evolve(shape, letters=letters, case=case, last_word=last_word))
    return parts_by_text


def title_parts(paper: Paper, key: str) -> PartsByText:
    """Return the ways to write the first words of a title, or one word, that `key` holds."""
    parts_by_text: PartsByText = {}
    for small_words, divide in product((False, True), repeat=2):
        words = title_words(paper.title, small_words, divide)[:_MOST_WORDS]
        for case in ("lower", "capital", "written"):
            cased_so = [cased(word, case) for word in words]
            if not cased_so or cased_so[0] not in key:
                continue
            for shape in _TITLE_SHAPES:
                text = shape.between.join(cased_so[: shape.count])
                if text in key:
                    part = Title(shape.count, case, shape.between, small_words, divide)
                    parts_by_text.setdefault(text, {}).setdefault(shape, []).append(part)
    for word in title_words(paper.title, False, True)[1:]:
        for case in _CASES_OF_A_WORD:
            if (text := cased(word, case)) in key:
                part = Title(1, case, chosen=True)
                parts_by_text.setdefault(text, {}).setdefault(_CHOSEN, []).append(part)
    return parts_by_text


_MOST_WORDS = 6
_CASES_OF_A_WORD: tuple[Case, ...] = ("lower", "capital")
_CHOSEN = Title(chosen=True)
_TITLE_SHAPES = tuple(
    Title(count, between=between)
    for count in range(1, _MOST_WORDS + 1)
    for between in (("", "_", "-", ".") if count > 1 else ("",))
)
_JOINTS = ("-", "_", "", ".", "+", "And", "and", "&")
_MORE = ((2, 1, "etal"), (1, 1, "etal"), (2, 1, "EtAl"), (1, 1, "EtAl"), (3, 3, "ea"))
_SHAPES = (
    People(),
    *(People(most=most, count=count, between=joint, more=more)
      for joint in _JOINTS for most, count, more in _MORE),
    *(People(most=most, count=most, between=joint) for joint in _JOINTS for most in (2, 3, 99)),
    People("dblp"),
    *(People("initials", most=4, count=count, more=more)
      for count, more in ((3, "+"), (3, ""), (4, ""))),
)  # fmt: skip


def _family_names(paper: Paper, letters: Letters, case: Case, last_word: bool) -> list[str]:
    names = []
    for author in paper.authors:
        words = _APOSTROPHE.sub("", transliterated(surname(author), letters)).split()
        family = "".join(words[-1:] if last_word else words)
        name = _NOT_IN_A_NAME.sub("", family)
        if name:
            names.append(cased(name, case))
    return names


def title_words(title: str, small_words: bool, hyphens_divide: bool) -> list[str]:
    """Return the words of a title without accents, in order; small ones only with `small_words`."""
    plain = _APOSTROPHE.sub("", transliterated(title, "plain"))
    if hyphens_divide:
        words = _WORD.findall(plain)
    else:
        words = [_NOT_IN_A_NAME.sub("", word) for word in _HYPHENED.findall(plain)]
    if small_words:
        return words
    return [word for word in words if word.casefold() not in _SMALL_WORDS] or words


def transliterated(text: str, letters: Letters) -> str:
    """Return a text in the letters of a style; Han characters by their pinyin unless as written."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text)
    if letters == "written":
        return text
    if letters == "german":
        text = text.translate(_GERMAN)
    if has_han(text):
        text = _pinyin(text)
    bare = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", bare))


def cased(word: str, case: Case) -> str:
    """Return a word in a case; "capital" touches its first letter alone."""
    match case:
        case "lower":
            return word.lower()
        case "capital":
            return word[:1].upper() + word[1:]
    return word


def arxiv_number(paper: Paper) -> str:
    """Return the arXiv number of a paper, "" where it has none that is known."""
    if paper.arxiv:
        return paper.arxiv
    match = _ARXIV.search(paper.doi) or _ARXIV.search(paper.url)
    return match[1] if match else ""


@lru_cache(maxsize=4096)
def _pinyin(text: str) -> str:
    """Return a text with its Han characters replaced by syllables, with blanks between them."""
    return " ".join(spelled_out(text))
