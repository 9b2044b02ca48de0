"""The sentence that is nearest to what a writer says: of some, or of the abstract of a paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cite_lsp.encode.encoder import Encoder
from cite_lsp.library.text.display import shown
from cite_lsp.manuscript.text.sentences import sentence_spans
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.word_overlap import word_similarity

_COMPARED = 12
"""Sentences that share most words with the writer's, which are then compared by meaning."""


def nearest_sentence(sentences: Sequence[str], wanted: str, encoder: Encoder | None) -> int:
    """Return which of some sentences is the nearest to one; of none that is wanted, the first.

    Without an encoder, it is the one that shares most words.
    """
    shared = word_similarity(wanted, sentences)
    order: list[int] = np.argsort(-shared, kind="stable")[:_COMPARED].tolist()
    if encoder is None or not wanted or len(order) < 2:
        return order[0]
    vectors = encoder.encode([wanted, *(sentences[place] for place in order)])
    return order[int(np.argmax(vectors[1:] @ vectors[0]))]


def abstract_sentence(paper: Paper, wanted: str, encoder: Encoder | None) -> str:
    """Return the sentence of the abstract of a paper, as it is shown, that is nearest to one.

    It is "" where nothing is wanted, and where the abstract has no two sentences to choose from.
    """
    abstract = " ".join(shown(paper).abstract.split())
    spans = sentence_spans(abstract) if wanted else []
    if len(spans) < 2:
        return ""
    sentences = [abstract[start:end].strip() for start, end in spans]
    return sentences[nearest_sentence(sentences, wanted, encoder)]
