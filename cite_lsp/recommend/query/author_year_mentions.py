"""Papers that a sentence names by author and year: "Vaswani et al. (2017)", "(Doe and Roe, 2020)".

Such a sentence needs that very paper. If no library has it, any other paper would be wrong, however
well it fits the subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.people import family_name
from cite_lsp.paper import Paper, in_plain_letters
from cite_lsp.recommend.base.recommendation import Recommendation

_LETTERS = r"A-Za-zÀ-ÖØ-öø-ɏḀ-ỿЀ-ӿ"
_NAME = rf"(?![a-zß-öø-ÿа-џ])[{_LETTERS}]{{2,}}(?:[-'’][{_LETTERS}]+)*"
_AND = r"(?:,? (?:and|und|et|y|e|и) | ?(?:&|与|和|、|/) ?)"
_OTHERS = (
    r"(?:,? et al\.?| u\. ?a\.| и др\.| ?等人?"
    r"| (?:and|und|et|y|e) (?:others|colleagues|andere|autres|otros|outros|col\.)"
    r"| and (?:(?:his|her|their) )?(?:colleagues|co-?workers|collaborators|co-?authors))"
)
_PEOPLE = (
    rf"(?P<first>{_NAME})(?:{_OTHERS}(?:(?:, |{_AND}){_NAME})++)?(?:(?:, {_NAME})*{_AND}{_NAME})?"
    rf"{_OTHERS}?"
)
_ONE_YEAR = r"(?:1[89]|20)\d\d"
_YEAR = (
    rf"(?P<years>{_ONE_YEAR}[a-z]?(?![\d-])"
    rf"(?:(?: ?[,，、;；&] ?|,? (?:and|und|et|y|e|и) ){_ONE_YEAR}[a-z]?(?![\d-]))*)"
)
_EACH_YEAR = lazy_re(_ONE_YEAR)
_IN_TEXT = lazy_re(rf"(?<!\w){_PEOPLE}(?:['’]s?|,)? ?[(（\[]{_YEAR}")
_IN_PARENTHESES = lazy_re(
    r"(?:(?<=[(（\[;；])|(?<=\d{4}[,，])|(?<=\d{4}[a-z],)|(?<=\d{4} and)|(?<=\d{4} &))"
    rf"[^()（）\[\];；]{{0,40}}?(?<!\w){_PEOPLE}(?:,? |，){_YEAR}"
)
_NOT_PEOPLE = frozenset(
    """january february march april may june july august september october november december
    appendix chapter figure section table version""".split()
)
"""Words before a number or a year that name nobody."""
_WORD = lazy_re(r"[^\W\d_]+")
_YEARS_APART = 1
"""Years between a preprint and its publication."""


@frozen
class AuthorYear:
    """A paper as a sentence names it: the first author, in plain letters, and the year."""

    author: str
    year: int

    @property
    def words(self) -> str:
        """The words by which a paper is looked up."""
        return f"{self.author} {self.year}"

    def matches(self, paper: Paper) -> bool:
        """Whether a paper may be the one: by one of its authors or its title, and by its year."""
        if paper.year is not None and abs(paper.year - self.year) > _YEARS_APART:
            return False
        words = _WORD.findall(in_plain_letters(" ".join((*paper.authors, paper.title))))
        return any(word.endswith(self.author) for word in words)  # Le Cun may be written LeCun

    def is_of(self, paper: Paper) -> bool:
        """Whether a paper is the one for certain: by its first author and its year."""
        if paper.year != self.year or not paper.authors:
            return False
        words = _WORD.findall(in_plain_letters(family_name(paper.authors[0])))
        return self.author in (*words, "".join(words))


def author_year_mentions(sentence: str) -> tuple[AuthorYear, ...]:
    """Return the distinct author-year mentions of a plain sentence, in their order."""
    return tuple(dict.fromkeys(_mentions(sentence)))


def cited_in_words_first(
    mentions: Sequence[AuthorYear], papers: Iterable[Recommendation]
) -> tuple[Recommendation, ...]:
    """Sort papers that are mentioned first, each paper once; none of the others is likelier."""
    distinct = {paper.key: paper for paper in reversed(list(papers))}
    ranked = list(reversed(distinct.values()))
    first = [paper for paper in ranked if any(mention.is_of(paper.paper) for mention in mentions)]
    if not first:
        return tuple(ranked)
    score = max(paper.score for paper in ranked)
    others = (paper for paper in ranked if paper not in first)
    return (*(evolve(paper, score=score) for paper in first), *others)


def _mentions(sentence: str) -> Iterator[AuthorYear]:
    for pattern in (_IN_TEXT, _IN_PARENTHESES):
        for match in pattern.finditer(sentence):
            first = match["first"].removesuffix("'s").removesuffix("’s")
            author = _WORD.findall(in_plain_letters(first))[-1]
            if author not in _NOT_PEOPLE:
                for year in _EACH_YEAR.findall(match["years"]):
                    yield AuthorYear(author, int(year))
