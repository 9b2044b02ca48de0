"""Which of the writer's drafts are versions of one: a copy, a renamed file, a preprint rewritten.

A version of the draft that is being written is no other draft: it cites in the same sentences what
this one cites, and would only repeat it. Versions are told by their titles and by the sentences
that cite, as far as what is kept of drafts tells: by checksums of words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from cite_lsp.language import HAN
from cite_lsp.paper import normalise_title
from cite_lsp.recommend.base.word_overlap import Checksums
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.search.corpus.paper_columns import title_key

_HAN = re.compile(f"[{HAN}]")
_TELLING_TITLE = 4
"""Words of a title from which on it belongs to one draft; "Lab Report" is that of many."""
_MOST = 0.5
"""Share of the sentences of the shorter draft that two versions of one have in common."""
_MOST_UNDER_ONE_TITLE = 0.25
"""The same where a title of few words is the same."""
_LEAST = 4
"""Sentences in common that prove it; fewer do where the drafts have no others."""
_SAME_SENTENCE = 0.8
"""Share of their words that two sentences have in common if one is the other, edited lightly."""
_WORKS = 0.3
"""Share of the works of the draft that cites fewer which two versions of one both cite."""


def versions(drafts: Sequence[CitingDraft]) -> list[int]:
    """Return for each draft the number of the first one that it is a version of: its own if none.

    Versions of a version are versions of the same draft.
    """
    first: list[int] = []
    for number, draft in enumerate(drafts):
        earlier = (first[n] for n in range(number) if is_version(draft, drafts[n]))
        first.append(next(earlier, number))
    return first


def is_version(one: CitingDraft, other: CitingDraft, title: str = "") -> bool:
    """Whether two drafts are versions of one; `title` is what the first is called by now."""
    alike = _same_title(title or one.title, other.title)
    if alike and _words(other.title) >= _TELLING_TITLE:
        return True
    if not one.words or not other.words or not _cite_alike(one, other):
        return False
    shared = _shared(one.words, other.words)
    fewer, more = sorted((len(one.words), len(other.words)))
    if shared >= more:
        return True
    return shared >= _LEAST and shared >= fewer * (_MOST_UNDER_ONE_TITLE if alike else _MOST)


def _same_title(one: str, other: str) -> bool:
    return normalise_title(one) == normalise_title(other) != ""


def _words(title: str) -> float:
    """Return how many words a title has; a Chinese one has two characters as a rule."""
    han = len(_HAN.findall(title))
    return han / 2 + len(_HAN.sub(" ", normalise_title(title)).split())


def _cite_alike(one: CitingDraft, other: CitingDraft) -> bool:
    works = {title_key(work) for work in one.works}
    others = {title_key(work) for work in other.works}
    return len(works & others) >= _WORKS * min(len(works), len(others))


def _shared(one: Sequence[Checksums], other: Sequence[Checksums]) -> int:
    """Return how many sentences of the shorter draft stand in the longer one, edited lightly."""
    short, long = sorted((one, other), key=len)
    exact = {words.tobytes() for words in long}
    owner = np.repeat(np.arange(len(long)), [len(words) for words in long])
    flat = np.concatenate(long)
    sizes = np.array([len(words) for words in long])
    count = 0
    for words in short:
        if words.tobytes() in exact:
            count += 1
            continue
        common = np.bincount(owner[np.isin(flat, words)], minlength=len(long))
        either = np.maximum(sizes + len(words) - common, 1)
        count += bool((common / either).max() >= _SAME_SENTENCE)
    return count
