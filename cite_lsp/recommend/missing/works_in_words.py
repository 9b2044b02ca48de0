"""The works of the library that a sentence cites in words only: "(Doe, 2020)", as pasted text does.

Each of them lacks its marker, also where the sentence has a marker of another work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from cite_lsp.library import EntryMatcher
from cite_lsp.library.entries import Entry
from cite_lsp.library.text.people import family_name
from cite_lsp.manuscript.edit.cited_in_words import (
    CitedWork,
    all_replacements_of_words,
    may_cite_in_words,
)
from cite_lsp.manuscript.model import Sentence
from cite_lsp.paper import Paper
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.query.author_year_mentions import AuthorYear

_YEARS_APART = (-1, 0, 1)
"""Years by which what words cite may differ from its entry: that of a preprint, of the article."""


def cited_works(keys: Sequence[str], papers: Sequence[Paper]) -> list[CitedWork]:
    """Return the papers that words can name, those with people and a year."""
    return [
        CitedWork(key, [family_name(author) for author in paper.authors], paper.year)
        for key, paper in zip(keys, papers, strict=False)
        if paper.authors and paper.year
    ]


def keys_cited_in_words(
    draft: Draft, sentence: Sentence, mentions: Sequence[AuthorYear], matcher: EntryMatcher
) -> frozenset[str]:
    """Return the keys of all works that words of a sentence may cite, and no marker of it does.

    `mentions` are what it names by author and year. Of several works by the same people in a year
    each may be meant.
    """
    if not mentions or not may_cite_in_words(sentence.text):
        return frozenset()
    cited = [entry.paper for key in sentence.cited if (entry := draft.library.get(key))]
    entries = {
        entry.key: entry.paper
        for mention in mentions
        if not any(_may_be_of(mention, paper) for paper in cited)
        for entry in entries_of(mention, draft, matcher)
    }
    return frozenset(
        work.key
        for work in cited_works(list(entries), list(entries.values()))
        if all_replacements_of_words(draft.manuscript, sentence, [work], draft.document)
    )


def cited_in_words(
    draft: Draft, sentence: Sentence, papers: Sequence[Recommendation]
) -> tuple[Recommendation, ...]:
    """Return those of some papers, the likelier first, that words of a sentence cite, in order."""
    by_key = {paper.key: paper for paper in papers}
    works = cited_works(list(by_key), [paper.paper for paper in papers])
    replaced = all_replacements_of_words(draft.manuscript, sentence, works, draft.document)
    keys = dict.fromkeys(key for words in replaced for key in words.keys)
    return tuple(by_key[key] for key in keys)


def entries_of(mention: AuthorYear, draft: Draft, matcher: EntryMatcher) -> Iterator[Entry]:
    """Yield the entries of the library that words may name; it reads those that have the words."""
    for row in matcher.match(mention.words):
        entry = draft.library.entries[row]
        if mention.is_of(entry.paper):
            yield entry


def _may_be_of(mention: AuthorYear, paper: Paper) -> bool:
    years = (mention.year + apart for apart in _YEARS_APART)
    return any(evolve(mention, year=year).is_of(paper) for year in years)
