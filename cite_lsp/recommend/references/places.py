"""Where in a draft a paper would be cited: the sentence that it is nearest to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from attrs import frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.manuscript.lint.exempt import is_exempt
from cite_lsp.paper import Paper
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.missing.worthiness import worthiness_of
from cite_lsp.recommend.references.missing_references import PlaceInDraft
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.search.words.query_words import query_words
from cite_lsp.search.words.word_index import WordIndex

_COMPARED = 12
"""Sentences that have most of a paper's words, which are then compared by meaning."""
_ALL_COMPARED = 150
"""Of so few sentences all are compared."""
_WORDS = 0.3
"""What all words of a paper count beside a cosine of 1."""
_WORTHY = 0.15
"""The same of a sentence that surely needs a citation and has none."""
_COCITED = 0.15
"""The same of a sentence that cites a paper beside which others cite this one."""


@frozen
class _Open:
    """A sentence that a citation may go into, and how likely it needs one that it lacks."""

    place: PlaceInDraft
    need: float


def places_for(
    draft: Draft,
    papers: Sequence[Paper],
    encoder: Encoder | None,
    beside: Callable[[int], frozenset[str]],
    *,
    cancelled: Cancel | None = None,
) -> list[PlaceInDraft | None]:
    """Return for each paper the sentence of the draft that should cite it, None without prose.

    `beside` gives the keys that others cite together with the paper of a number.

    Raises:
        Cancelled: `cancelled` returned true.
        RankerError: the model that ships cannot be read.
    """
    sentences = list(_open_sentences(draft, cancelled))
    if not sentences or not papers:
        return [None] * len(papers)
    index = WordIndex.build([item.place.sentence.text for item in sentences])
    words = np.array([index.scores(query_words(encoder_text(paper))) for paper in papers])
    words = words / np.maximum(words.max(axis=1, keepdims=True), 1e-6)
    stop_if(cancelled)
    needs = np.array([item.need for item in sentences])
    scores = _WORDS * words + _WORTHY * needs
    for number in range(len(papers)):
        keys = beside(number)
        for place, item in enumerate(sentences) if keys else ():
            scores[number, place] += _COCITED * bool(keys & item.place.sentence.cited)
    if encoder is not None:
        cosines = _cosines(sentences, papers, scores, encoder, cancelled)
        scores = np.where(np.isnan(cosines), -np.inf, scores + cosines)
    return [sentences[int(place)].place for place in scores.argmax(axis=1)]


def _cosines(
    sentences: Sequence[_Open],
    papers: Sequence[Paper],
    scores: Vectors,
    encoder: Encoder,
    cancelled: Cancel | None,
) -> Vectors:
    """Return the cosine of each paper and sentence, (p, s); NaN of sentences not compared."""
    compared = np.arange(len(sentences))
    if len(sentences) > _ALL_COMPARED:
        compared = np.unique(np.argsort(-scores, axis=1, kind="stable")[:, :_COMPARED])
    texts = [sentences[place].place.sentence.text for place in compared.tolist()]
    sentence_vectors = encoder.encode(texts, cancelled=cancelled)
    paper_vectors = encoder.encode([encoder_text(paper) for paper in papers], cancelled=cancelled)
    cosines = np.full((len(papers), len(sentences)), np.nan, dtype=np.float32)
    cosines[:, compared] = paper_vectors @ sentence_vectors.T
    return cosines


def _open_sentences(draft: Draft, cancelled: Cancel | None) -> Iterator[_Open]:
    for path, manuscript in draft.project.files:
        stop_if(cancelled)
        worthiness = worthiness_of(manuscript, draft.document, cancelled=cancelled)
        for sentence, probability in zip(manuscript.sentences, worthiness, strict=True):
            if is_exempt(manuscript, sentence):
                continue
            need = 0.0 if sentence.citing else float(probability)
            section = manuscript.sections[sentence.section].title
            yield _Open(PlaceInDraft(path, manuscript, sentence, section), need)
