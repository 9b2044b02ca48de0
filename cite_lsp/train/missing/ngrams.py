"""The hashed word n-grams of sentences, as rows that a linear model learns from."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.recommend.missing.passages import Passage
from cite_lsp.recommend.missing.worthiness import BUCKETS, sentence_buckets, title_buckets
from cite_lsp.train.data.labelled_sentences import LabelledSentence

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

DOCUMENTS_WITH = 4
"""Documents in which an n-gram must occur."""


@frozen
class NgramTables:
    """The buckets of the passages, each text once: rows of buckets and which row is whose."""

    sentences: list[list[int]]
    previous: list[list[int]]
    next: list[list[int]]
    titles: list[list[int]]


def ngram_tables(passages: Sequence[Passage]) -> NgramTables:
    """Return the buckets of passages."""
    buckets_of: dict[str, list[int]] = {"": []}

    def buckets(text: str) -> list[int]:
        if text not in buckets_of:
            buckets_of[text] = sentence_buckets(text)
        return buckets_of[text]

    return NgramTables(
        [buckets(passage.sentence) for passage in passages],
        [buckets(passage.previous) for passage in passages],
        [buckets(passage.next) for passage in passages],
        [title_buckets(passage.section_title) for passage in passages],
    )


def frequent_buckets(
    sentences: Sequence[LabelledSentence], tables: NgramTables
) -> NDArray[np.bool_]:
    """Return which buckets hold n-grams of enough documents, [BUCKETS]."""
    documents: dict[int, set[str]] = defaultdict(set)
    for sentence, words, title in zip(sentences, tables.sentences, tables.titles, strict=True):
        for bucket in (*words, *title):
            if len(documents[bucket]) < DOCUMENTS_WITH:
                documents[bucket].add(sentence.document)
    frequent = np.zeros(BUCKETS, dtype=bool)
    frequent[[bucket for bucket, names in documents.items() if len(names) >= DOCUMENTS_WITH]] = True
    return frequent


def bucket_matrix(rows: Sequence[Sequence[int]], frequent: NDArray[np.bool_]) -> csr_matrix:
    """Return rows of buckets as `linear_score` weighs them, [n, BUCKETS]; rare ones weigh nothing.

    They count for the length of their row all the same: a reader of a new text cannot know them.
    """
    # Imported where needed: an extra has it.
    from scipy.sparse import csr_matrix  # the extra `train` has it

    columns, values, ends = [], [], [0]
    for row in rows:
        buckets = [bucket for bucket in row if frequent[bucket]]
        columns += buckets
        values += [1.0 / math.sqrt(max(len(row), 1))] * len(buckets)
        ends.append(len(columns))
    return csr_matrix(
        (np.array(values, dtype=np.float32), columns, ends), shape=(len(rows), BUCKETS)
    )
