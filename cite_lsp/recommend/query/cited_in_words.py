"""Works that a sentence names by author and year: "Vaswani et al. (2017)", "(Doe and Roe, 2020)".

Such a sentence wants that very work. Where no library has it, another one in its place would be
wrong, however well it suits the subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from cite_lsp.paper import Paper, in_plain_letters

_LETTERS = r"A-Za-zÀ-ÖØ-öø-ɏḀ-ỿ"
_NAME = rf"(?![a-zß-öø-ÿ])[{_LETTERS}]{{2,}}(?:[-'’][{_LETTERS}]+)*"
_AND = r"(?:,? (?:and|und|et|y|e) | ?(?:&|与|和|、) ?)"
_OTHERS = r"(?:,? et al\.?| (?:and|und) (?:others|colleagues|andere)| ?等人?)"
_PEOPLE = rf"(?P<first>{_NAME})(?:(?:, {_NAME})*{_AND}{_NAME})?{_OTHERS}?"
_YEAR = r"(?P<year>(?:1[89]|20)\d\d)[a-z]?(?![\d-])"
_IN_TEXT = re.compile(rf"(?<!\w){_PEOPLE} ?[(（]{_YEAR}")
_IN_PARENTHESES = re.compile(rf"(?<=[(（;；])[^()（）;；]{{0,40}}?(?<!\w){_PEOPLE},? {_YEAR}")
_NOBODY = frozenset(
    """january february march april may june july august september october november december
    appendix chapter figure section table version""".split()
)
"""What has a number or a year behind it and is no person."""
_WORD = re.compile(r"[^\W\d_]+")
_APART = 1
"""Years between a preprint and what was published of it."""


@frozen
class NamedWork:
    """A work as a sentence names it: the first author, in plain letters, and the year."""

    first: str
    year: int

    def is_paper(self, paper: Paper) -> bool:
        """Whether a paper may be it: by one of its authors or its title, and about as old."""
        if paper.year is not None and abs(paper.year - self.year) > _APART:
            return False
        words = _WORD.findall(in_plain_letters(" ".join((*paper.authors, paper.title))))
        return any(word.endswith(self.first) for word in words)  # Le Cun is LeCun


def named_works(sentence: str) -> tuple[NamedWork, ...]:
    """Return the works that a plain sentence names, each once, as they stand."""
    return tuple(dict.fromkeys(_named(sentence)))


def _named(sentence: str) -> Iterator[NamedWork]:
    for pattern in (_IN_TEXT, _IN_PARENTHESES):
        for found in pattern.finditer(sentence):
            first = _WORD.findall(in_plain_letters(found["first"]))[-1]
            if first not in _NOBODY:
                yield NamedWork(first, int(found["year"]))
