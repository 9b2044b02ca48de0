"""Parse names: which part is the family name, and whether it is an organisation's.

A name is written as one reads it, "Given Family". Where its words alone would not tell the family
name, no-break blanks bind those that are one, as `~` does in TeX: "Gabriel García~Márquez". All
words of an organisation are bound, unless one of them says what it is: "World Health Organization".

What compares papers takes the last word of a name (`paper.surname`), for that every source has.
"""

from __future__ import annotations

from collections.abc import Sequence

from cite_lsp.language import HAN, UNSPACED, has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import SUFFIXES, Paper, fold, surname

OTHERS = "others"
"""The last item of a list that leaves people out, in BibTeX and elsewhere."""
_TIE = "\u00a0"
_FAMILY_FIRST = lazy_re(
    rf"[{HAN}々ヶ\u3041-\u3096]+\0[{UNSPACED}々]+"
    r"|(?:[가-힣]|남궁|황보|제갈|사공|선우|독고)\0[가-힣]{1,3}"
)
"""Family and given name of who is Chinese, Japanese or Korean: no Knuth in kana or Hangul is."""
_INITIAL = lazy_re(r"[^\W\d_]\.?[ -]")
_ORGANISATIONS = frozenset(
    """academy administration agence agencia agency alliance asociacion associacao association
    authority bundesamt bundesinstitut bundesministerium bundesregierung bundestag center centre
    centro collaboration college comite commission committee community consortium contributors corp
    corporation council department developers federation fondation foundation fund fundacao
    fundacion gmbh government group hospital inc initiative institut institute institutes
    institution instituto investigators istituto laboratories laboratory llc ltd ministere
    ministerio ministerium ministry observatory office organisation organizacion organization panel
    parliament program programme project sociedad sociedade societe society stiftung survey team
    umweltbundesamt union universidad universidade universita universitat universite
    university""".split()
)


def is_others(name: str) -> bool:
    """Whether a list item is no name but says that there are more people."""
    return name.casefold() in (OTHERS, "et al.", "et al", "等")


def names_of(listed: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Return the names of a list, and whether it says that there are more people."""
    names = tuple(name for name in listed if not is_others(name))
    return names, len(names) < len(listed)


def with_others(paper: Paper) -> tuple[str, ...]:
    """Return the authors of a paper as files list them: "others" last, if there are more."""
    return (*paper.authors, OTHERS) if paper.more_authors else paper.authors


def untied(name: str) -> str:
    """Return a name, or a text with names, with ordinary blanks."""
    return name.replace(_TIE, " ")


def in_one_word(family: str, given: str) -> str:
    """Return a name of East Asia as it is written there, 김철수, or "" if it is no such name."""
    return family + given if _FAMILY_FIRST.fullmatch(f"{family}\0{given}") else ""


def named(given: str, family: str, suffix: str = "") -> str:
    """Return "Given Family Suffix", bound where its words alone would not tell the family name.

    Names of East Asia have the family name first and no blank.
    One in one piece that begins with an initial ("A. Moor") is a person's all the same.
    """
    if whole_name := in_one_word(family, given):
        return whole_name
    plain = " ".join(filter(None, (given, family, suffix)))
    bare_family = _without_suffix(family)
    person = not given and _INITIAL.match(bare_family)
    if " " not in bare_family or person or family_name(plain) == bare_family or has_han(plain):
        return plain
    bound = bare_family.replace(" ", _TIE) + family[len(bare_family) :]
    return " ".join(filter(None, (given, bound, suffix)))


def family_name(name: str) -> str:
    """Return the family name as it is shown and written, or the whole name of an organisation."""
    if is_organisation(name):
        return untied(name)
    tie = name.find(_TIE)
    if tie < 0:
        return surname(name)
    return untied(name[name.rfind(" ", 0, tie) + 1 :].partition(" ")[0])


def is_organisation(name: str) -> bool:
    """Whether a name is no person's: it holds a word that only organisations have, or is bound.

    The word may end another one: "Robert Koch-Institut".
    """
    if " " not in name.strip():
        return _TIE in name
    words = (word.strip(".,;:()").rpartition("-")[2] for word in fold(name).split())
    return any(word in _ORGANISATIONS for word in words)


def parts_of(name: str) -> tuple[str, str, str]:
    """Return the given name, the family name and its suffix ("Jr."), "" for what it lacks.

    A Chinese name, a single one and an organisation are all family name. One with commas has that
    first, and the suffix wherever BibTeX or others put it.
    """
    plain = untied(name)
    if is_organisation(name) or has_han(plain):
        return "", plain, ""
    if "," in plain:
        family, *rest = [part.strip() for part in plain.split(",")]
        suffixes = [part for part in rest if part.casefold() in SUFFIXES]
        given = ", ".join(part for part in rest if part not in suffixes)
        return given, family, " ".join(suffixes)
    family = family_name(name)
    at = plain.rfind(family)
    before, behind = plain[:at].strip(), plain[at + len(family) :].strip()
    if behind.casefold() in SUFFIXES:
        return before, family, behind
    return f"{before} {behind}".strip(), family, ""


def _without_suffix(family: str) -> str:
    words = family.split()
    while len(words) > 1 and words[-1].casefold() in SUFFIXES:
        words.pop()
    return " ".join(words)
