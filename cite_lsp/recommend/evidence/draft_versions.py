"""Versions of a draft among the writer's drafts: a copy, a renamed file, a rewritten preprint.

A version of the draft that is being written is not another draft: it cites the same papers in the
same sentences, and adds nothing. Versions are recognised by their titles and by the sentences that
cite, of which only checksums of words are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import Factory, field, frozen

from cite_lsp.language import HAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import Paper, normalise_title
from cite_lsp.recommend.base.word_overlap import Checksums
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext, CitingDocument
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.search.corpus.paper_columns import title_key

_HAN = lazy_re(f"[{HAN}]")
_DISTINCTIVE_WORDS = 4
"""Words from which on a title belongs to one draft; many drafts are called "Lab Report"."""
_SHARED_SENTENCES = 0.5
"""Share of the sentences of the shorter draft that two versions have in common."""
_SHARED_WITH_SAME_TITLE = 0.25
"""The same share if both drafts have the same title of few words."""
_FEWEST_SHARED = 4
"""Shared sentences that are required; fewer do if the drafts have no others."""
_SAME_SENTENCE = 0.8
"""Share of their words that two sentences have in common if one is an edited copy of the other."""
_SHARED_PAPERS = 0.3
"""Share of the papers of the draft that cites fewer which both versions cite."""


def versions(drafts: Sequence[CitingDraft]) -> list[int]:
    """Return for each draft the index of the first draft that it is a version of, or its own.

    Versions of a version are versions of the same draft.
    """
    first: list[int] = []
    for number, draft in enumerate(drafts):
        earlier = (first[n] for n in range(number) if is_version(draft, drafts[n]))
        first.append(next(earlier, number))
    return first


@frozen(eq=False)
class DraftVersions:
    """The writer's drafts, the newest first, and which of them are versions of the same draft."""

    drafts: Sequence[CitingDraft] = ()
    version: Sequence[int] = field(
        init=False, default=Factory(lambda self: versions(self.drafts), takes_self=True)
    )
    """For each draft the index of the first one that it is a version of, or its own."""

    def numbered(self) -> Iterator[tuple[int, CitingDraft]]:
        """Yield each draft behind the number of its version."""
        return zip(self.version, self.drafts, strict=True)

    def newest(self) -> dict[int, CitingDraft]:
        """Return the newest version of each draft, by the number of its version."""
        return {number: self.drafts[number] for number in dict.fromkeys(self.version)}


NO_DRAFTS = DraftVersions()


def is_version(draft: CitingDraft, other: CitingDraft, title: str = "") -> bool:
    """Whether two drafts are versions of the same; `title` is the current title of the first."""
    same_title = _same_title(title or draft.title, other.title)
    if same_title and _words(other.title) >= _DISTINCTIVE_WORDS:
        return True
    if not draft.words or not other.words or not _cites_the_same(draft, other):
        return False
    shared = _shared(draft.words, other.words)
    fewer, more = sorted((len(draft.words), len(other.words)))
    if shared >= more:
        return True
    return shared >= _FEWEST_SHARED and shared >= fewer * (
        _SHARED_WITH_SAME_TITLE if same_title else _SHARED_SENTENCES
    )


def _same_title(title: str, other: str) -> bool:
    return normalise_title(title) == normalise_title(other) != ""


def _words(title: str) -> float:
    """Return how many words a title has; two Chinese characters count as a word."""
    han = len(_HAN.findall(title))
    return han / 2 + len(_HAN.sub(" ", normalise_title(title)).split())


def _cites_the_same(draft: CitingDraft, other: CitingDraft) -> bool:
    papers = {title_key(paper) for paper in draft.papers}
    other_papers = {title_key(paper) for paper in other.papers}
    return len(papers & other_papers) >= _SHARED_PAPERS * min(len(papers), len(other_papers))


def _shared(sentences: Sequence[Checksums], other_sentences: Sequence[Checksums]) -> int:
    """Return how many sentences of the shorter draft stand in the longer one, perhaps edited."""
    short, long = sorted((sentences, other_sentences), key=len)
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


def with_drafts(
    precedents: Precedents, drafts: Sequence[CitingDraft], encoder_fingerprint: str
) -> Precedents:
    """Return precedents with drafts behind their other documents, in the order given.

    Drafts that were encoded by another query encoder than the one with this fingerprint count with
    their citations, not with the contexts of these.
    """
    documents, contexts, vectors = [], [], []
    for number, draft in enumerate(drafts):
        keys = [title_key(paper) for paper in draft.papers]
        key = title_key(Paper("", draft.title))
        documents.append(CitingDocument(key, draft.year, tuple(dict.fromkeys(keys))))
        same_encoder = draft.encoder_fingerprint == encoder_fingerprint
        if not same_encoder or len(draft.vectors) != len(draft.cites):
            continue
        for cited, near in zip(draft.cites, draft.near, strict=True):
            cited_keys = tuple(dict.fromkeys(keys[index] for index in cited.tolist()))
            contexts.append(CitingContext(number, near.tolist(), cited_keys))
        vectors.append(draft.vectors)
    width = precedents.arrays["vectors"].shape[1]
    encoded = np.concatenate([np.zeros((0, width), dtype=np.float32), *vectors])
    return precedents.joined(documents, contexts, encoded)
