"""Organisations in citation keys: by an acronym, in all words, or by the first or the last one."""

from __future__ import annotations

from typing import Literal

from attrs import evolve

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.people import is_organisation, untied
from cite_lsp.paper import Paper, in_plain_letters

Form = Literal["whole", "acronym", "first", "last"]
"""How the name of an organisation is written: WorldHealthOrganization, WHO, World, Organization."""

_FORMS: tuple[Form, ...] = ("whole", "acronym", "first", "last")
_WORD = lazy_re(r"[^\W_]+")
_IN_BRACKETS = lazy_re(r"\s*[(\[](?P<acronym>[^\W_][\w-]{1,11})?[^()\[\]]*[)\]]")
_ACRONYM = lazy_re(r"(?<![\w.])[A-Z]{3,}(?![\w.])")
_LETTER = lazy_re(r"(?<![\w.-])[^\W\d_](?![\w.-])")
"""A letter that is a word, as in "R Core Team": initials would hide it."""
_SMALL_WORDS = frozenset(
    "a an and at by da das de dei del della der des di die do dos du e el en et for from für"
    " in la las le les los of on the und von y zu zum zur".split()
)
_LONG = 3
"""Words of a name from which on it goes by its initials."""


def form_of(key: str, name: str) -> Form | None:
    """Return in which form a key has the name of an organisation, None where it has it in none."""
    letters = _letters(key)
    words = ((form, _letters(written(name, form))) for form in _FORMS)
    return next((form for form, word in words if len(word) > 1 and word in letters), None)


def with_written_organisations(paper: Paper, form: Form | None) -> Paper:
    """Return a paper whose organisations are called as keys write them, each in a single word.

    Without a form a long name goes by its acronym, one of two words by both.
    """
    if not any(map(is_organisation, paper.authors)):
        return paper
    names = (written(name, form) if is_organisation(name) else name for name in paper.authors)
    return evolve(paper, authors=tuple(names))


def written(name: str, form: Form | None) -> str:
    """Return the name of an organisation in one word; a Chinese one as it is."""
    name = untied(name)
    if has_han(name):
        return name
    bracketed = _IN_BRACKETS.search(name)
    plain = _IN_BRACKETS.sub("", name) or name
    every: list[str] = _WORD.findall(plain) or [name]
    words = [word for word in every if word.casefold() not in _SMALL_WORDS] or every
    acronym = bracketed["acronym"] if bracketed else None
    if acronym is None and (acronym_match := _ACRONYM.search(plain)):
        acronym = acronym_match.group()
    if form is None:
        spelled = len(words) < _LONG or bool(_LETTER.search(plain))
        form = "whole" if spelled and not acronym else "acronym"
    match form:
        case "whole":
            return "".join(word[0].upper() + word[1:] for word in words)
        case "acronym":
            return acronym or "".join(word[0].upper() for word in words)
        case "first":
            return words[0]
    return words[-1]


def _letters(text: str) -> str:
    return "".join(_WORD.findall(in_plain_letters(text)))
