"""Papers grouped by topic, and a name for each group: words that tell it from the others."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from cite_lsp.encode.encoder import Vectors, unit
from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.display import shown
from cite_lsp.paper import Paper
from cite_lsp.search.words.function_words import function_words, without_function_words
from cite_lsp.search.words.tokens import STOP_WORDS, tokenise

_MOST_GROUPS = 7
_PAPERS_A_GROUP = 3
"""Papers of a group on average, where there are fewer than `_MOST_GROUPS` times as many."""
_WORD = lazy_re(r"[^\W_]+(?:[-'’][^\W_]+)*")
_SHORTENED = lazy_re(r"['’](?:t|s|re|ll|ve|d|m)\Z", re.IGNORECASE)
"""How "don't" ends, which tells no topic."""
_EMPTY = frozenset(
    """approach approaches based method methods new novel paper results study system systems using
    use toward towards analysis effective efficient improved improving learning model models
    survey review introduction""".split()
)
"""Words of titles that tell no topic by themselves."""
_NAMED_BY = 2
"""Terms in the name of a group."""
_OTHERS = "Other papers"
_ALL = "Papers"
"""What those are called that share no word, beside named groups and alone."""
_TWO_WORDS = 1.6
"""What a term of two words counts beside one of a single word: it says more."""


def group(vectors: Vectors) -> list[list[int]]:
    """Group n papers by their unit vectors, (n, d); each group ascending, that of the first first.

    Groups are merged, the two with the greatest mean cosine first (average linkage), until there
    are as many as wanted.
    """
    count = len(vectors)
    group_count = max(1, min(_MOST_GROUPS, round(count / _PAPERS_A_GROUP)))
    groups = [[place] for place in range(count)]
    sums = [np.array(vector, dtype=np.float64) for vector in vectors]
    while len(groups) > group_count:
        means = np.array(
            [total / len(members) for total, members in zip(sums, groups, strict=True)]
        )
        cosines = means @ means.T
        # A group that is large already takes in no more, unless what comes is very near.
        sizes = np.array([len(members) for members in groups], dtype=np.float64)
        cosines -= 0.02 * np.log(np.add.outer(sizes, sizes))
        np.fill_diagonal(cosines, -np.inf)
        first, second = sorted(divmod(int(np.argmax(cosines)), len(groups)))
        groups[first] += groups.pop(second)
        sums[first] = sums[first] + sums.pop(second)
    return sorted(sorted(members) for members in groups)


def word_vectors(papers: Sequence[Paper]) -> Vectors:
    """Return unit vectors of the title words of papers, (n, words): for want of an encoder."""
    titles = [without_function_words(paper.title, tokenise(paper.title)) for paper in papers]
    frequency = Counter(word for words in titles for word in set(words))
    column = {word: number for number, word in enumerate(frequency)}
    vectors = np.zeros((len(papers), max(len(column), 1)), dtype=np.float32)
    for row, words in enumerate(titles):
        for word in words:
            vectors[row, column[word]] += math.log(1 + len(papers) / frequency[word])
    return unit(vectors)


def topics(papers: Sequence[Paper], vectors: Vectors) -> list[tuple[str, list[int]]]:
    """Return groups of n papers with unit vectors, (n, d), by topic: a name, and the places.

    Papers that share no word of their titles with others of their group come last, together.
    """
    groups = group(vectors)
    names = group_names([[papers[place] for place in places] for places in groups])
    named = [(name, places) for name, places in zip(names, groups, strict=True) if name]
    others = sorted(
        place for name, places in zip(names, groups, strict=True) if not name for place in places
    )
    if others:
        named.append((_OTHERS if named else _ALL, others))
    return named


def group_names(groups: Sequence[Sequence[Paper]]) -> list[str]:
    """Return a name for each group: terms that its titles share and others lack, "" without one.

    A term counts by the share of the group's titles that have it, times the logarithm of how rare
    it is among all titles. Of two terms that share a word the better one is taken.
    """
    terms = [[_terms(paper) for paper in papers] for papers in groups]
    total = sum(len(titles) for titles in terms)
    everywhere = Counter(term for titles in terms for title in titles for term in title)
    names: list[str] = []
    for titles in terms:
        counts = Counter(term for title in titles for term in title)
        spelling_of = {term: spelling for title in titles for term, spelling in title.items()}

        def worth(term: str, counts: Counter[str] = counts, size: int = len(titles)) -> float:
            length = _TWO_WORDS if " " in term else 1.0
            return length * counts[term] / size * math.log(1 + total / everywhere[term])

        name_terms: list[str] = []
        shared = [term for term, count in counts.items() if count > 1]
        for term in sorted(shared, key=lambda term: (-worth(term), term)):
            used = {word for term in name_terms for word in term.split()}
            if not used.intersection(term.split()):
                name_terms.append(term)
            if len(name_terms) == _NAMED_BY:
                break
        name = ", ".join(spelling_of[term] for term in name_terms)
        names.append(f"{name} ({len(names) + 1})" if name and name in names else name)
    return [name[:1].upper() + name[1:] for name in names]


def _tells(word: str) -> bool:
    return not word.isdigit() and _SHORTENED.search(word) is None


def _terms(paper: Paper) -> dict[str, str]:
    """Return the words of a title and its pairs of words, folded, with how they are spelled."""
    title = shown(paper).title
    if has_han(title):
        return {word: word for word in tokenise(title) if has_han(word)}
    small = function_words(title, frozenset(tokenise(title)))
    terms: dict[str, str] = {}
    before: tuple[str, str, int] | None = None
    for match in _WORD.finditer(title):
        word = match.group()
        folded = " ".join(tokenise(word)) or word.lower()
        small_word = word.lower() in STOP_WORDS or folded in small
        if small_word or len(word) < 3 or not _tells(word):
            before = None
            continue
        spelling = word if any(letter.isupper() for letter in word[1:]) else word.lower()
        if word.lower() not in _EMPTY:
            terms.setdefault(folded, spelling)
        if before is not None and title[before[2] : match.start()].isspace():
            terms.setdefault(f"{before[0]} {folded}", f"{before[1]} {spelling}")
        before = folded, spelling, match.end()
    return terms
